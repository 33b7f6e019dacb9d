"""What is kept of the words of a region to find races: who wrote each latest, and who read it since."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tests.simulated.ptx.clocks import Table


class Shadow:
    """Of every word of a region: who wrote it latest, who read it since, and when."""

    def __init__(self, size: int, unit: int) -> None:
        count = size // unit
        self.writer: Table = np.zeros(count, dtype=np.int32)
        """Agent plus one; 0: nobody in this launch."""
        self.written: Table = np.zeros(count, dtype=np.int32)
        self.strong: NDArray[np.bool_] = np.zeros(count, dtype=bool)
        """Whether by a volatile access or an atomic."""
        self.place: Table = np.zeros(count, dtype=np.int32)
        """Of the instruction that wrote."""
        self.written_to = self.read_from = False
        self.readers = [np.zeros(count, dtype=np.int32) for _ in range(2)]
        self.read = [np.zeros(count, dtype=np.int32) for _ in range(2)]
