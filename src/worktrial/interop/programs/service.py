"""Agents that are services: each sample is sent to an address, which answers when the work is done; `http:URL`."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import msgspec

from worktrial.agents.assignment import Assignment, Unstorable
from worktrial.agents.far import FarAgent, in_time
from worktrial.engine.roles import is_address
from worktrial.errors import InvalidReason, InvalidSample, SettingError
from worktrial.interop.programs.door import OwnDoor, door
from worktrial.language import JsonObject, Usage

MOST_REPLY = 1_000_000
"""Bytes of a reply."""
TRIES = 3
"""Times that an address which nobody answers at is tried."""

_PAUSE_SECONDS = 1.0
_SAID = 300


@dataclass(frozen=True, slots=True)
class ServiceAgent(FarAgent):
    """An address that is sent each sample with the address of its tools, and replies with the answer.

    A request is sent again only where no byte of a reply has come and the agent has made no call. Redirects are not
    followed.
    """

    url: str

    async def __call__(self, assignment: Assignment) -> None:
        """Send the sample and wait for the reply; see `Agent`.

        Raises:
            InvalidSample: nobody is there, or the reply is no answer.
        """
        try:
            async with in_time(assignment), door(assignment) as here:
                asked = asyncio.create_task(self._reply(here, assignment))
                try:
                    await asyncio.wait([asked, here.work], return_when=asyncio.FIRST_COMPLETED)
                    # Who has handed in its answer by the tool for it need not say it again.
                    answer = asked.result() if asked.done() and not here.guest.episode.is_over else ""
                finally:
                    asked.cancel()
                    await asyncio.wait([asked])
                if why := here.guest.why_unreached:
                    raise self._crash(here, f"replied; before that, it {why}")
                await here.close(answer)
            # What it has spent, nobody knows.
            assignment.book(Usage(), None)
        except Unstorable as e:
            raise InvalidSample(InvalidReason.AGENT_CRASH, f"{self.url}: {e}") from None
        finally:
            assignment.close()

    async def _reply(self, here: OwnDoor, assignment: Assignment) -> str:
        body = msgspec.json.encode(_task(here, assignment))
        last: Exception | None = None
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None), trust_env=True) as session:
            for number in range(TRIES):
                if number:
                    await asyncio.sleep(_PAUSE_SECONDS * number)
                try:
                    response = await session.post(
                        self.url, data=body, headers={"Content-Type": "application/json"}, allow_redirects=False
                    )
                except (aiohttp.ClientConnectionError, OSError) as e:
                    last = e
                    if here.guest.episode.calls:
                        break
                    continue
                except aiohttp.ClientError as e:
                    raise self._crash(here, f"replied what is no HTTP ({e})") from None
                async with response:
                    return await self._answer(here, response)
        detail = f"{self.url} does not reply ({type(last).__name__}: {last})"
        if here.guest.episode.calls:
            raise InvalidSample(InvalidReason.AGENT_CRASH, detail)
        raise InvalidSample(InvalidReason.ENDPOINT_UNAVAILABLE, detail)

    async def _answer(self, here: OwnDoor, response: aiohttp.ClientResponse) -> str:
        said = bytearray()
        try:
            async for part in response.content.iter_chunked(1 << 16):
                said += part
                if len(said) > MOST_REPLY:
                    raise self._crash(here, f"replied with more than {MOST_REPLY:,} bytes")
        except aiohttp.ClientError as e:
            raise self._crash(here, f"broke off its reply ({e})") from None
        if response.status != 200:
            shown = " ".join(said[:_SAID].decode(errors="replace").split())
            raise self._crash(here, f"replied {response.status}: {shown}")
        try:
            found: Any = msgspec.json.decode(said)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as e:
            raise self._crash(here, f"replied no JSON ({e})") from None
        answer = found.get("answer") if isinstance(found, dict) else None
        if not isinstance(answer, str):
            raise self._crash(here, 'replied without an answer; reply {"answer": "…"}')
        return answer

    def _crash(self, here: OwnDoor, said: str) -> InvalidSample:
        reached = here.guest.has_worked or not here.guest.episode.tools
        reason = InvalidReason.AGENT_CRASH if reached else InvalidReason.AGENT_NEVER_REACHED
        return InvalidSample(reason, f"{self.url} {said}")


def service(rest: str, base: Path) -> ServiceAgent:
    """Agent that `http:URL` names; the address itself does, too.

    Args:
        rest: Address, or what follows `http:` in one.
        base: Folder that relative paths start at; there are none.

    Raises:
        SettingError: it is no address.
    """
    return _at(f"http:{rest}" if rest.startswith("//") else rest)


def secure_service(rest: str, base: Path) -> ServiceAgent:
    """Agent at the address `https:REST`.

    Args:
        rest: What follows `https:` in the address.
        base: Folder that relative paths start at; there are none.

    Raises:
        SettingError: it is no address.
    """
    return _at(f"https:{rest}")


def _at(url: str) -> ServiceAgent:
    if not is_address(url):
        raise SettingError("write http:URL, such as http:http://localhost:9000/agent")
    parts = urlsplit(url)
    if parts.username or parts.password or parts.query:
        raise SettingError("the address is stored with the run, so it may hold no password and no query")
    return ServiceAgent(url)


def _task(here: OwnDoor, assignment: Assignment) -> JsonObject:
    return {
        "instruction": here.guest.instruction,
        "clock": assignment.clock,
        "system_prompt": assignment.system_prompt,
        "tools": here.guest.tools,
        "seconds": assignment.limits.seconds,
        "episode": here.url,
        "calls": f"{here.url}/calls",
        "mcp": here.mcp,
        "finish_tool": here.guest.finish_name,
    }
