"""Measuring code that is not installed: the page generator and the scoring of tables against their truth.

Tests and benchmarks import it; `python -m lab --help` is its command.
"""
