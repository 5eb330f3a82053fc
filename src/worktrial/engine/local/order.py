"""Order to the process that serves a model."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServeOrder:
    """Model that the parent wants served, and how."""

    model: str
    name: str
    key: str
    n_ctx: int
    threads: int
    port: int
    """0 lets the system choose."""
    parent: int
    """Process id of the parent."""
