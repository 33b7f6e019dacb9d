"""What went wrong for users of neighbouring tools, each as a test of what happens here instead.

Every test is named after what was seen; its docstring tells it, with the numbers that were reported.  The
devices are simulated, or the samples recorded.

Not yet covered, since they need a GPU or its simulation:

* the L2 curve of one SM is flat to 24.5 MB and then ramps to 60 MB: capacity from one SM and from all SMs
  are two quantities;
* clock and name read from physical GPU 0 while GPU 1 was measured: match by UUID or PCI id;
* 1965 to 1580 MHz within 100 iterations, throughput down by 15 %: burst and sustained are two quantities
  (that every sample has a clock of its own is covered);
* a newer toolkit than the driver, "unsupported toolchain" at load time;
* `clockRate` gone from the CUDA 13 device properties;
* block-scaled matrix instructions that vanish on sm_120 and need the suffix of sm_120a;
* the peak at the rated clock beside that at the clock seen: no device here reports a rated clock (the peak at
  the clock seen is covered).

Not covered here, since they are about counting a user's own work and not about measuring a device: a kernel
without floating-point work that is missing from the roofline; convolution, attention and scan bodies that
are counted wrongly.
"""
