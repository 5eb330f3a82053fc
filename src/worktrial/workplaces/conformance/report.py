"""All checks over a stay, and what they add up to."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.conformance.checks import (
    check_consistent,
    check_format,
    check_known_ids,
    check_licensed_errors,
    check_no_leak,
    check_shape,
    check_whole_lists,
    remember,
)
from worktrial.workplaces.conformance.context import (
    FAILURE_OF,
    Check,
    Failure,
    Finding,
    SeenCall,
    Stay,
    is_read,
)
from worktrial.workplaces.session import Origin
from worktrial.workplaces.signals import is_error


@dataclass(frozen=True, slots=True)
class CheckRate:
    """Outcome of one check over many observations."""

    passed: int
    applied: int
    """Observations in which there was something to check."""

    @property
    def share(self) -> float | None:
        """Passed of applied; None when the check never applied."""
        return self.passed / self.applied if self.applied else None


@dataclass(frozen=True, slots=True)
class Report:
    """Conformance over many observations."""

    rates: Mapping[Check, CheckRate]
    failures: Mapping[Failure, int]
    """Observations that show each kind of failure."""
    observations: int
    """Observations that were checked."""
    failed: tuple[Finding, ...]


def examine(workplace: Workplace, calls: Iterable[SeenCall], *, task: str = "") -> list[Finding]:
    """Check every observation of one stay that its simulator (or executable) produced.

    What the workplace never saw (unknown tools, invalid arguments) and reads repeated from the ledger are not
    the simulator's work and are passed over.

    Args:
        workplace: As the agent found it, with the initial state of the stay.
        calls: In order.
        task: The agent's instruction, whose ids count as known.
    """
    stay = Stay(workplace, task)
    findings: list[Finding] = []
    for call in calls:
        if call.origin in (Origin.SIMULATOR, Origin.EXECUTABLE):
            findings += _examine(call, stay)
        stay.hear(call.content)
    return findings


def report(findings: Iterable[Finding]) -> Report:
    """Rates, failures and evidence."""
    findings = list(findings)
    applied = Counter(f.check for f in findings)
    passed = Counter(f.check for f in findings if f.passed)
    # The format is checked on every observation, exactly once.
    return Report(
        rates={check: CheckRate(passed[check], applied[check]) for check in Check},
        failures=_counted(findings),
        observations=applied[Check.FORMAT],
        failed=tuple(f for f in findings if not f.passed),
    )


def failures(findings: Iterable[Finding]) -> set[Failure]:
    """The kinds of failure that show in `findings`."""
    return {FAILURE_OF[f.check] for f in findings if not f.passed}


def _counted(findings: Iterable[Finding]) -> dict[Failure, int]:
    counts = dict.fromkeys(Failure, 0)
    by_observation: set[Failure] = set()
    for finding in findings:
        if finding.check is Check.FORMAT:
            by_observation = set()
        failure = FAILURE_OF[finding.check]
        if not finding.passed and failure not in by_observation:
            by_observation.add(failure)
            counts[failure] += 1
    return counts


def _examine(call: SeenCall, stay: Stay) -> list[Finding]:
    """The findings on one observation; that on its format is the first."""
    findings: list[Finding | None] = [check_format(call)]
    tool = stay.workplace.tool(call.tool)
    if tool is None or not isinstance(call.content, dict):
        return [f for f in findings if f is not None]
    findings += [check_shape(call, tool, stay), check_licensed_errors(call, tool, stay)]
    # After the errors, for which an id that only this call names is unknown.
    stay.hear(call.arguments)
    findings.append(check_no_leak(call, tool, stay))
    if is_read(tool):
        findings += [check_known_ids(call, stay), check_whole_lists(call, tool, stay), check_consistent(call, stay)]
        remember(call, stay)
    elif not is_error(call.content):
        stay.writes += 1
        remember(call, stay)
    return [f for f in findings if f is not None]
