"""The ledger of a run whose shards work in several processes: who may spend how much, and who may send when.

It does not wait for anything, so that one process can answer for all: whoever asks is told how long to wait.
"""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from worktrial.engine.roles import RoleName
from worktrial.engine.spend import Budget, BudgetSpent, Spend

# What is granted at a time is a share of what is free, and no less than these, lest the end take for ever.
_LEAST_CENTS = 0.01
_LEAST_TOKENS = 2_000


class Grant(NamedTuple):
    """Share of the budget that a shard holds now."""

    cost: float | None
    """US dollars; None is unbounded."""
    tokens: float | None
    """Tokens in and out; None is unbounded."""
    end: str | None
    """Reason why nothing more may be requested, of any shard; None while the budget lasts."""
    pauses: Mapping[RoleName, float]
    """Seconds for which endpoints have asked to be left alone."""


class QueuePlace(NamedTuple):
    """Place in the queue of all who share a limit: the k-th unit may go after (`ahead` + k) / `rate` seconds."""

    ahead: float
    rate: float
    """Units a second."""


@dataclass(slots=True)
class _Held:
    """Share of the budget that a shard was given and has not spent."""

    cost: float = 0.0
    tokens: float = 0.0


class _Flow:
    def __init__(self, capacity: float, seconds: float, now: float) -> None:
        self._capacity = capacity
        self._rate = capacity / seconds
        self._level = 0.0
        self._at = now

    def take(self, amount: float, back: float, now: float) -> QueuePlace:
        self._level = max(0.0, self._level - (now - self._at) * self._rate - back)
        self._at = now
        ahead = self._level - self._capacity
        self._level += amount
        return QueuePlace(ahead, self._rate)


class LimitsLedger:
    """Budget and pace of a whole run.

    Args:
        budget: Of the whole run.
        shards: Number of shards at work at the same time.
        cost: US dollars that earlier sessions of all shards have spent.
        tokens: Tokens of the same.
        clock: Seconds, from any moment on.
    """

    def __init__(
        self,
        budget: Budget,
        shards: int,
        *,
        cost: float = 0.0,
        tokens: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._budget = budget
        self._shards = shards
        self._clock = clock
        self._spend = Spend(budget, cost=cost, tokens=tokens)
        self._known: dict[int, tuple[float, int]] = {}
        self._held: dict[int, _Held] = {}
        self._flows: dict[tuple[RoleName, str], _Flow] = {}
        self._quiet: dict[RoleName, float] = {}
        self._lines: dict[int, str] = {}

    @property
    def cost(self) -> float:
        """US dollars that were spent, as far as shards have told."""
        return self._spend.cost

    @property
    def tokens(self) -> int:
        """Tokens that were spent, as far as shards have told."""
        return self._spend.tokens

    def begin(self, shard: int, cost: float, tokens: int) -> None:
        """Take a shard in, or take it in again after the death of who worked on it, whose share is free now.

        Args:
            shard: Its number.
            cost: US dollars that are known from what it has stored.
            tokens: Tokens of the same.
        """
        self._held.pop(shard, None)
        known_cost, known_tokens = self._known.setdefault(shard, (cost, tokens))
        # What was told and is not stored was spent all the same; what is stored and was not told, too.
        more_cost, more_tokens = max(0.0, cost - known_cost), max(0, tokens - known_tokens)
        self._spend.cost += more_cost
        self._spend.tokens += more_tokens
        self._known[shard] = known_cost + more_cost, known_tokens + more_tokens

    def settle(
        self, shard: int, cost: float, tokens: int, pauses: Mapping[RoleName, float], *, wants: bool = False
    ) -> Grant:
        """Book what a shard has spent since it last told, and see what it may go on to spend.

        Args:
            shard: Its number.
            cost: US dollars since then.
            tokens: Tokens since then.
            pauses: Seconds for which an endpoint has asked the shard to leave it alone, by role.
            wants: Whether it has used up what it was granted.
        """
        now = self._clock()
        for role, seconds in pauses.items():
            self._quiet[role] = max(self._quiet.get(role, 0.0), now + seconds)
        self._spend.cost += cost
        self._spend.tokens += tokens
        known_cost, known_tokens = self._known.get(shard, (0.0, 0))
        self._known[shard] = known_cost + cost, known_tokens + tokens
        held = self._held.setdefault(shard, _Held())
        held.cost, held.tokens = max(0.0, held.cost - cost), max(0.0, held.tokens - tokens)
        if wants:
            self._grant(held)
        return Grant(
            None if self._budget.cost is None else held.cost,
            None if self._budget.tokens is None else held.tokens,
            self._end(),
            {role: until - now for role, until in self._quiet.items() if until > now},
        )

    def end(self, shard: int) -> None:
        """Take back what a shard was granted and has not spent."""
        self._held.pop(shard, None)

    def take(
        self, role: RoleName, kind: str, capacity: float, seconds: float, amount: float, back: float = 0.0
    ) -> QueuePlace:
        """Give out the next `amount` of what a role may send.

        Args:
            role: Whose limit it is.
            kind: Name of what is limited.
            capacity: Amount that may be sent at once, and in `seconds`.
            seconds: Time in which it may be sent again.
            amount: That is asked for.
            back: Part of an earlier amount that was not used.
        """
        now = self._clock()
        flow = self._flows.setdefault((role, kind), _Flow(capacity, seconds, now))
        return flow.take(amount, back, now)

    def tell(self, shard: int, line: str) -> None:
        """Take note of how far a shard is."""
        self._lines[shard] = line

    def told(self) -> dict[int, str]:
        """Line of each shard on how far it is, by number."""
        return dict(sorted(self._lines.items()))

    def _grant(self, held: _Held) -> None:
        budget = self._budget
        # Who has nothing left of one may have plenty of the other.
        if budget.cost is not None and held.cost <= 0:
            free = budget.cost - self._spend.cost - sum(one.cost for one in self._held.values())
            held.cost = min(max(free / (2 * self._shards), _LEAST_CENTS), max(free, 0.0))
        if budget.tokens is not None and held.tokens <= 0:
            free = budget.tokens - self._spend.tokens - sum(one.tokens for one in self._held.values())
            held.tokens = min(max(math.ceil(free / (2 * self._shards)), _LEAST_TOKENS), max(free, 0.0))

    def _end(self) -> str | None:
        try:
            self._spend.check()
        except BudgetSpent as e:
            return str(e.args[0])
        return None
