"""HTTP of a batch interface: few calls, each worth waiting for, each sent again when that is safe."""

import asyncio
from collections.abc import Callable, Mapping

import aiohttp

from worktrial.engine.proxies import proxy_for
from worktrial.engine.refusals import error_text, excerpt, explain, is_account_empty
from worktrial.engine.retry import (
    RETRIED_STATUSES,
    Retryable,
    RetryPolicy,
    Tries,
    endpoint_time,
    retry_after_seconds,
)
from worktrial.engine.roles import RoleSettings, public_url
from worktrial.engine.wire import NotACompletion, decoded
from worktrial.errors import StopRun, option
from worktrial.language import JsonObject
from worktrial.secrets import Redactor

# A file of results may hold those of a whole run.
_LARGEST = 2_000_000_000
# A server without batches does not know the address, or has only a GET there.
_UNKNOWN = frozenset({404, 405, 501})
_GOES_ON = "A batch that is in flight stays so, and the same command goes on waiting for it"


Data = bytes | Callable[[], aiohttp.FormData] | None


class BatchCalls:
    """Sends the calls of one role's batch interface.

    Args:
        settings: The role.
        session: Shared by all roles.
        retry: Bounds on the tries of one call.
        redactor: Hides keys in what is said about trouble.
    """

    def __init__(
        self, settings: RoleSettings, session: aiohttp.ClientSession, retry: RetryPolicy, redactor: Redactor
    ) -> None:
        self._settings = settings
        self._session = session
        self._retry = retry
        self._redactor = redactor
        self._timeout = aiohttp.ClientTimeout(total=settings.timeout)
        self.where = f"{settings.role_name} at {public_url(settings.base_url or '')}"

    def redacted(self, text: str) -> str:
        """`text` without keys."""
        return self._redactor.text(text)

    async def json(self, method: str, url: str, headers: Mapping[str, str], data: Data = None) -> JsonObject:
        """The object that a call answers with; see `body`."""
        answer = await self.body(method, url, headers, data)
        try:
            return decoded(answer)
        except NotACompletion as e:
            said = excerpt(self._redactor.bytes(answer))
            raise StopRun(f"{self.where}: the batch interface sent {e} in {said}. {_GOES_ON}") from None

    async def body(self, method: str, url: str, headers: Mapping[str, str], data: Data = None) -> bytes:
        """The body that a call answers with.

        Args:
            method: Of HTTP.
            url: Address.
            headers: With the key.
            data: JSON that creates a batch, which costs money: it is not sent again where nobody knows whether it
                came through. Or a function that makes a form, anew for each try.

        Raises:
            StopRun: the call is refused, cannot be made, or answers with something else.
        """
        tries = Tries(self._retry)
        while True:
            try:
                return await self._attempt(method, url, headers, data)
            except Retryable as trouble:
                if tries.book(trouble) is not None:
                    raise StopRun(f"{trouble.detail} (gave up after {tries.made} tries). {_GOES_ON}") from None
                wait = trouble.wait
            await asyncio.sleep(wait)

    async def _attempt(self, method: str, url: str, headers: Mapping[str, str], data: Data) -> bytes:
        try:
            async with self._session.request(
                method,
                url,
                data=data() if callable(data) else data,
                headers=headers,
                timeout=self._timeout,
                proxy=proxy_for(url),
                # Results may lie elsewhere; a prompt goes to the address that was named.
                allow_redirects=method == "GET",
            ) as response:
                answer = await self._whole(response)
                status = response.status
                asked, date = response.headers.get("Retry-After"), response.headers.get("Date")
        except (aiohttp.ClientError, OSError) as e:
            said = self._redactor.text(str(e)) or f"no answer within {self._settings.timeout:g} s"
            if isinstance(data, bytes) and not isinstance(e, aiohttp.ClientConnectorError):
                raise StopRun(
                    f"{self.where}: no answer to the creation of a batch ({said}). The provider may have taken it "
                    "in all the same: look there before the same command creates it anew"
                ) from None
            raise Retryable(f"{self.where}: {said}") from None
        if status in (200, 201):
            return answer
        shown = self._redactor.bytes(answer)
        said, code = error_text(shown)
        passing = (status in RETRIED_STATUSES or status >= 500) and status not in _UNKNOWN
        if passing and not is_account_empty(said, code):
            wait = retry_after_seconds(asked, endpoint_time(date))
            raise Retryable(f"{self.where}: {status} {said}", retry_after=wait, slow_down=status == 429)
        if status in _UNKNOWN and method == "POST":
            raise StopRun(f"{self.where} has no batch interface ({status}). Leave out {option('batch')}")
        if status in _UNKNOWN:
            raise StopRun(
                f"{self.where} does not know a batch of this run any more ({status} {said}). Remove batches.jsonl "
                "from the run's folder, and the same command asks for the rest anew"
            )
        error = explain(self._settings, self.where, status, said, code, has_answered=False)
        raise error if isinstance(error, StopRun) else StopRun(str(error))

    async def _whole(self, response: aiohttp.ClientResponse) -> bytes:
        parts: list[bytes] = []
        size = 0
        async for part in response.content.iter_any():
            parts.append(part)
            size += len(part)
            if size > _LARGEST:
                raise StopRun(f"{self.where}: results of more than {_LARGEST / 1e9:g} GB")
        return b"".join(parts)
