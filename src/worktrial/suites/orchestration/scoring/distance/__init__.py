"""Likeness of plans by graph edit distance."""
