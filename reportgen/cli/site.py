"""`reportgen site`: the runs as a site, without a checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click

from reportgen.cli.options import data_folder
from reportgen.errors import UserError


@click.command(
    "site",
    epilog="""\b
Examples:
  reportgen site                            ./data into ./site
  reportgen site --data runs/ --out html/   other folders
  reportgen site --serve                    show it at http://127.0.0.1:8000, and follow new runs""",
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
def command(data: Path, out: Path, serve: bool) -> None:
    """Build the site of all runs: one report a device, comparisons, method pages.

    In a checkout, 'make site' and 'make serve' do the same. For a site of your own, put the plugin
    'reportgen' into its mkdocs.yml.
    """
    from reportgen.site import project

    settings = project.write(data, None if serve else out, project.CACHE, project.root())
    words = ["serve", "--livereload"] if serve else ["build", "--quiet", "--clean"]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "mkdocs", *words, "--config-file", str(settings)],
            env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},  # a banner of the theme
            check=False,
        )
    except KeyboardInterrupt:
        if serve:
            return
        raise
    if done.returncode:
        raise UserError("MkDocs ended with the fault above.", "'reportgen runs verify' checks the runs.")
    if not serve:
        click.echo(f"The report is in {out / 'index.html'}.")
