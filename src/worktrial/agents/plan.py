"""Solution plans: a task's calls and answer written down, followed without any model."""

from collections.abc import Mapping
from functools import cache, cached_property, lru_cache
from typing import Annotated, Any

import msgspec
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from worktrial.agents.assignment import Assignment, Solution
from worktrial.errors import InvalidReason, InvalidSample
from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.duties.session import is_refused_by_policy
from worktrial.workplaces.faults import is_outage
from worktrial.workplaces.session import Session
from worktrial.workplaces.trajectory import StopReason, Trajectory

# A plan cannot wait or find a way around, so it calls again; an outage that lasts longer than this ends its work.
MOST_TRIES = 10
_TEMPLATES_KEPT = 512
"""Templates of answers that are kept read: a plan is followed again and again, and reading takes longer."""

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


class Step(BaseModel):
    """One call of a plan.

    An argument value, at any depth, may be `{from: NAME, at: /json/pointer}`: what the pointer finds in
    the observation that an earlier step named.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    call: Annotated[str, Field(min_length=1, description="The tool.")]
    arguments: dict[str, JsonValue] = Field(default_factory=dict, alias="with")
    name: Name | None = Field(default=None, alias="as", description="Name of the observation.")


class Plan(BaseModel):
    """Calls in order, and the answer as a Jinja2 template over the named observations."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    steps: tuple[Step, ...] = ()
    answer: Annotated[str, Field(min_length=1)]


class ListedCall(BaseModel):
    """One call; the arguments are meant as they stand."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tool: Annotated[str, Field(min_length=1)]
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    why: str = ""


_CALLS: TypeAdapter[list[ListedCall]] = TypeAdapter(Annotated[list[ListedCall], Field(min_length=1)])


def plan_problems(plan: Plan, workplace: Workplace) -> list[str]:
    """Reasons why the plan cannot be followed in this workplace, as far as they show without running it."""
    problems: list[str] = []
    named: set[str] = set()
    for index, step in enumerate(plan.steps):
        where = f"steps[{index}] ({step.call})"
        tool = workplace.tool(step.call)
        references: dict[str, JsonObject] = {}
        for argument, value in step.arguments.items():
            references |= _references(value, argument)
        if tool is None:
            problems.append(f"{where}: the workplace has no such tool")
        else:
            problems += [
                f"{where}: {p['argument']}: {p['problem']}"
                for p in tool.problems(step.arguments)
                if p["argument"] not in references
            ]
        problems += [
            f"{where}: {path}: no earlier step is named {reference['from']!r}"
            for path, reference in references.items()
            if reference["from"] not in named
        ]
        if step.name:
            named.add(step.name)
    return problems + _template_problems(plan.answer, named)


class PlanBroken(InvalidSample):
    """A step or the answer needs something that no observation held."""

    def __init__(self, detail: str) -> None:
        super().__init__(InvalidReason.TASK_DATA, detail)


class PlanFollower:
    """The agent that follows its task's plan and needs no model.

    The plan is a `Plan`, or a bare list of calls. A call that fails as if the service were out is made again, at
    most `MOST_TRIES` times in all; every other answer is trusted. Where a degraded answer lacks what a
    later step needs, the work ends with an answer that says so.
    """

    def __init__(self, solution: Solution) -> None:
        self._solution = solution

    async def __call__(self, assignment: Assignment) -> None:
        """Work on `assignment`.

        Raises:
            InvalidSample: the task has no plan, or one that cannot be followed.
        """
        plan = planned(self._solution.plan, assignment)
        if isinstance(plan, list):
            await _carry_out_calls(plan, assignment)
            return
        try:
            await _carry_out(plan, assignment)
        except PlanBroken as e:
            give_up(assignment.trajectory, e)


def planned(plan: Any, assignment: Assignment) -> "Plan | list[ListedCall]":
    """The plan as it can be followed; the instruction of `assignment` is put on record.

    Raises:
        InvalidSample: the task has no plan, or one that cannot be followed.
    """
    if plan is None:
        raise InvalidSample(InvalidReason.TASK_DATA, "the task has no solution plan for the agent to follow")
    try:
        read = read_calls(plan) if isinstance(plan, list) else plan
        if not isinstance(read, Plan | list):
            read = Plan.model_validate(plan)
    except ValidationError as e:
        raise InvalidSample(InvalidReason.TASK_DATA, f"the task's solution plan: {e}") from e
    assignment.trajectory.messages.append({"role": "user", "content": assignment.instruction})
    return read


async def follow(plan: Plan, session: Session, *, trajectory: Trajectory | None = None) -> Trajectory:
    """Carry out `plan` in `session`.

    Args:
        plan: What to do.
        session: Where to do it.
        trajectory: Where to record it, so that the record is there even when the plan breaks off. The calls
            and their observations are appended to its messages in chat form, as a model's would be.

    Raises:
        PlanBroken: a reference or the answer's template names something that is not there.
    """
    assignment = Assignment("", "", [], session, trajectory=trajectory or Trajectory())
    await _carry_out(plan, assignment)
    return assignment.trajectory


async def _carry_out(plan: Plan, assignment: Assignment) -> None:
    seen: dict[str, JsonObject] = {}
    for index, step in enumerate(plan.steps):
        where = f"plan step {index} ({step.call})"
        content = await call_through(step.call, arguments_of(step, seen, where), assignment)
        if step.name:
            seen[step.name] = content
    report(plan, seen, assignment.trajectory)


def arguments_of(step: Step, seen: Mapping[str, JsonObject], where: str = "") -> JsonObject:
    """Arguments of a step, its references looked up in the observations that have a name.

    Raises:
        PlanBroken: a reference names something that is not there; `where` says so.
    """
    place = where or step.call
    return {name: _resolve(value, seen, place) for name, value in step.arguments.items()}


def report(plan: Plan, seen: Mapping[str, JsonObject], trajectory: Trajectory) -> None:
    """End the work with the plan's answer.

    Raises:
        PlanBroken: the template names something that no observation held.
    """
    end_with(_render(plan.answer, seen), trajectory)


def end_with(answer: str, trajectory: Trajectory) -> None:
    """End the work with an answer, in chat form too."""
    trajectory.answer = answer
    trajectory.messages.append({"role": "assistant", "content": answer})
    trajectory.stop_reason = StopReason.ANSWERED
    trajectory.turns += 1


def read_calls(value: JsonValue) -> list[ListedCall]:
    """The calls in `value`.

    Raises:
        pydantic.ValidationError: it is no list of calls, or an empty one.
    """
    return _CALLS.validate_python(value)


async def _carry_out_calls(calls: list[ListedCall], assignment: Assignment) -> None:
    """Make the calls in order. The list has no answer of its own, so the answer reports what came back."""
    lines = ["Every call of the plan was made:"]
    for number, call in enumerate(calls, 1):
        content = await call_through(call.tool, call.arguments, assignment)
        lines.append(f"{number}. {call.tool} {json_of(call.arguments)}: {json_of(content)}")
    end_with("\n".join(lines), assignment.trajectory)


async def call_through(tool: str, arguments: JsonObject, assignment: Assignment) -> JsonObject:
    """Make a call, again while it fails as if the service were out, `MOST_TRIES` times in all.

    Returns:
        The last answer's content. Every try is appended to the trajectory, in chat form too.
    """
    for _ in range(MOST_TRIES):
        content = await call_once(tool, arguments, assignment)
        if not is_outage(content):
            break
    return content


def json_of(value: JsonValue) -> str:
    """`value` as it stands in a message."""
    return msgspec.json.encode(value).decode()


async def call_once(tool: str, arguments: JsonObject, assignment: Assignment) -> JsonObject:
    """Make a call and put it on record, in chat form too; returns what came back."""
    trajectory = assignment.trajectory
    trajectory.turns += 1
    call_id = f"plan_{len(trajectory.calls)}"
    function = {"name": tool, "arguments": json_of(arguments)}
    call = {"id": call_id, "type": "function", "function": function}
    trajectory.messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
    content = await assignment.call(tool, arguments)
    trajectory.messages.append({"role": "tool", "tool_call_id": call_id, "content": json_of(content)})
    return content


def give_up(trajectory: Trajectory, broken: PlanBroken) -> None:
    """End the work with what stopped it, when a fault or a policy may have; without one the plan itself is wrong.

    Raises:
        InvalidSample: no observation was degraded, and no call refused by a policy.
    """
    if not any(call.observation.fault or is_refused_by_policy(call.observation) for call in trajectory.calls):
        raise broken
    end_with(f"The plan could not be carried out: {broken.detail}", trajectory)


def _is_reference(value: JsonValue) -> bool:
    return isinstance(value, dict) and value.keys() == {"from", "at"}


def _references(value: JsonValue, path: str) -> dict[str, JsonObject]:
    """References in a value by the dotted path where they stand, as `Tool.problems` writes it."""
    if _is_reference(value):
        return {path: value}
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found: dict[str, JsonObject] = {}
    for key, item in inside:
        found |= _references(item, f"{path}.{key}")
    return found


def _resolve(value: JsonValue, seen: Mapping[str, JsonObject], where: str) -> JsonValue:
    if _is_reference(value):
        return _look_up(value, seen, where)
    if isinstance(value, dict):
        return {key: _resolve(item, seen, where) for key, item in value.items()}
    if isinstance(value, list):
        return [_resolve(item, seen, where) for item in value]
    return value


def _look_up(reference: JsonObject, seen: Mapping[str, JsonObject], where: str) -> JsonValue:
    from jsonpointer import JsonPointerException, resolve_pointer

    name, pointer = reference["from"], reference["at"]
    if name not in seen:
        raise PlanBroken(f"{where}: no earlier step is named {name!r}")
    try:
        return resolve_pointer(seen[name], pointer)
    except JsonPointerException as e:
        raise PlanBroken(f"{where}: {name!r} has nothing at {pointer!r}") from e


@cache
def _environment() -> Any:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    return SandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=False)


def needs_of(plan: Plan) -> list[frozenset[str]]:
    """Names of observations that each step refers to."""
    return [frozenset(str(r["from"]) for r in _references(step.arguments, "").values()) for step in plan.steps]


class AnswerTemplate:
    """Template of an answer, read once.

    Args:
        text: The template.

    Raises:
        jinja2.TemplateError: it cannot be read.
    """

    def __init__(self, text: str) -> None:
        self._read = _environment().parse(text)

    @cached_property
    def variables(self) -> frozenset[str]:
        """Names of observations that it refers to."""
        from jinja2 import meta

        return frozenset(meta.find_undeclared_variables(self._read))

    @cached_property
    def compiled(self) -> Any:
        """Template that renders."""
        environment = _environment()
        return environment.template_class.from_code(
            environment, environment.compile(self._read), environment.make_globals(None)
        )


@lru_cache(maxsize=_TEMPLATES_KEPT)
def answer_template(text: str) -> AnswerTemplate:
    """The template of an answer; see `AnswerTemplate`."""
    return AnswerTemplate(text)


def variables_of(template: str) -> frozenset[str]:
    """Names of observations that the template of an answer refers to."""
    return answer_template(template).variables


def _template_problems(template: str, named: set[str]) -> list[str]:
    from jinja2 import TemplateError

    try:
        unknown = variables_of(template) - named
    except TemplateError as e:
        return [f"answer: {e}"]
    return [f"answer: no step is named {name!r}" for name in sorted(unknown)]


def _render(template: str, seen: Mapping[str, JsonObject]) -> str:
    from jinja2 import TemplateError

    try:
        return str(answer_template(template).compiled.render(seen)).strip()
    except (TemplateError, TypeError, ValueError, ArithmeticError) as e:
        raise PlanBroken(f"plan answer: {e}") from e
