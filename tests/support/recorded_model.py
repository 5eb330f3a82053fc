"""A model behind an endpoint that makes the calls which somebody made before, for agents that are programs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tests.support.request import ScriptedRequest
from tests.support.script import Behaviour
from tests.support.wire import Body, completion, tool_call

from worktrial.language import JsonObject

# Some programs show tools of servers only to who looks for them.
_SEARCH = "tool_search"
FINISH = "finish_work"


class Work(NamedTuple):
    """The work on one task."""

    instruction: str
    calls: Sequence[tuple[str, Any]]
    """Tool and arguments of each."""
    answer: str


def work_in(line: JsonObject) -> Work:
    """The work on a line as it is stored."""
    calls = [(call["tool"], call["arguments"]) for call in line["calls"]]
    return Work(line["instruction"].strip(), calls, line["answer"])


@dataclass(frozen=True)
class RecordedModel(Behaviour):
    """Makes the calls of the task that it is told, and hands in the answer.

    What it does follows from the conversation alone, so a repeated request gets the same message.
    """

    works: Sequence[Work]
    together: int = 1
    """Calls in one message."""

    def answer(self, request: ScriptedRequest) -> Body:
        names = [tool["function"]["name"] for tool in request.tools]
        told = "\n".join(text_of(message["content"]) for message in request.messages)
        work = next((one for one in self.works if one.instruction in told), None)
        if work is None or not names:
            # Programs ask for titles, and the like.
            return completion("Work")
        called = {c["id"]: c["function"]["name"] for m in request.messages for c in m.get("tool_calls") or ()}
        results = [m for m in request.messages if m["role"] == "tool"]
        done = sum(called.get(m["tool_call_id"]) != _SEARCH for m in results)
        calls = [*work.calls, (FINISH, {"answer": work.answer})]
        if done >= len(calls):
            return completion("It is done.")
        # The answer is handed in when everything else has come back.
        last = len(work.calls)
        wanted = calls[done : min(done + self.together, last)] if done < last else calls[last:]
        offered = {tool: next((name for name in names if name.endswith(tool)), None) for tool, _ in wanted}
        if None in offered.values() and _SEARCH in names:
            query = ",".join(f"mcp__worktrial__{tool}" for tool in offered)
            return _calls({(_SEARCH, f"search_{done}"): {"query": f"select:{query}"}})
        return _calls(
            {(offered[tool] or tool, f"call_{done + place}"): given for place, (tool, given) in enumerate(wanted)}
        )


def _calls(made: Mapping[tuple[str, str], Any]) -> Body:
    calls = [tool_call(name, arguments, call_id) for (name, call_id), arguments in made.items()]
    return completion(None, tool_calls=calls, finish_reason="tool_calls")


def text_of(content: Any) -> str:
    """Text of a message, however its parts are written."""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or ())
