"""The clock of the recorded run."""

from __future__ import annotations

from reportgen.backends.base import ClockConstants
from reportgen.runs.schema import ClockRecord


def constants(record: ClockRecord) -> ClockConstants:
    """Constants of the frame that took the recorded samples."""
    return ClockConstants(
        calibration_cycles=record.calibration_cycles,
        canary_instructions=record.canary_instructions,
        agreement=record.agreement,
        canary_share=record.canary_share,
        note=record.note,
    )
