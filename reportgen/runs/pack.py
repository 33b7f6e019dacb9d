"""Runs as one file, to be carried from a machine that can send little: sealed ones, and interrupted ones.

A tar archive, compressed, of `<device>/<run>/<file>`; no name of a user is in it.
"""

from __future__ import annotations

import gzip
import io
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from reportgen.errors import BundleError, RunRefused
from reportgen.runs import disk, manifest
from reportgen.runs.schema import MANIFEST

PARTS = 3
"""Of a name in the archive: device, run, file."""


def pack(folders: Iterable[Path], target: Path) -> int:
    """Put the files of runs into one; how many there are.

    Args:
        folders: of the runs, `data/<device>/<run>`, interrupted ones (`<run>.partial`) too; a sealed run may
            lie anywhere.
        target: the file to write, replaced where it is there.

    Raises:
        RunRefused: there is no run, or a file cannot be read or written.
    """
    room = io.BytesIO()
    try:
        if target.is_dir():
            raise RunRefused(f"'{target}' is a folder.", "Name the file to write, as in runs.tar.gz.")
        files = [
            (_place(folder), path)
            for folder in folders
            for path in sorted(folder.iterdir())
            if path.is_file()
        ]
        if not files:
            raise RunRefused("there is no run to pack.", "'reportgen runs list' shows what is there.")
        # mode and time of what is packed: the same runs give the same bytes
        with (
            gzip.GzipFile(fileobj=room, mode="wb", compresslevel=6, mtime=0) as packed,
            tarfile.open(fileobj=packed, mode="w") as archive,
        ):
            for place, path in files:
                data = path.read_bytes()
                entry = tarfile.TarInfo(f"{place}/{path.name}")
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))
        target.parent.mkdir(parents=True, exist_ok=True)
        disk.write_file(target, room.getvalue())
    except OSError as error:
        raise disk.refusal(error, target.parent, "Check the runs, or name another FILE.") from error
    return len(files)


def _place(folder: Path) -> str:
    """`<device>/<run>`, by the folder's names where it lies under its device, else by its manifest."""
    whole = folder.resolve()
    device, run = whole.parent.name, whole.name
    try:
        head = manifest.head((folder / MANIFEST).read_bytes(), folder)
    except (OSError, BundleError):  # interrupted, or damaged: it is carried as it lies
        return f"{device}/{run}"
    if head.device.id not in ("", device) and head.run:
        return f"{head.device.id}/{head.run}"
    return f"{device}/{run}"


def unpack(source: Path, data_dir: Path) -> list[Path]:
    """Put each run of a file whole where it belongs, but for those that are there; the folders made.

    Args:
        source: what `pack` wrote.
        data_dir: folder of the runs.

    Raises:
        BundleError: it is no such file, or is damaged; nothing was put anywhere.
        RunRefused: the folder cannot be written.
    """
    runs = _contents(source)
    put = []
    for (device, run), files in sorted(runs.items()):
        folder = data_dir / device / run
        if folder.exists():
            continue
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            stage = Path(tempfile.mkdtemp(prefix=".unpacked-", dir=folder.parent))
            try:
                for name, data in files.items():
                    disk.write_file(stage / name, data)
                stage.chmod(0o755)
                stage.rename(folder)
            finally:
                shutil.rmtree(stage, ignore_errors=True)
        except OSError as error:
            raise disk.refusal(error, data_dir) from error
        put.append(folder)
    return put


def _contents(source: Path) -> dict[tuple[str, str], dict[str, bytes]]:
    """(device, run) -> file -> bytes."""
    found: dict[tuple[str, str], dict[str, bytes]] = {}
    try:
        # Whole at first: gzip's own sum stands at the end, which a tar archive ends before.
        whole = io.BytesIO(gzip.decompress(source.read_bytes()))
        with tarfile.open(fileobj=whole, mode="r:") as archive:
            for entry in archive:
                name = PurePosixPath(entry.name)
                content = archive.extractfile(entry) if entry.isfile() else None
                plain = len(name.parts) == PARTS and not any(
                    part.startswith((".", "/")) for part in name.parts
                )
                if content is None or not plain:
                    raise BundleError(f"'{source}' holds '{entry.name}', which is no file of a run.", _REMEDY)
                device, run, file = name.parts
                found.setdefault((device, run), {})[file] = content.read()
    except (OSError, EOFError, zlib.error, tarfile.TarError) as error:
        why = (isinstance(error, OSError) and error.strerror) or error
        raise BundleError(f"'{source}' cannot be unpacked ({why}).", _REMEDY) from error
    return found


_REMEDY = "Name a file that 'reportgen runs pack' wrote, and copy it again if it was cut short."
