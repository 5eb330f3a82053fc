"""Every task: solvable by its plan, and by nothing that merely looks like work."""

import asyncio
from typing import Any

import pytest

from worktrial.agents.plan import Plan, Step, follow
from worktrial.grading.state_checks import AnswerNumber, CheckResult, run_checks
from worktrial.suites.starter.load import StarterTask, load_tasks, load_workplace
from worktrial.workplaces import Trajectory

TASKS = {task.id: task for task in load_tasks()}
every_task = pytest.mark.parametrize("task", TASKS.values(), ids=TASKS.keys())


def work(task: StarterTask, plan: Plan, answer: str | None = None) -> tuple[list[CheckResult], Trajectory]:
    session = load_workplace(task.workplace).open(task.initial_state)
    before = session.state
    done = asyncio.run(follow(plan, session))
    if answer is not None:
        done.answer = answer
    results = run_checks(task.checks, initial_state=before, final_state=session.state, trajectory=done)
    return results, done


def passes(task: StarterTask, plan: Plan, answer: str | None = None) -> bool:
    return all(result.passed for result in work(task, plan, answer)[0])


@every_task
def test_the_plan_passes(task: StarterTask) -> None:
    results, done = work(task, task.plan)
    assert [r for r in results if not r.passed] == []
    assert [c for c in done.calls if "error" in c.observation.content] == []
    assert len(done.calls) >= 4


@every_task
def test_idle_agents_fail(task: StarterTask) -> None:
    right = work(task, task.plan)[1].answer
    nothing = Plan(answer="-")
    for answer in (
        "",
        "Done.",
        "All steps are complete and everything is in order.",
        task.instruction,
        task.rubric,
        right,
    ):
        assert not passes(task, nothing, answer), answer


@every_task
def test_work_without_a_report_fails(task: StarterTask) -> None:
    for answer in ("", "Everything has been carried out by the rules."):
        assert not passes(task, task.plan, answer)


@every_task
def test_looking_without_acting_fails(task: StarterTask) -> None:
    functions = load_workplace(task.workplace).functions
    reading = tuple(step for step in task.plan.steps if not functions[step.call].writes)
    assert not passes(task, Plan(steps=reading, answer="-"), work(task, task.plan)[1].answer)


@every_task
def test_wrong_numbers_fail(task: StarterTask) -> None:
    right = work(task, task.plan)[1].answer
    for check in task.checks:
        if isinstance(check, AnswerNumber):
            written = [f"{check.value:,.2f}", f"{check.value:.2f}", f"{check.value:.0f}"]
            form = next(w for w in written if w in right)
            wrong = form[:-1] + str((int(form[-1]) + 1) % 10)
            assert not passes(task, task.plan, right.replace(form, wrong)), check


def change(tool: str, nth: int = 0, **arguments: Any) -> Any:
    """The plan with other arguments in the nth call of a tool."""

    def changed(plan: Plan) -> Plan:
        at = [i for i, step in enumerate(plan.steps) if step.call == tool][nth]
        step = plan.steps[at]
        other = step.model_copy(update={"arguments": {**step.arguments, **arguments}})
        return plan.model_copy(update={"steps": (*plan.steps[:at], other, *plan.steps[at + 1 :])})

    return changed


def leave_out(tool: str, nth: int = 0) -> Any:
    def changed(plan: Plan) -> Plan:
        at = [i for i, step in enumerate(plan.steps) if step.call == tool][nth]
        return plan.model_copy(update={"steps": (*plan.steps[:at], *plan.steps[at + 1 :])})

    return changed


def add(tool: str, **arguments: Any) -> Any:
    return lambda plan: plan.model_copy(update={"steps": (*plan.steps, Step(call=tool, arguments=arguments))})


MISTAKES = {
    "triage-01": {
        "level by the sum without the temperature": change("record_triage", score=5),
        "a bed without monitor": change("assign_bed", bed_id="A4"),
        "an order nobody asked for": add(
            "order_treatment", patient_id="P-312", item="ecg", dose=0, unit="none", due_by="2025-01-18T20:00"
        ),
    },
    "triage-02": {
        "the old chart of P-315": change("record_triage", score=1, level=3),
        "no new set for P-316": leave_out("measure_vitals", 1),
        "the single part of 3 overlooked": change("record_triage", level=3),
    },
    "triage-03": {
        "oxygen scale 1": change("record_triage", score=11),
        "no page": leave_out("page_team"),
        "the move without a new score": leave_out("record_triage", 2),
        "the old chart of P-301": change("record_triage", 1, score=1, level=3),
        "the sicker one moved": change("assign_bed", patient_id="P-301", bed_id="A2"),
    },
    "triage-04": {
        "ceftriaxone in spite of the allergy": change("order_treatment", item="ceftriaxone", dose=2000),
        "an hour from the second set": change("order_treatment", due_by="2025-01-18T20:35"),
        "an unrounded bolus": change("order_treatment", 1, dose=1395),
        "no fluid": leave_out("order_treatment", 1),
        "no page": leave_out("page_team"),
        "one drug more": add(
            "order_treatment",
            patient_id="P-318",
            item="paracetamol",
            dose=700,
            unit="mg",
            due_by="2025-01-18T20:12",
        ),
    },
    "covenant-01": {
        "without the reserve": change("record_test", noi=374046.41),
        "not rounded before comparing": change("record_test", passed=False),
        "a needless cash trap": add("set_cash_trap", loan_id="L-2207", active=True),
    },
    "covenant-02": {
        "every lease at full surcharge": change("record_test", noi=575169.95, value=1.39, passed=True),
        "the Saturday": change("send_notice", cure_by="2025-05-17"),
        "no cash trap": leave_out("set_cash_trap"),
        "two notices": add("send_notice", loan_id="L-2214", kind="reservation_of_rights", covenant="dscr"),
    },
    "covenant-03": {
        "one test only": leave_out("record_test", 1),
        "the wrong covenant breached": change("send_notice", covenant="dscr"),
        "a cent off": change("record_test", noi=878589.06),
    },
    "covenant-04": {
        "a test on an old rent roll": add(
            "record_test",
            loan_id="L-2240",
            covenant="dscr",
            test_date="2025-03-31",
            noi=281724.75,
            value=1.28,
            passed=False,
        ),
        "ten calendar days": change("request_document", due="2025-04-28"),
        "the wrong document": change("request_document", document="operating_statement"),
    },
    "line-01": {
        "no changeover": change("schedule_order", start="2025-06-03T10:20"),
        "the slower machine": change("schedule_order", machine_id="F2", start="2025-06-03T12:40"),
    },
    "line-02": {
        "no repair booked in time": change("book_maintenance", minutes=240),
        "no notice": leave_out("notify_customer"),
        "the planned end as delivery time": change("notify_customer", new_delivery="2025-06-03T15:15"),
        "the wrong changeover": change("schedule_order", start="2025-06-03T11:20"),
        "everybody told": add("notify_customer", order_id="WO-503", new_delivery="2025-06-03T18:30"),
    },
    "line-03": {
        "a gap": change("schedule_order", 2, start="2025-06-03T16:30"),
        "one order forgotten": leave_out("schedule_order", 1),
    },
    "line-04": {
        "no full cases": change("split_order", quantity=6435),
        "a drum too few": change("raise_requisition", drums=13),
        "no requisition": leave_out("raise_requisition"),
    },
}


@pytest.mark.parametrize(
    ("task_id", "mistake"), [(task_id, mistake) for task_id, made in MISTAKES.items() for mistake in made]
)
def test_plausible_mistakes_fail(task_id: str, mistake: str) -> None:
    task = TASKS[task_id]
    right = work(task, task.plan)[1].answer
    wrong = MISTAKES[task_id][mistake](task.plan.model_copy(update={"answer": "-"}))
    assert not passes(task, wrong, right)


def test_every_task_has_mistakes() -> None:
    assert MISTAKES.keys() == TASKS.keys()
