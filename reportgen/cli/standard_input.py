"""Code that is piped in, where `-` stands for a file."""

from __future__ import annotations

import sys

WORD = "-"
"""What names the standard input, and `NAME` is what its code is called."""
NAME = "stdin"


def text() -> str:
    """All of the standard input.

    Raises:
        UserError: it is closed, cannot be read, or is no text.
    """
    from reportgen.errors import UserError
    from reportgen.model.cost.parse import decoded

    if sys.stdin is None:
        raise UserError("the standard input is closed.", "Pipe the code in, or name a file.")
    try:
        data = sys.stdin.buffer.read()
    except OSError as error:
        raise UserError(
            f"the standard input cannot be read ({error.strerror}).", "Pipe the code in, or name a file."
        ) from None
    return decoded(data, NAME)
