"""What a PCI Express link carries in one direction, behind its line code and before any header of a packet.

Transfers a second of a lane by generation, and the line code: 8b/10b in generations 1 and 2, 128b/130b in 3
to 5, from 6 on flits of 256 bytes of which 14 are for error correction and check (PCI Express Base
Specification 1.1, 2.1, 3.1, 4.0, 5.0, 6.0, 7.0, chapters on the physical layer).
"""

from __future__ import annotations

from collections.abc import Mapping

_OLD, _CODED, _FLIT = 8 / 10, 128 / 130, 242 / 256
LANE = {
    1: 2.5e9 * _OLD / 8,
    2: 5e9 * _OLD / 8,
    3: 8e9 * _CODED / 8,
    4: 16e9 * _CODED / 8,
    5: 32e9 * _CODED / 8,
    6: 64e9 * _FLIT / 8,
    7: 128e9 * _FLIT / 8,
}
"""Generation -> bytes a second of a lane."""


def carries(generation: int, lanes: int) -> float | None:
    """Bytes a second of a link in one direction; None for a generation that is not known, or no lanes."""
    return LANE[generation] * lanes if generation in LANE and lanes > 0 else None


def nominal(facts: Mapping[str, int | float | str]) -> dict[str, int | float]:
    """What is said of the link while it worked, and of the most that device and system allow.

    Args:
        facts: of a point: `pcie_generation`, `pcie_width`, the same with `_most`, `c2c_links`.

    Returns:
        those of the facts that are there, and `nominal` and `nominal_most` in bytes a second of one
        direction.  A device that NVLink-C2C joins to its processor does not copy over the PCIe link beside,
        so of it there is neither; of an unknown generation there is none either.
    """
    names = ("pcie_generation", "pcie_width", "pcie_generation_most", "pcie_width_most", "c2c_links")
    found: dict[str, int | float] = {name: int(facts[name]) for name in names if name in facts}
    if found.get("c2c_links"):
        return found
    for name, end in (("nominal", ""), ("nominal_most", "_most")):
        rate = carries(int(found.get(f"pcie_generation{end}", 0)), int(found.get(f"pcie_width{end}", 0)))
        if rate is not None:
            found[name] = rate
    return found
