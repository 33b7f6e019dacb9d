"""Whole nets with computed shapes: the file and our own template agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.workload import templates
from reportgen.workload.count import count, count_graph
from reportgen.workload.templates import Transformer

pytest.importorskip("onnx", reason="the extra 'onnx' is not installed")

from tests.unit.workload.onnx_models import saved
from tests.unit.workload.onnx_nets import chain, language_model, resnet50

SMALL = Transformer("small", 2, 64, 8, 96, 100, kv_heads=2, gated=True, bias=False)


@pytest.fixture(scope="module")
def language(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tmp_path_factory.mktemp("nets"), language_model(2, 64, 8, 2, 96, 100))


@pytest.mark.parametrize(("batch", "seq", "past"), [(1, 1, 31), (3, 1, 7), (2, 16, 0), (1, 5, 5)])
def test_a_decoder_with_computed_shapes(language: Path, batch: int, seq: int, past: int) -> None:
    found = count(language, {"batch": batch, "seq": seq, "past": past}, strict=True)
    if seq == 1:
        wanted = count_graph(templates.decode(SMALL, batch, past, "float32"))
    elif past == 0:
        wanted = count_graph(templates.prefill(SMALL, batch, seq, "float32"))
    else:
        wanted = None
    if wanted is not None:
        assert found.total.mac == wanted.total.mac
        assert found.traffic.cache_read == wanted.traffic.cache_read
        assert found.traffic.cache_written == wanted.traffic.cache_written
        assert found.memory.cache == wanted.memory.cache
        assert found.attention.mac_causal == wanted.attention.mac_causal
    report = found.attention
    assert (len(report.found), report.expected, report.grouped) == (2, 2, 2)
    assert report.found[0].core.queries == seq
    assert report.found[0].core.keys == past + seq


def test_modules_of_a_decoder(language: Path) -> None:
    found = count(language, {"batch": 1, "seq": 1, "past": 3})
    assert set(found.by_module(3)) >= {"model.layers.0", "model.layers.1", "model.embed_tokens", "lm_head"}
    layers = [share.work.mac for name, share in found.by_module(3).items() if "layers" in name]
    assert layers[0] == layers[1] > 0


def test_a_residual_net(tmp_path: Path) -> None:
    found = count(saved(tmp_path, resnet50()), {"batch": 1}, strict=True)
    wanted = count_graph(templates.resnet(50))
    assert found.total == wanted.total
    assert found.memory.weights == wanted.memory.weights
    assert found.traffic.compulsory == wanted.traffic.compulsory


def test_a_long_chain_in_a_file(tmp_path: Path) -> None:
    assert count(saved(tmp_path, chain(5000))).total.mac == 5000 * 512
