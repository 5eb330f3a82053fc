"""Tasks of an archive's build on a Ray cluster: pages of a document travel as ranges, the rest is done here."""

import contextlib
import pickle
import shutil
import time
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

from worktrial import __version__
from worktrial.archive.build.messages import (
    Event,
    JoinSlices,
    OpenDocument,
    PageBytes,
    PartEnd,
    Progress,
    ReadPage,
    SliceEnd,
    Task,
    TaskLoss,
    WallNotice,
    WorkerPages,
    WriteSlice,
)
from worktrial.archive.build.plan import BuildSettings, readers
from worktrial.archive.build.pool import Pool, PoolMaker, TaskEnd, is_for_parsers
from worktrial.archive.build.reading import cut_staging
from worktrial.archive.build.worker import OPENING_PAGES
from worktrial.archive.producers import DocumentSource
from worktrial.engine.progress import PLAIN_SECONDS
from worktrial.errors import SettingError, StopRun
from worktrial.places import address_of
from worktrial.sandbox.parsers import Wall
from worktrial.scale.ray.cluster import (
    Cluster,
    connected,
    cpus_of,
    far_work,
    gives_a_sign,
    in_short,
    keys_of_stores,
    on_this_machine,
    ray_library,
    result_of,
)
from worktrial.scale.ray.page_store import PageStore
from worktrial.scale.ray.page_work import DocumentLender, PageOrder, PageOrderEnd, stamp_of

MOST_PAGES = 16
"""Pages of a range."""
_AHEAD = 64
"""Tasks known to us for each worker: from these, ranges are cut the shorter the fewer are left."""
_LOOK, _SHORT_LOOK = 1.0, 0.05
_ENDING = 20.0
_DEATHS = 2
"""Workers that a task takes with it, alone, before it is given up."""


def page_ranges(
    cluster: Cluster, *, unsafe: bool = False, tell: Progress | None = None, place: Path | None = None
) -> PoolMaker:
    """Maker of a build's workers on a cluster, to which it connects when there is something to read.

    Args:
        cluster: Where they are.
        unsafe: Whether they may read documents without a wall.
        tell: Told of limits of their walls, and how far each worker is.
        place: Of the archive; where it is an address, workers lay down there what they make of documents.

    Raises:
        SettingError: Ray is not installed, or too old.
    """
    ray_library()
    address = None if place is None else address_of(place)
    return partial(RangePool, cluster, unsafe=unsafe, tell=tell, address=address or "")


class RangePool:
    """Workers of a cluster that read pages and write slices; an `archive.build.pool.TaskPool`.

    Tasks for readers of the caller's own, pictures of pages, and the joining of slices are left to processes of
    this machine.

    Args:
        cluster: Where they are.
        unsafe: Whether they may read documents without a wall.
        tell: Told of limits of their walls, and how far each worker is.
        address: Of the archive, where workers lay down what they make of documents; nothing for a folder.
        settings: How pages are read; the number of workers is that of ranges under way, 0 for one per CPU.
        wall: Of parsers on this machine.
        shown: Folder for documents that are read on this machine.
    """

    def __init__(
        self,
        cluster: Cluster,
        settings: BuildSettings,
        wall: Wall,
        shown: Path,
        *,
        unsafe: bool = False,
        tell: Progress | None = None,
        address: str = "",
    ) -> None:
        self._cluster = cluster
        # A second reader is shown pages here.
        self._store = PageStore(address) if address and not settings.second else None
        self._address = address if self._store is not None else ""
        self._archive = shown.parents[1]
        self._pages_of: Counter[str] = Counter()
        self._told = time.monotonic()
        self._settings = settings
        self._unsafe = unsafe
        self._tell = tell or _nobody
        self._is_noticed = False
        self._library = ray_library()
        self._own = Pool(settings, wall, shown)
        self._own_waiting: deque[Task] = deque()
        self._waiting: deque[Task] = deque()
        self._alone: set[tuple[Path, int]] = set()
        self._deaths: dict[int, int] = {}
        self._flying: dict[Any, tuple[Task, ...]] = {}
        self._exits = contextlib.ExitStack()
        self._workers = 1
        self._task: Any = None
        self._lender: Any = None
        self._readers = readers()
        # The same for the build that goes on with a killed one, which removes what that left on the workers.
        self._build = sha256(str(shown.resolve()).encode(errors="surrogateescape")).hexdigest()[:16]

    def __enter__(self) -> Self:
        """Connect to the cluster.

        Raises:
            SettingError: it is not there in time.
        """
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._own)
            stack.enter_context(connected(self._library, self._cluster))
            self._workers = self._settings.workers or cpus_of(self._library)
            work = far_work("worktrial.scale.ray.page_work:work_on_pages", "read_pages")
            self._task = self._library.remote(work).options(num_cpus=1, max_retries=0)
            self._lender = self._library.remote(DocumentLender).options(**on_this_machine(self._library)).remote()
            self._exits = stack.pop_all()
        return self

    def __exit__(self, *raised: object) -> None:
        with self._exits, contextlib.suppress(self._library.exceptions.RayError):
            for one in self._flying:
                self._library.cancel(one, force=False)
            self._clear_away()
        if self._store is not None and not any(raised):
            self._store.sweep(self._archive)

    @property
    def laid_in(self) -> str:
        """Place where workers lay down pages; see `archive.build.pool.TaskPool`."""
        return "" if self._store is None else self._store.laid_in

    def _clear_away(self) -> None:
        """Let each machine remove copies of documents."""
        affinity = self._library.util.scheduling_strategies.NodeAffinitySchedulingStrategy
        work = self._library.remote(far_work("worktrial.scale.ray.page_work:clear_away", "clear_away"))
        asked = [
            work.options(num_cpus=0, scheduling_strategy=affinity(node["NodeID"], soft=True)).remote(
                __version__, pickle.dumps(self._build)
            )
            for node in self._library.nodes()
            if node["Alive"]
        ]
        self._library.wait(asked, num_returns=len(asked), timeout=_ENDING)

    @property
    def busy(self) -> int:
        """Tasks under way."""
        flying = sum(map(len, self._flying.values()))
        return len(self._waiting) + flying + len(self._own_waiting) + self._own.busy

    @property
    def free(self) -> int:
        """Tasks that can be given without waiting."""
        return max(0, _AHEAD * self._workers - self.busy)

    def give(self, task: Task) -> None:
        """Hand over a task; a slice before others, so that documents that were begun come to their end."""
        far = WriteSlice if self._store is None else WriteSlice | JoinSlices
        if isinstance(task, far) and task.pages_from.is_file():
            self._waiting.appendleft(task)
        elif isinstance(task, OpenDocument | ReadPage) and is_for_parsers(task):
            self._waiting.append(task)
        else:
            self._own_waiting.append(task)

    def forget(self, source: DocumentSource) -> None:
        """A document is done."""
        self._own.forget(source)

    def answers(self) -> Iterator[TaskEnd]:
        """Wait a while for tasks that are over.

        Raises:
            SettingError: a worker cannot do such work.
            StopRun: the cluster is gone.
        """
        while self._own_waiting and self._own.free:
            self._own.give(self._own_waiting.popleft())
        while self._waiting and len(self._flying) < 2 * self._workers:
            tasks = self._range()
            order = pickle.dumps(self._order(tasks))
            self._flying[self._task.remote(__version__, order, self._lender)] = tasks
        if self._flying:
            ready, _ = self._library.wait([*self._flying], timeout=_SHORT_LOOK if self._own.busy else _LOOK)
            for one in ready:
                yield from self._landed(one)
        if self._own.busy:
            yield from self._own.answers(_SHORT_LOOK if self._flying else _LOOK)

    def _range(self) -> tuple[Task, ...]:
        """The next tasks that go together: pages of one document, fewer where few are left for all workers."""
        most = max(1, min(MOST_PAGES, len(self._waiting) // (2 * self._workers)))
        first = self._waiting.popleft()
        tasks = [first]
        if self._is_in_company(first):
            while len(tasks) < most and self._waiting and self._is_in_company(self._waiting[0], first):
                tasks.append(self._waiting.popleft())
        return tuple(tasks)

    def _is_in_company(self, task: Task, other: Task | None = None) -> bool:
        if not isinstance(task, ReadPage) or (task.source.path, task.number) in self._alone:
            return False
        return other is None or (isinstance(other, ReadPage) and other.source == task.source)

    def _order(self, tasks: tuple[Task, ...]) -> PageOrder:
        first = tasks[0]
        # A worker has one CPU of the cluster, whatever its machine has.
        settings = replace(self._settings, workers=1, threads=1, second="", pages="")
        order = PageOrder(tasks, self._build, settings, self._unsafe, self._readers, address=self._address)
        if self._address:
            order = replace(order, keys=keys_of_stores())
        if isinstance(first, WriteSlice):
            return replace(order, staged=cut_staging(first.pages_from, first.first, first.last))
        if isinstance(first, JoinSlices):
            slices = tuple({path.name: path.read_bytes() for path in place.iterdir()} for place in first.slices)
            return replace(order, staged=cut_staging(first.pages_from, 1, OPENING_PAGES), slices=slices)
        assert isinstance(first, OpenDocument | ReadPage)
        return replace(order, stamp=stamp_of(first.source.path))

    def _landed(self, one: Any) -> Iterator[TaskEnd]:
        tasks = self._flying.pop(one)
        errors = self._library.exceptions
        try:
            end: PageOrderEnd = result_of(self._library, one)
        except errors.RayTaskError:
            raise
        except errors.RayError as e:
            yield from self._lost(tasks, in_short(e))
            return
        if end.error is not None:
            raise SettingError(f"--ray: {end.error}")
        if end.notice and not self._is_noticed:
            self._is_noticed = True
            self._tell(WallNotice(f"On workers of the cluster: {end.notice}"))
        for task, answer in zip(tasks, end.answers, strict=True):
            self._deaths.pop(id(task), None)
            self._pages_of[end.worker] += isinstance(answer, PageBytes)
            if isinstance(task, ReadPage) and isinstance(answer, TaskLoss):
                # Should it be tried again, then not in the company of others.
                self._alone.add((task.source.path, task.number))
            if isinstance(task, WriteSlice | JoinSlices) and isinstance(answer, SliceEnd | PartEnd):
                shutil.rmtree(task.into, ignore_errors=True)
                task.into.mkdir(parents=True)
                if self._store is not None and end.part is not None:
                    self._store.bring(end.part, task.into, self._archive)
                for name, content in end.files.items():
                    (task.into / name).write_bytes(content)
            yield TaskEnd(task, answer)
        if time.monotonic() - self._told >= PLAIN_SECONDS:
            self._told = time.monotonic()
            for worker, count in sorted((+self._pages_of).items()):
                self._tell(WorkerPages(worker, count))

    def _lost(self, tasks: tuple[Task, ...], why: str) -> Iterator[TaskEnd]:
        """A worker died: its tasks are tried again alone, and given up where that takes further workers along."""
        if len(tasks) == 1:
            self._deaths[id(tasks[0])] = self._deaths.get(id(tasks[0]), 0) + 1
        for task in reversed(tasks):
            if self._deaths.get(id(task), 0) >= _DEATHS:
                del self._deaths[id(task)]
                if not gives_a_sign(self._library):
                    raise StopRun(
                        f"--ray {self._cluster.address}: the cluster is gone ({why}). What was read is stored"
                    )
                yield TaskEnd(task, TaskLoss(f"its worker of the cluster died {_DEATHS} times ({why})"))
                continue
            if isinstance(task, ReadPage):
                self._alone.add((task.source.path, task.number))
            self._waiting.appendleft(task)


def _nobody(event: Event) -> None:
    """Told to nobody."""
