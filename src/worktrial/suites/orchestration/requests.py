"""What a team under trial is asked: one request for each gold step, all on the recorded history."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from worktrial.language import JsonObject, Message
from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.duties import MAIN
from worktrial.suites.orchestration.planning.scenario import CallStep, OddStep, PlanStep, RefusalStep, Scenario
from worktrial.suites.orchestration.planning.turns import Views
from worktrial.suites.orchestration.prompting import agent_messages, agent_tools, planner_messages

GoldStep = PlanStep | CallStep | RefusalStep | OddStep
"""A step that someone of the team has to make."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request: for a plan, or to a domain agent."""

    step: GoldStep
    messages: Sequence[Message]
    tools: Sequence[JsonObject] = ()

    @property
    def is_for_plan(self) -> bool:
        """Whether the main model is asked, not a domain agent."""
        return is_for_plan(self.step)

    @property
    def digest(self) -> str:
        """SHA-256 over messages and tools, so that runs can be checked to have asked the same."""
        asked = json.dumps([list(self.messages), list(self.tools)], ensure_ascii=False, sort_keys=True, default=str)
        return sha256(asked.encode(errors="surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Asking:
    """All requests of one scenario."""

    requests: Sequence[Request]
    queries: Mapping[int, str]
    """What each domain agent is asked, by step."""


def is_for_plan(step: GoldStep) -> bool:
    """Whether the main model has to make the step, and it is a plan."""
    return isinstance(step, PlanStep) or (isinstance(step, OddStep) and step.agent == MAIN)


def gold_steps(scenario: Scenario, team: Team) -> tuple[list[GoldStep], list[int]]:
    """The steps that the team is asked about, and the ids of those that nobody can be asked about.

    An agent without a card has neither a description nor tools, so a request to it would make no sense.
    """
    asked: list[GoldStep] = []
    unasked: list[int] = []
    for step in scenario.steps:
        if not isinstance(step, GoldStep) or (isinstance(step, OddStep) and step.is_left_out):
            continue
        if is_for_plan(step) or step.agent in team:
            asked.append(step)
        else:
            unasked.append(step.id)
    return asked, unasked


def requests_of(scenario: Scenario, team: Team, *, compact: bool = False) -> Asking:
    """The requests of a scenario, in the order of its steps.

    Args:
        scenario: The recorded conversation.
        team: The domain agents.
        compact: See `planner_messages`.
    """
    views = Views(scenario)
    requests: list[Request] = []
    queries: dict[int, str] = {}
    for step in gold_steps(scenario, team)[0]:
        if is_for_plan(step):
            plan, entries = views.planner(step)
            messages = planner_messages(scenario.language, team, scenario.note, plan, entries, compact=compact)
            requests.append(Request(step, messages))
            continue
        query, entries = views.agent(step)
        queries[step.id] = query
        card = team[step.agent]
        messages = agent_messages(scenario.language, card, scenario.note, query, entries)
        requests.append(Request(step, messages, agent_tools(card)))
    return Asking(requests, queries)
