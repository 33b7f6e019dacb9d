"""Measures what a processor does, and renders what it found, worded no stronger than the evidence."""

__version__ = "0.1.0"
