"""The static site of a report."""
