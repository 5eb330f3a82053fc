"""Expectations: calls and how they have to end, written from the clauses by somebody who has not seen the code."""

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from worktrial.errors import DataError
from worktrial.finding import Finding
from worktrial.grading.facts import ABSENT, at, changed_pointers, matches, under
from worktrial.language import JsonObject, JsonValue
from worktrial.outside.patches import BadPatch, patched
from worktrial.outside.yaml_files import read_yaml
from worktrial.synthesis.gates.door import Door, Probe, Probed, ProbedCall
from worktrial.synthesis.gates.names import GateName, finding
from worktrial.workplaces import Tool, Workplace

Text = Annotated[str, Field(min_length=1)]
Pointed = dict[Annotated[str, Field(pattern=r"^(/.*)?$")], JsonValue]


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class EarlierCall(_Closed):
    """A call that has to succeed before the expected one."""

    call: Text
    arguments: dict[str, JsonValue] = Field(default_factory=dict, alias="with")


class Expectation(_Closed):
    """One call and how it has to end."""

    id: Text
    clauses: tuple[str, ...] = ()
    """Ids of the clauses that say so; none where it is plain sense, such as that an unknown id is refused."""
    why: str = ""
    start: str | None = None
    """Name of one of the workplace's further initial states; None for the default one."""
    state: tuple[dict[str, Any], ...] = ()
    """JSON Patch (RFC 6902) that is applied to it."""
    clock: str | None = None
    before: tuple[EarlierCall, ...] = ()
    call: Text
    arguments: dict[str, JsonValue] = Field(default_factory=dict, alias="with")
    expect: Literal["ok", "error"]
    error: str | None = None
    """Code of the error; None for any."""
    shows: Pointed = Field(default_factory=dict)
    """JSON Pointer into the observation to the value there."""
    leaves: Pointed = Field(default_factory=dict)
    """JSON Pointer into the state afterwards to the value there."""
    only: tuple[str, ...] | None = None
    """Pointers under which the state may have changed; None for any, where the call succeeds."""


_LIST: TypeAdapter[list[Expectation]] = TypeAdapter(list[Expectation])


def read_expectations(path: Path) -> list[Expectation]:
    """The expectations in a YAML file; none where there is no such file.

    Raises:
        DataError: a field cannot be used, or an id is taken twice.
    """
    if not path.is_file():
        return []
    try:
        found = _LIST.validate_python(read_yaml(path) or [])
    except ValidationError as e:
        said = "; ".join(f"{'.'.join(map(str, error['loc']))}: {error['msg']}" for error in e.errors())
        raise DataError(path, said) from e
    seen: set[str] = set()
    for expectation in found:
        if expectation.id in seen:
            raise DataError(path, f"the id {expectation.id} is taken twice")
        seen.add(expectation.id)
    return found


def beginning(expectation: Expectation, default: JsonObject, starts: Mapping[str, JsonObject]) -> JsonObject:
    """State in which the expected call is made.

    Raises:
        DataError: there is no such start, or the patch does not apply to it.
    """
    if expectation.start is not None and expectation.start not in starts:
        known = ", ".join(starts) or "none"
        raise DataError(expectation.id, f"start: there is no state {expectation.start!r}", f"There is {known}")
    state = default if expectation.start is None else starts[expectation.start]
    try:
        # Applied to nothing, it would copy all of the state.
        begun: JsonObject = patched(state, expectation.state) if expectation.state else state
    except BadPatch as e:
        raise DataError(expectation.id, f"state: does not apply to the initial state: {e}") from e
    return begun if expectation.clock is None else {**begun, "clock": expectation.clock}


async def failed_expectations(
    door: Door, expectations: Sequence[Expectation], starts: Mapping[str, JsonObject]
) -> list[Finding]:
    """Findings on the expectations that do not hold."""
    begun, found = begun_expectations(door.artifact, expectations, starts)
    return [*found, *await failing(door, begun)]


def begun_expectations(
    workplace: Workplace, expectations: Sequence[Expectation], starts: Mapping[str, JsonObject]
) -> tuple[list[tuple[Expectation, Probe]], list[Finding]]:
    """Expectations with the calls that show whether they hold, and findings on those that cannot begin."""
    name = workplace.name
    found: list[Finding] = []
    begun: list[tuple[Expectation, Probe]] = []
    for expectation in expectations:
        try:
            state = beginning(expectation, workplace.initial_state, starts)
        except DataError as e:
            found.append(finding(GateName.EXPECTATIONS, name, expectation.id, str(e), clauses=expectation.clauses))
            continue
        calls = [(step.call, step.arguments) for step in expectation.before]
        calls.append((expectation.call, expectation.arguments))
        begun.append((expectation, Probe(state, calls)))
    return begun, found


async def failing(door: Door, begun: Sequence[tuple[Expectation, Probe]]) -> list[Finding]:
    """Findings on the expectations whose calls end otherwise."""
    name = door.artifact.name
    found: list[Finding] = []
    probed = await door.probe([probe for _, probe in begun])
    for (expectation, probe), outcome in zip(begun, probed, strict=True):
        wrong = _wrong(expectation, probe, outcome)
        if wrong is not None:
            said = f"{expectation.call}: {wrong}" + (f" ({expectation.why})" if expectation.why else "")
            fix = "Mend the tool, or the expectation if the clause does not say so"
            found.append(finding(GateName.EXPECTATIONS, name, expectation.id, said, fix, expectation.clauses))
    return found


def _wrong(expectation: Expectation, probe: Probe, outcome: Probed) -> str | None:
    """Statement of how a call ended otherwise than expected; None where it did not."""
    *earlier, last = outcome.calls
    for step, call in zip(expectation.before, earlier, strict=True):
        if call.error or call.crash:
            return f"the earlier call of {step.call} failed: {_said(call)}"
    if last.crash:
        return last.crash
    if last.error != (expectation.expect == "error"):
        wanted = "a refusal" if expectation.expect == "error" else "success"
        return f"{wanted} was expected; it {'was refused' if last.error else 'succeeded'}: {_said(last)}"
    code = _code(last.content)
    if expectation.error is not None and code != expectation.error:
        return f"the error {expectation.error} was expected, not {code}"
    for where, wanted_values, value in (
        ("shows", expectation.shows, last.content),
        ("leaves", expectation.leaves, outcome.state),
    ):
        for pointer, wanted_value in wanted_values.items():
            got = at(value, pointer)
            if not matches(got, wanted_value):
                held = "nothing" if got is ABSENT else repr(got)
                return f"{where} {held} at {pointer}, not {wanted_value!r}"
    if expectation.only is not None:
        changed = changed_pointers(probe.state, outcome.state)
        stray = [one for one in changed if not any(under(one, allowed) for allowed in expectation.only)]
        if stray:
            return f"also changed {', '.join(stray[:4])}"
    return None


def missing_ways(
    workplace: Workplace,
    expectations: Sequence[Expectation],
    own: Collection[str] = (),
    starts: Mapping[str, JsonObject] = MappingProxyType({}),
) -> list[Finding]:
    """Findings on tools without an expected success or, where one can be thought of, an expected refusal.

    Args:
        workplace: The workplace.
        expectations: What is expected of its tools.
        own: Functions of its code; tools that are none of them, such as the handbook's, are ours. Empty takes all.
        starts: Further initial states by name.

    A tool whose arguments are all closed sets, or that takes none, need not have anything to refuse; nor a search
    that is expected to find nothing of what is not there.
    """
    found = []
    for tool in workplace.tools:
        if own and tool.name not in own:
            continue
        ways = {expectation.expect for expectation in expectations if expectation.call == tool.name}
        for expectation in expectations:
            if expectation.call == tool.name and expectation.expect == "ok":
                try:
                    state = beginning(expectation, workplace.initial_state, starts)
                except DataError:  # a finding of its own
                    continue
                if finds_nothing(tool, expectation.arguments, expectation.shows, state):
                    ways.add("error")
        wanted = {"ok", "error"} if can_refuse(tool) else {"ok"}
        for way in sorted(wanted - ways):
            said = "no call of it is expected to " + ("succeed" if way == "ok" else "be refused")
            found.append(finding(GateName.BOTH_WAYS, workplace.name, f"tools.{tool.name}", said, "Write one"))
    return found


def strange_tools(workplace: Workplace, expectations: Sequence[Expectation]) -> list[Finding]:
    """Findings on expectations of tools that the workplace does not have."""
    names = {tool.name for tool in workplace.tools}
    return [
        finding(
            GateName.EXPECTATIONS,
            workplace.name,
            one.id,
            f"the workplace has no tool {one.call}",
            clauses=one.clauses,
        )
        for one in expectations
        if one.call not in names
    ]


def can_refuse(tool: Tool) -> bool:
    """Whether a refusal can be thought of: some argument has to be given and is of no closed list."""
    properties: JsonObject = tool.parameters.get("properties", {})
    return any(
        "enum" not in properties.get(name, {}) and properties.get(name, {}).get("type") != "boolean"
        for name in tool.parameters.get("required", [])
    )


def finds_nothing(tool: Tool, arguments: JsonObject, shows: JsonObject, state: JsonObject) -> bool:
    """Whether a read is asked for something that the state does not hold, and has to show an empty list."""
    required = [arguments.get(name) for name in tool.parameters.get("required", [])]
    said = json.dumps(state, ensure_ascii=False)
    strange = any(
        isinstance(value, str) and json.dumps(value, ensure_ascii=False)[1:-1] not in said for value in required
    )
    return tool.writes is False and strange and [] in shows.values()


def _code(content: JsonObject) -> JsonValue:
    error = content.get("error")
    return error.get("type", error.get("code")) if isinstance(error, dict) else error


def _said(call: ProbedCall) -> str:
    return call.crash or str(call.content)[:160]
