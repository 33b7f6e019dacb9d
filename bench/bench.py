"""How long reportgen itself takes: `make bench` prints a table; nothing fails.

    --no-collect      leave out the quick run, which takes about half a minute
    --full            collect the whole suite instead, some minutes
    --run FOLDER      derive and render this run (default: the newest in data/, else a simulated one)
    --json            print JSON

Every line that starts a program is a fresh process, interpreter and imports included, as a user meets
it; the best of several is shown, because a busy machine only ever adds.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the simulated device lies in tests/

REPORTGEN = Path(sys.executable).with_name("reportgen")
RENDER = """
import sys
from pathlib import Path
from reportgen.site.render import Renderer
Renderer(Path(sys.argv[1]), Path(sys.argv[2])).render()
"""


@dataclass(frozen=True)
class Line:
    """One row of the table."""

    what: str
    value: float
    unit: str
    wanted: float | None = None
    """What the project wants at most, on two cores; None where it wants nothing."""
    note: str = ""


def best(repetitions: int, action: Callable[[], None]) -> float:
    times = []
    for _ in range(repetitions):
        begun = time.perf_counter()
        action()
        times.append(time.perf_counter() - begun)
    return min(times)


def call(*words: str | Path) -> None:
    done = subprocess.run([*map(str, words)], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stderr}")


def chosen(given: Path | None, scratch: Path) -> tuple[Path, str]:
    from reportgen.runs.store import list_runs

    if given is not None:
        return given, f"{given.parent.name}/{given.name}"
    for ref in list_runs(ROOT / "data"):
        if not ref.error:
            return ref.path, f"{ref.device}/{ref.run}"
    from tests.simulated.cpu import make_data
    from tests.simulated.truth import CpuTruth

    return make_data(CpuTruth(), 1, scratch / "simulated"), "a simulated run"


def command_line() -> list[Line]:
    helped = best(5, lambda: call(REPORTGEN, "--help"))
    return [Line("reportgen --help", helped, "s", note="fresh process")]


def report(run: Path, name: str, scratch: Path) -> list[Line]:
    """Derive and render one device, first with nothing cached, then as a live preview does."""
    from reportgen.model.derive import derive_bundle
    from reportgen.runs.read import load
    from reportgen.site.render import Renderer

    data, cache = scratch / "data", scratch / "cache"
    shutil.copytree(run, data / run.parent.name / run.name)

    def cold() -> None:
        shutil.rmtree(cache, ignore_errors=True)
        call(sys.executable, "-c", RENDER, data, cache)

    lines = [
        Line("derive + render, nothing cached", best(3, cold), "s", 4.0, f"fresh process, {name}"),
        Line(
            "derive + render, all cached",
            best(3, lambda: call(sys.executable, "-c", RENDER, data, cache)),
            "s",
            2.0,
            "fresh process",
        ),
        Line("derive", best(3, lambda: void(derive_bundle(load(run)))), "s", note="in this process"),
    ]
    shutil.rmtree(cache / "results", ignore_errors=True)
    again = best(1, lambda: void(Renderer(data, cache).render()))
    lines.append(Line("derive + render, figures cached", again, "s", 2.0, "in this process"))
    return lines


def checkout(scratch: Path) -> list[Line]:
    """Every run of data/: as after a checkout, and again in a process that finds all of it kept."""
    from reportgen.runs.store import list_runs

    cache, runs = scratch / "of-all", len(list_runs(ROOT / "data"))

    def render() -> None:
        call(sys.executable, "-c", RENDER, ROOT / "data", cache)

    note = f"fresh process, {runs} runs"
    return [
        Line("render data/, nothing kept", best(1, render), "s", note=note),
        Line("render data/, all kept", best(3, render), "s", note=note),
    ]


def server(scratch: Path) -> list[Line]:
    """From the rename that seals a run until its page is there."""
    from serving import appearing  # beside this file

    (first, *later), runs = appearing(scratch)
    note = f"served, {runs} runs"
    return [
        Line("a new run appears", min(later), "s", 2.0, note),
        Line("a new run appears, never derived", first, "s", note=note),
    ]


def workloads(scratch: Path) -> list[Line]:
    from counting import counting  # beside this file

    return [
        Line(what, best(3, lambda action=action: void(action())), "s", wanted, note)
        for what, action, wanted, note in counting(scratch)
    ]


def void(_: object) -> None:
    """Drop a result."""


def collecting(scratch: Path, *, full: bool) -> list[Line]:
    data = scratch / "collected"
    words = ["collect"] if full else ["collect", "--quick"]
    begun = time.perf_counter()
    call(REPORTGEN, *words, "--data", data)
    wall = time.perf_counter() - begun
    (manifest,) = data.glob("*/*/run.json")
    run = json.loads(manifest.read_text(encoding="utf-8"))
    timing = run["timing"]
    states = [point["status"] for point in run["points"]]
    supported = [state for state in states if state not in ("unsupported", "skipped")]
    lines = [
        Line(f"reportgen {' '.join(words)}", wall, "s", 150.0 if full else 25.0, f"{len(supported)} points")
    ]
    lines += [
        Line(f"  {part}", seconds, "s", note=f"{seconds / timing['total']:.0%} of the run")
        for part, seconds in timing.items()
    ]
    share = 1 - timing["measure"] / timing["total"]
    # A quick run measures less of everything that it has to build.
    lines.append(Line("  not measuring", 100 * share, "%", 35.0 if full else None))
    usable = sum(state in ("ok", "unverified", "censored") for state in supported)
    lines.append(Line("  supported points without a value", 100 * (1 - usable / len(supported)), "%", 5.0))
    return lines


def show(lines: list[Line]) -> None:
    print(f"{'':38}{'here':>9}{'wanted':>12}")
    for line in lines:
        wanted = "" if line.wanted is None else f"<= {line.wanted:g} {line.unit}"
        print(f"{line.what:38}{line.value:7.2f} {line.unit:<2}{wanted:>11}  {line.note}".rstrip())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--no-collect", action="store_true")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--run", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        run, name = chosen(options.run, scratch)
        lines = command_line() + report(run, name, scratch) + checkout(scratch)
        lines += server(scratch) + workloads(scratch)
        if not options.no_collect:
            lines += collecting(scratch, full=options.full)
    if options.json:
        print(json.dumps([asdict(line) for line in lines], indent=1))
    else:
        show(lines)


if __name__ == "__main__":
    main()
