"""A survey of all instruction forms of a processor: measured, derived, compared, written."""
