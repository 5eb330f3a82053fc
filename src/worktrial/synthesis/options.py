"""Options of a session, and what it goes by: the user's options over what the folder remembers."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from pydantic import Field, ValidationError

from worktrial.agents.assignment import Limits
from worktrial.engine.retry import RetryPolicy
from worktrial.engine.role_values import ROLE_VALUES, settings_for
from worktrial.engine.roles import Role, RoleSettings, public_url
from worktrial.engine.spend import Budget
from worktrial.errors import DataError, SettingError, option
from worktrial.options import AgentOptions, Amount, Count, EndpointOptions, Flag, with_roles
from worktrial.secrets import Redactor
from worktrial.suites.simulated.trial import SimulatedSettings
from worktrial.synthesis.artifacts import JobSpec
from worktrial.synthesis.calibration.rules import rule_of
from worktrial.synthesis.composed_home import lacks_workplace, place_of
from worktrial.synthesis.estimate import CostEstimate
from worktrial.synthesis.files import read_spec, read_yaml_as, to_yaml, write_text
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.resources import ResourceSettings
from worktrial.synthesis.sources import SourceLibrary, load
from worktrial.trial.settings import LOCAL_CONCURRENCY, LOCAL_RECORD, LOCAL_TURNS, USUAL_RECORD, USUAL_TURNS

ROLES = (Role.SYNTHESIZER, Role.SOLVER, Role.AGENT, Role.SIMULATOR, Role.JUDGE)
USUAL_REQUESTS = 32
# A whole workplace has to fit into the embedded model's answer, and the prompt beside it into its context.
LOCAL_DRAFT_TOKENS = 1536

_WHAT = "What it is made from"
_SIZE = "How large, and how thorough (default: as stored, else as said)"
_WHO = "Who takes part (default: as in the folder's last session)"
_RUN = "Session"
_BUDGET = "Budgets over all sessions on the folder (it stops cleanly and can be resumed)"
_SAME = "the synthesizer's"


class SynthesisOptions(EndpointOptions, AgentOptions):
    """Options of a session. None is not given: what the folder remembers holds."""

    job: Annotated[str | None, Flag(_WHAT, common=True)] = None
    """Person who does the job, in words: `customs declarant`."""
    spec: Annotated[Path | None, Flag(_WHAT, common=True, metavar="FILE")] = None
    """The job as a YAML file: role, industry, domain, about, and any of the sizes below."""
    document: Annotated[list[Path] | None, Flag(_WHAT, common=True, metavar="FILE")] = None
    """A procedure, policy, interface (PDF, Markdown, text, OpenAPI 3) or folder; may be repeated, or come later."""
    without_document: Annotated[str | None, Flag(_WHAT, common=True, metavar="NAMES")] = None
    """Documents of earlier sessions to take out, comma-separated."""
    private: Annotated[str | None, Flag(_WHAT, default="none", metavar="NAMES")] = None
    """Documents and sections (DOCUMENT-SECTION) for the checks only, comma-separated; agents cannot read them."""
    precedence: Annotated[str | None, Flag(_WHAT, metavar="NAMES")] = None
    """Documents, comma-separated, the one that counts first in front, for those that contradict each other."""
    waive: Annotated[str | None, Flag(_WHAT, default="none", metavar="GATES")] = None
    """Gates, comma-separated, whose findings in the workplace you let pass; that stays on record."""
    workplace: Annotated[str | None, Flag(_WHAT, common=True, default="code", metavar="code|simulated|FOLDER")] = (
        None
    )
    """Form of the workplace: code that the author writes, code in a folder of your own, or simulated."""
    context_tokens: Annotated[Count | None, Flag(_WHO, default="as the endpoint says")] = None
    """Tokens of the synthesizer's context, prompt and reply together."""
    model: Annotated[str | None, Flag(_WHO, common=True, metavar="MODEL")] = None
    """The model in every role that has none of its own: a name, openai/NAME, or local."""
    roles: Annotated[Path | None, Flag(_WHO, common=True, metavar="FILE")] = None
    """Roles as a YAML file: synthesizer, solver, agent, simulator, judge, each with model, base_url, and so on."""
    synthesizer: Annotated[str | None, Flag(_WHO, metavar="MODEL", default="--model")] = None
    """The model that writes."""
    solver: Annotated[str | None, Flag(_WHO, metavar="MODEL", default=_SAME)] = None
    """The model that works each composed task for a second truth; another one than the synthesizer's is best."""
    agent: Annotated[str | None, Flag(_WHO, metavar="MODEL", default=_SAME)] = None
    """The model whose runs calibrate."""
    simulator: Annotated[str | None, Flag(_WHO, metavar="MODEL", default=_SAME)] = None
    """The model that plays simulated workplaces."""
    judge: Annotated[str | None, Flag(_WHO, metavar="MODEL", default=_SAME)] = None
    """The model that rules between two ends, and judges in simulated workplaces."""
    tasks: Annotated[Count | None, Flag(_SIZE, common=True, default="20")] = None
    """Sound tasks that are wanted. More of them need no further workplace."""
    keep: Annotated[Literal["sound", "band"] | None, Flag(_SIZE, common=True, default="sound")] = None
    """Sound tasks that stay easy or hard for the agent: kept with a label, or dropped."""
    fresh_runs: Annotated[Count | None, Flag(_SIZE, default="4")] = None
    """Runs of each chosen task for the pass rate that is published."""
    seed: Annotated[Annotated[int, Field(ge=0)] | None, Flag(_SIZE, default="0")] = None
    """Number that all draws follow from."""
    languages: Annotated[str | None, Flag(_SIZE, common=True, default="en")] = None
    """Languages of the tasks, comma-separated."""
    free_runs: Annotated[Count | None, Flag(_SIZE, default="4")] = None
    """Runs of a task before its band is looked at."""
    most_runs: Annotated[Count | None, Flag(_SIZE, default="12")] = None
    """Runs of a task at most until it is clear whether it is kept."""
    repairs: Annotated[Annotated[int, Field(ge=0)] | None, Flag(_SIZE, default="3")] = None
    """Times that a composed task is made harder or easier at most."""
    votes: Annotated[Count | None, Flag(_SIZE, default="3")] = None
    """Votes of the judge on each run in a simulated workplace."""
    max_turns: Annotated[
        Count | None, Flag(_SIZE, default=f"{USUAL_TURNS}; {LOCAL_TURNS} for the embedded model")
    ] = None
    """Assistant messages of one run."""
    output: Annotated[Path, Flag(_RUN, common=True, short="-o", metavar="FOLDER")]
    """Folder of the suite. The same command resumes it, and so does this alone."""
    until: Annotated[Literal["drafts", "suite"], Flag(_RUN, common=True)] = "suite"
    """Stage to stop at, for a look at the review page. Drafts of composed tasks cost nothing."""
    trust: Annotated[bool, Flag(_RUN)] = False
    """Run the workplace's code in this process instead of in the sandbox. For code that you have read."""
    yes: Annotated[bool, Flag(_RUN, common=True)] = False
    """Do not ask before the first call."""
    concurrency: Annotated[
        Count | None, Flag(_RUN, default=f"{USUAL_REQUESTS}; {LOCAL_CONCURRENCY} with the embedded model")
    ] = None
    """Requests in flight."""
    retries: Annotated[Count, Flag(_RUN)] = 8
    """Tries of one request that fails."""
    retry_seconds: Annotated[Amount, Flag(_RUN)] = 300.0
    """Waiting between the tries of one request."""
    max_cost: Annotated[Amount | None, Flag(_BUDGET, common=True)] = None
    """US dollars."""
    max_tokens: Annotated[Count | None, Flag(_BUDGET)] = None
    """Tokens in and out of all roles."""
    max_minutes: Annotated[Amount | None, Flag(_BUDGET)] = None
    """Wall-clock minutes of this session."""


EVERY_OPTION = with_roles(SynthesisOptions, ROLES)
"""`SynthesisOptions` with those of every role, such as `judge_base_url`."""

_SIZES = ("tasks", "keep", "fresh_runs", "seed", "free_runs", "most_runs", "repairs", "votes")
_REMEMBERED = (
    "model",
    "private",
    "precedence",
    "waive",
    "context_tokens",
    *(role.value for role in ROLES),
    "max_turns",
    "concurrency",
    *(name for name in EVERY_OPTION.model_fields if name not in SynthesisOptions.__annotations__),
)


@dataclass(frozen=True, kw_only=True)
class SessionSettings:
    """Everything that one session goes by."""

    spec: JobSpec
    own: Path | None
    """Folder of a workplace that its owner brings, where one is named."""
    sources: SourceLibrary
    private: Sequence[str]
    """Documents and sections that serve the checks only."""
    precedence: Sequence[str]
    """Documents, the one that counts first in front."""
    waived: Sequence[str]
    """Gates whose findings in the workplace the owner lets pass."""
    context: int | None
    """Tokens of the author's context, where its endpoint does not say."""
    resources: ResourceSettings
    run_settings: SimulatedSettings
    options: dict[str, Any]
    """Models and how they are reached, as the folder remembers them; nothing secret."""
    changes: list[str]
    """Differences from the folder's last session, a line each, and what they mean."""


def settings_of(folder: SuiteFolder, given: SynthesisOptions) -> SessionSettings:
    """The settings of a session.

    Raises:
        SettingError: no job or no model is named, or options do not fit together.
        DataError: a file cannot be used.
    """
    stored_spec, stored = _stored_spec(folder), _stored_options(folder)
    spec, own = _spec(folder, given, stored_spec)
    said = {name: value for name in _REMEMBERED if (value := getattr(given, name)) is not None}
    options = {**stored, **(read_roles(given.roles) if given.roles is not None else {}), **said}
    roles = _roles({**dict.fromkeys(_REMEMBERED), **options})
    stored_sources = SourceLibrary.read(folder.sources)
    sources = _without(stored_sources, given.without_document)
    sources = load(given.document, sources) if given.document else sources
    if spec.workplace == "code" and own is None and not sources and place_of(folder) is None:
        raise SettingError(lacks_workplace(folder))
    usual = LOCAL_CONCURRENCY if any(s.is_local for s in roles.values()) else USUAL_REQUESTS
    changes = []
    if stored_spec is not None:
        before = {**msgspec.to_builtins(stored_spec), **stored, **_names(stored_sources)}
        changes = _changes(before, {**msgspec.to_builtins(spec), **options, **_names(sources)})
    resources = ResourceSettings(
        roles=roles,
        requests=options.get("concurrency") or usual,
        retry=RetryPolicy(attempts=given.retries, total_seconds=given.retry_seconds),
        budget=Budget(given.max_cost, given.max_tokens, given.max_minutes),
    )
    waived = _names_in("waive", options)
    if waived:
        # Imported here: few waive anything, and the gates take a while to import.
        from worktrial.synthesis.standing import refuse_strange_waivers

        refuse_strange_waivers(waived)
    return SessionSettings(
        spec=spec,
        own=own,
        sources=sources,
        private=_names_in("private", options),
        precedence=_names_in("precedence", options),
        waived=waived,
        context=options.get("context_tokens"),
        # A missing key is told now, before anything is stored.
        resources=resources.resolved(Redactor()),
        run_settings=_run_settings(spec, roles, options),
        options=options,
        changes=changes,
    )


def remember(folder: SuiteFolder, settings: SessionSettings, expected: CostEstimate) -> None:
    """Store what the next session goes by.

    Raises:
        StopRun: the folder cannot be written.
    """
    settings.sources.write(folder.sources)
    write_text(folder.options, to_yaml({k: v for k, v in settings.options.items() if not _is_secret(k, v)}))
    write_text(folder.work / "estimate.yaml", to_yaml(expected))
    # Last: with it the folder is known as one in the making.
    write_text(folder.spec, to_yaml(settings.spec))


def read_roles(path: Path) -> dict[str, Any]:
    """Options in a file of roles, such as `solver_base_url`.

    Raises:
        DataError: it names a role or a field that there is not.
    """
    fields = read_yaml_as(path, dict[str, dict[str, Any]])
    found: dict[str, Any] = {}
    for name, values in fields.items():
        if name not in {role.value for role in ROLES}:
            raise DataError(path, f"{name} is no role", f"There are: {', '.join(role.value for role in ROLES)}")
        for field, value in values.items():
            key = name if field == "model" else f"{name}_{field}"
            if key not in _REMEMBERED:
                known = ", ".join(["model", *sorted(ROLE_VALUES)])
                raise DataError(path, f"{name}.{field} is unknown", f"A role has: {known}")
            found[key] = json.dumps(value) if isinstance(value, dict) else value
    try:
        EVERY_OPTION.model_validate({**found, "output": "."})
    except ValidationError as e:
        said = "; ".join(f"{'.'.join(map(str, error['loc']))}: {error['msg']}" for error in e.errors())
        raise DataError(path, said) from None
    return found


def _spec(folder: SuiteFolder, given: SynthesisOptions, stored: JobSpec | None) -> tuple[JobSpec, Path | None]:
    job, file, workplace = option("job"), option("spec"), given.workplace
    if given.job is not None and given.spec is not None:
        raise SettingError(f"{job} and {file} both say what the job is; give one of them")
    own = Path(workplace) if workplace not in (None, "code", "simulated") else None
    if own is not None and not own.is_dir():
        raise SettingError(f"{option('workplace')} {own}: write code, simulated, or the folder of a workplace")
    changed: dict[str, Any] = {name: value for name in _SIZES if (value := getattr(given, name)) is not None}
    if given.spec is not None:
        spec = read_spec(given.spec)
    elif stored is not None:
        spec = stored
    elif given.job is not None or own is not None:
        # Who brings a workplace has said what the job is, by its name at least.
        role = given.job if given.job is not None else (own or Path()).resolve().name.replace("_", " ")
        spec = JobSpec(role=role.strip() or " ")
    else:
        raise SettingError(f'{folder.root} holds no job yet; say what it is with {job} "…" or {file} FILE')
    if workplace is not None:
        changed["workplace"] = "simulated" if workplace == "simulated" else "code"
    if given.job is not None:
        changed["role"] = given.job.strip()
    if given.languages is not None:
        changed["languages"] = _split("languages", given.languages)
    try:
        spec = msgspec.convert({**msgspec.to_builtins(spec), **changed}, JobSpec)
    except msgspec.ValidationError as e:
        raise SettingError(f"the job's settings: {e}") from None
    if not spec.languages or len(set(spec.languages)) != len(spec.languages):
        raise SettingError("languages: name at least one, and none twice")
    rule_of(spec)
    # Imported here: the identifier takes half a second to load.
    from worktrial.synthesis.compose.languages import known_languages

    if strange := sorted(set(spec.languages) - known_languages()):
        what = "cannot be told from others, so no instruction could be checked"
        raise SettingError(f"{option('languages')} {', '.join(strange)}: {what}. Write codes such as en, ko, de")
    return spec, own


def _stored_spec(folder: SuiteFolder) -> JobSpec | None:
    if not folder.spec.exists():
        return None
    return read_spec(folder.spec)


def _stored_options(folder: SuiteFolder) -> dict[str, Any]:
    path = folder.options
    options = read_yaml_as(path, dict[str, str | int | float]) if path.exists() else {}
    if unknown := sorted(options.keys() - set(_REMEMBERED)):
        raise DataError(path, f"unknown option {', '.join(unknown)}", "Remove it")
    return dict(options)


def _is_secret(name: str, value: Any) -> bool:
    """Whether an address may hold a password or a key in its query; it has to be given again."""
    return name.endswith("base_url") and public_url(value) != value


def _roles(options: Mapping[str, Any]) -> dict[str, RoleSettings]:
    writer = options["synthesizer"] or options["model"]
    if writer is None:
        who, where = option("model"), option("base_url")
        raise SettingError(f"no model is named: say who takes part with {who} MODEL (and {where} URL)")
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


def _run_settings(
    spec: JobSpec, roles: Mapping[str, RoleSettings], options: Mapping[str, Any]
) -> SimulatedSettings:
    agent, simulator, judge = (roles[role] for role in (Role.AGENT, Role.SIMULATOR, Role.JUDGE))
    return SimulatedSettings(
        votes=spec.votes,
        simulator_prompt="compact" if simulator.is_local else "full",
        judge_record=LOCAL_RECORD if judge.is_local else USUAL_RECORD,
        limits=Limits(options.get("max_turns") or (LOCAL_TURNS if agent.is_local else USUAL_TURNS)),
    )


def _names_in(field: str, options: Mapping[str, Any]) -> list[str]:
    return _split(field, options[field]) if options.get(field) else []


def _without(sources: SourceLibrary, names: str | None) -> SourceLibrary:
    """The documents but for those that are named, by id or by file name."""
    if names is None:
        return sources
    known = {name: file.id for file in sources.files for name in (file.name, file.id)}
    wanted = _split("without_document", names)
    if strange := [name for name in wanted if name not in known]:
        what = f"{option('without_document')} {', '.join(strange)}: there is no such document"
        raise SettingError(f"{what}; there are {', '.join(file.id for file in sources.files) or 'none'}")
    return sources.without({known[name] for name in wanted})


def _names(sources: SourceLibrary) -> dict[str, str]:
    return {f"document {file.id}": file.hash[:12] for file in sources.files}


def _changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    changes = [
        f"  {name}: {before.get(name, '(none)')} -> {now.get(name, '(none)')}"
        for name in dict.fromkeys([*before, *now])
        if before.get(name) != now.get(name) and not _is_secret(name, now.get(name) or "")
    ]
    return ["Changed since the last session; what depends on it is made again:", *changes] if changes else []


def _split(field: str, text: str) -> list[str]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        raise SettingError(f"{option(field)}: names nothing")
    return parts
