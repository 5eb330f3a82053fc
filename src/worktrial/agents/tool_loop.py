"""The standard agent: a language model that calls tools until it answers."""

from collections.abc import Sequence

import msgspec

from worktrial.agents.assignment import Assignment, NotTaken
from worktrial.agents.context import Conversation
from worktrial.agents.prompting import render_prompt, standard_prompt
from worktrial.errors import ContextOverflow, InvalidReason, InvalidSample
from worktrial.language import Complete, Completion, JsonObject, JsonValue
from worktrial.workplaces import Observation, Origin, StopReason, ending

MOST_CALLS_AT_ONCE = 100
"""Most calls of one message that are carried out; each may cost a simulator's answer."""

_SHORT = 1 << 12  # characters that are counted when the call is made


class ToolLoop:
    """Runs a model against a workplace until it replies without a tool call, or a limit is hit."""

    def __init__(self, complete: Complete) -> None:
        self._complete = complete

    async def __call__(self, assignment: Assignment) -> None:
        """Work on `assignment`.

        Raises:
            InvalidSample: the agent's endpoint, or whoever plays the workplace, fails for good; or the agent's
                provider keeps its first answer to itself.
        """
        trajectory = assignment.trajectory
        system = assignment.system_prompt
        if system is None:
            system = render_prompt(standard_prompt(), assignment.clock)
        context = Conversation(assignment.context, trajectory, assignment.tools)
        context.add(
            {"role": "system", "content": system},
            {"role": "user", "content": _with_pictures(assignment.instruction, assignment.take_pictures())},
        )
        while True:
            if (limit := assignment.limit_hit()) is not None:
                trajectory.stop_reason = limit
                return
            try:
                completion = await self._ask(context)
            except ContextOverflow:
                trajectory.stop_reason = StopReason.CONTEXT_LIMIT
                return
            except InvalidSample as e:
                if e.reason is not InvalidReason.CONTENT_FILTER or not trajectory.turns:
                    raise
                trajectory.stop_reason = StopReason.CONTENT_FILTER
                return
            trajectory.turns += 1
            context.hear(completion)
            # Tool calls count whatever finish_reason says; some endpoints send "stop" with them.
            if not completion.tool_calls:
                # Of an agent that has not got a word in there is nothing to judge.
                if trajectory.turns == 1 and (kept := completion.withheld()) is not None:
                    raise kept
                try:
                    assignment.offer(completion.text)
                except NotTaken as e:
                    context.add({"role": "user", "content": str(e)})
                    continue
                trajectory.answer = completion.text
                trajectory.stop_reason = ending(completion)
                return
            asked = completion.tool_calls
            if len(text := completion.text) > _SHORT:
                assignment.budget.take(text.encode(errors="replace"))
            results = [await _carry_out(call, assignment, context) for call in asked[:MOST_CALLS_AT_ONCE]]
            results += [_too_many(call, assignment) for call in asked[MOST_CALLS_AT_ONCE:]]
            shown = None
            # Most endpoints take text alone as the result of a tool.
            if pictures := assignment.take_pictures():
                said = _with_pictures("Pictures that these calls returned, in order:", pictures)
                shown = {"role": "user", "content": said}
            context.answer(completion, results, shown)

    async def _ask(self, context: Conversation) -> Completion:
        context.make_room()
        while True:
            try:
                return await self._complete(context.sent, tools=context.tools)
            except ContextOverflow:
                if not context.make_more_room():
                    raise


def _too_many(call: JsonObject, assignment: Assignment) -> str:
    name, raw = _asked(call)
    message = f"not made: of one message {MOST_CALLS_AT_ONCE} calls are made; make the others after these"
    content = {"error": {"type": "too_many_calls", "message": message}}
    assignment.record(name, raw, Observation(content, Origin.REFUSAL))
    return msgspec.json.encode(content).decode()


def _asked(call: JsonObject) -> tuple[str, JsonValue]:
    """Name and arguments of a call, as the model wrote them."""
    function = call.get("function")
    function = function if isinstance(function, dict) else {}
    name = function.get("name")
    return name if isinstance(name, str) else "", function.get("arguments")


async def _carry_out(call: JsonObject, assignment: Assignment, context: Conversation) -> str:
    name, raw = _asked(call)
    if isinstance(raw, str) and len(raw) > _SHORT and not assignment.budget.fits(raw.encode(errors="replace")):
        return msgspec.json.encode(assignment.refuse_size(name)).decode()
    arguments, problem = _decode_arguments(raw)
    if name and name == context.notes_tool:
        content = context.write_note(arguments)
    elif problem is None:
        content = await assignment.call(name, arguments)
    else:
        content = {"error": {"type": "invalid_arguments", "message": f"{name}: {problem}"}}
        assignment.record(name, arguments, Observation(content, Origin.REFUSAL))
    return msgspec.json.encode(content).decode()


def _with_pictures(text: str, pictures: Sequence[str]) -> JsonValue:
    """The content of a message: the text alone where there is nothing to be seen."""
    if not pictures:
        return text
    seen = [{"type": "image_url", "image_url": {"url": picture}} for picture in pictures]
    return [{"type": "text", "text": text}, *seen]


def _decode_arguments(raw: JsonValue) -> tuple[JsonValue, str | None]:
    """`(arguments, problem)`. Tools without parameters are often called with an empty string or null."""
    if raw is None or raw == "":
        return {}, None
    if isinstance(raw, dict):
        return raw, None
    if not isinstance(raw, str):
        return raw, "the arguments must be a JSON object"
    try:
        value = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError) as e:
        return raw, f"the arguments are not JSON ({e})"
    if not isinstance(value, dict):
        return value, "the arguments must be a JSON object"
    return value, None
