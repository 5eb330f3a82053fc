"""Plans in force while a team runs free: what is ready, at work, waiting, done, or stuck."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from worktrial.suites.orchestration.planning.duties import Said, said
from worktrial.suites.orchestration.planning.scenario import Workflow, WorkflowPlan, WorkflowStep


def never_ready(waits: Mapping[str, Sequence[str]], lost: Mapping[str, str]) -> dict[str, str]:
    """The workflows of `waits` that can never start, each with the reason.

    Args:
        waits: For every waiting workflow, what it still waits for. What is neither waiting itself nor lost may yet
            be done.
        lost: What will never be done, with the end of a sentence that says so, such as "failed: no such tool".
    """
    hopeless = _hopeless(waits, lost)
    return {workflow: _reason(workflow, waits, lost, hopeless) for workflow in waits if workflow in hopeless}


def _hopeless(waits: Mapping[str, Sequence[str]], lost: Mapping[str, str]) -> set[str]:
    # What can start does so in the order of its dependencies; whoever that order never reaches is stuck.
    dependents: dict[str, set[str]] = defaultdict(set)
    open_ends = {workflow: {d for d in needed if d in waits or d in lost} for workflow, needed in waits.items()}
    for workflow, needed in open_ends.items():
        for dependency in needed:
            dependents[dependency].add(workflow)
    able = [workflow for workflow, needed in open_ends.items() if not needed]
    reached = set(able)
    while able:
        dependency = able.pop()
        for workflow in dependents[dependency]:
            open_ends[workflow].discard(dependency)
            if not open_ends[workflow] and workflow not in reached:
                reached.add(workflow)
                able.append(workflow)
    return set(waits) - reached


def _reason(workflow: str, waits: Mapping[str, Sequence[str]], lost: Mapping[str, str], hopeless: set[str]) -> str:
    for dependency in waits[workflow]:
        if dependency in lost:
            return f"it depends on {dependency}, which {lost[dependency]}"
    if cycle := _cycle(workflow, waits, hopeless):
        return f"it depends on itself: {' -> '.join(cycle)}"
    first = next(d for d in waits[workflow] if d in hopeless)
    return f"it depends on {first}, which cannot start either"


def _cycle(start: str, waits: Mapping[str, Sequence[str]], hopeless: set[str]) -> list[str]:
    """A shortest way along dependencies from `start` back to it; [] when there is none."""
    came_from: dict[str, str] = {}
    frontier = [start]
    while frontier:
        following = []
        for workflow in frontier:
            for dependency in waits[workflow]:
                if dependency == start:
                    way = [start, workflow]
                    while way[-1] != start:
                        way.append(came_from[way[-1]])
                    return way[::-1]
                if dependency in hopeless and dependency not in came_from:
                    came_from[dependency] = workflow
                    following.append(dependency)
        frontier = following
    return []


_INTERRUPTS = re.compile(r"interrupted_(?P<base>.+?)(?:-\d+)?")
_REPLACES = re.compile(r"(?P<base>.+)-\d+")


class Phase(StrEnum):
    """Progress of a workflow."""

    PENDING = "pending"
    RUNNING = "running"
    ASKED = "asked"  # a domain agent has asked the user, and the user has not answered yet
    PAUSED = "paused"  # by the plan, until the user's next turn or a plan that wants it again
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"  # the plan cancelled it, or another workflow took its place


_STATUS = {
    Phase.PENDING: "pending",
    Phase.RUNNING: "pending",
    Phase.ASKED: "paused",
    Phase.PAUSED: "paused",
    Phase.DONE: "completed",
    Phase.FAILED: "failed",
    Phase.STOPPED: "canceled",
}


@dataclass(slots=True)
class Progress:
    """One workflow and how far it has come."""

    workflow: Workflow
    """Workflow as the latest plan that names it has it."""
    phase: Phase = Phase.PENDING
    done: int = 0
    """Steps that need not be done (again)."""
    why: str = ""
    """Why it failed or stopped."""
    heir: str | None = None
    """The workflow that took its place."""


class PlanState:
    """The state of a plan's execution. Plans come in by `merge`, between the runs of workflows.

    Example:
        >>> state = PlanState()
        >>> state.merge(plan)
        >>> for workflow in state.ready():
        ...     for step in state.start(workflow.id):
        ...         state.step_done(workflow.id)
        ...     state.finish(workflow.id)
    """

    def __init__(self) -> None:
        self._all: dict[str, Progress] = {}

    def __getitem__(self, workflow: str) -> Progress:
        return self._all[workflow]

    @property
    def ids(self) -> Sequence[str]:
        """All workflows that any plan has named, in the order of their first mention."""
        return tuple(self._all)

    def in_phase(self, *phases: Phase) -> tuple[str, ...]:
        """The workflows in one of `phases`."""
        return tuple(id for id, progress in self._all.items() if progress.phase in phases)

    # Running workflows

    def ready(self) -> tuple[Workflow, ...]:
        """The pending workflows whose dependencies are all done, in plan order."""
        return tuple(p.workflow for p in self._all.values() if self._can_start(p))

    def start(self, workflow: str) -> tuple[WorkflowStep, ...]:
        """Take up a ready workflow; returns the steps still to do.

        Raises:
            ValueError: it is not ready.
        """
        progress = self._all[workflow]
        if not self._can_start(progress):
            raise ValueError(f"{workflow} is not ready")
        progress.phase = Phase.RUNNING
        return progress.workflow.steps[progress.done :]

    def step_done(self, workflow: str) -> None:
        """The first of the steps still to do of a running workflow is done."""
        self._running(workflow).done += 1

    def finish(self, workflow: str) -> None:
        """A running workflow is done, whichever steps were left."""
        progress = self._running(workflow)
        progress.phase, progress.done = Phase.DONE, len(progress.workflow.steps)

    def wait_for_user(self, workflow: str) -> None:
        """A running workflow needs something from the user; it goes on with its current step afterwards."""
        self._running(workflow).phase = Phase.ASKED

    def fail(self, workflow: str, why: str) -> None:
        """A running workflow cannot go on; a plan that wants it again has it tried again from its current step."""
        progress = self._running(workflow)
        progress.phase, progress.why = Phase.FAILED, why

    def user_spoke(self) -> tuple[str, ...]:
        """The user has had a turn: what waited for it, asked or paused, is pending again. Returns those."""
        waiting = self.in_phase(Phase.ASKED, Phase.PAUSED)
        for workflow in waiting:
            self._all[workflow].phase = Phase.PENDING
        return waiting

    # Plans

    def merge(self, plan: WorkflowPlan) -> tuple[str, ...]:
        """Take in a new plan; returns the workflows that it made pending.

        - A new workflow is added with the status that the plan gives it.
        - A status of the plan other than pending is believed: completed work is done even if it never ran,
          paused waits for the user's next turn, cancelled stops. Work that is done stays done either way.
        - Pending work that has been done runs again only from its first changed step (agent or query). Pending work
          that waits for the user goes on waiting unless its steps changed. Failed, paused and cancelled work that
          is pending again is taken up where it stopped.
        - A new `interrupted_N` or `interrupted_N-M` pauses an unfinished N; a new `N-M` takes the place of an
          unfinished N, for those that depend on N as well.
        - Workflows that the plan leaves out stay as they are.

        Raises:
            ValueError: a workflow is running.
        """
        if running := self.in_phase(Phase.RUNNING):
            raise ValueError(f"{', '.join(running)}: still running")
        before = dict.fromkeys(self.in_phase(Phase.PENDING))
        new = [w.id for w in plan.workflows if w.id not in self._all]
        for workflow in plan.workflows:
            self._take(workflow)
        for workflow_id in new:
            if self._all[workflow_id].phase is Phase.PENDING:
                self._make_way_for(workflow_id)
        return tuple(id for id in self.in_phase(Phase.PENDING) if id not in before)

    def stuck(self) -> dict[str, str]:
        """The pending workflows that can never start, each with the reason.

        A dependency that is no workflow of any plan, one that failed or was stopped, a cycle, or a dependency that
        is stuck itself. Waiting for the user is not stuck.
        """
        waits: dict[str, list[str]] = {}
        lost: dict[str, str] = {}
        for workflow in self.in_phase(Phase.PENDING):
            waits[workflow] = []
            for named in self._all[workflow].workflow.depends_on:
                dependency = self._heir(named)
                progress = self._all.get(dependency)
                waits[workflow].append(dependency)
                if progress is None:
                    lost[dependency] = "is no workflow of the plan"
                elif progress.phase in (Phase.FAILED, Phase.STOPPED):
                    word = "failed" if progress.phase is Phase.FAILED else "was stopped"
                    lost[dependency] = f"{word}: {progress.why}"
        return never_ready(waits, lost)

    def leading_to(self, workflow: str) -> set[str]:
        """The workflows that `workflow` waits or has waited for, directly or not."""
        found: set[str] = set()
        unread = [workflow]
        while unread:
            progress = self._all.get(unread.pop())
            needed = [] if progress is None else list(map(self._heir, progress.workflow.depends_on))
            fresh = [d for d in needed if d in self._all and d not in found]
            found.update(fresh)
            unread += fresh
        return found

    def snapshot(self) -> WorkflowPlan:
        """The plan as it stands, in the words of plans: pending, completed, paused, canceled; failed for failed."""
        return WorkflowPlan(tuple(_as_it_stands(progress) for progress in self._all.values()))

    def _take(self, workflow: Workflow) -> None:
        progress = self._all.setdefault(workflow.id, Progress(workflow))
        old, progress.workflow = progress.workflow.steps, workflow
        status = said(workflow.status)
        if status is Said.COMPLETED or (progress.phase is Phase.DONE and status is not Said.PENDING):
            progress.phase, progress.done = Phase.DONE, len(workflow.steps)
            return
        kept = _unchanged(old, workflow.steps)
        changed = kept < max(len(old), len(workflow.steps))
        progress.done = max(min(progress.done, kept), _claimed(workflow.steps))
        if status is Said.PAUSED:
            progress.phase = Phase.PAUSED
        elif status is Said.CANCELED:
            progress.phase, progress.why = Phase.STOPPED, "the plan cancelled it"
        elif status is Said.FAILED:
            progress.phase, progress.why = Phase.FAILED, progress.why or "the plan says so"
        elif workflow.steps and progress.done == len(workflow.steps):
            progress.phase = Phase.DONE
        elif changed or progress.phase not in (Phase.ASKED, Phase.DONE):
            progress.phase, progress.heir, progress.why = Phase.PENDING, None, ""

    def _make_way_for(self, workflow: str) -> None:
        if match := _INTERRUPTS.fullmatch(workflow):
            base = self._all.get(match["base"])
            if base is not None and base.phase in (Phase.PENDING, Phase.ASKED):
                base.phase = Phase.PAUSED
        elif match := _REPLACES.fullmatch(workflow):
            base = self._all.get(match["base"])
            if base is not None and base.phase in (Phase.PENDING, Phase.ASKED, Phase.FAILED):
                base.phase, base.heir, base.why = Phase.STOPPED, workflow, f"{workflow} took its place"

    def _running(self, workflow: str) -> Progress:
        progress = self._all[workflow]
        if progress.phase is not Phase.RUNNING:
            raise ValueError(f"{workflow} is {progress.phase}, not running")
        return progress

    def _heir(self, workflow: str) -> str:
        # An heir was new when it took the place, so the line of heirs has an end.
        while (progress := self._all.get(workflow)) and progress.phase is Phase.STOPPED and progress.heir:
            workflow = progress.heir
        return workflow

    def _can_start(self, progress: Progress) -> bool:
        return progress.phase is Phase.PENDING and all(map(self._is_done, progress.workflow.depends_on))

    def _is_done(self, dependency: str) -> bool:
        progress = self._all.get(self._heir(dependency))
        return progress is not None and progress.phase is Phase.DONE


def _unchanged(old: Sequence[WorkflowStep], new: Sequence[WorkflowStep]) -> int:
    """Number of leading steps that ask the same of the same agent."""
    same = 0
    for a, b in zip(old, new, strict=False):
        if (a.agent, a.query) != (b.agent, b.query):
            break
        same += 1
    return same


def _claimed(steps: Sequence[WorkflowStep]) -> int:
    """Number of leading steps that are completed by the plan's word."""
    return next((n for n, step in enumerate(steps) if said(step.status) is not Said.COMPLETED), len(steps))


def _as_it_stands(progress: Progress) -> Workflow:
    workflow, status = progress.workflow, _STATUS[progress.phase]
    steps = tuple(
        WorkflowStep(step.agent, "completed" if n < progress.done else status, step.query)
        for n, step in enumerate(workflow.steps)
    )
    return Workflow(workflow.id, status, workflow.type, workflow.depends_on, steps)
