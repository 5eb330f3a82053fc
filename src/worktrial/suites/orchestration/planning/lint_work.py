"""Work of domain agents held against the plan in force and the cards."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from worktrial.finding import Finding
from worktrial.language import JsonValue
from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.duties import is_domain_step
from worktrial.suites.orchestration.planning.findings import FindingKind, step_finding
from worktrial.suites.orchestration.planning.scenario import (
    CallStep,
    GoldCall,
    OddStep,
    PlanStep,
    RefusalStep,
    Scenario,
    ScenarioStep,
    WorkflowPlan,
)

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

    from worktrial.outside.schemas import SchemaCheck

Found = Iterator[tuple[FindingKind, str]]


class WorkCheck:
    """The checks against one team; they share the compiled schemas of its tools."""

    def __init__(self, team: Team) -> None:
        self._team = team
        self._owner = {tool.name: card.agent_id for card in team.values() for tool in card.tools}
        self._checks: dict[tuple[str, str], SchemaCheck] = {}

    def findings(self, scenario: Scenario) -> Iterator[Finding]:
        """Findings about the steps of domain agents."""
        plan: WorkflowPlan | None = WorkflowPlan()
        for step in scenario.steps:
            if isinstance(step, PlanStep):
                plan = step.plan
            elif isinstance(step, OddStep) and not is_domain_step(step):
                plan = None  # perhaps a new plan; nobody can tell what it says
            elif isinstance(step, CallStep | RefusalStep):
                for code, reason in (*self._of_agent(step, plan), *self._of_calls(step)):
                    yield step_finding(scenario, step.id, code, reason)

    def _of_agent(self, step: ScenarioStep, plan: WorkflowPlan | None) -> Found:
        if step.agent not in self._team:
            yield FindingKind.UNKNOWN_AGENT, f"there is no agent {step.agent!r}"
        elif plan is not None:
            planned = {planned.agent for workflow in plan.workflows for planned in workflow.steps}
            if step.agent not in planned:
                there = f"; it has work for {', '.join(sorted(planned))}" if planned else ""
                yield FindingKind.UNPLANNED_AGENT, f"the plan has no work for {step.agent}{there}"
        if plan is not None and step.workflow is not None and step.workflow not in plan.by_id:
            yield FindingKind.UNKNOWN_WORKFLOW, f"the plan has no {step.workflow!r}"

    def _of_calls(self, step: ScenarioStep) -> Found:
        if not isinstance(step, CallStep) or step.agent not in self._team:
            return
        card = self._team[step.agent]
        for tool in dict.fromkeys(call.tool for call in step.calls if call.tool not in card.tool_by_name):
            owner = self._owner.get(tool)
            if owner is None:
                yield FindingKind.UNKNOWN_TOOL, f"no agent has a tool {tool!r}"
            else:
                yield FindingKind.FOREIGN_TOOL, f"{tool} is a tool of {owner}, not of {step.agent}"
        for call in step.calls:
            if problems := self._problems(step.agent, call):
                yield FindingKind.SCHEMA_VIOLATION, f"{call.tool}: {'; '.join(problems)}"

    def _problems(self, agent: str, call: GoldCall) -> list[str]:
        """Breaches of the schema of the tool, the agent's own or else its owner's."""
        holder = agent if call.tool in self._team[agent].tool_by_name else self._owner.get(call.tool)
        if holder is None:
            return []
        from worktrial.outside.schemas import SchemaCheck, Uncheckable

        key = holder, call.tool
        if key not in self._checks:
            self._checks[key] = SchemaCheck(self._team[holder].tool_by_name[call.tool].parameters)
        try:
            misfits = self._checks[key].misfits(call.arguments)
        except Uncheckable as e:
            return [f"its schema {e}"]
        return list(dict.fromkeys(map(_problem, misfits)))


def _problem(error: "ValidationError") -> str:
    field = ".".join(str(part) for part in error.absolute_path)
    wanted: Any = error.validator_value
    given: Any = error.instance
    match error.validator:
        case "required":
            within = f"{field} lacks" if field else "lacks"
            return f"{within} {', '.join(name for name in wanted if name not in given)}"
        case "additionalProperties":
            schema: Any = error.schema
            extra = [name for name in given if name not in schema.get("properties", {})]
            return f"{field or 'the tool'} has no argument {', '.join(extra)}"
        case "type":
            return f"{field} is {_kind(given)}, not {wanted}"
        case "enum":
            return f"{field} is none of its values"
        case other:
            return f"{field or 'the call'} breaks its {other}"


def _kind(value: JsonValue) -> str:
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return kinds.get(type(value), "null")
