"""What requests cost, from the maintained price list or from the user's own figures."""

from collections.abc import Callable
from urllib.parse import urlsplit

from worktrial.engine.roles import RoleSettings
from worktrial.language import Usage

PriceOf = Callable[[Usage], float | None]
"""US dollars for the usage of one request; None when the endpoint did not report its tokens."""


def price_for(settings: RoleSettings) -> PriceOf | None:
    """How to price a request of this role; None when nobody knows the model's price.

    The embedded model is free. Figures given by the user win over the list.
    """
    if settings.is_local:
        return lambda usage: 0.0
    if settings.price is not None:
        dollars_in, dollars_out = settings.price
        return _reported(lambda usage: (usage.input_tokens * dollars_in + usage.output_tokens * dollars_out) / 1e6)
    return _listed(settings) if _may_be_listed(settings.base_url) else None


def _reported(price: Callable[[Usage], float]) -> PriceOf:
    # No request takes no token at all; an endpoint that reports none has told us nothing.
    return lambda usage: price(usage) if usage.tokens else None


def _may_be_listed(base_url: str | None) -> bool:
    """Priced providers have a domain name; a server of one's own often has an address or a bare name."""
    host = urlsplit(base_url or "").hostname or ""
    return "." in host and not host.replace(".", "").isdigit()


def _listed(settings: RoleSettings) -> PriceOf | None:
    # Imported here because it loads the whole list (0.2 s), which a local run does not need.
    from genai_prices import Usage as Priced
    from genai_prices import calc_price

    try:
        found = calc_price(
            Priced(input_tokens=1, output_tokens=1),
            model_ref=settings.model,
            provider_api_url=settings.base_url,
        )
    except LookupError:
        return None
    provider = found.provider.id

    def price(usage: Usage) -> float:
        priced = Priced(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cache_read_tokens=min(usage.cached_tokens, usage.input_tokens),
        )
        return float(calc_price(priced, model_ref=settings.model, provider_id=provider).total_price)

    return _reported(price)
