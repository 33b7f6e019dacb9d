"""What a parsed message may hold and a model never does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class NotText(Exception):
    """A name is no text: the parser hands over bytes where a damaged file has no UTF-8."""


def texts_are_sound(graph: Any) -> bool:
    """Whether all names are text, those of nodes and of graphs inside them included."""
    return values_are_sound(graph) and all(type(text) is str for text in _of_nodes(graph))


def values_are_sound(graph: Any) -> bool:
    """Whether the names outside of nodes are text."""
    return all(type(text) is str for text in _of_values(graph))


def _of_nodes(graph: Any) -> Iterator[object]:
    for node in graph.node:
        yield node.op_type
        yield node.name
        yield node.domain
        yield from node.input
        yield from node.output
        for prop in node.metadata_props:
            yield prop.key
            yield prop.value
        for one in node.attribute:
            yield one.name
            if one.type == 5:
                yield from (*_of_values(one.g), *_of_nodes(one.g))


def _of_values(graph: Any) -> Iterator[object]:
    for value in (*graph.input, *graph.output, *graph.value_info):
        yield value.name
        for dim in value.type.tensor_type.shape.dim:
            yield dim.dim_param
    for tensor in graph.initializer:
        yield tensor.name
        for entry in tensor.external_data:
            yield entry.key
            yield entry.value
