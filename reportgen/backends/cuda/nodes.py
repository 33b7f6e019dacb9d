"""What a kernel is passed of a chase: its nodes, as a texture or as offsets, and the first of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reportgen.backends.cuda.binding import Argument

if TYPE_CHECKING:
    from reportgen.backends.cuda.buffers import Passed

TEXELS = 1 << 16


def texture(made: Passed, rest: str) -> Argument:
    """A texture object: over the nodes of the chase (`indices`), or over texels that are their own index."""
    if rest == "indices" and made.chase is not None:
        size = made.chase.size(4)
        address = made.allocate(size)
        made.chase.write(made.binding, 4, address)
    else:
        size = 4 * TEXELS
        address = made.allocate(size)
        made.binding.write(address, np.arange(TEXELS, dtype=np.uint32).tobytes())
    made.textures.append(made.binding.texture(address, size))
    return made.textures[-1], 8


def offsets(made: Passed, _rest: str) -> Argument:
    """All nodes as offsets, which the kernel lays out on the chip itself."""
    assert made.chase is not None
    words = made.chase.words(4)
    made.facts["words"] = len(words)
    address = made.allocate(words.nbytes)
    made.binding.write(address, words.tobytes())
    return address, 8


def first(made: Passed, rest: str) -> Argument:
    """Where a launch starts: an address, or an index or offset."""
    assert made.chase is not None
    made.places["node"] = len(made.values)
    return made.chase.node, 8 if rest == "address" else 4
