"""Goals of recorded workflows: which of them work that was done reaches."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from worktrial.language import JsonObject
from worktrial.suites.orchestration.options import SEARCH_NODES
from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.duties import duties
from worktrial.suites.orchestration.planning.scenario import CallStep, PlanStep, RefusalStep, Scenario, ScenarioStep
from worktrial.suites.orchestration.planning.turns import ValueCase, Verdicts
from worktrial.suites.orchestration.scoring.calls.calls import Call, StepDecision
from worktrial.suites.orchestration.scoring.calls.ours import JUDGED_RIGHT
from worktrial.suites.orchestration.scoring.calls.recorded import GoldPlace, gold_calls
from worktrial.suites.orchestration.scoring.closest import ClosestCall, candidates, reads_only, right_agents
from worktrial.suites.orchestration.scoring.distance.ours import PlanScore
from worktrial.suites.orchestration.scoring.work import TeamWork, turn_of

GOALS = "changes-and-requests"
"""The rule by which goals count as reached, for settings on record. Without one, every recorded call decided, with
every argument."""


KINDS = ("plan", "decision", "call", "order")
"""Kinds of what can be wrong about a recorded step: the plan is another one; the agent asked or refused instead
of calling, or the other way round; a call was not made; or it was made before one that its workflow waits for."""
NO_PLAN = PlanScore(0.0, 0.0, 0.0, error="no_plan")


@dataclass(frozen=True, slots=True)
class GoalScore:
    """A team's work beside the recording, scored as far as no judge is needed."""

    scenario: Scenario
    work: TeamWork
    plans: Mapping[int, PlanScore]
    """Scores by `ScenarioStep.id` of the recorded plans."""
    _made: Mapping[GoldPlace, ClosestCall]
    _agents: Mapping[GoldPlace, frozenset[str]]
    _changing: frozenset[int]
    """The call steps, by `ScenarioStep.id`, with a call that may change something."""

    @property
    def needs(self) -> tuple[ValueCase, ...]:
        """Cases for a judge, each once."""
        return tuple(dict.fromkeys(case for candidate in self._made.values() for case in candidate.needs))

    def edits_of(self, step: PlanStep) -> JsonObject:
        """Field `edits` (`plan_edits`) about a recorded plan beside the one that was written, where they differ."""
        # Imported here, as for `goal_score`, because only scoring needs it.
        from worktrial.suites.orchestration.scoring.distance.edits import edits_of

        written = self.work.plans.get(turn_of(self.scenario)[step.id])
        return edits_of(step.plan, written, self.plans[step.id])

    def met(self, verdicts: Verdicts | None) -> "Met":
        """Every recorded step with what is wrong about it.

        - A plan step is met by the recorded plan, up to names of workflows and wording.
        - A call step is met when every recorded call was made by the right agent, at any time, but not before a
          call of a workflow that its own waits for and that comes earlier in the recording. Arguments that cannot
          change what comes of a call do not decide (`decisive_arguments`).
        - A refusal is met when the agent gave the same one in the same turn of the user. Waiting for the user is
          also met where nobody had to be asked: the agent made all calls that the recording makes for the workflow
          afterwards, and none in an earlier turn than the recording.
        """
        made = {at: c.index for at, c in self._made.items() if c.is_made(verdicts)}
        return replace(_Reader(self, made).met(), missed=tuple(self._missed(made, verdicts)))

    def _missed(self, made: Mapping[GoldPlace, int], verdicts: Verdicts | None) -> Iterator[JsonObject]:
        turns = turn_of(self.scenario)
        for step, at in gold_calls(self.scenario):
            if at in made:
                continue
            closest = self._made.get(at)
            arguments = closest.arguments if closest is not None else ()
            known = verdicts if closest is not None and closest.needs else None
            yield {
                "step": step.id,
                "turn": turns[step.id],
                "tool": step.calls[at.place].tool,
                "arguments": [a.row(known) for a in arguments if a.score(known) <= JUDGED_RIGHT],
            }


@dataclass(frozen=True, slots=True)
class Met:
    """Recorded steps that were met, and what follows for the workflows."""

    wrong: Mapping[int, str]
    """One of `KINDS` for each step that was not met, by `ScenarioStep.id`, in the order of the steps."""
    turns: Mapping[int, int]
    goals: tuple[JsonObject, ...]
    """Goals, one for each workflow of the recording: `workflow`, `turn` (of the user, when it first comes up),
    `reached`, `steps` and `right` (calls and refusals), `calls` and `made`. A goal is reached when its calls that
    change something were made, and its last look-ups, after which it changes nothing."""
    calls_made: int
    calls: int
    missed: tuple[JsonObject, ...] = ()
    """Recorded calls that were not made: `step`, `turn`, `tool`, and the `arguments` on which the closest call
    fails; none where the team made no call of that tool that could be it."""

    @property
    def completed(self) -> bool:
        """Whether every goal was reached: what was to be changed was, and what the user asked was looked up."""
        return all(goal["reached"] for goal in self.goals)

    @property
    def first_failure(self) -> JsonObject | None:
        """The first recorded step that was not met: `step`, `kind` and `turn` of the user; None when all were."""
        first = next(iter(self.wrong.items()), None)
        return None if first is None else {"step": first[0], "kind": first[1], "turn": self.turns[first[0]]}

    @property
    def failures(self) -> dict[str, int]:
        """Number of steps that were not met, by kind."""
        counts = Counter(self.wrong.values())
        return {kind: counts[kind] for kind in KINDS}


def goal_score(scenario: Scenario, team: Team, work: TeamWork, *, nodes: int = SEARCH_NODES) -> GoalScore:
    """Compare what a team did with the recording. Blocks while plans are compared; call it in a thread."""
    # Imported here because only scoring needs the search.
    from worktrial.suites.orchestration.scoring.distance.ours import remembered_score

    turns = turn_of(scenario)
    plans = {
        step.id: remembered_score(step.plan, work.plans[turns[step.id]], nodes=nodes)
        if turns[step.id] in work.plans
        else NO_PLAN
        for step in scenario.steps
        if isinstance(step, PlanStep)
    }
    made = candidates(scenario, team, work.calls)
    steps = [step for step in scenario.steps if isinstance(step, CallStep)]
    agents = {
        GoldPlace(step.id, n): right_agents(step, call.tool, team)
        for step in steps
        for n, call in enumerate(step.calls)
    }
    changing = [
        step.id
        for step in steps
        if not all(reads_only(step, Call(call.tool, call.arguments), team) for call in step.calls)
    ]
    return GoalScore(scenario, work, plans, made, agents, frozenset(changing))


class _Reader:
    """Goes through the recording once the calls that were made are known."""

    def __init__(self, score: GoalScore, made: Mapping[GoldPlace, int]) -> None:
        self._score = score
        self._made = made
        self._turns = turn_of(score.scenario)
        self._workflow = {step: duty.workflow for step, duty in duties(score.scenario).items()}
        self._steps: dict[str | None, list[CallStep | RefusalStep]] = defaultdict(list)
        for step in score.scenario.steps:
            if isinstance(step, CallStep | RefusalStep):
                self._steps[self._workflow[step.id]].append(step)
        self._waits_for = _dependencies(score.scenario)

    def met(self) -> Met:
        wrong: dict[int, str] = {}
        for step in self._score.scenario.steps:
            match step:
                case PlanStep():
                    kind = None if self._score.plans[step.id].right else "plan"
                case CallStep():
                    kind = self._wrong_with_calls(step)
                case RefusalStep():
                    kind = None if self._is_refused(step) else "decision"
                case _:
                    continue
            if kind is not None:
                wrong[step.id] = kind
        goals = tuple(self._goal(workflow, wrong) for workflow in self._steps)
        made, calls = sum(g["made"] for g in goals), sum(g["calls"] for g in goals)
        return Met(wrong, self._turns, goals, made, calls)

    def _goal(self, workflow: str | None, wrong: Mapping[int, str]) -> JsonObject:
        steps = self._steps[workflow]
        calls = [step for step in steps if isinstance(step, CallStep)]
        last_change = max((step.id for step in calls if step.id in self._score._changing), default=-1)
        # What counts is what was done, and what was looked up for the user. What was looked up on the way to doing
        # something counts by what was then done; a question only where there is nothing to do.
        decisive = [s for s in calls if s.id in self._score._changing or s.id > last_change] or steps
        places = [GoldPlace(step.id, n) for step in calls for n in range(len(step.calls))]
        return {
            "workflow": workflow,
            "turn": self._turns[steps[0].id],
            "reached": all(step.id not in wrong for step in decisive),
            "steps": len(steps),
            "right": sum(step.id not in wrong for step in steps),
            "calls": len(places),
            "made": sum(at in self._made for at in places),
        }

    def _wrong_with_calls(self, step: CallStep) -> str | None:
        places = [GoldPlace(step.id, n) for n in range(len(step.calls))]
        made = [self._made[at] for at in places if at in self._made]
        if len(made) < len(places):
            agents = frozenset().union(*(self._score._agents[at] for at in places))
            return "decision" if not made and self._refused_instead(step, agents) else "call"
        before = [
            self._made[at]
            for workflow in self._waits_for.get(self._workflow[step.id] or "", ())
            for earlier in self._steps.get(workflow, ())
            if isinstance(earlier, CallStep) and earlier.id < step.id
            for n in range(len(earlier.calls))
            if (at := GoldPlace(earlier.id, n)) in self._made
        ]
        return "order" if before and made and max(before) > min(made) else None

    def _refused_instead(self, step: ScenarioStep, agents: frozenset[str]) -> bool:
        turn, work = self._turns[step.id], self._score.work
        called = any(c.agent in agents and c.user_turn == turn for c in work.calls)
        refused = sum(r.agent in agents and r.user_turn == turn for r in work.refusals)
        # The recording's own refusals stand for themselves, not for this step.
        called_for = sum(
            isinstance(s, RefusalStep) and s.agent in agents and self._turns[s.id] == turn
            for s in self._score.scenario.steps
        )
        return not called and refused > called_for

    def _is_refused(self, step: RefusalStep) -> bool:
        turn, wanted = self._turns[step.id], StepDecision(step.type.value)
        work = self._score.work
        if any((r.decision, r.agent, r.user_turn) == (wanted, step.agent, turn) for r in work.refusals):
            return True
        if wanted is not StepDecision.AWAITING_USER_INPUT:
            return False
        later = [
            GoldPlace(other.id, n)
            for other in self._steps[self._workflow[step.id]]
            if isinstance(other, CallStep) and other.id > step.id and other.agent == step.agent
            for n in range(len(other.calls))
        ]
        return bool(later) and all(
            at in self._made and work.calls[self._made[at]].user_turn >= self._turns[at.step] for at in later
        )


def _dependencies(scenario: Scenario) -> dict[str, set[str]]:
    """The workflows that each workflow waits for by any of the recorded plans."""
    found: dict[str, set[str]] = defaultdict(set)
    for step in scenario.steps:
        if isinstance(step, PlanStep):
            for workflow in step.plan.workflows:
                found[workflow.id].update(workflow.depends_on)
    return found
