"""Free-running trials in a few lines, and models for them that are scripted by what they are asked."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.support.cli import by_sample
from tests.support.request import ScriptedRequest
from tests.support.run_files import work_of
from tests.support.script import Answer
from tests.support.wire import completion, tool_call

from worktrial.engine.retry import RetryPolicy
from worktrial.engine.roles import Role, RoleName, RoleSettings
from worktrial.engine.run import run_trial
from worktrial.engine.run_plan import RunSettings
from worktrial.named_agents import resolve_agent
from worktrial.suites.orchestration import suite
from worktrial.suites.orchestration.planning.scenario import Language
from worktrial.suites.orchestration.run.free.trial import FreeSettings, FreeTrial
from worktrial.suites.orchestration.run.ground import Groundwork, load_tasks

QUICK = RetryPolicy(attempts=2, total_seconds=10, first_wait=0.01, longest_wait=0.02)
_REQUEST = re.compile(r"# Request to (\w+)\n(.*)")

Act = Callable[[ScriptedRequest, str], Answer]
"""What a domain agent answers to a request and the query in it."""


def run_free(
    data: Path | None,
    run: Path,
    agent: str = "agent-1",
    *,
    url: str = "",
    sub_agent: str | None = None,
    judges: int = 0,
    tasks: Sequence[str] = (),
    languages: Sequence[Language] = (Language.EN,),
    **settings: Any,
) -> dict[str, dict[str, Any]]:
    """Run the trial; the last record of each sample."""
    release, all_tasks = load_tasks(data, languages)
    chosen = [task for task in all_tasks if not tasks or task.id in tasks]
    chosen_settings = FreeSettings(**{"simulated": False, **settings})
    models: dict[RoleName, RoleSettings] = {}
    for role, spec in ((Role.AGENT, agent), (Role.SUB_AGENT, sub_agent)):
        if spec is not None and resolve_agent(spec, suite).needs_model:
            models[role] = RoleSettings(role=role, model=spec, base_url=url)
    if chosen_settings.simulated:
        models[Role.SIMULATOR] = RoleSettings(role=Role.SIMULATOR, model="simulator-1", base_url=url)
    seats = [
        RoleSettings(role=Role.JUDGE, number=n, model=f"judge-{n}", base_url=url) for n in range(1, judges + 1)
    ]
    ground = Groundwork(
        release,
        chosen,
        resolve_agent(agent, suite),
        None if sub_agent is None else resolve_agent(sub_agent, suite),
        [role_name.role_name for role_name in seats],
    )
    trial = FreeTrial(ground, chosen_settings)
    run_trial(trial, models | {s.role_name: s for s in seats}, RunSettings(folder=run, retry=QUICK))
    return by_sample(run)


def trajectory_of(run: Path, sample: str) -> dict[str, Any]:
    """The line of stored work."""
    return next(line for line in work_of(run) if line["sample"] == sample)


class TeamOfWords:
    """A planner that says its words in order, and domain agents that look up what to do by the query."""

    def __init__(self, *planner: str, acts: Mapping[str, Act] | None = None) -> None:
        """Set up the team.

        Args:
            planner: Its answers, one a request; after the last one it says "That is all."
            acts: By the beginning of the query.
        """
        self._words = list(planner)
        self._acts = dict(acts or {})
        self.asked: list[str] = []
        """What the planner was shown, in order."""
        self.queries: list[str] = []
        """What the domain agents were asked first, in order."""

    def __call__(self, request: ScriptedRequest) -> Answer:
        text = request.last_user_text
        asked = _REQUEST.search(text)
        if asked is None:
            self.asked.append(text)
            return completion(self._words.pop(0) if self._words else "That is all.")
        query = asked[2]
        if request.steps_done == 0:
            self.queries.append(query)
        act = next((act for start, act in self._acts.items() if query.startswith(start)), None)
        return completion("Done.") if act is None else act(request, query)


def calls(tool: str, **arguments: Any) -> Act:
    """One call, then a word on the outcome."""

    def act(request: ScriptedRequest, query: str) -> Answer:
        if request.steps_done:
            return completion("It is done.")
        return _call(request, tool, arguments)

    return act


def keeps_calling(tool: str, **arguments: Any) -> Act:
    """The same call for ever."""
    return lambda request, query: _call(request, tool, arguments)


def says(text: str) -> Act:
    """A text."""
    return lambda request, query: completion(text)


def in_turn(*acts: Act) -> Act:
    """One after the other, a request each; the last one for all further requests."""
    left = list(acts)

    def act(request: ScriptedRequest, query: str) -> Answer:
        chosen = left.pop(0) if len(left) > 1 else left[0]
        return chosen(request, query)

    return act


WAITS = says("status: AWAITING_USER_INPUT\nrequired_info: which one?")
VIOLATES = says("status: TOOL_CONSTRAINT_VIOLATION\nviolation_message: too far ahead")


def _call(request: ScriptedRequest, tool: str, arguments: Any) -> Answer:
    made = tool_call(tool, arguments, f"call_{request.number}")
    if isinstance(arguments, str):
        made["function"]["arguments"] = arguments
    return completion(None, tool_calls=[made], finish_reason="tool_calls")


def calls_raw(tool: str, arguments: str) -> Act:
    """One call with arguments as they are on the wire, then a word."""

    def act(request: ScriptedRequest, query: str) -> Answer:
        return completion("Sorry.") if request.steps_done else _call(request, tool, arguments)

    return act
