"""What went wrong for users of neighbouring tools, each as a test of what happens here instead.

Every test is named after what was seen; its docstring tells it, with the numbers that were reported.  The
devices are simulated, or the samples recorded.

Not covered, and why:

* the L2 curve of one SM is flat to 24.5 MB and then ramps to 60 MB (capacity from one SM and from all SMs
  are two quantities): the sweep runs on one multiprocessor, so there is no second quantity yet;
* the peak at the rated clock beside that at the clock seen: a CPU reports no rated clock, and what a driver
  says of a GPU's is recorded and not yet multiplied out (the peak at the clock seen is covered).
"""
