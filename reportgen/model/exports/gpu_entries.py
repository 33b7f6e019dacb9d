"""Entries of the data dictionary about what only a GPU has: pattern, title, unit, text, method, caveat."""

from __future__ import annotations

ROWS: tuple[tuple[str, str, str, str, str, str], ...] = (
    (
        "memory.<path>.<level>.capacity",
        "capacity by a load path",
        "byte",
        (
            "Interval from the largest working set that loads by this path still serve at the latency of "
            "a level to the smallest that they do not."
        ),
        "boundary",
        "Levels are counted along the path: the first one of loads that pass L1 by is L2 of the device.",
    ),
    (
        "memory.<level>.capacity.all_multiprocessors",
        "capacity for all multiprocessors",
        "byte",
        (
            "Interval from the largest working set that all multiprocessors together read at the rate of a "
            "level to the smallest that they read more slowly."
        ),
        "gpu",
        "A chase from one multiprocessor may see another size: of the part of the cache that answers it.",
    ),
    (
        "memory.<path>.<level>.latency",
        "load latency by a load path",
        "cycle",
        "Cycles of a dependent load by this path while the working set is in the range of the level.",
        "boundary",
        "Levels are counted along the path.",
    ),
    (
        "memory.<path>.<level>.latency_time",
        "load latency by a load path in time",
        "second",
        "The same in seconds of the device's timer.",
        "boundary",
        "At the clock that the multiprocessor had then.",
    ),
    (
        "memory.<path>.line",
        "cache line by a load path",
        "byte",
        (
            "Smallest distance of two loads by this path at which the second is not served together with "
            "the first."
        ),
        "boundary",
        "Where a line is filled in sectors this is the sector.",
    ),
    (
        "memory.<level>.distance.<side>",
        "near and far lines",
        "cycle",
        (
            "Latency of the lines of a cache that are near to, or far from, the multiprocessor that asks;"
            " one group only, called near, where all are alike."
        ),
        "gpu",
        "Over the multiprocessors that were asked; which lines are near differs from one to the other.",
    ),
    (
        "memory.sector.<path>",
        "sector",
        "byte",
        "Distance at which loads of a walk through memory miss: what one miss brings.",
        "gpu",
        (
            "No finer than the smallest stride of the walk; its lower end is the largest distance that "
            "still hit."
        ),
    ),
    (
        "memory.sector.<path>.outer",
        "distance of the slowest misses",
        "byte",
        "Distance at which misses come that are slower than the others.",
        "gpu",
        (
            "May be a line, a row of memory or a page: the walk shows how far apart they are, not what "
            "they are."
        ),
    ),
    (
        "memory.<tlb>.reach_<distance>",
        "TLB reach by the distance of addresses",
        "count",
        "Addresses 64 KiB (64k) or 2 MiB (2m) apart that can be touched before loads become slower.",
        "gpu",
        "Count times distance is the reach; addresses that share a page share an entry.",
    ),
    (
        "memory.cluster.<blocks>.<peer>",
        "distributed shared memory",
        "cycle",
        (
            "Cycles of a dependent load from the shared memory of a block of the same cluster: its own, "
            "the next, the last."
        ),
        "gpu",
        "All loads go through the cluster's address window, also those to the block's own memory.",
    ),
    (
        "memory.bulk.<copy>.fixed",
        "fixed time of a bulk copy",
        "cycle",
        (
            "Part of the time of one copy by the copy unit, from its order to its end, that does not "
            "depend on its size."
        ),
        "gpu",
        "One copy at a time; the source lies in the second-level cache after the first copy.",
    ),
    (
        "memory.bulk.<copy>.rate",
        "rate of a bulk copy",
        "byte/cycle",
        "Bytes a cycle that a larger copy takes more time for.",
        "gpu",
        "Of one block with one copy at a time: several in flight move more.",
    ),
    (
        "memory.tile.swizzle.<bytes>",
        "swizzled over plain tile copy",
        "ratio",
        (
            "Cycles of a copy of a tile with rows of so many bytes, swizzled in shared memory, over those of "
            "the same tile without swizzle."
        ),
        "gpu",
        "The source lies in the second-level cache; where each word of the tile lies was checked.",
    ),
    (
        "memory.tile.promotion.<bytes>",
        "promoted over plain tile walk",
        "ratio",
        (
            "Cycles of a walk through adjoining tiles with rows of 32 bytes, each miss bringing so many "
            "bytes into the second-level cache (L2 promotion), over those of the walk without."
        ),
        "gpu",
        "Before each launch twice the size of the second-level cache is written, so that no tile is cached.",
    ),
    (
        "execution.warp_count_sweep.<operation>.<chains>",
        "rate over warps",
        "instruction/cycle",
        (
            "Plateau of instructions a cycle of one multiprocessor over the warps of a block, by chains a"
            " warp."
        ),
        "plateau",
        "Of one block; the knee is in the details.",
    ),
    (
        "execution.occupancy_sweep.<operation>.<chains>",
        "rate of loads over warps",
        "instruction/cycle",
        "The same of loads from the second-level cache, whose latency many warps hide.",
        "plateau",
        "Of one block; while all multiprocessors load at once, the cache may be the limit.",
    ),
    (
        "execution.shared_bank_strides.banks",
        "banks of shared memory",
        "count",
        "Number of banks that explains the time of a load over the distance of its lanes.",
        "gpu",
        "Of words of 4 bytes, out of 8, 16, 32 and 64.",
    ),
    (
        "execution.shared_bank_strides.conflict",
        "cost of a bank conflict",
        "cycle",
        "Cycles that each further lane in one bank adds.",
        "gpu",
        "A slope over the lanes that meet.",
    ),
    (
        "execution.shared_bank_strides.latency",
        "shared memory without conflict",
        "cycle",
        "Cycles of a dependent load of a warp whose lanes fall into different banks.",
        "gpu",
        "Of all lanes of a warp; a single lane is memory.shared.l1.latency.",
    ),
    (
        "execution.shared_bank_strides.latency_<width>",
        "shared memory, wide loads",
        "cycle",
        "Cycles of a dependent load of 8 or 16 bytes a lane that needs the fewest passes over the banks.",
        "gpu",
        "Such loads go by halves or quarters of a warp; see the number of banks.",
    ),
    (
        "execution.shared_bank_strides.conflict_<width>",
        "cost of a further pass",
        "cycle",
        "Cycles that each further pass over the banks adds to a load of 8 or 16 bytes a lane.",
        "gpu",
        "Passes follow from the stride and the number of banks that loads of one word found.",
    ),
    (
        "execution.register_pressure.<step>",
        "step of register pressure",
        "count",
        "Registers of a thread between which fewer warps stay on a multiprocessor.",
        "gpu",
        "The table of limits is beside it; blocks are many more than fit, and each stays equally long.",
    ),
    (
        "execution.shared_memory_pressure.<step>",
        "step of shared memory",
        "byte",
        "Bytes of shared memory of a block between which fewer warps stay on a multiprocessor.",
        "gpu",
        "The table of limits is beside it; blocks are many more than fit, and each stays equally long.",
    ),
    (
        "execution.block_count_sweep.alone",
        "blocks without sharing",
        "count",
        (
            "Interval from the largest launch whose blocks run as fast as one alone to the smallest whose"
            " do not."
        ),
        "gpu",
        "By the time of the slowest block; the waiting before a block begins is not in it.",
    ),
    (
        "execution.block_count_sweep.crowded",
        "time of a block among many",
        "ratio",
        "Time of the slowest block in the largest launch over that of one alone.",
        "gpu",
        "For a block that fills its multiprocessor this is how many blocks shared it.",
    ),
    (
        "execution.launch_overhead.fixed",
        "launch of an empty kernel",
        "second",
        "Seconds from launch to launch of an empty kernel of one block, in a row of launches.",
        "gpu",
        "Of this driver; a kernel that does something hides part of it.",
    ),
    (
        "execution.launch_overhead.waited",
        "launch with a wait",
        "second",
        "The same where the host waits for each launch before it orders the next.",
        "gpu",
        "Of this driver on this host, whose own speed is in it.",
    ),
    (
        "execution.launch_overhead.block",
        "cost of a further block",
        "second",
        "Seconds that each further block of an empty kernel adds, in a row of launches.",
        "gpu",
        "From one block to the largest launch; blocks that do something add what they take themselves.",
    ),
    (
        "tensor.latency.<operation>",
        "latency of a matrix product",
        "cycle",
        "Cycles of a product that needs the result of the one before; the slope over the length of a chain.",
        "slope",
        "Of products beside their warp (wgmma, tcgen05) it is the distance of products in flight.",
    ),
    (
        "tensor.throughput.<operation>",
        "throughput of a matrix product",
        "instruction/cycle",
        "Products of all warps of one multiprocessor a cycle, on the plateau over independent accumulators.",
        "plateau",
        "Times the work of a product it is the peak per cycle.",
    ),
    (
        "tensor.issue_interval.<operation>",
        "issue interval of a matrix product",
        "cycle/instruction",
        "Cycles per product on that plateau: the reciprocal of the throughput.",
        "plateau",
        "Of one multiprocessor, not of one of its four parts.",
    ),
    (
        "tensor.warps.<operation>",
        "rate of a matrix product over warps",
        "instruction/cycle",
        "The plateau over the warps of a block instead of accumulators.",
        "plateau",
        "A cross-check of tensor.throughput.<operation>.",
    ),
    (
        "chase.<level>.<path>.latency",
        "pointer chase by a load path",
        "cycle",
        "The pointer chase of the level by one load path.",
        "slope",
        "A cross-check of memory.<level>.latency, not an average with it.",
    ),
    (
        "vendor.<routine>.ratio",
        "our rate over the vendor's",
        "ratio",
        (
            "Rate of the suite's own kernel over that of the vendor's routine in the same run: a copy by "
            "level, a matrix product by precision (there our peak over its best size)."
        ),
        "roofline",
        "Below one the roof that our kernel gave is too low. The vendor's machine code was not inspected.",
    ),
)
