"""What the process that serves a model is told."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Order:
    """What the parent wants served."""

    model: str
    name: str
    key: str
    n_ctx: int
    threads: int
    port: int
    """0 lets the system choose."""
    parent: int
    """Process id of the parent."""
