"""Workloads built directly, without a framework or a file: kernels, convolutional nets, language models."""

from __future__ import annotations

from reportgen.workload.templates.convnets import mobilenet_v2, resnet, vgg16
from reportgen.workload.templates.kernels import (
    axpy,
    conv2d,
    dot,
    fft,
    gemm,
    gemv,
    layer_norm,
    softmax,
)
from reportgen.workload.templates.transformers import (
    BERT_BASE,
    GPT2,
    LLAMA2_7B,
    Transformer,
    decode,
    encoder,
    prefill,
)

__all__ = [
    "BERT_BASE",
    "GPT2",
    "LLAMA2_7B",
    "Transformer",
    "axpy",
    "conv2d",
    "decode",
    "dot",
    "encoder",
    "fft",
    "gemm",
    "gemv",
    "layer_norm",
    "mobilenet_v2",
    "prefill",
    "resnet",
    "softmax",
    "vgg16",
]
