"""Where the command begins: Ctrl-C while the command line is still being loaded ends it quietly.

No module but `sys`, which every interpreter has loaded, is imported before the guard stands.
"""

from __future__ import annotations

import sys

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""


def main() -> None:
    """Run the command line; one line and exit code 130 where it was interrupted before it could say more."""
    try:
        from reportgen.cli.main import main as command

        command()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(INTERRUPTED)
