"""AArch64 machine code made once by GNU as, so that tests need neither an assembler nor such a core.

`golden.json` holds whole programs (one of each kind) and every operation of the table as one line of
its latency and of its throughput form.  Code is written as 32-bit words, a repeated one as `word*count`.

    python -m tests.data.aarch64.golden      # writes golden.json anew; needs an AArch64 assembler
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from reportgen.backends.base import Source
from reportgen.backends.cpu.aarch64.operands import bind
from reportgen.backends.cpu.generator import CpuGenerator
from reportgen.errors import Unsupported
from reportgen.runs.schema import Device
from reportgen.suite.expand import points, probes
from reportgen.suite.load import Suite, load_suite

FILE = Path(__file__).with_name("golden.json")
ARCHITECTURE = "armv8.6-a+fp16+bf16+i8mm+crypto+crc"
PROGRAMS = (
    "instruction_latency/integer_add#length=48",
    "instruction_latency/fp32_fma#length=48",
    "instruction_latency/fp32_sqrt_nontrivial#length=48",
    "instruction_latency/popcnt#length=48",
    "instruction_latency/l1_load_indexed#length=48",
    "instruction_latency/store_forward_128#length=48",
    "instruction_throughput/fp64_fma_128#accumulators=8",
    "instruction_throughput/l1_load#accumulators=4",
    "pipeline_interference/matrix#first=popcnt,second=shuffle_bytes_128,order=interleaved",
    "pipeline_interference/compute_vs_load#first=fp32_fma_128,second=l1_load,order=blocked",
    "memory_hierarchy/pointer_chasing#level=l1",
    "memory_hierarchy/prefetch_stride#step=4,order=in_order",
    "memory_hierarchy/prefetch_streams#count=4,order=in_order",
    "memory_hierarchy/bandwidth_saturation#kernel=triad,bytes=262144,cores=1",
    "memory_hierarchy/bandwidth_saturation#kernel=nt_copy,bytes=262144,cores=2",
    "memory_hierarchy/store_to_load#case=16_8.1,length=48",
    "memory_hierarchy/store_to_load#case=64_32.4,length=48",
    "memory_hierarchy/store_to_load#case=v128_v64.12,length=48",
    "memory_hierarchy/store_to_load#case=64_64.0.same_register,length=48",
    "memory_hierarchy/split_access#access=load_128_latency,place=page,length=48",
    "memory_hierarchy/split_access#access=load_64_latency,place=line,length=48",
    "memory_hierarchy/split_access#access=store_128_interval,place=inside,length=48",
    "memory_hierarchy/address_alias#distance=4096,length=48",
    "out_of_order/instruction_window#filling=mixed,count=25",
    "out_of_order/parallel_misses#chains=10",
    "out_of_order/parallel_misses#chains=0",
    "front_end/code_footprint#instruction=move4,bytes=1216",
    "front_end/code_footprint#instruction=nop4,bytes=1048576",
    "out_of_order/instruction_window#filling=waiting_vector,count=20",
    "front_end/branch_misprediction#random=8",
    "front_end/taken_branches#spacing=32,branches=16",
    "front_end/call_return#depth=4",
    "front_end/not_taken_branches#length=48",
    "front_end/loop_rounds#length=19",
    "core_communication/line_transfer#by=store,pair=0-1,rounds=4",
    "core_communication/line_transfer_locked#by=exchange,pair=0-1,rounds=4",
    "core_communication/line_transfer_locked#by=compare_exchange,pair=0-1,rounds=4",
    "core_communication/false_sharing#by=plain_add,distance=64",
    "core_communication/contended_atomic#by=locked_add,cores=2",
    "core_communication/contended_atomic#by=compare_exchange,cores=2",
    "core_communication/contended_atomic#by=read,cores=2",
    "tensor_operations/data_type_sweep_int8_matrix_128#accumulators=12",
    "roofline/peak_compute_fp32#operation=fp32_fma_128,accumulators=12",
    "roofline/intensity_sweep#level=l1,multiply_adds=1",
    "roofline/intensity_sweep#level=dram,multiply_adds=24",
    "roofline/saxpy#n=1024",
)


EXCLUSIVE = " without LSE"
"""Behind the name of a program: as a core renders it that has only exclusive accesses."""
WITHOUT_LSE = (
    "core_communication/line_transfer_locked#by=exchange,pair=0-1,rounds=4",
    "core_communication/contended_atomic#by=locked_add,cores=2",
)


@cache
def suite() -> Suite:
    return load_suite()


@cache
def device() -> Device:
    """A core that has everything the table asks for."""
    table = suite().tables["aarch64"]
    return Device(
        id="golden", backend="cpu", vendor="ARM", name="golden", isa="aarch64",
        features=tuple(sorted({"lse", *(name for row in table.values() for name in row.features)})),
        cores=4, memory_bytes=8 << 30,
        reported={"l1d_bytes": 65536, "l1d_ways": 4,
                  "l2_ways": 4, "l2_bytes": 1 << 20, "l3_bytes": 32 << 20, "page_bytes": 4096},
    )  # fmt: skip


def rendered() -> Iterator[tuple[str, Source | str]]:
    """Every point of the suite on that core: its source, or why there is none."""
    table = suite().tables["aarch64"]
    generator = CpuGenerator(device(), table)
    for probe in probes(suite(), "aarch64"):
        for point in points(probe, device(), table):
            try:
                yield point.id, generator.generate(probe, point)
            except Unsupported as error:
                yield point.id, str(error)


@cache
def sources() -> dict[str, Source]:
    """The chosen programs, as the suite renders them now: of each name the first point that begins so."""
    table = suite().tables["aarch64"]
    generator = CpuGenerator(device(), table)
    rest = tuple(name for name in device().features if name != "lse")
    older = CpuGenerator(msgspec.structs.replace(device(), features=rest), table)
    wanted = {name.partition("#")[0] for name in PROGRAMS}
    found: dict[str, Source] = {}
    for probe in probes(suite(), "aarch64"):
        if probe.id in wanted:
            for point in points(probe, device(), table):
                for name in PROGRAMS:
                    if f"{point.id},".startswith(f"{name},") and name not in found:
                        found[name] = generator.generate(probe, point)
                if point.id in WITHOUT_LSE:
                    found[f"{point.id}{EXCLUSIVE}"] = older.generate(probe, point)
    return found


@cache
def steps() -> dict[str, str]:
    """`operation latency` or `operation throughput` -> assembly of one step."""
    found = {}
    for name, row in suite().tables["aarch64"].items():
        bound = bind(row, 0, 1)
        for use, form in (("latency", row.latency or row.form), ("throughput", row.throughput or row.form)):
            if form != "-":
                found[f"{name} {use}"] = getattr(bound, use)(0)
    return found


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def load() -> dict[str, Any]:
    golden: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return golden


def code(name: str) -> bytes:
    """Machine code of a golden program."""
    return unfold(load()["programs"][name]["words"])


def fold(data: bytes) -> str:
    words = [int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data), 4)]
    runs = ((word, len(list(run))) for word, run in groupby(words))
    return " ".join(f"{word:08x}" + (f"*{count}" if count > 1 else "") for word, count in runs)


def unfold(text: str) -> bytes:
    parts = (part.partition("*") for part in text.split())
    return b"".join(int(word, 16).to_bytes(4, "little") * int(count or 1) for word, _, count in parts)


def assembler() -> tuple[str, str] | None:
    """An AArch64 assembler and its `objcopy`, or None."""
    for prefix in ("aarch64-linux-gnu-", "aarch64-none-elf-", "aarch64-unknown-linux-gnu-"):
        found = shutil.which(f"{prefix}as"), shutil.which(f"{prefix}objcopy")
        if found[0] and found[1]:
            return found[0], found[1]
    return None


def assemble(text: str) -> bytes:
    """The code section that the assembler on this host makes of a source."""
    tools = assembler()
    assert tools is not None
    with tempfile.TemporaryDirectory() as folder:
        source, thing, binary = (Path(folder) / name for name in ("a.s", "a.o", "a.bin"))
        source.write_text(text, encoding="ascii")
        subprocess.run([tools[0], f"-march={ARCHITECTURE}", "-o", thing, source], check=True)
        subprocess.run([tools[1], "-O", "binary", "-j", ".text", thing, binary], check=True)
        return binary.read_bytes()


def assembled_steps() -> dict[str, str]:
    """Every step's words, by one run of the assembler; a step is as many words as it has lines."""
    texts = steps()
    words = fold_apart(assemble(".text\n" + "\n".join(texts.values()) + "\n"))
    return {name: " ".join(next(words) for _ in text.splitlines()) for name, text in texts.items()}


def fold_apart(data: bytes) -> Iterator[str]:
    return (f"{int.from_bytes(data[at : at + 4], 'little'):08x}" for at in range(0, len(data), 4))


def main() -> None:
    tools = assembler()
    if tools is None:
        sys.exit("No AArch64 assembler here: on Debian and Ubuntu install binutils-aarch64-linux-gnu.")
    version = subprocess.run([tools[0], "--version"], check=True, capture_output=True, text=True).stdout
    golden = {
        "assembler": version.splitlines()[0],
        "programs": {
            name: {"source": digest(source.text), "words": fold(assemble(source.text))}
            for name, source in sources().items()
        },
        "steps": {name: {"text": steps()[name], "words": words} for name, words in assembled_steps().items()},
    }
    FILE.write_text(json.dumps(golden, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
