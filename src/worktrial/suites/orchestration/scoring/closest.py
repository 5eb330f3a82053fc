"""The calls of a team that come closest to the recorded ones."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from worktrial.suites.orchestration.planning.cards import Team, only_reads
from worktrial.suites.orchestration.planning.scenario import CallStep, Scenario
from worktrial.suites.orchestration.planning.turns import ValueCase, Verdicts
from worktrial.suites.orchestration.scoring.calls.calls import Call
from worktrial.suites.orchestration.scoring.calls.decisive import decisive_arguments
from worktrial.suites.orchestration.scoring.calls.matching import Argument, match
from worktrial.suites.orchestration.scoring.calls.ours import JUDGED_RIGHT
from worktrial.suites.orchestration.scoring.calls.recorded import GoldPlace, gold_calls, schema_of
from worktrial.suites.orchestration.scoring.calls.schema import ArgumentSchema
from worktrial.suites.orchestration.scoring.calls.values import ValueOutcome
from worktrial.suites.orchestration.scoring.work import TeamCall


@dataclass(frozen=True, slots=True)
class ClosestCall:
    """The call of the team that comes closest to a recorded one."""

    index: int
    """Its place among the team's calls."""
    arguments: tuple[Argument, ...]
    """Arguments that can change what comes of it (`decisive_arguments`)."""

    @property
    def needs(self) -> tuple[ValueCase, ...]:
        """Cases for a judge; none where an argument is wrong anyway."""
        if any(a.outcome not in (ValueOutcome.EQUAL, ValueOutcome.OPEN) for a in self.arguments):
            return ()
        return tuple(a.case for a in self.arguments if a.case is not None)

    def is_made(self, verdicts: Verdicts | None) -> bool:
        """Whether it comes to the recorded call: its arguments are equal, or judged so where there are judges."""
        known = verdicts if self.needs else None
        return all(a.score(known) > JUDGED_RIGHT for a in self.arguments)


def right_agents(step: CallStep, tool: str, team: Team) -> frozenset[str]:
    """Agents that may make a recorded call: its agent; the tool's owner where that agent lacks the tool."""
    card = team.get(step.agent)
    if card is not None and tool in card.tool_by_name:
        return frozenset({step.agent})
    owners = frozenset(agent for agent, card in team.items() if tool in card.tool_by_name)
    return owners or frozenset({step.agent})


def candidates(scenario: Scenario, team: Team, made: Sequence[TeamCall]) -> dict[GoldPlace, ClosestCall]:
    """The closest call by a right agent to each recorded call, one to one; calls of other tools are never close.

    Calls that were recognised when they were made come first; the rest are assigned by the greatest likeness.
    """
    gold = {
        at: (step, Call(step.calls[at.place].tool, step.calls[at.place].arguments))
        for step, at in gold_calls(scenario)
    }
    chosen = _recognised(gold, made, team)
    by_tool: dict[str, list[GoldPlace]] = defaultdict(list)
    for at, (_, call) in gold.items():
        if at not in chosen:
            by_tool[call.tool].append(at)
    taken = set(chosen.values())
    for tool, places in by_tool.items():
        agents = frozenset().union(*(right_agents(gold[at][0], tool, team) for at in places))
        free = [n for n, m in enumerate(made) if m.call.tool == tool and m.agent in agents and n not in taken]
        schema = schema_of(team, tool)
        chosen |= _assigned([(at, gold[at][1]) for at in places], [(n, made[n].call) for n in free], schema)
    return {
        at: _candidate(gold[at][1], index, made[index], team, reads=reads_only(*gold[at], team))
        for at, index in chosen.items()
    }


def reads_only(step: CallStep, call: Call, team: Team) -> bool:
    """Whether a recorded call changes nothing, whichever right agent makes it."""
    return all(only_reads(team, agent, call.tool) for agent in right_agents(step, call.tool, team))


def _recognised(
    gold: dict[GoldPlace, tuple[CallStep, Call]], made: Iterable[TeamCall], team: Team
) -> dict[GoldPlace, int]:
    found: dict[GoldPlace, int] = {}
    for index, call in enumerate(made):
        if call.gold is not None and call.gold not in found:
            step, wanted = gold[call.gold]
            if call.agent in right_agents(step, wanted.tool, team):
                found[call.gold] = index
    return found


def _assigned(
    gold: Sequence[tuple[GoldPlace, Call]], made: Sequence[tuple[int, Call]], schema: ArgumentSchema
) -> dict[GoldPlace, int]:
    if not gold or not made:
        return {}
    # By identity: equal calls are still several calls.
    places = {id(call): at for at, call in gold}
    indexes = {id(call): index for index, call in made}
    pairs = match([call for _, call in gold], [call for _, call in made], lambda _: schema, "")
    return {
        places[id(p.gold)]: indexes[id(p.predicted)]
        for p in pairs
        if p.gold is not None and p.predicted is not None
    }


def _candidate(gold: Call, index: int, made: TeamCall, team: Team, *, reads: bool) -> ClosestCall:
    schema = schema_of(team, gold.tool)
    return ClosestCall(index, decisive_arguments(gold, made.call, schema, reads=reads, context=made.query))
