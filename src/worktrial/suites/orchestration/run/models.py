"""Models of a trial: of the planner, the domain agents, the simulator and the judges."""

import dataclasses
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from worktrial.engine.role_values import settings_for
from worktrial.engine.roles import Role, RoleName, RoleSettings
from worktrial.errors import SettingError, option
from worktrial.suites.orchestration.options import OrchestrationOptions

if TYPE_CHECKING:
    from worktrial.agents.candidates import Candidate

NOBODY = "none"
# A model's own name may hold an @.
_ADDRESS = re.compile(r"@(?=https?://)")
_KEY_NAME = re.compile(r"^[A-Z_][A-Z0-9_]*$")


def models_of(
    options: OrchestrationOptions, agent: "Candidate", sub_agent: "Candidate | None"
) -> dict[RoleName, RoleSettings]:
    """Models by role; none for a role that no model plays.

    Args:
        options: Every option of the run.
        agent: Who plans.
        sub_agent: Who plays the domain agents, if someone else.

    Raises:
        SettingError: a role has no model, or its settings cannot be read.
    """
    given = options.model_dump()
    models: dict[RoleName, RoleSettings] = {}
    if agent.needs_model:
        models[Role.AGENT] = settings_for(Role.AGENT, agent.spec, given)
    if sub_agent is not None and sub_agent.needs_model:
        models[Role.SUB_AGENT] = settings_for(Role.SUB_AGENT, sub_agent.spec, given)
    if options.mode == "free" and options.simulator != NOBODY:
        if options.simulator is not None:
            models[Role.SIMULATOR] = settings_for(Role.SIMULATOR, options.simulator, given)
        elif agent.kind != "reference":
            raise SettingError(
                f"{option('mode')} free: someone has to answer the tool calls that the recording does not hold. "
                f"Name a model with {option('simulator')}, or leave them unanswered with {option('simulator')} none"
            )
    return models | _judges(options.judges, given)


def _judges(specs: list[str], given: Mapping[str, Any]) -> dict[RoleName, RoleSettings]:
    if NOBODY in specs:
        if len(specs) > 1:
            raise SettingError(
                f"{option('judges')} none: names no judge, so no other {option('judges')} can stand beside it"
            )
        return {}
    judges = [_judge(number, spec, given) for number, spec in enumerate(specs, start=1)]
    return {judge.role_name: judge for judge in judges}


def _judge(number: int, spec: str, given: Mapping[str, Any]) -> RoleSettings:
    model, *rest = _ADDRESS.split(spec, maxsplit=1)
    place = rest[0] if rest else ""
    if not model or (not place and "://" in spec):
        raise SettingError(
            f"{option('judges')} {spec}: write MODEL, or MODEL@URL with a URL that begins with http(s)://"
        )
    own = dict(given)
    if place:
        url, _, key = place.rpartition("@")
        if not url or not _KEY_NAME.match(key):
            url, key = place, ""
        own["judge_base_url"] = url
        if key:
            own["judge_api_key_env"] = key
    return dataclasses.replace(settings_for(Role.JUDGE, model, own), number=number)
