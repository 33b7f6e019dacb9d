"""What an instruction set is called in the suite, and how it changes a definition.

Every compute target of a GPU (`sm_90`) is spelled in one table, `cuda`: which operations a target has,
and what they become there, is said row by row.
"""

from __future__ import annotations

from typing import Any

import msgspec

from reportgen.suite.definition import Definition


def table_of(isa: str) -> str:
    """Name of the instruction table, and of the key in `isas` and `on`: `sm_90` -> `cuda`."""
    return "cuda" if isa.startswith("sm_") else isa


def asked(definition: Definition, isa: str) -> bool:
    """Whether a definition is asked on an instruction set at all; elsewhere it ends `unsupported`."""
    return not definition.isas or table_of(isa) in definition.isas


def localised(definition: Definition, isa: str) -> Definition:
    """The definition as its table `[on.<isa>]` changes it; what that does not name stays.

    Settings given there replace all of the general ones, and so the quick ones too.

    Raises:
        msgspec.ValidationError: a key there is none of a definition, or of a wrong kind.
    """
    changed = definition.on.get(table_of(isa))
    if changed is None:
        return definition
    general: dict[str, Any] = msgspec.to_builtins(definition)
    if "settings" in changed:
        general["quick"] = {}
    return msgspec.convert(general | changed | {"on": {}}, Definition)
