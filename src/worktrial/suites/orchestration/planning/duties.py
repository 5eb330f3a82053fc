"""Duties: which workflow a domain agent's recorded step is for, and what the agent was asked."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from worktrial.suites.orchestration.planning.scenario import (
    CallStep,
    OddStep,
    PlanStep,
    Scenario,
    ScenarioStep,
    UserTurn,
    Workflow,
    WorkflowPlan,
    WorkflowStep,
)


class Said(StrEnum):
    """Meanings of the status of a workflow or step."""

    PENDING = "pending"  # to be done; also any status that says nothing known
    PAUSED = "paused"
    COMPLETED = "completed"
    CANCELED = "canceled"
    FAILED = "failed"


# The data has `cancelled`, `canceled`, `_x0008_cancelled` and `competed`; models add words of their own.
_PATTERNS = (
    (Said.CANCELED, re.compile("cancel|abort|abandon|dropped|skipped|replaced", re.IGNORECASE)),
    (Said.FAILED, re.compile("fail|error", re.IGNORECASE)),
    (Said.PAUSED, re.compile("pause|wait|on.?hold|suspend|interrupted", re.IGNORECASE)),
    (Said.COMPLETED, re.compile("^(?!in|un|not|partial).*(compl?ete|done|finished|success)", re.IGNORECASE)),
)


def said(status: str) -> Said:
    """The meaning of `status`."""
    return next((meaning for meaning, pattern in _PATTERNS if pattern.search(status)), Said.PENDING)


MAIN = "main"
# `workflow_2`, `workflow_2-1` and `interrupted_workflow_2-1` share a number; the recordings often name only that.
_NUMBER = re.compile(r"(?:interrupted_)?workflow_?(\d+)")


@dataclass(frozen=True, slots=True)
class Duty:
    """Purpose of one step of a domain agent."""

    workflow: str | None
    """The workflow it works for; null where no plan up to the step knows one."""
    query: str
    """Request to the agent, in the words of a plan no later than the step; else the user's last words."""
    round: int
    """Steps of one round come after the same user turn or plan, so that nobody has yet put them together."""


def is_domain_step(step: ScenarioStep) -> bool:
    """Whether a domain agent is at work, even if what it did cannot be read."""
    return not isinstance(step, UserTurn) and step.agent not in (MAIN, "user")


def duties(scenario: Scenario) -> dict[int, Duty]:
    """The duty of every domain agent's step, by `ScenarioStep.id`.

    `ScenarioStep.workflow` is a hint only: it is often null, and often names the number that a workflow was derived
    from or one that is long completed.
    """
    ledger = _Ledger()
    found: dict[int, Duty] = {}
    for step in scenario.steps:
        if isinstance(step, UserTurn):
            ledger.user_speaks(step)
        elif isinstance(step, PlanStep):
            ledger.replan(step.plan)
        elif isinstance(step, OddStep) and step.agent == MAIN:
            ledger.new_round()
        elif is_domain_step(step):
            found[step.id] = ledger.assign(step)
    return found


@dataclass(slots=True)
class _Ledger:
    """Record of what has been done for which workflow, up to some step."""

    plan: WorkflowPlan | None = None
    round: int = 0
    user_opened: bool = False
    """Whether the round began with the user, so that what waited for an answer goes on."""
    words: str = ""
    """The user's last words."""
    calls: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Steps with calls since the plan, by workflow and agent."""
    waiting: dict[tuple[str, str], int] = field(default_factory=dict)
    """The round in which an agent last stopped without a call."""
    earlier: list[WorkflowPlan] = field(default_factory=list)

    def new_round(self) -> None:
        self.round += 1
        self.user_opened = False

    def user_speaks(self, turn: UserTurn) -> None:
        self.new_round()
        self.user_opened = True
        self.words = turn.text

    def replan(self, plan: WorkflowPlan) -> None:
        self.new_round()
        if self.plan is not None:
            self.earlier.append(self.plan)
        self.plan = plan
        self.calls.clear()

    def assign(self, step: ScenarioStep) -> Duty:
        workflow, query = self._workflow(step)
        if workflow is None:
            return Duty(None, query or self.words, self.round)
        key = workflow.id, step.agent
        if isinstance(step, CallStep):
            self.calls[key] += 1
            self.waiting.pop(key, None)
        else:
            self.waiting[key] = self.round
        return Duty(workflow.id, query or self.words, self.round)

    def _workflow(self, step: ScenarioStep) -> tuple[Workflow | None, str]:
        if self.plan is None:
            return None, ""
        workflows = self.plan.workflows
        able = [w for w in workflows if any(s.agent == step.agent for s in w.steps)]
        if able:
            order = {w.id: n for n, w in enumerate(workflows)}
            chosen = min(_hinted(able, step.workflow), key=lambda w: self._rank(w, step.agent, order[w.id]))
            steps = [s for s in chosen.steps if s.agent == step.agent]
            return chosen, _next(steps, self.calls[chosen.id, step.agent])
        # The plan forgot the agent, or wrote another's name.
        named = self.plan.by_id.get(step.workflow or "")
        if named is not None:
            return named, _next(named.steps, self.calls[named.id, step.agent])
        old = [s.query for plan in self.earlier for w in plan.workflows for s in w.steps if s.agent == step.agent]
        return None, old[-1] if old else ""

    def _rank(self, workflow: Workflow, agent: str, place: int) -> tuple[bool, bool, bool, bool, bool, bool, int]:
        """The likelier a workflow is the one at work, the lower."""
        key = workflow.id, agent
        since = self.waiting.get(key)
        answered = self.user_opened and since is not None and since < self.round
        mine = [s for s in workflow.steps if s.agent == agent and not _is_closed(s.status)]
        return (
            _is_closed(workflow.status),
            not answered,
            said(workflow.status) is Said.PAUSED,
            since == self.round,
            len(mine) <= self.calls[key],
            self.calls[key] > 0,
            place,
        )


def _hinted(able: list[Workflow], hint: str | None) -> list[Workflow]:
    """The workflows that the recording may mean by `hint`; all of them where it means none that is still open."""
    number = _NUMBER.match(hint or "")
    if number is None:
        return able
    same = [w for w in able if (m := _NUMBER.match(w.id)) is not None and m.group(1) == number.group(1)]
    some_open = any(not _is_closed(w.status) for w in able)
    is_stale = some_open and all(_is_closed(w.status) for w in same)
    return able if not same or is_stale else same


def _is_closed(status: str) -> bool:
    return said(status) in (Said.COMPLETED, Said.CANCELED)


def _next(steps: Sequence[WorkflowStep], done: int) -> str:
    """The request of the step that comes after `done` of the open ones."""
    open_steps = [s for s in steps if not _is_closed(s.status)] or list(steps)
    return open_steps[min(done, len(open_steps) - 1)].query if open_steps else ""
