"""Workloads under a name: whole models of a stated size, for pages and comparisons."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import msgspec

from reportgen.workload.count import Count, count_graph
from reportgen.workload.graph import Graph
from reportgen.workload.templates.convnets import mobilenet_v2, resnet, vgg16
from reportgen.workload.templates.transformers import (
    BERT_BASE,
    GPT2,
    LLAMA2_7B,
    decode,
    encoder,
    prefill,
)

PAST = 1024
"""Tokens in the cache of each sequence that is decoded."""
TOKENS = 128
"""Tokens of a text that is read."""


class Named(msgspec.Struct, frozen=True):
    """One workload."""

    id: str
    title: str
    size: str
    """What is computed at once, in words."""
    build: Callable[[str], Graph]
    """Its graph, in an element type such as `float32`."""
    narrow: bool = False
    """Usually computed in a type of 16 bits, where the device has one."""


def _decoding(batch: int) -> Callable[[str], Graph]:
    return lambda dtype: decode(LLAMA2_7B, batch, PAST, dtype)


NAMED = (
    Named("resnet50", "ResNet-50", "one picture of 224 × 224", lambda dtype: resnet(50, dtype=dtype)),
    Named(
        "mobilenet_v2", "MobileNet v2", "one picture of 224 × 224", lambda dtype: mobilenet_v2(dtype=dtype)
    ),
    Named("vgg16", "VGG-16", "one picture of 224 × 224", lambda dtype: vgg16(dtype=dtype)),
    Named(
        "bert_base",
        "BERT base",
        f"one text of {TOKENS} tokens",
        lambda dtype: encoder(BERT_BASE, seq=TOKENS, dtype=dtype),
    ),
    Named(
        "gpt2_prefill",
        "GPT-2, prompt",
        f"one prompt of {TOKENS} tokens",
        lambda dtype: prefill(GPT2, seq=TOKENS, dtype=dtype),
        narrow=True,
    ),
    Named(
        "llama2_7b_prefill",
        "Llama 2 7B, prompt",
        f"one prompt of {TOKENS} tokens",
        lambda dtype: prefill(LLAMA2_7B, seq=TOKENS, dtype=dtype),
        narrow=True,
    ),
    *(
        Named(
            f"llama2_7b_decode_{batch}",
            f"Llama 2 7B, decoding, batch {batch}",
            f"one token of each of {batch} sequences after {PAST} others"
            if batch > 1
            else f"one token after {PAST} others",
            _decoding(batch),
            narrow=True,
        )
        for batch in (1, 16, 64)
    ),
)


@cache
def counted(identity: str, dtype: str) -> Count:
    """The count of a named workload; counted once a process, since pages of many devices show it."""
    (named,) = (one for one in NAMED if one.id == identity)
    return count_graph(named.build(dtype))
