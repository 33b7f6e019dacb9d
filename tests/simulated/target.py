"""A compiler's target on which nothing runs; what its programs become is the setting `how` of a point."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reportgen.backends.base import Build, Candidate, Source
from reportgen.runs.schema import EMULATED, Device, Program
from tests.simulated.faulty import Faulty

TARGET = Device("sm-90", "faulty", "Nobody", "sm_90 (toolchain only)", "sm_90", cores=0)

OUTCOMES = {
    "fine": ("ok", "verified", ""),
    "folded": ("invalid", "rejected", "wanted 32 LOP3, found 1: the compiler folded or merged steps"),
    "emulated": ("unsupported", "rejected", f"{EMULATED}this target has no FFMA2"),
    "not there": ("unsupported", "", "this target lacks it"),
    "not inspected": ("unverified", "unverified", "nvdisasm cannot read this cubin"),
    "crash": ("failed", "", "the process that compiled it ended without an answer"),
}
"""How -> status of the build, verdict of its program (empty: there is none), reason."""


class Toolchain(Faulty):
    """Every role of a backend that builds only."""

    name = "faulty"

    def __init__(self, device: Device = TARGET) -> None:
        super().__init__(device)
        self.jobs = 0
        self.sweeps = 0

    def discover(self) -> list[Candidate]:
        return [Candidate(self._device.isa, self._device)]

    def is_target(self, device: Device) -> bool:
        return device == self._device

    def members(self, selector: str) -> tuple[str, ...]:
        return ("sm_80", "sm_90") if selector == "sm_all" else (selector,)

    def batch_builder(self, device: Device) -> Toolchain:
        return self

    def build_many(self, sources: Sequence[Source], jobs: int, built: Callable[[str], None]) -> list[Build]:
        self.jobs = jobs
        for source in sources:
            built(source.point)
        return [_build(source) for source in sources]

    def sweep_faults(self, sweep: Sequence[tuple[Source, Build]]) -> dict[str, str]:
        self.sweeps += 1
        odd = [source.point for source, _ in sweep if source.setup.get("odd")]
        return dict.fromkeys(odd, "not the histogram of the sweep: also MOV")

    def point_facts(self, device: Device, source: Source, build: Build) -> dict[str, int | float | str]:
        return {"threads": 32}


def _build(source: Source) -> Build:
    status, verdict, reason = OUTCOMES[source.text]
    program = None
    if verdict:
        facts: dict[str, int | float | str] = {
            "registers": 12,
            "encoded_kind": "fixed",
            "encoded_distance": 4,
        }
        program = Program(
            f"sha of {source.text}",
            source.text,
            "FFMA",
            {"FFMA": 32},
            verdict,
            reason or "it is",
            facts=facts,
        )
    return Build(source.point, b"", program, status, reason, seconds={"build": 0.2, "verify": 0.1})
