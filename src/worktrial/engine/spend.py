"""Consumption of a run: prices of requests, the meter of a sample, the budget of the whole run."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from worktrial.engine.roles import RoleName, RoleSettings
from worktrial.errors import StopRun, option
from worktrial.language import Usage


class BudgetSpent(StopRun):
    """A budget of the run is used up. Finished samples are stored; a larger budget lets the run go on."""

    exit_code = 130


@dataclass(frozen=True, slots=True)
class Budget:
    """Bounds for a whole run; None is unbounded."""

    cost: float | None = None
    """US dollars."""
    tokens: int | None = None
    """Input and output tokens of all roles."""
    minutes: float | None = None
    """Wall-clock minutes of this invocation."""


@dataclass(slots=True)
class Meter:
    """Consumption of one sample so far."""

    usage: dict[RoleName, Usage] = field(default_factory=dict)
    costs: dict[RoleName, float | None] = field(default_factory=dict)
    """US dollars by role; None where nobody knows the price of the role's model."""
    replays: dict[RoleName, int] = field(default_factory=dict)
    """Requests answered from the request cache, by role; their tokens count, their cost does not."""
    spared: dict[RoleName, float | None] = field(default_factory=dict)
    """US dollars that those would have cost; None where nobody knows the price of the role's model."""

    def add(self, role: RoleName, usage: Usage, cost: float | None) -> None:
        """Book one request."""
        earlier = self.usage.get(role)
        self.usage[role] = usage if earlier is None else earlier + usage
        self.costs[role] = _sum(self.costs.get(role, 0.0), cost)

    def replay(self, role: RoleName, usage: Usage, cost: float | None) -> None:
        """Book one answer from the request cache, which costs nothing.

        Args:
            role: Who was asked.
            usage: Tokens of the request when it was made.
            cost: US dollars that it would have cost.
        """
        self.add(role, usage, 0.0)
        self.replays[role] = self.replays.get(role, 0) + 1
        self.spared[role] = _sum(self.spared.get(role, 0.0), cost)

    @property
    def replayed(self) -> int:
        """Requests answered from the request cache."""
        return sum(self.replays.values())

    def tokens(self, role: RoleName) -> int:
        """Tokens of one role."""
        return self.usage[role].tokens if role in self.usage else 0

    @property
    def known_cost(self) -> float:
        """US dollars of the roles whose price is known."""
        return sum(cost for cost in self.costs.values() if cost is not None)

    @property
    def cost(self) -> float | None:
        """US dollars of all roles; None when some price is unknown."""
        return None if None in self.costs.values() else self.known_cost


def _sum(so_far: float | None, more: float | None) -> float | None:
    return None if so_far is None or more is None else so_far + more


class Spend:
    """Consumption of a run, watched against its budget.

    Args:
        budget: What may be spent.
        cost: US dollars that earlier sessions spent.
        tokens: Tokens of earlier sessions.
    """

    def __init__(self, budget: Budget, *, cost: float = 0.0, tokens: int = 0) -> None:
        self._budget = budget
        self._whole: Spend | None = None
        self._started = time.monotonic()
        self.cost = cost
        self.tokens = tokens
        self._has_seen_tokens = False

    def join(self, whole: "Spend") -> None:
        """Book from now on in `whole`, too, which several runs share; its budget is watched as well."""
        self._whole = whole

    def add(self, usage: Usage, cost: float | None) -> None:
        """Book one request.

        Raises:
            StopRun: the budget cannot be watched, because tokens are not reported.
        """
        if self._whole is not None:
            self._whole.add(usage, cost)
        self.tokens += usage.tokens
        self.cost += cost or 0.0
        self._has_seen_tokens |= usage.tokens > 0
        budget = self._budget
        if not self._has_seen_tokens and (budget.cost is not None or budget.tokens is not None):
            raise StopRun(
                f"the endpoint, or the agent, does not report the tokens it uses, so {option('max_cost')} and "
                f"{option('max_tokens')} cannot be watched. Leave them out, or use {option('max_minutes')}"
            )

    def check(self) -> None:
        """Called before every request.

        Raises:
            BudgetSpent: nothing more may be requested.
        """
        if self._whole is not None:
            self._whole.check()
        budget = self._budget
        if budget.cost is not None and self.cost >= budget.cost:
            raise BudgetSpent(f"the budget of ${budget.cost:g} is spent ({option('max_cost')})")
        if budget.tokens is not None and self.tokens >= budget.tokens:
            raise BudgetSpent(f"the budget of {budget.tokens:,} tokens is spent ({option('max_tokens')})")
        if budget.minutes is not None and time.monotonic() - self._started >= budget.minutes * 60:
            raise BudgetSpent(f"the {budget.minutes:g} minutes are over ({option('max_minutes')})")


PriceOf = Callable[[Usage], float | None]
"""US dollars for the usage of one request; None when the endpoint did not report its tokens."""


def price_for(settings: RoleSettings) -> PriceOf | None:
    """Function that prices a request of this role; None when nobody knows the model's price.

    The embedded model is free. Figures given by the user win over the list, and are what is paid, in a batch,
    too; of the list, what it says of batches counts there.
    """
    if settings.is_local:
        return lambda usage: 0.0
    if settings.price is not None:
        return given_price(settings.price)
    if not _may_be_listed(settings.base_url):
        return None
    return listed_price(settings.model, settings.base_url, batch=settings.batch)


def given_price(figures: Sequence[float]) -> PriceOf:
    """Price from figures of the user's: US dollars per million tokens in and out, and those of the cache."""
    return _reported(_given(*figures))


def _given(
    dollars_in: float, dollars_out: float, dollars_cached: float | None = None, dollars_stored: float | None = None
) -> Callable[[Usage], float]:
    """Price of a request, from US dollars per million tokens; None is the price of any input."""
    less = 0.0 if dollars_cached is None else dollars_in - dollars_cached
    more = 0.0 if dollars_stored is None else dollars_stored - dollars_in

    def price(usage: Usage) -> float:
        dollars = usage.input_tokens * dollars_in + usage.output_tokens * dollars_out
        cached, stored = _in_cache(usage)
        return (dollars - cached * less + stored * more) / 1e6

    return price


def _in_cache(usage: Usage) -> tuple[int, int]:
    """Tokens of the input out of the provider's cache and into it; never more than there are."""
    cached = min(usage.cached_tokens, usage.input_tokens)
    return cached, min(usage.stored_tokens, usage.input_tokens - cached)


def _reported(price: Callable[[Usage], float]) -> PriceOf:
    # No request takes no token at all; an endpoint that reports none has told us nothing.
    return lambda usage: price(usage) if usage.tokens else None


def _may_be_listed(base_url: str | None) -> bool:
    """Priced providers have a domain name; a server of one's own often has an address or a bare name."""
    host = urlsplit(base_url or "").hostname or ""
    return "." in host and not host.replace(".", "").isdigit()


def context_of(settings: RoleSettings) -> int | None:
    """Tokens of prompt and answer together that a role's model can hold; None where nobody knows.

    The price list says so of most models that it has. A model behind an address of one's own may have any size,
    whatever its name.
    """
    if settings.is_local:
        # Imported here: only who asks for the embedded model has it.
        from worktrial.engine.local.catalogue import LOCAL_CONTEXT

        return LOCAL_CONTEXT
    if not _may_be_listed(settings.base_url):
        return None
    # Imported here because it loads the whole list (0.2 s).
    from genai_prices.data_snapshot import get_snapshot

    try:
        _, model = get_snapshot().find_provider_model(settings.model, None, None, settings.base_url)
    except LookupError:
        return None
    return model.context_window


def listed_price(model: str, base_url: str | None = None, *, batch: bool = False) -> PriceOf | None:
    """Price of a model on the list; None where it is not on it.

    Args:
        model: Its name.
        base_url: Address of its provider; None where the name alone has to tell.
        batch: Whether what the list says of batches counts.
    """
    # Imported here because it loads the whole list (0.2 s), which a local run does not need.
    from genai_prices import Usage as Priced
    from genai_prices import calc_price

    try:
        found = calc_price(
            Priced(input_tokens=1, output_tokens=1),
            model_ref=model,
            provider_api_url=base_url,
        )
    except LookupError:
        return None
    provider = found.provider.id
    context = {"processing": "batch"} if batch else None

    def price(usage: Usage) -> float:
        cached, stored = _in_cache(usage)
        priced = Priced(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cache_read_tokens=cached,
            cache_write_tokens=stored,
        )
        found = calc_price(priced, model_ref=model, provider_id=provider, price_context=context)
        return float(found.total_price)

    return _reported(price)
