"""Checks before every door: the name the caller used for this machine, where it comes from, and its token."""

import hmac
from collections.abc import Collection
from functools import lru_cache
from urllib.parse import urlsplit

import msgspec
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from worktrial.interop.serve.bodies import NotDone

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_OPEN_TO_ALL = frozenset({"/health", "/openapi.json"})
_EPISODE = "/episodes/"


class Guard:
    """Lets through only who names this server by a name it has, comes from no foreign page, and may come in.

    A page in a browser can make its own name point here and then send requests as the user; so Host and Origin are
    looked at. What begins with an episode's address needs no token: the address is a secret of its own. A token
    that is sent has to be right everywhere.

    Args:
        app: Doors behind it.
        token: Secret of whoever may open episodes; None asks for none.
        hosts: Names under which the server may be called, without port.
    """

    def __init__(self, app: ASGIApp, token: str | None, hosts: Collection[str]) -> None:
        self._inside = app
        self._token = None if token is None else f"Bearer {token}".encode()
        self._hosts = frozenset(host.lower() for host in hosts)
        # Callers name the server the same way each time.
        self._is_ours = lru_cache(256)(self._names_us)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        refused = None if scope["type"] == "lifespan" else self._refusal(scope)
        await (self._inside if refused is None else refused)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        host = origin = sent = None
        for name, value in scope["headers"]:
            if name == b"host":
                host = value
            elif name == b"origin":
                origin = value
            elif name == b"authorization":
                sent = value
        if host is None or not self._is_ours(b"//" + host):
            return refusal(400, "this server has no such name; add it with --host-name")
        if origin is not None and not self._is_ours(origin):
            return refusal(403, "requests of web pages are not served here")
        path: str = scope["path"]
        if self._token is None:
            return None
        if sent is None and (path.startswith(_EPISODE) or path in _OPEN_TO_ALL):
            return None
        if sent is None or not hmac.compare_digest(sent, self._token):
            said = "send the server's token" if sent is None else "this is not the server's token"
            return refusal(401, f"{said}: Authorization: Bearer TOKEN", {"www-authenticate": "Bearer"})
        return None

    def _names_us(self, address: bytes) -> bool:
        try:
            parts = urlsplit(address.decode("ascii"))
            return parts.username is None and parts.hostname in self._hosts
        except ValueError:
            return False


def refusal(status: int, said: str, headers: dict[str, str] | None = None) -> Response:
    """Answer that says why nothing was done."""
    return Response(msgspec.json.encode(NotDone(said)), status, headers, "application/json")
