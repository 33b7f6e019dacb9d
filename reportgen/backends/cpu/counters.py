"""Hardware counters through perf events: corroboration where the kernel gives them, never needed."""

from __future__ import annotations

import ctypes
import errno
import os
import platform

_SYSCALL = {"x86_64": 298, "aarch64": 241}
_PERF_TYPE_HARDWARE = 0
_CYCLES = 0
_ATTR_BYTES = 128


def describe() -> str:
    """`cycles` where a user-space cycle counter can be opened, else why not and what would help."""
    number = _SYSCALL.get(platform.machine())
    if number is None or not hasattr(ctypes.CDLL(None), "syscall"):
        return "unsupported: perf events are a Linux interface"
    attributes = (ctypes.c_uint8 * _ATTR_BYTES)()
    view = memoryview(attributes).cast("B")
    view[0:4] = _PERF_TYPE_HARDWARE.to_bytes(4, "little")
    view[4:8] = _ATTR_BYTES.to_bytes(4, "little")
    view[8:16] = _CYCLES.to_bytes(8, "little")
    view[40:48] = (1 << 5 | 1 << 6).to_bytes(8, "little")  # exclude kernel and hypervisor
    libc = ctypes.CDLL(None, use_errno=True)
    handle = libc.syscall(number, attributes, 0, -1, -1, 0)
    if handle >= 0:
        os.close(handle)
        return "cycles"
    code = ctypes.get_errno()
    if code in (errno.EACCES, errno.EPERM):
        return "not_permitted: set kernel.perf_event_paranoid to 2 or less, or grant CAP_PERFMON"
    if code in (errno.ENOENT, errno.ENODEV, errno.EOPNOTSUPP):
        return "unsupported: the kernel offers no hardware events here, as in most virtual machines"
    return f"unsupported: perf_event_open says {os.strerror(code)}"
