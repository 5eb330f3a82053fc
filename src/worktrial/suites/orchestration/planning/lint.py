"""Findings about scenarios that only show when plans, steps and cards are held against each other."""

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from worktrial.finding import Finding, Findings
from worktrial.suites.orchestration.example import example_folder
from worktrial.suites.orchestration.planning.cards import CardTool, Team
from worktrial.suites.orchestration.planning.duties import is_domain_step
from worktrial.suites.orchestration.planning.findings import (
    MEANINGS,
    FindingKind,
    step_finding,
    step_of,
)
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

_Found = Iterator[tuple[FindingKind, str]]


def lint_release(release: Release) -> tuple[Finding, ...]:
    """Findings of loading, and of holding plans, steps and cards against each other.

    By language, in the order of the release: first its files that hold no scenario, then the others; within a file
    by step.
    """
    return tuple(finding for language in release.teams for finding in _of_language(release, language))


def _of_language(release: Release, language: Language) -> Iterator[Finding]:
    team = release.teams[language]
    tools = {tool.name: CardTool(tool.name, "", tool.parameters) for card in team.values() for tool in card.tools}
    yield from (finding for finding in release.broken if finding.file.startswith(f"{language}/"))
    for scenario in release.scenarios:
        if scenario.language != language:
            continue
        found = [*scenario.findings, *same_prompts(scenario)]
        for step in scenario.steps:
            told = (*_of_plan(step, team), *_of_work(step, team, tools))
            found += [step_finding(scenario, step.id, kind, what) for kind, what in told]
        yield from sorted(found, key=lambda finding: step_of(finding) or 0)


_STATUSES = frozenset({"pending", "paused", "completed", "canceled", "cancelled"})


def _of_plan(step: ScenarioStep, team: Team) -> _Found:
    if not isinstance(step, PlanStep):
        return
    known = step.plan.by_id
    for workflow in step.plan.workflows:
        for agent in dict.fromkeys(planned.agent for planned in workflow.steps if planned.agent not in team):
            yield FindingKind.UNKNOWN_AGENT, f"{workflow.id} names {agent!r}, and there is no such agent"
        for status in dict.fromkeys((workflow.status, *(planned.status for planned in workflow.steps))):
            if status == UNSTATED:
                yield FindingKind.ODD_STATUS, f"{workflow.id} or a step of it states no status"
            elif status not in _STATUSES:
                yield FindingKind.ODD_STATUS, f"{workflow.id} has the status {status!r}"
        for other in workflow.depends_on:
            if other not in known:
                reason = f"{workflow.id} depends on {other!r}, and the plan has no such workflow"
                yield FindingKind.ODD_DEPENDENCY, reason
    yield from _circle(step.plan)


def _circle(plan: WorkflowPlan) -> _Found:
    try:
        TopologicalSorter({workflow.id: workflow.depends_on for workflow in plan.workflows}).prepare()
    except CycleError as e:
        yield FindingKind.ODD_DEPENDENCY, f"waits for itself: {' < '.join(e.args[1])}"


def _of_work(step: ScenarioStep, team: Team, tools: dict[str, CardTool]) -> _Found:
    if not isinstance(step, CallStep | RefusalStep):
        return
    if step.agent not in team:
        yield FindingKind.UNKNOWN_AGENT, f"there is no agent {step.agent!r}"
        return
    own = {tool.name: CardTool(tool.name, "", tool.parameters) for tool in team[step.agent].tools}
    calls = step.calls if isinstance(step, CallStep) else ()
    for name in dict.fromkeys(call.tool for call in calls if call.tool not in own):
        owner = next((card.agent_id for card in team.values() if name in card.tool_by_name), None)
        if owner is None:
            yield FindingKind.UNKNOWN_TOOL, f"no agent has a tool {name!r}"
        else:
            yield FindingKind.FOREIGN_TOOL, f"{name} is a tool of {owner}, not of {step.agent}"
    for call in calls:
        tool = own.get(call.tool, tools.get(call.tool))
        if tool is not None and (misfits := tool.problems(call.arguments)):
            said = "; ".join(f"{one['argument']} {one['problem']}" for one in misfits)
            yield FindingKind.SCHEMA_VIOLATION, f"{call.tool}: {said}"


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
