"""One document on its way through the workers."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path

import msgspec

from worktrial.archive.build.plan import Job, part_name, staging_key
from worktrial.archive.build.progress import Event, Opened, PageDone
from worktrial.archive.build.settings import Versions
from worktrial.archive.build.staging import PAGES_SUFFIX, STAGING, Staging, failed_page
from worktrial.archive.build.tasks import (
    Answer,
    JoinSlices,
    Lost,
    OpenDocument,
    Opening,
    ReadContent,
    ReadPage,
    Refused,
    Sliced,
    Task,
    WriteSlice,
    Written,
)
from worktrial.archive.store.content import encode_page
from worktrial.archive.store.parts import GROUP, PARTS
from worktrial.archive.store.record import DocumentRecord
from worktrial.archive.store.rows import Counts

SLICE = 2 * GROUP
"""Pages whose meaning one task works out."""
MOST_LOSSES = 20
"""Pages in a row that crash the parser or time out; then the rest of the document is given up as well."""


@dataclass(slots=True, eq=False)
class Reading:
    """The state of a document; asked for tasks, told answers, until `done` is set."""

    job: Job
    folder: Path
    versions: Versions
    tell: Callable[[Event], None]
    done: DocumentRecord | None = None
    """Its record, once it is in its place or given up."""
    _todo: deque[Task] = field(default_factory=deque)
    _under_way: int = 0
    _pages: int = 0
    _slices: int = 0
    _sliced: dict[Path, Counts] = field(default_factory=dict)
    _staging: Staging | None = None
    _losses: int = 0
    _retried: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        if self.job.pages_from is not None:
            self._slice(self.job.record, self.job.pages_from)
        else:
            self._todo.append(OpenDocument(self.job.source))

    def next_task(self) -> Task | None:
        """Something to do now; None while answers must come first, and at the end."""
        if not self._todo:
            return None
        self._under_way += 1
        return self._todo.popleft()

    def take(self, task: Task, answer: Answer) -> None:
        """An answer has come."""
        self._under_way -= 1
        if self.done is not None:
            return  # given up while this was under way
        if isinstance(answer, Opening):
            self._begin(answer)
        elif isinstance(task, WriteSlice) and isinstance(answer, Sliced):
            self._sliced[task.into] = answer.counts
            if len(self._sliced) == self._slices:
                self._join(task)
        elif isinstance(answer, Written):
            self._settle(answer.record)
        elif isinstance(task, ReadPage):
            self._page(task, answer)
        elif isinstance(answer, Refused | Lost):
            self._give_up(answer.why)
        if self._staging is not None and not self._todo and not self._under_way and self.done is None:
            self._all_read()

    def close(self) -> None:
        """Keep what has been read for the next build."""
        if self._staging is not None:
            self._staging.close()
            self._staging = None

    @property
    def _staged(self) -> Path:
        return self.folder / STAGING / f"{self.job.record.sha256[:24]}{PAGES_SUFFIX}"

    @property
    def _work(self) -> Path:
        return self.folder / STAGING / f"{self.job.record.sha256[:24]}.work"

    def _begin(self, opening: Opening) -> None:
        self._pages = opening.pages
        record = msgspec.structs.replace(self.job.record, trouble=opening.trouble)
        self.job = Job(self.job.source, record)
        self._staging = Staging(self._staged, staging_key(record, self.versions))
        kept = self._staging.done
        self.tell(Opened(record.name, opening.pages, len(kept)))
        self._todo.extend(ReadPage(self.job.source, n) for n in range(1, opening.pages + 1) if n not in kept)

    def _page(self, task: ReadPage, answer: Answer) -> None:
        assert self._staging is not None
        if isinstance(answer, ReadContent):
            self._losses = 0
            self._staging.add(task.number, answer.seconds, answer.content)
            self.tell(PageDone(task.source.name, task.number, answer.seconds, answer.failed))
            return
        assert isinstance(answer, Refused | Lost)
        if isinstance(answer, Lost) and "crashed" in answer.why and task.number not in self._retried:
            # What earlier pages left in the worker's memory may be to blame: once more, in a fresh one.
            self._retried.add(task.number)
            self._todo.appendleft(task)
            return
        self._fail(task.number, answer.why)
        if isinstance(answer, Lost):
            self._losses += 1
            if self._losses >= MOST_LOSSES:
                why = f"given up after {MOST_LOSSES} pages in a row that were lost; the last one: {answer.why}"
                rest = [t.number for t in self._todo if isinstance(t, ReadPage)]
                self._todo.clear()
                for number in rest:
                    self._fail(number, why)

    def _fail(self, number: int, why: str) -> None:
        assert self._staging is not None
        self._staging.add(number, 0.0, encode_page(failed_page(number, why)))
        self.tell(PageDone(self.job.source.name, number, 0.0, why))

    def _all_read(self) -> None:
        assert self._staging is not None
        record = msgspec.structs.replace(self.job.record, seconds=round(self._staging.seconds, 3))
        self.close()
        self._slice(msgspec.structs.replace(record, pages=self._pages), self._staged)

    def _slice(self, record: DocumentRecord, pages_from: Path) -> None:
        # Meaning takes about as long as reading: a long document must not leave all but one worker idle.
        firsts = range(1, record.pages + 1, SLICE)
        self._slices = len(firsts)
        for first in firsts:
            into = self._work / f"slice-{first:06}"
            self._todo.append(WriteSlice(record, pages_from, first, min(first + SLICE - 1, record.pages), into))

    def _join(self, last: WriteSlice) -> None:
        slices = tuple(sorted(self._sliced))
        counts = reduce(Counts.plus, (self._sliced[place] for place in slices))
        into = self._work / "part"
        self._todo.append(JoinSlices(last.record, last.pages_from, slices, counts, into, self.versions))

    def _settle(self, written: DocumentRecord) -> None:
        place = self.folder / PARTS / part_name(written)
        place.parent.mkdir(exist_ok=True)
        if place.exists():
            # Damaged, else it would have been used: set aside, so that a kill between the two steps loses nothing.
            aside = place.with_name(f"{place.name}.old")
            _remove(aside)
            place.rename(aside)
        (self._work / "part").rename(place)
        self._staged.unlink(missing_ok=True)
        _remove(self._work)
        self.done = msgspec.structs.replace(written, part=place.name)

    def _give_up(self, why: str) -> None:
        self.close()
        self._todo.clear()
        self.done = msgspec.structs.replace(self.job.record, trouble=why)


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
