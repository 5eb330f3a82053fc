"""Words that count: last ones, reports that are due, and what clerks who do no work are worth."""

import asyncio
from pathlib import Path

import pytest

from worktrial.suites.shifts import suite
from worktrial.suites.shifts.cases import PASSED_FROM, AnswerDue, Case, Credit, Harm, Move, ReportDue
from worktrial.suites.shifts.derived import DerivedDay
from worktrial.suites.shifts.desk import DeskFolder
from worktrial.suites.shifts.proof import SPAM_MOST, prove
from worktrial.suites.shifts.scoring import score
from worktrial.suites.shifts.spam import SPAM
from worktrial.suites.shifts.suite import ShiftChoice
from worktrial.workplaces.desk import DeskSession
from worktrial.workplaces.kit import tell

DESKS = suite.desks(ShiftChoice())
EXAMPLE = Path(__file__).parents[3] / "examples" / "desks" / "parcel_counter"
NURSE = DESKS["charge_nurse"]


@pytest.fixture(scope="module")
def start():
    return DeskFolder(EXAMPLE).draw("short", 0)


def _worked(start, *moves):
    session = DeskSession(DeskFolder(EXAMPLE).workplace, DeskFolder(EXAMPLE).draw("short", 0))
    for move in moves:
        seen = asyncio.run(session.call(move.tool, dict(move.arguments))).content
        assert "error" not in seen
    session.finish()
    return session.live


def _say(kind, to="driver", about="P-1", **fields):
    return Move("send_message", {"to": to, "kind": kind, "about": about, "text": ".", "fields": fields})


def _case(outcome=1.0, **more):
    parts = [
        Credit("outcome", 6, lambda state: outcome, "1: so it is.", "1"),
        Credit("in_time", 2, lambda state: 1.0, "1: in time.", "1"),
        Credit("told", 2, lambda state: 1.0, "1: told.", "1"),
        Credit("first_word", 2, lambda state: 0.0, "1: a first word.", "1"),
    ]
    return Case("c-1", "a matter", "plain", "done", ("P-1",), tuple(parts), **more)


@pytest.mark.parametrize(
    ("words", "last"),
    [("approve", "approve"), ("tell approve refuse", None), ("refuse tell approve", "approve"), ("refuse", None)],
)
def test_of_words_that_contradict_each_other_the_last_counts(start, words, last):
    end = _worked(start, *map(_say, words.split()))
    found = end.mail.last_word("driver", "P-1", ("approve",))
    assert (found and found.kind) == last


@pytest.mark.parametrize(
    ("grants", "done", "words", "harm"),
    [
        (True, 1.0, "approve", 0),
        (True, 0.0, "approve", 1),  # a grant of what is not done
        (True, 1.0, "approve refuse", 1),  # a refusal of what was due
        (True, 1.0, "refuse approve", 0),  # put right
        (True, 0.0, "tell", 0),
        (False, 1.0, "refuse", 0),
        (False, 0.0, "approve", 1),
        (False, 1.0, "approve refuse", 0),
    ],
)
def test_a_last_word_that_is_false_is_a_breach(start, grants, done, words, harm):
    end = _worked(start, *map(_say, words.split()))
    case = _case(done, answer=AnswerDue("driver", "P-1", grants, "1: acted on."))
    found = score([case], [], end)
    assert [(h.kind, h.points) for h in found.harms] == [("false_word", 10)] * harm
    assert not harm or found.grade == "failed"


def test_a_wrong_deed_that_is_granted_is_one_harm(start):
    end = _worked(start, _say("approve"))
    case = _case(0.0, answer=AnswerDue("driver", "P-1", False, "1: acted on.", was_done=lambda state: True))
    assert not score([case], [], end).harms


def _report(**more):
    return ReportDue("driver", 60, lambda message: message.fields["n"] == 15, ("n",), kinds=("tell",), **more)


def _reported(start, *moves):
    report = _report()
    parts = (
        Credit("outcome", 6, lambda state: report.is_right(state.mail), "1: a report.", "1"),
        Credit("in_time", 2, lambda state: report.is_right_in_time(state.mail), "1: by ten.", "1"),
    )
    case = Case("r-1", "report", "duty", "15", ("report",), parts, reports=(report,))
    found = score([case], [], _worked(start, *moves))
    return found.earned, found.harm, [part.lost for part in found.cases[0].parts]


def test_of_many_figures_only_the_last_counts_and_each_correction_costs(start):
    guesses = [_say("tell", n=n) for n in range(1, 17)]
    assert _reported(start, *guesses) == (0, 30, ["not_looked_up", "not_looked_up"])
    assert _reported(start, *guesses[:15])[:2] == (8, 28)
    assert _reported(start, _say("tell", n=15), _say("tell", n=15))[:2] == (8, 0)
    # Any other message to the same person is no report.
    assert _reported(start, _say("tell", n=15), _say("tell"), _say("tell", m=3))[:2] == (8, 0)


def test_a_report_that_is_never_sent_was_not_reported_and_one_that_is_late_was_too_late(start):
    assert _reported(start, _say("tell"))[2] == ["not_reported", "not_reported"]
    wait = Move("wait_until", {"time": start.time.clock(70)})
    assert _reported(start, wait, _say("tell", n=15)) == (6, 0, [None, "too_late"])
    # What came in time goes before what came late.
    assert _reported(start, _say("tell", n=15), wait, _say("tell", n=3)) == (8, 0, [None, None])


def test_time_is_of_the_whole_and_nothing_is_earned_around_a_wrong_end(start):
    end = _worked(start, _say("tell"))
    for outcome, earned, lost in (
        (1.0, 10, [None, None, None, "no_first_word"]),
        (0.5, 5, ["not_looked_up", "not_looked_up", None, "no_first_word"]),
        (0.0, 0, ["not_looked_up"] * 4),
    ):
        found = score([_case(outcome)], [], end).cases[0]
        assert (found.earned, [part.lost for part in found.parts]) == (earned, lost)


def _graded(case, *harms, others=3):
    """Grade of a shift with one matter beside others that are wholly right, and what it is failed by."""
    right = [Credit("outcome", 10, lambda state: 1.0, "1: so it is.", "1")]
    others = [Case(f"o-{n}", "another", "plain", "done", (), tuple(right)) for n in range(others)]
    found = score([case, *others], [Harm(kind, "a deed", "1: not so.") for kind in harms], _EMPTY)
    return found.grade, found.failed_by


_EMPTY = DeskFolder(EXAMPLE).draw("short", 0)
_REFUSAL = AnswerDue("driver", "P-1", False, "1: acted on.")


@pytest.mark.parametrize(
    ("lost", "more", "grade"),
    [
        ((), {"critical": True}, "clean"),
        (("first_word",), {"critical": True}, "clean"),  # a courtesy word that came late
        (("told", "first_word"), {"critical": True}, "clean"),
        (("told", "first_word", "in_time"), {}, "serviceable"),
        (("in_time",), {"critical": True}, "failed"),  # the deed came too late
        (("in_time",), {"critical": True, "answer": _REFUSAL}, "clean"),  # a refusal came late
        (("outcome",), {"critical": True}, "failed"),
        (("outcome",), {"critical": True, "answer": _REFUSAL}, "failed"),
        (("outcome",), {}, "serviceable"),
    ],
)
def test_a_shift_is_failed_for_a_grave_outcome_and_not_for_a_late_word(lost, more, grade):
    points = {"outcome": 6, "in_time": 2, "told": 2, "first_word": 2}
    parts = [
        Credit(name, worth, lambda state, name=name: float(name not in lost), "1: so it is.", "1")
        for name, worth in points.items()
    ]
    found, why = _graded(Case("c-1", "a matter", "plain", "done", ("P-1",), tuple(parts), **more))
    assert found == grade
    assert [one.startswith("grave matter: a matter (") for one in why] == [True] * (grade == "failed")


@pytest.mark.parametrize(
    ("harms", "grade"),
    [
        ((), "clean"),
        (("correction",), "serviceable"),
        (("broken_promise",), "serviceable"),
        (("breach",), "failed"),
    ],
)
def test_any_harm_costs_the_best_grade_and_a_grave_one_fails_the_shift(harms, grade):
    found, why = _graded(_case(1.0), *harms)
    assert found == grade
    assert [one.startswith("grave harm: a deed") for one in why] == [True] * (grade == "failed")


def test_a_shift_with_a_wrong_outcome_is_not_clean_however_small_it_is():
    assert _graded(_case(1.0), others=20) == ("clean", [])
    assert _graded(_case(0.5), others=20) == ("serviceable", [])


def test_a_shift_is_failed_with_less_than_half_of_the_points(start):
    end = _worked(start)
    small, large = _case(1.0), _case(0.0)
    assert score([small], [], end).grade == "serviceable"  # the first word was not said
    assert score([small, large], [], end).share < PASSED_FROM
    assert score([small, large], [], end).failed_by == ["less than 50% of the points"]


def test_a_desk_that_pays_for_refusing_everything_is_found(monkeypatch):
    desk = DeskFolder(EXAMPLE)

    def without_reasons(name, *kinds, **fields):
        return tell(name, *kinds, **({} if "refuse" in kinds else fields))

    monkeypatch.setattr(desk._module("rules").wt, "tell", without_reasons)
    monkeypatch.setattr(DerivedDay, "_answer", lambda day, matter: None)
    found = prove(desk, "short", range(6)).findings
    assert {"refuse-all earns", "refuse-and-guess earns"} <= {
        " ".join(f.what.split()[:2]) for f in found if f.check == "spam"
    }
    assert any(f.what.startswith("refuse-all passes") for f in found if f.check == "pass")


@pytest.mark.parametrize("name", ["charge_nurse", "fleet_dispatch", "service_desk"])
def test_no_work_earns_next_to_nothing_and_passes_no_day(name):
    desk = DESKS[name]
    for variant in range(3):
        start = desk.draw("short", variant)
        for clerk in SPAM:
            found = desk.played(desk.clerk(clerk, start), start)
            assert found.grade == "failed"
    proof = prove(desk, "short", range(5, 15))
    worker = proof.scores[desk.clerks[-1]]
    assert proof.scores["spam"] <= SPAM_MOST < worker + SPAM_MOST
    assert proof.scores["spam"] < worker


@pytest.mark.parametrize("name", ["charge_nurse", "fleet_dispatch", "service_desk"])
def test_what_decides_a_shift_stands_in_the_assignment_and_in_the_handbook(name):
    desk = DESKS[name]
    start = desk.draw("short", 0)
    told = " ".join(desk.instruction(start).split())
    for words in ("Grave are: ", "grants what is not done", "refuses what was due 10", "with other figures 2"):
        assert words in told
    page = desk.handbook.section("1.7", start.figures).text
    for words in (
        "is wrong, or what it asks for is done too late",
        "harm of 10 points or more",
        "less than half of the points",
        "Being in time",
    ):
        assert words in page
    answers = desk.handbook.section("1.3", start.figures).text
    assert "the last word counts" in answers and "(10 points)" in answers


def test_spam_is_a_reference_agent_and_its_score_stands_beside(tmp_path):
    import worktrial as wt

    run = wt.run("shifts", "spam", out=tmp_path / "spam", desk="charge_nurse", length="short", variant="0")
    assert run.completion == 0
    (record,) = wt.load(tmp_path / "spam").run.records
    assert record.measures["spam"] == NURSE.file.spam["short"]
