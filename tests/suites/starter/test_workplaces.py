"""Whatever an agent calls, a workplace answers, stays JSON, and its reads change nothing."""

import asyncio
import re
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worktrial.suites.starter import load_workplace, suite
from worktrial.workplaces.executable import ExecutableWorkplace, ToolError

WORKPLACES = [load_workplace(name) for name in suite.library.names]


def names_in(value: Any) -> set[str]:
    """Every text in a state: ids, times, names."""
    if isinstance(value, dict):
        return set(value) | set().union(*map(names_in, value.values()))
    if isinstance(value, list):
        return set().union(*map(names_in, value))
    return {value} if isinstance(value, str) and len(value) < 40 else set()


def fitting(schema: dict[str, Any], known: list[str]) -> st.SearchStrategy[Any]:
    """Values that a schema of ours allows, often ones that mean something in the state."""
    if "anyOf" in schema:
        return st.one_of([fitting(option, known) for option in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    low, high = schema.get("minimum"), schema.get("maximum")
    match schema.get("type"):
        case "null":
            return st.none()
        case "boolean":
            return st.booleans()
        case "integer":
            return st.integers(low, high)
        case "number":
            return st.floats(low, high, allow_nan=False, allow_infinity=False) | st.sampled_from([1, 465, 1400.0])
        case "string":
            kind = st.sampled_from(known)
            if pattern := schema.get("pattern"):
                fit = [name for name in known if re.search(pattern, name)]
                return st.from_regex(pattern) | st.sampled_from(fit)
            return kind | st.text(max_size=5)
    raise AssertionError(schema)


def calls(workplace: ExecutableWorkplace) -> st.SearchStrategy[list[tuple[str, dict[str, Any]]]]:
    known = sorted(names_in(workplace.artifact.initial_state))
    one = []
    for tool in workplace.artifact.tools:
        schema = tool.parameters
        fields = {name: fitting(part, known) for name, part in schema["properties"].items()}
        required = {name: fields.pop(name) for name in schema.get("required", [])}
        one.append(st.tuples(st.just(tool.name), st.fixed_dictionaries(required, optional=fields)))
    return st.lists(st.one_of(one), min_size=1, max_size=12)


@pytest.mark.parametrize("workplace", WORKPLACES, ids=lambda w: w.artifact.name)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_calls(workplace: ExecutableWorkplace, data: st.DataObject) -> None:
    session = workplace.open()
    for tool, arguments in data.draw(calls(workplace)):
        before = session.state
        seen = asyncio.run(session.call(tool, arguments)).content
        after = session.state
        assert msgspec.json.decode(msgspec.json.encode(seen)) == seen
        assert msgspec.to_builtins(workplace.starting_from(after).artifact.initial_state) == after
        if "error" in seen:
            assert before == after
            assert isinstance(seen["error"]["message"], str)
        elif not workplace.functions[tool].writes:
            assert before == after


@pytest.mark.parametrize("workplace", WORKPLACES, ids=lambda w: w.artifact.name)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_functions_that_read_do_not_write(workplace: ExecutableWorkplace, data: st.DataObject) -> None:
    """Without the session, which would hide it."""
    state = msgspec.json.decode(msgspec.json.encode(workplace.artifact.initial_state), type=workplace.state_type)
    before = msgspec.json.encode(state)
    for name, arguments in data.draw(calls(workplace)):
        function = workplace.functions[name]
        if function.writes:
            continue
        given_ = msgspec.convert(arguments, function.arguments)
        with suppress(ToolError):
            function.run(state, **msgspec.structs.asdict(given_))
        assert msgspec.json.encode(state) == before


@pytest.mark.parametrize("workplace", WORKPLACES, ids=lambda w: w.artifact.name)
def test_the_same_calls_give_the_same_answers(workplace: ExecutableWorkplace) -> None:
    def stay() -> list[Any]:
        session = workplace.open()
        seen = [asyncio.run(session.call(t.name, {})).content for t in workplace.artifact.tools]
        return [*seen, session.state]

    assert stay() == stay()
    assert workplace.open().state == workplace.artifact.initial_state
