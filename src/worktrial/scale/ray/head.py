"""The head of a run on a Ray cluster: starts a task for each shard, watches over them, and puts them together."""

import contextlib
import os
import pickle
import re
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from worktrial.engine.manifest import MANIFEST
from worktrial.engine.progress import PLAIN_SECONDS
from worktrial.engine.records import SAMPLES
from worktrial.engine.shard import Shard
from worktrial.engine.spend import Budget
from worktrial.errors import SettingError, StopRun
from worktrial.scale.merge import merge
from worktrial.scale.ray.cluster import (
    Cluster,
    connected,
    cpus_of,
    far_work,
    in_short,
    keys_of_stores,
    ray_library,
    result_of,
)
from worktrial.scale.ray.worker import BUDGET, MARK, ShardEnd, ShardOrder, shard_home
from worktrial.trials import PreparedRun
from worktrial.version import __version__

_RETRIES = 8
"""Deaths of workers that one shard survives."""
_HOME = re.compile(r"(\d+)-of-(\d+)")
_LOOK = 1.0
_ENDING = 20.0


@dataclass(frozen=True, slots=True)
class Errand:
    """Words of a command that the workers are to repeat."""

    suite: str
    agent: str | None
    given: Mapping[str, Any]
    command: tuple[str, ...]


def run_on_ray(
    prepared: PreparedRun, errand: Errand, cluster: Cluster, tell: Callable[[str], None]
) -> Sequence[ShardEnd]:
    """Carry out a run in shards on a cluster, to its end or from where an earlier session left it.

    Args:
        prepared: The whole run.
        errand: The same in words.
        cluster: Where it runs.
        tell: Told how it goes, a line each.

    Raises:
        SettingError: there is no cluster, the settings do not go with one, or the folder holds something else.
        WorktrialError: the run could not start or go on.
    """
    refuse_unfit(prepared)
    library = ray_library()
    with _home(prepared, cluster) as (home, of):
        with connected(library, cluster):
            cpus = cpus_of(library)
            of = of or cluster.shards or cpus
            at_once = min(of, cpus, *_widths(prepared))
            minutes = prepared.settings.budget.minutes
            until = None if minutes is None else time.time() + 60 * minutes
            ends = _run(library, errand, Planned(prepared, of, at_once, until, home), tell)
        if home is not None:
            places = [shard_home(home, number, of) for number in range(1, of + 1)]
            merge(places, prepared.settings.folder)
    return ends


def refuse_unfit(prepared: PreparedRun) -> None:
    """Refuse what cannot be done in shards elsewhere.

    Raises:
        SettingError: it is a batch, or a shard already.
    """
    if prepared.settings.batch is not None:
        raise SettingError("--ray: batches wait in the folder of one process; leave --batch out")
    if prepared.options.shard is not None:
        raise SettingError("--ray: cuts the run into shards itself; leave --shard out")


def _widths(prepared: PreparedRun) -> list[int]:
    """Numbers of samples or requests in flight, none of which allows more shards at a time than itself."""
    roles = (role.concurrency for role in prepared.models.values())
    return [prepared.settings.concurrency, *(width for width in roles if width is not None)]


@contextlib.contextmanager
def _home(prepared: PreparedRun, cluster: Cluster) -> Iterator[tuple[Path | None, int]]:
    """Folder of the shards, beside that of the run, and their number, 0 for none yet; no folder for an address."""
    settings = prepared.settings
    if settings.remote is not None:
        if cluster.shards is None:
            raise SettingError("--ray: a run in an object store needs --shards N, the same each time")
        yield None, cluster.shards
        return
    home = settings.folder.with_name(f"{settings.folder.name}.shards")
    if (settings.folder / MANIFEST).exists() and not home.exists():
        raise SettingError(
            f"{settings.folder}: holds a run that was not made with --ray. Go on with it without, or name another "
            "folder with -o"
        )
    home.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(home / ".lock").acquire(blocking=False):
            (home / MARK).write_text(uuid.uuid4().hex)
            yield home.resolve(), _stored(home, cluster.shards)
    except Timeout:
        raise SettingError(f"{home}: another process is working on this run") from None


def _stored(home: Path, wanted: int | None) -> int:
    found = {int(name[2]) for path in home.iterdir() if (name := _HOME.fullmatch(path.name))}
    if len(found) > 1 or (found and wanted not in (None, *found)):
        has = " and ".join(map(str, sorted(found)))
        raise SettingError(
            f"--shards {wanted}: {home} holds the run in {has} shards; leave it out to go on with it"
        )
    return next(iter(found), 0)


@dataclass(frozen=True, slots=True)
class Planned:
    """A run that is cut into shards."""

    prepared: PreparedRun
    of: int
    """Number of shards."""
    at_once: int
    """Number of them at work at the same time."""
    ends: float | None = None
    """Time at which its minutes are over, in seconds since 1970; None without a bound."""
    home: Path | None = None
    """Folder of the shards; None where the run lies in an object store."""

    def budget(self, number: int) -> Budget:
        """Part of the run's budget that falls to one of the shards.

        Args:
            number: The shard's.
        """
        whole = self.prepared.settings.budget
        tokens = None if whole.tokens is None else whole.tokens // self.of + (number <= whole.tokens % self.of)
        return Budget(None if whole.cost is None else whole.cost / self.of, tokens)

    def order(self, errand: Errand, number: int) -> ShardOrder:
        """Order to do one of the shards.

        Args:
            errand: The run in words.
            number: The shard's.
        """
        return ShardOrder(
            suite=errand.suite,
            agent=errand.agent,
            given=errand.given,
            base=Path.cwd(),
            command=errand.command,
            shard=Shard(number, self.of),
            home=self.home,
            mark="" if self.home is None else (self.home / MARK).read_text(),
            at_once=self.at_once,
            concurrency=self.prepared.settings.concurrency,
            budget=self.budget(number),
            ends=self.ends,
            keys=keys_of(self.prepared),
        )


def _run(library: Any, errand: Errand, planned: Planned, tell: Callable[[str], None]) -> list[ShardEnd]:
    of = planned.of
    work = far_work("worktrial.scale.ray.worker:work_on", "do_shard")
    task = library.remote(work).options(num_cpus=1, max_retries=_RETRIES)
    waiting = [*range(of, 0, -1)]
    running: dict[Any, int] = {}
    ends: list[ShardEnd] = []
    told = time.monotonic()
    try:
        while waiting or running:
            while waiting and len(running) < planned.at_once:
                order = planned.order(errand, waiting[-1])
                running[task.remote(__version__, pickle.dumps(order))] = waiting.pop()
            ready, _ = library.wait([*running], timeout=_LOOK)
            for one in ready:
                ends.append(_got(library, one, running.pop(one)))
                # Others may have some of their part of the budget left.
                if ends[-1].kind != BUDGET:
                    ends[-1].raise_error()
            if time.monotonic() - told >= PLAIN_SECONDS:
                told = time.monotonic()
                tell(_state(planned, len(ends), len(running)))
    except BaseException:
        _let_end(library, [*running])
        raise
    for end in ends:
        end.raise_error()
    return ends


def _state(planned: Planned, done: int, running: int) -> str:
    """Progress of the run in a line."""
    said = f"{done} of {planned.of} shards are done, {running} at work"
    if planned.home is None:
        return said
    places = (shard_home(planned.home, number, planned.of) for number in range(1, planned.of + 1))
    return f"{said}: {sum(_lines(place / SAMPLES) for place in places):,} samples are stored"


def _lines(path: Path) -> int:
    if not path.exists():
        return 0
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))


def _got(library: Any, one: Any, number: int) -> ShardEnd:
    try:
        end: ShardEnd = result_of(library, one)
    except library.exceptions.RayTaskError:
        raise
    except library.exceptions.RayError as e:
        died = f"its workers died {_RETRIES + 1} times, or the cluster did"
        raise StopRun(f"shard {number}: {died} ({in_short(e)})") from None
    return end


def _let_end(library: Any, running: Sequence[Any]) -> None:
    """Ask the workers for their end, so that what has finished is kept."""
    with contextlib.suppress(Exception):
        for one in running:
            library.cancel(one, force=False)
        library.wait([*running], num_returns=len(running), timeout=_ENDING)


def keys_of(prepared: PreparedRun) -> dict[str, str]:
    """Environment variables that the workers need: keys of the roles, and those of the object store.

    They travel as an argument of the task, since Ray writes a runtime environment into its logs.
    """
    names = {role.resolved().api_key_env for role in prepared.models.values()}
    keys = {name: os.environ[name] for name in names if name is not None and name in os.environ}
    return keys if prepared.settings.remote is None else {**keys, **keys_of_stores()}
