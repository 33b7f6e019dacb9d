"""A loop, round after round, on the resources of a device: how long it takes when nobody plans ahead.

Bounds assume a scheduler that knows what will come.  A core does not: it issues in program order, picks a
resource for a computation there and then (the one for which fewest wait, of equals the one longest unused),
and each resource takes the oldest of its operations whose operands are there.  Choices that turn out badly
cost cycles that no bound shows.  Loads and stores take any of their resources when their address is there and
no computation keeps it.

What is simulated: issue of so many slots a cycle; a window of instructions in flight; every instruction as
a load, a computation and a store, each with its own operands; latencies and resources as measured.  What is
not: fetch, decoding, mispredicted branches, misses.

The early choice is how AMD's and Intel's cores are described (Abel and Reineke, "uiCA", ICS 2022, for Intel).
That loads and stores choose late is not described there: loops that were looked at while the model was made
are nearer to it (a mean error of 7.3 % instead of 8.1 %), and mixes of two operations do not tell.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from reportgen.model.cost import graph
from reportgen.model.cost.fusion import fuses
from reportgen.model.cost.instruction import Instruction
from reportgen.model.cost.latency import Latencies
from reportgen.model.cost.machine import Machine, Step
from reportgen.model.cost.uses import Demand, Uses
from reportgen.model.cost.x86_64 import Part, Taken

WINDOW = 224
"""Instructions in flight, where a run did not ask: recent cores have 200 to 500, and few loops need more."""
ROUNDS = 96
"""Simulated; the first half fills the window."""
MOST_STEPS = 60_000
"""Operations simulated at most: a long body gets fewer rounds, at least `LEAST_ROUNDS`."""
LEAST_ROUNDS = 12
WHOLE = 0.06
"""An operation's cycles this close to a whole number are it: the rest is what was mismeasured."""


def simulate(
    body: Sequence[Instruction],
    taken: Mapping[Instruction, Taken],
    latencies: Latencies,
    uses: Uses,
    width: float,
    window: int = WINDOW,
) -> float:
    """Cycles of a round.

    Args:
        body: one round.
        taken: what each instruction is in terms of operations.
        latencies: of operations.
        uses: resources of operations.
        width: slots that are issued a cycle.
        window: instructions in flight.
    """
    steps = _steps(body, taken, latencies, uses)
    rounds = max(LEAST_ROUNDS, min(ROUNDS, MOST_STEPS // max(1, len(steps))))
    return Machine(steps, width, rounds, window).run()


def _steps(
    body: Sequence[Instruction], taken: Mapping[Instruction, Taken], latencies: Latencies, uses: Uses
) -> list[Step]:
    """Steps of a round, with what they need of each other."""
    steps: list[Step] = []
    result: list[int] = []  # instruction -> the step that makes its result
    loads: list[int | None] = []
    stores: list[int | None] = []
    before: Instruction | None = None
    for one in body:
        what = taken[one]
        wants = list(what.parts)
        computing = wants.pop(0) if what.computes else None
        first = len(steps)
        load = store = None
        if one.loads:
            load = len(steps)
            wanted = [part for part in wants if "load" in part.operation]
            steps.append(Step(_demands(uses, wanted), _rounded(latencies.loading(one)), late=True))
        made = len(steps)
        if computing is not None or not one.memory:
            wanted = [computing] if computing is not None and not what.eliminated else []
            steps.append(Step(_demands(uses, wanted), _rounded(latencies.computing(one))))
        elif load is not None:
            made = load
        if one.stores:
            store = len(steps)
            wanted = [part for part in wants if "store" in part.operation]
            steps.append(Step(_demands(uses, wanted), 0.0, late=True))
            made = made if made < store else store
        steps[first].slots = 0 if before is not None and fuses(before, one) else 1
        result.append(made)
        loads.append(load)
        stores.append(store)
        before = one
    data: dict[int, list[tuple[int, int]]] = {}  # store -> what makes the value that it stores
    for parts in zip(loads, result, stores, strict=True):
        own = [step for step in parts if step is not None]
        for first, second in itertools.pairwise(own):
            if first < second:
                steps[second].needs.append((first, 0))
                data[second] = [(first, 0)]
    for edge in graph.edges(body):
        one = body[edge.target]
        if edge.register in (graph.MEMORY, graph.OVERLAP):
            source, target = stores[edge.source], loads[edge.target]
            cycles = latencies.forwarded(one, edge)
            if source is not None and target is not None and cycles is not None:
                # what comes by the name of its register does not wait for the store either
                made_by = data.get(source, []) if not cycles else [(source, 0)]
                steps[target].forwarded += [
                    (step, edge.rounds + rounds, _rounded(cycles)) for step, rounds in made_by
                ]
            continue
        address = one.address is not None and edge.register in (one.address.base, one.address.index)
        targets = (
            {loads[edge.target], stores[edge.target]} - {None}
            if address and one.memory
            else set[int | None]()
        )
        if not address or not one.memory or _also_value(one, edge.register):
            targets.add(result[edge.target])
        for target in targets:
            if target is not None:
                steps[target].needs.append((result[edge.source], edge.rounds))
                if target == stores[edge.target] == result[edge.target] and not address:
                    data.setdefault(target, []).append((result[edge.source], edge.rounds))
    return steps


def _also_value(one: Instruction, register: str) -> bool:
    """Whether a register of the address is a source beside that; rare, and only told for copies to itself."""
    return (
        register in one.writes and one.stores == 0 and one.mnemonic not in ("mov", "movzx", "movsx", "movsxd")
    )


def _demands(uses: Uses, parts: Sequence[Part]) -> list[Demand]:
    found = ((uses.demand(part.operation), part.asked) for part in parts)
    return [_asked(demand, share) for demand, share in found if demand is not None]


def _asked(demand: Demand, share: float) -> Demand:
    return Demand(demand.resources, _rounded(demand.cycles * share), demand.low, demand.how)


def _rounded(cycles: float) -> float:
    near = float(round(cycles))
    return near if abs(cycles - near) <= WHOLE * max(1.0, near) else cycles
