"""Latency curves of the simulated memory hierarchy."""

from __future__ import annotations

import math

import numpy as np

from tests.simulated.placement import chance_misses, misses
from tests.simulated.truth import MIB, CpuTruth, TrueCache

HUGE = 2 * MIB


def miss_ratio(cache: TrueCache, working_set: float) -> float:
    """Share of accesses of a random cyclic chase over `working_set` bytes that miss `cache`, by formula."""
    if cache.smear:
        octaves = math.log2(working_set / (cache.size * cache.half_height))
        return 0.5 * (1 + math.erf(octaves / cache.smear / math.sqrt(2)))
    if cache.policy == "random":
        return max(0.0, 1 - cache.size / working_set)
    return min(1.0, max(0.0, (working_set / cache.size - 1) * cache.ways))


def cache_latency(truth: CpuTruth, working_set: float) -> float:
    """Mean cycles of an access, address translation left out."""
    latencies = [cache.latency for cache in truth.caches[1:]] + [truth.dram_latency]
    total = truth.caches[0].latency
    previous = total
    reached = 1.0
    for cache, latency in zip(truth.caches, latencies, strict=True):
        reached = min(reached, miss_ratio(cache, working_set))
        total += (latency - previous) * reached
        previous = latency
    return total


def placed_latency(truth: CpuTruth, working_set: float, pages: str, rng: np.random.Generator) -> float:
    """Mean cycles of an access in one visit, address translation left out, on pages drawn for it."""
    huge = pages == "huge" and truth.huge_granted and truth.contiguous
    page = HUGE if huge else truth.page
    latencies = [cache.latency for cache in truth.caches[1:]] + [truth.dram_latency]
    total = previous = truth.caches[0].latency
    reached = 1.0
    for cache, latency in zip(truth.caches, latencies, strict=True):
        share = misses(cache, working_set, page, rng) if cache.placed else miss_ratio(cache, working_set)
        reached = min(reached, share)
        if not reached:
            break
        total += (latency - previous) * reached
        previous = latency
    return total


def _buffer(policy: str, entries: int, pages: float) -> float:
    """Share of accesses that miss a translation buffer.

    `random` is by the formula for accesses in random order, `chance` for those in turn.
    """
    if policy == "chance":
        return chance_misses(entries, pages)
    if policy == "random":
        return max(0.0, 1 - entries / pages)
    return min(1.0, max(0.0, pages - entries))


def translation(truth: CpuTruth, pages: float) -> float:
    """Mean cycles that `pages` touched in turn add to an access."""
    first = truth.dtlb1_penalty * _buffer(truth.dtlb_policy, truth.dtlb1, pages)
    return first + truth.dtlb2_penalty * _buffer(truth.dtlb_policy, truth.dtlb2, pages)


def chase_latency(truth: CpuTruth, working_set: float, pages: str) -> float:
    """Mean cycles of a chase over `working_set` bytes on `4k` or `huge` pages."""
    latency = cache_latency(truth, working_set)
    if pages == "huge" and truth.huge_granted:
        return latency
    return latency + translation(truth, working_set / truth.page)


def level_of(truth: CpuTruth, working_set: float) -> str:
    """Name of the level that serves `working_set` bytes."""
    for cache in truth.caches:
        if working_set <= cache.size:
            return cache.name
    return "dram"
