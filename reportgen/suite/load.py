"""Read the suite: probe definitions and instruction tables, strictly.

A broken file is one line that names the file, the key and what was expected; nothing is
guessed and no key is ignored.
"""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import msgspec

from reportgen.errors import ProbeDefinitionError
from reportgen.suite import forms
from reportgen.suite.definition import Definition, Operation, Span
from reportgen.suite.isa import localised
from reportgen.suite.location import probes_root
from reportgen.units import parse_size

T = TypeVar("T")

SUITE_VERSION = "1"
"""Raised when a change makes numbers of two suites not comparable."""

FAMILIES = (
    "instruction_latency",
    "instruction_throughput",
    "pipeline_interference",
    "memory_hierarchy",
    "out_of_order",
    "front_end",
    "core_communication",
    "gpu_execution",
    "gpu_synchronisation",
    "tensor_operations",
    "roofline",
    "host_link",
)

ANALYSES = frozenset(
    "slope plateau interference working_set pointer_chase line conflict tlb".split()
    + "bandwidth intensity peak sustained library banks distance warps window parallelism none".split()
    + "blocks pressure on_chip sectors cluster bulk tile launch read_sweep".split()
    + "link_copy link_load link_stream".split()
    + "waits meeting contention divergence".split()
    + "footprint misprediction taken_branches loop_rounds call_return".split()
    + "line_transfer false_sharing contended_atomic".split()
    + "store_to_load split alias replacement".split()
    + "prefetch_stride prefetch_run prefetch_near prefetch_streams".split()
)

REGISTER_CLASSES = frozenset("r16 r32 r64 xmm ymm zmm k tmm x v s d fragment".split())


@dataclass(frozen=True)
class Suite:
    """All definitions by id (`family/name`) and all instruction tables by ISA."""

    root: Path
    definitions: dict[str, Definition]
    tables: dict[str, dict[str, Operation]]
    digest: str
    """sha256 over every file of the suite, the identity that a resumed run must share."""
    version: str = SUITE_VERSION
    files: dict[str, Path] = field(default_factory=dict)


@dataclass(frozen=True)
class _Known:
    """What definitions may name, over all tables."""

    operations: frozenset[str]
    groups: frozenset[str]


def load_suite(root: Path | None = None) -> Suite:
    """Load every TOML file below `root` (default: the probes that came with the package).

    Raises:
        ProbeDefinitionError: a file is not TOML, a key is unknown, missing or of a wrong kind.
    """
    base = root if root is not None else probes_root()
    if not base.is_dir():
        raise ProbeDefinitionError(f"no probes at '{base}'.", "Name the folder that holds the families.")
    tables = {p.stem: _table(p, base) for p in sorted((base / "instructions").glob("*.toml"))}
    definitions: dict[str, Definition] = {}
    files: dict[str, Path] = {}
    known = _Known(
        frozenset(name for table in tables.values() for name in table),
        frozenset(row.group for table in tables.values() for row in table.values()),
    )
    for family in FAMILIES:
        for path in sorted((base / family).glob("*.toml")):
            name = f"{family}/{path.stem}"
            definitions[name] = _definition(path, base, known)
            files[name] = path
    return Suite(base, definitions, tables, _digest(base), files=files)


def _digest(base: Path) -> str:
    total = hashlib.sha256()
    for path in sorted(p for p in base.rglob("*") if p.suffix in (".toml", ".j2")):
        total.update(path.relative_to(base).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


def _toml(path: Path, base: Path) -> dict[str, object]:
    try:
        return _parsed(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _broken(path, base, "file", f"valid TOML ({error})") from None


@lru_cache(maxsize=512)
def _parsed(text: str) -> dict[str, object]:
    """Of a text that was read before, the same object: nobody changes it."""
    return tomllib.loads(text)


def _broken(path: Path, base: Path, key: str, expected: str) -> ProbeDefinitionError:
    return ProbeDefinitionError(f"probes/{path.relative_to(base).as_posix()}: {key}: expected {expected}.")


def _convert(value: object, kind: type[T], path: Path, base: Path, prefix: str = "") -> T:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        text = str(error)
        message, _, where = text.partition(" - at `$")
        key = where.rstrip("`").lstrip(".")
        for lead in ("Object contains unknown field `", "Object missing required field `"):
            if message.startswith(lead):
                name = message.removeprefix(lead).rstrip("`")
                key = f"{key}.{name}".lstrip(".")
                message = "no such key" if "unknown" in lead else "this key to be present"
        raise _broken(
            path, base, f"{prefix}{key}".rstrip(".") or "file", message.removeprefix("Expected ")
        ) from None


def _table(path: Path, base: Path) -> dict[str, Operation]:
    operations: dict[str, Operation] = {}
    for name, value in _toml(path, base).items():
        operation = _convert(value, Operation, path, base, f"{name}.")
        if not (operation.form or operation.latency or operation.throughput):
            raise _broken(path, base, name, "one of form, latency, throughput")
        if operation.registers not in REGISTER_CLASSES:
            raise _broken(path, base, f"{name}.registers", f"one of {', '.join(sorted(REGISTER_CLASSES))}")
        fault = forms.fault(path.stem, operation)
        if fault is not None:
            raise _broken(path, base, f"{name}.{fault[0]}", fault[1])
        operations[name] = operation
    for name, operation in operations.items():
        for companion in operation.companions:
            if companion not in operations:
                raise _broken(
                    path, base, f"{name}.companions", f"operations of this table, not '{companion}'"
                )
    return operations


def _definition(path: Path, base: Path, known: _Known) -> Definition:
    definition = _convert(_toml(path, base), Definition, path, base)
    _check(definition, path, base, known)
    for isa in definition.on:
        try:
            local = localised(definition, isa)
        except msgspec.ValidationError as error:
            raise _broken(path, base, f"on.{isa}", str(error)) from None
        _check(local, path, base, known)
    return definition


def _check(definition: Definition, path: Path, base: Path, known: _Known) -> None:
    if definition.analysis not in ANALYSES:
        raise _broken(path, base, "analysis", f"one of {', '.join(sorted(ANALYSES))}")
    for key, values in (("settings", definition.settings), ("quick", definition.quick)):
        for name, value in values.items():
            _setting(value, f"{key}.{name}", path, base)
    for one in definition.left_out:
        if not one or not one.keys() <= definition.settings.keys():
            raise _broken(path, base, "left_out", "tables whose keys are names in settings")
    if definition.variable not in definition.settings and not definition.classes and not definition.pairs:
        raise _broken(path, base, "variable", "the name of a key in settings")
    if definition.widest and not definition.settings.get("operation"):
        raise _broken(path, base, "widest", "a list of operations, narrowest first, in settings.operation")
    if definition.group and definition.group not in known.groups:
        raise _broken(path, base, "group", f"the group of an operation, not '{definition.group}'")
    for key, names in (
        ("operations", definition.operations),
        ("classes", definition.classes),
        ("pairs", tuple(name for pair in definition.pairs for name in pair)),
        ("settings.operation", definition.settings.get("operation", ())),
        ("quick.operation", definition.quick.get("operation", ())),
    ):
        for name in names:
            if name not in known.operations:
                raise _broken(path, base, key, f"operations of an instruction table, not '{name}'")


def _setting(value: object, key: str, path: Path, base: Path) -> None:
    if isinstance(value, list) and value and all(isinstance(v, int | float | str) for v in value):
        return
    if isinstance(value, dict):
        span = _convert(value, Span, path, base, f"{key}.")
        for bound in (span.low, span.high, span.step):
            try:
                if not bound.endswith("*llc"):
                    parse_size(bound)
            except ValueError as error:
                raise _broken(path, base, key, f"sizes: {error}") from None
        return
    if value in ("1..all", "pairs"):
        return
    raise _broken(path, base, key, 'a non-empty list, a table with low and high, "1..all" or "pairs"')
