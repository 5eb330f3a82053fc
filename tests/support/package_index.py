"""A package index of a few made-up wheels on this machine, with the protocol that pip speaks."""

import os
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from types import TracebackType
from typing import Self


def wheel(name: str, version: str, member: str, data: bytes) -> tuple[str, bytes]:
    """File name and bytes of a wheel that carries `data` as `member` beside the usual small files."""
    stem = f"{name.replace('-', '_')}-{version}"
    info = f"{stem}.dist-info"
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{name.replace('-', '_')}/__init__.py", "raise SystemExit('this must not run')\n")
        archive.writestr(member, data)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return f"{stem}-py3-none-any.whl", buffer.getvalue()


class PackageIndex:
    """Serves `wheels` (by package name: file name and bytes) and notes which files were fetched."""

    def __init__(self, wheels: dict[str, tuple[str, bytes]]) -> None:
        self.wheels = wheels
        self.fetched: list[str] = []
        """File names, in the order of the requests."""

    def __enter__(self) -> Self:
        index = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                index._answer(self)

            def log_message(self, format: str, *args: object) -> None:
                """Not on the terminal."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def pip_environment(self) -> dict[str, str]:
        """Makes pip use this index and nothing else."""
        return {
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_INDEX_URL": f"http://127.0.0.1:{self._server.server_port}/simple/",
            "PIP_EXTRA_INDEX_URL": "",
            "PIP_FIND_LINKS": "",
            "PIP_RETRIES": "0",
            "NO_PROXY": "127.0.0.1",
        }

    def _answer(self, request: BaseHTTPRequestHandler) -> None:
        kind, _, name = request.path.strip("/").partition("/")
        files = dict(self.wheels.values())
        if kind == "simple" and name in self.wheels:
            file = self.wheels[name][0]
            body, mime = f'<!DOCTYPE html><a href="/files/{file}">{file}</a>'.encode(), "text/html"
        elif kind == "files" and name in files:
            self.fetched.append(name)
            body, mime = files[name], "application/zip"
        else:
            request.send_error(404)
            return
        request.send_response(200)
        request.send_header("Content-Type", mime)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)
