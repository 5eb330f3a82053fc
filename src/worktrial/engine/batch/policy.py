"""Patience with batches."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BatchPolicy:
    """Patience with batches. Providers give them up after 24 hours, so the looks reach a little further."""

    first_look: float = 2.0
    """Seconds from submitting a batch to the first look at it; each wait is half as long again as the last."""
    longest_wait: float = 60.0
    """Seconds between two looks at most."""
    looks: int = 1600
    """Looks at one batch, after which the run stops; it can be resumed."""
    quiet: float = 60.0
    """Seconds without another request after which a round is closed, though a sample is still at work."""
