"""Options that several commands have: the same name, default and words."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from reportgen.cli.numbers import Finite
from reportgen.errors import UserError

if TYPE_CHECKING:
    from reportgen.collect.runner import Options

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


def some_of(name: str, what: str) -> Callable[[Command], Command]:
    """An option that chooses among what is measured: patterns with commas, or the option once for each.

    The command gets one text, `*` where nothing was chosen.
    """

    def together(_ctx: click.Context, _option: click.Parameter, said: tuple[str, ...]) -> str:
        return ",".join(said) or "*"

    return click.option(
        name,
        "glob",
        multiple=True,
        metavar="GLOB",
        callback=together,
        help=f"Only these: {what}; several with commas, or said again.  [default: *]",
    )


@dataclass(frozen=True)
class Measuring:
    """What a command that measures was told, whatever it measures."""

    data: Path
    selector: str
    resume: str
    seed: int | None
    passes: int | None
    max_seconds: float | None
    supersedes: str

    def options(self, glob: str, *, quick: bool = False) -> Options:
        """The same for the collector, with the pattern of what is measured.

        Raises:
            UserError: a run that goes on shall correct another; that was settled when it began.
        """
        if self.resume and self.supersedes:
            raise UserError(
                "--supersedes is said when a run begins, and --resume goes on with one.",
                "Leave one of them out.",
            )
        # Imported here: `--help` needs none of it.
        from reportgen.collect.runner import Options

        return Options(
            data=self.data,
            selector=self.selector,
            glob=glob,
            quick=quick,
            seed=self.seed,
            passes=self.passes,
            resume=self.resume,
            supersedes=self.supersedes,
            max_seconds=self.max_seconds or 0.0,
        )


def measuring(run: str, visited: str, passes: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The options of a command that measures; the command gets them as `asked`, a `Measuring`.

    Args:
        run: what comes of it (`run`), as the help says it.
        visited: of what a pass visits each (`point`).
        passes: how many there are without the option.
    """
    added = [
        click.option("--device", "selector", default="", help="As 'reportgen devices' names it.  [cpu]"),
        data_folder(),
        click.option(
            "--resume",
            is_flag=False,
            flag_value="latest",
            default="",
            metavar="[RUN]",
            help=f"Go on with an interrupted {run}, the latest if none is named, as it began.",
        ),
        click.option("--seed", type=int, default=None, help="Seed of the random order.  [drawn anew]"),
        click.option(
            "--passes",
            type=click.IntRange(1, 90),
            default=None,
            help=f"Visits of every {visited}.  [{passes}]",
        ),
        click.option(
            "--max-seconds",
            type=Finite(min=0, min_open=True),
            default=None,
            metavar="N",
            help="Stop measuring after so long; what is not reached is skipped, and can be resumed.",
        ),
        click.option(
            "--supersedes",
            default="",
            metavar="RUN",
            help=f"Id of the {run} of this device that this one corrects.",
        ),
    ]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def gathered(*words: Any, **told: Any) -> None:
            asked = Measuring(**{name: told.pop(name) for name in Measuring.__dataclass_fields__})
            command(*words, asked=asked, **told)

        for option in reversed(added):  # click lists the last one applied first
            gathered = option(gathered)
        return gathered

    return decorate
