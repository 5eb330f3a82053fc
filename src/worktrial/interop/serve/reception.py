"""The open episodes of one run by address: what every door asks for, in one place."""

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from worktrial.agents.assignment import NotTaken
from worktrial.agents.episode import AnsweredBy, Episode, EpisodeOver, Seen
from worktrial.agents.episodes import Episodes
from worktrial.engine.record import Key, SampleResult
from worktrial.errors import InvalidReason, WorktrialError
from worktrial.grading import Outcome
from worktrial.interop.serve.bodies import EpisodeState, as_json
from worktrial.interop.serve.settings import FINISH_TOOL
from worktrial.language import JsonObject, JsonValue
from worktrial.language.nesting import nested_deeper_than

# As deep as no argument of any tool is; checks of schemas go down by recursion.
DEEPEST = 64
# Verdicts that can be asked for again after the work is over, and answers to requests with a key of their own.
MOST_KEPT = 10_000
SHOWN = 6


class UnknownEpisode(WorktrialError):
    """Nobody has an episode at that address."""


class KeyReused(WorktrialError):
    """The same idempotency key came with another request."""


class NameTaken(WorktrialError):
    """The workplace has a tool of the name by which work is to be finished."""


class Once:
    """Requests that say who they are, each carried out once however often it comes."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[bytes, asyncio.Task[Any]]] = OrderedDict()

    async def do(self, key: str | None, request: bytes, work: Callable[[], Awaitable[Any]]) -> Any:
        """Carry `work` out, or answer as the first time.

        Args:
            key: Name of the request; None carries it out whatever came before.
            request: Its content, by which another request under the same key is known.
            work: What it asks for. Where it fails, the next one with the key tries again.

        Raises:
            KeyReused: the key belongs to another request.
        """
        if key is None:
            return await work()
        digest = blake2b(request, digest_size=16).digest()
        if key in self._kept:
            before, task = self._kept[key]
            if before != digest:
                raise KeyReused("this idempotency key came with another request before; use a new one")
        else:
            task = asyncio.ensure_future(_awaited(work))
            self._kept[key] = digest, task
            task.add_done_callback(lambda done: self._forget_failure(key, done))
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        # Whoever sent it may hang up and send it again.
        return await asyncio.shield(task)

    def _forget_failure(self, key: str, task: "asyncio.Task[Any]") -> None:
        if task.cancelled() or task.exception() is not None:
            self._kept.pop(key, None)


async def _awaited(work: Callable[[], Awaitable[Any]]) -> Any:
    return await work()


@dataclass(slots=True)
class Guest:
    """One episode and its address."""

    address: str
    episode: Episode
    finish_tool: JsonObject | None
    once: Once = field(default_factory=Once)
    handed_in: bool = False
    """Whether the agent has handed in its answer with the tool for it."""
    has_knocked: bool = False
    """Whether somebody has come to its door over MCP."""
    has_listed: bool = False
    """Whether somebody there has asked for the tools, or anywhere for the episode."""

    @property
    def shown(self) -> str:
        """Beginning of the address, for lists and logs."""
        return self.address[:SHOWN]

    @property
    def has_worked(self) -> bool:
        """Whether anything that the agent did has reached the workplace."""
        return self.handed_in or self.episode.calls > 0

    @property
    def why_unreached(self) -> str:
        """Why nothing that the agent did has reached the workplace, though nobody can blame its model; else ""."""
        if self.has_worked or not self.episode.tools:
            return ""
        never_asked = self.has_knocked and not self.has_listed
        return "came over MCP, and never asked for the tools" if never_asked else ""

    @property
    def finish_name(self) -> str | None:
        """Name of the tool that ends the work."""
        return None if self.finish_tool is None else str(self.finish_tool["function"]["name"])

    @property
    def tools(self) -> list[JsonObject]:
        """Tools of the workplace, and the one that ends the work."""
        return [*self.episode.tools, *([] if self.finish_tool is None else [self.finish_tool])]

    @property
    def instruction(self) -> str:
        """The task, and how to hand in its answer."""
        if self.finish_tool is None:
            return self.episode.instruction
        return f"{self.episode.instruction.rstrip()}\n\n{asks_for(str(self.finish_name))}"

    async def call(self, tool: str, arguments: JsonValue) -> Seen:
        """Make one call, or hand in the answer with the tool for it.

        Raises:
            ValueError: the call cannot be made of this.
            EpisodeOver: no more calls are taken.
        """
        if nested_deeper_than(arguments, DEEPEST):
            raise ValueError(f"the arguments are nested deeper than {DEEPEST} levels")
        if self.finish_tool is None or tool != self.finish_name:
            return await self.episode.call(tool, arguments)
        answer = arguments.get("answer") if isinstance(arguments, dict) else None
        if not isinstance(answer, str):
            return Seen({"error": f"{tool} takes one argument, answer: a text"})
        try:
            self.episode.end(answer, AnsweredBy.TOOL)
        except NotTaken as e:
            return Seen({"error": str(e)})
        self.handed_in = True
        return Seen({"status": "The work is handed in."})


class Reception:
    """Hands out one run's episodes, and finds them again by their addresses.

    Args:
        episodes: The run's.
        finish_tool: Name of the tool by which an agent hands in its answer; None offers none.
        shows_checks: Whether verdicts come with their checks and votes: the answer key.
        tell: Told of each episode that begins or ends, in a line.
    """

    def __init__(
        self,
        episodes: Episodes,
        *,
        finish_tool: str | None = FINISH_TOOL,
        shows_checks: bool = False,
        tell: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.episodes = episodes
        self.once = Once()
        self._finishes = Once()
        self._finish_tool = None if finish_tool is None else finish_tool_called(finish_tool)
        self._shows_checks = shows_checks
        self._tell = tell
        self._guests: dict[str, Guest] = {}
        self._over: OrderedDict[str, EpisodeState] = OrderedDict()

    async def open(
        self,
        sample: str | None = None,
        repeat: int | None = None,
        condition: str | None = None,
        *,
        address: str | None = None,
    ) -> Guest:
        """Hand out the run's next open sample, or one of a kind; see `Episodes.take`.

        Args:
            sample: Task; None for any.
            repeat: Which repeat of it; None for any.
            condition: Name of one of the run's fault settings; None for any.
            address: Address that it gets; None draws one that nobody can guess.

        Raises:
            NameTaken: the workplace's own tools leave no room for the one that ends the work.
            WorktrialError: as `Episodes.take`.
        """
        self._sweep()
        episode = await self.episodes.take(sample, repeat, condition)
        try:
            return self.admit(episode, address)
        except NameTaken as e:
            await episode.abandon(str(e))
            raise

    def admit(self, episode: Episode, address: str | None = None) -> Guest:
        """Give an episode whose workplace is ready an address, a drawn one unless it is named.

        Raises:
            NameTaken: the workplace's own tools leave no room for the one that ends the work.
        """
        guest = Guest(address or secrets.token_hex(20), episode, self._finish_tool)
        if guest.finish_name in {tool["function"]["name"] for tool in episode.tools}:
            raise NameTaken(
                f"the workplace has a tool {guest.finish_name} of its own; start the server with another name: "
                "--finish-tool NAME"
            )
        self._guests[guest.address] = guest
        self._tell(f"{guest.shown} opened: {named(episode.key)}")
        return guest

    def find(self, address: str) -> Guest:
        """Episode that was opened with that address.

        Raises:
            EpisodeOver: it is judged.
            UnknownEpisode: there is none.
        """
        guest = self._guests.get(address)
        if guest is None:
            if address in self._over:
                raise EpisodeOver("the episode is over")
            raise UnknownEpisode("no such episode")
        return guest

    def knows(self, address: str) -> bool:
        """Whether an episode has that address, or had it not long ago."""
        return address in self._guests or address in self._over

    def state(self, address: str) -> EpisodeState:
        """State of an episode, whether it is over or not.

        Raises:
            UnknownEpisode: there is none at that address.
        """
        self._sweep()
        if address in self._over:
            return self._over[address]
        return self._state(self.find(address), address)

    def states(self) -> list[EpisodeState]:
        """States of all open episodes, each named by the beginning of its address."""
        self._sweep()
        return [self._state(guest, guest.shown) for guest in self._guests.values()]

    async def finish(self, address: str, answer: str, key: str | None = None) -> EpisodeState:
        """Hand in the answer, and wait for the verdict.

        Where the agent has handed it in with the tool for it, that counts, and its verdict is the answer here.

        Args:
            address: The episode's.
            answer: What the agent said at the end.
            key: Name of the request; one that comes again is answered as before.

        Raises:
            UnknownEpisode: there is none at that address.
            ValueError: the answer is no text that can be stored, or is to be given again, once.
            EpisodeOver: the work has ended already.
            WorktrialError: the run ended before there was a verdict.
        """
        request = None if key is None else f"{address} {key}"
        state: EpisodeState = await self._finishes.do(
            request, answer.encode(), lambda: self._finish(address, answer)
        )
        return state

    async def _finish(self, address: str, answer: str) -> EpisodeState:
        kept = self._over.get(address)
        if kept is not None and kept.answered_by == AnsweredBy.TOOL:
            return kept
        guest = self.find(address)
        if guest.handed_in:
            await guest.episode.verdict()
        elif why := guest.why_unreached:
            await guest.episode.abandon(f"the agent {why}", InvalidReason.AGENT_NEVER_REACHED)
        else:
            await guest.episode.finish(answer, AnsweredBy.DRIVER)
        return self.state(address)

    async def abandon(self, guest: Guest, reason: str) -> EpisodeState:
        """Give an episode up; see `Episode.abandon`."""
        await guest.episode.abandon(reason)
        return self.state(guest.address)

    def _sweep(self) -> None:
        """Let go of what the finished episodes hold."""
        if len(self._guests) <= len(self.episodes.open):
            return
        for address, guest in [*self._guests.items()]:
            if guest.episode.result is not None:
                del self._guests[address]
                state = self._over[address] = self._state(guest, address)
                self._tell(f"{guest.shown} over: {named(guest.episode.key)}, {state.outcome}")
        while len(self._over) > MOST_KEPT:
            self._over.popitem(last=False)

    def _state(self, guest: Guest, name: str) -> EpisodeState:
        episode = guest.episode
        sample, repeat, condition = episode.key
        state = EpisodeState(name, sample, repeat, condition, "open", episode.calls)
        result = episode.result
        if result is None:
            state.state = "judging" if episode.is_over else "open"
            return state
        state.state, state.outcome, state.answered_by = "over", result.outcome.value, result.answered_by
        state.reason = result.reason if self._shows_checks else told(result)
        if self._shows_checks:
            shown: Mapping[str, Any] = {"checks": as_json(result.checks), "votes": as_json(result.votes)}
            state.checks, state.votes = shown["checks"], shown["votes"]
        return state


def told(result: SampleResult) -> str:
    """Reason of a verdict without the answer key: how many checks and votes went which way."""
    if result.outcome is Outcome.INVALID:
        return result.reason
    said = []
    if result.checks:
        said.append(f"{sum(check.passed is True for check in result.checks)} of {len(result.checks)} checks passed")
    if votes := [vote.is_correct for vote in result.votes if vote.is_correct is not None]:
        said.append(f"{sum(votes)} of {len(votes)} votes say that the work is right")
    return "; ".join(said) or result.outcome.value


def named(key: Key) -> str:
    """Sample as lines about it name it."""
    sample, repeat, condition = key
    return f"{sample}, repeat {repeat}, {condition}"


def asks_for(name: str) -> str:
    """Sentence that asks for the answer by the tool of that name."""
    return f"When you are done, call the tool {name} with your final answer; nothing that you say elsewhere counts."


def finish_tool_called(name: str) -> JsonObject:
    """Tool by which an agent hands in its answer, in the chat-completions form."""
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": "Hands in your final answer and ends the work. Call it once, when everything is done.",
            "parameters": {
                "type": "object",
                "properties": {"answer": {"type": "string", "description": "The whole final answer."}},
                "required": ["answer"],
                "additionalProperties": False,
            },
        },
    }
