"""Producers of an archive's documents, and the readers of their pages."""
