"""`CITATION.cff` of a run: Citation File Format 1.2.0, of type `dataset`."""

from __future__ import annotations

import json

from reportgen import __version__
from reportgen.model.architecture import Architecture
from reportgen.model.exports import heading


def encode(architecture: Architecture, url: str = "") -> bytes:
    """The file as UTF-8; every text is quoted as JSON has it, which YAML reads alike.

    Args:
        architecture: of the run.
        url: address of the report, where it has one.
    """
    fields = {
        "cff-version": "1.2.0",
        "message": "If you use these numbers, please cite the run they come from.",
        "type": "dataset",
        "title": heading.title(architecture),
        "abstract": " ".join(f"{line.rstrip('.')}." for line in heading.lines(architecture)[1:]),
        "version": architecture.run,
        "date-released": architecture.created[:10],
        "license": heading.DATA_LICENCE,
        "url": url,
    }
    lines = [f"{key}: {json.dumps(text, ensure_ascii=False)}" for key, text in fields.items() if text]
    keywords = [architecture.device, architecture.isa, "microbenchmark", f"reportgen {__version__}"]
    lines += ["authors:", '  - name: "reportgen"']
    lines += ["keywords:", *(f"  - {json.dumps(word, ensure_ascii=False)}" for word in keywords)]
    return ("\n".join(lines) + "\n").encode()
