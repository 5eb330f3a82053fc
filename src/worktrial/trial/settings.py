"""Meaning of a run's options: models, limits, judging, faults; and what is usual where a user says nothing."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from worktrial.engine.role_values import settings_for
from worktrial.engine.roles import Role, RoleName, RoleSettings
from worktrial.errors import SettingError, option
from worktrial.options import Options

if TYPE_CHECKING:
    from worktrial.agents.candidates import Candidate
    from worktrial.agents.context import ContextKeeping
    from worktrial.trial.judging import JudgeSettings
    from worktrial.workplaces.faults import Conditions

# The embedded model serves one request at a time: side by side, samples would only push each other's prompts out
# of its cache.
USUAL_CONCURRENCY = 16
LOCAL_CONCURRENCY = 1

# A small model that is lost repeats itself; more turns would only cost minutes.
USUAL_TURNS = 60
LOCAL_TURNS = 16

# Characters of a trajectory for a judge; the smaller fits into the embedded model's context beside the rest.
USUAL_RECORD = 120_000
LOCAL_RECORD = 12_000

_MODES = ("E0", "E1", "E2", "E3")
_ALL = "all"
_PROMPTED = "prompted"


def models_of(options: Options, named: Mapping[Role, str | None]) -> dict[RoleName, RoleSettings]:
    """Settings of each role that has a model.

    Args:
        options: An instance of the suite's `every_option`.
        named: Each role's model as the user wrote it; None for a role that nobody plays.

    Raises:
        SettingError: a role's option cannot be read.
    """
    given = options.model_dump()
    return {role: settings_for(role, model, given) for role, model in named.items() if model is not None}


def work_fields(
    options: Any, agent: "Candidate", models: Mapping[RoleName, RoleSettings], *, turns: int | None = None
) -> dict[str, Any]:
    """Fields of `worktrial.trial.work.WorkSettings` from a run's options.

    Args:
        options: An instance of the suite's `every_option`.
        agent: Who works.
        models: Who plays which role.
        turns: Turns where the user names none; None for the usual number.

    Raises:
        SettingError: an option makes no sense for this agent.
        DataError: a policy cannot be used.
    """
    from worktrial.agents.assignment import Limits
    from worktrial.trial.duties import duties_of
    from worktrial.trial.work import own_prompt

    model = models.get(Role.AGENT)
    usual = turns or (LOCAL_TURNS if model is not None and model.is_local else USUAL_TURNS)
    return {
        "repeats": options.repeats,
        "limits": Limits(
            options.max_turns or usual, options.sample_tokens, options.sample_seconds, options.sample_cost
        ),
        "faults": conditions_of(options),
        "agent_prompt": own_prompt(getattr(options, "agent_prompt", None), agent),
        "context": keeping_of(options, agent, model),
        "duties": duties_of(options, agent, models),
    }


def keeping_of(options: Any, candidate: "Candidate", agent: RoleSettings | None) -> "ContextKeeping":
    """Memory of an agent that is a model, from the fields of `ContextOptions`.

    Raises:
        SettingError: the agent is no model; or a bound is given, and everything is kept.
    """
    from worktrial.agents.context import USUAL_CONTEXT, ContextKeeping
    from worktrial.engine.spend import context_of

    if options.context == "keep":
        if options.context_tokens is not None:
            flags = option("context_tokens"), option("context")
            raise SettingError(f"{flags[0]}: nothing is dropped. Add {flags[1]} trim, or leave it out")
        return ContextKeeping()
    if not candidate.needs_model or agent is None:
        flag = option("context")
        raise SettingError(f"{flag}: {candidate.spec} is no model and keeps its own memory. Leave the option out")
    given = options.context_tokens
    known = context_of(agent if agent.is_local else agent.resolved()) if given is None else given
    return ContextKeeping(options.context, known or USUAL_CONTEXT, given)


def judging_of(options: Any, judge: RoleSettings | None) -> "JudgeSettings":
    """Settings of the judge, from the fields of `JudgingOptions`."""
    from worktrial.trial.judging import JudgeSettings

    usual = LOCAL_RECORD if judge is not None and judge.is_local else USUAL_RECORD
    return JudgeSettings(
        votes=options.votes,
        parallel_votes=options.parallel_votes,
        judge_method=options.judge_method,
        judge_record=options.judge_record or usual,
    )


def conditions_of(options: Options) -> "Conditions":
    """Conditions of the samples, from the fields of `FaultOptions` and `WordingOptions`.

    Raises:
        SettingError: as `fault_conditions`.
    """
    from worktrial.options import FaultOptions
    from worktrial.workplaces.faults import FaultMode, FaultSettings

    conditions = fault_conditions(options.model_dump(include=set(FaultOptions.model_fields)))
    if not getattr(options, "wordings", False):
        return conditions
    return replace(conditions, settings=(*conditions.settings, FaultSettings(FaultMode.W)))


def fault_conditions(given: Mapping[str, Any]) -> "Conditions":
    """Conditions that a user's values describe.

    Args:
        given: `faults`, `fault_count`, `fault_duration`, `fault_seed` and `fault_unit`, as on the command line;
            missing or None is not given.

    Raises:
        SettingError: a value cannot be read, or says something about faults where there are none.
    """
    from worktrial.workplaces.faults import Conditions, FaultMode, FaultUnit

    names, prompted = _modes("E0" if given.get("faults") is None else given["faults"])
    if names == ["E0"]:
        details = ("fault_count", "fault_duration", "fault_seed", "fault_unit")
        _refuse_any(given, details, f"{option('faults')} E0 has no faults")
        if prompted:
            raise SettingError(f"{option('faults')} prompted,E0: E0 has no faults that a prompt could ask for")
    if prompted:
        _refuse_any(given, ("fault_seed",), f"{option('faults')} prompted: a request in a prompt has no seed")
    return Conditions.sweep(
        [FaultMode(name) for name in names],
        _numbers("fault_count", given.get("fault_count")),
        _numbers("fault_duration", given.get("fault_duration")),
        seed=given.get("fault_seed") or 0,
        unit=FaultUnit(given.get("fault_unit") or FaultUnit.CALL),
        prompted=prompted,
    )


def _modes(text: str) -> tuple[list[str], bool]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    modes: dict[str, None] = {}
    flag = option("faults")
    for word in words:
        if word.lower() in (_ALL, _PROMPTED):
            continue
        if word.upper() not in _MODES:
            raise SettingError(f"{flag} {text}: {word!r} is none of {', '.join(_MODES)}, {_ALL}, {_PROMPTED}")
        modes[word.upper()] = None
    lower = [word.lower() for word in words]
    if not words:
        raise SettingError(f"{flag}: names no mode; choose from {', '.join(_MODES)}, {_ALL}, {_PROMPTED}")
    return ([*modes] if modes and _ALL not in lower else [*_MODES]), _PROMPTED in lower


def _numbers(field: str, text: str | None) -> list[int]:
    if text is None:
        return [2]
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        raise SettingError(f"{option(field)} {text!r}: write a whole number, or several as 1,2,4") from None
    if min(numbers) < 1:
        raise SettingError(f"{option(field)} {text}: must be at least 1; for no faults use {option('faults')} E0")
    return list(dict.fromkeys(numbers))


def _refuse_any(given: Mapping[str, Any], names: tuple[str, ...], why: str) -> None:
    for name in names:
        if given.get(name) is not None:
            raise SettingError(f"{option(name)}: {why}")
