"""Transformers: encoders, and language models at prefill and decode.

The same block serves all: attention with grouped heads, a feed-forward part with or without a gate, or a
mixture of experts.  Weights are [in, out].  Prefill reads a prompt of `seq` tokens with an empty cache;
decode makes one token a sequence, with `past` tokens in the cache.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from reportgen.workload.builder import Builder
from reportgen.workload.graph import Graph, Tensor


@dataclass(frozen=True)
class Transformer:
    """Sizes of a model."""

    name: str
    layers: int
    width: int
    heads: int
    hidden: int
    """Of the feed-forward part."""
    vocabulary: int
    kv_heads: int = 0
    """0: as many as `heads`."""
    head_depth: int = 0
    """0: width / heads."""
    gated: bool = False
    """SwiGLU: three matrices instead of two."""
    bias: bool = True
    positions: int = 0
    """Rows of a learned position table; 0: rotary embedding."""
    tied: bool = False
    """The output layer's weight is the embedding table."""
    experts: int = 0
    experts_used: int = 0
    title: str = ""
    """As people write the name."""

    @property
    def groups(self) -> int:
        """Heads of keys and values."""
        return self.kv_heads or self.heads

    @property
    def depth(self) -> int:
        """Of one head."""
        return self.head_depth or self.width // self.heads


BERT_BASE = Transformer("bert_base", 12, 768, 12, 3072, 30522, positions=512)
"""Devlin et al. 2019."""

GPT2 = Transformer("gpt2", 12, 768, 12, 3072, 50257, positions=1024, tied=True, title="GPT-2")
"""Radford et al. 2019, the small one."""

LLAMA2_7B = Transformer("llama2_7b", 32, 4096, 32, 11008, 32000, gated=True, bias=False, title="Llama 2 7B")
"""Touvron et al. 2023."""


class _Block(Builder):
    """Layers of one transformer."""

    def __init__(
        self, model: Transformer, name: str, dtype: str, weight_dtype: str, cache_dtype: str
    ) -> None:
        super().__init__(name, dtype)
        self.model = model
        self.weight_dtype = weight_dtype or dtype
        self.cache_dtype = cache_dtype or dtype
        self.present: list[Tensor] = []

    def dense(self, x: Tensor, features: int, *, storage: str = "", bias: bool | None = None) -> Tensor:
        """A fully connected layer, with a bias where the model has them."""
        w = self.weight((x.shape[-1], features), self.weight_dtype, storage=storage)
        y = self.op("MatMul", x, w, shape=(*x.shape[:-1], features))
        wanted = self.model.bias if bias is None else bias
        return self.op("Add", y, self.weight((features,)), shape=y.shape) if wanted else y

    def norm(self, x: Tensor) -> Tensor:
        """Layer norm, or the one without a mean in models with rotary embedding."""
        gamma = self.weight((x.shape[-1],))
        if self.model.positions:
            return self.op("LayerNormalization", x, gamma, self.weight((x.shape[-1],)), shape=x.shape)
        return self.op("RMSNormalization", x, gamma, shape=x.shape)

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        """Residual connection."""
        return self.op("Add", x, y, shape=x.shape)

    def heads(self, x: Tensor, number: int, *, rotary: bool) -> Tensor:
        """[B, S, n D] as [B, n, S, D], positions rotated in."""
        batch, seq, _ = x.shape
        depth = self.model.depth
        x = self.op("Reshape", x, shape=(batch, seq, number, depth))
        x = self.op("Transpose", x, shape=(batch, number, seq, depth))
        return self.op("RotaryEmbedding", x, shape=x.shape) if rotary else x

    def attention(self, x: Tensor, past: int, *, causal: bool) -> Tensor:
        """Self-attention of [B, S, width]; `past` tokens come from the cache, if causal."""
        model = self.model
        batch, seq, _ = x.shape
        rotary = not model.positions
        q = self.heads(self.dense(x, model.heads * model.depth), model.heads, rotary=rotary)
        k = self.heads(self.dense(x, model.groups * model.depth), model.groups, rotary=rotary)
        v = self.heads(self.dense(x, model.groups * model.depth), model.groups, rotary=False)
        stored = (batch, model.groups, past, model.depth)
        cache = [self.input(stored, self.cache_dtype, role="cache") for _ in range(2)] if past else []
        given = (q, k, v, None, *cache) if past else (q, k, v)
        y = self.op("Attention", *given, shape=q.shape, is_causal=int(causal))
        if causal:
            full = (batch, model.groups, past + seq, model.depth)
            new = tuple(Tensor(full, self.cache_dtype, "cache") for _ in range(2))
            self.ops[-1] = msgspec.structs.replace(self.ops[-1], outs=(y, *new))
            self.present.extend(new)
        y = self.op("Transpose", y, shape=(batch, seq, model.heads, model.depth))
        y = self.op("Reshape", y, shape=(batch, seq, model.heads * model.depth))
        return self.dense(y, model.width)

    def feed_forward(self, x: Tensor) -> Tensor:
        """Two matrices, three with a gate, or a mixture of experts."""
        model = self.model
        if model.experts:
            scores = self.dense(x, model.experts, bias=False)
            shapes = [(model.experts, model.hidden, model.width), (model.experts, model.width, model.hidden)]
            w1, w2 = (self.weight(shape, self.weight_dtype) for shape in shapes)
            w3 = self.weight(shapes[0], self.weight_dtype) if model.gated else None
            return self.op("MoE", x, scores, w1, None, w2, None, w3, shape=x.shape, k=model.experts_used)
        up = self.dense(x, model.hidden)
        if model.gated:
            gate = self.op("Swish", self.dense(x, model.hidden), shape=up.shape)
            up = self.op("Mul", gate, up, shape=up.shape)
        else:
            up = self.op("Gelu", up, shape=up.shape)
        return self.dense(up, model.width)


def prefill(
    model: Transformer,
    batch: int = 1,
    seq: int = 128,
    dtype: str = "float16",
    *,
    weight_dtype: str = "",
    cache_dtype: str = "",
    all_logits: bool = True,
) -> Graph:
    """A language model reads a prompt of `seq` tokens.

    Args:
        model: its sizes.
        batch: sequences.
        seq: tokens of each.
        dtype: of activations.
        weight_dtype: of the matrices, where it differs ("int8", "int4").
        cache_dtype: of keys and values, where it differs.
        all_logits: the output layer runs for every token, as exported files do; else for the last.
    """
    return _language_model(model, batch, seq, 0, "prefill", (dtype, weight_dtype, cache_dtype), all_logits)


def decode(
    model: Transformer,
    batch: int = 1,
    past: int = 128,
    dtype: str = "float16",
    *,
    weight_dtype: str = "",
    cache_dtype: str = "",
) -> Graph:
    """A language model makes one token for each of `batch` sequences, `past` tokens in the cache."""
    return _language_model(model, batch, 1, past, "decode", (dtype, weight_dtype, cache_dtype), True)


def _language_model(
    model: Transformer,
    batch: int,
    seq: int,
    past: int,
    phase: str,
    dtypes: tuple[str, str, str],
    all_logits: bool,
) -> Graph:
    name = f"{model.name} {phase}, batch = {batch}, seq = {seq}, past = {past}, {dtypes[0]}"
    build = _Block(model, name, *dtypes)
    x = _embed(build, batch, seq, dtypes[0])
    for layer in range(model.layers):
        with build.scope("layers", str(layer)):
            with build.scope("attention"):
                x = build.add(build.attention(build.norm(x), past, causal=True), x)
            with build.scope("feed_forward"):
                x = build.add(build.feed_forward(build.norm(x)), x)
    with build.scope("head"):
        x = build.norm(x)
        if not all_logits and seq > 1:
            x = build.op("Slice", x, shape=(batch, 1, model.width))
        logits = build.dense(x, model.vocabulary, storage="embedding" if model.tied else "", bias=False)
    return build.graph(logits, *build.present)


def _embed(build: _Block, batch: int, seq: int, dtype: str) -> Tensor:
    model = build.model
    with build.scope("embedding"):
        ids = build.input((batch, seq), "int64", name="tokens")
        # A tied table has the type of the output layer's weight.
        table = build.weight(
            (model.vocabulary, model.width),
            build.weight_dtype if model.tied else dtype,
            storage="embedding" if model.tied else "",
        )
        x = build.op("Gather", table, ids, shape=(batch, seq, model.width), dtype=dtype)
        if not model.positions:
            return x
        rows = build.op("Slice", build.weight((model.positions, model.width)), shape=(seq, model.width))
        return build.add(x, rows)


def encoder(
    model: Transformer, batch: int = 1, seq: int = 128, dtype: str = "float32", *, pooler: bool = True
) -> Graph:
    """An encoder over `seq` tokens, norms behind the residual; `pooler`: a layer on the first token."""
    build = _Block(model, f"{model.name}, batch = {batch}, seq = {seq}, {dtype}", dtype, "", "")
    x = build.norm(_embed(build, batch, seq, dtype))
    for layer in range(model.layers):
        with build.scope("layers", str(layer)):
            with build.scope("attention"):
                x = build.norm(build.add(build.attention(x, 0, causal=False), x))
            with build.scope("feed_forward"):
                x = build.norm(build.add(build.feed_forward(x), x))
    if not pooler:
        return build.graph(x)
    with build.scope("pooler"):
        first = build.op("Slice", x, shape=(batch, model.width))
        pooled = build.dense(first, model.width)
        return build.graph(build.op("Tanh", pooled, shape=pooled.shape))
