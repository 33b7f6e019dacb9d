"""Where the command begins: Ctrl-C while it is being loaded, and a package that is missing, are one line.

No module but `sys`, which every interpreter has loaded, is imported before the guard stands.
"""

from __future__ import annotations

import sys

GONE = 141
"""Exit code where who reads the output went away, as shells have it of a program that SIGPIPE ends."""
INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""
MISSING = 3
"""Exit code where a package or memory is missing, as where a device cannot be used."""
FULL = 2
"""Exit code where the disk that output is sent to is full, as where a file cannot be written."""


def main() -> None:
    """Run the command line; one line and exit code 130 where it was interrupted before it could say more."""
    try:
        _occupy()
        from reportgen.threads import keep_one

        keep_one()
        from reportgen.cli.main import main as command

        command()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(INTERRUPTED)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "reportgen"):  # a fault of ours
            raise
        sys.stderr.write(
            f"error: the package '{package}' is not installed. Install reportgen with what it needs: "
            "pip install reportgen; 'reportgen doctor' lists what is here.\n"
        )
        sys.exit(MISSING)
    except MemoryError:
        sys.stderr.write(
            "error: there is not enough memory. Free some, or raise the limit of this process ('ulimit -v') "
            "or of its container; 'reportgen runs list' shows what is kept of a run.\n"
        )
        sys.exit(MISSING)
    except OSError as error:
        import errno
        import os

        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        sys.stderr.write(f"error: {os.strerror(error.errno)}. Make room, or send the output elsewhere.\n")
        drop_output()
        sys.exit(FULL)


def drop_output() -> None:
    """Let what standard output still holds, and all that follows, go nowhere."""
    import os

    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _occupy() -> None:
    """Standard streams that a shell closed (`>&-`) are open to nowhere.

    Else the next file that is opened, a journal perhaps, would get the number of one, and what is said would
    be written into it.
    """
    import os

    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest number that is free
            if name != "stdin":  # that it is closed is told
                setattr(sys, name, open(number, "w", encoding="utf-8", closefd=False))  # noqa: SIM115
