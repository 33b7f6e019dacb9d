"""What only moves, reshapes or names data: no work.  A view moves no bytes either."""

from __future__ import annotations

from reportgen.workload.rules.registry import no_work

no_work(
    *("Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Shape", "Size", "Constant"),
    *("Dropout", "Optional", "OptionalGetElement", "OptionalHasElement", "StopGradient", "BitCast"),
    view=True,
)
no_work(
    *("Transpose", "Concat", "Slice", "Split", "Pad", "Tile", "Expand", "ConstantOfShape", "Fill", "Copy"),
    *("Cast", "CastLike", "Range", "EyeLike", "OneHot", "Trilu", "DepthToSpace", "SpaceToDepth"),
    *("ReverseSequence", "CenterCropPad", "Compress", "Roll", "Flip", "Stack", "Repeat"),
    *("TensorScatter", "QLinearConcat", "SequenceConstruct", "SequenceAt", "SequenceEmpty", "SequenceInsert"),
    *("SequenceLength", "SequenceErase", "ConcatFromSequence", "SplitToSequence"),
)
