"""Gates of clauses: citations lead to one, and no check rests on what the agent cannot read."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from worktrial.finding import Finding
from worktrial.grading.facts import is_number
from worktrial.grading.state_checks import AnyCheck
from worktrial.language import JsonValue
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.synthesis.clauses import Clause
from worktrial.synthesis.clauses.coverage import citations, loose_numbers, unknown
from worktrial.synthesis.gates.expectations import Expectation
from worktrial.synthesis.gates.facts import amounts_asked, known_numbers, number, numbers_in, wanted_in_state
from worktrial.synthesis.gates.names import GateName, finding
from worktrial.synthesis.gates.twins import cited

Citing = Mapping[str, Sequence[str]]


def citing(
    source: Mapping[str, str], expectations: Sequence[Expectation], tasks: Sequence[ExecutableTask]
) -> Citing:
    """Ids of clauses by who cites them: functions, expectations, tasks."""
    found: dict[str, Sequence[str]] = {}
    for text in source.values():
        found |= citations(text)
    found |= {one.id: one.clauses for one in expectations if one.clauses}
    return found | {task.id: ids for task in tasks if (ids := tuple(cited(task)))}


def clause_findings(
    source: Mapping[str, str], clauses: Sequence[Clause], by: Citing, subject: str
) -> list[Finding]:
    """Findings on citations of clauses that are not there, and on numbers in rules that stand in none.

    Args:
        source: Python by file name.
        clauses: All clauses.
        by: Ids by who cites them.
        subject: Name of the workplace.
    """
    loose = [one for file, text in source.items() for one in loose_numbers(text, clauses, subject, file)]
    return [*unknown(by, clauses, ""), *loose]


def unknowable(task: ExecutableTask, clauses: Sequence[Clause]) -> list[Finding]:
    """Findings on checks that nobody could meet who does not know a private clause.

    A check rests on private clauses when it cites no others, or when it asks for a number that stands in one of
    them and neither in a clause that can be read, nor in the state, nor in the instruction.
    """
    private = {clause.id for clause in clauses if clause.private}
    if not private:
        return []
    own = tuple(getattr(task, "clauses", ()))
    found = []
    fix = "Leave the check out, or let the agent read the clause"
    secret = {value for clause in clauses if clause.private for value in _numbers(clause)}
    known = {value for clause in clauses if not clause.private for value in _numbers(clause)}
    known |= known_numbers(task.initial_state)
    known |= numbers_in(task.instruction)
    for index, check in enumerate(task.checks):
        about = tuple(getattr(check, "clauses", ())) or own
        asked = [value for value in _asked(check) if number(value) in secret - known]
        if about and set(about) <= private:
            said = "nobody can know it: it rests on private clauses alone"
        elif asked:
            said = f"nobody can know {asked[0]}: it stands in a private clause only"
        else:
            continue
        hidden = sorted(set(about) & private)
        found.append(finding(GateName.PRIVATE, task.id, f"checks[{index}]", said, fix, hidden))
    return found


def _asked(check: AnyCheck) -> Iterator[JsonValue]:
    yield from amounts_asked(check)
    yield from (value for value in wanted_in_state([check]) if is_number(value))


def _numbers(clause: Clause) -> set[Fraction]:
    return {Fraction(number.value) for number in clause.numbers}
