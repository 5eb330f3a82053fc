"""A script that writes small sound suites: every task can be solved, and half of the runs without the plan fail."""

import re
import zlib
from collections import Counter
from dataclasses import dataclass
from typing import Any

from tests.support.cli import Word, at
from tests.support.happy import HappyAgent, HappyJudge, verdict
from tests.support.request import ScriptedRequest, text_of
from tests.support.script import Answer, Behaviour, Script, Step
from tests.support.wire import completion, json_text

_BY_ID = {
    "type": "object",
    "properties": {"parcel_id": {"type": "string", "description": "Id of the parcel, such as P-1"}},
    "required": ["parcel_id"],
    "additionalProperties": False,
}
WORKPLACE = {
    "purpose": "The system of a parcel counter, where parcels are found and handed out.",
    "effects": ["Handing a parcel out sets its status."],
    "errors": ["An unknown parcel is an error."],
    "output": ["One JSON object for each call."],
    "initial_state": {"parcels": [{"parcel_id": f"P-{n}", "status": "shelved"} for n in (1, 2, 3)]},
    "state_description": {"parcels": "Parcels by parcel_id; status is shelved or handed_out."},
    "tools": [
        {
            "name": "get_parcel",
            "description": "Look a parcel up.",
            "parameters": _BY_ID,
            "example_output": {"parcel_id": "P-1", "status": "shelved"},
            "writes": False,
        },
        {
            "name": "hand_out",
            "description": "Hand a parcel to its holder.",
            "parameters": _BY_ID,
            "example_output": {"parcel_id": "P-1", "status": "handed_out"},
            "writes": True,
        },
    ],
}
_CALLS = (("get_parcel", 1), ("hand_out", 1), ("get_parcel", 2), ("hand_out", 2), ("get_parcel", 1))
RULES = {
    "rules": [
        f"A parcel from {place} is handed out once its holder has shown a paper."
        for place in ("Aden", "Bath", "Cork", "Delft", "Eger", "Faro", "Genoa", "Husum", "Izmir")
    ]
}
_SAID = {
    "en": "The holders of the parcels P-1 and P-2 are at the counter. See that they leave with them.",
    "ko": "소포 P-1과 P-2의 수취인이 창구에 와 있습니다. 두 사람이 소포를 받아 가도록 처리해 주십시오.",
}
_ABOUT = re.compile(r"The task turns on ([^:]*):")
_LANGUAGES = re.compile(r'"(en|ko)" \(')


def task(prompt: str) -> dict[str, Any]:
    """A task about the clauses that a prompt asks for."""
    asked = _ABOUT.search(prompt)
    assert asked is not None
    clauses = asked[1].split(", ")
    # Each has its own number, so that the agent can tell the runs of one task from those of another.
    ticket = f"{zlib.crc32(asked[1].encode()) % 1000:03d}"
    return {
        "instructions": {
            code: f"{_SAID[code]} ({ticket})" for code in dict.fromkeys(_LANGUAGES.findall(prompt)) or ["en"]
        },
        "plan": [{"tool": tool, "arguments": {"parcel_id": f"P-{n}"}, "why": "In turn."} for tool, n in _CALLS],
        "rubric": ["Parcel P-1 is handed_out.", "Parcel P-2 is handed_out."],
        "clauses": clauses,
    }


@dataclass(frozen=True)
class SmallAuthor(Behaviour):
    """Writes whichever kind of artifact the schema asks for."""

    def answer(self, request: ScriptedRequest) -> Answer:
        fields = set((request.schema or {}).get("properties", {}))
        made = RULES if fields == set(RULES) else WORKPLACE if fields == set(WORKPLACE) else None
        return completion(json_text(made or task(text_of(request.messages[0]))))


@dataclass(frozen=True)
class SmallAgent(Behaviour):
    """Looks one parcel up and answers; without the plan, every other answer to a task owns up to a failure."""

    def answer(self, request: ScriptedRequest) -> Answer:
        if request.steps_done < 1:
            return HappyAgent(tool_calls=1).answer(request)
        if "A plan that leads there" in request.last_user_text:
            return completion("Both parcels are handed out.")
        seen: Counter[int] = request.memory.setdefault(SmallAgent, Counter())
        seen[request.opening] += 1
        passes = seen[request.opening] % 2
        return completion("Both are handed out." if passes else "It went wrong: nothing was handed out.")


@dataclass(frozen=True)
class SmallJudge(Behaviour):
    """Passes whoever does not own up."""

    def answer(self, request: ScriptedRequest) -> Answer:
        if request.body.get("logprobs"):
            return HappyJudge().answer(request)
        failed = any("It went wrong" in text_of(message) for message in request.messages)
        return verdict(not failed, "As the answer says.")


def small(synthesizer: Step | None = None, **other: Any) -> Script:
    """The whole script; `synthesizer` is asked before the small author."""
    before = [synthesizer] if synthesizer is not None else []
    return Script(synthesizer=[*before, SmallAuthor()], agent=SmallAgent(), judge=SmallJudge(), **other)


def models(url: str) -> list[Word]:
    """The options that name a model for each role at `url`."""
    return [*at(url), "--synthesizer", "synthesizer-1", "--price", "1,2", "--workplace", "simulated"]
