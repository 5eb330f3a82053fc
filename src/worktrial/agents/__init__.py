"""Candidates: whoever takes a work trial."""
