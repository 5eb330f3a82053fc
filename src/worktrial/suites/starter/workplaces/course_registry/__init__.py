"""The registry of a college in the second week of the autumn term."""
