"""HTTP of one role: a request out, a whole answer in, bounded in time and in size."""

import asyncio
import contextlib
import re

import aiohttp

from worktrial.engine.proxies import proxy_for
from worktrial.engine.wire import HttpAnswer, HttpRequest, OversizedAnswer

# A streamed answer may go on as long as it makes progress, but not for ever.
LONGEST_STREAM = 10
"""Bound on a whole streamed answer, in time-outs."""
# An event that is more than a ping, as Anthropic's wire sends them.
_has_news = re.compile(rb'^data:(?!\s*\{\s*"type"\s*:\s*"ping"\s*\})', re.MULTILINE).search

_LONGEST_NAP = 0.25
"""Seconds between two looks at a stream that goes on."""


_NO_MEMORY = (repr(MemoryError()), "Span callback error in on_body")
"""Words of aiohttp for an answer that it had no memory to take in; nothing else makes these fail."""


_NO_TIMER = contextlib.nullcontext()


class HttpTransport:
    """Sends the requests of one role over HTTP.

    Args:
        session: Shared by all roles.
        url: Any address of the endpoint, by which the proxy is found.
        timeout: Seconds for a whole answer; of a streamed one, seconds without a new event.
        largest: Bytes of an answer.
    """

    def __init__(self, session: aiohttp.ClientSession, url: str, *, timeout: float, largest: int) -> None:
        self._session = session
        self._seconds = timeout
        self._largest = largest
        self._whole = aiohttp.ClientTimeout(total=timeout)
        self._streamed = aiohttp.ClientTimeout(total=None)
        self.proxy = proxy_for(url)

    async def post(self, request: HttpRequest, name: str = "") -> HttpAnswer:
        """Send a request, and wait for the whole answer; see `wire.Transport`."""
        try:
            async with (
                # This timer ends what aiohttp's own does not know: a stream that is alive and says nothing.
                asyncio.timeout(self._seconds) if request.is_stream else _NO_TIMER as idle,
                # A prompt goes to the address that was named, and nowhere else.
                self._session.post(
                    request.url,
                    data=request.body,
                    headers=request.headers,
                    timeout=self._streamed if request.is_stream else self._whole,
                    proxy=self.proxy,
                    allow_redirects=False,
                ) as response,
            ):
                headers = response.headers
                is_stream = headers.get("Content-Type", "").startswith("text/event-stream")
                # What is packed says nothing about its length unpacked.
                size = None if "Content-Encoding" in headers else response.content_length
                if size is not None and size > self._largest:
                    raise self._oversized()
                if size is not None:
                    data = await response.read()
                elif is_stream and idle is not None:
                    data = await self._events(response.content, idle)
                else:
                    data = await self._unmeasured(response.content)
                return HttpAnswer(response.status, data, headers, is_stream)
        except TimeoutError:
            raise
        except (aiohttp.ClientError, OSError) as e:
            # Not the connection's trouble, and to send the request again would only be paid for.
            if isinstance(e.__cause__, MemoryError) or any(words in str(e) for words in _NO_MEMORY):
                raise MemoryError from None
            raise ConnectionError(str(e) or type(e).__name__) from None

    async def _unmeasured(self, content: aiohttp.StreamReader) -> bytes:
        """Read a body that does not say how long it is, up to the bound."""
        parts: list[bytes] = []
        size = 0
        async for part in content.iter_any():
            parts.append(part)
            size += len(part)
            if size > self._largest:
                raise self._oversized()
        return b"".join(parts)

    async def _events(self, content: aiohttp.StreamReader, idle: asyncio.Timeout) -> bytes:
        """Read a stream of events up to the bound, for as long as it makes progress.

        Nobody needs the first event before the last, so they are fetched a few times a second and at the end: to
        wake up for each costs more than to decode it.
        """
        # Else a full buffer would hold the stream up until the next look at it.
        content.set_read_chunk_size(self._largest)
        parts: list[bytes] = []
        now = asyncio.get_running_loop().time
        last = now() + LONGEST_STREAM * self._seconds
        often = self._seconds / 20
        looked = now()
        seen = 0
        unfinished = b""
        while not content.at_eof():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(_LONGEST_NAP, often)):
                    await content.wait_eof()
            parts.append(content.read_nowait())
            if content.total_bytes > self._largest:
                raise self._oversized()
            if (moment := now()) > looked + often:
                lines, _, unfinished = b"".join([unfinished, *parts[seen:]]).rpartition(b"\n")
                looked, seen = moment, len(parts)
                # Comments and pings keep a connection open, they are no progress; nor is half an event.
                if _has_news(lines):
                    idle.reschedule(min(moment + self._seconds, last))
        return b"".join(parts)

    def _oversized(self) -> OversizedAnswer:
        return OversizedAnswer(f"an answer of more than {self._largest / 1e6:g} MB")
