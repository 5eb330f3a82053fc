"""Limits that a run shares with others, on this machine or elsewhere: its budget, and the pace of its roles."""

from typing import Protocol

from worktrial.engine.roles import RoleName


class Limiter(Protocol):
    """A leaky bucket: so much at once, and so much in a time."""

    max_rate: float
    """Largest amount that may be taken at once."""

    async def acquire(self, amount: float = 1) -> None:
        """Wait until `amount` may be taken."""
        ...


class SharedLimits(Protocol):
    """Watch over what all of the run's processes take together."""

    def limiter(self, role: RoleName, kind: str, max_rate: float, seconds: float) -> Limiter:
        """Limiter that the processes have in common.

        Args:
            role: Whose pace it is.
            kind: Name of what is limited: requests, or tokens.
            max_rate: Amount that may be taken in `seconds`, and at once.
            seconds: Time in which it may be taken again.
        """
        ...

    def opened(self, cost: float, tokens: int) -> None:
        """Take note of what earlier sessions of this process's part have spent.

        Args:
            cost: US dollars.
            tokens: In and out.
        """
        ...

    async def admit(self, role: RoleName) -> None:
        """Wait until a request may be sent, as far as the budget and the pauses that endpoints ask for go.

        Raises:
            BudgetSpent: nothing more may be requested.
        """
        ...

    def slow_down(self, role: RoleName, seconds: float) -> None:
        """Make all processes wait with the role's requests: its endpoint has asked for it."""
        ...

    def spent(self, cost: float, tokens: int) -> None:
        """Book one request.

        Args:
            cost: US dollars.
            tokens: In and out.
        """
        ...
