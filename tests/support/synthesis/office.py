"""A whole scripted job: everybody who takes part in a synthesis."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.support.request import Role, ScriptedRequest, text_of
from tests.support.script import Answer, Behaviour, Script
from tests.support.synthesis.asked import Wanted, wanted
from tests.support.synthesis.author import Author, level_of, topic_of
from tests.support.synthesis.desks import desk_of
from tests.support.synthesis.fates import JOBS
from tests.support.synthesis.staff import Agent, Judge, Simulator
from tests.support.synthesis.trouble import NowAndThen
from tests.support.wire import json_text

OVERLAP = "overlap"


@dataclass(frozen=True)
class Everyone(Behaviour):
    """Whoever is asked in a job of `tests.support.synthesis.fates.JOBS`."""

    job: str = "plain"
    log: str = ""
    """A file that gets a line of JSON for each answer of the author, and for each pair of sub-topics that a judge
    compares: what it was for, such as `task/road-transit-discharge-1`."""

    def answer(self, request: ScriptedRequest) -> Answer:
        trouble = NowAndThen(JOBS[self.job].troubled).answer(request)
        if trouble is not None:
            return trouble
        if self.log and (purpose := purpose_of(request)):
            with Path(self.log).open("a", encoding="utf-8") as file:
                file.write(json_text(purpose) + "\n")
        match request.role:
            case Role.SYNTHESIZER:
                return Author(self.job).answer(request)
            case Role.AGENT:
                return Agent(self.job).answer(request)
            case Role.SIMULATOR:
                return Simulator().answer(request)
        return Judge().answer(request)


def office(job: str, *, latency: float | Mapping[str, float] = 0.0) -> Script:
    """The script in which everybody works at a job of `tests.support.synthesis.fates.JOBS`."""
    everyone = Everyone(job)
    return Script(agent=everyone, simulator=everyone, judge=everyone, synthesizer=everyone, latency=latency)


def purpose_of(request: ScriptedRequest) -> str:
    """What a request is for: the artifact, with its sub-topic or slot; "" for those of a run."""
    prompt = text_of(request.messages[0])
    if request.role is Role.JUDGE and len(request.messages) == 1 and "BEGIN RECORD" not in prompt:
        return OVERLAP
    if request.role is not Role.SYNTHESIZER:
        return ""
    kind = wanted(request)
    match kind:
        case Wanted.SUBTOPICS:
            return kind.value
        case Wanted.REFERENCE:
            return f"{kind.value}/{topic_of(prompt).id}"
        case Wanted.WORKPLACE:
            return f"{kind.value}/{topic_of(prompt).id}-{level_of(prompt)}"
        case Wanted.TASK:
            return f"{kind.value}/{desk_of(prompt).slot}"
    return f"{Wanted.REPAIR.value}/{desk_of(prompt).slot}"
