"""What an operation computes: five columns that are never mixed.

Conventions, printed beside every total:

* `mac`: multiply-accumulates, padded taps included, no bias, norm or activation.  Whatever the type:
  an int8 product counts one MAC as a float32 product does, and the table by precision tells them apart.
* `flop`: all other floating-point arithmetic, one for each add, subtract, multiply, divide.
* `transcendental`: calls of exp, log, sin, tanh, erf, pow, sqrt and their like, one a call.
* `integer`: integer and bit arithmetic on data (not on shapes or addresses).
* `comparison`: compares, maximum and minimum.
"""

from __future__ import annotations

import msgspec

CONVENTION_MAC = "MAC: multiply-accumulates, padded taps included; no bias, norm or activation"
CONVENTION_FLOP = "FLOP = 2 MAC + other FLOP; transcendental calls, integer work and comparisons apart"
COLUMNS = ("mac", "flop", "transcendental", "integer", "comparison")


class Work(msgspec.Struct, frozen=True, gc=False):
    """Operations of one kind each; see the head of the module for what a column holds."""

    mac: int = 0
    flop: int = 0
    transcendental: int = 0
    integer: int = 0
    comparison: int = 0

    def __add__(self, other: Work) -> Work:
        return Work(
            self.mac + other.mac,
            self.flop + other.flop,
            self.transcendental + other.transcendental,
            self.integer + other.integer,
            self.comparison + other.comparison,
        )

    def __mul__(self, times: int) -> Work:
        """The same work `times` times."""
        return Work(
            self.mac * times,
            self.flop * times,
            self.transcendental * times,
            self.integer * times,
            self.comparison * times,
        )

    __rmul__ = __mul__

    @property
    def flop_total(self) -> int:
        """2 MAC + other FLOP: transcendental calls are not in it."""
        return 2 * self.mac + self.flop

    def weighted(self, transcendental: float = 1.0) -> float:
        """`flop_total` with each transcendental call at a weight; what it costs differs by device."""
        return self.flop_total + transcendental * self.transcendental


NOTHING = Work()
