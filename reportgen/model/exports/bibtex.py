"""A bibliography entry for a run: `@misc`, which BibTeX and biblatex both know."""

from __future__ import annotations

from reportgen import __version__
from reportgen.model.architecture import Architecture
from reportgen.model.exports import heading

_SPECIAL = str.maketrans({"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}"} | {c: f"\\{c}" for c in "&%$#_"})


def encode(architecture: Architecture, url: str = "", digest: str = "") -> bytes:
    """The entry as UTF-8.

    Args:
        architecture: of the run.
        url: address of the report, where it has one.
        digest: sha256 of the run's manifest, which pins the data.
    """
    suite = architecture.suite or "?"
    pinned = f"sha256 of run.json: {digest}; " if digest else ""
    fields = {
        "author": "{reportgen}",  # an organisation: BibTeX takes braces for a name that is not to be split
        "title": _text(heading.title(architecture)),
        "year": architecture.created[:4],
        "month": architecture.created[5:7],
        "version": _text(architecture.run),
        "howpublished": _text(f"reportgen {__version__}, suite {suite}"),
        "url": url,
        "note": _text(
            f"Device {architecture.device}, {architecture.isa}; run of {architecture.created[:10]}; "
            f"{pinned}data licence {heading.DATA_LICENCE}"
        ),
    }
    body = [f"  {name:<12} = {{{text}}}," for name, text in fields.items() if text]
    key = f"reportgen-{architecture.device}-{architecture.run}"
    return "\n".join([f"@misc{{{key},", *body, "}", ""]).encode()


def _text(text: str) -> str:
    return text.translate(_SPECIAL)
