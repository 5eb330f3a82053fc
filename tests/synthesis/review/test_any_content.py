"""No draft and no record of a run keeps the page from being written."""

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.synthesis import any_drafts
from tests.synthesis.review.made_suite import MadeSuite
from tests.synthesis.review.test_review import Page

from worktrial.grading import Vote
from worktrial.synthesis import files
from worktrial.synthesis.artifacts import SlotRun, TaskDraft, WorkplaceDraft
from worktrial.synthesis.review import write_review
from worktrial.synthesis.review.page import render
from worktrial.synthesis.review.runs import run_view
from worktrial.synthesis.review.slot import diff_lines

_KEYS = st.sampled_from(["messages", "calls", "answer", "turn", "tool", "observation", "content", "role", "text"])
_VALUES = st.recursive(
    st.one_of(any_drafts.TEXTS, st.integers(), st.none(), st.just("assistant")),
    lambda c: st.lists(c, max_size=3) | st.dictionaries(_KEYS, c, max_size=4),
    max_leaves=10,
)
_SAID = st.none() | any_drafts.TEXTS
_VOTES = st.builds(Vote, is_correct=st.none() | st.booleans(), feedback=_SAID, problem=_SAID)


@given(any_drafts.WORKPLACES, any_drafts.TASKS)
@settings(max_examples=25, deadline=None)
def test_any_draft_can_be_shown(workplace: WorkplaceDraft, task: TaskDraft) -> None:
    with tempfile.TemporaryDirectory() as place:
        suite = MadeSuite(Path(place) / "suite", levels=(1,)).listed()
        [slot] = suite.slots
        files.WORKPLACE.write(suite.folder.workplace(slot), workplace)
        files.TASK.write(suite.folder.task(slot), task)
        page = Page(write_review(suite.folder).read_text("utf-8"))
        assert "not on record" in page.text


@given(st.dictionaries(_KEYS, _VALUES), st.lists(_VOTES))
@settings(max_examples=100, deadline=None)
def test_any_record_of_a_run_can_be_shown(trajectory: dict[str, Any], votes: list[Vote]) -> None:
    row = SlotRun(
        slot="a-1",
        kind="plan",
        number=0,
        content="c",
        outcome="pass",
        reason="",
        calls=1,
        seconds=1.0,
        cost=None,
        tokens=1,
        votes=votes,
        trajectory=trajectory,
    )
    shown = run_view(row)
    assert len(shown.votes) == len(votes)
    assert shown.tally


@given(st.text())
def test_a_diff_keeps_its_lines(text: str) -> None:
    assert [line.text for line in diff_lines(text)] == [line for line in text.split("\n") if line]


@given(st.text(st.characters(), min_size=1))
@settings(deadline=None)
def test_any_character_can_be_written(text: str) -> None:
    page = render("slot_page.html", policy="p", style="", home="h", title=text, section="", before=None, after=None)
    Page(page.encode().decode())
