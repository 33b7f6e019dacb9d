"""Forms of x86-64 are tested where their decoder is installed: it has wheels for that machine only."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("iced_x86") else ["test_*.py"]
