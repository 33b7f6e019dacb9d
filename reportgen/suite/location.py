"""Where the suite lies: beside the package in a checkout, inside it in a wheel."""

from __future__ import annotations

from pathlib import Path

from reportgen.errors import UserError


def probes_root(package: Path | None = None) -> Path:
    """The folder that holds the families and `instructions/`.

    A wheel carries it as `reportgen/_probes`; a checkout (and so an editable install) has it as
    `probes/` beside the package.  The wheel's copy is asked for first: a folder that happens to be
    called `probes` may lie in site-packages too.

    Args:
        package: folder of the package; this one's where not given.

    Raises:
        UserError: neither is there, as when the package folder was copied by hand.
    """
    package = package or Path(__file__).resolve().parents[1]
    shipped, checkout = package / "_probes", package.parent / "probes"
    for root in (shipped, checkout):
        if (root / "instructions").is_dir():
            return root
    raise UserError(
        f"The suite is missing: neither {shipped} nor {checkout} holds 'instructions/'.",
        "Install reportgen from its wheel or with 'pip install -e .' in a checkout.",
    )
