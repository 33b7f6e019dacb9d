"""The model to browse, the graph of resources, and the files beside a report."""

from __future__ import annotations

import re

import pytest

from reportgen.model.exports.registry import EXPORTS
from reportgen.model.resources import Explanation, Use, by_number
from reportgen.site import resource_graph
from reportgen.site.figures import resource_graph as figure
from reportgen.site.figures.resource_graph import Operations, ResourceGraph
from reportgen.site.report import Report
from tests.unit.model.cost.machine import core
from tests.unit.site.conftest import Rendered

DEVICE = "simulated-core-4000"


@pytest.fixture(scope="module")
def report(rendered: Rendered) -> Report:
    return rendered.renderer.results.report(rendered.newer)


@pytest.fixture(scope="module")
def page(rendered: Rendered) -> str:
    return rendered.page(f"devices/{DEVICE}/model/index.md")


@pytest.fixture(scope="module")
def device(rendered: Rendered) -> str:
    return rendered.page(f"devices/{DEVICE}/index.md")


def tables(page: str) -> dict[str, str]:
    """Identity -> HTML of the tables that are browsed."""
    return {
        match.group(1): match.group()
        for match in re.finditer(r'<div class="rg-table" id="table-([\w-]+)".*?</table></div>', page)
        if "browsed" in match.group().split(">", 2)[1]
    }


def heads(table: str) -> list[str]:
    return re.findall(r'<th scope="col"[^>]*>([^<]*)</th>', table)


# the model page


def test_every_fact_stands_on_the_page_once(page: str, report: Report) -> None:
    found = tables(page)
    assert list(found) == ["operations", "facts"]
    operations = re.findall(r'<tr id="operation\.([\w.]+)"', found["operations"])
    assert sorted(operations) == sorted(one.operation for one in report.architecture.instructions)
    facts = re.findall(r'<tr id="fact\.([\w.]+)"', found["facts"])
    shown = {f"{stem}.{name}" for stem in ("latency", "issue_interval", "throughput") for name in operations}
    assert set(facts) == {fact.metric for fact in report.architecture.facts} - shown
    assert len(facts) == len(set(facts))


def test_the_columns_are_those_that_readers_sort_by(page: str) -> None:
    found = tables(page)
    assert heads(found["operations"]) == [
        "operation", "class", "latency", "issue interval", "throughput", "resources", "confidence",
        "evidence",
    ]  # fmt: skip
    assert "class" in heads(found["facts"])


def test_a_row_has_numbers_resources_and_its_evidence(page: str, report: Report) -> None:
    resources = report.architecture.resources
    assert resources is not None
    use = resources.use("integer_mul")
    assert use is not None
    row = re.search(r'<tr id="operation\.integer_mul".*?</tr>', page)
    assert row is not None
    assert " ".join(sorted(use.resources, key=by_number)) in row.group()
    fact = report.facts["latency.integer_mul"]
    assert f'data-sort="{fact.value:.12g}"' in row.group()
    assert "probes/instruction_latency/#integer_mul" in row.group()


def test_the_report_leads_to_the_model_and_back(page: str, device: str) -> None:
    assert 'href="model/"' in device
    assert 'href="../"' in page
    assert 'href="../#downloads"' in page
    assert 'href="../#resources"' in page


# the graph


def test_the_section_has_the_sentence_the_figure_and_every_operation(device: str, report: Report) -> None:
    resources = report.architecture.resources
    assert resources is not None
    section = device[device.index("{#resources}") : device.index("{#memory}")]
    assert resources.sentence in section
    assert "A resource may be any of:" in section
    assert 'id="figure-resources"' in section
    assert re.search(r'alt="Graph of \d+ operations and \d+ abstract resources\.', section)
    shown = re.findall(r'<tr id="resources\.(\w+)"', section)
    assert shown == [one.operation for one in resource_graph.placements(resources)]


def test_operations_with_the_same_resources_share_a_node() -> None:
    class Of:
        architecture = core()

    graph = resource_graph.record(Of())  # type: ignore[arg-type]
    assert graph is not None
    nodes = {node.resources: node.names for node in graph.operations}
    assert nodes["r5", "r6"] == ("fp32_mul_256", "fp32_fma_256")
    assert nodes["r9", "r10"] == ("fp32_add_256", "convert_int32_fp32_256")  # the second one was placed
    assert graph.resources == ("r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10")


def test_a_run_without_pairs_has_no_graph() -> None:
    class Of:
        architecture = core(resources=None)

    assert resource_graph.record(Of()) is None  # type: ignore[arg-type]


def test_explanations_differ_by_what_resources_serve_and_not_by_names() -> None:
    first = Explanation(("r1", "r2"), (Use("a", ("r1", "r2"), 1.0), Use("b", ("r1",), 1.0)))
    renamed = Explanation(("r1", "r2"), (Use("a", ("r1", "r2"), 1.0), Use("b", ("r2",), 1.0)))
    apart = Explanation(("r1", "r2", "r3"), (Use("a", ("r1", "r2"), 1.0), Use("b", ("r3",), 1.0)))
    assert resource_graph.difference(first, renamed) == ((), ())
    assert resource_graph.difference(first, apart) == ((("a", "b"),), (("a",), ("b",)))


def test_the_drawing_names_both_sides_and_orders_the_left_one() -> None:
    graph = ResourceGraph(
        (Operations(("far",), ("r3",)), Operations(("near", "also_near"), ("r1", "r2"))), ("r1", "r2", "r3")
    )
    assert [node.names[0] for node in figure.arranged(graph)] == ["near", "far"]
    svg = figure.draw(graph)
    assert all(text in svg for text in ("near, also near", "far", "r1", "r2", "r3"))
    assert svg == figure.draw(graph)


def test_a_long_node_says_how_many_more_there_are() -> None:
    names = tuple(f"vector_operation_{i}_256" for i in range(30))
    text = figure.label(names)
    assert len(text.splitlines()) == 2
    shown = text.count("vector")
    assert text.endswith(f"and {30 - shown} more")
    assert figure.label(("a_b", "c")) == "a b, c"


# the downloads


def test_a_report_offers_every_file_that_its_run_gives(report: Report, device: str) -> None:
    names = [item.name for item in report.downloads]
    assert {one.file for one in EXPORTS.values() if not one.lacks(report.architecture)} <= set(names)
    assert "trace.config" not in names
    for name in names:
        assert f'/download/{name}"' in device
    for item in report.downloads:
        assert item.what
        one = next((one for one in EXPORTS.values() if one.file == item.name), None)
        assert one is None or item.path.read_bytes() == one.encode(report.architecture)
