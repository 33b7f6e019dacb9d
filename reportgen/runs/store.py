"""The folder of runs, `data/<device>/<run>/`: what is in it, and which one a word means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from reportgen.errors import BundleError
from reportgen.runs import manifest
from reportgen.runs.schema import ASIDE, MANIFEST, MEASUREMENT, SURVEY, TOOLCHAIN, VALIDATION
from reportgen.runs.write import PARTIAL

NOT_RUNS = frozenset({"published", "golden"})
"""Folders of `data/` that are no device: figures from the literature, right values of work counts."""
LATEST = "latest"


@dataclass(frozen=True)
class RunRef:
    """A run in the data folder; `error` says why it cannot be read, empty when it can."""

    device: str
    run: str
    path: Path
    created: str = ""
    error: str = ""
    kind: str = ""
    """`toolchain`, `validation`, `survey`, `measurement`, or empty for a run of the suite on a device."""
    isa: str = ""
    """Of the device."""


def list_runs(data_dir: Path) -> list[RunRef]:
    """Every sealed run, newest first.  A broken bundle is listed with its error, never skipped.

    Runs being collected (`*.partial`) are not runs yet; `list_partial` has them.

    Raises:
        BundleError: the folder, or that of a device, may not be read.
    """
    found = [_reference(path) for path in _folders(data_dir) if not path.name.endswith(PARTIAL)]
    return sorted(found, key=lambda ref: (ref.created or ref.run, ref.device), reverse=True)


def list_partial(data_dir: Path) -> list[RunRef]:
    """Every run that was begun and not sealed, newest first; `path` is its `.partial` folder.

    A `.partial` folder beside the sealed run of its name was merely not cleared away.

    Raises:
        BundleError: the folder, or that of a device, may not be read.
    """
    found = [
        RunRef(path.parent.name, path.name.removesuffix(PARTIAL), path)
        for path in _folders(data_dir)
        if path.name.endswith(PARTIAL) and not path.with_name(path.name.removesuffix(PARTIAL)).exists()
    ]
    return sorted(found, key=lambda ref: ref.run, reverse=True)


def resolve(data_dir: Path, name: str) -> Path:
    """The bundle folder that `name` means: a path, `latest`, `<run>`, `<device>` or `<device>/<run>`.

    A device means its newest readable run, `latest` the newest of all; a validation, a survey or a
    measurement is meant by its own name only.

    Raises:
        BundleError: none or several runs answer to the name, or what it names may not be read.
    """
    try:
        if (Path(name) / MANIFEST).is_file():
            return Path(name)
    except OSError as error:  # a folder that is not ours, a name longer than the system takes
        raise _unreadable(Path(name), error) from None
    runs = list_runs(data_dir)
    word = name.rstrip("/")  # completed by a shell
    device, _, run = word.rpartition("/")
    readable = [ref for ref in runs if not ref.error and ref.kind not in ASIDE]
    if name == LATEST and readable:
        return readable[0].path
    newest = [ref for ref in readable if ref.device == word]
    if newest:
        return newest[0].path
    exact = [ref for ref in runs if ref.run == run and device in ("", ref.device)]
    matches = exact or [ref for ref in runs if run and ref.run.startswith(run) and device in ("", ref.device)]
    if len(matches) == 1:
        return matches[0].path
    if matches:
        several = ", ".join(f"{ref.device}/{ref.run}" for ref in matches[:5])
        raise BundleError(
            f"'{name}' means several runs in '{data_dir}': {several}.", "Name one as DEVICE/RUN."
        )
    if Path(name).exists():
        raise BundleError(
            f"'{name}' has no {MANIFEST}, so it is not a run bundle.", "Name the folder of a run."
        )
    if not runs:
        raise BundleError(f"there is no run in '{data_dir}' yet.", "'reportgen collect' makes one.")
    near = get_close_matches(run, sorted({word for ref in runs for word in (ref.device, ref.run)}), n=3)
    like = f"Near it: {', '.join(near)}. " if near else ""
    raise BundleError(
        f"no run '{name}' in '{data_dir}'.",
        f"{like}'reportgen runs list --data {data_dir}' shows what is there; 'reportgen collect' makes one.",
    )


def resolve_kind(data_dir: Path, name: str, kind: str, remedy: str) -> Path:
    """The bundle folder of a run beside the suite that `name` means: as `resolve`, among its kind.

    Args:
        data_dir: the folder of the runs.
        name: a path, a run, `latest`, or a device, which means its newest of the kind.
        kind: of `KINDS`.
        remedy: how to make one, where there is none.

    Raises:
        BundleError: there is none, or what it names may not be read.
    """
    known = [ref for ref in list_runs(data_dir) if ref.kind == kind and not ref.error]
    fitting = [ref for ref in known if name in (LATEST, ref.device)]
    if fitting:
        return fitting[0].path
    if name == LATEST:
        raise BundleError(f"no {KINDS[kind]} in '{data_dir}'.", remedy)
    return resolve(data_dir, name)


KINDS = {
    "": "run of the suite", TOOLCHAIN: "toolchain run", VALIDATION: "validation", SURVEY: "survey",
    MEASUREMENT: "measurement",
}  # fmt: skip
"""What a person calls a run, by its kind."""


def run_to_correct(data_dir: Path, name: str, device: str, kind: str = "") -> str:
    """The whole id of the sealed run that a new one of `device` and `kind` may supersede.

    Args:
        data_dir: folder of the runs.
        name: `<run>`, the beginning of one, `<device>/<run>` or the folder of one.
        device: id of the device of the new run.
        kind: that of the new run, as in `RunRef`; what a damaged run was is not asked.

    Raises:
        BundleError: none or several runs answer to the name, those of like name are named; or it is a run of
            another device or another kind.
    """
    runs = list_runs(data_dir)
    where, _, run = name.rstrip("/").rpartition("/")
    where = where.rpartition("/")[2]
    begun = [ref for ref in runs if run and ref.run.startswith(run) and where in ("", ref.device)]
    begun = [ref for ref in begun if ref.run == run] or begun
    fitting = [ref for ref in begun if ref.device == device and (ref.error or ref.kind == kind)]
    if len(fitting) == 1:
        return fitting[0].run
    own = [ref.run for ref in runs if ref.device == device and not ref.error and ref.kind == kind]
    if len(begun) == 1:
        other = begun[0]
        told = f"of {other.device}" if other.device != device else f"a {KINDS.get(other.kind, other.kind)}"
        wanted = f"{KINDS.get(kind, kind)} of {device}"
        theirs = f"These are: {', '.join(own[:3])}." if own else "There is none yet: leave --supersedes out."
        raise BundleError(f"run {other.run} is {told}, and only a {wanted} can be corrected by one.", theirs)
    near = [ref.run for ref in begun] or get_close_matches(run, sorted({ref.run for ref in runs}), n=3)
    what = "means several runs" if begun else "is no run"
    like = f"{'They are' if begun else 'Near it'}: {', '.join(near[:3])}. " if near else ""
    listing = f"'reportgen runs list --data {data_dir}' shows what is there."
    raise BundleError(f"'{name}' {what} in '{data_dir}'.", f"{like}{listing}")


def _folders(data_dir: Path) -> Iterator[Path]:
    for device in _inside(data_dir):
        if device.name not in NOT_RUNS:
            yield from _inside(device)


def _inside(folder: Path) -> list[Path]:
    """The folders in a folder, by name; none in one that is not there."""
    try:
        if not folder.is_dir():
            return []
        return sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    except OSError as error:
        raise _unreadable(folder, error) from None


def _unreadable(path: Path, error: OSError) -> BundleError:
    return BundleError(f"'{path}' cannot be read ({error.strerror}).", "Check its name and its permissions.")


def _reference(path: Path) -> RunRef:
    try:
        head = manifest.head((path / MANIFEST).read_bytes(), path)
    except OSError as error:
        return RunRef(
            path.parent.name, path.name, path, error=f"{MANIFEST} cannot be read ({error.strerror})"
        )
    except BundleError as error:
        return RunRef(path.parent.name, path.name, path, error=str(error))
    kind = str(head.plan.get("kind", ""))
    return RunRef(path.parent.name, path.name, path, head.created, kind=kind, isa=head.device.isa)
