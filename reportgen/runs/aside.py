"""Runs that stand beside those of the suite, and what is asked of them by mistake."""

from __future__ import annotations

from reportgen.errors import BundleError
from reportgen.runs.schema import ASIDE, SURVEY, VALIDATION, Run
from reportgen.runs.store import KINDS

_INSTEAD = {
    SURVEY: "'reportgen survey --run {run}' shows it, and writes it with --out DIR",
    VALIDATION: "'reportgen validate --run {run}' shows it, and writes it with --out DIR",
}
_OTHERS = "'reportgen runs show {run}' shows it"


def refuse(run: Run, what: str) -> None:
    """Nothing for a run of the suite and a toolchain run.

    Args:
        run: of any kind.
        what: is made of runs of the suite alone: `findings`, `a roofline`.

    Raises:
        BundleError: it is a run of another kind: a survey, a validation.
    """
    kind = str(run.plan.get("kind", ""))
    if kind in ASIDE:
        instead = _INSTEAD.get(kind, _OTHERS).format(run=run.run)
        raise BundleError(
            f"{run.run} is a {KINDS[kind]}, and {what} is made of runs of the suite.",
            f"{instead}; or name '{run.device.id}', which means its newest run of the suite.",
        )
