"""Worker processes that may crash: each is a program of its own, joined by a pipe.

The standard library's pools end as a whole when one of their processes dies, and start by importing the caller's
main program again. Here a dead worker costs the page it was reading, and the caller may be anything, a notebook
included.
"""

import contextlib
import os
import pickle
import signal
import sys
import time
from collections.abc import Iterator
from multiprocessing.connection import wait
from typing import NamedTuple

from worktrial.archive.build.messages import Answer, JoinSlices, Task, TaskLoss, WriteSlice
from worktrial.archive.build.plan import BuildSettings
from worktrial.errors import SettingError
from worktrial.sandbox.child import ChildGone, WaitingChild

_START_SECONDS = 60.0
_WRITE_SECONDS = 3600.0
"""Writing a document's files has no page to give up; it is only stopped when it hangs."""

_APART = {"MALLOC_MMAP_THRESHOLD_": str(1 << 20)}
"""Pictures get blocks of their own, which go back to the system when freed. By itself the GNU C library takes to
keeping such blocks, up to 32 MB each, among the small ones, where they leave holes; others ignore the setting."""


class TaskEnd(NamedTuple):
    """A task that is over."""

    task: Task
    answer: Answer


class _Worker:
    def __init__(self, settings: BuildSettings) -> None:
        start = "from worktrial.archive.build.worker import main; main()"
        self.child = WaitingChild([sys.executable, "-c", start], env={**_APART, **os.environ})
        self.task: Task | None = None
        self.asked = time.monotonic()
        self.seconds = _START_SECONDS
        self.ready = False
        self.child.send(pickle.dumps((settings.reading, settings.memory, settings.tired, sys.path)))

    @property
    def left(self) -> float:
        """Seconds until its task is given up; more on a machine that has more to do than cores to do it."""
        return self.asked + self.seconds * _crowding() - time.monotonic()

    def ask(self, task: Task, seconds: float) -> None:
        self.task = task
        self.asked, self.seconds = time.monotonic(), seconds
        self.child.send(pickle.dumps(task))

    def farewell(self) -> str:
        """Stop it, and tell in words how it ended."""
        code, said = self.child.farewell(patience=0.5)
        if code is None:
            return "was stopped"
        if code < 0:
            with contextlib.suppress(ValueError):
                return f"crashed ({signal.Signals(-code).name})"
        return f"ended with code {code}" + (f": {said.splitlines()[-1]}" if said else "")


class Pool:
    """Some workers. Use in a `with` block; leaving it stops them at once."""

    def __init__(self, settings: BuildSettings) -> None:
        self._settings = settings
        self._workers: list[_Worker] = []

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.child.end()
        self._workers.clear()

    @property
    def busy(self) -> int:
        """Tasks under way."""
        return sum(worker.task is not None for worker in self._workers)

    @property
    def free(self) -> int:
        """Tasks that can be given without waiting."""
        return self._settings.processes - self.busy

    def give(self, task: Task) -> None:
        """Hand a task to a free worker; one more is started when there is none, and one ahead."""
        idle = [worker for worker in self._workers if worker.task is None]
        # One ahead: it is ready by the time that the first task has told what else there is to do.
        while len(idle) < 2 and len(self._workers) < self._settings.processes:
            idle.append(_Worker(self._settings))
            self._workers.append(idle[-1])
        # The first task waits for the start of its process, too.
        seconds = _WRITE_SECONDS if isinstance(task, WriteSlice | JoinSlices) else self._settings.page_seconds
        idle[0].ask(task, seconds + (0 if idle[0].ready else _START_SECONDS))

    def answers(self) -> Iterator[TaskEnd]:
        """Wait until at least one task is over.

        Raises:
            SettingError: workers cannot be started on this machine.
        """
        busy = [worker for worker in self._workers if worker.task is not None]
        left = min((worker.left for worker in busy), default=0.0)
        readable = wait([worker.child.fileno() for worker in busy], max(left, 0.0))
        for worker in busy:
            if worker.child.fileno() in readable:
                answered = self._receive(worker)
                if answered is not None:
                    yield answered
            elif worker.left <= 0:
                yield self._lose(worker)

    def _receive(self, worker: _Worker) -> TaskEnd | None:
        assert worker.task is not None
        try:
            said: tuple[Answer, bool] | None = pickle.loads(worker.child.receive())
        except ChildGone:
            how = worker.farewell()
            self._workers.remove(worker)
            if not worker.ready:
                raise SettingError(f"a worker process could not start: it {how}") from None
            return TaskEnd(worker.task, TaskLoss(f"the parser {how}"))
        if said is None:
            worker.ready = True
            return None
        task, worker.task = worker.task, None
        answer, tired = said
        if tired:
            self._workers.remove(worker)
            worker.child.end()
        return TaskEnd(task, answer)

    def _lose(self, worker: _Worker) -> TaskEnd:
        assert worker.task is not None
        most = _WRITE_SECONDS if isinstance(worker.task, WriteSlice | JoinSlices) else self._settings.page_seconds
        why = f"took longer than {most:g} s and was given up"
        self._workers.remove(worker)
        worker.child.end()
        return TaskEnd(worker.task, TaskLoss(why))


def _crowding() -> float:
    """Number of processes that want each core, at least 1; 1 where the system does not tell."""
    if not hasattr(os, "getloadavg"):
        return 1.0
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
