"""A stand-in for S3 on loopback (moto), and a proxy before it that fails as it is told to."""

import http.client
import logging
import re
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal

Failure = int | Literal["torn", "lost", "altered"]
_CODES = {403: "AccessDenied", 412: "PreconditionFailed", 500: "InternalError", 503: "SlowDown"}


@dataclass
class ObjectServer:
    """The proxy's address, what it has seen, and what it does wrong."""

    url: str
    requests: Counter[str] = field(default_factory=Counter)
    """Requests by method."""
    _rules: list[tuple[re.Pattern[str], Failure, int]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def fail(self, request: str, how: Failure, times: int = 1) -> None:
        """Fail the next requests whose method and path match a pattern.

        Args:
            request: Such as `PUT .*samples`.
            how: A status; `torn` hangs up in the middle of the request, which is never carried out; `lost` carries
                it out and hangs up before the answer; `altered` answers with one byte changed.
            times: Number of requests.
        """
        with self._lock:
            self._rules.append((re.compile(request), how, times))

    def calm(self) -> None:
        """Fail no more, and count from nothing."""
        with self._lock:
            self._rules.clear()
            self.requests.clear()

    def met(self, request: str) -> Failure | None:
        with self._lock:
            self.requests[request.partition(" ")[0]] += 1
            for n, (pattern, how, times) in enumerate(self._rules):
                if pattern.search(request):
                    if times == 1:
                        del self._rules[n]
                    else:
                        self._rules[n] = (pattern, how, times - 1)
                    return how
        return None


def _handler(server: ObjectServer, port: int) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *words: object) -> None:
            del format, words

        def answer(self) -> None:
            how = server.met(f"{self.command} {self.path}")
            length = int(self.headers.get("Content-Length") or 0)
            if how == "torn":
                self.rfile.read(length // 2)
                self.close_connection = True
                return
            body = self.rfile.read(length)
            if isinstance(how, int):
                code = _CODES[how]
                text = f"<Error><Code>{code}</Code><Message>no, {code}</Message></Error>".encode()
                self._send(how, {"Content-Type": "application/xml"}, text)
                return
            upstream = http.client.HTTPConnection("127.0.0.1", port)
            upstream.request(self.command, self.path, body, {**dict(self.headers), "Connection": "close"})
            response = upstream.getresponse()
            data = response.read()
            upstream.close()
            if how == "lost":
                self.close_connection = True
                return
            if how == "altered":
                data = data[:-1] + bytes([data[-1] ^ 1])
            self._send(response.status, dict(response.headers), data)

        def _send(self, status: int, headers: dict[str, str], data: bytes) -> None:
            self.send_response(status)
            # Of a HEAD, the length is that of what is not sent.
            own = {"connection", "transfer-encoding", "date", "server"}
            own |= set() if self.command == "HEAD" else {"content-length"}
            for name, value in headers.items():
                if name.lower() not in own:
                    self.send_header(name, value)
            if self.command != "HEAD":
                self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(b"" if self.command == "HEAD" else data)

        do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = answer

    return Handler


@contextmanager
def object_server(bucket: str) -> Iterator[ObjectServer]:
    """A stand-in for S3 with one bucket, behind a proxy."""
    from moto.server import ThreadedMotoServer

    # It tells of every request otherwise.
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    moto.start()
    _, port = moto.get_host_and_port()
    try:
        server = ObjectServer("")
        with ThreadingHTTPServer(("127.0.0.1", 0), _handler(server, port)) as proxy:
            proxy.daemon_threads = True
            server.url = f"http://127.0.0.1:{proxy.server_port}"
            threading.Thread(target=proxy.serve_forever, daemon=True).start()
            made = http.client.HTTPConnection("127.0.0.1", port)
            # Its stores outlive a server: what another file of tests has put there is no more.
            made.request("POST", "/moto-api/reset")
            assert made.getresponse().read() is not None
            made.request("PUT", f"/{bucket}", headers={"Host": "127.0.0.1"})
            assert made.getresponse().read() is not None
            made.close()
            try:
                yield server
            finally:
                proxy.shutdown()
    finally:
        moto.stop()
