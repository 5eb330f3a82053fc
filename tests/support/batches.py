"""Batch interfaces of the scripted server: OpenAI's files and batches, Anthropic's message batches, Gemini's."""

import itertools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web
from tests.support.wire import Reply, error_reply, json_reply

Trouble = Literal["expired", "cancelled", "failed", "damaged", "stranger", "endless", "dropped", "unanswered"]
Work = Callable[[web.BaseRequest, str, dict[str, Any]], Reply]
"""Answers one request as if it had come alone: HTTP request, path, body."""


@dataclass(frozen=True)
class Batching:
    """Manner in which an endpoint works off batches."""

    looks: int = 2
    """Looks at a batch until it has ended."""
    troubles: Mapping[int, Trouble] = field(default_factory=dict)
    """Trouble of a batch, by its number from 1."""
    supported: bool = True


@dataclass
class _Batch:
    number: int
    path: str
    requests: list[dict[str, Any]]
    trouble: str | None
    looks: int = 0
    results: list[tuple[str, Reply | None]] = field(default_factory=list)


class Batches:
    """What was uploaded and submitted."""

    def __init__(self, how: Batching, work: Work) -> None:
        self._how = how
        self._work = work
        self._numbers = itertools.count(1)
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, _Batch] = {}
        self.calls: list[str] = []

    @property
    def sizes(self) -> list[int]:
        """Requests of each batch, in order of creation."""
        return [len(batch.requests) for batch in self.batches.values()]

    async def handle(self, http: web.BaseRequest) -> Reply | None:
        """The answer to a call of a batch interface; None where it is another call."""
        if http.path.startswith("/v1beta/"):
            return await self._gemini_call(http)
        parts = http.path.removeprefix("/v1/").split("/")
        if not self._how.supported or parts[0] not in ("files", "batches", "messages"):
            return None
        kind = "openai" if parts[0] != "messages" else "anthropic"
        if kind == "anthropic" and parts[1:2] != ["batches"]:
            return None
        self.calls.append(f"{http.method} {http.path}")
        keyed = "Authorization" in http.headers if kind == "openai" else "x-api-key" in http.headers
        if kind == "anthropic" and not (keyed and "anthropic-version" in http.headers):
            return error_reply(401, "x-api-key and anthropic-version are needed")
        match http.method, parts:
            case "POST", ["files"]:
                return await self._upload(http)
            case "GET", ["files", name, "content"]:
                return Reply(self.files[name], content_type="application/octet-stream")
            case "POST", ["batches"]:
                wanted = json.loads(await http.read())
                if wanted["completion_window"] != "24h" or not wanted["endpoint"].startswith("/v1/"):
                    return error_reply(400, "completion_window and endpoint are needed")
                lines = [json.loads(line) for line in self.files[wanted["input_file_id"]].splitlines()]
                if any(line["method"] != "POST" or line["url"] != wanted["endpoint"] for line in lines):
                    return error_reply(400, "a line for another endpoint")
                requests = [{"custom_id": line["custom_id"], "params": line["body"]} for line in lines]
                return self._create(http, wanted["endpoint"], requests, "batch_")
            case "POST", ["messages", "batches"]:
                requests = json.loads(await http.read())["requests"]
                return self._create(http, "/v1/messages", requests, "msgbatch_")
            case "GET", ["batches", name]:
                return json_reply(self._openai(name))
            case "GET", ["messages", "batches", name]:
                return json_reply(self._anthropic(name))
            case "GET", ["messages", "batches", name, "results"]:
                return Reply(self._lines(self.batches[name], _anthropic_line), content_type="application/x-jsonl")
        return None

    async def _gemini_call(self, http: web.BaseRequest) -> Reply | None:
        place = http.path.removeprefix("/v1beta/")
        model, _, called = place.partition(":")
        if not place.startswith("batches/") and called != "batchGenerateContent":
            return None
        if not self._how.supported:
            return error_reply(404, "There is no such method.")
        self.calls.append(f"{http.method} {http.path}")
        if "x-goog-api-key" not in http.headers:
            return error_reply(401, "x-goog-api-key is needed")
        if http.method == "GET":
            return json_reply(self._gemini(place))
        wanted = json.loads(await http.read())["batch"]
        asked = wanted["inputConfig"]["requests"]["requests"]
        if not wanted.get("displayName") or any(one["request"].pop("model") != model for one in asked):
            return error_reply(400, "displayName and the model of the address are needed")
        requests = [{"custom_id": one["metadata"]["key"], "params": one["request"]} for one in asked]
        return self._create(http, f"/v1beta/{model}:generateContent", requests, "batches/")

    async def _upload(self, http: web.BaseRequest) -> Reply:
        form = await http.post()
        file = form["file"]
        if form.get("purpose") != "batch" or not isinstance(file, web.FileField):
            return error_reply(400, "purpose and file are needed")
        name = f"file-{len(self.files) + 1}"
        self.files[name] = file.file.read()
        return json_reply({"id": name, "object": "file", "purpose": "batch"})

    def _create(self, http: web.BaseRequest, path: str, requests: list[Any], prefix: str) -> Reply:
        ids = [request["custom_id"] for request in requests]
        if len(set(ids)) != len(ids) or not all(len(one) <= 64 for one in ids):
            return error_reply(400, "custom_id must be unique and of at most 64 characters")
        number = next(self._numbers)
        trouble = self._how.troubles.get(number)
        name = f"{prefix}{number}"
        batch = self.batches[name] = _Batch(number, path, requests, trouble)
        for place, request in enumerate(requests):
            # A batch with trouble gets as far as half of its requests.
            is_lost = trouble in ("expired", "cancelled", "failed") and (place % 2 == 1 or trouble == "failed")
            reply = None if is_lost else self._work(http, path, request["params"])
            batch.results.append((request["custom_id"], reply))
        if trouble == "dropped" and http.transport is not None:
            http.transport.close()
        tell = {"batch_": self._openai, "batches/": self._gemini}.get(prefix, self._anthropic)
        return json_reply(tell(name, look=False))

    def _has_ended(self, batch: _Batch, *, look: bool) -> bool:
        batch.looks += look
        return batch.trouble != "endless" and batch.looks >= self._how.looks

    def _openai(self, name: str, *, look: bool = True) -> dict[str, Any]:
        batch = self.batches[name]
        ended = self._has_ended(batch, look=look)
        told: dict[str, Any] = {"id": name, "object": "batch", "status": "in_progress" if look else "validating"}
        done = [reply for _, reply in batch.results if reply is not None]
        counts = {"total": len(batch.requests), "completed": len(done) // 2, "failed": 0}
        if ended:
            final = {"expired": "expired", "cancelled": "cancelled", "failed": "failed"}
            told["status"] = final.get(batch.trouble or "", "completed")
            counts["completed"] = sum(reply.status == 200 for reply in done)
            counts["failed"] = len(done) - counts["completed"]
            good = [r for r in batch.results if r[1] is not None and r[1].status == 200]
            bad = [r for r in batch.results if r not in good]
            if batch.trouble == "failed":
                told["errors"] = {"object": "list", "data": [{"code": "x", "message": "Enqueued token limit."}]}
                good, bad = [], []
            if batch.trouble == "cancelled":
                bad = [r for r in bad if r[1] is not None]
            for field_name, results in (("output_file_id", good), ("error_file_id", bad)):
                if results:
                    told[field_name] = f"{name}-{field_name}"
                    self.files[told[field_name]] = self._lines(batch, _openai_line, results)
        return {**told, "request_counts": counts}

    def _anthropic(self, name: str, *, look: bool = True) -> dict[str, Any]:
        batch = self.batches[name]
        ended = self._has_ended(batch, look=look)
        counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
        for _, reply in batch.results:
            kind = _anthropic_kind(reply, batch)
            counts[kind if ended else "processing"] += 1
        return {
            "id": name,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": counts,
            "cancel_initiated_at": "2026-01-01T00:00:00Z" if batch.trouble == "cancelled" else None,
            "results_url": f"http://elsewhere.example/v1/messages/batches/{name}/results" if ended else None,
        }

    def _gemini(self, name: str, *, look: bool = True) -> dict[str, Any]:
        batch = self.batches[name]
        ended = self._has_ended(batch, look=look)
        final = {"expired": "EXPIRED", "cancelled": "CANCELLED", "failed": "FAILED"}.get(batch.trouble or "")
        state = final or "SUCCEEDED" if ended else "RUNNING" if look else "PENDING"
        good = sum(reply is not None and reply.status == 200 for _, reply in batch.results) if ended else 0
        about: dict[str, Any] = {
            "state": f"BATCH_STATE_{state}",
            "batchStats": {"requestCount": str(len(batch.requests)), "successfulRequestCount": str(good)},
        }
        told: dict[str, Any] = {"name": name, "metadata": about}
        if ended and batch.trouble == "failed":
            return {**told, "done": True, "error": {"code": 8, "message": "Enqueued token limit."}}
        if ended:
            lines = self._lines(batch, _gemini_line).splitlines()
            # What was cut off in a file of lines is an object that lacks a part here.
            results = [json.loads(line) if _is_whole(line) else {"metadata": {}} for line in lines]
            about["output"] = {"inlinedResponses": {"inlinedResponses": results}}
            told["done"] = True
        return told

    def _lines(self, batch: _Batch, line: Any, results: Any = None) -> bytes:
        chosen = batch.results if results is None else results
        lines = [json.dumps(line(one, reply, batch)).encode() for one, reply in chosen]
        # Results come in any order.
        lines.reverse()
        if batch.trouble == "damaged":
            lines[0] = lines[0][: len(lines[0]) // 2]
            lines.insert(1, b'["odd"]')
        elif batch.trouble == "stranger":
            lines.insert(0, json.dumps(line("nobody", batch.results[0][1], batch)).encode())
            lines.append(lines[-1])
        elif batch.trouble == "unanswered":
            lines = lines[1:]
        return b"\n".join(lines) + b"\n"


def _openai_line(custom_id: str, reply: Reply | None, batch: _Batch) -> dict[str, Any]:
    told: dict[str, Any] = {"id": "r", "custom_id": custom_id, "response": None, "error": None}
    if reply is None:
        return {**told, "error": {"code": "batch_expired", "message": "This request could not be executed."}}
    return {**told, "response": {"status_code": reply.status, "request_id": "q", "body": json.loads(reply.body)}}


def _is_whole(line: bytes) -> bool:
    return line.startswith(b"{") and line.endswith(b"}}")


def _gemini_line(custom_id: str, reply: Reply | None, batch: _Batch) -> dict[str, Any]:
    told: dict[str, Any] = {"metadata": {"key": custom_id}}
    if reply is None:
        return {**told, "error": {"code": 1 if batch.trouble == "cancelled" else 4, "message": "Not carried out."}}
    body = json.loads(reply.body)
    if reply.status == 200:
        return {**told, "response": body}
    codes = {400: 3, 401: 16, 403: 7, 404: 5, 429: 8, 500: 13, 503: 14}
    return {**told, "error": {"code": codes[reply.status], "message": body["error"]["message"]}}


def _anthropic_kind(reply: Reply | None, batch: _Batch) -> str:
    if reply is None:
        return "canceled" if batch.trouble == "cancelled" else "expired"
    return "succeeded" if reply.status == 200 else "errored"


def _anthropic_line(custom_id: str, reply: Reply | None, batch: _Batch) -> dict[str, Any]:
    kind = _anthropic_kind(reply, batch)
    result: dict[str, Any] = {"type": kind}
    if reply is not None:
        result["message" if kind == "succeeded" else "error"] = json.loads(reply.body)
    return {"custom_id": custom_id, "result": result}
