"""No draft and no record of a run keeps the pages from being written."""

import tempfile
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.browser import browser, missing_browser, page
from tests.support.hostile import spoilt
from tests.synthesis import drafts

from worktrial.grading import Vote
from worktrial.synthesis.artifacts import SlotRun, TaskDraft
from worktrial.synthesis.files import yaml_form
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.review import write_review
from worktrial.synthesis.review.runs import RunView

_KEYS = st.sampled_from(["messages", "calls", "answer", "turn", "tool", "observation", "content", "role", "text"])
_VALUES = st.recursive(
    st.one_of(drafts.TEXTS, st.integers(), st.none(), st.just("assistant")),
    lambda c: st.lists(c, max_size=3) | st.dictionaries(_KEYS, c, max_size=4),
    max_leaves=10,
)
_SAID = st.none() | drafts.TEXTS
_VOTES = st.builds(Vote, is_correct=st.none() | st.booleans(), feedback=_SAID, problem=_SAID)
_GRAVE = ("serious", "critical")


def drafted(root: Path, task: TaskDraft) -> Path:
    yaml_form(TaskDraft).write(root / "work" / "drafts" / "clerk-01.yaml", task)
    return write_review(SuiteFolder(root))


@given(drafts.TASKS)
@settings(max_examples=25, deadline=None)
def test_any_draft_can_be_shown(task: TaskDraft) -> None:
    with tempfile.TemporaryDirectory() as place:
        first = drafted(Path(place) / "suite", task)
        for shown in (first, first.parent / "tasks" / "clerk-01.html"):
            HTMLParser().feed(shown.read_text("utf-8"))


def test_an_empty_folder_has_a_page(tmp_path: Path) -> None:
    assert "Tasks of" in write_review(SuiteFolder(tmp_path)).read_text("utf-8")


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
    shown = RunView(row)
    assert len(shown.votes) == len(votes)
    assert shown.tally


@pytest.mark.timeout(240)
def test_hostile_texts_are_texts_in_a_real_browser(tmp_path: Path) -> None:
    """Nothing runs, is fetched or sticks out, and axe finds nothing grave."""
    problem = missing_browser()
    if problem is not None:
        pytest.skip(problem)
    sound = drafts.task()
    hostile = TaskDraft(
        id=sound.id,
        level=1,
        instructions={"en": spoilt(sound.instruction, 1), "ko": spoilt(sound.instruction, 2)},
        plan=sound.plan,
        rubric=spoilt(sound.rubric, 3),
        clauses=[spoilt("C-01", 4)],
    )
    first = drafted(tmp_path / "suite", hostile)
    with browser() as chromium:
        for width, dark in ((1280, False), (360, True)):
            for shown in (first, first.parent / "tasks" / "clerk-01.html"):
                # `page` fails where a script ran, a window or a dialog opened, or anything was asked for.
                with page(chromium, width=width, dark=dark, bypass_csp=True) as opened:
                    opened.goto(shown.resolve().as_uri())
                    opened.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
                    assert opened.locator("h1").count() == 1
                    assert opened.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
                    found = Axe().run(opened, options={"resultTypes": ["violations"], "preload": False}).response
                assert found["passes"], "axe looked at something"
                assert not [(one["id"], one["impact"]) for one in found["violations"] if one["impact"] in _GRAVE]
