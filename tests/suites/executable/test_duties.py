"""Tasks that say when a human must, may or must not be asked."""

from pathlib import Path
from typing import Any

import pytest
from tests.suites.executable.test_library import PageSuite, suite  # noqa: F401

from worktrial.errors import DataError
from worktrial.grading import Outcome
from worktrial.grading.state_checks import AskedHuman, AskedNoHuman, run_checks
from worktrial.suites.executable.tasks import read_tasks
from worktrial.suites.validate import validate_suite
from worktrial.workplaces import Observation, Origin, ToolCall, Trajectory

LAST_STEP = "        - {call: store_parcel"
ASK = "        - {call: request_human, with: {about: P-7, reason: It is heavy.}}\n"
MUST = "      - {check: asked_human, about: [P-7]}\n"
MUST_NOT = "      - {check: asked_no_human}\n"
FIRST_CHECK = "      - {check: state_equals"


def _rewritten(of: PageSuite, *changes: tuple[str, str]) -> Path:
    path = of.folder / "parcel_lockers" / "tasks.yaml"
    text = path.read_text("utf-8")
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(
    ("changes", "human", "passes"),
    [
        ([(FIRST_CHECK, MUST + FIRST_CHECK)], True, False),
        ([(FIRST_CHECK, MUST + FIRST_CHECK)], False, True),
        ([(FIRST_CHECK, MUST + FIRST_CHECK), (LAST_STEP, ASK + LAST_STEP)], True, True),
        ([(FIRST_CHECK, MUST + FIRST_CHECK), (LAST_STEP, ASK + LAST_STEP)], False, True),
        ([(FIRST_CHECK, MUST_NOT + FIRST_CHECK), (LAST_STEP, ASK + LAST_STEP)], True, False),
        ([(FIRST_CHECK, MUST_NOT + FIRST_CHECK)], True, True),
        # A human may be asked where no check says otherwise.
        ([(LAST_STEP, ASK + LAST_STEP)], True, True),
    ],
)
def test_asking_is_checked_only_where_a_human_can_be_asked(
    suite: PageSuite,  # noqa: F811
    changes: list[tuple[str, str]],
    human: bool,
    passes: bool,
) -> None:
    _rewritten(suite, *changes)
    plan, idle, _ = validate_suite(suite, {"request_human": human})
    assert [r.outcome for r in plan.records] == [Outcome.PASS if passes else Outcome.FAIL]
    assert [r.outcome for r in idle.records] == [Outcome.FAIL]
    (record,) = plan.records
    asks = any(after.startswith(ASK) for _, after in changes)
    assert record.measures == ({"human_requests": int(asks)} if human else {})


def test_a_task_may_say_what_the_human_answers(suite: PageSuite) -> None:  # noqa: F811
    (task,) = read_tasks(
        _rewritten(suite, ("    rubric:", "    human: Take the big one.\n    rubric:")),
        suite.library.workplace("parcel_lockers"),
    )
    assert task.human == "Take the big one."


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([(LAST_STEP, ASK.replace("}}", "}, as: told}") + LAST_STEP)], "no step may use its answer"),
        ([(LAST_STEP, ASK.replace("about", "abuot") + LAST_STEP)], "about"),
    ],
)
def test_a_task_that_leans_on_a_human_is_refused(
    suite: PageSuite,  # noqa: F811
    changes: list[tuple[str, str]],
    said: str,
) -> None:
    path = _rewritten(suite, *changes)
    with pytest.raises(DataError, match=said):
        read_tasks(path, suite.library.workplace("parcel_lockers"))


def _asked(*about: str, origin: Origin = Origin.HUMAN) -> Trajectory:
    calls = [
        ToolCall(n, n, "request_human", {"about": text, "reason": "r"}, Observation({}, origin))
        for n, text in enumerate(about)
    ]
    return Trajectory(calls=calls)


@pytest.mark.parametrize(
    ("about", "trajectory", "asked"),
    [
        ((), _asked("anything"), True),
        ((), _asked(), False),
        (("order 7",), _asked("Order  7, urgent"), True),
        (("order 7",), _asked("order 77"), False),
        (("A2", "order 7"), _asked("order 3", "A2"), True),
        # What was refused was not asked.
        ((), _asked("anything", origin=Origin.REFUSAL), False),
    ],
)
def test_what_counts_as_asked(about: tuple[str, ...], trajectory: Trajectory, asked: bool) -> None:
    checks: list[Any] = [
        AskedHuman(check="asked_human", about=about),
        AskedNoHuman(check="asked_no_human", about=about),
    ]
    done = run_checks(checks, initial_state={}, final_state={}, trajectory=trajectory)
    assert [result.passed for result in done] == [asked, not asked]
