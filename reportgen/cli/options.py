"""Options that several commands have: the same name, default and words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def data_folder(names: str = "") -> Callable[[Command], Command]:
    """`--data`, the folder of the runs; `names` says which arguments are looked for in it."""
    where = f", where {names} in it" if names else ""
    return click.option(
        "--data",
        type=click.Path(path_type=Path),
        default=Path("data"),
        show_default=True,
        help=f"Folder of the runs{where}.",
    )
