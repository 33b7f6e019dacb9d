"""Records of a simulated probe and its points."""

from __future__ import annotations

from typing import Any

from reportgen.runs.schema import Point, ProbeInfo
from reportgen.status import Status
from tests.simulated.sampler import Timed

Asked = tuple[ProbeInfo, list[Timed]]
"""A probe and its points, each with its true duration."""


def point_id(probe: str, settings: dict[str, Any]) -> str:
    """`family/name#variable=value,other=value`."""
    return f"{probe}#" + ",".join(f"{key}={value}" for key, value in settings.items())


def ok_point(probe: str, settings: dict[str, Any], **fields: Any) -> Point:
    """A point that was measured."""
    return Point(
        id=point_id(probe, settings),
        probe=probe,
        settings=settings,
        status=Status.OK,
        stop="precise",
        **fields,
    )


def refused(probe: str, settings: dict[str, Any], status: Status, reason: str) -> Timed:
    """A point without samples."""
    return Timed(
        Point(id=point_id(probe, settings), probe=probe, settings=settings, status=status, reason=reason)
    )


def probe_info(probe: str, analysis: str, metric: str, unit: str, question: str, **fields: Any) -> ProbeInfo:
    """A probe; hypothesis and variable may be left out."""
    fields.setdefault("hypothesis", f"The samples answer: {question}")
    fields.setdefault("variable", "")
    return ProbeInfo(
        id=probe, family=probe.split("/")[0], question=question, analysis=analysis, metric=metric, unit=unit,
        **fields,
    )  # fmt: skip
