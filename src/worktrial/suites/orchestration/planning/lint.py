"""Findings about scenarios and cards that only show when files are held against each other."""

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from worktrial.finding import Finding, Findings
from worktrial.suites.orchestration.example import example_folder
from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.duties import is_domain_step
from worktrial.suites.orchestration.planning.findings import (
    MEANINGS,
    FindingKind,
    finding_at,
    step_finding,
    step_of,
)
from worktrial.suites.orchestration.planning.lint_work import WorkCheck
from worktrial.suites.orchestration.planning.plan_text import UNSTATED
from worktrial.suites.orchestration.planning.release import Release, load_release
from worktrial.suites.orchestration.planning.scenario import (
    CallStep,
    Language,
    OddStep,
    PlanStep,
    RefusalStep,
    Scenario,
    ScenarioStep,
    SystemNote,
    Workflow,
    WorkflowPlan,
)


def lint_release(release: Release) -> tuple[Finding, ...]:
    """Findings of loading, and of holding plans, steps and cards against each other.

    By language, in the order of the release: first its cards, then its files, those that hold no scenario before
    the others; within a file by step.
    """
    return tuple(finding for language in release.teams for finding in _of_language(release, language))


def _of_language(release: Release, language: Language) -> Iterator[Finding]:
    team = release.teams[language]
    yield from card_findings(team, language)
    yield from (finding for finding in release.broken if finding.file.startswith(f"{language}/"))
    work = WorkCheck(team)
    for scenario in release.scenarios:
        if scenario.language != language:
            continue
        found = [
            *scenario.findings,
            *plan_findings(scenario, team),
            *work.findings(scenario),
            *same_prompts(scenario),
        ]
        yield from sorted(found, key=lambda finding: step_of(finding) or 0)


def card_findings(team: Team, language: Language) -> Iterator[Finding]:
    """Skills that an agent advertises and no tool of it has, where the release gives both one name."""
    for card in team.values():
        lost = [skill.id for skill in card.skills if skill.id not in card.tool_by_name]
        # A card whose skills are named on a principle of their own is not at fault.
        if lost and len(lost) < len(card.skills):
            what = f"{card.agent_id} advertises {', '.join(lost)}, and no tool of it is called so"
            yield finding_at(f"{language}/multiagent_cards", None, FindingKind.SKILL_WITHOUT_TOOL, what)


_COMPLETED = "completed"
_STATUSES = frozenset({"pending", "paused", _COMPLETED, "canceled", "cancelled"})


def plan_findings(scenario: Scenario, team: Team) -> Iterator[Finding]:
    """Findings about the scenario's gold plans."""
    for step in scenario.steps:
        if isinstance(step, PlanStep):
            for code, reason in (*_of_agents(step.plan, team), *_of_statuses(step.plan), *_of_order(step.plan)):
                yield step_finding(scenario, step.id, code, reason)


def _of_agents(plan: WorkflowPlan, team: Team) -> Iterator[tuple[FindingKind, str]]:
    for workflow in plan.workflows:
        for agent in dict.fromkeys(step.agent for step in workflow.steps if step.agent not in team):
            yield FindingKind.UNKNOWN_AGENT, f"{workflow.id} names {agent!r}, and there is no such agent"


def _of_statuses(plan: WorkflowPlan) -> Iterator[tuple[FindingKind, str]]:
    for workflow in plan.workflows:
        written = dict.fromkeys((workflow.status, *(step.status for step in workflow.steps)))
        for status in written:
            if status == UNSTATED:
                yield FindingKind.ODD_PLAN_STATUS, f"{workflow.id} or a step of it states no status"
            elif status not in _STATUSES:
                yield FindingKind.ODD_PLAN_STATUS, f"{workflow.id} has the status {status!r}"
        if workflow.status == _COMPLETED and (others := _unfinished(workflow)):
            reason = f"{workflow.id} is completed, and a step of it is {' or '.join(others)}"
            yield FindingKind.STATUS_MISMATCH, reason


def _unfinished(workflow: Workflow) -> list[str]:
    return list(dict.fromkeys(step.status for step in workflow.steps if step.status != _COMPLETED))


def _of_order(plan: WorkflowPlan) -> Iterator[tuple[FindingKind, str]]:
    known = plan.by_id
    if strays := [str(key) for key in plan.raw if key not in known]:
        yield FindingKind.ODD_PLAN_KEY, f"{', '.join(strays)}: no workflow, and passed over"
    for workflow in plan.workflows:
        for other in workflow.depends_on:
            if other not in known:
                reason = f"{workflow.id} depends on {other!r}, and the plan has no such workflow"
                yield FindingKind.UNKNOWN_DEPENDENCY, reason
    try:
        TopologicalSorter({workflow.id: workflow.depends_on for workflow in plan.workflows}).prepare()
    except CycleError as e:
        yield FindingKind.DEPENDENCY_CYCLE, f"waits for itself: {' < '.join(e.args[1])}"


_Words = tuple[int, str | None]


def same_prompts(scenario: Scenario) -> Iterator[Finding]:
    """Both steps of each such pair.

    The published program shows a domain agent what the user and the main model said and what tools returned, but
    not who it is or what agents refused; a request of the plan is shown once. So two agents that are asked again
    after their requests are used up see the same words, and only their tools differ.
    """
    asked: dict[_Words, CallStep | RefusalStep] = {}
    plan: dict[str, Workflow] = {}
    used: set[tuple[str, int]] = set()
    shown = 0
    for step in scenario.steps:
        if isinstance(step, PlanStep):
            plan |= step.plan.by_id
        if isinstance(step, CallStep | RefusalStep):
            words = shown, _request(step, plan, used)
            other = asked.get(words)
            if other is not None and _gold(other) != _gold(step):
                for one, two in ((other, step), (step, other)):
                    reason = (
                        f"the published program asks step {two.id} ({two.agent}) in the same words, with other gold"
                    )
                    yield step_finding(scenario, one.id, FindingKind.SAME_PROMPT, reason)
            asked[words] = step
        shown += _is_shown(step)


def _request(step: ScenarioStep, plan: dict[str, Workflow], used: set[tuple[str, int]]) -> str | None:
    """The first request of the plan to the agent that no earlier step was given."""
    for workflow in plan.values():
        for n, planned in enumerate(workflow.steps):
            if planned.agent == step.agent and (workflow.id, n) not in used:
                used.add((workflow.id, n))
                return planned.query
    return None


def _is_shown(step: ScenarioStep) -> bool:
    if is_domain_step(step):
        return isinstance(step, CallStep) or (isinstance(step, OddStep) and "tool" in step.text)
    return not isinstance(step, SystemNote)


def _gold(step: CallStep | RefusalStep) -> object:
    return step.calls if isinstance(step, CallStep) else (step.type, step.info)


# Too many to read one after the other.
_COUNTED = (FindingKind.SCHEMA_VIOLATION.value,)


def lint_folder(folder: Path | None, *, corrected: bool = False, language: str = "both") -> Findings:
    """Look at every card and scenario in `folder`.

    Args:
        folder: The data folder; None for the worked example.
        corrected: Apply the corrections that Worktrial ships first, so that what remains is found.
        language: Language to look at, `en` or `ko`; `both` for those that the folder holds.

    Raises:
        DataError: the folder holds no language, or what it holds cannot be used at all.
    """
    place = folder or example_folder()
    wanted = [one for one in Language if language in (one.lower(), "both")]
    present = [one for one in wanted if (place / one).is_dir()]
    release = load_release(place, present or wanted, corrected=corrected)
    looked_at = {
        "scenarios": len(release.scenarios),
        "agents": sum(len(team) for team in release.teams.values()),
    }
    if corrected:
        looked_at["corrections applied"] = sum(len(scenario.fixes) for scenario in release.scenarios)
    return Findings(
        checks=[code.value for code in FindingKind],
        findings=lint_release(release),
        looked_at=looked_at,
        about={code.value: meaning for code, meaning in MEANINGS.items()},
        counted=_COUNTED,
    )
