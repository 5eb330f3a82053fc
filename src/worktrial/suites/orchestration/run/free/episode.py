"""One scenario run free, top to bottom: the user speaks, the planner plans, the team works, the planner replies."""

import asyncio
import re
from collections.abc import Iterator

from worktrial.errors import ContextOverflow, StopRun
from worktrial.language import Message
from worktrial.language.untrusted import encodable
from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.dag import PlanState
from worktrial.suites.orchestration.planning.plan_text import our_plan
from worktrial.suites.orchestration.planning.scenario import (
    Scenario,
    UserTurn,
    Workflow,
    WorkflowPlan,
    WorkflowStep,
)
from worktrial.suites.orchestration.planning.turns import (
    FREE_PLAN,
    AgentMoment,
    HistoryEntry,
    PlannerMoment,
    StepRequest,
)
from worktrial.suites.orchestration.run.cast import Cast
from worktrial.suites.orchestration.run.free.agent import ASKED, DONE, AgentAtWork, RequestBudget
from worktrial.suites.orchestration.run.free.log import AgentRun, Log, PlannerTurn
from worktrial.suites.orchestration.run.prompts import planner_messages
from worktrial.workplaces import StopReason, ending

SCHEDULER = "scheduler"
"""Speaker that tells the planner, in the history, what could not be started."""
_LIKE_A_PLAN = re.compile(r"workflow_?\d[\w-]*[\"']?\s*:")


class FreeRun:
    """The state of one scenario while it runs."""

    def __init__(
        self,
        scenario: Scenario,
        team: Team,
        cast: Cast,
        agents: AgentAtWork,
        budget: RequestBudget,
        *,
        planner_turns: int,
        compact: bool = False,
    ) -> None:
        """Set up a run.

        Args:
            scenario: Whose user speaks.
            team: The agents that the planner may use.
            cast: Who plans.
            agents: Who does the work.
            budget: Has the log, and the bounds on everything together.
            planner_turns: Answers of the planner to one turn of the user.
            compact: Whether the planner is shown the cards' skills by name only.
        """
        self._scenario = scenario
        self._team = team
        self._cast = cast
        self._agents = agents
        self._budget = budget
        self._planner_turns = planner_turns
        self._compact = compact
        self._log: Log = budget.log
        self._state = PlanState()
        self.prompt: list[Message] = []
        """The planner's first prompt."""
        self._history: list[HistoryEntry] = []
        self._round: dict[str, list[HistoryEntry]] = {}
        """Work of the workflows since the planner was asked last; the others do not see it."""

    async def __call__(self) -> None:
        """Run the scenario and leave what happened in the log.

        The user's turns come in order, whatever the team makes of them. After each, what waited for the user is
        pending again and the planner is asked; its plan is merged, everything that can start works in parallel, and
        the planner is asked again with the results, until it replies in words with nothing left to start.

        Raises:
            InvalidSample: an endpoint fails for good.
            StopRun: going on would be pointless.
        """
        turns = [step for step in self._scenario.steps if isinstance(step, UserTurn)]
        for number, turn in enumerate(turns):
            if self._budget.is_spent():
                return
            self._log.user_turns += 1
            self._history.append(HistoryEntry("user", turn.text))
            # The planner sees what waits for the user as waiting; it goes on unless the planner says otherwise.
            shown = self._state.snapshot()
            self._state.user_spoke()
            if not await self._answer(number, shown):
                return

    async def _answer(self, number: int, shown: WorkflowPlan) -> bool:
        """Answer one turn of the user; False when the work is over."""
        for round in range(self._planner_turns):
            if not self._budget.take():
                return False
            scenario = self._scenario
            messages = planner_messages(
                scenario.language,
                self._team,
                scenario.note,
                shown,
                self._history,
                free=True,
                compact=self._compact,
            )
            self.prompt = self.prompt or messages
            try:
                # Prompts repeat where nothing has changed; each time is a draw of its own.
                draw, moment = 100 * number + round, PlannerMoment(number, shown)
                words = next(entry.text for entry in reversed(self._history) if entry.who == "user")
                completion = await self._cast(StepRequest(FREE_PLAN, messages, (), words, draw, moment))
            except ContextOverflow:
                self._log.trajectory.stop_reason = StopReason.CONTEXT_LIMIT
                return False
            if (kept := completion.withheld()) is not None:
                if self._log.requests == 1:
                    raise kept
                self._log.trajectory.stop_reason = ending(completion)
                return False
            text = completion.text.strip()
            # In a thread: what a model writes may take long to read.
            read = await asyncio.to_thread(our_plan, completion.text)
            plan = None if read is None else _sendable(read)
            turn = PlannerTurn(number, completion.message, plan)
            self._log.planner.append(turn)
            if plan is not None:
                self._state.merge(plan)
            else:
                turn.unread = _LIKE_A_PLAN.search(text) is not None
                self._log.replies[number] = text
                if text:
                    self._history.append(HistoryEntry("main", text))
                if not self._state.ready():
                    return True
            await self._work(number, round)
            turn.stuck = self._tell_stuck(turn)
            shown = self._state.snapshot()
        return True

    async def _work(self, number: int, round: int) -> None:
        """Run whatever is ready, and whatever becomes ready, until nothing is."""
        self._round = {}
        try:
            async with asyncio.TaskGroup() as group:

                def start_ready() -> None:
                    for workflow in self._state.ready():
                        self._state.start(workflow.id)
                        group.create_task(carry_out(workflow))

                async def carry_out(workflow: Workflow) -> None:
                    await self._carry_out(workflow, number, round)
                    start_ready()

                start_ready()
        except ExceptionGroup as failed:
            # A caller that watches for StopRun must not have to look into groups for it.
            leaves = list(_leaves(failed))
            first = next((e for e in leaves if isinstance(e, StopRun)), leaves[0])
            # What it came from stays what it came from: a crash of the user's own function is found there.
            raise first from first.__cause__
        # In the order of the plan, so that the planner is told the same however long each of them took.
        self._history += [entry for id in self._state.ids for entry in self._round.get(id, ())]

    async def _carry_out(self, workflow: Workflow, number: int, round: int) -> None:
        state, done = self._state, self._round.setdefault(workflow.id, [])
        for place in range(state[workflow.id].done, len(workflow.steps)):
            step = workflow.steps[place]
            run = AgentRun(number, round, workflow.id, step.agent, step.query)
            self._log.runs.append(run)
            card = self._team.get(step.agent)
            if card is None:
                run.end = f"failed: the team has no agent {step.agent!r}"
                done.append(HistoryEntry("agent", run.end, step.agent, workflow.id))
            else:
                moment = AgentMoment(number, workflow, place)
                done.append(await self._agents(run, moment, card, self._seen_by(workflow)))
            if run.end == ASKED:
                state.wait_for_user(workflow.id)
                return
            if run.end != DONE:
                state.fail(workflow.id, run.end.removeprefix("failed: "))
                return
            state.step_done(workflow.id)
        state.finish(workflow.id)

    def _seen_by(self, workflow: Workflow) -> list[HistoryEntry]:
        """Everything up to the planner's last answer; since then, what the workflow and those it waits for did."""
        shared = {workflow.id, *self._state.leading_to(workflow.id)}
        recent = [entry for id in self._state.ids if id in shared for entry in self._round.get(id, ())]
        return [*self._history, *recent]

    def _tell_stuck(self, turn: PlannerTurn) -> dict[str, str]:
        stuck = self._state.stuck()
        told = {pair for t in self._log.planner if t.user_turn == turn.user_turn for pair in t.stuck.items()}
        for workflow, why in stuck.items():
            if (workflow, why) not in told:
                self._history.append(HistoryEntry("agent", f"cannot start: {why}", SCHEDULER, workflow))
        return stuck


def _sendable(plan: WorkflowPlan) -> WorkflowPlan:
    """`plan` without characters that cannot leave the process; its words go into prompts and records."""

    def step(s: WorkflowStep) -> WorkflowStep:
        return WorkflowStep(encodable(s.agent), encodable(s.status), encodable(s.query))

    return WorkflowPlan(
        tuple(
            Workflow(
                encodable(w.id),
                encodable(w.status),
                encodable(w.type),
                tuple(map(encodable, w.depends_on)),
                tuple(map(step, w.steps)),
            )
            for w in plan.workflows
        )
    )


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for e in group.exceptions:
        if isinstance(e, BaseExceptionGroup):
            yield from _leaves(e)
        else:
            yield e
