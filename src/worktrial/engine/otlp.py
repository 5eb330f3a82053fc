"""Samples as spans of OpenTelemetry, sent to a collector while the run goes on (extra `otlp`).

Names follow the semantic conventions for generative AI (https://github.com/open-telemetry/semantic-conventions-genai):
a trace for each sample with the spans `invoke_agent`, `execute_tool` and `chat`, and the verdict as the event
`gen_ai.evaluation.result`. What those have no name for begins with `worktrial`.
"""

import logging
import queue
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import Span, SpanKind, StatusCode, set_span_in_context

from worktrial.engine.record import SampleRecord
from worktrial.engine.roles import RoleName, RoleSettings, public_url
from worktrial.engine.times import SampleTimes, TimedCall, TimedRequest
from worktrial.grading import Outcome
from worktrial.language import Completion, JsonObject, JsonValue, Message, read_reply
from worktrial.secrets import Redactor
from worktrial.version import __version__

_PATH = "/v1/traces"
# Samples that wait for a collector slower than the run; those beyond are dropped.
_MOST_WAITING = 1000
_SPANS_AT_ONCE = 512
_SECONDS = 5.0
_SECONDS_AT_THE_END = 20.0
# Names of the conventions for who is asked, by the wire that is spoken.
_PROVIDERS = {None: "openai", "responses": "openai", "gemini": "gcp.gemini"}


class Watched(NamedTuple):
    """The run that spans are of."""

    suite: str
    name: str
    """Name of the run's folder."""
    agent: str
    models: Mapping[RoleName, RoleSettings]


@contextmanager
def exported(
    url: str, run: Watched, redactor: Redactor, *, content: bool, tell: Callable[[str], None]
) -> Iterator["SpanExport"]:
    """Exporter to the collector at `url` while the block lasts; then what still waits is sent, for a while.

    Args:
        url: Address of a collector for OTLP over HTTP, with or without `/v1/traces`.
        run: What the spans are of.
        redactor: Hides keys in everything that is sent.
        content: Whether messages, arguments and results are sent.
        tell: Told, once, that something could not be delivered.
    """
    export = SpanExport(url, run, redactor, content=content, tell=tell)
    try:
        yield export
    finally:
        export.close()


class SpanExport:
    """Sends samples from a thread of its own; a collector that fails or lags harms nothing but its own view."""

    def __init__(
        self, url: str, run: Watched, redactor: Redactor, *, content: bool, tell: Callable[[str], None]
    ) -> None:
        self.keeps_content = content
        self._url = url
        self._tell = tell
        self._has_told = self._fails = self._closing = False
        self._waiting: queue.Queue[tuple[SampleRecord, SampleTimes, int] | None] = queue.Queue(_MOST_WAITING)
        # One warning of ours says it all.
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
        address = url if url.rstrip("/").endswith(_PATH) else url.rstrip("/") + _PATH
        self._exporter = OTLPSpanExporter(endpoint=address, timeout=_SECONDS)
        self._spans = SpansOfSamples(run, redactor, content=content)
        self._thread = threading.Thread(target=self._work, name="worktrial-spans", daemon=True)
        self._thread.start()

    def add(self, record: SampleRecord, times: SampleTimes, ended: int) -> None:
        """Send a finished sample, some time soon.

        Args:
            record: The sample as it is stored.
            times: Times of what it did.
            ended: Moment of its verdict, in nanoseconds since 1970.
        """
        try:
            self._waiting.put_nowait((record, times, ended))
        except queue.Full:
            self._warn("takes them more slowly than the run makes them")

    def close(self) -> None:
        """Send what still waits, for as long as that does not take too long."""
        self._closing = True
        try:
            self._waiting.put(None, timeout=_SECONDS)
            self._thread.join(_SECONDS_AT_THE_END)
        except queue.Full:
            pass
        if self._thread.is_alive():
            self._warn("takes them too slowly")
        self._exporter.shutdown()  # type: ignore[no-untyped-call]

    def _work(self) -> None:
        done = False
        while not done:
            spans: list[ReadableSpan] = []
            item = self._waiting.get()
            while item is not None:
                spans += self._spans.of(*item)
                if len(spans) >= _SPANS_AT_ONCE or self._waiting.empty():
                    break
                item = self._waiting.get()
            done = item is None
            if spans and not (self._closing and self._fails):
                self._fails = not self._deliver(spans)

    def _deliver(self, spans: list[ReadableSpan]) -> bool:
        try:
            delivered = self._exporter.export(spans) is SpanExportResult.SUCCESS
        except Exception as e:  # noqa: BLE001 - told, and the run goes on
            self._warn(f"{type(e).__name__}: {e}")
            return False
        if not delivered:
            self._warn("does not take them")
        return delivered

    def _warn(self, why: str) -> None:
        if not self._has_told:
            self._has_told = True
            self._tell(f"spans are lost: the collector at {public_url(self._url)} {why}; the run goes on")


class SpansOfSamples:
    """Makes spans of finished samples.

    Args:
        run: What the spans are of.
        redactor: Hides keys.
        content: Whether messages, arguments and results are in them.
    """

    def __init__(self, run: Watched, redactor: Redactor, *, content: bool) -> None:
        self._run = run
        self._redactor = redactor
        self._content = content
        self._ended = _Ended()
        resource = Resource.create({"service.name": "worktrial", "service.version": __version__})
        provider = TracerProvider(sampler=ALWAYS_ON, resource=resource, shutdown_on_exit=False, id_generator=_Ids())
        provider.add_span_processor(self._ended)
        self._tracer = provider.get_tracer("worktrial", __version__)

    def of(self, record: SampleRecord, times: SampleTimes, ended: int) -> list[ReadableSpan]:
        """Spans of one sample, the innermost first."""
        key = {
            "worktrial.suite": record.suite,
            "worktrial.run": self._run.name,
            "worktrial.sample": record.sample,
            "worktrial.repeat": record.repeat,
            "worktrial.condition": record.condition,
        }
        root = self._begin(
            f"sample {record.sample}",
            times.began,
            None,
            # Phoenix shows kinds of its own convention (OpenInference), and takes no kind from a name that is ours.
            {**key, "worktrial.outcome": record.outcome, "openinference.span.kind": "CHAIN"},
        )
        began, worked = times.work or (times.began, ended)
        agent = self._begin(
            f"invoke_agent {self._run.agent}",
            began,
            root,
            {
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.agent.name": self._run.agent,
                "gen_ai.conversation.id": f"{self._run.name}/{record.sample}/{record.repeat}/{record.condition}",
                **({"worktrial.stop_reason": record.stop_reason} if record.stop_reason else {}),
            },
        )
        calls = [(call, self._called(call, agent)) for call in times.calls]
        for request in times.requests:
            # A simulator is asked while a call waits; a judge when the work is over.
            inside = next((span for call, span in calls if call.began <= request.began <= call.ended), None)
            at_work = agent if began <= request.began <= worked else root
            self._asked(request, agent if request.role == "agent" else inside or at_work)
        for call, span in calls:
            span.end(call.ended)
        agent.add_event("gen_ai.evaluation.result", self._verdict(record), ended)
        agent.end(worked)
        if record.outcome is Outcome.INVALID:
            root.set_status(StatusCode.ERROR, record.invalid_reason)
        root.end(ended)
        return self._ended.take()

    def _verdict(self, record: SampleRecord) -> dict[str, Any]:
        said: dict[str, Any] = {
            "gen_ai.evaluation.name": "verdict",
            "gen_ai.evaluation.score.label": record.outcome.value,
        }
        if record.passed is not None:
            said["gen_ai.evaluation.score.value"] = float(record.passed)
        else:
            said["error.type"] = record.invalid_reason
        # It tells what the state should have been.
        return said | ({"gen_ai.evaluation.explanation": self._told(record.reason)} if self._content else {})

    def _called(self, call: TimedCall, agent: Span) -> Span:
        span = self._begin(
            f"execute_tool {call.tool}",
            call.began,
            agent,
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": call.tool,
                "gen_ai.tool.type": "function",
                **({"error.type": call.error} if call.error else {}),
            },
        )
        seen = call.observation
        if call.error:
            span.set_status(StatusCode.ERROR)
        if self._content:
            span.set_attribute("gen_ai.tool.call.arguments", self._json(call.arguments))
        if seen is None:
            return span
        if "error" in seen.content:
            span.set_attribute("error.type", _kind_of(seen.content["error"]))
        if self._content:
            span.set_attribute("gen_ai.tool.call.result", self._json(seen.content))
        if seen.fault is not None:
            told = {"worktrial.fault.kind": seen.fault}
            if self._content and seen.clean is not None:
                told["worktrial.fault.clean"] = self._json(seen.clean)
            span.add_event("worktrial.fault", told, call.ended)
        return span

    def _asked(self, request: TimedRequest, parent: Span) -> None:
        model = self._run.models.get(request.role)
        attributes: dict[str, Any] = {"gen_ai.operation.name": "chat", "worktrial.role": request.role}
        if model is not None:
            attributes["gen_ai.request.model"] = model.model
            attributes["gen_ai.provider.name"] = _PROVIDERS.get(model.wire, model.wire)
            if host := urlsplit(model.base_url or "").hostname:
                attributes["server.address"] = host
        done = request.completion
        if done is not None:
            attributes["gen_ai.usage.input_tokens"] = done.usage.input_tokens
            attributes["gen_ai.usage.output_tokens"] = done.usage.output_tokens
            attributes["gen_ai.usage.cache_read.input_tokens"] = done.usage.cached_tokens
            attributes["gen_ai.response.finish_reasons"] = [done.stop_reason]
        if request.error:
            attributes["error.type"] = request.error
        if self._content:
            attributes["gen_ai.input.messages"] = self._json([_as_parts(one) for one in request.messages])
            if done is not None:
                attributes["gen_ai.output.messages"] = self._json([_answered(done)])
        name = "chat" if model is None else f"chat {model.model}"
        span = self._begin(name, request.began, parent, attributes, SpanKind.CLIENT)
        if request.error:
            span.set_status(StatusCode.ERROR)
        span.end(request.ended)

    def _begin(
        self,
        name: str,
        at: int,
        parent: Span | None,
        attributes: Mapping[str, Any],
        kind: SpanKind = SpanKind.INTERNAL,
    ) -> Span:
        inside = None if parent is None else set_span_in_context(parent)
        told = {key: self._told(value) if isinstance(value, str) else value for key, value in attributes.items()}
        return self._tracer.start_span(self._told(name), inside, kind, told, start_time=at)

    def _json(self, value: JsonValue) -> str:
        return self._told(msgspec.json.encode(value).decode())

    def _told(self, text: str) -> str:
        """`text` without keys, and without halves of characters, which no collector could read."""
        return self._redactor.text(text.encode(errors="replace").decode())


def _kind_of(error: JsonValue) -> str:
    kind = error.get("type") or error.get("code") if isinstance(error, dict) else None
    return kind if isinstance(kind, str) else "error"


def _as_parts(message: Message) -> JsonObject:
    """A message of a conversation as the conventions have it."""
    role = str(message.get("role", ""))
    if role == "tool":
        answer = {
            "type": "tool_call_response",
            "id": message.get("tool_call_id"),
            "response": message.get("content"),
        }
        return {"role": role, "parts": [answer]}
    if role == "assistant":
        return {"role": role, "parts": _parts(read_reply(message))}
    content = message.get("content")
    pieces = content if isinstance(content, list) else [{"type": "text", "text": content or ""}]
    # Pictures are not sent on: their bytes would fill the collector.
    texts = [piece.get("text") for piece in pieces if isinstance(piece, dict)]
    return {"role": role, "parts": [{"type": "text", "content": text} for text in texts if isinstance(text, str)]}


def _answered(done: Completion) -> JsonObject:
    return {"role": "assistant", "parts": _parts(done.reply), "finish_reason": done.stop_reason}


def _parts(reply: Any) -> list[JsonObject]:
    parts: list[JsonObject] = []
    if reply.thinking:
        parts.append({"type": "reasoning", "content": reply.thinking})
    if reply.text:
        parts.append({"type": "text", "content": reply.text})
    for call in reply.calls:
        made = call.get("function")
        made = made if isinstance(made, dict) else {}
        parts.append(
            {
                "type": "tool_call",
                "id": call.get("id"),
                "name": made.get("name"),
                "arguments": made.get("arguments"),
            }
        )
    return parts


class _Ids(IdGenerator):
    """Ids that leave alone the random numbers which an agent of the user's own may have seeded."""

    def generate_span_id(self) -> int:
        return secrets.randbits(64) or 1

    def generate_trace_id(self) -> int:
        return secrets.randbits(128) or 1


class _Ended(SpanProcessor):
    """Keeps spans that have ended until they are taken."""

    def __init__(self) -> None:
        self._spans: list[ReadableSpan] = []

    def on_end(self, span: ReadableSpan) -> None:
        self._spans.append(span)

    def take(self) -> list[ReadableSpan]:
        spans, self._spans = self._spans, []
        return spans
