"""Entries of the data dictionary about the link between host and GPU: as those of `gpu_entries`."""

from __future__ import annotations

ROWS: tuple[tuple[str, str, str, str, str, str], ...] = (
    (
        "host_link.<direction>.bandwidth",
        "bandwidth between host and GPU",
        "byte/second",
        (
            "Bytes a second of copies of page-locked memory, in a row, by the largest sizes; of both "
            "directions at once their sum."
        ),
        "host-link",
        "Of this host, its slot and where the process ran. Unverified: the driver makes the copies.",
    ),
    (
        "host_link.<direction>.start",
        "fixed time of a copy",
        "second",
        "What a copy of page-locked memory takes beside its bytes, in a row of copies.",
        "host-link",
        "Absent where time is no straight line over the bytes. Not the time that one waits for a copy.",
    ),
    (
        "host_link.<direction>.waited",
        "short copy with a wait",
        "second",
        "Time of a copy of 4 KiB of page-locked memory from its order until the host knows that it is there.",
        "host-link",
        "By the clock of the host; what the calling program takes between two copies is part of it.",
    ),
    (
        "host_link.<direction>.pageable_bandwidth",
        "bandwidth of pageable memory",
        "byte/second",
        "The same as bandwidth of memory that is not page-locked, each copy waited for.",
        "host-link",
        "How the driver copies it (through buffers of its own, or otherwise) is not measured.",
    ),
    (
        "host_link.<direction>.pageable_waited",
        "short copy of pageable memory",
        "second",
        "The same as waited of memory that is not page-locked.",
        "host-link",
        "A short copy may be handed over to the driver and done later; the wait is for its end.",
    ),
    (
        "host_link.mapped.latency",
        "load from memory of the host",
        "cycle",
        "Cycles of a dependent load of one thread from page-locked memory of the host, by volatile loads.",
        "host-link",
        "Cycles of the multiprocessor: another clock gives another number for the same time.",
    ),
    (
        "host_link.mapped.latency_time",
        "load from memory of the host in time",
        "second",
        "The same in seconds of the device's timer.",
        "host-link",
        "One load under way; what many threads read together is another question.",
    ),
    (
        "host_link.mapped.latency_cg",
        "load from memory of the host, cached",
        "cycle",
        "The same by loads that the second level may answer (cg).",
        "host-link",
        "Much less than mapped.latency: a cache of the device answered.",
    ),
    (
        "host_link.mapped.latency_time_cg",
        "load from memory of the host, cached, in time",
        "second",
        "The same in seconds of the device's timer.",
        "host-link",
        "Much less than mapped.latency_time: a cache of the device answered.",
    ),
    (
        "host_link.mapped.read",
        "stream from memory of the host",
        "byte/second",
        "Bytes a second that kernels read from page-locked memory of the host, without a copy.",
        "host-link",
        "Of one launch shape, over 128 MiB, each read once.",
    ),
    (
        "host_link.mapped.write",
        "stream into memory of the host",
        "byte/second",
        "Bytes a second that kernels write into page-locked memory of the host.",
        "host-link",
        "As read; that a write has left the device is known when the launch has ended.",
    ),
)
