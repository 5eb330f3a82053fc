"""The behaviour of well-behaved models, one per role."""

import math
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.support.request import Role, ScriptedRequest
from tests.support.schema_values import merged, value_for
from tests.support.script import Answer, Behaviour
from tests.support.wire import Body, completion, json_text, tool_call


@dataclass(frozen=True)
class HappyAgent(Behaviour):
    """Calls one offered tool after the other with arguments that fit, then answers.

    Without offered tools but with a schema whose `oneOf` or `anyOf` lists calls and an answer, it writes
    JSON for them instead. Everything follows from the conversation alone, so a repeated request gets the
    same message.
    """

    tool_calls: int | None = None
    """Tool results to collect before answering; None for the script's number."""
    per_message: int = 1
    """Calls in one assistant message."""
    final_text: str = "The work is done."

    def answer(self, request: ScriptedRequest) -> Body:
        wanted = request.tool_calls if self.tool_calls is None else self.tool_calls
        done = request.steps_done
        if request.tools:
            if done >= wanted:
                return completion(self.final_text)
            calls = [next_call(request, done + i) for i in range(min(self.per_message, wanted - done))]
            return completion(None, tool_calls=calls, finish_reason="tool_calls")
        schema = request.schema
        if schema is None:
            return completion(self.final_text)
        return completion(json_text(_choice(schema, done, final=done >= wanted)))


def next_call(request: ScriptedRequest, step: int) -> dict[str, Any]:
    """The call of the `step`-th tool in turn, with arguments that satisfy its schema."""
    function = request.tools[step % len(request.tools)]["function"]
    arguments = value_for(function.get("parameters") or {"type": "object"}, step)
    return tool_call(function["name"], arguments, f"call_{step}")


def _choice(schema: Mapping[str, Any], step: int, *, final: bool) -> Any:
    """A value of the schema's `step`-th calling branch, or of its answering branch."""
    keyword = next((k for k in ("oneOf", "anyOf") if schema.get(k)), None)
    if keyword is None:
        return value_for(schema, step)
    branches = [b for b in schema[keyword] if _is_answer(b) == final] or schema[keyword]
    rest = {k: v for k, v in schema.items() if k != keyword}
    return value_for(merged(rest, branches[step % len(branches)]), step)


def _is_answer(branch: Mapping[str, Any]) -> bool:
    properties = branch.get("properties", {})
    if not any(name in properties for name in ("arguments", "args", "parameters", "input")):
        return True
    return properties.get("name", {}).get("const") in ("final_answer", "answer", "final", "finish")


def asks_for_patch(request: ScriptedRequest) -> bool:
    """Whether the answer's schema has a `patch`; without a schema, whether the last user message speaks of one."""
    schema = request.schema
    if schema is not None:
        return "patch" in schema.get("properties", {})
    return "patch" in request.last_user_text


@dataclass(frozen=True)
class HappySimulator(Behaviour):
    """Answers each call with a JSON object, in ledger mode with an observation and an empty patch."""

    is_ledger: Callable[[ScriptedRequest], bool] = asks_for_patch

    def answer(self, request: ScriptedRequest) -> Body:
        ok = {"status": "ok", "n": request.turn}
        schema = request.schema
        if self.is_ledger(request):
            return ledger_reply(request, ok, [])
        filled = value_for(schema, request.turn) if schema and schema.get("properties") else ok
        return completion(json_text(filled))


def ledger_reply(request: ScriptedRequest, observation: Any, patch: Any, facts: Any = None) -> Body:
    """An observation, a patch and facts, each as JSON text where the answer's schema wants a string.

    An observation whose schema names its fields is made from that schema.
    """
    properties = (request.schema or {}).get("properties", {})
    wanted = properties.get("observation", {})
    if wanted.get("properties") or wanted.get("required"):
        observation = value_for(wanted, request.turn)
    value = {"observation": observation, "patch": patch, "facts": facts or {}}
    for name in value:
        if properties.get(name, {}).get("type") == "string" and not isinstance(value[name], str):
            value[name] = json_text(value[name])
    return completion(json_text(value))


@dataclass(frozen=True)
class HappyJudge(Behaviour):
    """Passes a given share of the tasks, the same tasks every time.

    Asked for log-probabilities it answers with one token, ` yes` or ` no`. A schema that has no
    `is_correct` is filled as it stands.
    """

    pass_share: float = 1.0
    salt: str = ""
    key: Callable[[ScriptedRequest], object] = lambda request: request.fingerprint
    """What makes two requests the same task; by default the text of all messages."""

    def answer(self, request: ScriptedRequest) -> Body:
        draw = zlib.crc32(f"{self.salt}:{self.key(request)}".encode()) / 2**32
        passed = draw < self.pass_share
        if request.body.get("logprobs"):
            return yes_or_no(0.9 if passed else 0.2, request.body.get("top_logprobs") or 2)
        schema = request.schema
        if schema is not None and "is_correct" not in schema.get("properties", {}):
            return completion(json_text(value_for(schema)))
        return verdict(
            passed, "Every point of the rubric is met." if passed else "A point of the rubric is not met."
        )


def verdict(is_correct: object, feedback: object, **extra: object) -> Body:
    """A judge's answer as one bare JSON object."""
    return completion(json_text({"is_correct": is_correct, "feedback": feedback, **extra}))


def yes_or_no(p_yes: float, top: int) -> Body:
    """A one-token answer with log-probabilities in the OpenAI shape, the `top` likeliest first.

    Args:
        p_yes: Probability of ` yes`; the rest of 1 goes to ` no`, but for a crumb for each further candidate.
        top: How many candidates are listed.
    """
    weights = {" yes": p_yes, " no": 1 - p_yes, "yes": 1e-4, "no": 1e-4, " maybe": 1e-5}
    total = sum(weights.values())
    ranked = sorted(weights.items(), key=lambda item: -item[1])
    tokens = [
        {"token": t, "logprob": math.log(max(w / total, 1e-12)), "bytes": list(t.encode())} for t, w in ranked
    ]
    content = [{**tokens[0], "top_logprobs": tokens[:top]}]
    return completion(ranked[0][0], logprobs={"content": content, "refusal": None})


@dataclass(frozen=True)
class HappySynthesizer(Behaviour):
    """Fills the schema that is asked for; without one, answers with a small JSON object."""

    def answer(self, request: ScriptedRequest) -> Body:
        schema = request.schema
        return completion(json_text(value_for(schema) if schema is not None else {"status": "ok"}))


_HAPPY = {
    Role.AGENT: HappyAgent(),
    Role.SIMULATOR: HappySimulator(),
    Role.JUDGE: HappyJudge(),
    Role.SYNTHESIZER: HappySynthesizer(),
}


@dataclass(frozen=True)
class Happy(Behaviour):
    """What a well-behaved model in the request's role would do."""

    def answer(self, request: ScriptedRequest) -> Answer:
        return _HAPPY[request.role].answer(request)
