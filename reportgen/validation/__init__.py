"""The cost model against loops that it was not made of, beside llvm-mca and OSACA."""
