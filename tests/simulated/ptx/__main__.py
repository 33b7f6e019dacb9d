"""`python -m tests.simulated.ptx --isa sm_90 [--every] [--only WORDS] [--chains] [--spoil]`: what is wrong.

Every point (or so many that each operation and each word of a setting is there) is visited through the
launcher on the executor of PTX; what is not as it should be is printed, and what was too large.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter

from reportgen.backends.base import Source
from tests.simulated.ptx import chains
from tests.simulated.ptx.points import Code, few
from tests.simulated.ptx.spoiling import without_each
from tests.simulated.ptx.visits import Seen, Visits
from tests.unit.backends.cuda import suite


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulated.ptx", description=__doc__)
    parser.add_argument("--isa", default="sm_90")
    parser.add_argument("--every", action="store_true", help="all points, not only one of each kind")
    parser.add_argument("--only", default="", help="points whose name contains this")
    parser.add_argument("--chains", action="store_true", help="what the accumulators hold in the end")
    parser.add_argument(
        "--spoil",
        action="store_true",
        help="take every barrier, fence and wait out, one at a time: which are missed",
    )
    given = parser.parse_args()
    began = time.perf_counter()
    sources = [
        one for one in suite.generated(given.isa).sources.values() if given.only in one.point and one.text
    ]
    chosen = sources if given.every else few(sources)
    if given.spoil:
        return _spoil(given.isa, chosen)
    code = Code()
    code.make(chosen)
    print(f"{len(chosen)} of {len(sources)} points, compiled in {time.perf_counter() - began:.0f} s")
    visits = Visits(given.isa, code, looking=given.chains)
    seen = [visits.visit(source) for source in chosen]
    print(f"visited in {time.perf_counter() - began:.0f} s:", dict(Counter(one.status for one in seen)))
    _table(seen)
    if given.chains:
        chains.table({source.point: source for source in chosen}, seen)
    return int(any(one.status in ("wrong", "failed", "invalid") for one in seen))


def _spoil(isa: str, chosen: list[Source]) -> int:
    """Kernels without each of what orders: those that nobody misses."""
    spoilt = list(without_each(isa, chosen))
    alike = Counter((one.point, " ".join(one.instruction.split())) for one in spoilt if not one.found)
    for (point, instruction), count in alike.items():
        print(f"not missed: {point}: {count} times {instruction}")
    print(f"{sum(one.found for one in spoilt)} of {len(spoilt)} barriers, fences and waits are missed")
    return 0


def _table(seen: list[Seen]) -> None:
    rows: dict[tuple[str, str], list[Seen]] = {}
    for one in seen:
        if one.status != "ok":
            rows.setdefault((one.status, one.cause), []).append(one)
    for (status, _), some in sorted(rows.items()):
        print(f"\n{status}: {len(some)} points, {some[0].reason[:300]}")
        for one in some[:4]:
            print(f"    {one.point}")
    notes = Counter(
        (one.point.partition("#")[0], re.sub(r"\d+", "#", note)) for one in seen for note in one.notes
    )
    for (probe, note), count in sorted(notes.items()):
        print(f"\nnote: {count} points of {probe}: {note}")


if __name__ == "__main__":
    raise SystemExit(main())
