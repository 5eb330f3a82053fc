"""A trajectory in the words of OccuBench's published harness, which keeps it as one text."""

from collections.abc import Iterator

import msgspec

from worktrial.language import JsonValue


class _Function(msgspec.Struct, frozen=True):
    name: str = ""
    arguments: object = ""


class _Asked(msgspec.Struct, frozen=True):
    id: str | None = None
    function: _Function = _Function()


class _Said(msgspec.Struct, frozen=True):
    role: str = ""
    content: object = None
    tool_calls: list[_Asked] | None = None
    tool_call_id: str | None = None


class _Seen(msgspec.Struct, frozen=True):
    content: object = None


class _Call(msgspec.Struct, frozen=True):
    tool: str = ""
    arguments: object = None
    observation: _Seen = _Seen()


class WorkLine(msgspec.Struct, frozen=True):
    """What of a line of `trajectories.jsonl` the text is made of."""

    messages: list[_Said] = []
    calls: list[_Call] = []
    answer: str | None = None


def work_text(line: WorkLine) -> str:
    """Responses, actions and observations in their order; "" for a sample without a trajectory."""
    return "".join(f"\n{part}\n" for part in _parts(line))


def _parts(line: WorkLine) -> Iterator[str]:
    if not any(said.role == "assistant" for said in line.messages):
        # A user's own agent holds no conversation; its calls and its answer are on record.
        for call in line.calls:
            yield from _step(call.tool, call.arguments, call.observation.content)
        if line.answer:
            yield f"[Agent Response]: {line.answer}"
        return
    answers: dict[str | None, list[object]] = {}
    for said in line.messages:
        if said.role == "tool":
            answers.setdefault(said.tool_call_id, []).append(said.content)
    for said in line.messages:
        if said.role != "assistant":
            continue
        if said.content:
            yield f"[Agent Response]: {_text(said.content)}"
        for asked in said.tool_calls or ():
            # Some endpoints give every call the same id; the answers then come in the order of the calls.
            waiting = answers.get(asked.id)
            yield from _step(asked.function.name, asked.function.arguments, waiting.pop(0) if waiting else None)


def _step(tool: str, arguments: JsonValue, observation: JsonValue) -> Iterator[str]:
    yield f"[Agent Action]: Call tool `{tool}` with arguments: {_text(arguments)}"
    if observation is not None:
        yield f"[Environment Observation] (from {tool}): {_text(observation)}"


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
