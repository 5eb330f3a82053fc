"""A team that knows the gold answers of a release of scenarios, and may get some of them wrong on purpose."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tests.support.request import ScriptedRequest, text_of
from tests.support.script import Answer, Behaviour
from tests.support.wire import Body, completion, error_reply, tool_call

from worktrial.language import Completion
from worktrial.suites.orchestration.planning.cards import AgentCard
from worktrial.suites.orchestration.planning.references import recorded
from worktrial.suites.orchestration.planning.release import Release, load_release
from worktrial.suites.orchestration.planning.scenario import CallStep, Language, PlanStep, RefusalStep
from worktrial.suites.orchestration.planning.turns import GoldStep, StepAnswer
from worktrial.suites.orchestration.run.prompts import requests_of


def gold_answer(step: GoldStep) -> StepAnswer:
    """The recording's answer at a step."""
    return StepAnswer.of(step.id, Completion(recorded(step)))


@dataclass(frozen=True)
class Known:
    """A request of the trial with its gold answer."""

    scenario: str
    """Its key, such as `EN/3`."""
    body: Body
    mark: int
    """A hash of the request, for picking some of the requests."""
    step: GoldStep | None = None
    """The gold step; None in a free-running trial."""
    card: AgentCard | None = None
    """Of the domain agent that is asked; None for the planner."""


@dataclass(frozen=True)
class GoldTeam(Behaviour):
    """Planner and domain agents in one: knows the request by its messages and answers as the recording does.

    Every number `n` below spoils about one in `n` of the requests that it can spoil, 0 none of them. Which ones
    depends on the request alone, so that repeated and reordered requests are spoiled alike. Where several flaws
    pick the same request, the first one applies.
    """

    folder: str
    """The release, or the example."""
    free: bool = False
    """Whether the trial is a free-running one. Flaws that need to know the step then do not apply."""
    compact: bool = False
    """Whether the planner is shown compact cards."""
    wrong_tool: int = 0
    """A call of another tool of the same card, with the gold arguments."""
    arguments_not_json: int = 0
    arguments_a_list: int = 0
    text_for_call: int = 0
    """Words that neither call a tool nor name a status, where a call is due."""
    call_for_refusal: int = 0
    """A call without arguments of the card's first tool, where a refusal is due."""
    unparsable_plan: int = 0
    cyclic_plan: int = 0
    """A plan of two workflows that wait for each other."""
    hiccup: int = 0
    """Status 429 or 500, only the first time that the request comes."""
    lost: int = 0
    """Status 500 every time."""
    known: Mapping[bytes, Known] = field(init=False, repr=False, compare=False)
    """The requests of the trial, by a digest of their messages."""

    def __post_init__(self) -> None:
        # Not at the first request, which would wait for it.
        folder = Path(self.folder)
        object.__setattr__(self, "known", _free(folder) if self.free else _turns(folder, self.compact))

    def answer(self, request: ScriptedRequest) -> Answer:
        digest = _digest(request.messages)
        known = self.known.get(digest)
        if known is None:
            raise LookupError(f"nothing in {self.folder} asks this: {request.last_user_text[-300:]!r}")
        if self.picks("lost", known):
            return error_reply(500, "This request is lost.", kind="server_error")
        seen = request.memory.setdefault((GoldTeam, "seen"), set())
        if self.picks("hiccup", known) and digest not in seen:
            seen.add(digest)
            return error_reply(429 if known.mark % 2 else 500, "Once more, please.")
        for name, spoil in _SPOILS.items():
            if self.picks(name, known):
                return spoil(known)
        return known.body

    def picks(self, name: str, known: Known) -> bool:
        """Whether the flaw `name` picks a request."""
        one_in: int = getattr(self, name)
        if one_in == 0 or not _FITS.get(name, lambda _: True)(known):
            return False
        # Salted with the name, so that two flaws of equal number do not pick the same requests.
        draw = hashlib.blake2b(f"{name}:{known.mark}".encode(), digest_size=8).digest()
        return int.from_bytes(draw) % one_in == 0

    def spoiled(self, name: str) -> list[Known]:
        """The requests that the flaw `name` picks, in the order of the release."""
        return [known for known in self.known.values() if self.picks(name, known)]


def gold_team(folder: Path | str, **options: Any) -> GoldTeam:
    """A team for the release in `folder`; for `options` see `GoldTeam`."""
    return GoldTeam(str(folder), **options)


def agrees(request: ScriptedRequest) -> Answer:
    """A judge of argument values to whom any two values mean the same."""
    return completion('{"reason": "Both say the same.", "same_meaning": true}')


def disagrees(request: ScriptedRequest) -> Answer:
    """A judge of argument values to whom no two values mean the same."""
    return completion('{"reason": "They say different things.", "same_meaning": false}')


@cache
def _turns(folder: Path, compact: bool) -> dict[bytes, Known]:
    release = _release(folder)
    known: dict[bytes, Known] = {}
    for scenario in release.scenarios:
        team = release.teams[scenario.language]
        for request in requests_of(scenario, team, compact=compact).requests:
            digest, step = _digest(request.messages), request.step
            answer = gold_answer(step)
            body = _calls(answer.tool_calls) if answer.tool_calls else completion(answer.text)
            card = None if request.is_for_plan else team[step.agent]
            # Some requests of the published release are the same, with different gold: the first one counts.
            known.setdefault(digest, Known(scenario.key, body, int.from_bytes(digest), step, card))
    return known


@cache
def _free(folder: Path) -> dict[bytes, Known]:
    # Only here: most trials run turn by turn.
    from tests.support.free_team import free_answers

    release = _release(folder)
    known: dict[bytes, Known] = {}
    for scenario in release.scenarios:
        for messages, message in free_answers(scenario, release.teams[scenario.language]):
            digest = _digest(messages)
            calls = message.get("tool_calls")
            body = _calls(calls) if calls else completion(message["content"])
            known.setdefault(digest, Known(scenario.key, body, int.from_bytes(digest)))
    return known


@cache
def _release(folder: Path) -> Release:
    return load_release(folder, [language for language in Language if (folder / language).is_dir()])


def _digest(messages: Sequence[Mapping[str, Any]]) -> bytes:
    whole = hashlib.blake2b(digest_size=16)
    for message in messages:
        whole.update(f"{message['role']}\0{text_of(message)}\0".encode(errors="surrogatepass"))
    return whole.digest()


def _calls(calls: Sequence[dict[str, Any]]) -> Body:
    return completion(None, tool_calls=calls, finish_reason="tool_calls")


def _gold_calls(known: Known) -> CallStep:
    assert isinstance(known.step, CallStep)
    return known.step


def _wrong_tool(known: Known) -> Body:
    other = _other_tool(known)
    assert other is not None
    calls = enumerate(_gold_calls(known).calls)
    return _calls([tool_call(other, call.arguments, f"call_{n}") for n, call in calls])


def _raw_arguments(arguments: str) -> Callable[[Known], Body]:
    def spoil(known: Known) -> Body:
        calls = [tool_call(call.tool, {}, f"call_{n}") for n, call in enumerate(_gold_calls(known).calls)]
        for call in calls:
            call["function"]["arguments"] = arguments
        return _calls(calls)

    return spoil


def _call_for_refusal(known: Known) -> Body:
    assert known.card is not None
    return _calls([tool_call(known.card.tools[0].name, {}, "call_0")])


def _says(text: str) -> Callable[[Known], Body]:
    return lambda known: completion(text)


def _other_tool(known: Known) -> str | None:
    """A tool of the agent that the gold step does not call."""
    if known.card is None or not isinstance(known.step, CallStep):
        return None
    used = {call.tool for call in known.step.calls}
    return next((tool.name for tool in known.card.tools if tool.name not in used), None)


def _is_call(known: Known) -> bool:
    return isinstance(known.step, CallStep)


def _is_refusal(known: Known) -> bool:
    return isinstance(known.step, RefusalStep)


def _is_plan(known: Known) -> bool:
    return isinstance(known.step, PlanStep)


_UNPARSABLE = "workflow_1: {status: pending, steps: [\n  - - name place_agent\n}} I hope this helps!"
_CYCLIC = """\
{"workflow_1": {"status": "pending", "type": "dependent", "depend_on": "workflow_2", "steps": []},
 "workflow_2": {"status": "pending", "type": "dependent", "depend_on": ["workflow_1"], "steps": []}}"""

_SPOILS: dict[str, Callable[[Known], Body]] = {
    "wrong_tool": _wrong_tool,
    "arguments_not_json": _raw_arguments("{'single': quotes"),
    "arguments_a_list": _raw_arguments('["not", "an", "object"]'),
    "text_for_call": _says("Certainly, I will take care of that right away."),
    "call_for_refusal": _call_for_refusal,
    "unparsable_plan": _says(_UNPARSABLE),
    "cyclic_plan": _says(_CYCLIC),
}
_FITS: dict[str, Callable[[Known], bool]] = {
    "wrong_tool": lambda known: _other_tool(known) is not None,
    "arguments_not_json": _is_call,
    "arguments_a_list": _is_call,
    "text_for_call": _is_call,
    "call_for_refusal": _is_refusal,
    "unparsable_plan": _is_plan,
    "cyclic_plan": _is_plan,
}
