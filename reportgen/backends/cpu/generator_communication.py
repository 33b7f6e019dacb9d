"""Threads that share lines: what their template needs and what the inspector shall find."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.backends.cpu.shared_lines import ADDITIONS, expectation
from reportgen.errors import Unsupported
from reportgen.suite.definition import PlannedPoint, Probe
from reportgen.suite.expand import pair_of

if TYPE_CHECKING:
    from reportgen.backends.cpu.generator import CpuGenerator, Parts


def shared(generator: CpuGenerator, _probe: Probe, point: PlannedPoint) -> Parts:
    """Threads that share lines, as the settings have it.

    Two hand a line to and fro (`pair`), or add to words of one or two lines (`distance`); any number of them
    add to one word, or read lines that others write (`cores`).
    """
    settings, device = point.settings, generator.device
    asked, features = str(settings["by"]), generator.device.features
    cores = int(settings.get("cores", 2))
    needed = max(cores, *(1 + at for at in pair_of(str(settings.get("pair", "0-0")))))
    if needed > device.cores:
        raise Unsupported(
            f"this asks for {needed} CPUs, of which this process may use {device.cores}"
            + ("; allow it another one (taskset, the control group's cpuset)" if device.cores == 1 else "")
        )
    work: dict[str, float]
    if "pair" in settings:
        rounds = int(settings["rounds"])
        made, units, what = generator.assembly.hand_over(asked, features), rounds, "hand_over"
        work = {"steps": 2.0 * rounds, "rounds": float(rounds)}
    elif asked == "read":
        made, units, what = generator.assembly.read_beside(), ADDITIONS, "read"
        work = {"steps": float(units)}
    else:
        made, units, what = generator.assembly.add_to(asked, features), ADDITIONS, "add"
        work = {"steps": float(units)}
    lines = made.body(units)
    expect = generator.expected([line for line in lines if not line.endswith(":")])
    expect |= {"kind": "shared", **expectation(made, units)}
    context = {
        "settings": settings,
        "threads": 1 if cores > 1 else 0,
        **{
            name: [f"  {line}" for line in some]
            for name, some in (("init", made.init), ("lines", lines), ("save", made.save))
        },
    }
    setup: dict[str, int | float | str] = {"kind": "shared", "what": what, "cores": cores, "units": units}
    return context, expect, work, setup | settings
