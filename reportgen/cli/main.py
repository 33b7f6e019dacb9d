"""The command line: one file a command, loaded when it is called.

`reportgen --help` must not wait for numpy, so the group knows its commands by name and short help
only.  A `UserError` becomes one line and its exit code; anything else is a fault and keeps its
traceback.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click
from click.exceptions import NoSuchCommand

from reportgen import __version__
from reportgen.cli import plain
from reportgen.cli.entry import GONE, INTERRUPTED, drop_output
from reportgen.errors import UserError

COMMANDS = {
    "collect": "Measure a device: one run into the data folder.",
    "devices": "What can be measured here, and why something cannot.",
    "probes": "The questions of the suite.",
    "runs": "The runs in the data folder: list, show, verify.",
    "site": "The runs as a site, one report a device.",
    "derive": "Findings, metrics and the architecture model of a run.",
    "export": "The model of a run as a file that another program reads.",
    "cost": "What a loop body costs on a device, and which of two costs less.",
    "measure": "Your own code, measured on this CPU: cycles a round.",
    "validate": "How far the cost model is off on real loops, measured here.",
    "survey": "Every instruction form of this CPU: latencies and throughput.",
    "roofline": "Where kernels, yours or the run's, stand under its roofs.",
    "compare": "Two runs: same, faster or slower, metric by metric.",
    "count": "Count FLOP and bytes of a model in an ONNX file.",
    "selfcheck": "Compare the counting of work with known right values.",
    "cache": "What is kept to be quick the next time, and how large.",
    "doctor": "What is missing on this machine, and the remedy.",
    "schema": "Write the JSON Schemas of runs and of what is derived.",
}
"""Name -> short help; the command itself is `reportgen.cli.<name>:command`."""


class Commands(click.Group):
    """A group whose commands are imported one at a time."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the work."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"reportgen.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; of a wrong word the nearest right ones are told."""
        try:
            return super().resolve_command(ctx, args)
        except NoSuchCommand as error:
            raise NoSuchCommand(error.command_name, possibilities=COMMANDS, ctx=ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what the user can put right is said in one line."""
        plain.settle()
        try:
            return super().invoke(ctx)
        except UserError as error:
            label = "" if error.exit_code == INTERRUPTED else "error: "
            click.echo(" ".join(f"{label}{error}".split()), err=True)
            ctx.exit(error.exit_code)
        except BrokenPipeError:  # `| head`: click would say 1, which here is a fault or a difference
            drop_output()
            ctx.exit(GONE)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(INTERRUPTED)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Begin with 'reportgen doctor', then 'reportgen collect'. Read the result with 'reportgen site'.",
)
@click.version_option(__version__, prog_name="reportgen", message="%(prog)s %(version)s")
def main() -> None:
    """Ask a processor what it does, and report it no stronger than the evidence."""
