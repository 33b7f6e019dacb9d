"""What was measured, asked and answered in the recorded run."""

from __future__ import annotations

from reportgen.backends.base import Candidate
from reportgen.backends.recording import Recording
from reportgen.runs.read import Bundle


def discover(path: str, bundle: Bundle) -> list[Candidate]:
    """The recorded device, as it was; it cannot answer where nothing was timed."""
    reason = "nothing was timed in that run, so there are no samples to replay"
    return [Candidate(f"replay:{path}", bundle.run.device, reason if bundle.run.toolchain_only else "")]


def recording(bundle: Bundle) -> Recording:
    """Questions and order of the recorded run."""
    columns = bundle.columns()
    visits = set(zip(columns["order"], columns["pass"], columns["point"], strict=True))
    return Recording(bundle.run, tuple(sorted(visits)))
