"""Bodies of loads and stores whose places are part of the machine code: what template and inspector need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.backends.cpu.accesses import case_of, expectation
from reportgen.suite.definition import PlannedPoint, Probe

if TYPE_CHECKING:
    from reportgen.backends.cpu.generator import CpuGenerator, Parts


def accesses(generator: CpuGenerator, _probe: Probe, point: PlannedPoint) -> Parts:
    """A store and a load (`case`), a load behind a store elsewhere (`distance`), or one access (`place`)."""
    settings, features = point.settings, generator.device.features
    length = int(settings["length"])
    work: dict[str, float] = {"steps": float(length)}
    expect: dict[str, int | str] = {"kind": "list"}
    if "case" in settings:
        case = case_of(str(settings["case"]))
        made = generator.assembly.store_to_load(case, length, features)
        expect = {"kind": "store_to_load"}
        work |= {"store_bytes": case.store.size, "load_bytes": case.load.size, "offset": case.offset}
    elif "distance" in settings:
        made = generator.assembly.alias(int(settings["distance"]), length)
        expect = {"kind": "beside"}
    else:
        asked = str(settings["access"])
        made = generator.assembly.split(asked, str(settings["place"]), length, features)
        if asked.endswith("_latency"):
            expect = {"kind": "chain", "chains": 1}
    expect |= generator.expected(list(made.body)) | expectation(made)
    context = {"settings": settings, "init": made.init, "lines": made.body}
    return context, expect, work, {"kind": "body"}
