"""A page as bytes and back, with nothing lost."""

from typing import Any

import msgspec

from worktrial.archive.tables import PageContent


def encode_page(page: PageContent) -> bytes:
    """JSON of a page; one line."""
    return _encoder.encode(page)


def decode_page(content: bytes) -> PageContent:
    """The page again.

    Raises:
        msgspec.MsgspecError: the bytes are not those of a page.
    """
    return _decoder.decode(content)


def _plain(value: Any) -> Any:
    # Numbers of numpy, which readers compute with, are no JSON.
    if hasattr(value, "item"):
        return value.item()
    raise NotImplementedError(f"a page holds a {type(value).__name__}, which cannot be stored")


_encoder = msgspec.json.Encoder(enc_hook=_plain)
_decoder = msgspec.json.Decoder(PageContent)
