"""One document on its way through the workers, its pages kept over a kill."""

import os
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import IO

import msgspec

from worktrial.archive.building.messages import (
    Answer,
    BuildEvent,
    DocumentSize,
    JoinSlices,
    OpenDocument,
    PageBytes,
    PartEnd,
    Progress,
    ReadPage,
    SliceEnd,
    Task,
    TaskLoss,
    TaskRefusal,
    WriteSlice,
)
from worktrial.archive.building.plan import DocumentJob, Versions, part_name, staging_key
from worktrial.archive.pages import PageContent, PageRange, Route, pages_within
from worktrial.archive.store.parts import GROUP, PARTS
from worktrial.archive.store.record import DocumentRecord
from worktrial.archive.store.rows import PartCounts, decode_page, encode_page

STAGING = "staging"
PAGES_SUFFIX = ".pages"

SLICE = 2 * GROUP
"""Pages whose meaning one task works out."""
MOST_LOSSES = 20
"""Pages in a row that crash the parser or do not end; then the rest of the document is given up as well."""


class Staging:
    """The pages read so far, open for more. One process writes."""

    def __init__(self, path: Path, key: str) -> None:
        """Open the file, or begin it anew when it is of other content or settings.

        Args:
            path: of the file.
            key: of the document's content and the settings.
        """
        self.path = path
        self.seconds = 0.0
        self.done: set[int] = set()
        path.parent.mkdir(parents=True, exist_ok=True)
        head = f"{key}\n".encode()
        end = 0
        if path.exists():
            with path.open("rb") as file:
                if file.readline() == head:
                    end = file.tell()
                    for line in file:
                        if not line.endswith(b"\n"):
                            break  # torn by a kill; overwritten below
                        number, seconds, _ = line.split(b" ", 2)
                        self.done.add(int(number))
                        self.seconds += float(seconds)
                        end += len(line)
        self._file: IO[bytes] = path.open("r+b" if end else "wb", buffering=0)
        if end:
            self._file.truncate(end)
            self._file.seek(end)
        else:
            self._file.write(head)

    def add(self, number: int, seconds: float, content: bytes) -> None:
        """Store a page."""
        # One write per line: after a kill at most the last line is torn.
        rest = memoryview(b"%d %.4f %s\n" % (number, seconds, content))
        while rest:
            rest = rest[self._file.write(rest) :]
        self.done.add(number)
        self.seconds += seconds

    def close(self) -> None:
        """Write everything to the disk and close the file."""
        os.fsync(self._file.fileno())
        self._file.close()


def staged_pages(path: Path, first: int, last: int) -> Iterator[PageContent]:
    """Some pages of a staging file in order, one at a time; those that it lacks are unread.

    A line that cannot be read is a failed page.
    """
    offsets: dict[int, tuple[int, int]] = {}
    with path.open("rb") as file:
        place = len(file.readline())
        for line in file:
            number = int(line[: line.index(b" ")])
            if first <= number <= last:
                offsets[number] = (place, len(line))
            place += len(line)
        for page in range(first, last + 1):
            if page not in offsets:
                yield PageContent(page, 0.0, 0.0, Route.UNREAD, "", confidence=0.0)
                continue
            start, length = offsets[page]
            file.seek(start)
            content = file.read(length).split(b" ", 2)[2]
            try:
                yield decode_page(content)
            except msgspec.MsgspecError as error:
                yield failed_page(page, f"the reader's result cannot be stored ({error})")


def failed_page(number: int, why: str) -> PageContent:
    """A page that is not in the archive."""
    return PageContent(number, 0.0, 0.0, Route.FAILED, "", confidence=0.0, trouble=why)


@dataclass(slots=True, eq=False)
class DocumentReading:
    """The state of a document; asked for tasks, told answers, until `done` is set."""

    job: DocumentJob
    folder: Path
    versions: Versions
    tell: Progress
    wanted: str = ""
    """Pages to read; nothing for all."""
    done: DocumentRecord | None = None
    """Its record, once it is in its place or given up."""
    _todo: deque[Task] = field(default_factory=deque)
    _under_way: int = 0
    _pages: int = 0
    _slices: int = 0
    _sliced: dict[Path, PartCounts] = field(default_factory=dict)
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
        if isinstance(answer, DocumentSize):
            self._begin(answer)
        elif isinstance(task, WriteSlice) and isinstance(answer, SliceEnd):
            self._sliced[task.into] = answer.counts
            if len(self._sliced) == self._slices:
                self._join(task)
        elif isinstance(answer, PartEnd):
            self._settle(answer.record)
        elif isinstance(task, ReadPage):
            self._page(task, answer)
        elif isinstance(answer, TaskRefusal | TaskLoss):
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

    def _begin(self, opening: DocumentSize) -> None:
        self._pages = opening.pages
        record = msgspec.structs.replace(self.job.record, trouble=opening.trouble)
        self.job = DocumentJob(self.job.source, record)
        self._staging = Staging(self._staged, staging_key(record, self.versions))
        kept = self._staging.done
        self.tell(BuildEvent("document", document=record.name, pages=opening.pages, kept=len(kept)))
        ranges = PageRange.several(self.wanted) if self.wanted else [PageRange(1, opening.pages)]
        wanted = pages_within(ranges, opening.pages)
        if not wanted | kept:
            self._give_up(f"has none of the pages {self.wanted}: its last is {opening.pages}")
            return
        self._todo.extend(ReadPage(self.job.source, n) for n in sorted(wanted - kept))

    def _page(self, task: ReadPage, answer: Answer) -> None:
        assert self._staging is not None
        if isinstance(answer, PageBytes):
            self._losses = 0
            self._staging.add(task.number, answer.seconds, answer.content)
            self._tell_page(task.number, answer.seconds, answer.failed)
            return
        assert isinstance(answer, TaskRefusal | TaskLoss)
        if isinstance(answer, TaskLoss) and "crashed" in answer.why and task.number not in self._retried:
            # What earlier pages left in the worker's memory may be to blame: once more, in a fresh one.
            self._retried.add(task.number)
            self._todo.appendleft(task)
            return
        late = isinstance(answer, TaskLoss) and answer.late
        self._fail(task.number, answer.why, late=late)
        if isinstance(answer, TaskLoss):
            self._losses += 1
            if self._losses >= MOST_LOSSES:
                why = f"given up after {MOST_LOSSES} pages in a row that were lost; the last one: {answer.why}"
                rest = [t.number for t in self._todo if isinstance(t, ReadPage)]
                self._todo.clear()
                for number in rest:
                    self._fail(number, why, late=late)

    def _fail(self, number: int, why: str, *, late: bool) -> None:
        assert self._staging is not None
        if late:
            why = f"{why}: unread until a build has more time for it"
        else:
            self._staging.add(number, 0.0, encode_page(failed_page(number, why)))
        self._tell_page(number, 0.0, why)

    def _tell_page(self, number: int, seconds: float, trouble: str | None) -> None:
        name = self.job.source.name
        self.tell(BuildEvent("page", document=name, page=number, seconds=seconds, trouble=trouble))

    def _all_read(self) -> None:
        assert self._staging is not None
        if not self._staging.done:
            self._give_up("no page of it was read in time")
            return
        done = PageRange.joined(PageRange(number, number) for number in self._staging.done)
        told = "" if done == [PageRange(1, self._pages)] else ",".join(map(str, done))
        record = msgspec.structs.replace(self.job.record, seconds=round(self._staging.seconds, 3), pages_read=told)
        self.close()
        self._slice(msgspec.structs.replace(record, pages=self._pages), self._staged)

    def _slice(self, record: DocumentRecord, pages_from: Path) -> None:
        # Meaning takes about as long as reading: a long document must not leave all but one worker idle.
        firsts = range(1, record.pages + 1, SLICE)
        self._slices = len(firsts)
        for first in firsts:
            into = self._work / f"slice-{first:06}"
            last = min(first + SLICE - 1, record.pages)
            self._todo.append(WriteSlice(record, pages_from, first, last, into, self.job.corrections))

    def _join(self, last: WriteSlice) -> None:
        slices = tuple(sorted(self._sliced))
        counts = reduce(PartCounts.plus, (self._sliced[place] for place in slices))
        into = self._work / "part"
        self._todo.append(JoinSlices(last.record, last.pages_from, slices, counts, into, self.versions))

    def _settle(self, written: DocumentRecord) -> None:
        settled = put_part(self.folder, self._work / "part", written)
        if not written.pages_read:
            # Else another build may ask for more pages.
            self._staged.unlink(missing_ok=True)
        _remove(self._work)
        self.done = settled

    def _give_up(self, why: str) -> None:
        self.close()
        self._todo.clear()
        self.done = msgspec.structs.replace(self.job.record, trouble=why)


def put_part(folder: Path, part: Path, record: DocumentRecord) -> DocumentRecord:
    """Move a finished part to where readers look.

    Args:
        folder: of the archive.
        part: folder of the part, which is moved.
        record: of its document.

    Returns:
        The record with the part's name.
    """
    place = folder / PARTS / part_name(record)
    place.parent.mkdir(exist_ok=True)
    if place.exists():
        # Damaged, else it would have been used: set aside, so that a kill between the two steps loses nothing.
        aside = place.with_name(f"{place.name}.old")
        _remove(aside)
        place.rename(aside)
    part.rename(place)
    return msgspec.structs.replace(record, part=place.name)


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
