"""NVIDIA GPUs, and the targets that the CUDA toolchain builds for where there is none."""
