"""Batch interfaces of providers: OpenAI's files and batches, Anthropic's message batches, Gemini's batches."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import aiohttp
import msgspec

from worktrial.engine.batch.calls import BatchCalls
from worktrial.engine.providers.gemini import VERSION
from worktrial.engine.providers.messages import ERROR_STATUSES
from worktrial.engine.providers.messages import VERSION as MESSAGES_VERSION
from worktrial.engine.roles import below
from worktrial.engine.wire import JSON, NO_KEY, Endpoint, HttpAnswer
from worktrial.language import JsonObject


@dataclass(frozen=True, slots=True)
class BatchState:
    """A batch as its provider sees it."""

    ended: bool
    done: int
    """Requests that are done with, well or badly."""
    trouble: str = ""
    """Reason for which the batch as a whole was refused or called off; "" where it was not."""
    files: Sequence[str] = ()
    """Addresses of the results, one a line."""
    lines: Sequence[bytes] = ()
    """The results themselves, where the provider tells them with the state."""


@dataclass(frozen=True, slots=True)
class BatchResult:
    """A line of a batch's results."""

    custom_id: str
    answer: HttpAnswer | None
    """Answer as it would have come to the request alone; None where the provider never got to it."""


class BatchProvider(Protocol):
    """One provider's way with batches."""

    most: int
    """Requests of one batch."""
    largest: int
    """Bytes of one batch."""
    headers: Mapping[str, str]
    """Headers of its calls, with the key."""

    async def create(self, requests: Sequence[tuple[str, bytes]]) -> str:
        """Submit requests, each an id of ours and an encoded body; returns the provider's id of the batch."""
        ...

    async def state(self, batch: str) -> BatchState:
        """Look how a batch is doing."""
        ...

    def result(self, line: bytes) -> BatchResult:
        """Read a line of the results.

        Raises:
            ValueError, TypeError, KeyError, AttributeError: it is no such line.
        """
        ...


class OpenAIBatches:
    """Files of JSON lines, uploaded, worked off and downloaded (OpenAI's Batch API)."""

    most = 50_000
    largest = 190_000_000

    def __init__(self, endpoint: Endpoint, calls: BatchCalls, path: str) -> None:
        self._calls = calls
        self._path = path
        self._files = below(endpoint.base_url, "files")
        self._batches = below(endpoint.base_url, "batches")
        self.headers: Mapping[str, str] = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}

    async def create(self, requests: Sequence[tuple[str, bytes]]) -> str:
        """Upload the requests as a file, and have it worked off."""
        head = msgspec.json.encode({"method": "POST", "url": self._path})[:-1]
        lines = b"".join(
            b'%b,"custom_id":"%b","body":%b}\n' % (head, custom_id.encode(), body) for custom_id, body in requests
        )

        def form() -> aiohttp.FormData:
            made = aiohttp.FormData()
            made.add_field("purpose", "batch")
            made.add_field("file", lines, filename="batch.jsonl", content_type="application/jsonl")
            return made

        file = await self._calls.json("POST", self._files, self.headers, form)
        wanted = {"input_file_id": file["id"], "endpoint": self._path, "completion_window": "24h"}
        headers = {**self.headers, **JSON}
        batch = await self._calls.json("POST", self._batches, headers, msgspec.json.encode(wanted))
        return str(batch["id"])

    async def state(self, batch: str) -> BatchState:
        """Look how a batch is doing."""
        told = await self._calls.json("GET", below(self._batches, batch), self.headers)
        status = str(told["status"])
        counts = told.get("request_counts") or {}
        files = [told.get("output_file_id"), told.get("error_file_id")]
        trouble = ""
        if status == "failed":
            errors = (told.get("errors") or {}).get("data") or [{}]
            trouble = f"was refused: {errors[0].get('message') or 'no reason given'}"
        elif status == "cancelled":
            trouble = "was cancelled at the provider"
        return BatchState(
            status in ("completed", "failed", "expired", "cancelled"),
            int(counts.get("completed") or 0) + int(counts.get("failed") or 0),
            trouble,
            [below(self._files, f"{file}/content") for file in files if file],
        )

    def result(self, line: bytes) -> BatchResult:
        """Read a line of the output file or the error file."""
        told = _object(line)
        response = told.get("response")
        if not isinstance(response, dict):
            return BatchResult(str(told["custom_id"]), None)
        status = response["status_code"]
        if not isinstance(status, int):
            raise TypeError("a status that is no number")
        return BatchResult(str(told["custom_id"]), HttpAnswer(status, msgspec.json.encode(response.get("body"))))


class AnthropicBatches:
    """Message batches: one request with all of them, one file with all results (Anthropic's API)."""

    most = 100_000
    largest = 250_000_000

    def __init__(self, endpoint: Endpoint, calls: BatchCalls) -> None:
        self._calls = calls
        self._batches = below(endpoint.base_url.rstrip("/").removesuffix("/v1"), "v1/messages/batches")
        self.headers: Mapping[str, str] = {
            "x-api-key": endpoint.key or NO_KEY,
            "anthropic-version": MESSAGES_VERSION,
        }

    async def create(self, requests: Sequence[tuple[str, bytes]]) -> str:
        """Submit all requests at once."""
        each = b",".join(b'{"custom_id":"%b","params":%b}' % (name.encode(), body) for name, body in requests)
        headers = {**self.headers, **JSON}
        batch = await self._calls.json("POST", self._batches, headers, b'{"requests":[%b]}' % each)
        return str(batch["id"])

    async def state(self, batch: str) -> BatchState:
        """Look how a batch is doing."""
        told = await self._calls.json("GET", below(self._batches, batch), self.headers)
        counts = told.get("request_counts") or {}
        done = sum(int(counts.get(name) or 0) for name in ("succeeded", "errored", "canceled", "expired"))
        ended = told["processing_status"] == "ended"
        cancelled = ended and bool(told.get("cancel_initiated_at"))
        trouble = "was cancelled at the provider" if cancelled else ""
        # At our own address, so that the key goes nowhere else.
        return BatchState(ended, done, trouble, [below(self._batches, f"{batch}/results")] if ended else [])

    def result(self, line: bytes) -> BatchResult:
        """Read a line of the results."""
        told = _object(line)
        custom_id, result = str(told["custom_id"]), told["result"]
        kind = result["type"]
        if kind == "succeeded":
            return BatchResult(custom_id, HttpAnswer(200, msgspec.json.encode(result["message"])))
        if kind == "errored":
            error = result["error"]
            error = error.get("error", error)
            status = ERROR_STATUSES.get(str(error.get("type")), 500)
            return BatchResult(custom_id, HttpAnswer(status, msgspec.json.encode({"error": error})))
        return BatchResult(custom_id, None)


class GeminiBatches:
    """Batches with requests and results in the calls themselves (Gemini's `batchGenerateContent`)."""

    most = 50_000
    largest = 19_000_000

    def __init__(self, endpoint: Endpoint, calls: BatchCalls) -> None:
        self._calls = calls
        self._model = f"models/{endpoint.model.removeprefix('models/')}"
        self._root = below(endpoint.base_url.rstrip("/").removesuffix(f"/{VERSION}").removesuffix("/v1"), VERSION)
        self.headers: Mapping[str, str] = {"x-goog-api-key": endpoint.key or NO_KEY}

    async def create(self, requests: Sequence[tuple[str, bytes]]) -> str:
        """Submit all requests at once, each with its id as metadata."""
        of = msgspec.json.encode(self._model)
        each = b",".join(
            b'{"metadata":{"key":"%b"},"request":{"model":%b,%b}' % (name.encode(), of, body.lstrip()[1:])
            for name, body in requests
        )
        whole = b'{"batch":{"displayName":"worktrial","inputConfig":{"requests":{"requests":[%b]}}}}' % each
        url = below(self._root, f"{self._model}:batchGenerateContent")
        batch = await self._calls.json("POST", url, {**self.headers, **JSON}, whole)
        return str(batch["name"])

    async def state(self, batch: str) -> BatchState:
        """Look how a batch is doing."""
        told = await self._calls.json("GET", below(self._root, batch), self.headers)
        about = told.get("metadata") or {}
        status = str(about.get("state") or "").rpartition("_STATE_")[2]
        stats = about.get("batchStats") or {}
        done = sum(int(stats.get(f"{name}RequestCount") or 0) for name in ("successful", "failed"))
        ended = status in ("SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED") or bool(told.get("done"))
        trouble = ""
        if status == "FAILED":
            error = told.get("error") or about.get("error") or {}
            trouble = f"was refused: {error.get('message') or 'no reason given'}"
        elif status == "CANCELLED":
            trouble = "was cancelled at the provider"
        output = about.get("output") or told.get("response") or {}
        results = (output.get("inlinedResponses") or {}).get("inlinedResponses") or () if ended else ()
        return BatchState(ended, done, trouble, lines=[msgspec.json.encode(result) for result in results])

    def result(self, line: bytes) -> BatchResult:
        """Read a result."""
        told = _object(line)
        custom_id = str(told["metadata"]["key"])
        if isinstance(told.get("response"), dict):
            return BatchResult(custom_id, HttpAnswer(200, msgspec.json.encode(told["response"])))
        error = told.get("error")
        if not isinstance(error, dict) or error.get("code") in _NEVER_ASKED:
            return BatchResult(custom_id, None)
        return BatchResult(custom_id, HttpAnswer(_status(error.get("code")), msgspec.json.encode({"error": error})))


# Codes of google.rpc.Status: called off, and not in time.
_NEVER_ASKED = frozenset({1, 4})
_STATUSES = {3: 400, 5: 404, 7: 403, 8: 429, 9: 400, 11: 400, 12: 501, 13: 500, 14: 503, 16: 401}
"""HTTP statuses of the other codes."""


def _status(code: object) -> int:
    """HTTP status of an error's code, which is one itself or that of google.rpc."""
    if not isinstance(code, int):
        return 500
    return code if 400 <= code < 600 else _STATUSES.get(code, 500)


def _object(line: bytes) -> JsonObject:
    told: Any = msgspec.json.decode(line)
    if not isinstance(told, dict):
        raise TypeError("no object")
    return told


MAKERS: dict[str | None, Callable[[Endpoint, BatchCalls], BatchProvider]] = {
    None: lambda endpoint, calls: OpenAIBatches(endpoint, calls, "/v1/chat/completions"),
    "responses": lambda endpoint, calls: OpenAIBatches(endpoint, calls, "/v1/responses"),
    "anthropic": AnthropicBatches,
    "gemini": GeminiBatches,
}
"""Makers of batch interfaces by the wire that they belong to; None is chat completions."""
