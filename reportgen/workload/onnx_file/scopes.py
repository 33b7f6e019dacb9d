"""The module that a node belongs to, as the exporters write it.

torch.onnx with dynamo puts it into metadata; TorchScript and others into the node's name.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

SCOPES = "pkg.torch.onnx.name_scopes"
"""A printed list: the path of each module around the node, then the node's own name."""

NAMESPACE = "namespace"
"""`path: class/path: class/name: op`."""

_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")


def scope_of(node: Any) -> tuple[str, ...]:
    """Path of the module of a NodeProto, outermost first; empty where nothing is said."""
    for prop in node.metadata_props:
        if prop.key == SCOPES:
            paths = [first or second for first, second in _QUOTED.findall(prop.value)]
            return _parts(paths[-2]) if len(paths) > 1 else ()
        if prop.key == NAMESPACE and SCOPES not in {one.key for one in node.metadata_props}:
            paths = [part.partition(":")[0] for part in prop.value.split("/")]
            return _parts(paths[-2]) if len(paths) > 1 else ()
    path: str = node.name.rpartition("/")[0]
    return _parts(path.replace("/", ".")) if path else ()


@lru_cache(maxsize=1 << 12)
def _parts(path: str) -> tuple[str, ...]:
    return tuple(part for part in path.strip().split(".") if part)
