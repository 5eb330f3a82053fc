"""When a reading should not be trusted without a second look."""

LOW_CONFIDENCE = 0.5
"""A cell below this is flagged: producers place their doubtful readings under it, and only those."""
