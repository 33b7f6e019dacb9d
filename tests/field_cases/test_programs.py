"""Programs that are not what was meant, and processors that are not what they say."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from reportgen.backends.cpu import device as cpu_device
from reportgen.backends.cpu import preparation, processor
from reportgen.backends.cpu.buffers import Buffer
from reportgen.errors import Unsupported
from reportgen.findings.gates import GATES
from reportgen.findings.published.matching import comparable
from tests.field_cases.told import told
from tests.simulated.instruction_points import latency_probes
from tests.unit.backends.cpu.test_device import CORE, identify
from tests.unit.backends.cpu.x86 import assembles, device, generate, judge, with_body
from tests.unit.findings.records import changed, evidence, quantity, run

LOAD = "instruction_latency/l1_load#length=48"


@assembles
def test_all_loads_removed_but_one() -> None:
    """Seen: compiler removed all loads but one.

    Right: machine-code gate fails the point.
    """
    source = generate(LOAD)
    whole = judge(source)
    assert whole.verdict == "verified"
    (opcode, count), *_ = whole.opcodes.items()
    line = next(line for line in source.text.partition("\nbody:\n")[2].splitlines() if "[" in line).strip()
    optimised = judge(source, with_body(source, line))
    assert optimised.verdict == "rejected"
    assert f"wanted {count} {opcode}, found 1 {opcode}" in optimised.explanation
    assert optimised.listing


@assembles
def test_fp32_division_in_double() -> None:
    """Seen: FP32 division probe measured FP64 because of a literal.

    Right: opcode type check.
    """
    source = generate("instruction_latency/fp32_div#length=48")
    line = next(
        line for line in source.text.partition("\nbody:\n")[2].splitlines() if "divss" in line
    ).strip()
    wrong = judge(source, with_body(source, *[line.replace("divss", "divsd")] * 48))
    assert wrong.verdict == "rejected"
    assert "found 48 vdivsd" in wrong.explanation


@assembles
def test_a_load_an_iteration_of_an_interpreter() -> None:
    """Seen: 32.2 / 32.7 / 33.3 ns "latency" of three levels: one load per interpreter iteration.

    Right: chains are unrolled machine code.
    """
    chase = judge(generate("memory_hierarchy/pointer_chasing#level=l1"))
    assert chase.verdict == "verified"
    assert max(chase.opcodes.values()) >= 32
    assert "every step reads what the step before" in chase.explanation


def test_a_buffer_of_equal_words() -> None:
    """Seen: bandwidth 354-506 GB/s on a 136.5 GB/s part with a buffer of equal words; 106-112 with
    random data.

    Right: random data, and the pattern is recorded.
    """
    with Buffer(1 << 20, "4k") as buffer:
        preparation._fill(buffer, seed=1)
        data = bytes(buffer.view())
    assert len(zlib.compress(data, level=6)) > 0.7 * len(data)
    text = Path(preparation.__file__).read_text(encoding="utf-8")
    assert '"data": "random"' in text, "a fact of every point of a stream"


@assembles
def test_a_shift_that_depends_on_how_its_register_was_written() -> None:
    """Seen: a shift's latency 3 or 1 by how its register was first written.

    Right: operand values and initialisation are recorded.
    """
    source = generate("instruction_latency/integer_shift#length=48")
    before, _, _ = source.text.partition("\nbody:\n")
    program = judge(source)
    assert program.source == source.text, "with the program, not apart from it"
    written = [
        line.strip() for line in before.splitlines() if line.strip().startswith("mov") and "rbx" in line
    ]
    assert written, "how the register was first written stands before the body"


@pytest.mark.parametrize("palettes", [0, 1])
def test_a_virtual_machine_that_advertises_amx(monkeypatch: pytest.MonkeyPatch, palettes: int) -> None:
    """Seen: a virtual machine advertises AMX but has no tile palette: illegal instruction.

    Right: trial in the worker; `unsupported` with the reason.
    """
    advertised = ["amx-tile", "amx-bf16", "sse2"]
    monkeypatch.setattr("reportgen.backends.cpu.compiler.host_features", lambda: advertised)
    monkeypatch.setattr(processor, "tile_palettes", lambda: palettes)
    features, notes = cpu_device._features()
    assert ("amx-tile" in features) == bool(palettes)
    if not palettes:
        assert "without a tile palette" in notes["amx"]


def test_the_other_cores_of_a_hybrid_cpu(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Seen: hybrid CPU: the boundary of one core type reported for the other.

    Right: a core type is a device; pinning is recorded.
    """
    for kind, members in (("core", "0-7"), ("atom", "8-15")):
        folder = tmp_path / f"cpu_{kind}"
        folder.mkdir()
        (folder / "cpus").write_text(f"{members}\n")
    types = processor.core_types(tuple(range(16)), tmp_path)
    assert types == {"core": tuple(range(8)), "atom": tuple(range(8, 16))}
    ids = {identify(monkeypatch, CORE, kind).id for kind in types}
    assert len(ids) == 2
    assert (told(latency_probes).columns["cpu"] >= 0).all()


def test_pinning_outside_the_allowed_set(tmp_path: Path) -> None:
    """Seen: pinning to a CPU outside the cpuset.

    Right: start from the allowed set.
    """
    folder = tmp_path / "cpu_core"
    folder.mkdir()
    (folder / "cpus").write_text("0-7\n")
    for allowed in ((2, 3), (3,), (5, 6, 7)):
        chosen = processor.core_types(allowed, tmp_path)
        assert {cpu for some in chosen.values() for cpu in some} <= set(allowed)
        assert processor.core_types(allowed, tmp_path / "nothing") == {"": allowed}


@pytest.mark.parametrize("slice_of", ["", " MIG 1g.5gb"])
def test_a_slice_of_a_partitioned_device(slice_of: str) -> None:
    """Seen: a slice of a partitioned GPU (MIG) compared with the whole card's peak.

    Right: the slice is the device; no whole-card ceiling.
    """
    card = run()
    card = changed(card, device=changed(card.device, isa="sm_80", name=f"NVIDIA A100-PCIE-40GB{slice_of}"))
    whole = quantity("bandwidth.dram.read.all_cores", 1.60e12)
    (gate,) = (gate for gate in GATES if gate.name == "bandwidth_within_nominal")
    broken = list(gate.check(evidence(whole, run=card)))
    assert bool(broken) == (not slice_of)
    of_the_card = [one for one in evidence(run=card).figures if one.metric.startswith("bandwidth.dram")]
    assert any(comparable(one, card.device) for one in of_the_card) == (not slice_of)


def test_a_missing_instruction_is_a_row() -> None:
    """Seen: one failing test aborts the suite.

    Right: a row with a reason; the suite goes on.
    """
    with pytest.raises(Unsupported, match="this processor lacks"):
        generate("instruction_latency/fp32_fma_512#length=48", device(features=("sse2",)))
