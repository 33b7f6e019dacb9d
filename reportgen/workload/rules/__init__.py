"""The rules: one file a family.  Every module of this folder is imported, and so registers its kinds."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from reportgen.workload.rules.registry import Uncountable, find, is_view, kinds, needs_shapes, recipe, rule
from reportgen.workload.work import Work

__all__ = ["Uncountable", "Work", "find", "is_view", "kinds", "needs_shapes", "recipe", "rule"]

for _family in iter_modules(__path__):
    import_module(f"{__name__}.{_family.name}")
