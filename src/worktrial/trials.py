"""The one path from a suite, an agent and options to a run, for every face: command line, Python, pytest."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from worktrial.agents.episodes import Episodes
from worktrial.agents.own_callable import refuse_while_loading
from worktrial.engine.batch.policy import BatchPolicy
from worktrial.engine.manifest import MANIFEST
from worktrial.engine.memory import admission
from worktrial.engine.record import Key
from worktrial.engine.records import last_records
from worktrial.engine.retry import RetryPolicy
from worktrial.engine.roles import RoleName, RoleSettings, is_address
from worktrial.engine.run_plan import RemoteRun, RunPlan, RunSettings, stored_like
from worktrial.engine.shard import read_shard, shard_folder
from worktrial.engine.spend import Budget
from worktrial.engine.stored import open_run
from worktrial.engine.trial import ShardedTrial, Trial
from worktrial.errors import DataError, SettingError, option
from worktrial.language.untrusted import plain_name
from worktrial.named_agents import resolve_agent
from worktrial.options import RunOptions
from worktrial.places import address_of, below, brought, check_address
from worktrial.sandbox.box import shield
from worktrial.stores.writers import spool_folder
from worktrial.suite import Suite, as_suite, find_suite
from worktrial.trial.settings import LOCAL_CONCURRENCY, USUAL_CONCURRENCY

# Samples of a batch wait together, and wait long.
BATCH_CONCURRENCY = 1000

Agent = str | Callable[..., Any] | Episodes
"""Words that one writes after `--agent`, the function itself, or whoever hands out episodes."""


@dataclass(frozen=True, slots=True)
class PreparedRun:
    """Everything up to the first sample."""

    suite: Suite
    options: Any
    """An instance of the suite's `every_option`."""
    trial: Trial
    models: Mapping[RoleName, RoleSettings]
    settings: RunSettings
    notices: Sequence[str]
    """Sentences to tell the user before it starts, a line each; options in it are marked (see `errors.option`)."""

    @property
    def plan(self) -> RunPlan:
        """The run as the engine takes it."""
        return RunPlan(self.trial, self.models, self.settings)


def prepare(
    suite: object,
    agent: Agent | None,
    given: Mapping[str, Any],
    *,
    base: Path | None = None,
    command: tuple[str, ...] = (),
) -> PreparedRun:
    """Read the options, find the agent and its models, and make the trial.

    Args:
        suite: Name of a suite, folder of one's own, or the suite itself.
        agent: Who takes the trial; None is missing.
        given: Options of the suite by field name; None is not given.
        base: Folder that relative paths start at; None for the working directory.
        command: Words that started it, for the manifest.

    Raises:
        SettingError: an option is unknown, missing or makes no sense.
        DataError: the suite's data cannot be read.
    """
    refuse_while_loading()
    suite = _suite(suite, base)
    lacks = ["agent"] if agent is None else []
    options = suite.every_option.read(
        given, suite=f"the suite {suite.name}", needs=suite.needs, lacks=lacks, base=base
    )
    who = resolve_agent(agent or "", suite, base, options=options)
    if who.far is not None:
        shield()
    models = suite.models(options, who)
    trial = suite.trial(options, who, models)
    settings = suite.pace(options, trial, settings_of(options, suite.name, models, base=base, command=command))
    notices = [*suite.notices(options, trial)]
    if (votes := getattr(options, "votes", 1)) % 2 == 0:
        even = "an even number can end without a majority, and one more costs less than that"
        notices.append(f"{option('votes')} {votes}: {even}")
    own = sharded(trial, options)
    if options.again is not None:
        broken = _broken(settings.folder, own)
        settings = replace(settings, only=frozenset(broken))
        notices += _said_of(broken, settings.folder)
    if (admitted := admission(trial, options.memory_share)) is not None:
        at_once, what = settings.concurrency, "samples in flight"
        if isinstance(agent, Episodes):
            # Samples that nobody has taken yet wait side by side, and hold nothing.
            at_once, what = agent.most, "open episodes"
            agent.admit_at_most(admitted.samples, admitted.reason)
        settings = replace(settings, concurrency=min(settings.concurrency, admitted.samples))
        if admitted.samples < min(at_once, len(own.jobs)):
            notices.append(f"{what}: at most {admitted.samples} at once, since {admitted.reason}")
    return PreparedRun(suite, options, own, models, settings, notices)


_NAMED = 8
"""Samples of a kind that are named before they are run again."""


def _broken(folder: Path, trial: Trial) -> dict[Key, str]:
    """Samples of the run in `folder` that have no verdict, each with the kind of its reason.

    Raises:
        SettingError: there is no run.
    """
    if not (folder / MANIFEST).exists():
        raise SettingError(f"{option('again')}: {folder} holds no run. Name one with {option('output')}")
    keys = {job.key for job in trial.jobs}
    records = last_records(folder).values()
    return {one.key: one.invalid_reason for one in records if one.invalid_reason is not None and one.key in keys}


def _said_of(broken: Mapping[Key, str], folder: Path) -> Iterator[str]:
    """Lines on the samples that are run again, the reasons, and the effect that this can have on a rate."""
    if not broken:
        yield f"{option('again')}: no sample in {folder} is without a verdict; nothing is run"
        return
    yield f"{option('again')}: {len(broken)} samples have no verdict, and are run once more:"
    for kind, count in Counter(broken.values()).most_common():
        named = [f"{task} (repeat {n}, {where})" for (task, n, where), why in broken.items() if why == kind]
        more = "" if count <= _NAMED else f" and {count - _NAMED} more"
        yield f"  {kind}, {count}: {', '.join(named[:_NAMED])}{more}"
    yield (
        "WARNING: where samples of one kind break more often, such as the long ones, trying only those once more "
        "shifts the rate. Say beside it that this was done."
    )


def sharded(trial: Trial, options: RunOptions) -> Trial:
    """The part of `trial` that the options ask for; all of it where they name no shard.

    Raises:
        SettingError: there is no such shard, or it would lie in a folder that nobody named.
    """
    if options.shard is None:
        return trial
    shard = read_shard(options.shard)
    if options.output is None:
        # Shards are begun at the same moment, and each would take the first free name.
        raise SettingError(f"{option('shard')} {shard}: needs a folder of its own; name it with {option('output')}")
    return ShardedTrial(trial, shard)


def prepare_all(
    suite: object,
    agents: Sequence[Agent],
    given: Mapping[str, Any],
    *,
    base: Path | None = None,
    command: tuple[str, ...] = (),
) -> list[PreparedRun]:
    """Make the same trial for several agents, whose samples are then taken in turn.

    Each run has a folder of its own, named after the agent, in the folder that `given` names as `output`. Budgets,
    concurrency and the pace of every role are those of all runs together.

    Args:
        suite: Name of a suite, folder of one's own, or the suite itself.
        agents: Who takes the trial; at least one, each once.
        given: Options of the suite by field name; None is not given.
        base: Folder that relative paths start at; None for the working directory.
        command: Words that started it, for the manifests.

    Raises:
        SettingError: an agent is named twice, the folder is that of a single run, or as `prepare`.
        DataError: the suite's data cannot be read.
    """
    refuse_while_loading()
    suite = _suite(suite, base)
    if not agents:
        raise SettingError(f"{option('agent')}: names nobody")
    specs = [resolve_agent(agent, suite, base).spec for agent in agents]
    if twice := next((spec for spec in specs if specs.count(spec) > 1), None):
        raise SettingError(f"{option('agent')} {twice}: is named twice; for more tries use {option('repeats')}")
    here = base or Path()
    given_folder = given.get("output")
    if given.get("shard") and not given_folder:
        raise SettingError(f"{option('shard')}: needs a folder of its own; name it with {option('output')}")
    folder = Path(given_folder) if given_folder else new_folder(suite.name, base).relative_to(here)
    if (below(here, folder) / MANIFEST).exists():
        raise SettingError(
            f"{folder} holds the run of one agent, and several have a folder each inside the one that is named. "
            f"Name another with {option('output')}"
        )
    prepared = [
        prepare(suite, agent, {**given, "output": folder / name}, base=base, command=command)
        for agent, name in zip(agents, folder_names(specs), strict=True)
    ]
    return [_share(run, len(agents)) for run in prepared]


def folder_names(specs: Sequence[str]) -> list[str]:
    """Name of each agent's folder beside the others': what it was called, as far as a folder can be called so."""
    plain = [plain_name(spec, otherwise="agent") for spec in specs]
    low = [name.casefold() for name in plain]
    return [
        name if low.count(name.casefold()) == 1 else f"{name}-{sha256(spec.encode()).hexdigest()[:8]}"
        for name, spec in zip(plain, specs, strict=True)
    ]


def _share(run: PreparedRun, runs: int) -> PreparedRun:
    requests = run.settings.requests
    settings = replace(run.settings, requests=None if requests is None else max(1, requests // runs))
    return replace(run, models={name: role.share(runs) for name, role in run.models.items()}, settings=settings)


def settings_of(
    options: RunOptions,
    name: str,
    models: Mapping[RoleName, RoleSettings],
    *,
    base: Path | None = None,
    command: tuple[str, ...] = (),
) -> RunSettings:
    """Settle how a run is carried out.

    Args:
        options: What the user said about it.
        name: Name of the suite or audit, for the folder of a run that names none.
        models: Who plays which role.
        base: Folder in which `runs/NAME-N` is made; None for the working directory.
        command: Words that started it, for the manifest.

    Raises:
        SettingError: there can be no collector at the address that is named.
    """
    usual = LOCAL_CONCURRENCY if any(role.is_local for role in models.values()) else USUAL_CONCURRENCY
    if options.batch:
        usual = BATCH_CONCURRENCY
    folder, remote = _place(options, name, base)
    return RunSettings(
        folder=folder,
        remote=remote,
        concurrency=options.concurrency or usual,
        retry=RetryPolicy(attempts=options.retries, total_seconds=options.retry_seconds),
        budget=Budget(options.max_cost, options.max_tokens, options.max_minutes),
        cache=options.cache,
        cache_only=options.cache_only,
        durable=options.durable,
        batch=BatchPolicy() if options.batch else None,
        command=command,
        otlp=_collector(options),
        trace_content=options.trace_content,
    )


def _place(options: RunOptions, name: str, base: Path | None) -> tuple[Path, RemoteRun | None]:
    """Folder of a run on this machine, and its place in an object store where it has one."""
    if options.output is None:
        return new_folder(name, base), None
    address = address_of(options.output)
    if address is None:
        if options.take_over:
            raise SettingError(f"{option('take_over')}: is about runs in an object store; leave it out")
        return options.output, None
    check_address(address)
    shard = None if options.shard is None else read_shard(options.shard)
    folder = spool_folder(address, shard_folder(shard))
    brought(folder, address)
    return folder, RemoteRun(address, options.take_over)


def _collector(options: RunOptions) -> str | None:
    address = options.otlp
    if address is None:
        if options.trace_content:
            raise SettingError(f"{option('trace_content')}: is about spans; add {option('otlp')} URL")
        return None
    if not is_address(address):
        # Not repeated here: whatever it is, a password may be in it.
        raise SettingError(f"{option('otlp')}: no address of a collector; write http://HOST:4318")
    return address


def new_folder(name: str, base: Path | None = None) -> Path:
    """First free `runs/NAME-N`, below `base`."""
    number = 1
    while (folder := (base or Path()) / "runs" / f"{name}-{number}").exists():
        number += 1
    return folder


class Unfinished(NamedTuple):
    """A stored run that the same command would go on with."""

    folder: Path
    """Folder to name as `output`."""
    finished: int
    samples: int


def unfinished(prepared: Sequence[PreparedRun]) -> Unfinished | None:
    """The newest run of the suite, where it is an unfinished one of the same trial; None where it is not.

    Args:
        prepared: Runs of a command that named no folder.
    """
    several = len(prepared) > 1
    new = prepared[0].settings.folder.parent if several else prepared[0].settings.folder
    name, _, number = new.name.rpartition("-")
    newest = new.with_name(f"{name}-{int(number) - 1}")
    finished = samples = 0
    for run in prepared:
        folder = newest / run.settings.folder.name if several else newest
        try:
            stored = None if stored_like(run.plan, folder) is None else open_run(folder)
        except DataError:
            # A damaged run is no reason to refuse a new one.
            stored = None
        if stored is None:
            return None
        finished += len(stored.records)
        samples += stored.manifest.samples
    return Unfinished(newest, finished, samples) if finished < samples else None


def _suite(suite: object, base: Path | None) -> Suite:
    if not isinstance(suite, str | Path):
        return as_suite(suite)
    is_path = isinstance(suite, Path) or suite.startswith(".") or "/" in suite
    return find_suite(base / suite if base is not None and is_path else suite)
