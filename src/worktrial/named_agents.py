"""Agents as a user names them: one that ships with the suite, a kind that is registered, a model, a function."""

import re
from collections.abc import Callable
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from worktrial.agents.block_watch import BlockWatch
from worktrial.agents.candidates import IDLE, PLAN, Candidate, is_person
from worktrial.agents.episodes import Episodes
from worktrial.agents.far import FarAgent, given_variables
from worktrial.agents.isolated import isolated
from worktrial.agents.own_callable import PREFIX
from worktrial.errors import SettingError, option
from worktrial.options import OwnAgentOptions
from worktrial.registry import agents
from worktrial.suite import Suite

_ALIKE = 0.7
"""Likeness from which on a name is taken for a slip of the hand: `paln` and `plan` have 0.75."""


def resolve_agent(
    spec: str | Callable[..., Any] | Episodes,
    suite: Suite,
    base: Path | None = None,
    *,
    field: str = "agent",
    options: Any = None,
) -> Candidate:
    """Candidate that a user named.

    Args:
        spec: Name of one of the suite's reference agents, `KIND:REST` for a kind of agent that is registered (such
            as `python:MODULE:FUNCTION`), the name of a model; the function itself; or whoever hands out episodes.
        suite: Whose trial it takes.
        base: Folder that relative paths in `spec` are relative to; None for the working folder.
        field: Option that it was given with, for messages.
        options: Options of the run, of which `OwnAgentOptions` count; None for their defaults.

    Raises:
        SettingError: there is no such agent, it cannot be loaded, or it cannot have a process of its own.
    """
    found = _named(spec, suite, base, field)
    if found.kind == "model" and not (
        getattr(options, "base_url", None) or getattr(options, "agent_base_url", None)
    ):
        _refuse_typo(found.spec, suite, field)
    wanted = OwnAgentOptions() if options is None else options
    if found.far is not None:
        found = replace(found, far=found.far.with_options(wanted))
    elif getattr(wanted, "answer", None) is not None:
        raise SettingError(f"{option('answer')}: is for agents that are programs, and {found.spec} is none")
    if not getattr(wanted, "isolate", False):
        return found
    if found.function is None:
        raise SettingError(f"{option('isolate')}: is for agents in Python, and {found.spec} is none")
    memory, variables = wanted.agent_memory << 20, given_variables(wanted)
    here = base or Path()
    # Folders of runs, files of tasks, archives: whatever the run was told of on this machine.
    named = [value for _, value in wanted if isinstance(value, Path)]
    named += [here / "runs", *[path.parent for path in named if path == getattr(wanted, "output", None)]]
    named += [place for name in ("root", "folder") if isinstance(place := getattr(suite, name, None), Path)]
    hidden = [path.resolve() for path in named if path.resolve() not in (here.resolve(), *here.resolve().parents)]
    try:
        far = isolated(found.spec, found.function, here, memory, variables, hidden)
    except SettingError as e:
        raise SettingError(f"{option('isolate')}: {e}") from None
    return replace(found, far=far)


def _refuse_typo(spec: str, suite: Suite, field: str) -> None:
    """Refuse the name of a model that no endpoint is given for, and that is nearly another agent's.

    Raises:
        SettingError: names the agent that is meant.
    """
    near = get_close_matches(spec, suite.reference_agents, n=1, cutoff=_ALIKE)
    if re.search(r"\.py:\w+$", spec):
        near = [f"{PREFIX}{spec}"]
    if near:
        raise SettingError(f"{option(field)} {spec}: there is no such agent; did you mean {near[0]}?")


def _named(spec: str | Callable[..., Any] | Episodes, suite: Suite, base: Path | None, field: str) -> Candidate:
    if isinstance(spec, Episodes):
        if not suite.assignments:
            raise SettingError(f"{option(field)}: samples of the suite {suite.name} cannot be driven from outside")
        return Candidate("python", spec.name, driven=spec)
    if callable(spec):
        name = getattr(spec, "__qualname__", type(spec).__qualname__)
        whole = f"{PREFIX}{getattr(spec, '__module__', '?')}:{name}"
        return Candidate("python", whole, spec, watch=BlockWatch(whole))
    if not isinstance(spec, str) or not spec:
        raise SettingError(
            f"{option(field)}: write what stands after it on the command line, or give the function itself"
        )
    if spec in suite.reference_agents:
        return Candidate("reference", spec, make=suite.reference_agents[spec].make)
    if spec in (PLAN, IDLE):
        known = ", ".join(suite.reference_agents) or "none without a model"
        raise SettingError(f"{option(field)} {spec}: the suite {suite.name} has no such agent; it has {known}")
    if is_person(spec):
        how = "worktrial run SUITE --agent human:NAME"
        raise SettingError(f"{option(field)} {spec}: a person sits down in a browser; start it by {how}")
    kind, colon, rest = spec.partition(":")
    if not colon or kind not in agents.names:
        return Candidate("model", spec)
    try:
        made = agents.get(kind)(rest, base or Path())
        if isinstance(made, FarAgent):
            if not suite.assignments:
                raise SettingError(f"samples of the suite {suite.name} cannot be driven from outside")
            return Candidate("python", spec, far=made)
        return Candidate("python", spec, made, watch=BlockWatch(spec))
    except SettingError as e:
        raise SettingError(f"{option(field)} {spec}: {e}") from e.__cause__
