"""What the NVIDIA driver says of its devices, asked in a process of its own.

The driver may crash, hang, or spoil a process that forks later; here it can do none of that to the caller.
`python -m reportgen.backends.cuda.driver [LIBRARY]` prints one JSON record.  Only `libcuda.so.1` is needed.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys

import msgspec

LIBRARY = "libcuda.so.1"
SECONDS = 60.0
"""A driver that starts for the first time after boot takes some seconds."""
_MAJOR, _MINOR, _MULTIPROCESSORS = 75, 76, 16
"""Attributes of a device (`CUdevice_attribute`)."""

REPORTED = {
    "clock_khz": 13,
    "watchdog": 17,
    "integrated": 18,
    "compute_mode": 20,
    "ecc": 32,
    "memory_clock_khz": 36,
    "bus_bits": 37,
    "l2_bytes": 38,
    "shared_bytes": 81,
    "shared_block_bytes": 97,
}
"""What is taken over into the device's record -> attribute."""

REASONS: dict[int, tuple[str, str]] = {
    34: (
        "libcuda.so.1 is the stub that toolkits bring for linking, not a driver",
        "Take the folder named 'stubs' out of LD_LIBRARY_PATH, and install the NVIDIA driver.",
    ),
    100: (
        "the driver finds no GPU",
        "Check 'nvidia-smi' and CUDA_VISIBLE_DEVICES; start a container with GPU access (--gpus all).",
    ),
    101: ("the driver knows no such device", "Check CUDA_VISIBLE_DEVICES."),
    802: ("the system is not ready: a service of the GPUs has not started", "Start nvidia-fabricmanager."),
    803: (
        "the driver's library and its kernel module are of different versions",
        "Restart the machine, or in a container use the host's libcuda.",
    ),
    804: (
        "the compatibility package of the driver does not support this GPU",
        "Take the folder named 'compat' out of LD_LIBRARY_PATH.",
    ),
    999: (
        "the driver fails for a reason it does not name",
        "Check that this user may open /dev/nvidia*, that nvidia_uvm is loaded, and what 'dmesg' says.",
    ),
}
"""Error of `cuInit` -> what it means, what to do."""


class Gpu(msgspec.Struct, frozen=True):
    """One device as the driver names it."""

    name: str
    capability: int
    """Times ten: 90."""
    multiprocessors: int
    memory_bytes: int
    pci: str = ""
    """`00000000:3b:00.0`, by which other tools know the same device."""
    reported: dict[str, int] = {}
    """Of `REPORTED`, what the driver tells."""
    unknown: dict[str, str] = {}
    """Of `REPORTED`, what it does not tell, and why."""


class Answer(msgspec.Struct, frozen=True):
    """What the driver said."""

    gpus: tuple[Gpu, ...] = ()
    version: int = 0
    """Highest CUDA version it serves, 13000 for 13.0; 0 unknown."""
    reason: str = ""
    """Why there is no device, empty when there are some."""
    remedy: str = ""


def ask(library: str = LIBRARY) -> Answer:
    """The driver's devices, or why there are none.  Never raises for what the driver does."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return Answer(
            reason="no NVIDIA driver is here (libcuda.so.1 cannot be loaded)",
            remedy="Install the NVIDIA driver, or build for a target without one: --device sm_90.",
        )
    command = [sys.executable, "-m", __name__, library]
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=True)
        return msgspec.json.decode(done.stdout, type=Answer)
    except subprocess.TimeoutExpired:
        return Answer(reason=f"the driver did not answer within {SECONDS:.0f} s", remedy=REASONS[999][1])
    except (subprocess.SubprocessError, OSError, msgspec.DecodeError) as error:
        return Answer(reason=f"the driver crashed ({error})", remedy=REASONS[999][1])


def query(library: str) -> Answer:
    """Ask in this process.

    Raises:
        OSError: the library cannot be loaded.
    """
    driver = ctypes.CDLL(library)
    version = ctypes.c_int()
    driver.cuDriverGetVersion(ctypes.byref(version))
    code = driver.cuInit(0)
    if code:
        reason, remedy = REASONS.get(code, (f"the driver fails with error {code}", REASONS[999][1]))
        return Answer(version=version.value, reason=f"{reason} (error {code})", remedy=remedy)
    count = ctypes.c_int()
    code = driver.cuDeviceGetCount(ctypes.byref(count))
    if code:
        reason = f"the driver does not count its devices (error {code})"
        return Answer(version=version.value, reason=reason, remedy=REASONS[999][1])
    if count.value == 0:
        return Answer(version=version.value, reason=REASONS[100][0], remedy=REASONS[100][1])
    return Answer(tuple(_gpu(driver, number) for number in range(count.value)), version.value)


def _gpu(driver: ctypes.CDLL, number: int) -> Gpu:
    name, memory = ctypes.create_string_buffer(256), ctypes.c_size_t()
    driver.cuDeviceGetName(name, len(name), number)
    driver.cuDeviceTotalMem_v2(ctypes.byref(memory), number)
    unknown: dict[int, str] = {}

    def attribute(which: int) -> int:
        value = ctypes.c_int()
        code = driver.cuDeviceGetAttribute(ctypes.byref(value), which, number)
        if code:
            unknown[which] = f"the driver does not tell it (error {code})"
        return value.value

    told = {key: attribute(which) for key, which in REPORTED.items()}
    return Gpu(
        name=name.value.decode(errors="replace"),
        capability=10 * attribute(_MAJOR) + attribute(_MINOR),
        multiprocessors=attribute(_MULTIPROCESSORS),
        memory_bytes=memory.value,
        pci=_pci(driver, number),
        reported={key: value for key, value in told.items() if REPORTED[key] not in unknown},
        unknown={key: unknown[which] for key, which in REPORTED.items() if which in unknown},
    )


def _pci(driver: ctypes.CDLL, number: int) -> str:
    text = ctypes.create_string_buffer(32)
    try:
        code = driver.cuDeviceGetPCIBusId(text, len(text), number)
    except AttributeError:
        return ""
    return "" if code else text.value.decode(errors="replace").lower()


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.encode(query(sys.argv[1])))
