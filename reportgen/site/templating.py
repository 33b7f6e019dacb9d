"""Jinja2 with escaping on and no silent gaps: an undefined name is an error."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from reportgen.site.markup import Html

FOLDER = Path(__file__).parent / "templates"


@cache
def environment() -> Environment:
    """The one environment; templates are read again when they change, which helps while writing."""
    return Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def page(template: str, **values: object) -> str:
    """A whole page of Markdown; runs of blank lines are closed up."""
    text = environment().get_template(template).render(**values)
    return re.sub(r"\n{3,}", "\n\n", text).lstrip("\n").rstrip() + "\n"


def fragment(template: str, **values: object) -> Html:
    """A piece of HTML on one line."""
    text = environment().get_template(template).render(**values)
    return Html(re.sub(r"\s+", " ", text).strip())
