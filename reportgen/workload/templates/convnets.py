"""Convolutional nets as published, batch norms folded into the convolutions as exporters do.

VGG-16: Simonyan and Zisserman 2015; ResNet: He et al. 2016; MobileNetV2: Sandler et al. 2018.
"""

from __future__ import annotations

from reportgen.workload.builder import Builder
from reportgen.workload.graph import Graph, Tensor
from reportgen.workload.templates.kernels import conv_size

IMAGE = 224
CLASSES = 1000

VGG16 = ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3))
"""(channels, convolutions) between poolings."""

RESNET_BLOCKS = {18: (2, 2, 2, 2), 34: (3, 4, 6, 3), 50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}
BOTTLENECK_FROM = 50
"""Depth from which a block is 1x1, 3x3, 1x1 instead of two 3x3."""

MOBILENET_V2 = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
"""(expansion, channels, blocks, stride of the first)."""


class _Net(Builder):
    """Layers of an image net; each adds its operations and gives its result."""

    def conv(
        self, x: Tensor, channels: int, kernel: int, stride: int = 1, *, groups: int = 1, act: str = "Relu"
    ) -> Tensor:
        """Convolution with bias, padded to keep the size at stride 1, and an activation."""
        batch, before, height, width = x.shape
        sizes = (
            conv_size(height, kernel, stride, kernel // 2),
            conv_size(width, kernel, stride, kernel // 2),
        )
        w = self.weight((channels, before // groups, kernel, kernel))
        y = self.op("Conv", x, w, self.weight((channels,)), shape=(batch, channels, *sizes), group=groups)
        return self.op(act, y, shape=y.shape) if act else y

    def max_pool(self, x: Tensor, kernel: int, stride: int, pad: int = 0) -> Tensor:
        """Maximum over windows."""
        size = conv_size(x.shape[2], kernel, stride, pad)
        return self.op("MaxPool", x, shape=(*x.shape[:2], size, size), kernel_shape=(kernel, kernel))

    def dense(self, x: Tensor, features: int, act: str = "") -> Tensor:
        """Fully connected layer with bias."""
        w, bias = self.weight((features, x.shape[1])), self.weight((features,))
        y = self.op("Gemm", x, w, bias, shape=(x.shape[0], features), transB=1)
        return self.op(act, y, shape=y.shape) if act else y

    def head(self, x: Tensor) -> Tensor:
        """Mean over the image, then the classes."""
        with self.scope("head"):
            pooled = self.op("GlobalAveragePool", x, shape=(*x.shape[:2], 1, 1))
            return self.dense(self.op("Flatten", pooled, shape=x.shape[:2]), CLASSES)


def vgg16(batch: int = 1, dtype: str = "float32") -> Graph:
    """VGG-16 for images of 224 x 224."""
    build = _Net("vgg16", dtype)
    x = build.input((batch, 3, IMAGE, IMAGE), name="x")
    for number, (channels, layers) in enumerate(VGG16):
        with build.scope("features", str(number)):
            for _ in range(layers):
                x = build.conv(x, channels, 3)
            x = build.max_pool(x, 2, 2)
    with build.scope("classifier"):
        x = build.op("Flatten", x, shape=(batch, x.size // batch))
        for features, act in ((4096, "Relu"), (4096, "Relu"), (CLASSES, "")):
            x = build.dense(x, features, act)
    return build.graph(x)


def resnet(depth: int = 50, batch: int = 1, dtype: str = "float32") -> Graph:
    """ResNet-18, 34, 50, 101 or 152 for images of 224 x 224; the stride is in the 3x3 convolution."""
    build = _Net(f"resnet{depth}", dtype)
    x = build.input((batch, 3, IMAGE, IMAGE), name="x")
    with build.scope("stem"):
        x = build.max_pool(build.conv(x, 64, 7, 2), 3, 2, 1)
    for stage, blocks in enumerate(RESNET_BLOCKS[depth]):
        for number in range(blocks):
            with build.scope(f"stage{stage + 1}", str(number)):
                stride = 2 if stage and not number else 1
                x = _residual(build, x, 64 << stage, stride, bottleneck=depth >= BOTTLENECK_FROM)
    return build.graph(build.head(x))


def _residual(build: _Net, x: Tensor, width: int, stride: int, *, bottleneck: bool) -> Tensor:
    out = 4 * width if bottleneck else width
    if bottleneck:
        y = build.conv(build.conv(x, width, 1), width, 3, stride)
        y = build.conv(y, out, 1, act="")
    else:
        y = build.conv(build.conv(x, width, 3, stride), width, 3, act="")
    if stride != 1 or x.shape[1] != out:
        x = build.conv(x, out, 1, stride, act="")
    y = build.op("Add", y, x, shape=y.shape)
    return build.op("Relu", y, shape=y.shape)


def mobilenet_v2(batch: int = 1, dtype: str = "float32") -> Graph:
    """MobileNetV2 of width 1 for images of 224 x 224."""
    build = _Net("mobilenet_v2", dtype)
    x = build.input((batch, 3, IMAGE, IMAGE), name="x")
    with build.scope("stem"):
        x = build.conv(x, 32, 3, 2, act="Clip")
    for stage, (expansion, channels, blocks, first) in enumerate(MOBILENET_V2):
        for number in range(blocks):
            with build.scope(f"stage{stage + 1}", str(number)):
                x = _inverted(build, x, expansion, channels, first if not number else 1)
    with build.scope("last"):
        x = build.conv(x, 1280, 1, act="Clip")
    return build.graph(build.head(x))


def _inverted(build: _Net, x: Tensor, expansion: int, channels: int, stride: int) -> Tensor:
    inner = x.shape[1] * expansion
    y = build.conv(x, inner, 1, act="Clip") if expansion > 1 else x
    y = build.conv(y, inner, 3, stride, groups=inner, act="Clip")
    y = build.conv(y, channels, 1, act="")
    return build.op("Add", y, x, shape=y.shape) if y.shape == x.shape else y
