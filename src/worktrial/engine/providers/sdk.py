"""Official SDKs on our own HTTP: they know addresses, headers and keys; limits, retries and proxies stay ours."""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from worktrial.engine.transport import HttpAnswer, OversizedAnswer, Transport
from worktrial.errors import StopRun

if TYPE_CHECKING:
    import httpx2


@dataclass(slots=True)
class _Exchange:
    """The one request that a call of an SDK makes, and its outcome."""

    stream: bool
    """Whether events are expected."""
    answer: HttpAnswer | None = None
    error: Exception | None = None


_exchange: ContextVar[_Exchange] = ContextVar("exchange")
# Set by our own client for the bytes that it sends and receives.
_NOT_PASSED_ON = frozenset({"host", "content-length", "connection", "accept-encoding", "transfer-encoding"})


def http_client(transport: Transport) -> "httpx2.AsyncClient":
    """The HTTP client that an SDK is given: all it sends goes through `transport`."""
    # Imported here because it comes with the SDKs, and because few runs need it.
    import httpx2

    class OwnTransport(httpx2.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            exchange = _exchange.get()
            headers = {name: value for name, value in request.headers.items() if name not in _NOT_PASSED_ON}
            try:
                answer = await transport.post(
                    str(request.url), await request.aread(), headers, stream=exchange.stream
                )
            except (TimeoutError, ConnectionError, OversizedAnswer) as e:
                exchange.error = e
                raise httpx2.TransportError(str(e)) from None
            exchange.answer = answer
            kind = answer.headers.get("Content-Type", "application/json")
            return httpx2.Response(
                answer.status, content=answer.data, headers={"Content-Type": kind}, request=request
            )

    return httpx2.AsyncClient(transport=OwnTransport(), trust_env=False)


async def posted(sdk: Any, path: str, body: bytes) -> HttpAnswer:
    """The endpoint's own answer to a finished body, posted by an SDK that has a `post` for any path.

    Raises:
        TimeoutError, ConnectionError, OversizedAnswer, StopRun: as `answer_of` does.
    """
    import httpx2

    options = {"headers": {"Content-Type": "application/json"}, "timeout": None}
    return await answer_of(
        lambda: sdk.post(path, content=body, cast_to=httpx2.Response, options=options),
        stream=b'"stream":true' in body,
    )


async def answer_of(call: Callable[[], Awaitable[object]], *, stream: bool = False) -> HttpAnswer:
    """The endpoint's own answer to the request that `call`, into an SDK, makes; whatever the SDK thinks of it.

    Args:
        call: Into the SDK; makes one request.
        stream: Whether the answer comes as events. It is whole when it is returned.

    Raises:
        TimeoutError, ConnectionError, OversizedAnswer: as `Transport.post` does.
        StopRun: the SDK refused to make the request.
    """
    exchange = _Exchange(stream)
    token = _exchange.set(exchange)
    try:
        await call()
    except Exception as e:
        if exchange.error is not None:
            raise exchange.error from None
        if exchange.answer is None:
            raise StopRun(f"the provider's library cannot make this request: {type(e).__name__}: {e}") from e
    finally:
        _exchange.reset(token)
    if exchange.answer is None:
        raise StopRun("the provider's library made no request")
    return exchange.answer
