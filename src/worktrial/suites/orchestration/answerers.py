"""Who answers the requests of a turn-by-turn trial: a model, a reference team, or a user's own function."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import msgspec

from worktrial.agents.own_callable import PREFIX, load_function
from worktrial.engine.roles import RoleName
from worktrial.engine.trial import SampleContext
from worktrial.errors import InvalidReason, InvalidSample, WorktrialError
from worktrial.language import Complete, Completion
from worktrial.suites.orchestration.planning.answers import StepAnswer
from worktrial.suites.orchestration.references import REFERENCES, Reference
from worktrial.suites.orchestration.requests import Request


class Answerer(Protocol):
    """Answers requests."""

    async def __call__(self, request: Request) -> StepAnswer:
        """Answer one request.

        Raises:
            InvalidSample: there is no answer, through no fault of who was asked.
            StopRun: going on would be pointless.
        """
        ...


@dataclass(frozen=True, slots=True)
class Member:
    """Who takes the part of the planner, of the domain agents, or of both."""

    kind: Literal["model", "reference", "python"]
    spec: str
    """As the user wrote it; for the manifest."""
    function: Callable[..., Any] | None = None

    @property
    def needs_model(self) -> bool:
        """Whether the part needs an endpoint."""
        return self.kind == "model"

    def answerer(
        self, context: SampleContext, role_name: RoleName, references: Callable[[str], Reference]
    ) -> Answerer:
        """The one who answers in a sample.

        Args:
            context: The sample's.
            role_name: The model's role_name, where a model answers.
            references: The reference team of a name.
        """
        if self.function is not None:
            return FunctionAnswerer(self.function)
        if self.kind == "reference":
            return ReferenceAnswerer(references(self.spec))
        return ModelAnswerer(context.model(role_name))


def member(spec: str, option: str = "--agent") -> Member:
    """Whom `spec` names: `gold`, `constant-plan`, `one-sentence`, `always-refuse`, `python:…`, or a model.

    Raises:
        SettingError: a Python function cannot be loaded; the message names `option`.
    """
    if spec in REFERENCES:
        return Member("reference", spec)
    if spec.startswith(PREFIX):
        return Member("python", spec, load_function(spec, option))
    return Member("model", spec)


@dataclass(frozen=True, slots=True)
class ModelAnswerer:
    """A language model. Tool calls are taken as it sent them."""

    complete: Complete

    async def __call__(self, request: Request) -> StepAnswer:
        """Ask the model; see `Answerer`."""
        # Two steps may have the very same prompt; each gets a draw of its own.
        completion = await self.complete(request.messages, tools=request.tools, draw=request.step.id)
        return _answer(request, completion)


@dataclass(frozen=True, slots=True)
class ReferenceAnswerer:
    """A reference team."""

    team: Reference

    async def __call__(self, request: Request) -> StepAnswer:
        """Look the answer up; see `Answerer`."""
        return self.team(request.step)


@dataclass(frozen=True, slots=True)
class FunctionAnswerer:
    """A user's own function `(messages, tools) -> str | message`, async or not.

    A message is a dict as on the wire, with `content` and perhaps `tool_calls`.
    """

    function: Callable[..., Any]

    async def __call__(self, request: Request) -> StepAnswer:
        """Call the function; see `Answerer`.

        Raises:
            InvalidSample: the function raised an exception, or returned something else.
        """
        try:
            said = await self._said(request)
            # What is no JSON could not be stored.
            msgspec.json.encode(said)
        except WorktrialError:
            raise
        except (Exception, SystemExit, asyncio.CancelledError) as e:
            task = asyncio.current_task()
            if isinstance(e, asyncio.CancelledError) and task is not None and task.cancelling():
                raise
            raise InvalidSample(InvalidReason.AGENT_CRASH, f"{type(e).__name__}: {e}") from e
        if isinstance(said, str):
            return StepAnswer(request.step.id, said)
        if not isinstance(said, dict):
            kind = type(said).__name__
            raise InvalidSample(
                InvalidReason.AGENT_CRASH, f"the function returned {kind}, neither a string nor a message (a dict)"
            )
        return _answer(request, Completion(said))

    async def _said(self, request: Request) -> Any:
        # Copies, so that a function that adds to its messages cannot change what others are asked.
        messages, tools = [dict(m) for m in request.messages], list(request.tools)
        if inspect.iscoroutinefunction(self.function) or inspect.iscoroutinefunction(type(self.function).__call__):
            return await self.function(messages, tools)
        # In a thread: it may well do slow things, such as asking a model.
        said = await asyncio.to_thread(self.function, messages, tools)
        return await said if isinstance(said, Awaitable) else said


def _answer(request: Request, completion: Completion) -> StepAnswer:
    return StepAnswer(request.step.id, completion.text, tuple(completion.tool_calls))
