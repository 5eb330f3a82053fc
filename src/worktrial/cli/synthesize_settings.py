"""What a session of `worktrial synthesize` goes by: the command line over what the folder remembers."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from worktrial.agents.assignment import Limits
from worktrial.cli.synthesize import ROLES, USUAL_REQUESTS
from worktrial.engine.retry import RetryPolicy
from worktrial.engine.role_values import settings_for
from worktrial.engine.roles import Role, RoleSettings, public_url
from worktrial.engine.secrets import Redactor
from worktrial.engine.spend import Budget
from worktrial.errors import DataError, SettingError
from worktrial.options import EndpointOptions
from worktrial.suites.usual import LOCAL_CONCURRENCY, LOCAL_RECORD, LOCAL_TURNS, USUAL_RECORD, USUAL_TURNS
from worktrial.synthesis.artifacts import JobSpec
from worktrial.synthesis.calibration.runs import CalibrationSettings
from worktrial.synthesis.estimate import CostEstimate
from worktrial.synthesis.files import read_spec, read_yaml_as, to_yaml, write_text
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.resources import ResourceSettings
from worktrial.synthesis.sources import SourceLibrary, load

# A whole workplace has to fit into the embedded model's answer, and the prompt beside it into its context.
LOCAL_DRAFT_TOKENS = 1536

_SIZES = ("subtopics", "plan_runs", "free_runs", "most_runs", "repairs", "votes", "twins")
_REMEMBERED = (
    *(role.value for role in ROLES),
    "tool_mode",
    "max_turns",
    "concurrency",
    *EndpointOptions.model_fields,
    *(f"{role.value}_{name}" for role in ROLES for name in EndpointOptions.model_fields),
)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Of one session."""

    spec: JobSpec
    sources: SourceLibrary
    resources: ResourceSettings
    run_settings: CalibrationSettings
    options: dict[str, Any]
    """Who takes part and how, as the folder remembers it; nothing secret."""
    changes: list[str]
    """What is different from the folder's last session, and what that means."""


def settings_of(folder: SuiteFolder, given: Mapping[str, Any]) -> Settings:
    """The settings of a session.

    Raises:
        SettingError: no job or no model is named, or options do not fit together.
        DataError: a file cannot be used.
    """
    spec, stored_spec = _spec(folder, given), _stored_spec(folder)
    stored = _stored_options(folder)
    options = {**stored, **{name: given[name] for name in _REMEMBERED if given.get(name) is not None}}
    roles = _roles({**dict.fromkeys(_REMEMBERED), **options})
    sources, old_sources = _sources(folder, given)
    usual = LOCAL_CONCURRENCY if any(s.is_local for s in roles.values()) else USUAL_REQUESTS
    changes = []
    if stored_spec is not None:
        changes += _changes(msgspec.to_builtins(stored_spec), msgspec.to_builtins(spec))
        changes += _changes(stored, options)
        changes += _changes(_names(old_sources), _names(sources))
    if changes:
        changes = [
            "Changed since the last session; what depends on it is made again:",
            *(f"  {c}" for c in changes),
        ]
    resources = ResourceSettings(
        roles=roles,
        requests=options.get("concurrency") or usual,
        retry=RetryPolicy(attempts=given["retries"], total_seconds=given["retry_seconds"]),
        budget=Budget(given["max_cost"], given["max_tokens"], given["max_minutes"]),
    )
    return Settings(
        spec=spec,
        sources=sources,
        # A missing key is told now, before anything is stored.
        resources=resources.resolved(Redactor()),
        run_settings=_run_settings(roles, options),
        options=options,
        changes=changes,
    )


def remember(folder: SuiteFolder, settings: Settings, expected: CostEstimate) -> None:
    """Store what the next session goes by.

    Raises:
        StopRun: the folder cannot be written.
    """
    settings.sources.write(folder.sources)
    write_text(_options_file(folder), to_yaml({k: v for k, v in settings.options.items() if not _is_secret(k, v)}))
    write_text(folder.work / "estimate.yaml", to_yaml(expected))
    # Last: with it the folder is known as one in the making.
    write_text(folder.spec, to_yaml(settings.spec))


def _spec(folder: SuiteFolder, given: Mapping[str, Any]) -> JobSpec:
    from worktrial.synthesis.calibration.rules import rules_of

    if given["job"] is not None and given["spec"] is not None:
        raise SettingError("--job and --spec both say what the job is; give one of them")
    stored = _stored_spec(folder)
    if given["spec"] is not None:
        spec = read_spec(given["spec"])
    elif stored is not None:
        spec = stored
    elif given["job"] is not None:
        spec = JobSpec(role=given["job"].strip() or " ")
    else:
        raise SettingError(f'{folder.root} holds no job yet; say what it is with --job "…" or --spec FILE')
    changed: dict[str, Any] = {name: given[name] for name in _SIZES if given[name] is not None}
    if given["faces"] is not None:
        changed.setdefault("twins", given["faces"])
    if given["job"] is not None:
        changed["role"] = given["job"].strip()
    if given["levels"] is not None:
        changed["levels"] = _levels(given["levels"])
    if given["languages"] is not None:
        changed["languages"] = _split("--languages", given["languages"])
    try:
        spec = msgspec.convert({**msgspec.to_builtins(spec), **changed}, JobSpec)
    except msgspec.ValidationError as e:
        raise SettingError(f"the job's settings: {e}") from None
    for name in ("levels", "languages"):
        values = getattr(spec, name)
        if not values or len(set(values)) != len(values):
            raise SettingError(f"{name}: name at least one, and none twice")
    rules_of(spec)
    return spec


def _stored_spec(folder: SuiteFolder) -> JobSpec | None:
    return read_spec(folder.spec) if folder.spec.exists() else None


def _stored_options(folder: SuiteFolder) -> dict[str, Any]:
    path = _options_file(folder)
    if not path.exists():
        return {}
    options = read_yaml_as(path, dict[str, str | int | float])
    unknown = sorted(options.keys() - set(_REMEMBERED))
    if unknown:
        raise DataError(path, f"unknown option {', '.join(unknown)}", "Remove it")
    return dict(options)


def _options_file(folder: SuiteFolder) -> Path:
    return folder.work / "options.yaml"


def _is_secret(name: str, value: Any) -> bool:
    """An address may hold a password or a key in its query; it has to be given again."""
    return name.endswith("base_url") and public_url(value) != value


def _roles(options: Mapping[str, Any]) -> dict[str, RoleSettings]:
    writer = options["synthesizer"]
    if writer is None:
        raise SettingError("no model is named: say who writes with --synthesizer MODEL (and --base-url URL)")
    roles = {}
    for role in ROLES:
        model = options[role.value]
        stands_in_for = Role.SYNTHESIZER if model is None and role is not Role.SYNTHESIZER else None
        values = dict(options)
        if role is Role.SYNTHESIZER:
            own = values["synthesizer_output_tokens"] or values["output_tokens"]
            local = settings_for(role, writer, values).is_local
            values["synthesizer_output_tokens"] = own or (LOCAL_DRAFT_TOKENS if local else None)
        roles[role.value] = settings_for(role, model or writer, values, stands_in_for=stands_in_for)
    return roles


def _run_settings(roles: Mapping[str, RoleSettings], options: Mapping[str, Any]) -> CalibrationSettings:
    agent, simulator, judge = (roles[role] for role in (Role.AGENT, Role.SIMULATOR, Role.JUDGE))
    return CalibrationSettings(
        simulator_prompt="compact" if simulator.is_local else "full",
        judge_record=LOCAL_RECORD if judge.is_local else USUAL_RECORD,
        limits=Limits(options.get("max_turns") or (LOCAL_TURNS if agent.is_local else USUAL_TURNS)),
    )


def _sources(folder: SuiteFolder, given: Mapping[str, Any]) -> tuple[SourceLibrary, SourceLibrary]:
    """The documents named now, else those stored; and those stored."""
    stored = SourceLibrary.read(folder.sources)
    return (load(given["document"]) if given["document"] else stored), stored


def _names(sources: SourceLibrary) -> dict[str, str]:
    return {f"document {file.id}": file.hash[:12] for file in sources.files}


def _changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    names = [*before, *(name for name in now if name not in before)]
    return [
        f"{name}: {before.get(name, '(none)')} -> {now.get(name, '(none)')}"
        for name in names
        if before.get(name) != now.get(name) and not _is_secret(name, now.get(name) or "")
    ]


def _levels(text: str) -> list[int]:
    try:
        return [int(part) for part in _split("--levels", text)]
    except ValueError:
        raise SettingError(f"--levels {text!r}: write levels from 1 to 3, such as 1,2,3") from None


def _split(option: str, text: str) -> list[str]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        raise SettingError(f"{option}: names nothing")
    return parts
