"""Function of numpy -> its traced form, with the same arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Form = Callable[..., Any]
FUNCTIONS: dict[Any, Form] = {}


def traces(*functions: Any) -> Callable[[Form], Form]:
    """Register the decorated function as the traced form of `functions`."""

    def register(form: Form) -> Form:
        for function in functions:
            FUNCTIONS[function] = form
        return form

    return register
