"""Targets that the toolchain here builds for, and GPUs that a driver knows; for the rest, why not.

`sm_90`      a target: programs are built and inspected, nothing runs
`sm_all`     every published target that the toolchain builds for, in turn
`cuda:0`     a GPU
"""

from __future__ import annotations

import os
import re

from reportgen.backends.base import Candidate
from reportgen.backends.cuda import compiler, driver, targets, toolkit
from reportgen.errors import BackendUnavailable, UserError
from reportgen.runs.schema import Device

ALL = "sm_all"
PROHIBITED = 2
"""Compute mode in which no process may use the device."""
MIG = "MIG"
"""In the name of a device that is a slice of a GPU."""
MPS = "MPS"
"""In the name that a device is given of whose threads this process may use a part."""
SHARE = "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"
"""Variable by which CUDA's Multi-Process Service limits a process to a part of the multiprocessors."""


def discover() -> list[Candidate]:
    """Targets, `sm_all`, and GPUs; `reason` says why one cannot be used."""
    answer = driver.ask()
    toolkit.serve(answer.version)
    return [*_targets(), *_gpus(answer)]


def is_target(device: Device) -> bool:
    """Whether a device is a target of the toolchain only: programs are made for it, none is run."""
    return device.backend == "cuda" and device.id == device.isa.replace("_", "-")


def number(selector: str) -> int:
    """N of `cuda:N`; 0 where it says none.

    Raises:
        UserError: it is no number.
    """
    text = selector.partition(":")[2] or "0"
    if not text.isdigit():
        raise UserError(f"'{selector}' names no GPU.", "Name one by its number: cuda:0.")
    return int(text)


def _targets() -> list[Candidate]:
    everything = Device(
        id="sm-all", backend="cuda", vendor="NVIDIA", name="every published target in turn", isa="", cores=0
    )
    try:
        can, name = set(compiler.supported()), compiler.fingerprint()
        toolkit.release(toolkit.find().nvdisasm)
    except BackendUnavailable as error:
        return [Candidate(ALL, everything, str(error))]
    except UserError as error:
        return [Candidate(ALL, everything, error.message)]
    known = [number for number in targets.GENERATIONS if number in targets.PUBLISHED or number in can]
    found = [
        Candidate(f"sm_{number}", targets.device(targets.Target(number)), _lack(number, can, name))
        for number in known
    ]
    return [*found, Candidate(ALL, everything)]


def _lack(number: int, can: set[int], name: str) -> str:
    return "" if number in can else f"{name} does not build for it"


def _gpus(answer: driver.Answer) -> list[Candidate]:
    if answer.reason:
        unknown = Device(id="cuda-0", backend="cuda", vendor="NVIDIA", name="GPU", isa="", cores=0)
        return [Candidate("cuda:0", unknown, f"{answer.reason}. {answer.remedy}")]
    return [
        Candidate(f"cuda:{number}", _device(gpu, number), _unfit(gpu, answer.version))
        for number, gpu in enumerate(answer.gpus)
    ]


def _unfit(gpu: driver.Gpu, version: int) -> str:
    target = f"sm_{gpu.capability}"
    try:
        release = compiler.version()
        targets.require(target, compiler.supported(), compiler.fingerprint())
    except UserError as error:
        return str(error)
    serves, needs = version // 1000, int(release.partition(".")[0])
    if version and serves < needs:
        return (
            f"the driver serves CUDA {serves}.{version % 1000 // 10}, older than the compiler ({release}); "
            f"update the driver, or install the compiler of CUDA {serves}"
        )
    if gpu.reported.get("compute_mode") == PROHIBITED:
        return "its compute mode forbids use; an administrator can change that: nvidia-smi -c 0"
    return ""


def _device(gpu: driver.Gpu, number: int) -> Device:
    """Named by vendor and model, which do not change; a part of a device is named as such."""
    share = mps_share()
    name = f"{gpu.name} {MPS} {share:g}%" if share else gpu.name
    text = name if name.upper().startswith("NVIDIA") else f"NVIDIA {name}"
    part = bool(share) or MIG in gpu.name.split()
    return Device(
        id=re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-"),
        backend="cuda",
        vendor="NVIDIA",
        name=name,
        isa=f"sm_{gpu.capability}",
        cores=gpu.multiprocessors,
        memory_bytes=gpu.memory_bytes,
        reported={**gpu.reported, "ordinal": number, **({"slice": 1} if part else {})},
    )


def mps_share() -> float:
    """Per cent of the device's threads that this process may use; 0: all, as far as it is known."""
    try:
        share = float(os.environ.get(SHARE, ""))
    except ValueError:
        return 0.0
    return share if 0 < share < 100 else 0.0
