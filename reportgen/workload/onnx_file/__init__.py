"""Reading ONNX files without their weights; `workload.onnx_reader` is the entrance."""
