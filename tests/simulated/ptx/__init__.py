"""An executor of PTX over host memory: what the suite's kernels do, without a GPU."""
