"""Gates of tasks beyond the planted kinds: what has to be let through, and what is told by whom."""

import asyncio
from typing import Any

import pytest
from tests.support.tool_hire.shop import Entry, entry, shop, tasks_of, with_tools

from worktrial.grading.answer_checks import AnswerDate
from worktrial.grading.check import CheckResult, Facts
from worktrial.synthesis.clauses import Clause
from worktrial.synthesis.gates import Gated, GateName, through_gates, twins
from worktrial.synthesis.gates.leaks import leak_findings
from worktrial.synthesis.gates.spam import spam_findings
from worktrial.synthesis.gates.work import carry_out
from worktrial.synthesis.gates.wrong import wrong_work


def found(subject: Gated) -> dict[str, str]:
    report = asyncio.run(through_gates(subject, mutate=0))
    return {one.check: one.what for one in report.findings}


def changed(id: str, **fields: Any) -> Entry:
    return {**entry(id), **fields}


def test_a_record_that_is_not_there_may_be_what_a_task_is_about() -> None:
    task = entry("hire-15")
    task["instruction"] = task["instruction"].replace("wants M-21", "wants M-99")
    task["plan"]["steps"][1]["with"]["machine_id"] = "M-99"
    assert GateName.STRANGE_RECORDS not in found(shop(task))


def test_nothing_may_be_asked_to_be_under_the_id_of_another_record() -> None:
    """Decisions lie under the ids of claims: that there is none yet is a check, and no slip of the pen."""
    for place, is_strange in ("/hires/M-21", False), ("/hires/R-999", True), ("/nowhere/M-21", True):
        task = entry("hire-15")
        task["checks"] = [*task["checks"], {"check": "state_absent", "at": place}]
        assert (GateName.STRANGE_RECORDS in found(shop(task))) is is_strange, place


def test_a_question_tells_nothing() -> None:
    task = entry("hire-15")
    assert found(shop(changed("hire-15", instruction=f"{task['instruction']} Was he refused or not?"))) == {}


def test_what_a_write_shows_is_found_out() -> None:
    """A task of one write and no look-up is not trivial when it wants to know what the write shows."""
    task = entry("hire-14")
    task["plan"]["steps"] = task["plan"]["steps"][-1:]
    assert GateName.TRIVIAL not in found(shop(task))


def test_a_task_that_agents_pass_which_do_no_work() -> None:
    """Of what a single call shows, which the instruction fills, nothing has to be found out."""
    task = entry("hire-05")
    task["checks"] = [check for check in task["checks"] if check["check"] != "answer_money"]
    assert found(shop(task))[GateName.SPAM] == "all pass with agents that do no work: parrot"
    assert GateName.SPAM not in found(shop(entry("hire-05")))


def test_a_task_that_takes_a_paste_for_its_report() -> None:
    """All that the last call returns is what is asked for."""
    whole = 'return {"request_id": request_id, "status": decision, "due_on": hire.due_on}'
    bare = with_tools(lambda source: source.replace(whole, 'return {"due_on": hire.due_on}'))
    task = entry("hire-05")
    task["checks"] = [check for check in task["checks"] if check["check"] != "answer_money"]
    said = "all pass after the work with what tools returned as the report"
    for home, pastes in ((bare.tasks[0].home, True), (None, False)):
        findings = asyncio.run(spam_findings(tasks_of(task, home=home)))
        assert any(finding.what == said for finding in findings) is pastes


def test_an_order_that_is_asked_for_counts() -> None:
    task = entry("hire-16")
    task["instruction"] = "First settle R-201, then R-212, by the handbook. Tell me the late fees and deposits."
    assert GateName.ORDER not in found(shop(task))


def test_a_write_that_may_as_well_be_left_out() -> None:
    """A check that accepts the state before as well as after says so."""
    task = entry("hire-05")
    task["checks"] = [check for check in task["checks"] if check.get("at") != "/hires/R-205/due_on"]
    task["plan"]["steps"].append(
        {"call": "send_note", "with": {"hire_id": "R-205", "to": "customer", "text": "It is granted."}}
    )
    task["checks"][-2]["at"].append("/notes/1")
    assert GateName.MINUS_WRITE in found(shop(task))
    task["checks"].append({"check": "state_one_of", "at": "/notes", "values": [[], ["anything"]]})
    # The plan itself fails that check; what is tried here is that it is read.
    assert GateName.MINUS_WRITE not in found(shop(task))


def test_a_check_of_the_answer_is_made_once_for_all_ways_that_leave_the_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Wrong ways differ in what is done; an answer that stays the plan's is read once."""
    made: list[str] = []
    run = AnswerDate.run

    def counted(check: AnswerDate, facts: Facts) -> CheckResult:
        made.append(facts.trajectory.answer)
        return run(check, facts)

    monkeypatch.setattr(AnswerDate, "run", counted)
    # That of the answer comes first, so no other spares it.
    subject = shop(changed("hire-05", checks=entry("hire-05")["checks"][::-1]))
    (task,) = subject.tasks
    (work,) = asyncio.run(carry_out(subject.door, [(task.plan_alone, task.initial_state)]))
    asyncio.run(wrong_work(subject.door, [task], [work]))
    assert made.count(work.answer) == sum(isinstance(check, AnswerDate) for check in task.checks) > 0


def test_tools_that_tell() -> None:
    old = "    Args:\n        hire_id: For example R-201.\n        late_fee: What the customer pays for being late."
    new = old.replace("being late.", "being late, such as 74.25.")
    assert found(with_tools(lambda source: source.replace(old, new)))[GateName.LEAKS].startswith(
        "the description of close_hire holds 74.25"
    )


def test_an_example_that_is_the_answer() -> None:
    task = changed("hire-14", instruction="Please close it, and tell me the number of the hire.")
    task["checks"] = [*task["checks"], {"check": "answer_id", "value": "R-201"}]
    (asked,) = tasks_of(task)
    assert "holds R-201, which the task asks for" in leak_findings(asked.home.artifact, asked)[0].what
    named = asked.model_copy(update={"instruction": "Is it R-201?"})
    assert leak_findings(named.home.artifact, named) == []


def test_a_rubric_that_quotes_a_clause_lends_no_words_to_tools() -> None:
    """Tools are written from the clauses, too; what the rubric says in its own words they may not say."""
    quote = "A late fee is charged for each day that a machine comes back after its due date."
    old = "    Args:\n        hire_id: For example R-201.\n        late_fee: What the customer pays for being late."

    def told(rubric: str, clauses: list[Clause]) -> list[str]:
        spoiled = with_tools(lambda source: source.replace(old, old.replace("being late.", f"being late. {quote}")))
        (task,) = tasks_of({**entry("hire-01"), "rubric": rubric}, home=spoiled.tasks[0].home)
        return [finding.what for finding in leak_findings(task.home.artifact, task, clauses)]

    clause = Clause(id="C-90", document="hire", section="1", quote=quote, kind="amount")
    own = "The fee is charged for each day that a machine comes back after its due date, in full."
    assert told(f"The case ends as the rules require.\nC-90: {quote}", [clause]) == []
    assert "repeats the rubric" in told(own, [clause])[0]
    assert "repeats the rubric" in told(f"C-90: {quote}", [])[0]


def test_a_clause_that_cannot_be_read() -> None:
    (task,) = tasks_of(entry("hire-17"))
    subject = shop(entry("hire-17"))
    hidden = task.model_copy(update={"clauses": ("C-13",)})
    assert "C-13" in found(Gated(**{**vars(subject), "tasks": [hidden]}))[GateName.PRIVATE]
    both = task.model_copy(update={"clauses": ("C-01", "C-13")})
    assert found(Gated(**{**vars(subject), "tasks": [both]})) == {}


@pytest.mark.parametrize("phrase", ["20 June 2031", "14:50", "74.25", "€80", "2031년 6월 20일"])
def test_values_are_not_asked_for_as_words(phrase: str) -> None:
    task = entry("hire-05")
    task["plan"]["answer"] += f" {phrase}."
    task["checks"].append({"check": "answer_mentions", "any_of": [phrase]})
    assert GateName.WORDING in found(shop(task))


def test_one_task_in_two_languages_is_no_twin() -> None:
    first, second = entry("hire-01"), entry("hire-01")
    second |= {
        "id": "hire-51",
        "language": "ko",
        "instruction": "R-201 대여를 규정대로 마감하고 연체료와 보증금을 알려 주세요.",
    }
    subject = shop(first, second)
    works = asyncio.run(carry_out(subject.door, [(task.plan, task.initial_state) for task in subject.tasks]))
    (twin,) = twins(subject.tasks, works)
    assert (twin.task, twin.of, twin.why) == ("hire-51", "hire-01", "the same records end up the same")
    paired = [task.model_copy(update={"pair": "one"}) for task in subject.tasks]
    assert twins(paired, works) == []
