"""Messages to and from the process of a session: four bytes of length, then JSON.

What comes from it is not trusted: code in the sandbox can write to the same descriptor.
"""

import asyncio
import json

from worktrial.language import JsonObject


class BrokenWire(Exception):
    """What came is not a message that belongs here."""


async def read_message(stream: asyncio.StreamReader, most: int) -> JsonObject:
    """The next message.

    Args:
        stream: from the process.
        most: bytes that a message may have.

    Raises:
        BrokenWire: it is too long, or no JSON object.
        asyncio.IncompleteReadError: the process is gone.
    """
    size = int.from_bytes(await stream.readexactly(4), "big")
    if size > most:
        raise BrokenWire(f"a message of {size:,} bytes")
    try:
        message = json.loads(await stream.readexactly(size))
    except (ValueError, RecursionError) as error:
        raise BrokenWire("a message that is no JSON") from error
    if not isinstance(message, dict):
        raise BrokenWire("a message that is no JSON object")
    return message


async def write_message(stream: asyncio.StreamWriter, message: JsonObject) -> None:
    """Send a message.

    Raises:
        ConnectionError: the process is gone.
    """
    body = json.dumps(message).encode()
    stream.write(len(body).to_bytes(4, "big") + body)
    await stream.drain()
