"""The scripted author writes without fault, and errs only where it is meant to."""

from itertools import combinations

import msgspec
import pytest
from tests.support.synthesis import artifacts
from tests.support.synthesis.desks import Desk, desk_of
from tests.support.synthesis.topics import TOPICS

from worktrial.synthesis.artifacts import DraftFinding, SubTopic, TaskDraft, WorkplaceDraft
from worktrial.synthesis.checks import check_slot
from worktrial.synthesis.stages.subtopics import likeness

DESKS = [Desk(topic, level) for topic in TOPICS for level in (1, 2, 3)]


@pytest.mark.parametrize("desk", DESKS, ids=lambda desk: desk.code)
def test_what_it_writes_has_no_fault(desk: Desk) -> None:
    assert _problems(artifacts.workplace(desk), artifacts.task(desk)) == []
    for text in (artifacts.instruction(desk), artifacts.rubric(desk), artifacts.workplace(desk)["system_prompt"]):
        assert desk_of(text) == desk


@pytest.mark.parametrize("desk", DESKS, ids=lambda desk: desk.code)
def test_the_solution_gives_every_record_the_wanted_status(desk: Desk) -> None:
    _, state = desk.answer(desk.solution)
    records = state[f"{desk.noun}s"]
    assert {key: records[key]["status"] for key in desk.open_ids} == desk.wanted
    others = records.keys() - desk.wanted.keys()
    assert all(records[key] == desk.state[f"{desk.noun}s"][key] for key in others)
    assert len(set(desk.wanted.values())) == min(2, desk.level)


def test_sub_topics_have_little_in_common() -> None:
    drafts = [msgspec.convert(artifacts.subtopic(topic), SubTopic) for topic in TOPICS]
    assert max(likeness(*pair) for pair in combinations(drafts, 2)) < 0.2
    assert len({topic.prefix for topic in TOPICS}) == len({topic.noun for topic in TOPICS}) == len(TOPICS)


def _problems(workplace: artifacts.Json, task: artifacts.Json) -> list[DraftFinding]:
    return check_slot(msgspec.convert(workplace, WorkplaceDraft), msgspec.convert(task, TaskDraft))
