"""`reportgen count`: what a model computes and moves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from reportgen.cli import output
from reportgen.cli.numbers import Finite
from reportgen.errors import UserError

if TYPE_CHECKING:
    from reportgen.workload.breakdown import Share
    from reportgen.workload.count import Count


class Dimension(click.ParamType[tuple[str, int]]):
    """`name=size`."""

    name = "name=size"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        """Split at the last `=`; the size is a whole number."""
        if isinstance(value, tuple):
            return value
        name, _, size = str(value).rpartition("=")
        if not name or not size.strip().isdigit():
            self.fail(f"'{value}' is not name=size, as in batch=1", param, ctx)
        return name.strip(), int(size)


@click.command(
    "count",
    epilog="""\b
Examples:
  reportgen count model.onnx
  reportgen count model.onnx --dim batch=1 --dim seq=1024
  reportgen count model.onnx --by module --depth 2
  reportgen count model.onnx --json --strict""",
)
@click.argument("model", type=click.Path(path_type=Path))
@click.option("--dim", "dims", type=Dimension(), multiple=True, help="Size of an open dimension; repeatable.")
@click.option("--by", type=click.Choice(["module", "kind"]), help="Break the work down.")
@click.option("--depth", type=click.IntRange(1), default=1, show_default=True, help="Of module paths.")
@click.option(
    "--transcendental",
    "weight",
    type=Finite(0),
    default=1.0,
    show_default=True,
    help="FLOP that a call of exp, tanh and the like counts in the weighted total.",
)
@click.option(
    "--rules", type=click.Path(path_type=Path), help="Python file with rules for operations of your own."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--strict", is_flag=True, help="Fail if an operation cannot be counted.")
def command(
    model: Path,
    dims: tuple[tuple[str, int], ...],
    by: str | None,
    depth: int,
    weight: float,
    rules: Path | None,
    as_json: bool,
    strict: bool,
) -> None:
    """Count multiply-accumulates, other FLOP and bytes of MODEL, an ONNX file; its weights are not needed.

    Open dimensions get their size with --dim; one without a name is called INPUT.AXIS. What cannot be
    counted is named, and totals then read '>= x'.
    """
    from reportgen.workload.count import count

    check_there(model)
    if rules is not None:
        _load_rules(rules)
    counted = count(model, dict(dims), strict=strict)
    if as_json:
        click.echo(output.json_text(counted.to_json(depth)))
        return
    _totals(counted, weight)
    if by is not None:
        shares = counted.by_module(depth) if by == "module" else counted.by_kind()
        click.echo("")
        _breakdown(shares, by)


def check_there(model: Path) -> None:
    """Say that a model is not there before the packages that read it are looked for.

    Raises:
        UserError: it is not there, or the system refuses to look.
    """
    try:
        there = model.exists()
    except OSError as error:  # a folder that is not ours, a name longer than the system takes
        raise UserError(
            f"'{model}' cannot be read ({error.strerror}).", "Give the path of an ONNX file."
        ) from None
    if not there:
        raise UserError(f"There is no file '{model}'.", "Give the path of an ONNX file.")


def _load_rules(path: Path) -> None:
    """Run the user's file, which registers its rules."""
    try:
        code = compile(path.read_bytes(), str(path), "exec")
    except OSError as error:
        raise UserError(f"'{path}' cannot be read ({error.strerror}).", "Name a Python file.") from error
    except (SyntaxError, ValueError) as error:  # ValueError: a null byte, in Python 3.11
        raise UserError(f"'{path}' is no Python ({error}).", "Correct the file.") from error
    exec(code, {"__name__": path.stem, "__file__": str(path)})


def _totals(counted: Count, weight: float) -> None:
    from reportgen.units import format_bytes, significant
    from reportgen.workload.work import CONVENTION_FLOP, CONVENTION_MAC

    total, traffic, memory, attention = counted.total, counted.traffic, counted.memory, counted.attention
    least = "" if counted.exact else ">= "
    low, high = counted.intensity

    def number(value: float) -> str:
        return f"{least}{value:,.0f}"

    lines = [
        ("MAC", number(total.mac), CONVENTION_MAC.partition(": ")[2]),
        ("FLOP", number(total.flop_total), CONVENTION_FLOP.partition(";")[0]),
        ("  other FLOP", number(total.flop), "adds, products, divisions outside of MACs"),
        ("transcendental", number(total.transcendental), "calls of exp, tanh, sqrt, ..."),
        ("  FLOP with calls", number(total.weighted(weight)), f"at {weight:g} FLOP a call"),
        ("integer", number(total.integer), "operations on whole numbers outside of MACs"),
        ("comparison", number(total.comparison), "compares, maximum, minimum"),
        ("bytes, compulsory", f"{traffic.compulsory:,}", "inputs, weights, outputs once each"),
        ("bytes, unfused", f"{traffic.unfused:,}", "each operation through memory"),
        ("intensity", f"{least}{significant(low)} … {significant(high)}", "FLOP/byte, unfused … compulsory"),
        ("weights", format_bytes(memory.weights), "tied ones once"),
        ("activations", format_bytes(memory.activations), f"at most, in file order, at {memory.peak_at}"),
        ("key-value cache", format_bytes(memory.cache), "after the run"),
    ]
    if attention.expected:
        said = f"{len(attention.found)} of {attention.expected}, {attention.grouped} with grouped heads"
        lines.append(("attention found", said, ""))
        lines.append(("  its MAC, full", f"{attention.mac_full:,}", "this is in the total"))
        lines.append(
            ("  its MAC, causal", f"{attention.mac_causal:,}", "if each is causal and skips what is masked")
        )
    if len(counted.by_precision) > 1:
        lines += [
            (f"  MAC in {name}", f"{work.mac:,}", "")
            for name, work in counted.by_precision.items()
            if work.mac
        ]
    share = f"{counted.counted} of {len(counted.rows)} operations ({counted.coverage:.1%})"
    lines.append(("coverage", share, "" if counted.exact else "totals are lower bounds"))
    click.echo(counted.graph.name)
    width = max(len(value) for _, value, _ in lines)
    for name, value, note in lines:
        click.echo(f"  {name:20}{value:>{width}}  {note}".rstrip())
    for kind, (many, why) in counted.uncounted.items():
        click.echo(f"not counted: {many} x {kind}: {why}")
    for doubt in counted.doubts:
        click.echo(f"note: {doubt}")


def _breakdown(shares: dict[str, Share], by: str) -> None:
    from reportgen.workload.export import share_row

    rows = [{by: name, **share_row(share)} for name, share in shares.items()]
    columns = [by, "operations", "mac", "flop", "transcendental", "integer", "comparison", "bytes_unfused"]
    if any(row["uncounted"] for row in rows):
        columns.append("uncounted")
    output.show(rows, columns, as_json=False)
