"""Context of a model in tokens, as its endpoint tells it in the list of its models."""

from typing import Any

import aiohttp
import msgspec

from worktrial.engine.proxies import proxy_for
from worktrial.engine.roles import RoleSettings, below

_TIMEOUT = aiohttp.ClientTimeout(total=15, sock_connect=5)
_MOST = 16_000_000
"""Bytes of a list that is read."""
_NAMES = ("context_length", "max_model_len", "context_window", "max_context_length", "n_ctx", "max_input_tokens")
"""Names that endpoints have for it: OpenRouter, Together; vLLM, SGLang; Groq; LM Studio; llama.cpp; Anthropic."""


async def context_length(settings: RoleSettings) -> int | None:
    """Tokens of prompt and reply together that a role's model takes; None where its endpoint does not say.

    Args:
        settings: The role, its endpoint filled in.
    """
    if settings.is_local:
        # Imported here: only who asks for the embedded model has it.
        from worktrial.engine.local.catalogue import LOCAL_CONTEXT

        return LOCAL_CONTEXT
    address = below(settings.base_url or "", "models")
    key = settings.key()
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        async with (
            aiohttp.ClientSession(timeout=_TIMEOUT) as session,
            session.get(address, headers=headers, proxy=proxy_for(address), allow_redirects=False) as answer,
        ):
            said = msgspec.json.decode(await answer.content.read(_MOST)) if answer.status == 200 else None
    except (aiohttp.ClientError, OSError, ValueError, RecursionError):
        # A list of models is a courtesy: that there is none is no trouble.
        return None
    return _of(said, settings.model)


def _of(said: Any, model: str) -> int | None:
    listed = said.get("data", said.get("models")) if isinstance(said, dict) else said
    for entry in listed if isinstance(listed, list) else ():
        if isinstance(entry, dict) and model in (entry.get("id"), entry.get("name"), entry.get("model")):
            for place in (entry, entry.get("meta"), entry.get("top_provider"), entry.get("details")):
                if isinstance(place, dict) and (tokens := _first(place)):
                    return tokens
    return None


def _first(place: dict[str, Any]) -> int | None:
    values = (place.get(name) for name in _NAMES)
    return next((value for value in values if type(value) is int and value > 0), None)
