"""Calibration of tasks: pass rates with the plan and without, by as many runs as it takes to know, and no more."""
