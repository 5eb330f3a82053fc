"""Worker processes that may crash, or be turned against us: each is a program of its own, joined by a pipe.

The standard library's pools end as a whole when one of their processes dies, and start by importing the caller's
main program again. Here a dead worker costs the page it was reading, and the caller may be anything, a notebook
included.

There are two kinds. Parsers read documents that nobody vouches for, behind a wall; what they answer is checked.
Writers turn checked pages into files, and run readers of the caller's own, with the caller's rights.
"""

import contextlib
import math
import signal
import time
from collections.abc import Iterator
from multiprocessing.connection import wait
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, Self

import msgspec

from worktrial.archive.building.messages import (
    MOST_MESSAGE,
    MOST_PAGES,
    Answer,
    DocumentSize,
    DrawnPage,
    DrawPage,
    JoinSlices,
    OpenDocument,
    PageBytes,
    ReadPage,
    Task,
    TaskLoss,
    TaskRefusal,
    WorkerAnswer,
    WorkerReady,
    WorkerSetup,
    WriteSlice,
    decode_answer,
    encode,
)
from worktrial.archive.building.plan import BuildSettings
from worktrial.archive.building.wall import needs_of
from worktrial.archive.producers.files import EXTENSIONS, DocumentSource
from worktrial.archive.store.rows import decode_page
from worktrial.errors import SettingError
from worktrial.sandbox.child import BrokenWire, ChildGone
from worktrial.sandbox.parsers import DOCUMENTS, ShownDocuments, Wall, readable_here, start_parser

_START_SECONDS = 60.0
_WRITE_SECONDS = 3600.0
"""Writing a document's files has no page to give up; it is only stopped when it hangs."""
_AT_WORK = 0.001
"""Share of the time that a worker has the processor for, at least, unless it hangs; others may want it, too."""
_MOST_WORDS = 2_000
_START = "from worktrial.archive.building.worker import main; main()"


class TaskEnd(NamedTuple):
    """A task that is over."""

    task: Task
    answer: Answer


class _Worker:
    """A process that does one task at a time."""

    def __init__(self, settings: BuildSettings, wall: Wall, shown: Path, *, parses: bool) -> None:
        needs = needs_of(shown)
        self.parses = parses
        self.task: Task | None = None
        self.seconds = self._look = self._looked = self._before = self._seen = 0.0
        self.ready = False
        self._scratch: TemporaryDirectory[str] | None = None
        if not parses:
            wall = Wall.NONE
        setup = WorkerSetup(settings.reading, settings.memory)
        if wall is Wall.SANDBOX:
            setup = msgspec.structs.replace(setup, shown_in=DOCUMENTS)
        elif parses:
            setup = msgspec.structs.replace(setup, shown_in=str(shown))
        if wall is Wall.LANDLOCK:
            self._scratch = TemporaryDirectory(prefix="worktrial-parser-")
            needs = needs._replace(environment={**needs.environment, "TMPDIR": self._scratch.name})
            setup = msgspec.structs.replace(setup, readable=readable_here(needs), writable=self._scratch.name)
        self._started = start_parser(wall, _START, needs)
        self.child = self._started.child
        self.child.send(encode(setup))

    @property
    def left(self) -> float:
        """Seconds until somebody should look whether its task never ends."""
        return self._look - time.monotonic()

    def is_late(self) -> bool:
        """Whether its task had its seconds of the processor, or gets no further: a busy machine costs no page."""
        now, worked = time.monotonic(), self._started.worked() - self._before
        stands = worked - self._seen < _AT_WORK * (now - self._looked)
        self._looked, self._seen = now, worked
        self._look = now + max(1.0, self.seconds - worked)
        return stands or worked >= self.seconds

    def in_use(self) -> int:
        """Bytes that count against its limit of memory now."""
        return self._started.in_use()

    def ask(self, task: Task, seconds: float) -> None:
        """Give it a task that may take so many seconds of the processor."""
        self.task, self.seconds = task, seconds
        self._looked = time.monotonic()
        self._look, self._before, self._seen = self._looked + seconds, self._started.worked(), 0.0
        self.child.send(encode(task))

    def farewell(self) -> str:
        """Stop it, and tell in words how it ended."""
        code, said = self.child.farewell(patience=0.5)
        self._clear()
        if code is None:
            return "was stopped"
        # The sandbox reports a signal as a shell does.
        number = -code if code < 0 else code - 128
        if number > 0:
            with contextlib.suppress(ValueError):
                return f"crashed ({signal.Signals(number).name})"
        return f"ended with code {code}" + (f": {said.splitlines()[-1][:_MOST_WORDS]}" if said else "")

    def end(self) -> None:
        """Stop it at once."""
        self.child.end()
        self._clear()

    def _clear(self) -> None:
        if self._scratch is not None:
            self._scratch.cleanup()


class Pool:
    """Some workers. Use in a `with` block; leaving it stops them at once.

    Args:
        settings: How many, and how they read.
        wall: Where parsers run.
        shown: Folder for the documents under way, on the archive's file system.
    """

    def __init__(self, settings: BuildSettings, wall: Wall, shown: Path) -> None:
        self._settings = settings
        self._wall = wall
        self._shown = ShownDocuments(shown)
        self._workers: list[_Worker] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Stop the workers at once."""
        for worker in self._workers:
            worker.end()
        self._workers.clear()
        self._shown.end()

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
        parses = _is_for_parsers(task)
        kind = [worker for worker in self._workers if worker.parses is parses]
        idle = [worker for worker in kind if worker.task is None]
        # One ahead: it is ready by the time that the first task has told what else there is to do.
        wanted = 2 if parses else 1
        while len(idle) < wanted and len(kind) < self._settings.processes:
            idle.append(_Worker(self._settings, self._wall, self._shown.folder, parses=parses))
            kind.append(idle[-1])
            self._workers.append(idle[-1])
        if parses and isinstance(task, OpenDocument | ReadPage | DrawPage):
            self._shown.show(task.source.path)
        # The first task waits for the start of its process, too.
        idle[0].ask(task, self._most_seconds(task) + (0 if idle[0].ready else _START_SECONDS))

    def forget(self, source: DocumentSource) -> None:
        """A document is done: no parser shall see it any more."""
        self._shown.hide(source.path)

    def answers(self) -> Iterator[TaskEnd]:
        """Wait until something has come of the tasks under way: often that one is over.

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
            elif worker.left <= 0 and worker.is_late():
                yield self._lose(worker)

    def _receive(self, worker: _Worker) -> TaskEnd | None:
        assert worker.task is not None
        try:
            said = decode_answer(worker.child.receive(MOST_MESSAGE))
            if isinstance(said, WorkerReady) and not worker.ready:
                worker.ready = True
                return None
            answer = _checked(worker.task, said) if worker.parses else _taken(said)
        except ChildGone:
            how = worker.farewell()
            self._workers.remove(worker)
            if not worker.ready:
                raise SettingError(f"a worker process could not start: it {how}") from None
            return TaskEnd(worker.task, TaskLoss(f"the parser {how}"))
        except (BrokenWire, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            self._workers.remove(worker)
            worker.end()
            return TaskEnd(worker.task, TaskLoss(f"the parser answered what is no answer ({error})"))
        task, worker.task = worker.task, None
        if worker.in_use() > self._settings.tired:
            self._workers.remove(worker)
            worker.end()
        return TaskEnd(task, answer)

    def _lose(self, worker: _Worker) -> TaskEnd:
        assert worker.task is not None
        why = f"took longer than {self._most_seconds(worker.task):g} s"
        self._workers.remove(worker)
        worker.end()
        return TaskEnd(worker.task, TaskLoss(why, late=True))

    def _most_seconds(self, task: Task) -> float:
        return _WRITE_SECONDS if isinstance(task, WriteSlice | JoinSlices) else self._settings.page_seconds


def _is_for_parsers(task: Task) -> bool:
    """Whether it is work on bytes that nobody vouches for, by code of ours."""
    if isinstance(task, DrawPage):
        return True
    return isinstance(task, OpenDocument | ReadPage) and task.source.kind in EXTENSIONS.values()


def _taken(said: WorkerReady | WorkerAnswer) -> Answer:
    if isinstance(said, WorkerReady):
        raise BrokenWire("it is ready twice")
    return said.answer


def _checked(task: Task, said: WorkerReady | WorkerAnswer) -> Answer:
    """A parser's answer, which whoever wrote the document may have written.

    Raises:
        BrokenWire: it does not answer the task.
        msgspec.MsgspecError: its page is none.
    """
    answer = _taken(said)
    if isinstance(answer, TaskRefusal):
        return TaskRefusal(answer.why[:_MOST_WORDS])
    if isinstance(task, OpenDocument) and isinstance(answer, DocumentSize) and 0 <= answer.pages <= MOST_PAGES:
        return DocumentSize(answer.pages, answer.trouble and answer.trouble[:_MOST_WORDS])
    if isinstance(task, ReadPage) and isinstance(answer, PageBytes):
        # One line of the staging file: a further line would be another page.
        fits = b"\n" not in answer.content and decode_page(answer.content).number == task.number
        if fits and math.isfinite(answer.seconds) and answer.seconds >= 0:
            return PageBytes(answer.content, answer.failed and answer.failed[:_MOST_WORDS], answer.seconds)
    if isinstance(task, DrawPage) and isinstance(answer, DrawnPage) and answer.turn in (0, 90, 180, 270):
        fits = min(answer.width, answer.height) > 0 and answer.width * answer.height * 3 == len(answer.pixels)
        if fits:
            return answer
    raise BrokenWire("it does not fit the task")
