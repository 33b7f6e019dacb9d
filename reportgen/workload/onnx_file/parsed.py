"""Nodes of a parsed file with their fields read once.

Each field of a message is converted when it is asked for, which for a graph of 200,000 nodes takes longer
than all that is done with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from reportgen.workload.onnx_file.soundness import NotText, texts_are_sound

GRAPH = 5
"""AttributeProto.AttributeType of a graph."""


class Parsed(msgspec.Struct, frozen=True, eq=False, gc=False):
    """A NodeProto, with the fields called as there."""

    op_type: str
    domain: str
    name: str
    input: tuple[str, ...]
    output: tuple[str, ...]
    attribute: tuple[Any, ...]
    metadata_props: tuple[Any, ...]
    holds_graphs: bool
    proto: Any


def nodes(graph: Any) -> Iterator[Parsed]:
    """Of a GraphProto, in the order of the file.

    Raises:
        NotText: a name in a node, or in a graph inside it, is not text.
    """
    for proto in graph.node:
        # A slice is converted at one go, a tuple of the field element by element.
        ins, outs = tuple(proto.input[:]), tuple(proto.output[:])
        kind, domain, name = proto.op_type, proto.domain, proto.name
        attributes, metadata = proto.attribute, proto.metadata_props
        try:
            "".join((kind, domain, name, *ins, *outs))
        except TypeError:  # the parser hands over bytes where there is no UTF-8
            raise NotText from None
        listed = tuple(attributes[:]) if attributes else ()
        props = tuple(metadata[:]) if metadata else ()
        holds_graphs = _checked(listed, props) if listed or props else False
        yield Parsed(kind, domain, name, ins, outs, listed, props, holds_graphs, proto)


def _checked(attributes: tuple[Any, ...], props: tuple[Any, ...]) -> bool:
    """Whether there are graphs among the attributes; raises `NotText`."""
    texts = [one.name for one in attributes] + [text for prop in props for text in (prop.key, prop.value)]
    inside = [one.g for one in attributes if one.type == GRAPH]
    if not all(type(text) is str for text in texts) or not all(map(texts_are_sound, inside)):
        raise NotText
    return bool(inside)
