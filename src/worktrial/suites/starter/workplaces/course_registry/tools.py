"""The registry's system as one of its officers uses it."""

from decimal import Decimal
from typing import Annotated

import msgspec
from msgspec import Meta

from worktrial.suites.starter.workplaces.course_registry import records
from worktrial.suites.starter.workplaces.course_registry.state_types import (
    Enrolment,
    Fee,
    Grade,
    Office,
    Outcome,
    Posting,
    Referral,
    State,
    Topic,
)
from worktrial.workplaces.executable import ToolError, reads, writes

Json = dict[str, object]
Page = Annotated[int, Meta(ge=1, le=1000)]

PAGE_SIZE = 6


@reads(student_id="S-4021")
def get_student(state: State, student_id: str) -> Json:
    """Open a student's record: name, program, year.

    Args:
        student_id: For example S-4021.
    """
    student = records.student(state, student_id)
    return {"today": state.clock, "student_id": student_id, **msgspec.structs.asdict(student)}


@reads(student_id="S-4021")
def get_transcript(state: State, student_id: str) -> Json:
    """Read a student's finished courses with term, credits and grade, oldest attempt first.

    Args:
        student_id: For example S-4021.
    """
    records.student(state, student_id)
    return {"student_id": student_id, "attempts": state.transcripts.get(student_id, [])}


@reads(course_id="CSC-210")
def get_course(state: State, course_id: str) -> Json:
    """Read a course's title, credits, lab fee and prerequisites.

    Args:
        course_id: For example ECO-240.
    """
    return {"course_id": course_id, **msgspec.structs.asdict(records.course(state, course_id))}


@reads(course_id="CSC-210")
def list_sections(state: State, course_id: str) -> Json:
    """List a course's sections this term with days, times, capacity, enrolled and waiting students.

    Args:
        course_id: For example ECO-240.
    """
    records.course(state, course_id)
    sections = [
        {"section_id": section_id, **msgspec.structs.asdict(section)}
        for section_id, section in state.sections.items()
        if section.course_id == course_id
    ]
    return {"course_id": course_id, "sections": sections}


@reads(student_id="S-4021")
def get_timetable(state: State, student_id: str) -> Json:
    """Read the sections in which a student is enrolled or waits this term, with times and credits.

    Args:
        student_id: For example S-4021.
    """
    records.student(state, student_id)
    sections = []
    for enrolment in state.enrolments:
        if enrolment.student_id == student_id and enrolment.status != "dropped":
            section = state.sections[enrolment.section_id]
            sections.append(
                {
                    "section_id": enrolment.section_id,
                    "status": enrolment.status,
                    "days": section.days,
                    "start": section.start,
                    "end": section.end,
                    "credits": state.courses[section.course_id].credits,
                }
            )
    return {"today": state.clock, "student_id": student_id, "sections": sections}


@reads(topic="placement")
def get_rule(state: State, topic: Topic) -> Json:
    """Read a rule of the registry.

    Args:
        topic: Which rule.
    """
    return {"topic": topic, "text": state.rules[topic]}


@reads(student_id="S-4033", course_id="ECO-240")
def list_items(state: State, student_id: str, course_id: str, page: Page = 1) -> Json:
    """List a student's marked items in a course, six a page: kind, points, score, due, handed in, extension.

    Args:
        student_id: For example S-4033.
        course_id: For example ECO-240.
        page: Which page, counted from 1.
    """
    records.student(state, student_id)
    records.course(state, course_id)
    items = [i for i in state.items if (i.student_id, i.course_id) == (student_id, course_id)]
    pages = max(1, -(-len(items) // PAGE_SIZE))
    if page > pages:
        raise ToolError("no_such_page", f"There are {pages} pages of items.")
    shown = [msgspec.structs.asdict(item) for item in items[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]]
    for item in shown:
        del item["student_id"], item["course_id"]
    return {"student_id": student_id, "course_id": course_id, "page": page, "pages": pages, "items": shown}


@reads(appeal_id="AP-31")
def get_appeal(state: State, appeal_id: str) -> Json:
    """Open a grade appeal together with the published result that it is about.

    Args:
        appeal_id: For example AP-31.
    """
    appeal = records.appeal(state, appeal_id)
    result = records.result(state, appeal.student_id, appeal.course_id)
    return {
        "today": state.clock,
        "appeal_id": appeal_id,
        **msgspec.structs.asdict(appeal),
        "result": {
            "mark": result.mark,
            "grade": result.grade,
            "published_on": result.published_on,
            "changed_on": result.changed_on,
        },
    }


@writes(student_id="S-4021", section_id="CSC-210-B")
def enrol(state: State, student_id: str, section_id: str) -> Json:
    """Enrol a student in a section of this term.

    Args:
        student_id: For example S-4021.
        section_id: For example HIS-230-A.
    """
    records.student(state, student_id)
    section = records.section(state, section_id)
    records.refuse_second_place(state, student_id, section.course_id)
    if section.enrolled >= section.capacity:
        raise ToolError("section_full", f"{section_id} has no place left.")
    section.enrolled += 1
    enrolment = Enrolment(student_id=student_id, section_id=section_id, status="enrolled", changed_on=state.clock)
    state.enrolments.append(enrolment)
    return {"enrolment": enrolment, "section": section}


@writes(student_id="S-4021", section_id="CSC-210-D")
def join_waiting_list(state: State, student_id: str, section_id: str) -> Json:
    """Put a student on the waiting list of a section.

    Args:
        student_id: For example S-4021.
        section_id: For example ENG-220-B.
    """
    records.student(state, student_id)
    section = records.section(state, section_id)
    records.refuse_second_place(state, student_id, section.course_id)
    section.waiting += 1
    enrolment = Enrolment(student_id=student_id, section_id=section_id, status="waiting", changed_on=state.clock)
    state.enrolments.append(enrolment)
    return {"enrolment": enrolment, "section": section}


@writes(student_id="S-4058", section_id="CHE-160-A")
def drop(state: State, student_id: str, section_id: str) -> Json:
    """Take a student out of a section or off its waiting list; this posts no money.

    Args:
        student_id: For example S-4058.
        section_id: For example HIS-230-A.
    """
    records.student(state, student_id)
    section = records.section(state, section_id)
    enrolment = records.place(state, student_id, section_id)
    if enrolment.status == "enrolled":
        section.enrolled -= 1
    else:
        section.waiting -= 1
    enrolment.status, enrolment.changed_on = "dropped", state.clock
    return {"enrolment": enrolment, "section": section}


@writes(student_id="S-4058", section_id="CHE-160-A", posting="credit", amount=100)
def post_fee(
    state: State,
    student_id: str,
    section_id: str,
    posting: Posting,
    amount: Annotated[float, Meta(gt=0, le=100_000)],
) -> Json:
    """Post one amount to a student's fee account: a charge to be paid, or a credit.

    Args:
        student_id: For example S-4058.
        section_id: The section it is for, for example HIS-230-A.
        posting: Whether the student owes it or gets it.
        amount: Dollars and cents, lab fees included.
    """
    records.student(state, student_id)
    records.section(state, section_id)
    dollars = Decimal(str(amount)).quantize(Decimal("0.01"))
    fee = Fee(student_id=student_id, section_id=section_id, posting=posting, amount=dollars, posted_on=state.clock)
    state.fees.append(fee)
    return {"fee": fee}


@writes(appeal_id="AP-32", outcome="dismissed")
def decide_appeal(
    state: State,
    appeal_id: str,
    outcome: Outcome,
    mark: Annotated[float, Meta(ge=0, le=100)] | None = None,
    grade: Grade | None = None,
) -> Json:
    """Decide a grade appeal; upholding it replaces the published result. This is final.

    Args:
        appeal_id: For example AP-31.
        outcome: Upheld or dismissed.
        mark: The new mark, 0 to 100, when the appeal is upheld.
        grade: The new grade, when the appeal is upheld.
    """
    appeal = records.appeal(state, appeal_id)
    if appeal.outcome is not None:
        raise ToolError("already_decided", f"{appeal_id} was {appeal.outcome}.")
    if outcome == "upheld" and mark is not None and grade is not None:
        result = records.result(state, appeal.student_id, appeal.course_id)
        result.mark, result.grade, result.changed_on = Decimal(str(mark)), grade, state.clock
    elif outcome == "upheld" or mark is not None or grade is not None:
        raise ToolError("new_result", "An appeal that is upheld needs mark and grade; a dismissed one has neither.")
    appeal.outcome = outcome
    return get_appeal(state, appeal_id)


@writes(student_id="S-4021", course_id="CSC-310", office="teacher", note="May she sit in?")
def refer(
    state: State, student_id: str, course_id: str, office: Office, note: Annotated[str, Meta(max_length=2000)]
) -> Json:
    """Refer a student's request to an office that may decide it.

    Args:
        student_id: For example S-4075.
        course_id: The course it is about.
        office: Whose decision it is.
        note: What they have to decide.
    """
    records.student(state, student_id)
    records.course(state, course_id)
    if not note.strip():
        raise ToolError("no_note", "A referral needs a note.")
    referral = Referral(
        referral_id=f"RF-{61 + len(state.referrals)}",
        student_id=student_id,
        course_id=course_id,
        office=office,
        note=note,
        made_on=state.clock,
    )
    state.referrals.append(referral)
    return {"referral": referral}
