"""A collector of OpenTelemetry: takes spans over HTTP, as protobuf, and keeps them."""

import contextlib
import gzip
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass
class CollectedSpan:
    name: str
    trace: str
    id: str
    parent: str
    began: int
    ended: int
    attributes: dict[str, Any]
    events: list[tuple[str, int, dict[str, Any]]]
    failed: bool


@dataclass
class Collector:
    """What came in."""

    url: str = ""
    status: int = 200
    delay: float = 0.0
    spans: list[CollectedSpan] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    resource: dict[str, Any] = field(default_factory=dict)

    def children(self, of: CollectedSpan) -> list[CollectedSpan]:
        return sorted((s for s in self.spans if s.parent == of.id), key=lambda span: span.began)

    def roots(self) -> list[CollectedSpan]:
        return [span for span in self.spans if not span.parent]

    def take(self, path: str, headers: dict[str, str], body: bytes) -> None:
        if headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        self.requests.append((path, headers))
        self.bodies.append(body)
        for group in ExportTraceServiceRequest.FromString(body).resource_spans:
            self.resource = plain(group.resource.attributes)
            for scope in group.scope_spans:
                self.spans += [collected(span) for span in scope.spans]


def collected(span: Any) -> CollectedSpan:
    return CollectedSpan(
        span.name,
        span.trace_id.hex(),
        span.span_id.hex(),
        span.parent_span_id.hex(),
        span.start_time_unix_nano,
        span.end_time_unix_nano,
        plain(span.attributes),
        [(event.name, event.time_unix_nano, plain(event.attributes)) for event in span.events],
        span.status.code == 2,
    )


def plain(attributes: Any) -> dict[str, Any]:
    return {one.key: value_of(one.value) for one in attributes}


def value_of(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [value_of(one) for one in value.array_value.values]
    return getattr(value, kind)


@contextlib.contextmanager
def collector(status: int = 200, delay: float = 0.0) -> Iterator[Collector]:
    """A collector on this machine that answers with `status`, `delay` seconds later."""
    kept = Collector(status=status, delay=delay)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            time.sleep(kept.delay)
            headers = {name.lower(): value for name, value in self.headers.items()}
            kept.take(self.path, headers, body)
            with contextlib.suppress(OSError):
                self.send_response(kept.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    kept.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield kept
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
