"""The head of a run on a Ray cluster: starts a task for each shard, watches over them, and puts them together."""

import contextlib
import os
import pickle
import re
import socket
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from packaging.version import Version

from worktrial.engine.manifest import MANIFEST
from worktrial.engine.progress import PLAIN_SECONDS
from worktrial.engine.shard import MOST_SHARDS, Shard, shard_folder
from worktrial.errors import SettingError, StopRun, extra
from worktrial.scale.merge import merge
from worktrial.scale.ray.worker import BUDGET, MARK, Errand, ShardEnd, ShardOrder
from worktrial.trials import PreparedRun
from worktrial.version import __version__

OLDEST = "2.50"
"""Oldest release of Ray that is taken."""
_WAIT = 120.0
_RETRIES = 8
"""Deaths of workers that one shard survives."""
_LOOK = 1.0
_ENDING = 20.0
_HOST = re.compile(r"[\w.-]+:\d{1,5}|\[[0-9a-fA-F:.]+\]:\d{1,5}")
_HOME = re.compile(r"(\d+)-of-(\d+)")
_STORES = ("AWS_", "AZURE_", "GOOGLE_")


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster that is wanted.

    Raises:
        SettingError: there can be none at the address, or not so many shards.
    """

    address: str
    """`local` for one of its own, `auto` for the one that this machine is in, or HOST:PORT of a head."""
    shards: int | None = None
    """Number of shards of a run; None: one for each CPU, or as many as there are."""
    wait: float | None = None
    """Seconds in which it has to be there; None for the usual 120."""

    def __post_init__(self) -> None:
        if self.address not in ("local", "auto") and not _HOST.fullmatch(self.address):
            raise SettingError(
                f"--ray {self.address}: is not `local`, `auto` or HOST:PORT of a cluster's head. Start the command "
                "on a machine of the cluster"
            )
        if self.shards is not None and not 1 <= self.shards <= MOST_SHARDS:
            raise SettingError(f"--shards {self.shards}: is not between 1 and {MOST_SHARDS:,}")


def run_on_ray(
    prepared: PreparedRun, errand: Errand, cluster: Cluster, tell: Callable[[str], None]
) -> tuple[int, float]:
    """Carry out a run in shards on a cluster, to its end or from where an earlier session left it.

    Args:
        prepared: The whole run.
        errand: The same in words.
        cluster: Where it runs.
        tell: Told how it goes, a line each.

    Returns:
        How many requests were sent again, and the share of invalid samples, 0-1.

    Raises:
        SettingError: there is no cluster, the settings do not go with one, or the folder holds something else.
        WorktrialError: the run could not start or go on.
    """
    settings = prepared.settings
    if settings.batch is not None:
        raise SettingError("--ray: batches wait in the folder of one process; leave --batch out")
    if prepared.options.shard is not None:
        raise SettingError("--ray: cuts the run into shards itself; leave --shard out")
    library = _library()
    with _home(prepared, cluster) as (home, of):
        with _connected(library, cluster):
            cpus = max(1, int(library.cluster_resources().get("CPU", 0)))
            of = of or cluster.shards or cpus
            # Each takes at least one of the samples, and of the requests, that may be in flight.
            widths = (role.concurrency for role in prepared.models.values())
            minutes = settings.budget.minutes
            order = ShardOrder(
                errand,
                Shard(1, of),
                at_once=min(of, cpus, settings.concurrency, *(width for width in widths if width is not None)),
                home=home,
                mark="" if home is None else (home / MARK).read_text(),
                ends=None if minutes is None else time.time() + 60 * minutes,
                keys=keys_of(prepared),
            )
            ends = _run(library, order, tell)
        if home is not None:
            merge([home / shard_folder(Shard(number, of)) for number in range(1, of + 1)], settings.folder)
    samples = sum(end.samples for end in ends)
    return sum(end.retries for end in ends), sum(end.invalid for end in ends) / max(1, samples)


def keys_of(prepared: PreparedRun) -> dict[str, str]:
    """Environment variables that the workers need: keys of the roles, and those of the object store.

    They travel as an argument of the task, since Ray writes a runtime environment into its logs.
    """
    names = {role.resolved().api_key_env for role in prepared.models.values()}
    if prepared.settings.remote is not None:
        names |= {name for name in os.environ if name.startswith(_STORES)}
    return {name: os.environ[name] for name in names if name is not None and name in os.environ}


def _library() -> Any:
    with extra("ray", "A Ray cluster"):
        import ray
    if Version(ray.__version__) < Version(OLDEST):
        raise SettingError(f"--ray: Ray {ray.__version__} is too old; install {OLDEST} or later, 'worktrial[ray]'")
    return ray


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
            found = {int(name[2]) for path in home.iterdir() if (name := _HOME.fullmatch(path.name))}
            if len(found) > 1 or (found and cluster.shards not in (None, *found)):
                has = " and ".join(map(str, sorted(found)))
                there = f"{home} holds the run in {has} shards"
                raise SettingError(f"--shards {cluster.shards}: {there}; leave it out to go on with it")
            yield home.resolve(), next(iter(found), 0)
    except Timeout:
        raise SettingError(f"{home}: another process is working on this run") from None


@contextlib.contextmanager
def _connected(library: Any, cluster: Cluster) -> Iterator[None]:
    """A cluster, for as long as the block lasts; one of the command's own is started, and stopped.

    Raises:
        SettingError: it is not there in time.
    """
    where, is_local = f"--ray {cluster.address}", cluster.address == "local"
    seconds = _WAIT if cluster.wait is None else cluster.wait
    until = time.monotonic() + seconds
    # Asked for by nobody: Ray sends its maker what it is used for.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    host, _, port = cluster.address.rpartition(":")
    while port and host:
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()
            break
        except (OSError, OverflowError) as e:
            if time.monotonic() >= until:
                late = f"nothing answers there within {seconds:g} s ({e})"
                raise SettingError(
                    f"{where}: {late}; correct the address, or give it longer with --ray-wait"
                ) from None
        time.sleep(min(1.0, max(0.05, until - time.monotonic())))
    own = {"include_dashboard": False, "object_store_memory": 80_000_000} if is_local else {}
    try:
        library.init(address=cluster.address, log_to_driver=False, logging_level="ERROR", **own)
    except Exception as e:  # noqa: BLE001 - some of Ray's own have no other type
        how = "Ray's own log says more" if is_local else "Start one with `ray start --head`, or use --ray local"
        raise SettingError(f"{where}: no cluster answers ({_short(e)}). {how}") from None
    try:
        sign = library.remote(lambda: None).remote()
        if not library.wait([sign], timeout=max(0.1, until - time.monotonic()))[0]:
            raise SettingError(f"{where}: no worker was up within {seconds:g} s; give it longer with --ray-wait")
        yield
    finally:
        library.shutdown()


def far_work() -> Callable[[str, bytes], Any]:
    """Function that does a shard in a worker, which need not have us in order to say that it lacks us.

    Being no name of a module, it travels whole; what it is given may be read only by who has the same version. It
    takes our version and the pickled order, and returns what was made of the order, or a sentence that says why the
    worker cannot.
    """

    def do_shard(version: str, order: bytes) -> Any:
        import pickle
        from importlib import import_module

        try:
            worktrial = import_module("worktrial")
        except ImportError:
            return f"a worker of the cluster lacks worktrial; install {version} on every machine"
        if worktrial.__version__ != version:
            has = f"has worktrial {worktrial.__version__}, and this command {version}"
            return f"a worker of the cluster {has}; install the same on every machine"
        from worktrial.scale.ray.worker import work_on

        return work_on(pickle.loads(order))

    # Ray shows it so.
    do_shard.__qualname__ = "do_shard"
    return do_shard


def _run(library: Any, order: ShardOrder, tell: Callable[[str], None]) -> list[ShardEnd]:
    """Ends of all shards; `order` is that for one of them."""
    of = order.shard.of
    task = library.remote(far_work()).options(num_cpus=1, max_retries=_RETRIES)
    waiting, running = [*range(of, 0, -1)], dict[Any, int]()
    ends: list[ShardEnd] = []
    told = time.monotonic()
    try:
        while waiting or running:
            while waiting and len(running) < order.at_once:
                number = waiting.pop()
                ordered = replace(order, shard=Shard(number, of))
                running[task.remote(__version__, pickle.dumps(ordered))] = number
            ready, _ = library.wait([*running], timeout=_LOOK)
            for one in ready:
                ends.append(_got(library, one, running.pop(one)))
                # Others may have some of their part of the budget left.
                if ends[-1].kind != BUDGET:
                    ends[-1].raise_error()
            if time.monotonic() - told >= PLAIN_SECONDS:
                told = time.monotonic()
                tell(f"{len(ends)} of {of} shards are done, {len(running)} at work")
    except BaseException:
        _let_end(library, [*running])
        raise
    for end in ends:
        end.raise_error()
    return ends


def _got(library: Any, one: Any, number: int) -> ShardEnd:
    try:
        done = library.get(one)
    except library.exceptions.RayTaskError:
        raise  # our own code failed there
    except library.exceptions.RayError as e:
        died = f"its workers died {_RETRIES + 1} times, or the cluster did"
        raise StopRun(f"shard {number}: {died} ({_short(e)})") from None
    if isinstance(done, str):
        raise SettingError(f"--ray: {done}")
    end: ShardEnd = done
    return end


def _let_end(library: Any, running: Sequence[Any]) -> None:
    """Ask the workers for their end, so that what has finished is kept."""
    with contextlib.suppress(Exception):
        for one in running:
            library.cancel(one, force=False)
        library.wait([*running], num_returns=len(running), timeout=_ENDING)


def _short(error: BaseException) -> str:
    """An error of Ray's in a line."""
    return " ".join(str(error).split())[:300]
