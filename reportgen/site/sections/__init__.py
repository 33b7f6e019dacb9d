"""The parts of a device report, one file each, in the order in which they stand on the page.

Each has a function `section(view)` that gives a `Section`, or None where the run says nothing
about it.  Claims are only ever the findings' own sentences; what is written here describes tables
and figures.
"""
