"""`reportgen doctor`: what is missing here, and what to do about it."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reportgen.cli import output
from reportgen.errors import UserError

if TYPE_CHECKING:
    from reportgen.backends.base import Candidate

OK, NOTE, MISSING = "ok", "note", "missing"
_PACKAGES = {
    "llvmlite": "assembles the programs",
    "pyarrow": "writes the samples",
    "pandas": "reads the samples",
    "scipy": "analysis",
    "matplotlib": "figures",
    "mkdocs": "the site",
}
_DECODERS = {"x86_64": "iced_x86", "aarch64": "capstone"}
_TO_COLLECT = frozenset({"pyarrow"})
"""What a run on a GPU needs of these; the rest is for CPUs, and for what is made of a run elsewhere too."""
ROOM_BYTES = 200 << 20
"""A full run takes a few MB; the journal, while it runs, some tens."""

Check = tuple[str, str, str, str]
"""What, state, what was found, remedy."""


@click.command("doctor", epilog="\b\nExamples:\n  reportgen doctor\n  reportgen doctor --data runs/ --json")
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    default=Path("data"),
    show_default=True,
    help="Folder that runs shall go to.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(data: Path, as_json: bool) -> None:
    """What is missing on this machine, and the remedy.  Exit code 3 if nothing can be measured."""
    from reportgen.backends import registry

    found = registry.discover()
    checks = [*_programs(_gpu(found)), *_suite(), *_devices(found), *_machine(), *_folder(data), *_caches()]
    rows = [dict(zip(("check", "state", "found", "remedy"), check, strict=True)) for check in checks]
    output.show(rows, ["check", "state", "found", "remedy"], as_json)
    if any(state == MISSING for _, state, _, _ in checks):
        sys.exit(3)


def _gpu(found: list[Candidate]) -> bool:
    """Whether a GPU can be measured."""
    return any(
        one.device.backend == "cuda" and one.selector.startswith("cuda:") and not one.reason for one in found
    )


def _programs(gpu: bool) -> Iterator[Check]:
    version = platform.python_version()
    fits = sys.version_info >= (3, 11)
    yield ("Python", OK if fits else MISSING, version, "" if fits else "Install Python 3.11 or newer.")
    for name, use in _packages().items():
        here = find_spec(name) is not None
        remedy = "" if here else "Install reportgen with its dependencies: pip install reportgen"
        absent = NOTE if gpu and name not in _TO_COLLECT else MISSING
        yield (name, OK if here else absent, use if here else f"absent; {use}", remedy)


def _packages() -> dict[str, str]:
    """What is needed here, and for what: of the decoders the one of this machine's instruction set."""
    from reportgen.backends.cpu.isa import host

    decoder = _DECODERS.get(host())
    return _PACKAGES | ({decoder: "decodes them again"} if decoder else {})


def _suite() -> Iterator[Check]:
    from reportgen.suite.load import load_suite

    try:
        suite = load_suite()
    except UserError as error:
        yield ("suite", MISSING, error.message, error.remedy)
        return
    yield ("suite", OK, f"version {suite.version}, {len(suite.definitions)} definitions", "")


def _devices(found: list[Candidate]) -> Iterator[Check]:
    from reportgen.backends import registry

    targets = [one for one in found if one.selector.startswith(registry.TARGET)]
    devices = [one for one in found if one not in targets]
    absent = NOTE if any(not one.reason for one in devices) else MISSING
    for candidate in devices:
        name = f"device {candidate.selector}"
        if candidate.reason:
            yield (name, absent, candidate.reason, "See docs/contributing-a-device.md.")
            continue
        yield (name, OK, candidate.device.name, "")
        yield from _surroundings(candidate)
    here = [one.selector for one in targets if not one.reason]
    if here:
        yield ("targets", OK, ", ".join(here), "")
    for candidate in targets:
        if candidate.reason:
            yield (f"target {candidate.selector}", NOTE, candidate.reason, "")


def _surroundings(candidate: Candidate) -> Iterator[Check]:
    from reportgen.backends import registry

    backend = registry.get(candidate.selector)
    if candidate.device.backend == "cuda":
        yield from _bindings()
    counters = backend.counters(candidate.device)
    refused = counters.startswith(("unsupported", "not_permitted"))
    remedy = "Nothing to do: they only corroborate, no probe needs them." if refused else ""
    yield (f"counters {candidate.selector}", NOTE if refused else OK, counters, remedy)
    pages = str(backend.environment(candidate.device).get("huge_pages", ""))
    if "[never]" in pages:
        yield (
            "huge pages",
            NOTE,
            pages,
            "Allow them on request: echo madvise into transparent_hugepage/enabled.",
        )


def _bindings() -> Iterator[Check]:
    """Bindings to the CUDA driver: one is enough."""
    from reportgen.backends.cuda import binding, nvml

    rows = binding.available()
    enough = NOTE if any(not reason for _, _, reason in rows) else MISSING
    for name, release, reason in rows:
        found = reason or release or "here"
        yield (f"binding {name}", enough if reason else OK, found, binding.remedy(reason) if reason else "")
    lacks = str(nvml.read("").get("nvml_unknown", ""))
    absent = lacks.startswith("nvidia-ml-py")
    remedy = (
        "pip install nvidia-ml-py: clocks, temperature and power of the GPU are recorded." if absent else ""
    )
    yield ("nvml", NOTE if absent else OK, lacks if absent else "clocks, temperature, power", remedy)


def _machine() -> Iterator[Check]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    remedy = "" if cores > 1 else "Allow a second core, so that the runner does not share the measured one."
    yield ("cores allowed", OK if cores > 1 else NOTE, str(cores), remedy)
    load = os.getloadavg()[0]
    busy = load > 0.5 * cores
    remedy = "Stop other programs while measuring; samples that they disturb are rejected." if busy else ""
    yield ("load", NOTE if busy else OK, f"{load:.2f}", remedy)


def _folder(data: Path) -> Iterator[Check]:
    name, there = f"folder {data}", data
    try:
        while not there.exists():
            there = there.parent
        refused = not there.is_dir() or not os.access(there, os.W_OK)
    except OSError:  # a folder that may not be looked into, a name longer than the system takes
        refused = True
    if refused:
        yield (name, MISSING, f"'{there}' cannot be written", "Name another folder with --data DIR.")
        return
    free = shutil.disk_usage(there).free
    if free < ROOM_BYTES:
        yield (
            name,
            MISSING,
            f"{free >> 20} MiB free",
            "Free some space, or name another folder with --data DIR.",
        )
        return
    yield (name, OK, f"can be written, {free >> 30} GiB free", "")


def _caches() -> Iterator[Check]:
    """What is kept so that it need not be made again; more than its limit only while it is used."""
    from reportgen import caches
    from reportgen.cli.cache import places
    from reportgen.units import format_bytes

    try:
        most = caches.limit()
    except UserError as error:
        yield ("caches", MISSING, error.message, error.remedy)
        return
    for cache, folder in places():
        held = sum(entry.size for entry in caches.entries(cache, folder))
        remedy = "'reportgen cache --empty' removes it." if held > most else ""
        found = f"{format_bytes(held)} of {format_bytes(most)}"
        yield (f"cache {cache.name}", NOTE if held > most else OK, found, remedy)
