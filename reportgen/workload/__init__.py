"""Counting the work of a user's own code: FLOP and bytes, from shapes alone."""
