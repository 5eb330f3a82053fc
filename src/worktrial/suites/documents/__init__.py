"""Grounded reasoning over an archive of documents: find, read, compute."""
