"""Every task: solvable by its plan, and by nothing that merely looks like work."""

import pytest
from tests.support.starter_work import add, change, leave_out, passes, work

from worktrial.agents.plan import Plan
from worktrial.grading.state_checks import AnswerMoney, AnswerNumber
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.suites.starter import load_tasks, load_workplace

TASKS = {task.id: task for task in load_tasks()}
every_task = pytest.mark.parametrize("task", TASKS.values(), ids=TASKS.keys())


@every_task
def test_the_plan_passes(task: ExecutableTask) -> None:
    results, done = work(task, task.plan)
    assert [r for r in results if not r.passed] == []
    assert [c for c in done.calls if "error" in c.observation.content] == []
    if task.id.endswith("-00"):
        assert 2 <= len(done.calls) <= 3, "an entry task is short, and needs a look before its act"
    else:
        assert len(done.calls) >= 4


@every_task
def test_idle_agents_fail(task: ExecutableTask) -> None:
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
def test_work_without_a_report_fails(task: ExecutableTask) -> None:
    for answer in ("", "Everything has been carried out by the rules."):
        assert not passes(task, task.plan, answer)


@every_task
def test_looking_without_acting_fails(task: ExecutableTask) -> None:
    functions = load_workplace(task.workplace).functions
    reading = tuple(step for step in task.plan.steps if not functions[step.call].writes)
    assert not passes(task, Plan(steps=reading, answer="-"), work(task, task.plan)[1].answer)


@every_task
def test_wrong_numbers_fail(task: ExecutableTask) -> None:
    right = work(task, task.plan)[1].answer
    for check in task.checks:
        if isinstance(check, AnswerNumber | AnswerMoney):
            written = [format(check.value, form) for form in (",.2f", ".2f", ",.1f", ".1f", ",.0f", ".0f", "g")]
            form = next(w for w in written if w in right)
            wrong = form[:-1] + str((int(form[-1]) + 1) % 10)
            assert not passes(task, task.plan, right.replace(form, wrong)), check


MISTAKES = {
    "triage-00": {
        "another patient": change("measure_vitals", patient_id="P-316"),
        "a score nobody asked for": add("record_triage", patient_id="P-305", score=1, level=3),
    },
    "covenant-00": {
        "the rent roll": change("request_document", document="rent_roll"),
        "a month early": change("request_document", due="2025-04-30"),
        "another loan": change("request_document", loan_id="L-2207"),
    },
    "line-00": {
        "two drums": change("raise_requisition", drums=2),
        "the wrong material": change("raise_requisition", material_id="M-APL"),
        "asked twice": add("raise_requisition", material_id="M-OAT", drums=3),
    },
    "terminal-00": {
        "another container": change("ask_duty_manager", about="NOVU-2207"),
        "invoiced as well": add(
            "issue_invoice", container_id="KELU-6032", chargeable_days=0, demurrage=0, plug_in=0
        ),
        "asked twice": add("ask_duty_manager", about="KELU-6032", question="When?"),
    },
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
    "triage-05": {
        "the calm chart believed": change("record_triage", score=1, level=3),
        "moved all the same": add("assign_bed", patient_id="P-301", bed_id="A2"),
        "no word to the bed manager": leave_out("page_team"),
        "no new set": leave_out("measure_vitals"),
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
    "line-05": {
        "where sales wants it": change("schedule_order", machine_id="F2", start="2025-06-03T12:40"),
        "no changeover": change("schedule_order", start="2025-06-03T08:30"),
        "the planned job taken off": add("unschedule_order", order_id="WO-494"),
    },
    "terminal-01": {
        "closed days counted": change("issue_invoice", chargeable_days=10, demurrage=548.75),
        "one rate for all days": change("issue_invoice", demurrage=332.00),
        "a cent off": change("issue_invoice", demurrage=412.24),
    },
    "terminal-02": {
        "the driver with the fewest hours": change(
            "dispatch_job", driver_id="D-21", slot_id="S-1404", departs="2025-04-24T10:20"
        ),
        "an expired certificate": change("dispatch_job", driver_id="D-22"),
        "back after the end of duty": change("dispatch_job", driver_id="D-27"),
        "a needless break": change("dispatch_job", departs="2025-04-24T09:20"),
    },
    "terminal-03": {
        "in the order of the list": change("move_container", 0, bay_id="D9"),
        "too near to class 5.1": change("move_container", 1, bay_id="D6"),
        "the harmless box moved too": add("move_container", container_id="KELU-6051", bay_id="D9"),
        "one left in the lane": leave_out("move_container", 2),
    },
    "terminal-04": {
        "dispatched as told": add(
            "dispatch_job", job_id="J-3310", driver_id="D-25", slot_id="S-1702", departs="2025-04-24T11:10"
        ),
        "nobody asked": leave_out("ask_duty_manager"),
        "about the container": change("ask_duty_manager", about="KELU-6032"),
    },
    "terminal-05": {
        "no discount": change("issue_invoice", 0, demurrage=124.50),
        "discount on the plug-in": change("issue_invoice", 0, plug_in=371.53),
        "no surcharge for class 8": change("issue_invoice", 2, demurrage=249.73),
        "the held one invoiced": add(
            "issue_invoice", container_id="BOXU-7720", chargeable_days=4, demurrage=155.63, plug_in=0
        ),
        "the third page forgotten": leave_out("issue_invoice", 2),
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


def test_every_task_of_these_workplaces_has_mistakes() -> None:
    """The other workplaces have theirs in files of their own."""
    here = {"container_terminal", "emergency_triage", "loan_covenants", "production_line"}
    assert MISTAKES.keys() == {task.id for task in TASKS.values() if task.workplace in here}
