"""Log of a free-running trial: the record that is scored and stored."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from worktrial.language import JsonObject, Message
from worktrial.suites.orchestration.planning.scenario import PlanStep, WorkflowPlan
from worktrial.suites.orchestration.scoring.both import goal_rate, goal_sums
from worktrial.suites.orchestration.scoring.calls.calls import Call, StepDecision
from worktrial.suites.orchestration.scoring.calls.recorded import GoldPlace
from worktrial.suites.orchestration.scoring.goals import GoalScore, Met
from worktrial.suites.orchestration.scoring.work import TeamCall, TeamRefusal, TeamWork
from worktrial.workplaces import Origin, ToolCall, Trajectory


@dataclass(frozen=True, slots=True)
class MadeCall:
    """A tool call of a domain agent."""

    call: ToolCall
    agent: str
    workflow: str
    user_turn: int
    query: str
    """Request of the plan to the agent."""
    gold: GoldPlace | None = None
    """The recorded call that it was found to be."""


@dataclass(slots=True)
class PlannerTurn:
    """One answer of the planner."""

    user_turn: int
    message: Message
    plan: WorkflowPlan | None
    """Plan that was read from it; null for words to the user."""
    unread: bool = False
    """Whether it looks like a plan but could not be read, and was taken for words."""
    stuck: dict[str, str] = field(default_factory=dict)
    """The workflows that could not start when nothing else was left to do, with the reason."""


@dataclass(slots=True)
class AgentRun:
    """A domain agent's work on one step of a workflow, from the request to its last word."""

    user_turn: int
    round: int
    workflow: str
    agent: str
    query: str
    messages: list[Message] = field(default_factory=list)
    """Its answers verbatim, and the results that it got."""
    calls: list[int] = field(default_factory=list)
    """Their indexes among all calls."""
    text: str = ""
    decision: StepDecision = StepDecision.NO_DECISION
    end: str = ""
    """`done`, `asked` (the user), or `failed: WHY`."""


@dataclass(slots=True)
class Log:
    """Everything, in the order in which it ended."""

    trajectory: Trajectory = field(default_factory=Trajectory)
    """The record of the whole team: its calls, and as turns the answers of planner and domain agents together."""
    planner: list[PlannerTurn] = field(default_factory=list)
    runs: list[AgentRun] = field(default_factory=list)
    calls: list[MadeCall] = field(default_factory=list)
    replies: dict[int, str] = field(default_factory=dict)
    """Words to the user, by user turn; a turn without an entry ended without a word."""
    user_turns: int = 0
    """Number of the user's turns that the work came to."""

    @property
    def requests(self) -> int:
        """Number of requests to planner and domain agents."""
        return self.trajectory.turns

    def plan_of(self, user_turn: int) -> WorkflowPlan | None:
        """The first plan that the planner wrote in a turn of the user: the one made from what the user said."""
        return next((t.plan for t in self.planner if t.user_turn == user_turn and t.plan is not None), None)

    def answered_by(self, *origins: Origin) -> int:
        """Number of calls that got their answer from one of `origins`."""
        return sum(made.call.observation.origin in origins for made in self.calls)

    @property
    def stuck(self) -> list[JsonObject]:
        """The workflows that could never start, each with the reason, once for each turn of the user."""
        found = {(turn.user_turn, workflow): why for turn in self.planner for workflow, why in turn.stuck.items()}
        return [{"turn": turn, "workflow": workflow, "why": why} for (turn, workflow), why in found.items()]


def trajectory_line(log: Log, note: str, user: Sequence[str], prompt: Sequence[Message]) -> JsonObject:
    """The log as stored work.

    `messages` is the planner's side as a conversation, `turns` the whole work in order, `calls` all tool calls with
    what was really answered and what the agent saw.
    """
    messages: list[Message] = [{"role": "system", "content": note}] if note else []
    turns: list[JsonObject] = []
    for number, text in enumerate(user[: log.user_turns]):
        answers = [turn for turn in log.planner if turn.user_turn == number]
        messages += [{"role": "user", "content": text}, *(turn.message for turn in answers)]
        turns.append(
            {
                "user": text,
                "planner": [
                    {"plan": turn.plan is not None, "unread": turn.unread, "stuck": turn.stuck} for turn in answers
                ],
                "work": [_run_row(run) for run in log.runs if run.user_turn == number],
                "reply": log.replies.get(number),
            }
        )
    return {
        "planner_prompt": list(prompt),
        "messages": messages,
        "turns": turns,
        "calls": [_call_row(made) for made in log.calls],
        "stop_reason": log.trajectory.stop_reason.value,
    }


def _run_row(run: AgentRun) -> JsonObject:
    return {
        "round": run.round,
        "workflow": run.workflow,
        "agent": run.agent,
        "query": run.query,
        "messages": run.messages,
        "calls": run.calls,
        "decision": run.decision.value,
        "end": run.end,
    }


def _call_row(made: MadeCall) -> JsonObject:
    call = made.call
    return {
        "index": call.index,
        "turn": call.turn,
        "tool": call.tool,
        "arguments": call.arguments,
        "observation": call.observation,
        "seconds": call.seconds,
        "agent": made.agent,
        "workflow": made.workflow,
        "user_turn": made.user_turn,
        "gold": None if made.gold is None else list(made.gold),
    }


def work_in_log(log: Log) -> TeamWork:
    """Work of a free-running team. A call that a fault or a refusal kept from the tools did nothing."""
    calls = [
        TeamCall(
            Call(made.call.tool, made.call.arguments if isinstance(made.call.arguments, dict) else None),
            made.agent,
            made.user_turn,
            made.query,
            made.gold,
        )
        for made in log.calls
        if made.call.observation.origin not in (Origin.FAULT, Origin.REFUSAL)
    ]
    refusals = [TeamRefusal(r.decision, r.agent, r.user_turn) for r in log.runs if r.decision.is_refusal]
    plans = {turn: plan for turn in range(log.user_turns) if (plan := log.plan_of(turn)) is not None}
    return TeamWork(calls, refusals, plans)


def free_measures(score: GoalScore, met: Met, log: Log) -> JsonObject:
    """The entry `free` of `SampleResult.measures`.

    `plans` has our score of the first plan of every turn of the user that has one in the recording; `sums`
    adds up over scenarios and has the same keys for all.
    """
    plans = [
        {
            "step": step.id,
            "turn": met.turns[step.id],
            "score": (plan := score.plans[step.id]).score,
            "structure": plan.structure,
            "components": plan.components,
            "exact": plan.exact,
            "error": plan.error,
            **score.edits_of(step),
        }
        for step in score.scenario.steps
        if isinstance(step, PlanStep)
    ]
    stuck = log.stuck
    return {
        "goals": list(met.goals),
        "goal_rate": goal_rate(met),
        "completed": met.completed,
        "plans": plans,
        "first_failure": met.first_failure,
        "missed": list(met.missed),
        "failures": met.failures,
        "user_turns": log.user_turns,
        "requests": log.requests,
        "stuck": stuck,
        "simulated_calls": log.answered_by(Origin.SIMULATOR, Origin.LEDGER),
        "gold_calls": met.calls,
        "calls_made": met.calls_made,
        "unread_plans": sum(turn.unread for turn in log.planner),
        "sums": goal_sums(score, met) | _work_sums(log),
    }


def _work_sums(log: Log) -> dict[str, float]:
    return {
        "user_turns": log.user_turns,
        "requests": log.requests,
        "calls": len(log.calls),
        "recorded_calls": sum(made.gold is not None for made in log.calls),
        "simulated_calls": log.answered_by(Origin.SIMULATOR, Origin.LEDGER),
        "refused_calls": log.answered_by(Origin.REFUSAL),
        "stuck": len(log.stuck),
    }
