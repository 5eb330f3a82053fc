"""How much one call may answer, and cost."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolLimits:
    """Bounds of observations and of queries."""

    characters: int = 20_000
    """Of one observation, pictures aside."""
    entries: int = 50
    """Most documents, hits or lines of one observation."""
    rows: int = 200
    """Most rows of one `sql` observation."""
    python_rows: int = 10_000
    """Most rows that `rows(sql)` hands to Python."""
    seconds: float = 20.0
    """For one `sql` or `grep`."""
    memory: int = 1 << 30
    """Bytes of address space that a query may use, beyond what its process takes to be there."""
    picture_side: int = 1600
    """Pixels of a picture's longer side."""
    picture_bytes: int = 2 << 20
    """Of a picture's file."""
