"""Runs that nobody derived yet, several at a time: `python -m reportgen.site.ahead CACHE DATA RUN...`.

Deriving and drawing take a core, and a fresh checkout has many runs.  Processes of this module fill the
same stores that rendering reads; what one of them cannot do is simply not there, and rendering does it
itself and says what is wrong.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen import caches
from reportgen.runs import store
from reportgen.runs.schema import PROGRAMS, SAMPLES, SURVEY, VALIDATION

if TYPE_CHECKING:
    from reportgen.site.results import Results

ENOUGH = 4
"""Runs from which it pays: a process spends on its imports what two small runs take."""

MOST = 8
"""Processes at most: each holds the samples of a run in memory."""


def derive(runs: Sequence[Path], cache: Path) -> None:
    """Derive `runs` and draw their figures into `cache`, on as many cores as this process may use.

    Does nothing for few runs or a single core.
    """
    if len(runs) >= ENOUGH:
        _start("", runs, cache)


def derive_aside(refs: Sequence[store.RunRef], data: Path, cache: Path) -> None:
    """The same of validations and surveys in the folder `data`; each takes longer than a run."""
    if len(refs) > 1:
        _start(str(data.resolve()), [ref.path for ref in refs], cache)


def _start(data: str, runs: Sequence[Path], cache: Path) -> None:
    """Processes for `runs`, and wait for them; `data` is told where they stand beside others."""
    shares = _shared([path.resolve() for path in runs], min(_cores(), MOST))
    if len(shares) < 2:
        return
    with ExitStack() as stack:
        for share in shares:
            words = [
                sys.executable,
                "-m",
                "reportgen.site.ahead",
                str(cache.resolve()),
                data,
                *map(str, share),
            ]
            stack.enter_context(
                subprocess.Popen(
                    words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
            )


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _shared(runs: Sequence[Path], count: int) -> list[list[Path]]:
    """The runs in at most `count` shares of about equal weight; the heaviest is given away first."""
    weights = {path: _weight(path) for path in runs}
    shares: list[list[Path]] = [[] for _ in range(min(count, len(runs)))]
    loads = [0] * len(shares)
    for path in sorted(runs, key=lambda path: -weights[path]):
        lightest = loads.index(min(loads))
        shares[lightest].append(path)
        loads[lightest] += weights[path]
    return shares


def _weight(path: Path) -> int:
    """Bytes that deriving reads."""
    files = (path / SAMPLES, path / PROGRAMS)
    return sum(file.stat().st_size for file in files if file.is_file())


def main(words: Sequence[str]) -> None:
    """Derive and draw in this process."""
    # Imported here, so that who merely starts these processes imports nothing for it.
    from reportgen.site import pictures
    from reportgen.site.render import collector_resting
    from reportgen.site.results import Results, Unreadable

    cache, data, runs = Path(words[0]), words[1], list(map(Path, words[2:]))
    results = Results(cache / caches.RESULTS.name)
    if data:
        aside(results, Path(data), frozenset(runs))
        return
    for path in runs:
        try:
            with collector_resting():
                for _ in pictures.draw_all(results.report(path), cache / caches.FIGURES.name):
                    pass  # kept by being drawn
        except Unreadable:
            continue  # rendering finds the same and says so


def aside(results: Results, data: Path, paths: frozenset[Path]) -> None:
    """Derive the validations and surveys among the runs of a data folder that lie at `paths`."""
    from reportgen.site import surveys, validations
    from reportgen.site.render import collector_resting
    from reportgen.site.results import Unreadable

    refs = store.list_runs(data)
    checked, surveyed = validations.Validations(results), surveys.Surveys(results)
    for ref in refs:
        if ref.path.resolve() not in paths:
            continue
        try:
            with collector_resting():
                if ref.kind == VALIDATION:
                    checked.checked(ref)
                if ref.kind == SURVEY:
                    surveyed.surveyed(ref, refs)
        except Unreadable:
            continue  # as above


if __name__ == "__main__":
    main(sys.argv[1:])
