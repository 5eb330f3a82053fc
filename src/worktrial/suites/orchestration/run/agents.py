"""Members of a trial: the planner, the domain agents, and the models behind them, the simulator and the judges."""

import asyncio
import dataclasses
import inspect
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from worktrial.engine.role_values import settings_for
from worktrial.engine.roles import Role, RoleName, RoleSettings
from worktrial.engine.trial import SampleContext
from worktrial.errors import InvalidReason, InvalidSample, SettingError, WorktrialError, option
from worktrial.language import Complete, Completion
from worktrial.suites.orchestration.options import OrchestrationOptions
from worktrial.suites.orchestration.planning.references import Reference
from worktrial.suites.orchestration.planning.turns import StepAnswer, StepRequest

if TYPE_CHECKING:
    from worktrial.agents.candidates import Candidate


class Answerer(Protocol):
    """Answers requests."""

    async def __call__(self, request: StepRequest) -> StepAnswer:
        """Answer one request.

        Raises:
            InvalidSample: there is no answer, through no fault of who was asked.
            StopRun: going on would be pointless.
        """
        ...


def answerer(
    member: "Candidate", context: SampleContext, role_name: RoleName, references: Callable[[str], Reference]
) -> Answerer:
    """Answerer that takes a part in a sample.

    Args:
        member: Taker of the part.
        context: The sample's.
        role_name: Name of the part's role, where a model answers.
        references: Function from a name to the reference team.
    """
    if member.function is not None:
        return FunctionAnswerer(member.function)
    if member.kind == "reference":
        return ReferenceAnswerer(references(member.spec))
    return ModelAnswerer(context.model(role_name))


@dataclass(frozen=True, slots=True)
class ModelAnswerer:
    """A language model."""

    complete: Complete

    async def __call__(self, request: StepRequest) -> StepAnswer:
        """Ask the model; see `Answerer`."""
        # Two steps may have the very same prompt; each gets a draw of its own.
        completion = await self.complete(request.messages, tools=request.tools, draw=request.step.id)
        if (kept := completion.withheld()) is not None:
            raise kept
        return StepAnswer.of(request.step.id, completion)


@dataclass(frozen=True, slots=True)
class ReferenceAnswerer:
    """A reference team."""

    team: Reference

    async def __call__(self, request: StepRequest) -> StepAnswer:
        """Look the answer up; see `Answerer`."""
        return self.team(request)


@dataclass(frozen=True, slots=True)
class FunctionAnswerer:
    """A user's own function `(messages, tools) -> str | message`, async or not.

    A message is a dict as on the wire, with `content` and perhaps `tool_calls`.
    """

    function: Callable[..., Any]

    async def __call__(self, request: StepRequest) -> StepAnswer:
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
            said = {"role": "assistant", "content": said}
        if not isinstance(said, dict):
            kind = type(said).__name__
            raise InvalidSample(
                InvalidReason.AGENT_CRASH, f"the function returned {kind}, neither a string nor a message (a dict)"
            )
        return StepAnswer.of(request.step.id, Completion(said, tools=request.tools))

    async def _said(self, request: StepRequest) -> Any:
        # Copies, so that a function that adds to its messages cannot change what others are asked.
        messages, tools = [dict(m) for m in request.messages], list(request.tools)
        if inspect.iscoroutinefunction(self.function) or inspect.iscoroutinefunction(type(self.function).__call__):
            return await self.function(messages, tools)
        # In a thread: it may well do slow things, such as asking a model.
        said = await asyncio.to_thread(self.function, messages, tools)
        return await said if isinstance(said, Awaitable) else said


NOBODY = "none"
# A model's own name may hold an @.
_ADDRESS = re.compile(r"@(?=https?://)")
_KEY_NAME = re.compile(r"^[A-Z_][A-Z0-9_]*$")


def models_of(
    options: OrchestrationOptions, agent: "Candidate", sub_agent: "Candidate | None"
) -> dict[RoleName, RoleSettings]:
    """Models by role; none for a role that no model plays.

    Args:
        options: Every option of the run.
        agent: Who plans.
        sub_agent: Who plays the domain agents, if someone else.

    Raises:
        SettingError: a role has no model, or its settings cannot be read.
    """
    given = options.model_dump()
    models: dict[RoleName, RoleSettings] = {}
    if agent.needs_model:
        models[Role.AGENT] = settings_for(Role.AGENT, agent.spec, given)
    if sub_agent is not None and sub_agent.needs_model:
        models[Role.SUB_AGENT] = settings_for(Role.SUB_AGENT, sub_agent.spec, given)
    if options.mode == "free" and options.simulator != NOBODY:
        if options.simulator is not None:
            models[Role.SIMULATOR] = settings_for(Role.SIMULATOR, options.simulator, given)
        elif agent.kind != "reference":
            raise SettingError(
                f"{option('mode')} free: someone has to answer the tool calls that the recording does not hold. "
                f"Name a model with {option('simulator')}, or leave them unanswered with {option('simulator')} none"
            )
    return models | _judges(options.judges, given)


def _judges(specs: list[str], given: Mapping[str, Any]) -> dict[RoleName, RoleSettings]:
    if NOBODY in specs:
        if len(specs) > 1:
            raise SettingError(
                f"{option('judges')} none: names no judge, so no other {option('judges')} can stand beside it"
            )
        return {}
    judges = [_judge(number, spec, given) for number, spec in enumerate(specs, start=1)]
    return {judge.role_name: judge for judge in judges}


def _judge(number: int, spec: str, given: Mapping[str, Any]) -> RoleSettings:
    model, *rest = _ADDRESS.split(spec, maxsplit=1)
    place = rest[0] if rest else ""
    if not model or (not place and "://" in spec):
        raise SettingError(
            f"{option('judges')} {spec}: write MODEL, or MODEL@URL with a URL that begins with http(s)://"
        )
    own = dict(given)
    if place:
        url, _, key = place.rpartition("@")
        if not url or not _KEY_NAME.match(key):
            url, key = place, ""
        own["judge_base_url"] = url
        if key:
            own["judge_api_key_env"] = key
    return dataclasses.replace(settings_for(Role.JUDGE, model, own), number=number)
