"""Names of the gates, and what each of them finds."""

from collections.abc import Sequence
from enum import StrEnum

from worktrial.finding import Finding

EXPECTATIONS_FILE = "expectations.yaml"


class GateName(StrEnum):
    """The gates, in the order in which they are shown."""

    EXPECTATIONS = "expectations"
    BOTH_WAYS = "positive-and-negative"
    BAD_CALLS = "bad-calls"
    BOUNDARIES = "boundaries"
    READS = "reads-change-nothing"
    WRITES = "writes-change-something"
    DETERMINISM = "determinism"
    DRAW = "draw"
    REACH = "unreachable-state"
    MUTATION = "mutation"
    CLAUSES = "unknown-clause"
    NUMBERS = "number-without-clause"
    PRIVATE = "nobody-can-know"
    PLAN = "plan-passes"
    PLAN_ERRORS = "plan-errors"
    IDLE = "idle-fails"
    SPAM = "spam-fails"
    WORDS = "words-alone"
    MINUS_WRITE = "plan-minus-write"
    NEIGHBOUR = "neighbour-record"
    STRAY_WRITE = "stray-write"
    EXTRA_ACT = "one-act-too-many"
    CHOICE = "neighbouring-choice"
    JUNK = "junk-argument"
    LETTERS = "text-says-nothing"
    TEXTS = "text-check-too-weak"
    SUMS = "second-sum"
    REPORTS = "report-too-lax"
    SEQUENCE = "order-matters"
    ORDER = "order-free"
    WORDING = "other-wording"
    TRIVIAL = "trivial"
    STRANGE_RECORDS = "strange-records"
    RUBRIC = "rubric"
    SOLUTION_TOLD = "solution-told"
    STEPS_TOLD = "steps-told"
    RUBRIC_TOLD = "rubric-told"
    LEAKS = "workplace-tells"
    TWINS = "near-duplicates"


MEANINGS = {
    GateName.EXPECTATIONS: "calls that end otherwise than the clauses say",
    GateName.BOTH_WAYS: "tools without an expected success, or without an expected refusal",
    GateName.BAD_CALLS: "calls with unknown ids or wrong values that crash a tool, or that a write accepts",
    GateName.BOUNDARIES: "calls at a clause's number, or one beside it, that crash a tool",
    GateName.READS: "tools declared as reads that change the state",
    GateName.WRITES: "tools declared as writes that changed nothing in any call",
    GateName.DETERMINISM: "calls that are answered differently the second time",
    GateName.DRAW: "initial states that a seed does not decide, or that no seed changes",
    GateName.REACH: "parts of the state that no tool shows, uses or changes",
    GateName.MUTATION: "changed rules that no expectation and no task notices",
    GateName.CLAUSES: "citations of clauses that are not there",
    GateName.NUMBERS: "numbers in a rule that stand in no clause",
    GateName.PRIVATE: "checks that rest on clauses which the agent cannot read",
    GateName.PLAN: "tasks whose own plan fails their checks",
    GateName.PLAN_ERRORS: "plans with a write that the workplace refuses",
    GateName.IDLE: "tasks that pass when nothing is done",
    GateName.SPAM: "tasks that an agent passes which does no work: acts on all that is named, dumps, guesses",
    GateName.WORDS: "tasks that pass when the work is only claimed",
    GateName.MINUS_WRITE: "tasks that pass though one of the plan's writes is left out",
    GateName.NEIGHBOUR: "tasks that pass though a write went to another record",
    GateName.STRAY_WRITE: "tasks that pass though another record was changed as well",
    GateName.EXTRA_ACT: "tasks that pass though one act too many was done, or another act in a write's place",
    GateName.CHOICE: "tasks that pass though a write chose another value",
    GateName.JUNK: "tasks that pass though an argument of a write was left out, empty or junk",
    GateName.LETTERS: "tasks that pass though a text which a clause asks for says nothing, or something wrong",
    GateName.TEXTS: "tasks that pass though a text says what a case with another outcome would",
    GateName.SUMS: "tasks that pass though a text states a wrong sum, alone or beside the right one",
    GateName.REPORTS: "tasks that pass though another report is handed in, or none",
    GateName.SEQUENCE: "tasks that pass though acts whose order a clause fixes were done the other way round",
    GateName.ORDER: "tasks whose checks insist on one of several orders",
    GateName.WORDING: "tasks whose checks insist on one wording of several right ones",
    GateName.TRIVIAL: "tasks that nothing has to be looked up for",
    GateName.STRANGE_RECORDS: "tasks that speak of records which are not there",
    GateName.RUBRIC: "rubrics that contradict plan and checks",
    GateName.SOLUTION_TOLD: "instructions that hold what has to be found out",
    GateName.STEPS_TOLD: "instructions that tell the plan's steps",
    GateName.RUBRIC_TOLD: "instructions that repeat the rubric",
    GateName.LEAKS: "tools or records that hold what has to be found out",
    GateName.TWINS: "tasks that are nearly the same as an earlier one",
}
"""Plural noun for what each gate counts."""
ADVICE = frozenset({GateName.TRIVIAL})
"""Gates whose findings make a task an easy one, and no wrong one."""


def finding(
    gate: GateName, subject: str, field: str, what: str, fix: str = "", clauses: Sequence[str] = ()
) -> Finding:
    """A `Finding` of this gate; its clauses are named at the end of what it says.

    Args:
        gate: Name of the gate.
        subject: Id of the task or name of the workplace.
        field: Part of it, such as `plan.steps[3]` or `tools.get_order`.
        what: Statement of what is wrong.
        fix: Change that mends it.
        clauses: Ids of the clauses that it is about.
    """
    about = f" [{', '.join(clauses)}]" if clauses else ""
    return Finding(gate.value, subject, "", field, what + about, fix)
