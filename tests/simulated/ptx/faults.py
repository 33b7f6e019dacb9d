"""What may go wrong with a kernel: what a driver would report, and what it would not."""

from __future__ import annotations

ILLEGAL_ADDRESS, MISALIGNED, WRONG_SPACE, ILLEGAL_INSTRUCTION = 700, 716, 717, 715


class Fault(Exception):
    """What ends a launch with a code of the driver (`CUresult`)."""

    def __init__(self, code: int, what: str) -> None:
        super().__init__(f"{what} (error {code})")
        self.code = code
        self.what = what


class Wrong(Exception):
    """What a driver does not see.

    A value that nobody wrote, a barrier that not all reach, a wait without end, an argument of another size,
    an instruction that this executor does not know.
    """
