"""A scripted search engine over real HTTP, in the thread of its own that its test leaves."""

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit


@dataclass
class Asked:
    """One request as it arrived."""

    path: str
    query: str
    headers: dict[str, str]
    body: Any = None


@dataclass
class WebEngine:
    """Answers every search with what `answer` makes of the query: results, a status, or bytes as they are."""

    answer: Callable[[str], Sequence[dict[str, str]] | int | bytes]
    parameter: str = "q"
    wrap: Callable[[Sequence[dict[str, str]]], Any] = lambda results: {"results": results}
    asked: list[Asked] = field(default_factory=list)

    def __enter__(self) -> Self:
        engine = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                told = parse_qs(parts.query).get(engine.parameter, [""])[0]
                self._say(Asked(parts.path, told, dict(self.headers)))

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self._say(Asked(self.path, body.get(engine.parameter, ""), dict(self.headers), body))

            def _say(self, asked: Asked) -> None:
                engine.asked.append(asked)
                answer = engine.answer(asked.query)
                status = answer if isinstance(answer, int) else 200
                self.send_response(status)
                if 300 <= status < 400:
                    self.send_header("Location", "/elsewhere")
                if isinstance(answer, bytes):
                    body = answer
                else:
                    body = b"" if isinstance(answer, int) else json.dumps(engine.wrap(answer)).encode()
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                """Said to nobody."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/search"

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
