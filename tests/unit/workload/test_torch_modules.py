"""Modules of torch itself, exported and counted; skipped where torch is not installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import reportgen
from reportgen.workload.count import Count, count

torch = pytest.importorskip("torch", reason="torch is not installed")
nn = torch.nn

# Of torch's own making, in its exporter.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


def counted(module: Any, *args: Any) -> Count:
    return count(reportgen.from_torch(module, args))


class Calls(nn.Module):  # type: ignore[misc, name-defined]
    """A function as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Any) -> Any:
        return self.function(*args)


class Residual(nn.Module):  # type: ignore[misc, name-defined]
    """The block of a ResNet where the picture shrinks."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(16, 32, 3, 2, 1, bias=False)
        self.second = nn.Conv2d(32, 32, 3, 1, 1, bias=False)
        self.beside = nn.Sequential(nn.Conv2d(16, 32, 1, 2, bias=False), nn.BatchNorm2d(32))

    def forward(self, x: Any) -> Any:
        return torch.relu(self.second(torch.relu(self.first(x))) + self.beside(x))


def test_a_block_of_a_resnet() -> None:
    found = counted(Residual(), torch.empty(1, 16, 32, 32))
    assert found.exact
    assert found.total.mac == 16 * 16 * 32 * (16 * 9 + 32 * 9 + 16)
    assert found.by_module(1)["second"].work.mac == 16 * 16 * 32 * 32 * 9


class Attention(nn.Module):  # type: ignore[misc, name-defined]
    """scaled_dot_product_attention, perhaps with fewer key heads, perhaps with a mask made on the way."""

    def __init__(self, kv_heads: int = 4, **options: Any) -> None:
        super().__init__()
        self.masked = options.pop("masked", False)
        self.kv_heads, self.options = kv_heads, options
        self.q, self.kv = nn.Linear(64, 64), nn.Linear(64, 32 * kv_heads)

    def forward(self, x: Any) -> Any:
        batch, length, _ = x.shape
        q = self.q(x).view(batch, length, 4, 16).transpose(1, 2)
        k, v = self.kv(x).view(batch, length, 2, self.kv_heads, 16).permute(2, 0, 3, 1, 4)
        mask = torch.ones(length, length, dtype=torch.bool).tril() if self.masked else None
        return nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, **self.options)


@pytest.mark.parametrize(
    ("module", "kv_heads", "causal"),
    [
        (Attention(), 4, None),
        (Attention(is_causal=True), 4, True),
        (Attention(masked=True), 4, None),
        (Attention(2, enable_gqa=True), 2, None),
    ],
)
def test_attention(module: Any, kv_heads: int, causal: bool | None) -> None:
    found = counted(module, torch.empty(1, 10, 64))
    assert found.exact
    (one,) = found.attention.found
    assert (found.attention.expected, one.core.kv_heads) == (1, kv_heads)
    assert found.attention.mac_full == 2 * 4 * 10 * 10 * 16
    assert found.attention.mac_causal == 2 * 4 * 55 * 16
    assert found.total.mac == 10 * 64 * (64 + 32 * kv_heads) + found.attention.mac_full
    if causal:
        assert one.core.causal


@pytest.mark.parametrize(
    ("module", "shape", "mac"),
    [
        (nn.LSTM(32, 64, 2, bidirectional=True, batch_first=True), (2, 5, 32), 10 * 2 * 256 * (96 + 192)),
        (nn.LSTM(32, 64, proj_size=16), (5, 2, 32), 10 * (256 * 48 + 64 * 16)),
        (nn.GRU(32, 64), (5, 2, 32), 10 * 192 * 96),
        (nn.RNN(32, 64), (5, 2, 32), 10 * 64 * 96),
        (nn.LSTMCell(32, 64), (2, 32), 2 * 256 * 96),
    ],
)
def test_recurrent_layers(module: Any, shape: tuple[int, ...], mac: int) -> None:
    found = counted(module, torch.empty(shape))
    assert (found.total.mac, found.exact) == (mac, True)


def test_a_module_that_is_called_twice_and_its_weights_once() -> None:
    class Twice(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(16, 16)

        def forward(self, x: Any) -> Any:
            return self.layer(self.layer(x))

    found = counted(Twice(), torch.empty(2, 16))
    assert found.total.mac == 1024
    assert found.by_module()["layer"].work.mac == 1024
    assert found.traffic.weights == found.memory.weights == (256 + 16) * 4


def test_tied_weights_are_one() -> None:
    class Tied(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.table, self.out = nn.Embedding(100, 16), nn.Linear(16, 100, bias=False)
            self.out.weight = self.table.weight

        def forward(self, ids: Any) -> Any:
            return self.out(self.table(ids))

    found = counted(Tied(), torch.zeros(2, 5, dtype=torch.int64))
    assert found.total.mac == 10 * 1600
    assert found.memory.weights == 6400


@pytest.mark.parametrize(
    ("function", "shapes", "mac"),
    [
        (lambda a, b: torch.tensordot(a, b, 1), ((4, 6), (6, 8)), 192),
        (lambda a, b: torch.linalg.multi_dot([a, b]), ((4, 6), (6, 8)), 192),
        (lambda a: nn.functional.cross_entropy(a, torch.tensor([0, 1, 2, 3])), ((4, 6),), 0),
        (lambda a: nn.functional.glu(nn.functional.normalize(a)), ((4, 6),), 0),
        (lambda a: torch.zeros(4, 6).index_add(0, torch.tensor([0, 1]), a[:2]), ((4, 6),), 0),
    ],
)
def test_operators_without_a_rule_are_taken_apart(
    function: Callable[..., Any], shapes: tuple[tuple[int, ...], ...], mac: int
) -> None:
    found = counted(Calls(function), *map(torch.empty, shapes))
    assert found.exact, found.uncounted
    assert found.total.mac == mac


def test_transforms_cost_five_n_log_n() -> None:
    found = counted(Calls(lambda a: torch.fft.fft(a.to(torch.complex64)).real), torch.empty(3, 64))
    assert found.total.flop == 3 * 5 * 64 * 6
    found = counted(Calls(lambda a: torch.fft.irfft(torch.fft.rfft(a))), torch.empty(3, 64))
    assert found.total.flop == 2 * 3 * 5 * 64 * 6 // 2


class Mixture(nn.Module):  # type: ignore[misc, name-defined]
    """Expert after expert on the tokens that the router sends to it."""

    def __init__(self) -> None:
        super().__init__()
        self.router = nn.Linear(32, 8, bias=False)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(32, 64, bias=False), nn.SiLU(), nn.Linear(64, 32, bias=False))
            for _ in range(8)
        )

    def forward(self, x: Any) -> Any:
        shares, which = torch.topk(torch.softmax(self.router(x), -1), 2, -1)
        masks = nn.functional.one_hot(which, 8).permute(2, 1, 0)
        out = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            place, token = torch.where(masks[number])
            out.index_add_(0, token, expert(x[token]) * shares[token, place, None])
        return out


def test_a_mixture_of_experts_that_is_a_loop() -> None:
    found = counted(Mixture(), torch.empty(16, 32))
    assert found.exact, found.uncounted
    assert found.total.mac == 16 * 32 * 8 + 16 * 2 * 2 * 32 * 64
    assert any("each of 16 tokens to 2 of 8" in doubt for doubt in found.doubts)


def test_a_size_that_only_the_data_say_is_unknown() -> None:
    found = counted(Calls(lambda x: x[x > 0].sum()), torch.empty(4, 4))
    assert not found.exact


def test_branches_and_loops() -> None:
    def branch(a: Any) -> Any:
        return torch.cond(a.sum() > 0, lambda z: z @ z, lambda z: z + 1, (a,))

    found = counted(Calls(branch), torch.empty(4, 4))
    assert (found.total.mac, found.exact) == (64, True)
    assert any("most work" in doubt for doubt in found.doubts)

    def loop(a: Any) -> Any:
        from torch._higher_order_ops.while_loop import while_loop

        return while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y @ y), (torch.tensor(0), a))

    found = counted(Calls(loop), torch.empty(4, 4))
    assert (found.total.mac, found.exact) == (64, False)
