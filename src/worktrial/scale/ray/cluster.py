"""A Ray cluster: whether it is there, and work handed to its machines."""

import contextlib
import os
import re
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from packaging.version import Version

from worktrial.engine.shard import MOST_SHARDS
from worktrial.errors import SettingError, extra

OLDEST = "2.50"
"""Oldest release of Ray that is taken."""
_WAIT = 120.0
_STORES = ("AWS_", "AZURE_", "GOOGLE_")
_HOST = re.compile(r"[\w.-]+:\d{1,5}|\[[0-9a-fA-F:.]+\]:\d{1,5}")
_SIGN_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster that is wanted."""

    address: str
    """`local` for one of its own, `auto` for the one that this machine is in, or HOST:PORT of a head."""
    shards: int | None = None
    """Number of shards of a run; None: one for each CPU, or as many as there are."""
    wait: float | None = None
    """Seconds in which it has to be there; None for the usual 120."""

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

    @property
    def seconds(self) -> float:
        """Seconds in which it has to be there."""
        return _WAIT if self.wait is None else self.wait


def ray_library() -> Any:
    """The module `ray`.

    Raises:
        SettingError: it is not installed, or too old.
    """
    with extra("ray", "A Ray cluster"):
        import ray
    if Version(ray.__version__) < Version(OLDEST):
        raise SettingError(f"--ray: Ray {ray.__version__} is too old; install {OLDEST} or later, 'worktrial[ray]'")
    return ray


@contextlib.contextmanager
def connected(library: Any, cluster: Cluster) -> Iterator[None]:
    """A cluster, for as long as the block lasts; one of the command's own is started, and stopped.

    Raises:
        SettingError: it is not there in time.
    """
    until = time.monotonic() + cluster.seconds
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
        raise SettingError(f"--ray {cluster.address}: no cluster answers ({in_short(e)}). {how}") from None
    try:
        if not gives_a_sign(library, max(0.1, until - time.monotonic())):
            late = f"no worker was up within {cluster.seconds:g} s"
            raise SettingError(f"--ray {cluster.address}: {late}; give it longer with --ray-wait")
        yield
    finally:
        library.shutdown()


def gives_a_sign(library: Any, seconds: float = _SIGN_SECONDS) -> bool:
    """Whether a worker of the cluster does something within so many seconds."""
    ready, _ = library.wait([library.remote(_nothing).remote()], timeout=seconds)
    return bool(ready)


def cpus_of(library: Any) -> int:
    """Number of CPUs that the cluster has now, at least 1."""
    return max(1, int(library.cluster_resources().get("CPU", 0)))


def far_work(place: str, name: str) -> Callable[..., Any]:
    """Function that does an order in a worker, which need not have us in order to say that it lacks us.

    Being no name of a module, it travels whole; what it is given may be read only by who has the same version. It
    takes our version and the pickled order, and returns what was made of the order, or a sentence that says why the
    worker cannot.

    Args:
        place: Function of ours that is called there with the order, as `module:name`.
        name: Name of the work in what Ray shows of its workers.
    """

    def work(version: str, order: bytes) -> Any:
        import pickle
        from importlib import import_module

        try:
            worktrial = import_module("worktrial")
        except ImportError:
            return f"a worker of the cluster lacks worktrial; install {version} on every machine"
        if worktrial.__version__ != version:
            has = f"has worktrial {worktrial.__version__}, and this command {version}"
            return f"a worker of the cluster {has}; install the same on every machine"
        from worktrial.errors import MissingExtra

        module, _, function = place.partition(":")
        try:
            todo = getattr(import_module(module), function)
        except MissingExtra as e:
            return f"a worker of the cluster: {e}"
        return todo(pickle.loads(order))

    work.__name__ = work.__qualname__ = name
    return work


def result_of(library: Any, one: Any) -> Any:
    """Result of `far_work`.

    Raises:
        SettingError: the worker cannot do such work.
        ray.exceptions.RayError: the worker died, or our code failed there.
    """
    done = library.get(one)
    if isinstance(done, str):
        raise SettingError(f"--ray: {done}")
    return done


def keys_of_stores() -> dict[str, str]:
    """Environment variables that a worker needs to reach an object store."""
    return {name: value for name, value in os.environ.items() if name.startswith(_STORES)}


def in_short(error: BaseException) -> str:
    """An error of Ray's in a line."""
    return " ".join(str(error).split())[:300]


def _knock(cluster: Cluster, until: float) -> None:
    host, _, port = cluster.address.rpartition(":")
    while True:
        try:
            with socket.create_connection((host.strip("[]"), int(port)), timeout=5):
                return
        except (OSError, OverflowError) as e:
            if time.monotonic() >= until:
                raise SettingError(
                    f"--ray {cluster.address}: nothing answers there within {cluster.seconds:g} s ({e}); correct "
                    "the address, or give it longer with --ray-wait"
                ) from None
        time.sleep(min(1.0, max(0.05, until - time.monotonic())))


def _nothing() -> None:
    """Be there."""
