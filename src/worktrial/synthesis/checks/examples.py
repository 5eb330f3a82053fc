"""Example outputs beside the state they are taken from."""

from collections.abc import Iterator
from dataclasses import replace

from worktrial.language import JsonObject, JsonValue
from worktrial.synthesis.artifacts import Problem
from worktrial.synthesis.checks.case import Case, of_finding, problem
from worktrial.synthesis.checks.names import CheckName
from worktrial.workplaces.lint import clashing_examples

# Around the answer proper many tools say how the call went; a state's field may have the same name by chance.
_ENVELOPE = frozenset({"status", "result", "outcome", "message"})


def example_clash(case: Case) -> Iterator[Problem]:
    """Tools that only look, and whose example shows what the state does not hold.

    What a tool that writes has made is new by right.
    """
    reading = [
        replace(tool, example_output=_without_envelope(tool.example_output))
        for tool in case.usable.values()
        if not tool.writes
    ]
    finding = clashing_examples(reading, case.workplace.initial_state)
    if finding is not None:
        yield of_finding(CheckName.EXAMPLE_CLASH, "tools", finding)


def example_shape(case: Case) -> Iterator[Problem]:
    """Examples that are no answer, and those in which a record of the state has fields of another type.

    A record is known by a field `id` or `…_id` whose text identifies one object of the state, or by the key
    under which the state keeps it.
    """
    records = _records(case.workplace.initial_state)
    for index, tool in enumerate(case.workplace.tools):
        where = f"tools[{index}].example_output"
        if not isinstance(tool.example_output, dict | list):
            shown = "there is no example" if tool.example_output is None else "the example is neither"
            what = f"tool {tool.name!r}: an answer is an object or a list, and {shown}"
            yield problem(CheckName.EXAMPLE_SHAPE, "tools", where, what, "Show what a successful call answers")
            continue
        other = next(_other_types(tool.example_output, records), None)
        if other is not None:
            what = f"tool {tool.name!r}: {other}"
            yield problem(CheckName.EXAMPLE_SHAPE, "tools", where, what, "Show the record as the state has it")


def _without_envelope(example: JsonObject | list[JsonValue] | None) -> JsonObject | list[JsonValue] | None:
    if not isinstance(example, dict) or not any(isinstance(value, dict | list) for value in example.values()):
        return example
    return {name: value for name, value in example.items() if name not in _ENVELOPE}


def _records(state: JsonValue) -> dict[str, JsonObject]:
    """Id to the one object of the state that has it."""
    found: dict[str, list[JsonObject]] = {}
    for key, value in _objects(state):
        for each in {key, *_ids(value)} - {""}:
            found.setdefault(each, []).append(value)
    return {key: objects[0] for key, objects in found.items() if len(objects) == 1}


def _objects(value: JsonValue, key: str = "") -> Iterator[tuple[str, JsonObject]]:
    """Every object in `value`, with the key that it is kept under ("" where it has none)."""
    if isinstance(value, dict):
        yield key, value
        for name, inner in value.items():
            yield from _objects(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _objects(inner)


def _ids(value: JsonObject) -> list[str]:
    """The texts under `id` or `…_id`, where there is just one: an object with several refers to others."""
    ids = [v for k, v in value.items() if (k == "id" or k.endswith("_id")) and isinstance(v, str)]
    return ids if len(ids) == 1 else []


def _other_types(example: JsonValue, records: dict[str, JsonObject]) -> Iterator[str]:
    for key, shown in _objects(example):
        for known in {key, *_ids(shown)} & records.keys():
            kept = records[known]
            for field in shown.keys() & kept.keys():
                one, other = _type(shown[field]), _type(kept[field])
                if one != other and "null" not in (one, other):
                    yield f"{field} of {known} is {one} in its example and {other} in the state"


def _type(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    names = {str: "a text", list: "a list", dict: "an object", type(None): "null"}
    return names[type(value)]
