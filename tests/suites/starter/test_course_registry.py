"""The registry: its results worked out a second time from the initial states, and the mistakes that must fail."""

from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest
from tests.support.starter_refusals import refused
from tests.support.starter_work import add, change, leave_out, passes, work

from worktrial.suites.starter import load_tasks

TASKS = {task.id: task for task in load_tasks() if task.workplace == "course_registry"}
POINTS = {"A": 40, "A-": 37, "B+": 33, "B": 30, "B-": 27, "C+": 23, "C": 20, "C-": 17, "D": 10, "F": 0}
SCALE = {93: "A", 90: "A-", 87: "B+", 83: "B", 80: "B-", 77: "C+", 73: "C", 70: "C-", 60: "D", 0: "F"}
WEIGHTS = {"quiz": 20, "assignment": 30, "midterm": 20, "final": 30}
FIRST_DAY = date(2025, 9, 1)
PER_CREDIT = Decimal("412.50")


def exact(value: Any) -> Decimal:
    return Decimal(str(value))


def hundredths(amount: Decimal) -> Decimal:
    return amount.quantize(Decimal("0.01"), ROUND_HALF_UP)


def latest(state: dict[str, Any], student_id: str) -> dict[str, dict[str, Any]]:
    """The latest attempt at each course."""
    return {attempt["course_id"]: attempt for attempt in state["transcripts"][student_id]}


def average(attempts: list[dict[str, Any]]) -> Decimal:
    credits = sum(attempt["credits"] for attempt in attempts)
    return hundredths(Decimal(sum(a["credits"] * POINTS[a["grade"]] for a in attempts)) / 10 / credits)


def limit(gpa: Decimal) -> int:
    return 15 if gpa < Decimal("2.50") else 21 if gpa >= Decimal("3.50") else 18


def met(state: dict[str, Any], student_id: str, course_id: str) -> bool:
    """Whether the prerequisites (alternatives in brackets, joined by "and") are met."""
    attempts = latest(state, student_id)
    passed = {name for name, attempt in attempts.items() if POINTS[attempt["grade"]] >= POINTS["C"]}
    needed = state["courses"][course_id]["prerequisites"].split(" and ")
    return all(passed & set(part.strip("()").split(" or ")) for part in needed)


def taken(state: dict[str, Any], student_id: str) -> list[str]:
    return [
        e["section_id"] for e in state["enrolments"] if e["student_id"] == student_id and e["status"] == "enrolled"
    ]


def clash(state: dict[str, Any], one: str, other: str) -> bool:
    a, b = state["sections"][one], state["sections"][other]
    return bool({*a["days"].split()} & {*b["days"].split()}) and a["start"] < b["end"] and b["start"] < a["end"]


def best_section(state: dict[str, Any], course_id: str, beside: list[str]) -> str:
    fits = {
        section_id: section["capacity"] - section["enrolled"] - section["waiting"]
        for section_id, section in state["sections"].items()
        if section["course_id"] == course_id and not any(clash(state, section_id, other) for other in beside)
    }
    best = max(fits.values())
    assert best > 0
    assert list(fits.values()).count(best) == 1
    return max(fits, key=lambda section_id: fits[section_id])


def credits_of(state: dict[str, Any], sections: list[str]) -> int:
    return sum(state["courses"][state["sections"][section_id]["course_id"]]["credits"] for section_id in sections)


def calls(task_id: str, tool: str) -> list[dict[str, Any]]:
    return [step.arguments for step in TASKS[task_id].plan.steps if step.call == tool]


def stated(task_id: str) -> set[Decimal]:
    return {
        exact(check.value) for check in TASKS[task_id].checks if check.check in ("answer_number", "answer_money")
    }


def test_nobody_starts_with_a_clash() -> None:
    state = TASKS["registry-01"].initial_state
    for student_id in state["students"]:
        sections = taken(state, student_id)
        assert not any(clash(state, a, b) for i, a in enumerate(sections) for b in sections[:i])


def test_a_place() -> None:
    state = TASKS["registry-01"].initial_state
    assert met(state, "S-4021", "CSC-210")
    gpa, now = average(list(latest(state, "S-4021").values())), taken(state, "S-4021")
    after = credits_of(state, now) + state["courses"]["CSC-210"]["credits"]
    assert after <= limit(gpa)
    section = best_section(state, "CSC-210", now)
    assert calls("registry-01", "enrol") == [{"student_id": "S-4021", "section_id": section}]
    assert best_section(state, "CSC-210", now[:2]) != section, "the whole timetable is needed"
    assert stated("registry-01") == {gpa, Decimal(after)}


def mark_of(items: list[dict[str, Any]], *, extensions: bool = True) -> tuple[Decimal, dict[str, Decimal]]:
    """The mark and the parts, in percent."""
    reached = {kind: Decimal(0) for kind in WEIGHTS}
    possible = dict.fromkeys(WEIGHTS, 0)
    quizzes = sorted((i for i in items if i["kind"] == "quiz"), key=lambda item: item["score"] or 0)
    for item in [i for i in items if i["kind"] != "quiz"] + quizzes[1:]:
        score = Decimal(item["score"] or 0)
        if item["kind"] == "assignment":
            due = (item["extended_to"] if extensions else None) or item["due_on"]
            late = max(0, (date.fromisoformat(item["handed_in_on"]) - date.fromisoformat(due)).days)
            score = Decimal(0) if late > 3 else score - late * Decimal(item["points"]) / 10
        reached[item["kind"]] += score
        possible[item["kind"]] += item["points"]
    parts = {kind: 100 * reached[kind] / possible[kind] for kind in WEIGHTS}
    return hundredths(sum(WEIGHTS[kind] * parts[kind] for kind in WEIGHTS) / 100), parts


def test_an_appeal() -> None:
    state = TASKS["registry-02"].initial_state
    appeal, result = state["appeals"]["AP-31"], state["results"][0]
    assert (result["student_id"], result["course_id"]) == (appeal["student_id"], appeal["course_id"])
    day, working_days = date.fromisoformat(result["published_on"]), 0
    while day < date.fromisoformat(appeal["filed_on"]):
        day += timedelta(days=1)
        working_days += day.weekday() < 5
    assert working_days == 10
    items = [i for i in state["items"] if i["student_id"] == "S-4033"]
    mark, parts = mark_of(items)
    assert mark_of(items, extensions=False)[0] == exact(result["mark"]) < mark
    grade = next(name for least, name in SCALE.items() if mark >= least)
    decided = calls("registry-02", "decide_appeal")
    assert decided == [{"appeal_id": "AP-31", "outcome": "upheld", "mark": float(mark), "grade": grade}]
    assert stated("registry-02") == {mark, hundredths(parts["quiz"]), hundredths(parts["assignment"])}
    assert mark_of(items[:6] + items[-1:])[0] != mark, "the second page is needed"


def test_a_swap() -> None:
    state = TASKS["registry-03"].initial_state
    assert met(state, "S-4058", "BIO-170")
    gpa = average(list(latest(state, "S-4058").values()))
    kept = [section_id for section_id in taken(state, "S-4058") if section_id != "CHE-160-A"]
    after = credits_of(state, kept) + state["courses"]["BIO-170"]["credits"]
    assert limit(average(state["transcripts"]["S-4058"])) < after <= limit(gpa), "the repeated course decides"
    section = best_section(state, "BIO-170", kept)
    assert section != best_section(state, "BIO-170", taken(state, "S-4058"))
    assert calls("registry-03", "enrol") == [{"student_id": "S-4058", "section_id": section}]
    day = (date.fromisoformat(state["clock"]) - FIRST_DAY).days + 1
    assert 7 < day <= 12
    tuition = PER_CREDIT * state["courses"]["CHE-160"]["credits"]
    credit = hundredths(tuition * (100 - 5 * (day - 7)) / 100)
    bio = state["courses"]["BIO-170"]
    charge = PER_CREDIT * bio["credits"] + exact(bio["lab_fee"])
    posted = {given["posting"]: exact(given["amount"]) for given in calls("registry-03", "post_fee")}
    assert posted == {"credit": credit, "charge": charge}
    assert stated("registry-03") == {gpa, credit, charge, charge - credit}


def test_a_prerequisite_that_is_no_longer_met() -> None:
    state = TASKS["registry-04"].initial_state
    assert not met(state, "S-4075", "CSC-310")
    first = {a["course_id"]: a for a in reversed(state["transcripts"]["S-4075"])}
    assert met({**state, "transcripts": {"S-4075": list(first.values())}}, "S-4075", "CSC-310")
    last_day = FIRST_DAY + timedelta(days=11)
    assert last_day.isoformat() in TASKS["registry-04"].plan.answer


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("get_student", {"student_id": "S-1"}, "unknown_student"),
        ("get_course", {"course_id": "ART-1"}, "unknown_course"),
        ("enrol", {"student_id": "S-4021", "section_id": "ART-1-A"}, "unknown_section"),
        ("enrol", {"student_id": "S-4021", "section_id": "CSC-210-D"}, "section_full"),
        ("enrol", {"student_id": "S-4021", "section_id": "MAT-205-A"}, "has_place"),
        ("join_waiting_list", {"student_id": "S-4021", "section_id": "MAT-205-A"}, "has_place"),
        ("drop", {"student_id": "S-4075", "section_id": "STA-200-A"}, "not_enrolled"),
        ("list_items", {"student_id": "S-4033", "course_id": "ECO-240", "page": 3}, "no_such_page"),
        ("get_appeal", {"appeal_id": "AP-1"}, "unknown_appeal"),
        ("decide_appeal", {"appeal_id": "AP-31", "outcome": "upheld", "mark": 83.33}, "new_result"),
        ("decide_appeal", {"appeal_id": "AP-31", "outcome": "dismissed", "grade": "B"}, "new_result"),
        ("refer", {"student_id": "S-4021", "course_id": "CSC-310", "office": "dean", "note": " "}, "no_note"),
    ],
)
def test_what_the_registry_refuses(tool: str, arguments: dict[str, Any], code: str) -> None:
    assert refused("course_registry", tool, arguments) == code


MISTAKES = {
    "registry-00": {
        "the dean": change("refer", office="dean"),
        "another course": change("refer", course_id="CHE-160"),
        "the fee charged": add(
            "post_fee", student_id="S-4021", section_id="PHY-150-A", posting="charge", amount=40.0
        ),
        "put twice": add("refer", student_id="S-4021", course_id="PHY-150", office="bursar", note="Instalments?"),
    },
    "registry-01": {
        "waiting students overlooked": change("enrol", section_id="CSC-210-E"),
        "the fourth course overlooked": change("enrol", section_id="CSC-210-C"),
        "the first section": change("enrol", section_id="CSC-210-A"),
        "the waiting list": add("join_waiting_list", student_id="S-4021", section_id="CSC-310-A"),
        "a course dropped for it": add("drop", student_id="S-4021", section_id="STA-200-A"),
    },
    "registry-02": {
        "no extension": change("decide_appeal", outcome="dismissed", mark=None, grade=None),
        "the missing quiz counted and the 9 left out": change("decide_appeal", mark=81.53, grade="B-"),
        "no deduction for two late days": change("decide_appeal", mark=84.83),
        "a hundredth off": change("decide_appeal", mark=83.34),
        "the old grade": change("decide_appeal", grade="B-"),
        "the other appeal as well": add("decide_appeal", appeal_id="AP-32", outcome="dismissed"),
    },
    "registry-03": {
        "not dropped": leave_out("drop"),
        "the section that fits without dropping": change("enrol", section_id="BIO-170-C"),
        "the most places in spite of the clash": change("enrol", section_id="BIO-170-A"),
        "the lab fee credited": change("post_fee", 0, amount=1116.88),
        "one day less": change("post_fee", 0, amount=1113.75),
        "rounded down": change("post_fee", 0, amount=1051.87),
        "charged without the lab fee": change("post_fee", 1, amount=1650.00),
        "the difference only": leave_out("post_fee", 0),
    },
    "registry-04": {
        "enrolled on the teacher's word": add("enrol", student_id="S-4075", section_id="CSC-310-A"),
        "kept a place": add("join_waiting_list", student_id="S-4075", section_id="CSC-310-A"),
        "the teacher asked": change("refer", office="teacher"),
        "nobody asked": leave_out("refer"),
        "the bursar too": add(
            "refer", student_id="S-4075", course_id="CSC-310", office="bursar", note="For your information."
        ),
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
