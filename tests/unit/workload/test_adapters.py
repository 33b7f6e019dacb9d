"""Adapters of torch and JAX.  Where they are not installed, what they hand over is played."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

import reportgen
from reportgen.errors import UserError
from reportgen.workload.count import Count, count
from reportgen.workload.torch_export import dtype_name, graph_of


@dataclass(eq=False)
class Node:
    """A node of an exported program, with the attributes that the adapter reads."""

    op: str
    target: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    name: str = ""
    meta: dict[str, Any] = field(default_factory=dict)


def val(*shape: int, dtype: str = "torch.float32") -> Any:
    return SimpleNamespace(shape=shape, dtype=dtype)


class Program:
    """Collects nodes as `torch.export` gives them."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.parameters: dict[str, str] = {}
        self.state: dict[str, Any] = {}

    def place(self, name: str, *shape: int, weight: Any = None, dtype: str = "torch.float32") -> Node:
        if weight is not None:
            self.parameters[name] = f"m.{name}"
            self.state[f"m.{name}"] = weight
        node = Node("placeholder", name, name=name, meta={"val": val(*shape, dtype=dtype)})
        self.nodes.append(node)
        return node

    def call(self, target: str, *args: Any, out: Any, scope: str = "", **kwargs: Any) -> Node:
        stack = {"": ("", "M"), scope: (scope, "C")} if scope else {}
        name = f"n{len(self.nodes)}"
        node = Node("call_function", target, args, kwargs, name, {"val": out, "nn_module_stack": stack})
        self.nodes.append(node)
        return node

    def count(self, *outputs: Node) -> Count:
        self.nodes.append(Node("output", "output", (outputs,)))
        program = SimpleNamespace(
            graph=SimpleNamespace(nodes=self.nodes),
            graph_signature=SimpleNamespace(inputs_to_parameters=self.parameters, inputs_to_buffers={}),
            state_dict=self.state,
        )
        return count(graph_of(program, "M"))


def test_a_torch_program_of_layers() -> None:
    made = Program()
    w, b, g = (
        made.place("w", 16, 8, weight=object()),
        made.place("b", 16, weight=object()),
        made.place("g", 16, weight=object()),
    )
    x = made.place("x", 2, 8)
    y = made.call("aten.linear.default", x, w, b, out=val(2, 16), scope="layers.0.fc")
    y = made.call("aten.layer_norm.default", y, [16], g, g, out=val(2, 16), scope="layers.0.norm")
    y = made.call("aten.gelu.default", y, out=val(2, 16), scope="layers.1")
    y = made.call("aten.view.default", y, [32], out=val(32))
    found = made.count(y)
    assert found.exact
    assert found.total.mac == 256
    assert {name: share.work.mac for name, share in found.by_module(2).items()} == {
        "layers.0": 256, "layers.1": 0, "(top)": 0,
    }  # fmt: skip
    assert found.traffic.weights == (128 + 16 + 16) * 4
    assert found.traffic.inputs == 64


def test_a_tied_parameter_of_torch_is_one_weight() -> None:
    made = Program()
    shared = object()
    a, b = made.place("a", 8, 8, weight=shared), made.place("b", 8, 8, weight=shared)
    x = made.place("x", 2, 8)
    y = made.call(
        "aten.linear.default", made.call("aten.linear.default", x, a, out=val(2, 8)), b, out=val(2, 8)
    )
    found = made.count(y)
    assert found.total.mac == 256
    assert found.memory.weights == found.traffic.weights == 256


def test_convolutions_and_attention_of_torch() -> None:
    made = Program()
    x, w = made.place("x", 2, 4, 8, 8), made.place("w", 4, 6, 4, 4, weight=object())
    made.place("unused", 3)
    t = made.call("aten.conv_transpose2d.input", x, w, None, [2, 2], [1, 1], out=val(2, 6, 16, 16))
    q, k = made.place("q", 1, 8, 32, 16), made.place("k", 1, 2, 32, 16)
    a = made.call(
        "aten.scaled_dot_product_attention.default", q, k, k, None, 0.0, True, out=val(1, 8, 32, 16)
    )
    found = made.count(t, a)
    assert found.total.mac == 49152 + 262144
    assert found.attention.mac_causal == 8 * 528 * 32
    assert found.attention.found[0].core.causal is True


def test_operators_of_torch_with_arguments_of_their_own() -> None:
    made = Program()
    x, ids, table = (
        made.place("x", 4, 8),
        made.place("ids", 3, dtype="torch.int64"),
        made.place("t", 100, 8, weight=object()),
    )
    a, b = made.place("a", 4, 6), made.place("b", 6, 8)
    outs = [
        made.call("aten.embedding.default", table, ids, out=val(3, 8)),
        made.call("aten.addmm.default", x, a, b, out=val(4, 8)),
        made.call("aten.pow.Tensor_Scalar", x, 2, out=val(4, 8)),
        made.call("aten.einsum.default", "ij,jk->ik", [a, b], out=val(4, 8)),
        made.call("aten.add_.Tensor", x, x, out=val(4, 8)),
        made.call("aten.cat.default", [x, x], 1, out=val(4, 16)),
        made.call("aten.max.other", x, x, out=val(4, 8)),
        made.call("aten.max.default", x, out=val()),
    ]
    image = made.place("i", 1, 2, 8, 8)
    outs += [
        made.call("aten.max_pool2d.default", image, [2, 2], out=val(1, 2, 4, 4)),
        made.call("aten.adaptive_avg_pool2d.default", image, [1, 1], out=val(1, 2, 1, 1)),
        made.call("aten.group_norm.default", image, 2, out=val(1, 2, 8, 8)),
        made.call("aten.upsample_bilinear2d.vec", image, None, False, [2.0, 2.0], out=val(1, 2, 16, 16)),
    ]
    found = made.count(*outs)
    assert found.exact, found.uncounted
    assert found.total.mac == 192 + 192
    assert found.traffic.weights == 96
    kinds = found.by_kind()
    wanted = {"MaxPool": 128, "Max": 32, "ReduceMax": 31}
    assert {kind: kinds[kind].work.comparison for kind in wanted} == wanted


def test_an_lstm_of_torch_is_counted_with_its_parameters() -> None:
    made = Program()
    x, h = made.place("x", 100, 1, 64), made.place("h", 1, 1, 64)
    params = [
        made.place(f"p{at}", *shape, weight=object())
        for at, shape in enumerate([(256, 64), (256, 64), (256,), (256,)])
    ]
    out = (val(100, 1, 64), val(1, 1, 64), val(1, 1, 64))
    y = made.call("aten.lstm.input", x, [h, h], params, True, 1, 0.0, False, False, False, out=out)
    first = made.call("<built-in function getitem>", y, 0, out=val(100, 1, 64))
    assert made.count(first).total.mac == 3_276_800


def test_an_unknown_operator_of_torch_keeps_its_name() -> None:
    made = Program()
    x = made.place("x", 4)
    found = made.count(made.call("mylib.mystery.default", x, out=val(4)))
    assert list(found.uncounted) == ["mylib.mystery.default"]


@pytest.mark.parametrize(
    ("dtype", "name"),
    [("torch.float32", "float32"), ("torch.bfloat16", "bfloat16"), ("torch.float8_e4m3fn", "float8e4m3fn")],
)
def test_types_of_torch(dtype: str, name: str) -> None:
    assert dtype_name(dtype) == name


@pytest.mark.parametrize(("name", "package"), [("from_torch", "torch"), ("from_jax", "jax")])
def test_without_the_package_the_extra_is_named(
    name: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UserError, match=rf"pip install 'reportgen\[{package}\]'"):
        getattr(reportgen, name)(lambda x: x, 1)


def test_torch_itself() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    layer = torch.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
    before = {name: parameter.device for name, parameter in layer.named_parameters()}
    graph = reportgen.from_torch(layer, (torch.empty(1, 10, 64),))
    assert count(graph).total.mac == 340_480
    assert {name: parameter.device for name, parameter in layer.named_parameters()} == before


class TestJax:
    """With JAX where it is installed."""

    @pytest.fixture
    def jax(self) -> Any:
        return pytest.importorskip("jax", reason="JAX is not installed")

    def shape(self, jax: Any, *sizes: int, dtype: str = "float32") -> Any:
        return jax.ShapeDtypeStruct(sizes, dtype)

    def test_a_scan_counts_its_length(self, jax: Any) -> None:
        def loop(x: Any, w: Any) -> Any:
            return jax.lax.scan(lambda state, _: (state @ w, None), x, None, length=10)[0]

        found = count(reportgen.from_jax(loop, self.shape(jax, 8, 8), self.shape(jax, 8, 8)))
        assert found.total.mac == 5120
        assert found.exact

    def test_attention_is_found(self, jax: Any) -> None:
        def attention(q: Any, k: Any, v: Any) -> Any:
            return jax.nn.softmax(jax.numpy.einsum("bhqd,bhkd->bhqk", q, k)) @ v

        q, k = self.shape(jax, 2, 3, 5, 8), self.shape(jax, 2, 3, 7, 8)
        found = count(reportgen.from_jax(attention, q, k, k))
        assert found.total.mac == found.attention.mac_full == 3360

    def test_grouped_and_transposed_convolutions(self, jax: Any) -> None:
        def depthwise(x: Any, w: Any) -> Any:
            return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", feature_group_count=8)

        def transposed(x: Any, w: Any) -> Any:
            return jax.lax.conv_transpose(x, w, (2, 2), "SAME", dimension_numbers=("NCHW", "OIHW", "NCHW"))

        found = count(
            reportgen.from_jax(depthwise, self.shape(jax, 1, 8, 16, 16), self.shape(jax, 8, 1, 3, 3))
        )
        assert found.total.mac == 18432
        found = count(
            reportgen.from_jax(transposed, self.shape(jax, 2, 4, 8, 8), self.shape(jax, 6, 4, 4, 4))
        )
        assert found.total.mac == 49152

    def test_transforms_solvers_and_groups(self, jax: Any) -> None:
        """What each release of JAX calls differently: types of transforms, scopes, ragged products."""
        numpy = jax.numpy
        fourier = count(
            reportgen.from_jax(lambda x: numpy.fft.irfft(numpy.fft.rfft(x)), self.shape(jax, 3, 64))
        )
        assert fourier.total.flop == 2 * (3 * 5 * 64 * 6 // 2)
        ids = self.shape(jax, 3, dtype="int32")
        mixture = count(
            reportgen.from_jax(jax.lax.ragged_dot, self.shape(jax, 10, 6), self.shape(jax, 3, 6, 8), ids)
        )
        assert mixture.total.mac == 10 * 6 * 8
        solved = count(reportgen.from_jax(numpy.linalg.solve, self.shape(jax, 8, 8), self.shape(jax, 8, 2)))
        assert solved.exact
        assert solved.total.flop > 2 * 8**3 / 3 + 2 * 8 * 16 - 1

    def test_scopes_lose_the_names_of_transforms(self, jax: Any) -> None:
        def model(w: Any, x: Any) -> Any:
            with jax.named_scope("layer"):
                return (x @ w).sum()

        found = count(
            reportgen.from_jax(jax.grad(model), self.shape(jax, 8, 4), self.shape(jax, 2, 8)),
        )
        assert set(found.by_module(1)) <= {"layer", "(top)"}
        assert found.by_module(1)["layer"].work.mac == 64


def equation(name: str, ins: list[Any], outs: list[Any], **params: Any) -> Any:
    return SimpleNamespace(
        primitive=SimpleNamespace(name=name), invars=ins, outvars=outs, params=params,
        source_info=SimpleNamespace(name_stack="layer"),
    )  # fmt: skip


def closed(invars: list[Any], outvars: list[Any], *eqns: Any, consts: tuple[Any, ...] = ()) -> Any:
    return SimpleNamespace(
        jaxpr=SimpleNamespace(invars=invars, outvars=outvars, eqns=list(eqns), constvars=list(consts))
    )


class HashableNamespace(SimpleNamespace):
    """A variable of a jaxpr is compared by identity."""

    __hash__ = object.__hash__


def variable(*shape: int) -> Any:
    return HashableNamespace(aval=SimpleNamespace(shape=shape, dtype="float32"))


def product(a: Any, b: Any, out: Any) -> Any:
    return equation("dot_general", [a, b], [out], dimension_numbers=(((1,), (0,)), ((), ())))


def test_a_jaxpr_as_jax_hands_it_over() -> None:
    """Calls are entered, scans repeated, branches compared, unknown primitives named."""
    from reportgen.workload.jax_trace import graph_of as of_jaxpr

    x, w, y, z = (variable(8, 8) for _ in range(4))
    inner = closed([x, w], [y], product(x, w, y))
    a, b, c, d, e = (variable(8, 8) for _ in range(5))
    state, weight, new = (variable(8, 8) for _ in range(3))
    step = closed([weight, state], [new], product(state, weight, new))
    dearer = closed([x], [z], product(x, x, z))
    program = closed(
        [a, b], [e],
        equation("pjit", [a, b], [c], jaxpr=inner),
        equation("scan", [b, c], [d], jaxpr=step, length=10, num_consts=1, num_carry=1),
        equation("cond", [literal(), d], [e], branches=(closed([x], [x]), dearer)),
    )  # fmt: skip
    found = count(of_jaxpr(program, "f"))
    assert found.total.mac == 512 * (1 + 10 + 1)
    assert found.exact
    unknown = closed([a], [b], equation("mystery", [a], [b]))
    assert list(count(of_jaxpr(unknown)).uncounted) == ["jax.mystery"]


def literal() -> Any:
    """A number among the arguments."""
    return HashableNamespace(aval=SimpleNamespace(shape=(), dtype="int32"), val=0)
