"""`python -m reportgen`: the command line, where the package is not installed but on the path."""

from reportgen.cli.entry import main

main()
