"""Devices of known truth: they answer with samples, and what they answer is known."""
