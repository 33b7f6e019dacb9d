"""`reportgen site`: the runs as a site, without a checkout."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import click

from reportgen.cli.options import data_folder
from reportgen.errors import UserError

REFUSED = re.compile(
    r"^\w*Error: \[Errno \d+\] (?P<why>[^:\n]+)(?:: (?:'[^'\n]+' -> )?'(?P<path>[^'\n]+)')?\s*\Z",
    re.MULTILINE,
)
"""Last line of a traceback of MkDocs when a disk is full or a folder is not the user's."""

HOST = "127.0.0.1"


@click.command(
    "site",
    epilog="""\b
Examples:
  reportgen site                            ./data into ./site
  reportgen site --data runs/ --out html/   other folders
  reportgen site --serve                    show it at http://127.0.0.1:8000, and follow new runs
  reportgen site --serve --port 8001        where something else answers there""",
)
@data_folder()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("site"),
    show_default=True,
    help="Folder to build into; it is emptied first, if MkDocs has built it.",
)
@click.option("--serve", is_flag=True, help="Serve instead of building; Ctrl-C ends it.")
@click.option(
    "--port", type=click.IntRange(1, 65535), default=8000, show_default=True, help="With --serve: where."
)
def command(data: Path, out: Path, serve: bool, port: int) -> None:
    """Build the site of all runs: one report a device, comparisons, method pages.

    In a checkout, 'make site' and 'make serve' do the same. For a site of your own, put the plugin
    'reportgen' into its mkdocs.yml.
    """
    from reportgen.site import project

    settings = project.write(data, None if serve else out, project.CACHE, project.root())
    words = ["build", "--quiet", "--clean"]
    if serve:
        _free(port)
        words = ["serve", "--livereload", "--dev-addr", f"{HOST}:{port}"]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "mkdocs", *words, "--config-file", str(settings)],
            env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},  # a banner of the theme
            stderr=None if serve else subprocess.PIPE,
            check=False,
        )
    except KeyboardInterrupt:
        if serve:
            return
        raise
    told = (done.stderr or b"").decode(errors="replace")
    refused = REFUSED.search(told) if done.returncode else None
    if refused is not None:
        raise UserError(
            f"'{refused['path'] or out}' cannot be read or written ({refused['why']}).",
            "Make room or name another folder with --out.",
        )
    click.echo(told, err=True, nl=False)
    if done.returncode:
        raise UserError("MkDocs ended with the fault above.", "'reportgen runs verify' checks the runs.")
    if not serve:
        click.echo(f"The report is in {out / 'index.html'}.")


def _free(port: int) -> None:
    """Raises UserError where the port is taken, or is not this user's, before minutes of building."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise UserError(
                f"nothing can be served at {HOST}:{port} ({error.strerror}).", "Name another --port."
            ) from None
