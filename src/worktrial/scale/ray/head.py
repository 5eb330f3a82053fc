"""The head of a run on a Ray cluster: starts a task for each shard, watches over them, and puts them together."""

import contextlib
import os
import pickle
import re
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from packaging.version import Version

from worktrial import __version__
from worktrial.engine.manifest import MANIFEST
from worktrial.engine.progress import PLAIN_SECONDS
from worktrial.engine.run_plan import is_compressed
from worktrial.engine.shard import MOST_SHARDS, Shard
from worktrial.engine.stored import open_run
from worktrial.errors import SettingError, StopRun, extra
from worktrial.scale.merge import merge
from worktrial.scale.ray.keeper import Keeper, shard_home
from worktrial.scale.ray.ledger import LimitsLedger
from worktrial.scale.ray.worker import ShardEnd, ShardOrder
from worktrial.trials import PreparedRun

OLDEST = "2.50"
"""Oldest release of Ray that is taken."""
_RETRIES = 8
"""Deaths of workers that one shard survives."""
_HOST = re.compile(r"[\w.-]+:\d{1,5}|\[[0-9a-fA-F:.]+\]:\d{1,5}")
_HOME = re.compile(r"(\d+)-of-(\d+)")
_STORES = ("AWS_", "AZURE_", "GOOGLE_")
_LOOK = 1.0
_ENDING = 20.0


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster that is wanted."""

    address: str
    """`local` for one of its own, `auto` for the one that this machine is in, or HOST:PORT of a head."""
    shards: int | None = None
    """Number of shards; None: one for each CPU, or as many as there are."""
    wait: float = 120.0
    """Seconds in which it has to be there."""

    def __post_init__(self) -> None:
        """Refuse what is no address.

        Raises:
            SettingError: it is none, or there cannot be so many shards.
        """
        if self.address not in ("local", "auto") and not _HOST.fullmatch(self.address):
            raise SettingError(
                f"--ray {self.address}: is not `local`, `auto` or HOST:PORT of a cluster's head. Start the command "
                "on a machine of the cluster"
            )
        if self.shards is not None and not 1 <= self.shards <= MOST_SHARDS:
            raise SettingError(f"--shards {self.shards}: is not between 1 and {MOST_SHARDS:,}")


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
    library = _library()
    with _home(prepared, cluster) as (home, of):
        with _connected(library, cluster):
            cpus = int(library.cluster_resources().get("CPU", 0))
            of = of or cluster.shards or max(1, cpus)
            at_once = min(of, max(1, cpus), *_widths(prepared))
            ends = _run(library, errand, Planned(prepared, of, at_once), home, tell)
        if home is not None:
            places = [shard_home(home, number, of) for number in range(1, of + 1)]
            merge(places, prepared.settings.folder, compress=bool(is_compressed(prepared.plan)))
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


def _library() -> Any:
    with extra("ray", "A run on a Ray cluster"):
        import ray
    if Version(ray.__version__) < Version(OLDEST):
        raise SettingError(f"--ray: Ray {ray.__version__} is too old; install {OLDEST} or later, 'worktrial[ray]'")
    return ray


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
            yield home, _stored(home, cluster.shards)
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


@contextlib.contextmanager
def _connected(library: Any, cluster: Cluster) -> Iterator[None]:
    until = time.monotonic() + cluster.wait
    # Asked for by nobody: Ray sends its maker what it is used for.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if ":" in cluster.address:
        _knock(cluster, until)
    try:
        library.init(
            address=cluster.address,
            include_dashboard=False if cluster.address == "local" else None,
            log_to_driver=False,
            logging_level="ERROR",
            **({"object_store_memory": 80_000_000} if cluster.address == "local" else {}),
        )
    except (ConnectionError, RuntimeError, TimeoutError, ValueError, OSError) as e:
        local = cluster.address == "local"
        how = "Ray's own log says more" if local else "Start one with `ray start --head`, or use --ray local"
        raise SettingError(f"--ray {cluster.address}: no cluster answers ({_short(e)}). {how}") from None
    try:
        ready, _ = library.wait([library.remote(_nothing).remote()], timeout=max(0.1, until - time.monotonic()))
        if not ready:
            late = f"no worker was up within {cluster.wait:g} s"
            raise SettingError(f"--ray {cluster.address}: {late}; give it longer with --ray-wait")
        yield
    finally:
        library.shutdown()


def _knock(cluster: Cluster, until: float) -> None:
    host, _, port = cluster.address.rpartition(":")
    while True:
        try:
            with socket.create_connection((host.strip("[]"), int(port)), timeout=5):
                return
        except (OSError, OverflowError) as e:
            if time.monotonic() >= until:
                raise SettingError(
                    f"--ray {cluster.address}: nothing answers there within {cluster.wait:g} s ({e}); correct the "
                    "address, or give it longer with --ray-wait"
                ) from None
        time.sleep(min(1.0, max(0.05, until - time.monotonic())))


def _nothing() -> None:
    """Be there."""


def task_of() -> Callable[..., Any]:
    """Function that does a shard, which a worker need not have in order to say that it lacks it.

    Being no name of a module, it travels whole; what it is given may be read only by who has the same version.
    """

    def do_shard(version: str, order: bytes, ledger: Any, keeper: Any) -> Any:
        import asyncio
        import pickle

        try:
            import worktrial
        except ImportError:
            return f"a worker of the cluster lacks worktrial; install {version} on every machine"
        if worktrial.__version__ != version:
            has = f"has worktrial {worktrial.__version__}, and this command {version}"
            return f"a worker of the cluster {has}; install the same on every machine"
        from worktrial.scale.ray.worker import work_on

        def asking(actor: Any) -> Any:
            async def ask(name: str, *args: Any, **named: Any) -> Any:
                return await asyncio.wrap_future(getattr(actor, name).remote(*args, **named).future())

            return ask

        return work_on(pickle.loads(order), asking(ledger), None if keeper is None else asking(keeper))

    return do_shard


@dataclass(frozen=True, slots=True)
class Planned:
    """A run that is cut into shards."""

    prepared: PreparedRun
    of: int
    """Number of shards."""
    at_once: int
    """Number of them at work at the same time."""

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
            at_once=self.at_once,
            concurrency=self.prepared.settings.concurrency,
            keys=keys_of(self.prepared),
        )


def _run(
    library: Any, errand: Errand, planned: Planned, home: Path | None, tell: Callable[[str], None]
) -> list[ShardEnd]:
    prepared, of = planned.prepared, planned.of
    here = library.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
        library.get_runtime_context().get_node_id(), soft=False
    )
    budget = prepared.settings.budget
    cost, tokens = (0.0, 0) if budget.cost is None and budget.tokens is None else _earlier(prepared, home, of)
    on_this = {"num_cpus": 0, "scheduling_strategy": here}
    ledger = (
        library.remote(LimitsLedger).options(**on_this).remote(budget, planned.at_once, cost=cost, tokens=tokens)
    )
    keeper = None if home is None else library.remote(Keeper).options(**on_this).remote(home.resolve(), of)
    task = library.remote(task_of()).options(num_cpus=1, max_retries=_RETRIES)
    waiting = [*range(of, 0, -1)]
    running: dict[Any, int] = {}
    ends: list[ShardEnd] = []
    told = time.monotonic()
    try:
        while waiting or running:
            while waiting and len(running) < planned.at_once:
                order = planned.order(errand, waiting[-1])
                running[task.remote(__version__, pickle.dumps(order), ledger, keeper)] = waiting.pop()
            ready, _ = library.wait([*running], timeout=_LOOK)
            for one in ready:
                ends.append(_got(library, one, running.pop(one)))
                ends[-1].raise_error()
            if time.monotonic() - told >= PLAIN_SECONDS:
                told = time.monotonic()
                for number, line in library.get(ledger.told.remote()).items():
                    tell(f"shard {number}/{of}: {line}")
    except BaseException:
        _let_end(library, [*running])
        raise
    return ends


def _got(library: Any, one: Any, number: int) -> ShardEnd:
    try:
        end: ShardEnd | str = library.get(one)
    except library.exceptions.RayTaskError as e:
        if isinstance(e.cause, library.exceptions.RayError):
            raise StopRun(f"shard {number}: the cluster has lost what it needs ({_short(e.cause)})") from None
        raise
    except library.exceptions.RayError as e:
        died = f"its workers died {_RETRIES + 1} times, or the cluster did"
        raise StopRun(f"shard {number}: {died} ({_short(e)})") from None
    if isinstance(end, str):
        raise SettingError(f"--ray: {end}")
    return end


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:300]


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
    if prepared.settings.remote is not None:
        names |= {name for name in os.environ if name.startswith(_STORES)}
    return {name: os.environ[name] for name in names if name is not None and name in os.environ}


def _earlier(prepared: PreparedRun, home: Path | None, of: int) -> tuple[float, int]:
    """Cost and tokens of earlier sessions; of one that was killed, those of its samples."""
    if home is None:
        from worktrial.engine.objects.bucket import Bucket
        from worktrial.engine.objects.shards import read_run
        from worktrial.scale.objects import local_shards

        place = Path(prepared.settings.place)
        folders = [] if read_run(Bucket(prepared.settings.place)) is None else local_shards(place)
    else:
        folders = [shard_home(home, number, of) for number in range(1, of + 1)]
    cost, tokens = 0.0, 0
    for folder in folders:
        if (folder / MANIFEST).exists():
            run = open_run(folder, grounds=False)
            sessions = run.manifest.sessions
            bought = [record for record in run.records if not record.replayed]
            used = [usage for record in bought for usage in record.usage.values()]
            cost += max(sum(s.cost for s in sessions), sum(record.cost or 0.0 for record in bought))
            tokens += max(sum(s.tokens for s in sessions), sum(u.input_tokens + u.output_tokens for u in used))
    return cost, tokens
