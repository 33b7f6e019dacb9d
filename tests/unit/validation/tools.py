"""Programs that answer as llvm-mca and OSACA do, written into a folder."""

from __future__ import annotations

import sys
from pathlib import Path

MCA = """#!{python}
import sys
if "--version" in sys.argv:
    print("LLVM (http://llvm.org/):\\n  LLVM version {version}\\n  Host CPU: znver9")
    sys.exit()
text = sys.stdin.read()
assert "-mcpu=native" in sys.argv and "# LLVM-MCA-BEGIN" in text
if "zmm" in text:
    print("warning: odd\\n<stdin>:3:1: error: found an unsupported instruction.", file=sys.stderr)
    sys.exit(1)
body = text.partition("loop:\\n")[2].partition("\\n#")[0].splitlines()
print("Iterations:        1000\\nTotal Cycles:      " + str(round(1000 * len(body) * {each})))
"""
REGIONS = """#!{python}
import re, sys
if "--version" in sys.argv:
    print("LLVM (http://llvm.org/):\\n  LLVM version {version}\\n  Host CPU: znver9")
    sys.exit()
rounds = int(next(word for word in sys.argv if word.startswith("-iterations=")).partition("=")[2])
bodies = re.findall(r"# LLVM-MCA-BEGIN r[0-9]+\\n(.*?)\\n# LLVM-MCA-END", sys.stdin.read(), re.DOTALL)
for number, body in enumerate(bodies):
    lines = body.splitlines()
    if any(line.startswith("{lacks} ") for line in lines):
        print("error: found an unsupported instruction in the input.\\nnote: instruction: x", file=sys.stderr)
        sys.exit(1)
    print(f"[{{number}}] Code Region - r{{number}}\\n")
    print(f"Total Cycles:      {{3 + rounds * {each} * len(lines)}}\\n")
"""
"""Answers about regions: cycles of a line, and a mnemonic that it lacks."""
OSACA = """#!{python}
import pathlib, sys
if "--version" in sys.argv:
    print("osaca {version}")
    sys.exit()
text = pathlib.Path(sys.argv[-1]).read_text()
assert "--ignore-unknown" in sys.argv and "%" in text
body = text.partition("loop:\\n")[2].partition("\\n#")[0].splitlines()
for number, line in enumerate(body):
    mark = "X" if line.startswith(("movz", "popcnt")) else " "
    print(f"{{number:4}} | 0.25 |      ||  8.0 |  4.0 | {{mark}} {{line}}")
out = pathlib.Path(sys.argv[sys.argv.index("--yaml-out") + 1])
pressure = {each} * len(body)
out.write_text(
    "Kernel:\\n- PortPressure: {{'0': 99.0}}\\n"
    "Summary:\\n  CriticalPath: 8.0\\n  LCD: 1.0\\n"
    f"  PortPressure: {{{{'0': 0.5, 1D: {{pressure}},\\n    '2': 0.25}}}}\\n"
    "Target:\\n  Name: ZEN4\\n"
)
"""


def write(folder: Path, name: str, text: str, **values: object) -> Path:
    """An executable script."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / name
    place.write_text(text.format(python=sys.executable, **values))
    place.chmod(0o755)
    return place
