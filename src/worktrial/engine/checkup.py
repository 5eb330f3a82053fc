"""Asking an endpoint what it can do, for `worktrial doctor`."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

import aiohttp
import msgspec

from worktrial.engine.client import Client
from worktrial.engine.proxies import proxy_for
from worktrial.engine.refusals import error_text
from worktrial.engine.retry import RetryPolicy
from worktrial.engine.roles import Role, RoleSettings, below, public_url
from worktrial.engine.spend import Budget, Meter, Spend
from worktrial.engine.wire import Endpoint
from worktrial.errors import WorktrialError
from worktrial.language import Completion, JsonObject
from worktrial.secrets import Redactor

LISTING_TIMEOUT = aiohttp.ClientTimeout(total=15)
_MOST = 16_000_000  # bytes of a list of models


@dataclass(frozen=True, slots=True)
class EndpointCheck:
    """One observation about an endpoint."""

    good: bool
    text: str
    needed: bool = True
    """Whether a run depends on it, or it is merely good to know."""


_PONG: JsonObject = {
    "type": "object",
    "properties": {"word": {"type": "string", "maxLength": 8}},
    "required": ["word"],
    "additionalProperties": False,
}
_TOOL: JsonObject = {
    "type": "function",
    "function": {
        "name": "ping",
        "description": "Answers pong.",
        "parameters": {"type": "object", "properties": {}},
    },
}


async def examine(
    base_url: str, api_key_env: str | None, model: str | None, wire_name: str | None = None
) -> list[EndpointCheck]:
    """Try an endpoint: its model list and, with `model`, a word, a JSON Schema, a tool call, log-probabilities.

    Raises:
        SettingError: the key's variable is not set, or the address is none.
    """
    settings = RoleSettings(
        role=Role.AGENT,
        model=model or "",
        base_url=base_url,
        api_key_env=api_key_env,
        wire=wire_name,
        max_tokens=64,
        timeout=60,
        # What the client would otherwise find out and keep to itself is what is asked here.
        structured="schema",
    ).resolved()
    redactor = Redactor()
    settings.hide(redactor, needs_key=True)
    endpoint = Endpoint(base_url, settings.model, settings.key())
    async with aiohttp.ClientSession() as session:
        findings = [await _models(session, endpoint, redactor, is_chat=wire_name is None)]
        if model is not None and findings[0].good:
            client = Client(
                settings,
                endpoint,
                session,
                spend=Spend(Budget()),
                redactor=redactor,
                retry=RetryPolicy(attempts=2, total_seconds=60),
            )
            findings += await _abilities(client)
    return findings


async def _models(
    session: aiohttp.ClientSession, endpoint: Endpoint, redactor: Redactor, *, is_chat: bool
) -> EndpointCheck:
    where = public_url(endpoint.base_url)
    headers = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
    try:
        address = below(endpoint.base_url, "models")
        proxy = proxy_for(address)
        async with session.get(
            address, headers=headers, timeout=LISTING_TIMEOUT, proxy=proxy, allow_redirects=False
        ) as response:
            # More than that is no list of models; it is told as one that cannot be read.
            data = b"".join([part async for part in _first(response.content)])
    except (aiohttp.ClientError, OSError) as e:
        return EndpointCheck(False, f"{where} does not answer: {redactor.text(str(e)) or 'no word in time'}")
    if not is_chat:
        # How a key is shown, and where models are listed, is every wire's own affair.
        return EndpointCheck(True, f"{where} answers")
    if response.status in (401, 403):
        return EndpointCheck(False, f"{where} refuses the key: {error_text(redactor.bytes(data))[0]}")
    # Some endpoints have no model list; that they answer at all is what counts here.
    return EndpointCheck(True, f"{where} answers; {redactor.text(_models_in(response.status, data))}")


async def _first(content: aiohttp.StreamReader) -> AsyncIterator[bytes]:
    left = _MOST
    while left > 0 and (part := await content.read(left)):
        left -= len(part)
        yield part


def _models_in(status: int, data: bytes) -> str:
    try:
        names = [str(entry["id"]) for entry in msgspec.json.decode(data)["data"]]
    except (msgspec.DecodeError, KeyError, TypeError):
        return f"no model list (status {status})"
    return f"models: {', '.join(names[:8])}{', …' if len(names) > 8 else ''}"


async def _abilities(client: Client) -> list[EndpointCheck]:
    line = client.model(Meter())
    ask = [{"role": "user", "content": "Reply with the word pong."}]
    call = [{"role": "user", "content": "Call the tool ping."}]
    tries: list[tuple[str, Callable[[], Awaitable[Completion]], Callable[[Completion], bool]]] = [
        ("a plain reply", lambda: line(ask), lambda c: bool(c.text)),
        ("a reply by JSON Schema", lambda: line(ask, schema=_PONG), lambda c: '"word"' in c.text),
        ("a tool call", lambda: line(call, tools=[_TOOL]), lambda c: bool(c.tool_calls)),
        ("log-probabilities", lambda: line(ask, top_logprobs=5, max_tokens=1), lambda c: c.first_token is not None),
    ]
    findings = []
    for number, (what, request, succeeded) in enumerate(tries):
        # Only the plain reply is needed by every suite.
        try:
            good = succeeded(await request())
            findings.append(EndpointCheck(good, f"{what}: {'yes' if good else 'no'}", needed=number == 0))
        except WorktrialError as e:
            findings.append(EndpointCheck(False, f"{what}: no ({e})", needed=number == 0))
    return findings
