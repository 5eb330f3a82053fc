"""All checks over a episode, and what they add up to."""

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
    check_state,
    check_whole_lists,
    remember,
)
from worktrial.workplaces.conformance.context import (
    FAILURE_OF,
    ConformanceCheck,
    ObservationCheck,
    SeenCall,
    SeenEpisode,
    SimulatorFailure,
)
from worktrial.workplaces.effects import ToolEffect
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
class ConformanceReport:
    """Conformance over many observations."""

    rates: Mapping[ConformanceCheck, CheckRate]
    failures: Mapping[SimulatorFailure, int]
    """Observations that show each kind of failure."""
    observations: int
    """Observations that were checked."""
    failed: tuple[ObservationCheck, ...]


def examine(workplace: Workplace, calls: Iterable[SeenCall], *, task: str = "") -> list[ObservationCheck]:
    """Check every observation of one episode that its simulator (or executable) produced.

    What the workplace never saw (unknown tools, invalid arguments) and reads repeated from the ledger are not
    the simulator's work and are passed over.

    Args:
        workplace: As the agent found it, with the initial state of the episode.
        calls: In order.
        task: The agent's instruction, whose ids count as known.
    """
    episode = SeenEpisode(workplace, task)
    findings: list[ObservationCheck] = []
    for call in calls:
        if call.origin in (Origin.SIMULATOR, Origin.EXECUTABLE):
            findings += _examine(call, episode)
        episode.hear(call.content)
    return findings


def report(findings: Iterable[ObservationCheck]) -> ConformanceReport:
    """Rates, failures and evidence."""
    findings = list(findings)
    applied = Counter(f.check for f in findings)
    passed = Counter(f.check for f in findings if f.passed)
    # The format is checked on every observation, exactly once.
    return ConformanceReport(
        rates={check: CheckRate(passed[check], applied[check]) for check in ConformanceCheck},
        failures=_counted(findings),
        observations=applied[ConformanceCheck.FORMAT],
        failed=tuple(f for f in findings if not f.passed),
    )


def failures(findings: Iterable[ObservationCheck]) -> set[SimulatorFailure]:
    """The kinds of failure that show in `findings`."""
    return {FAILURE_OF[f.check] for f in findings if not f.passed}


def _counted(findings: Iterable[ObservationCheck]) -> dict[SimulatorFailure, int]:
    counts = dict.fromkeys(SimulatorFailure, 0)
    by_observation: set[SimulatorFailure] = set()
    for finding in findings:
        if finding.check is ConformanceCheck.FORMAT:
            by_observation = set()
        failure = FAILURE_OF[finding.check]
        if not finding.passed and failure not in by_observation:
            by_observation.add(failure)
            counts[failure] += 1
    return counts


def _examine(call: SeenCall, episode: SeenEpisode) -> list[ObservationCheck]:
    """The findings on one observation; that on its format is the first."""
    findings: list[ObservationCheck | None] = [check_format(call)]
    tool = episode.workplace.tool(call.tool)
    if tool is None or not isinstance(call.content, dict):
        return [f for f in findings if f is not None]
    findings += [check_shape(call, tool, episode), check_licensed_errors(call, tool, episode)]
    # After the errors, for which an id that only this call names is unknown.
    episode.hear(call.arguments)
    findings += [check_no_leak(call, tool, episode), check_state(call)]
    if not tool.seems_to_write:
        findings += [check_known_ids(call, episode), check_whole_lists(call, tool, episode)]
        if tool.effect is not ToolEffect.VOLATILE:
            findings.append(check_consistent(call, episode))
            remember(call, episode)
    elif not is_error(call.content):
        episode.writes += 1
        remember(call, episode)
    return [f for f in findings if f is not None]
