"""Derived results kept by content: a bundle that has been derived before is not derived again.

The key is a digest of every byte of the bundle and of the source of the stages that derive, so a
changed run and a changed rule are both derived anew.  What is kept is JSON.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import msgspec

import reportgen
from reportgen import caches
from reportgen.analysis.quantity import Quantity
from reportgen.errors import ReportgenError
from reportgen.findings.finding import Finding
from reportgen.findings.hypotheses import Conclusion
from reportgen.findings.published import library
from reportgen.model.architecture import Architecture
from reportgen.model.exports import registry
from reportgen.runs import read
from reportgen.runs.read import Bundle
from reportgen.runs.schema import MANIFEST, PROGRAMS, SAMPLES
from reportgen.site.files import write_if_changed
from reportgen.site.report import Download, Report

log = logging.getLogger(__name__)

STAGES = ("runs", "analysis", "roofline", "findings", "model")
"""Folders whose source decides what is derived."""

KEPT = "result.json"
EXPORTS = {one.file: one.what for one in registry.EXPORTS.values()} | {
    "findings.json": "findings with claim level, confidence, alternatives and evidence",
    "metrics.csv": "one row a metric: value, interval, unit, n, status, claim, confidence",
    "dictionary.json": "definition of every metric: unit, method, caveat",
}
RAW = {
    SAMPLES: "raw samples, one row each, rejected ones included",
    MANIFEST: "manifest: device, environment, plan, points with status and reason",
    PROGRAMS: "source, machine code listing and inspection of every program",
}


FAULTS = 5
"""So many faults of a bundle are told on its page; `reportgen runs verify` tells all."""


class Result(msgspec.Struct, frozen=True):
    """What is kept of one bundle."""

    quantities: tuple[Quantity, ...]
    findings: tuple[Finding, ...]
    architecture: Architecture
    conclusions: dict[str, Conclusion]


class Unreadable(Exception):
    """A bundle that gives no report; the message is fit for a public page."""


@contextmanager
def deriving(path: Path) -> Iterator[None]:
    """Around what derives from the bundle at `path`: one odd bundle must not take the whole site with it.

    Raises:
        Unreadable: the bundle is not as it was sealed, or deriving fails.
        ReportgenError: what deriving itself says of the bundle.
    """
    from reportgen.runs import verify

    faults = verify.verify(path)
    if faults:
        more = f"; and {len(faults) - FAULTS} more" if len(faults) > FAULTS else ""
        raise Unreadable("; ".join(faults[:FAULTS]) + more)
    try:
        yield
    except ReportgenError:
        raise
    except Exception as error:
        log.debug("deriving %s failed", path, exc_info=True)
        raise Unreadable(f"it cannot be derived ({type(error).__name__}: {error})") from error


def beside(path: Path, folder: Path, made: Mapping[str, str]) -> dict[str, tuple[Path, str]]:
    """What may be taken of a run at `path` and of what was `made` of it: name -> where it lies, and what."""
    derived = {name: (folder / name, what) for name, what in made.items()}
    return derived | {name: (path / name, what) for name, what in RAW.items()}


@dataclass
class Results:
    """The store, `folder`, and what one process remembers of files it has read."""

    folder: Path
    digests: dict[Path, tuple[tuple[int, int], str]] = field(default_factory=dict)
    reports: dict[str, Report] = field(default_factory=dict)

    def report(self, path: Path) -> Report:
        """The report of the bundle at `path`, from memory, from disk or derived.

        Raises:
            Unreadable: the bundle is truncated, edited, of a newer schema, or cannot be derived.
        """
        try:
            key = self.key(path)
            if key not in self.reports:
                self.reports[key] = self._load(path, key)
            caches.touch(self.folder / key / KEPT)
            return self.reports[key]
        except (ReportgenError, OSError) as error:
            raise Unreadable(_public(str(error), path)) from None

    def missing(self, paths: Iterable[Path]) -> list[Path]:
        """Those of some bundles of which nothing is kept yet."""
        return [
            path
            for path in paths
            if (key := self.key(path)) not in self.reports and not (self.folder / key / KEPT).is_file()
        ]

    def key(self, path: Path) -> str:
        """Digest of the bundle and of the code that derives from it."""
        parts = [self.digest(path / name) for name in (MANIFEST, SAMPLES, PROGRAMS)]
        return hashlib.sha256("".join([_code(), *parts]).encode()).hexdigest()[:32]

    def digest(self, path: Path) -> str:
        """sha256 of a file, read again only when its size or time stamp changed."""
        try:
            found = path.stat()
        except OSError:
            return "missing"
        mark = (found.st_size, found.st_mtime_ns)
        if self.digests.get(path, (None, ""))[0] != mark:
            self.digests[path] = (mark, hashlib.sha256(path.read_bytes()).hexdigest())
        return self.digests[path][1]

    def _load(self, path: Path, key: str) -> Report:
        bundle = read.load(path)
        folder = self.folder / key
        try:
            result = msgspec.json.decode((folder / KEPT).read_bytes(), type=Result)
        except (FileNotFoundError, msgspec.DecodeError):
            result = self._derive(read.Bundle(path, bundle.run), folder)
        return Report(
            run=bundle.run,
            architecture=result.architecture,
            quantities=result.quantities,
            findings=result.findings,
            downloads=self._downloads(path, folder),
            digest=self.digest(path / MANIFEST),
            conclusions=result.conclusions,
            bundle=bundle,  # not the one that was derived from: that holds all samples
        )

    def _derive(self, bundle: Bundle, folder: Path) -> Result:
        # Imported here: deriving needs pandas and scipy, showing what was derived does not.
        from reportgen.model import derive
        from reportgen.model.exports import csv, dictionary, json

        with deriving(bundle.path):
            derived = derive.derive_bundle(bundle)
        result = Result(derived.quantities, derived.findings, derived.architecture, derived.conclusions)
        exports = registry.files(derived.architecture) | {
            json.FINDINGS: json.encode(derived.findings, json.FINDINGS),
            csv.METRICS: csv.encode(derived.architecture),
            dictionary.JSON: dictionary.encode_json(),
        }
        for name, content in exports.items():
            write_if_changed(folder / name, content)
        write_if_changed(folder / KEPT, msgspec.json.encode(result))
        return result

    def _downloads(self, path: Path, folder: Path) -> tuple[Download, ...]:
        places = {name: folder / name for name in EXPORTS} | {name: path / name for name in RAW}
        return tuple(
            Download(name, place, self.digest(place), place.stat().st_size, what)
            for name, what in (EXPORTS | RAW).items()
            if (place := places[name]).is_file()
        )


@cache
def _code() -> str:
    """Digest of the source that derives, and of the published figures: another version, another result."""
    root = Path(reportgen.__file__).parent
    digest = hashlib.sha256()
    for stage in STAGES:
        for path in sorted((root / stage).rglob("*.py")):
            digest.update(path.read_bytes())
    for path in sorted(library.root().glob("*.csv")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _public(message: str, path: Path) -> str:
    """A message without the folders of the machine that renders."""
    short = f"{path.parent.name}/{path.name}"
    for text in (str(path.resolve()), str(path)):
        message = message.replace(text, short)
    return message
