"""Memory of a simulated GPU: levels by path, on the chip, walks, translation, clusters, copies, streams."""

from __future__ import annotations

from tests.simulated.asked import ok_point
from tests.simulated.gpu_truth import EMPTY, KIB, MIB, GpuTruth, Question, Simulated, asked

WALK = 128
"""Loads of a walk; fewer than on a device, for every one is a row."""


LINES = 200
STILL_HELD = 0.5
"""Share of the first level that holds what a walk through more than it comes back to."""
FEW_BLOCKS = 0.95
"""Rate of two blocks of a multiprocessor that read its first cache over that of four."""


def distances(truth: GpuTruth) -> Question:
    """Every hundred lines alike; where there are two sides, multiprocessors of odd number see it mirrored."""
    name = "memory_hierarchy/l2_matrix"

    def seen(multiprocessor: int) -> tuple[float, ...]:
        other = truth.sides > 1 and multiprocessor % 2 == 1
        away = [(line % 100 < 100 * truth.far_share) is not other for line in range(LINES)]
        return tuple(16 * (truth.far if one else truth.near) + EMPTY for one in away)

    point = ok_point(name, {"count": LINES}, work={"steps": 16.0})
    return asked(name), [Simulated(point, (), placed=seen)]


def working_set(truth: GpuTruth) -> Question:
    name = "memory_hierarchy/working_set_sweep"
    found = []
    for path in ("cg", "ca", "texture"):
        longer = truth.texture_longer if path == "texture" else 0.0
        for eighth in range(13 * 4, 30 * 4):
            size = int(2 ** (eighth / 4)) // 128 * 128
            inner = truth.l1_latency if path != "cg" and size <= truth.l1_bytes else truth.l2_latency
            each = longer + (inner if size <= truth.l2_bytes else truth.memory_latency)
            settings = {"path": path, "bytes": size}
            point = ok_point(name, settings, work={"steps": 64.0}, facts={"bytes_actual": size})
            found.append(Simulated(point, (64 * each * 8 + EMPTY,), 8))
    return asked(name), found


def chases(truth: GpuTruth) -> Question:
    """The middle of every level, by paths that meet the first one and by one that passes it by."""
    name = "memory_hierarchy/pointer_chasing"
    found = []
    for path in ("plain", "ca", "cg", "nc", "volatile", "texture"):
        longer = truth.texture_longer if path == "texture" else 0.0
        for size in (16 * KIB, 4 * MIB, 512 * MIB):
            first = truth.read_only_latency if path == "nc" else truth.l1_latency
            inner = first if path not in ("cg", "volatile") and size <= truth.l1_bytes else truth.l2_latency
            each = longer + (inner if size <= truth.l2_bytes else truth.memory_latency)
            settings = {"path": path, "bytes": size}
            point = ok_point(name, settings, work={"steps": 64.0}, facts={"bytes_actual": size})
            found.append(Simulated(point, (64 * each * 8 + EMPTY,), 8))
    return asked(name), found


def on_chip(truth: GpuTruth) -> Question:
    name = "memory_hierarchy/on_chip_sweep"
    found = []
    for path, most in (("shared", 232448), ("constant", 65536), ("local", 16384)):
        for size in (512, 1024, 2048, 4096, 8192, 16384, 32768, 49152, 65536, 98304, 131072, 163840, 229376):
            if size > most:
                continue
            if path == "constant":
                level = sum(size > end for end in truth.constant_bytes)
                each = truth.constant_latency[level]
            else:
                each = truth.shared_latency if path == "shared" else truth.l1_latency
            settings = {"path": path, "bytes": size}
            point = ok_point(name, settings, work={"steps": 64.0}, facts={"bytes_actual": size})
            found.append(Simulated(point, (64 * each * 8 + EMPTY,), 8))
    return asked(name), found


def walk(truth: GpuTruth) -> Question:
    """Cached loads: the first of a line takes longest, the first of a sector misses, the others hit."""
    name = "memory_hierarchy/sector_trace"
    found = []
    for path in ("ca", "cg"):
        for stride in (16, 32, 64, 128):
            places = [number * stride for number in range(WALK)]
            if path == "cg":
                rows = [truth.sector_miss for _ in places]
            else:
                rows = [
                    truth.line_miss if place % truth.line == 0
                    else truth.sector_miss if place % truth.sector == 0
                    else truth.l1_latency
                    for place in places
                ]  # fmt: skip
            point = ok_point(name, {"path": path, "stride": stride}, work={"steps": 1.0})
            found.append(Simulated(point, tuple(row + EMPTY for row in rows)))
    return asked(name), found


def lines(truth: GpuTruth) -> Question:
    """What a miss of the first level brings is a sector, whatever the line that its tag is for."""
    name = "memory_hierarchy/stride_sweep"
    found = []
    for path in ("ca", "nc"):
        for offset in (8, 16, 24, 32, 40, 64, 96, 120, 128, 136, 192, 256):
            second = truth.l1_latency if offset < truth.sector else truth.l2_latency
            point = ok_point(name, {"path": path, "offset": offset}, work={"steps": 64.0})
            found.append(Simulated(point, (32 * (truth.l2_latency + second) * 8 + EMPTY,), 8))
    return asked(name), found


def conflicts(truth: GpuTruth) -> Question:
    """Lines some power of two apart fall into one set, or into as many as the distance is short of a way."""
    name = "memory_hierarchy/cache_conflict"
    found = []
    way = truth.l1_bytes // truth.ways
    for stride in (4096, 8192, 16384, 32768):
        for count in (2, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64):
            each = -(-count // max(1, way // stride))
            cycles = truth.l1_latency if each <= truth.ways else truth.l2_latency
            point = ok_point(name, {"stride": stride, "count": count}, work={"steps": 64.0})
            found.append(Simulated(point, (64 * cycles * 8 + EMPTY,), 8))
    return asked(name), found


def translation(truth: GpuTruth) -> Question:
    name = "memory_hierarchy/tlb_reach"
    found = []
    for stride in (65536, 2097152):
        for count in (8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096):
            entries = -(-count * stride // truth.tlb_distance)
            each = truth.l2_latency + (truth.tlb_penalty if entries > truth.tlb_entries else 0.0)
            point = ok_point(name, {"stride": stride, "count": count}, work={"steps": 64.0})
            found.append(Simulated(point, (64 * each * 8 + EMPTY,), 8))
    return asked(name), found


def clusters(truth: GpuTruth) -> Question:
    name = "memory_hierarchy/distributed_shared"
    found = []
    for size in (2, 4, 8, 16):
        for peer in ("own", "next", "last"):
            each = truth.cluster_own if peer == "own" else truth.cluster_other
            point = ok_point(name, {"cluster": size, "peer": peer}, work={"steps": 32.0})
            found.append(Simulated(point, (32 * each + EMPTY,)))
    return asked(name), found


def copies(truth: GpuTruth) -> Question:
    name = "memory_hierarchy/bulk_copy"
    found = []
    for copy in ("load", "store", "tile_load"):
        for size in (16, 256, 1024, 2048, 4096, 16384, 32768, 65536, 131072, 196608):
            each = truth.copy_fixed + max(size, truth.copy_least) / truth.copy_rate
            point = ok_point(name, {"copy": copy, "bytes": size}, work={"bytes": float(size)})
            found.append(Simulated(point, (16 * each + EMPTY,), 16))
    return asked(name), found


def streams(truth: GpuTruth) -> Question:
    name = "memory_hierarchy/bandwidth_saturation"
    found = []
    for kernel, part in (("read", 1.0), ("copy", 0.9), ("triad", 0.92)):
        for size, best in ((1 << 25, truth.l2_rate), (1 << 30, truth.memory_rate)):
            for blocks, share in ((1, truth.one_share), (512, 0.7), (1024, 1.0)):
                settings = {"kernel": kernel, "width": 16, "blocks": blocks, "bytes": size}
                cycles = size / (best * part * share) * truth.clock_hz
                point = ok_point(name, settings, work={"bytes": 64.0}, facts={"bytes_actual": size})
                found.append(Simulated(point, (cycles + EMPTY,), size // 64))
        # a first level that does not replace what is oldest still holds some of few bytes, turn after turn
        size = 1 << 21
        settings = {"kernel": kernel, "width": 16, "blocks": 1, "bytes": size}
        missing = 1 - STILL_HELD * truth.l1_bytes / size
        cycles = size * missing / (truth.l2_rate * part * truth.one_share) * truth.clock_hz
        point = ok_point(name, settings, work={"bytes": 64.0}, facts={"bytes_actual": size})
        found.append(Simulated(point, (cycles + EMPTY,), size // 64))
    return asked(name), found


def first_level(truth: GpuTruth) -> Question:
    """Every block goes round a part of its own, which stays in the first cache of its multiprocessor."""
    name = "memory_hierarchy/bandwidth_first_level"
    found = []
    for width, share in ((4, 0.5), (8, 0.9), (16, 1.0)):
        for each in (2, 4):
            blocks = each * truth.multiprocessors
            settings = {"kernel": "read", "width": width, "blocks_each": each, "block_bytes": 16 * KIB}
            size = blocks * 16 * KIB
            cycles = size / (truth.l1_rate * share * (1.0 if each == 4 else FEW_BLOCKS)) * truth.clock_hz
            facts = {"bytes_actual": size, "blocks": blocks}
            point = ok_point(name, settings, work={"bytes": 64.0}, facts=facts)
            found.append(Simulated(point, (cycles + EMPTY,), size // 64))
    return asked(name), found


def reads(truth: GpuTruth) -> Question:
    """All multiprocessors read rising sizes ; beyond the capacity more and more comes from memory."""
    name = "memory_hierarchy/l2_capacity_all"
    found = []
    for size in (*range(16 * MIB, 64 * MIB + 1, 4 * MIB), 80 * MIB, 96 * MIB, 128 * MIB):
        missing = min(1.0, max(0.0, 4 * (size / truth.l2_of_all - 1)))
        each = (1 - missing) / truth.l2_rate + missing / truth.memory_rate
        settings = {"kernel": "read", "width": 16, "blocks": 256, "bytes": size}
        point = ok_point(name, settings, work={"bytes": 64.0}, facts={"bytes_actual": size})
        found.append(Simulated(point, (size * each * truth.clock_hz + EMPTY,), size // 64))
    return asked(name), found


QUESTIONS = (
    distances, working_set, chases, on_chip, walk, lines, conflicts, translation, clusters, copies, streams,
    first_level, reads,
)  # fmt: skip
