"""Corrections to the gold of the published scenarios: ours, opt-in, each with its reason."""
