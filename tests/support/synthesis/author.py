"""The synthesizer: knows the trade, and errs where fate has it."""

import re
from dataclasses import dataclass
from typing import Any

from tests.support.request import ScriptedRequest, text_of
from tests.support.script import Behaviour
from tests.support.synthesis import artifacts
from tests.support.synthesis.asked import Wanted, fields_of, is_correction, wanted
from tests.support.synthesis.desks import Desk, desk_of
from tests.support.synthesis.fates import JOBS, Slip
from tests.support.synthesis.topics import BY_PREFIX, TOPICS, Topic
from tests.support.wire import Body, completion, json_text

_COUNT = re.compile(r"Name (\d+) areas? of work")
_LEVEL = re.compile(r"\b(?:level|difficulty)\W{0,4}([123])\b", re.IGNORECASE)
_PASSAGE = re.compile(
    r"^\[source (?P<source>[^\]]+?), passage (?P<passage>[^\]]+)\][^\n]*\n+(?P<text>[^\n]+)", re.MULTILINE
)
_QUOTED = 6
"""Words of a quote."""
_REMARK = re.compile(r"Remark (\d+)")
TWIN_TITLE = "Harbour box tally"
"""The same work as the reconciliation of manifests, as a judge sees."""
_TWIN_ABOUT = "Counts sea containers on the quay, box by box, against what carriers had announced."


@dataclass(frozen=True)
class Author(Behaviour):
    """Writes every artifact of a job of `tests.support.synthesis.fates.JOBS`."""

    job: str = "plain"

    def answer(self, request: ScriptedRequest) -> Body:
        prompt = text_of(request.messages[0])
        kind = wanted(request)
        if kind is Wanted.SUBTOPICS:
            return completion(json_text({"subtopics": self._subtopics(prompt)}))
        if kind is Wanted.REFERENCE:
            topic = topic_of(prompt)
            slip = JOBS[self.job].references.get(topic.id, Slip.NONE)
            return self._reply(request, _grounded(artifacts.reference(topic), prompt), slip, lacking="constraints")
        if kind is Wanted.WORKPLACE:
            return self._workplace(request, Desk(topic_of(prompt), level_of(prompt)))
        desk = desk_of(prompt)
        slip = JOBS[self.job].of(desk.slot).task
        if kind is Wanted.TASK:
            return self._reply(request, artifacts.task(desk) | _spoiled(desk, slip), slip, lacking="rubric")
        if kind is Wanted.DIAGNOSIS:
            return completion(json_text(_diagnosis(slip)))
        return completion(json_text(_repaired(request, desk, prompt, slip)))

    def _subtopics(self, prompt: str) -> list[dict[str, Any]]:
        asked = _COUNT.search(prompt)
        if asked is None:
            raise LookupError("it is not said how many sub-topics are wanted")
        count = int(asked[1])
        new = [artifacts.subtopic(topic) for topic in TOPICS if topic.title not in prompt]
        first = len(new) == len(TOPICS)
        if not (first and JOBS[self.job].overlaps):
            return new[:count]
        told_twice = {"id": "again", "title": f"The {TOPICS[0].title}", "about": TOPICS[0].about}
        twin = {"id": "tally", "title": TWIN_TITLE, "about": _TWIN_ABOUT}
        return [*new[: count - 1], told_twice] if count < 5 else [*new[: count - 2], told_twice, twin]

    def _workplace(self, request: ScriptedRequest, desk: Desk) -> Body:
        slip = JOBS[self.job].of(desk.slot).workplace
        draft = artifacts.workplace(desk)
        if slip is Slip.ODD_EXAMPLE:
            odd = next(tool for tool in draft["tools"] if tool["name"] == f"get_{desk.noun}")
            odd["example_output"] = {**odd["example_output"], "notes": "none"}
        return self._reply(request, draft, slip, lacking="initial_state")

    def _reply(self, request: ScriptedRequest, draft: dict[str, Any], slip: Slip, *, lacking: str) -> Body:
        asked = {name: value for name, value in draft.items() if name in fields_of(request)}
        if "rubric" in asked:
            asked["rubric"] = [point.partition(" ")[2] for point in asked["rubric"].splitlines()]
        if slip is Slip.NEVER or (slip is Slip.CORRECTED and not is_correction(request)):
            del asked[lacking]
        return completion(json_text(asked))


def _grounded(reference: dict[str, Any], prompt: str) -> dict[str, Any]:
    """With a citation of each passage that is shown, in the order of the workflow's steps."""
    passages = [match.groupdict() for match in _PASSAGE.finditer(prompt)]
    steps = reference["workflow"]
    cited = [
        {**step, "citations": [{**_named(passage), "quote": " ".join(passage["text"].split()[:_QUOTED])}]}
        for step, passage in zip(steps, passages, strict=False)
    ]
    return reference | {"workflow": cited + steps[len(cited) :]}


def _named(passage: dict[str, str]) -> dict[str, str]:
    return {name: passage[name] for name in ("source", "passage")}


def _spoiled(desk: Desk, slip: Slip) -> dict[str, Any]:
    if slip in (Slip.GHOST_TOOL, Slip.STUBBORN_GHOST):
        return {"rubric": _ghost(desk, "archive")}
    if slip in (Slip.WRONG_PLAN, Slip.HOPELESS_PLAN, Slip.DENIED):
        return {"plan": _wrong_plan(desk)}
    if slip is Slip.WRONG_RUBRIC:
        key, status = next(iter(desk.wanted.items()))
        return {"rubric": artifacts.rubric(desk).replace(f"{key} ends with the status `{status}`", _wrong(desk))}
    return {}


def _ghost(desk: Desk, verb: str) -> str:
    points = artifacts.rubric(desk)
    return f"{points}\n{points.count(chr(10)) + 2}. The file was closed with `{verb}_{desk.noun}`."


def _wrong(desk: Desk) -> str:
    key, status = next(iter(desk.wanted.items()))
    return f"{key} ends with the status `{desk.other(status)}`"


def _wrong_plan(desk: Desk) -> list[dict[str, Any]]:
    plan = artifacts.plan(desk)
    last = plan[-1]["arguments"]
    return [*plan[:-1], {**plan[-1], "arguments": {**last, "status": desk.other(last["status"])}}]


def _diagnosis(slip: Slip) -> dict[str, str]:
    if slip is Slip.DENIED:
        return {"why": "The agents made mistakes of their own.", "artifact": "none", "what": ""}
    artifact = "rubric" if slip is Slip.WRONG_RUBRIC else "plan"
    return {
        "why": "Every run did as the plan says and ended with a status that the rubric does not want.",
        "artifact": artifact,
        "what": f"The {artifact} settles a record the wrong way; the limit in the instruction decides.",
    }


def _repaired(request: ScriptedRequest, desk: Desk, prompt: str, slip: Slip) -> dict[str, Any]:
    fields = fields_of(request)
    if slip is Slip.HOPELESS_PLAN:
        # Another plan every time, and never a right one.
        number = max((int(n) for n in _REMARK.findall(prompt)), default=0) + 1
        remark = {"id": desk.open_ids[0], "text": f"Remark {number}"}
        return {"plan": [*_wrong_plan(desk), {"tool": f"note_on_{desk.noun}", "arguments": remark, "why": ""}]}
    if slip is Slip.STUBBORN_GHOST and not is_correction(request):
        return {"rubric": _ghost(desk, "shelve")}
    whole = artifacts.workplace(desk) | artifacts.task(desk)
    return {name: whole[name] for name in fields}


def topic_of(prompt: str) -> Topic:
    """The topic whose title stands first; the prompt may name others after it."""
    places = {prompt.find(topic.title): topic for topic in BY_PREFIX.values() if topic.title in prompt}
    if not places:
        raise LookupError(f"no sub-topic is named in {prompt[:300]!r}")
    return places[min(places)]


def level_of(prompt: str) -> int:
    found = _LEVEL.search(prompt)
    if found is None:
        raise LookupError(f"no level is named in {prompt[:300]!r}")
    return int(found[1])
