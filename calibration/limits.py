"""What the numbers must keep to: one line for each that does not."""

from __future__ import annotations

from collections.abc import Iterator

from calibration.counts import (
    AGAINST,
    COVERED,
    LEAST_FINDINGS,
    WITHIN,
    Calibration,
    Cores,
    Gpus,
    Share,
    ends_against_truth,
    meaning_of,
)


def broken(numbers: Calibration, *, allowing: bool = False) -> list[str]:
    """Limits that do not hold.

    Args:
        numbers: of any number of devices.
        allowing: whether a limit holds when the interval of the share reaches it, as it must for a sample
            that is too small to tell.  The median width of a few intervals is then not asked for.
    """
    return [
        *broken_of(numbers.cores, allowing=allowing),
        *(f"GPUs: {line}" for line in broken_of(numbers.gpus, allowing=allowing)),
    ]


def broken_of(part: Cores | Gpus, *, allowing: bool = False) -> list[str]:
    """The same of one part.

    Of GPUs, fewer than cores, no share is known to a point: a limit holds where the interval of the share
    reaches it.  Their hypotheses end against the truth in few cases, plain and troubled devices together.
    """
    ends = _ends_of_hypotheses(part) if isinstance(part, Gpus) else ()
    return [*_intervals(part, allowing), *_reliability(part, allowing), *ends]


def _intervals(part: Cores | Gpus, allowing: bool) -> Iterator[str]:
    least, most = COVERED
    for one in part.intervals:
        meaning = meaning_of(part, one)
        share = one.share
        low, high = _ends(share, allowing or meaning.single or isinstance(part, Gpus))
        if high < least or (low > most and not meaning.bracket):
            yield f"{meaning.title}: {share.value:.1%} of {share.count} intervals hold the truth"
        if one.half > meaning.widest and not (allowing and share.count < LEAST_FINDINGS):
            yield f"{meaning.title}: median half width {one.half:g}, at most {meaning.widest:g} is stated"


def _reliability(part: Cores | Gpus, allowing: bool) -> Iterator[str]:
    for one in part.reliability:
        low, high = _ends(one.right, allowing)
        if one.enough and not low - WITHIN <= one.confidence <= high + WITHIN:
            yield (
                f"confidence {one.low:.1f} to {one.high:.1f}: {one.right.value:.1%} of {one.right.count} "
                f"findings are right, {one.confidence:.1%} is their mean confidence"
            )


def _ends_of_hypotheses(part: Gpus) -> Iterator[str]:
    decided, wrong = ends_against_truth(part.hypotheses)
    if decided >= LEAST_FINDINGS and wrong > AGAINST * decided:
        yield f"hypotheses: {wrong} of {decided} that are decided end against the truth"


def _ends(share: Share, allowing: bool) -> tuple[float, float]:
    return (share.low, share.high) if allowing else (share.value, share.value)
