"""Whether a bulk copy brought what lay where it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from reportgen.backends.cuda.binding import Binding
    from reportgen.backends.cuda.buffers import Passed

FROM, TO = "array:from", "array:to"
"""Words of the arguments: what is copied, and where a kernel leaves it in the end."""


def fault(binding: Binding, passed: Passed) -> str:
    """What is wrong with the copy; nothing where the kernel has no such two arrays, or they are equal.

    Both hold random bytes of their own before the first launch.
    """
    words = [word.strip() for word in str(passed.setup.get("arguments", "")).split(";")]
    if FROM not in words or TO not in words:
        return ""
    size = int(passed.setup["bytes"])
    held = [
        np.frombuffer(binding.read(passed.values[words.index(word)][0], size), np.uint8)
        for word in (FROM, TO)
    ]
    off = int(np.count_nonzero(held[0] != held[1]))
    return f"{off} of {size} bytes are not those that were copied" if off else ""
