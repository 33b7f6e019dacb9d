"""Many sources -> many builds: grouped by target, compiled and disassembled together, cached by content.

A worker process takes one batch of one target through compiler, disassembler and inspector; two workers
keep two cores busy, and a compiler that crashes costs the source that it crashes on, not the run.
"""

from __future__ import annotations

import multiprocessing
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

from reportgen.backends.base import Build, Source
from reportgen.backends.cuda import (
    batches,
    compiler,
    dataflow,
    elf,
    expectation,
    inspector,
    joined,
    registers,
    sass,
    segments,
    targets,
    toolkit,
)
from reportgen.backends.cuda import cache as store
from reportgen.backends.cuda.batches import Batch
from reportgen.errors import CompileError
from reportgen.runs.schema import Program

_LACKS = re.compile(
    r"requires .target|not supported (on|for) .target|not supported on this|not supported in.* target"
    r"|requires PTX ISA|Feature '.*' (requires|not supported)",
)
"""What the assembler says of an instruction that the target does not have."""
_TOO_MUCH = re.compile(r"uses too much (\w+) (?:data|space) \((0x[0-9a-f]+) bytes, (0x[0-9a-f]+) max\)")


_JUDGES = (elf, joined, sass, registers, dataflow, expectation, segments, inspector)


class Kept(msgspec.Struct, frozen=True):
    """A build as it is cached: the cubin, shared with others, lies under its own name."""

    status: str
    reason: str
    program: Program | None = None
    cubin: str = ""


class CudaBuilder:
    """Compiler and inspector for CUDA sources; `setup` names `kernel` and `target` of each."""

    def build(self, source: Source) -> Build:
        """Compile, disassemble and judge one source.

        Raises:
            UserError: the toolkit here has no such target.
            BackendUnavailable: there is no toolkit here.
        """
        return self.build_many([source], jobs=1)[0]

    def build_many(
        self, sources: Sequence[Source], jobs: int = 2, built: Callable[[str], None] = lambda point: None
    ) -> list[Build]:
        """Builds in the order of the sources, `jobs` processes at a time.

        `built` is called with the id of each point that is done.

        Raises:
            UserError: the toolkit here has no such target, or the limit of the cache is no number.
            BackendUnavailable: there is no toolkit here.
        """
        ours = [source for source in sources if source.text]
        if len(ours) < len(sources):
            known = {one.point: one for one in self.build_many(ours, jobs, built)} if ours else {}
            return [known.get(source.point) or _not_ours(source, built) for source in sources]
        for name in {str(source.setup["target"]) for source in sources}:
            targets.require(name, compiler.supported(), compiler.fingerprint())
        with store.in_use() as held:
            builds, more = self._build(sources, jobs, built)
            if more:
                held.trim()
        return builds

    def _build(
        self, sources: Sequence[Source], jobs: int, built: Callable[[str], None]
    ) -> tuple[list[Build], bool]:
        """Builds in the order of the sources, and whether any was made anew."""
        names = [f"{_key(source)}.json" for source in sources]
        recalled = {name: _recall(name) for name in names}
        kept = {name: made for name, made in recalled.items() if made is not None}
        missing = {name: source for name, source in zip(names, sources, strict=True) if name not in kept}
        for name, source in zip(names, sources, strict=True):
            if name in kept:
                built(source.point)
        seconds: dict[str, dict[str, float]] = {}
        for batch, (builds, build_s, verify_s) in _run(batches.made(missing, jobs), jobs):
            for name, made in zip(batch, builds, strict=True):
                kept[name] = made
                built(batch[name].point)
                seconds[name] = {"build": build_s / len(batch), "verify": verify_s / len(batch)}
        code = _cubins(kept)
        builds_in_order = [
            Build(
                point=source.point,
                code=code[kept[name].cubin],
                program=kept[name].program,
                status=kept[name].status,
                reason=kept[name].reason,
                seconds=seconds.get(name, {}),
            )
            for source, name in zip(sources, names, strict=True)
        ]
        return builds_in_order, bool(missing)


def _not_ours(source: Source, built: Callable[[str], None]) -> Build:
    """A routine of a library: there is nothing to build, and nothing of it was inspected."""
    built(source.point)
    return Build(source.point, status="unverified", reason="library code: its machine code was not inspected")


Made = tuple[list[Kept], float, float]
"""Builds of a batch, seconds of compiling, seconds of disassembling and judging."""


def _run(asked: list[Batch], jobs: int) -> Iterator[tuple[Batch, Made]]:
    if jobs < 2 or len(asked) < 2:
        for batch in asked:
            yield batch, make(batch)
        return
    lost: list[Batch] = []
    pool = _pool(min(jobs, len(asked)))
    try:
        waiting = [(batch, pool.submit(make, batch)) for batch in asked]
        for batch, future in waiting:
            try:
                yield batch, future.result()
            except BrokenProcessPool:  # of all that had not ended; one of them did it
                lost.append(batch)
    finally:
        pool.shutdown(cancel_futures=True)  # whoever stops asking does not wait for the rest
    for batch in lost:
        yield batch, _alone(batch)


def _pool(processes: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"))


def _alone(batch: Batch) -> Made:
    """A batch in a process of its own; one that ends it is halved until the source that does so is found."""
    pool = _pool(1)
    try:
        return pool.submit(make, batch).result()
    except BrokenProcessPool:
        pass
    finally:
        pool.shutdown(cancel_futures=True)
    if len(batch) == 1:
        return [Kept("failed", "the process that compiled it ended without an answer")], 0.0, 0.0
    names = list(batch)
    halves = names[: len(names) // 2], names[len(names) // 2 :]
    made = [_alone({name: batch[name] for name in half}) for half in halves]
    return [*made[0][0], *made[1][0]], made[0][1] + made[1][1], made[0][2] + made[1][2]


def make(batch: Batch) -> Made:
    """Compile, disassemble, judge and cache a batch of one target."""
    began = time.perf_counter()
    sources = list(batch.values())
    target = targets.parse(str(sources[0].setup["target"]))
    kernels = [compiler.Kernel(str(source.setup["kernel"]), source.text) for source in sources]
    compiled = compiler.compile_kernels(kernels, target.name)
    middle = time.perf_counter()
    opened = _open({cubin for cubin in compiled.values() if isinstance(cubin, bytes)})
    made = []
    for name, source in batch.items():
        cubin = compiled[str(source.setup["kernel"])]
        if isinstance(cubin, CompileError):
            kept = refused(str(cubin))
        else:
            kept = _judge(source, target, opened[cubin])
        store.put(name, msgspec.json.encode(kept))
        made.append(kept)
    return made, middle - began, time.perf_counter() - middle


@dataclass(frozen=True)
class _Opened:
    """A cubin with its disassembly, and the name it is cached under."""

    cubin: elf.Cubin
    records: sass.Records | CompileError
    name: str


def _open(cubins: Iterable[bytes]) -> dict[bytes, _Opened | CompileError]:
    """Each cubin opened, disassembled and cached; those that are none with the reason."""
    found: dict[bytes, _Opened | CompileError] = {}
    opened: list[elf.Cubin] = []
    for data in cubins:
        try:
            opened.append(elf.Cubin(data))
        except CompileError as error:
            found[data] = error
    for cubin, records in zip(opened, sass.disassemble_all(opened), strict=True):
        found[cubin.data] = _Opened(cubin, records, store.keep(cubin.data, ".cubin"))
    return found


def _judge(source: Source, target: targets.Target, unit: _Opened | CompileError) -> Kept:
    """The inspector's verdict; without a disassembly the program is `unverified`."""
    name = str(source.setup["kernel"])
    if isinstance(unit, CompileError):
        return Kept("failed", str(unit))
    records = unit.records
    unread = str(records) if isinstance(records, CompileError) else ""
    try:
        code = unit.cubin.code(name)
        kernel = inspector.Kernel(
            source=source.text,
            code=code,
            identity=f"{target.name} {name}\0".encode(),
            instructions=[]
            if isinstance(records, CompileError)
            else sass.decode(records.get(name, []), code),
            resources=unit.cubin.resources(name, target.number),
        )
    except CompileError as error:
        return Kept("failed", str(error))
    try:
        seen = (
            inspector.uninspected(kernel, unread) if unread else inspector.inspect(kernel, _expected(source))
        )
    except ValueError as error:
        return Kept("failed", f"what the generator expects cannot be read: {error}")
    tools = {
        "target": target.name,
        "ptx_version": compiler.ptx_version(target.name),
        "toolkit": compiler.fingerprint(),
        "nvdisasm": toolkit.release(toolkit.find().nvdisasm),
    }
    program = msgspec.structs.replace(seen.program, facts=seen.program.facts | tools)
    return Kept(seen.status, seen.reason, program, unit.name)


def _expected(source: Source) -> dict[str, int | str]:
    """The generator's expectation; steps of a chain as it counts them."""
    steps = int(source.work.get("steps", 0))
    return {"steps": steps, **source.expect} if steps else dict(source.expect)


def refused(log: str) -> Kept:
    """What becomes of a source that the compiler refuses.

    An instruction or an amount of memory that the target does not have is `unsupported`; else `failed`.
    """
    for line in log.splitlines():
        over = _TOO_MUCH.search(line)
        if over:
            kind, asked, most = over[1], int(over[2], 16), int(over[3], 16)
            return Kept("unsupported", f"takes {asked} bytes of {kind} memory, this target allows {most}")
        if _LACKS.search(line):
            return Kept("unsupported", f"this target lacks it: {line.strip()}")
    return Kept("failed", log)


def _key(source: Source) -> str:
    """Everything that the build depends on."""
    expect = msgspec.json.encode(sorted(_expected(source).items()))
    target, name = str(source.setup["target"]), str(source.setup["kernel"])
    tools = (compiler.fingerprint(), toolkit.release(toolkit.find().nvdisasm), _code_digest())
    return store.key(source.text, expect, target, name, *compiler.OPTIONS, *tools)


@cache
def _code_digest() -> str:
    """Of the sources that judge: a changed inspector judges again."""
    return store.key(*(Path(str(room.__file__)).read_bytes() for room in _JUDGES))


def _recall(name: str) -> Kept | None:
    data = store.get(name)
    if data is None:
        return None
    try:
        kept = msgspec.json.decode(data, type=Kept)
    except msgspec.DecodeError:
        return None
    return None if kept.cubin and not store.has(kept.cubin) else kept


def _cubins(kept: dict[str, Kept]) -> dict[str, bytes]:
    """Name -> bytes, each read once; empty where there is none."""
    names = {made.cubin for made in kept.values()}
    return {name: (store.get(name) or b"") if name else b"" for name in names}
