"""The proxy between us and an endpoint.

Looked up once an endpoint. With aiohttp's own `trust_env` every request would do it again, in a worker thread,
for a fifth of all the CPU that a request takes; and it would take credentials from a `.netrc` that nobody named.
"""

from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass


def proxy_for(url: str) -> str | None:
    """The proxy that the environment prescribes for `url` (HTTP_PROXY, HTTPS_PROXY, NO_PROXY), or None.

    None for this machine's own servers, whatever the environment says: a proxy cannot know them.
    """
    parts = urlsplit(url)
    host = parts.hostname
    if host is None or host in ("localhost", "::1") or host.startswith("127.") or proxy_bypass(host):
        return None
    return getproxies().get(parts.scheme)
