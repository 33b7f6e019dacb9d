"""Mixtures of experts that an exporter wrote out as comparisons, places and products."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reportgen.workload.count import count
from reportgen.workload.routing import Choice, Routes

pytest.importorskip("onnx", reason="the extra 'onnx' is not installed")

from tests.unit.workload.onnx_models import FLOAT, INT64, constant, model, node, saved, value, weight

WIDTH, HIDDEN, EXPERTS, K = 32, 64, 8, 2


def mixture(tokens: int, by: str = "OneHot") -> Any:
    """The sparse block of a language model: router, then expert after expert on the tokens sent to it."""
    weights = [
        weight("router", (WIDTH, EXPERTS)),
        constant("k", [K]),
        constant("depth", EXPERTS),
        constant("values", [0, 1]),
        constant("row", 1),
    ]
    nodes = [
        node("MatMul", ["x", "router"], ["scores"]),
        node("Softmax", ["scores"], ["shares"], axis=-1),
        node("TopK", ["shares", "k"], ["best", "which"], axis=-1),
    ]
    if by == "OneHot":
        nodes += [
            node("OneHot", ["which", "depth", "values"], ["code"]),
            node("Transpose", ["code"], ["masks"], perm=[2, 1, 0]),
        ]
    out = "x"
    for one in range(EXPERTS):
        weights += [
            constant(f"e{one}", one),
            weight(f"up{one}", (WIDTH, HIDDEN), one),
            weight(f"down{one}", (HIDDEN, WIDTH), 20 + one),
        ]
        mask = ("Gather", ["masks", f"e{one}"]) if by == "OneHot" else ("Equal", ["which", f"e{one}"])
        nodes += [
            node(*mask, [f"mask{one}"]),
            node("NonZero", [f"mask{one}"], [f"places{one}"]),
            node("Gather", [f"places{one}", "row"], [f"tokens{one}"], axis=0),
            node("Gather", ["x", f"tokens{one}"], [f"in{one}"], axis=0),
            node("MatMul", [f"in{one}", f"up{one}"], [f"h{one}"]),
            node("Relu", [f"h{one}"], [f"a{one}"]),
            node("MatMul", [f"a{one}", f"down{one}"], [f"y{one}"]),
            node("Unsqueeze", [f"tokens{one}", "last"], [f"at{one}"]),
            node("ScatterND", [out, f"at{one}", f"y{one}"], [f"out{one}"], reduction="add"),
        ]
        out = f"out{one}"
    weights.append(constant("last", [1]))
    size = (tokens, WIDTH)
    return model(nodes, [value("x", size, FLOAT)], [value(out, size, FLOAT)], weights)


@pytest.mark.parametrize("by", ["OneHot", "Equal"])
@pytest.mark.parametrize("tokens", [16, 5])
def test_experts_get_the_tokens_that_are_sent_to_them(tmp_path: Path, tokens: int, by: str) -> None:
    found = count(saved(tmp_path, mixture(tokens, by)))
    assert found.exact, found.uncounted
    assert found.total.mac == tokens * WIDTH * EXPERTS + tokens * K * 2 * WIDTH * HIDDEN
    told = [doubt for doubt in found.doubts if "mixture of experts" in doubt]
    assert len(told) == 1
    assert f"each of {tokens} tokens to 2 of 8" in told[0]


def test_the_weights_of_an_expert_without_a_token_are_not_read(tmp_path: Path) -> None:
    found = count(saved(tmp_path, mixture(1)))
    assert found.total.mac == WIDTH * EXPERTS + K * 2 * WIDTH * HIDDEN
    assert found.traffic.weights == 4 * (WIDTH * EXPERTS + K * 2 * WIDTH * HIDDEN)
    assert found.memory.weights == 4 * (WIDTH * EXPERTS + EXPERTS * 2 * WIDTH * HIDDEN)


def test_places_that_no_router_chose_stay_unknown(tmp_path: Path) -> None:
    nodes = [
        node("NonZero", ["x"], ["places"]),
        node("Gather", ["x", "places"], ["y"]),
        node("MatMul", ["y", "w"], ["z"]),
    ]
    made = model(
        nodes, [value("x", (4, 8), INT64)], [value("z", None, FLOAT)], [weight("w", (8, 8))]
    )  # fmt: skip
    assert not count(saved(tmp_path, made)).exact


def test_shares_add_up_whatever_the_number_of_tokens() -> None:
    for tokens in range(1, 20):
        choice = Choice(tokens, K, EXPERTS)
        assert sum(choice.next_share() for _ in range(EXPERTS)) == tokens * K


def test_a_choice_of_all_is_none() -> None:
    routes: Routes[str] = Routes()
    routes.choose("all", 4, 8, 8)
    routes.follow("OneHot", ["all"], ["code"])
    assert routes.hits("code", 32) is None
    routes.choose("two", 4, 2, 8)
    routes.follow("Softmax", ["two"], ["lost"])
    routes.follow("OneHot", ["lost"], ["code"])
    assert routes.hits("code", 64) is None
    routes.follow("OneHot", ["two"], ["code"])
    assert routes.hits("code", 64) == (8, routes.chosen["two"])
