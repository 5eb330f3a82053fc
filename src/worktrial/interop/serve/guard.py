"""Checks before every door: the name the caller used for this machine, where it comes from, and its token."""

import hmac
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

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
        token: Secret of whoever may open episodes.
        hosts: Names under which the server may be called, without port.
    """

    def __init__(self, app: ASGIApp, token: str, hosts: Collection[str]) -> None:
        self._inside = app
        self._token = f"Bearer {token}".encode()
        self._hosts = frozenset(host.lower() for host in hosts)
        self._named = TrustedHostMiddleware(self._from_here, [*self._hosts, "[::1]"], www_redirect=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._inside(scope, receive, send)
            return
        await self._named(scope, receive, send)

    async def _from_here(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        refused = self._refusal(headers, scope["path"])
        await (self._inside if refused is None else refused)(scope, receive, send)

    def _refusal(self, headers: Headers, path: str) -> Response | None:
        origin = headers.get("origin")
        if origin is not None and not self._is_ours(origin):
            return refusal(403, "requests of web pages are not served here")
        sent = headers.get("authorization")
        if sent is None and (path in _OPEN_TO_ALL or path.startswith(_EPISODE)):
            return None
        if sent is None or not hmac.compare_digest(sent.encode(), self._token):
            said = "send the server's token" if sent is None else "this is not the server's token"
            return refusal(401, f"{said}: Authorization: Bearer TOKEN", {"www-authenticate": "Bearer"})
        return None

    def _is_ours(self, origin: str) -> bool:
        try:
            return urlsplit(origin).hostname in self._hosts
        except ValueError:
            return False


def refusal(status: int, said: str, headers: dict[str, str] | None = None) -> Response:
    """Answer that says why nothing was done."""
    from msgspec.json import encode

    from worktrial.interop.serve.bodies import NotDone

    return Response(encode(NotDone(said)), status, headers, "application/json")
