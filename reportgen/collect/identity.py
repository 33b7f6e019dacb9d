"""What a run is called, and what made it."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

from reportgen import __version__
from reportgen.backends.base import Backend
from reportgen.runs.schema import Device


def name(now: datetime) -> str:
    """Id of a run that begins `now`: its folder name."""
    return f"{now.astimezone(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}"


def stamp(now: datetime) -> str:
    """A moment as manifests have it."""
    return now.astimezone(UTC).isoformat(timespec="seconds")


def tools(backend: Backend, device: Device) -> dict[str, str]:
    """Versions of what builds and inspects, reportgen's own among them."""
    return {"reportgen": __version__} | backend.toolchain(device)
