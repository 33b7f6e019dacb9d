"""Write down what every policy predicts for the sequences of the suite.

    python -m tests.data.replacement.record

Reads the sequences from the probe's definition, simulates all policies on each, and writes
`reportgen/analysis/replacement_predicted.json`, so that no report has to simulate them again.
"""

from __future__ import annotations

import json

from reportgen.analysis.replacement import RECORD
from reportgen.suite.load import load_suite
from tests.data.replacement.search import predicted

PROBE = "memory_hierarchy/replacement_policy"
DIGITS = 4


def recorded(ways: int, sequence: str) -> list[list[float]]:
    """Shares of one sequence, in the order of `replacement_policies.candidates`."""
    shares = predicted(ways, tuple(map(int, sequence.split())))
    return [[round(low, DIGITS), round(high, DIGITS)] for low, high in shares.values()]


def main() -> None:
    """Simulate all and write the record."""
    asked = load_suite().definitions[PROBE].constants["sequences"]
    found = {
        ways: {text: recorded(int(ways), text) for text in some.values()} for ways, some in asked.items()
    }
    lines = [
        f' "{ways}": {{\n'
        + ",\n".join(f"  {json.dumps(text)}: {json.dumps(shares)}" for text, shares in some.items())
        + "\n }"
        for ways, some in found.items()
    ]
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
