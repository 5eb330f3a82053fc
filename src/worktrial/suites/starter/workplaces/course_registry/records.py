"""Looking up the registry's records."""

from worktrial.suites.starter.workplaces.course_registry.state_types import (
    Appeal,
    Course,
    Enrolment,
    Result,
    Section,
    State,
    Student,
)
from worktrial.workplaces.executable import ToolError


def student(state: State, student_id: str) -> Student:
    """The student, or `ToolError`."""
    if student_id not in state.students:
        raise ToolError("unknown_student", f"There is no student {student_id}.")
    return state.students[student_id]


def course(state: State, course_id: str) -> Course:
    """The course, or `ToolError`."""
    if course_id not in state.courses:
        raise ToolError("unknown_course", f"There is no course {course_id}.")
    return state.courses[course_id]


def section(state: State, section_id: str) -> Section:
    """The section, or `ToolError`."""
    if section_id not in state.sections:
        raise ToolError("unknown_section", f"There is no section {section_id} this term.")
    return state.sections[section_id]


def appeal(state: State, appeal_id: str) -> Appeal:
    """The appeal, or `ToolError`."""
    if appeal_id not in state.appeals:
        raise ToolError("unknown_appeal", f"There is no appeal {appeal_id}.")
    return state.appeals[appeal_id]


def result(state: State, student_id: str, course_id: str) -> Result:
    """The published result of a student in a course, or `ToolError`."""
    for published in state.results:
        if (published.student_id, published.course_id) == (student_id, course_id):
            return published
    raise ToolError("no_result", f"{student_id} has no published result in {course_id}.")


def place(state: State, student_id: str, section_id: str) -> Enrolment:
    """The student's place in the section or on its waiting list, or `ToolError`."""
    for enrolment in state.enrolments:
        held = enrolment.status != "dropped"
        if held and (enrolment.student_id, enrolment.section_id) == (student_id, section_id):
            return enrolment
    raise ToolError("not_enrolled", f"{student_id} has no place in {section_id}.")


def refuse_second_place(state: State, student_id: str, course_id: str) -> None:
    """`ToolError` when the student already has a place in a section of the course, or waits for one."""
    for enrolment in state.enrolments:
        if (
            enrolment.student_id == student_id
            and enrolment.status != "dropped"
            and state.sections[enrolment.section_id].course_id == course_id
        ):
            raise ToolError("has_place", f"{student_id} is {enrolment.status} in {enrolment.section_id}.")
