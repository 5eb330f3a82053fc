"""`worktrial run orchestration`: have a model plan and direct a team of domain agents."""

import dataclasses
import re
from collections.abc import Mapping
from enum import StrEnum
from math import ceil
from pathlib import Path
from typing import Any, Literal

import typer

from worktrial.cli.fault_options import fault_conditions, fault_options
from worktrial.cli.option_table import Option, with_options
from worktrial.cli.role_options import role_options, settings_for, shared_options, tool_mode_option
from worktrial.cli.run_options import check_share, output_options, run_settings, split_names
from worktrial.engine.roles import Role, RoleName, RoleSettings
from worktrial.errors import SettingError
from worktrial.suites.orchestration.options import Cards, Gold


class RunMode(StrEnum):
    """How the team works."""

    TURNS = "turns"
    FREE = "free"


_WHO = "Who takes part"
_WHAT = "Which scenarios"
_FREE = "Free running"
# A model's own name may hold an @.
_ADDRESS = re.compile(r"@(?=https?://)")
_KEY_NAME = re.compile(r"^[A-Z_][A-Z0-9_]*$")
NOBODY = "none"
_ROLES = (Role.AGENT, Role.SUB_AGENT, Role.SIMULATOR, Role.JUDGE)
# Some scenarios ask for less than others, and some are being scored.
_SLACK = 3

_OPTIONS = [
    Option(
        "--agent",
        str,
        "Who plans, and plays the domain agents unless --sub-agent does: a model's name at --base-url, "
        "openai/NAME, local (the embedded model), python:MODULE:FUNCTION (your own), or a reference team without a "
        "model: gold, constant-plan, one-sentence, always-refuse.",
        ...,
        _WHO,
    ),
    Option("--sub-agent", str | None, "Who plays the domain agents, if someone else.", panel=_WHO),
    Option(
        "--judges",
        list[str] | None,
        "Who compares argument values that only a reader can: MODEL, or MODEL@URL, or MODEL@URL@KEY_VARIABLE; "
        "repeat it for an ensemble, whose mean counts. none: values count as right only when equal. Default: none.",
        panel=_WHO,
    ),
    Option(
        "--data",
        Path | None,
        "Folder of the OrchestrationBench release (with EN/ and KO/). Default: the worked example in the package.",
        panel=_WHAT,
        metavar="DIR",
    ),
    Option("--language", Literal["en", "ko", "both"], "Which languages.", "both", _WHAT),
    Option("--gold", Gold, "Gold steps as released, or with the corrections that we ship.", "released", _WHAT),
    Option("--scenarios", list[str] | None, "Only these, such as EN/12; comma-separated or repeated.", panel=_WHAT),
    Option("--limit", int | None, "At most so many of each language.", panel=_WHAT, minimum=1),
    Option("--repeats", int, "Samples of each scenario.", 1, _WHAT, minimum=1),
    Option(
        "--mode",
        RunMode,
        "turns: every request sees the recorded history up to its step. free: the model's own plan drives its own "
        "domain agents.",
        RunMode.TURNS,
        "Trial",
    ),
    Option(
        "--cards",
        Cards | None,
        "How much of the agents' cards the planner is shown. Default: full; compact for the embedded model.",
        panel="Trial",
    ),
    Option("--bound", float, "Seconds for the exact edit distances of one plan.", 1.0, "Trial", minimum=0.001),
    Option("--compare-published", bool, "Show the published figures beside this run's.", False, "Trial"),
    Option(
        "--simulator",
        str | None,
        "Who answers tool calls that the recording does not hold: a model, or none (they get an error).",
        panel=_FREE,
    ),
    Option(
        "--max-requests", int, "Requests of one scenario; its work ends there and is scored.", 60, _FREE, minimum=1
    ),
    Option(
        "--turns-run",
        Path | None,
        "A turn-by-turn run of the same model, for the cascade gap.",
        panel=_FREE,
        metavar="RUN",
    ),
]


@with_options(
    [
        *_OPTIONS,
        *fault_options(),
        *output_options("Requests"),
        *shared_options(_ROLES),
        tool_mode_option(),
        *(option for role in _ROLES for option in role_options(role)),
    ]
)
def orchestration(**given: Any) -> None:
    """OrchestrationBench: plan workflows over domain agents, call or refuse, fill in arguments; English and Korean.

    Example: worktrial run orchestration --agent my-model --base-url http://localhost:8000/v1 -o runs/first
    """
    from worktrial.cli.carry_out import carry_out
    from worktrial.suites.orchestration.planning.scenario import Language
    from worktrial.suites.orchestration.run.agents import member
    from worktrial.suites.orchestration.run.ground import Groundwork, load_tasks

    check_share(given)
    agent = member(given["agent"])
    sub_agent = member(given["sub_agent"], "--sub-agent") if given["sub_agent"] is not None else None
    roles = _team(given, agent, sub_agent) | _simulator(given, agent) | _judges(given)
    languages = [Language(x) for x in ("EN", "KO") if given["language"] in (x.lower(), "both")]
    release, tasks = load_tasks(given["data"], languages, corrected=given["gold"] == "corrected")
    for oddity in release.broken:
        typer.echo(f"left out: {oddity.file}: {oddity.reason}", err=True)
    tasks = _chosen(tasks, given)
    judges = [role_name for role_name, role in roles.items() if role.role is Role.JUDGE]
    ground = Groundwork(release, tasks, agent, sub_agent, judges)
    if given["mode"] is RunMode.FREE:
        trial = _free_trial(given, ground, roles)
        _check_turns_run(given, trial)
    else:
        trial = _turns_trial(given, ground, roles)
    settings = run_settings(given, "orchestration", roles)
    # A scenario asks for many things at once, so the bound is on requests.
    requests = settings.concurrency
    samples = requests if given["mode"] is RunMode.FREE else _scenarios_for(requests, release, tasks)
    carry_out(trial, roles, dataclasses.replace(settings, concurrency=samples, requests=requests), given)


def _scenarios_for(requests: int, release: Any, tasks: Any) -> int:
    """How many scenarios have to be under way to keep so many requests in flight.

    No more than that: what a scenario has asked for is lost when the run is interrupted before its end, and its
    prompts take memory.
    """
    from worktrial.suites.orchestration.planning.turns import gold_steps

    asked = [len(gold_steps(task.scenario, release.teams[task.scenario.language])[0]) for task in tasks]
    return max(1, min(requests, ceil(_SLACK * requests * len(asked) / max(1, sum(asked)))))


def _team(given: Mapping[str, Any], agent: Any, sub_agent: Any) -> dict[RoleName, RoleSettings]:
    roles: dict[RoleName, RoleSettings] = {}
    if agent.needs_model:
        roles[Role.AGENT] = settings_for(Role.AGENT, agent.spec, given)
    if sub_agent is not None and sub_agent.needs_model:
        roles[Role.SUB_AGENT] = settings_for(Role.SUB_AGENT, sub_agent.spec, given)
    return roles


def _simulator(given: Mapping[str, Any], agent: Any) -> dict[RoleName, RoleSettings]:
    model = given["simulator"]
    if given["mode"] is not RunMode.FREE or model == NOBODY:
        return {}
    if model is None:
        if agent.kind == "reference":
            return {}
        raise SettingError(
            "--mode free: someone has to answer the tool calls that the recording does not hold. Name a model with "
            "--simulator, or leave them unanswered with --simulator none"
        )
    return {Role.SIMULATOR: settings_for(Role.SIMULATOR, model, given)}


def _judges(given: Mapping[str, Any]) -> dict[RoleName, RoleSettings]:
    specs = given["judges"] or [NOBODY]
    if NOBODY in specs:
        if len(specs) > 1:
            raise SettingError("--judges none: names no judge, so no other --judges can stand beside it")
        return {}
    judges = [_judge(number, spec, given) for number, spec in enumerate(specs, start=1)]
    return {judge.role_name: judge for judge in judges}


def _judge(number: int, spec: str, given: Mapping[str, Any]) -> RoleSettings:
    model, *rest = _ADDRESS.split(spec, maxsplit=1)
    place = rest[0] if rest else ""
    if not model or (not place and "://" in spec):
        raise SettingError(f"--judges {spec}: write MODEL, or MODEL@URL with a URL that begins with http(s)://")
    own = dict(given)
    if place:
        url, _, key = place.rpartition("@")
        if not url or not _KEY_NAME.match(key):
            url, key = place, ""
        own["judge_base_url"] = url
        if key:
            own["judge_api_key_env"] = key
    return dataclasses.replace(settings_for(Role.JUDGE, model, own), number=number)


def _chosen(tasks: Any, given: Mapping[str, Any]) -> Any:
    from worktrial.suites.selection import select

    source = str(given["data"] or "the worked example")
    names = split_names(given["scenarios"], "--scenarios", "scenario")
    chosen = select(tasks, names, source=source, field="scenarios", noun="scenario")
    if given["limit"] is None:
        return chosen
    languages = dict.fromkeys(task.scenario.language for task in chosen)
    of_each = [[task for task in chosen if task.scenario.language is language] for language in languages]
    return [task for tasks in of_each for task in tasks[: given["limit"]]]


def _turns_trial(given: Mapping[str, Any], ground: Any, roles: dict[RoleName, RoleSettings]) -> Any:
    from worktrial.suites.orchestration.run.turns import OrchestrationTrial, Settings
    from worktrial.suites.orchestration.scoring.both import Bounds

    if given["simulator"] is not None or given["turns_run"] is not None or given["faults"] != "E0":
        raise SettingError(
            "--simulator, --turns-run and --faults are for --mode free: turn by turn, no tool is called"
        )
    settings = Settings(
        repeats=given["repeats"],
        gold=given["gold"],
        cards=_cards(given, roles),
        bounds=Bounds(ours=given["bound"]),
    )
    return OrchestrationTrial(ground, settings)


def _free_trial(given: Mapping[str, Any], ground: Any, roles: dict[RoleName, RoleSettings]) -> Any:
    from worktrial.agents.assignment import Limits
    from worktrial.suites.orchestration.run.free.trial import FreeSettings, FreeTrial

    simulator = roles.get(Role.SIMULATOR)
    settings = FreeSettings(
        repeats=given["repeats"],
        gold=given["gold"],
        cards=_cards(given, roles),
        simulated=simulator is not None,
        simulator_prompt="compact" if simulator is not None and simulator.is_local else "full",
        limits=Limits(given["max_requests"]),
        faults=fault_conditions(given),
        seconds=given["bound"],
    )
    return FreeTrial(ground, settings)


def _check_turns_run(given: Mapping[str, Any], trial: Any) -> None:
    """Refuse a turn-by-turn run that cannot stand beside this one, before anything is paid for."""
    if given["turns_run"] is not None:
        from worktrial.engine.record import CLEAN
        from worktrial.engine.stored import open_run
        from worktrial.suites.orchestration.figures.free import refuse_as_turns

        clean = {job.sample for job in trial.jobs if job.condition == CLEAN}
        refuse_as_turns(open_run(given["turns_run"]), trial.data["fingerprint"], clean)


def _cards(given: Mapping[str, Any], roles: Mapping[RoleName, RoleSettings]) -> Cards:
    usual: Cards = "compact" if Role.AGENT in roles and roles[Role.AGENT].is_local else "full"
    return given["cards"] or usual
