"""How long a server takes to show a run that was sealed: `python bench/serving.py`, about a minute.

A copy of data/ is served without its newest measured run; the run is put there as sealing does, by one
rename, and a reader asks for its page until it is there.  The first time the run has never been derived.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TIMES = 4
PATIENCE = 120.0
"""Seconds after which a page is given up."""


def appearing(scratch: Path) -> tuple[list[float], int]:
    """Seconds from the rename until the page is there, the first of a run never derived; number of runs."""
    from reportgen.runs.schema import ASIDE, TOOLCHAIN
    from reportgen.runs.store import list_runs
    from reportgen.site import project

    data = scratch / "served"
    shutil.copytree(ROOT / "data", data)
    runs = list_runs(data)
    for ref in runs:
        if ref.kind in ASIDE:  # a validation cannot be shown without the run of its model
            shutil.rmtree(ref.path)
    run = next(ref.path for ref in runs if ref.kind not in (TOOLCHAIN, *ASIDE) and not ref.error)
    held = scratch / "held"
    run.rename(held)
    settings = project.write(data, None, scratch / "server", project.root())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    site = f"http://127.0.0.1:{port}/devices/{run.parent.name}/"
    words = [sys.executable, "-m", "mkdocs", "serve", "--livereload", "--quiet", "-a", f"127.0.0.1:{port}"]
    server = subprocess.Popen([*words, "--config-file", str(settings)], stderr=subprocess.DEVNULL)
    try:
        _await(site, there=True)
        found = []
        for _ in range(TIMES):
            time.sleep(5)  # until the server has nothing to do
            begun = time.perf_counter()
            held.rename(run)
            _await(f"{site}{run.name}/", there=True)
            found.append(time.perf_counter() - begun)
            time.sleep(5)
            run.rename(held)
            _await(f"{site}{run.name}/", there=False)
        return found, len(runs)
    finally:
        server.terminate()
        server.wait()


def _await(url: str, *, there: bool) -> None:
    end = time.perf_counter() + PATIENCE
    while time.perf_counter() < end:
        try:
            with urllib.request.urlopen(url):
                found = True
        except (urllib.error.URLError, ConnectionError):
            found = False
        if found is there:
            return
        time.sleep(0.02)
    raise SystemExit(f"{url} did not {'appear' if there else 'go'} within {PATIENCE:g} s")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        (first, *later), runs = appearing(Path(folder))
    print(f"a new run among {runs} appears after {min(later):.2f} s, after {first:.2f} s where never derived")


if __name__ == "__main__":
    main()
