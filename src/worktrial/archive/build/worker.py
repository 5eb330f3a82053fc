"""A worker process: reads pages and writes parts, one task at a time, until nobody asks any more."""

import contextlib
import os
import signal
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

from worktrial.archive.build.tasks import (
    Answer,
    JoinSlices,
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
from worktrial.archive.producers import DocumentSource, PageReader, ReadSettings, open_document
from worktrial.errors import WorktrialError

_MOST_PAGES = 100_000
"""A file that claims more has a damaged page tree, or should be cut into volumes."""


class Worker:
    """Keeps the last document open: most pages come from the same one."""

    def __init__(self, settings: ReadSettings) -> None:
        self._settings = settings
        self._source: DocumentSource | None = None
        self._reader: PageReader | None = None

    def answer(self, task: Task) -> Answer:
        """Do one task. What goes wrong with the data is an answer, not an exception."""
        try:
            if isinstance(task, OpenDocument):
                return self._open(task.source)
            if isinstance(task, ReadPage):
                return self._read(task)
            return self._write(task)
        except WorktrialError as error:
            return Refused(str(error))
        except MemoryError:
            return Refused("needs more memory than a worker may use")
        except Exception as error:  # noqa: BLE001 - a defect met on one page must not end the build
            return Refused(f"the parser failed: {type(error).__name__}: {error}")

    def _open(self, source: DocumentSource) -> Answer:
        reader = self._reader_of(source)
        if reader.pages > _MOST_PAGES:
            return Refused(f"claims to have {reader.pages:,} pages; at most {_MOST_PAGES:,} are read")
        return Opening(reader.pages, reader.trouble)

    def _read(self, task: ReadPage) -> Answer:
        from worktrial.archive.store.content import encode_page
        from worktrial.archive.words import Route

        began = time.monotonic()
        page = self._reader_of(task.source).read(task.number)
        failed = (page.trouble or "could not be read") if page.route == Route.FAILED else None
        return ReadContent(encode_page(page), failed, time.monotonic() - began)

    def _write(self, task: WriteSlice | JoinSlices) -> Answer:
        from worktrial.archive.build.finish import join_document, slice_document

        self._close()
        if isinstance(task, JoinSlices):
            return Written(join_document(task))
        return Sliced(slice_document(task))

    def _reader_of(self, source: DocumentSource) -> PageReader:
        if self._reader is None or source != self._source:
            self._close()
            self._reader = open_document(source, self._settings)
            self._source = source
        return self._reader

    def _close(self) -> None:
        if self._reader is not None:
            self._reader.close()
        self._reader = self._source = None


def main() -> None:
    """Entry point of the process; the parent hands over one end of a pipe."""
    # Ctrl-C reaches the whole group of processes; the parent decides what becomes of us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pipe = Connection(int(sys.argv[1]))
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        settings, memory, tired, path = pipe.recv()
        # What the caller can import, its readers' processes can, too.
        sys.path[:] = path
        _limit_memory(memory)
        worker = Worker(settings)
        pipe.send(None)
        while True:
            answer = worker.answer(pipe.recv())
            pipe.send((answer, _in_use() > tired))
    # Libraries with threads of their own may take long to say goodbye, and nothing is left to be saved.
    os._exit(0)


def _in_use() -> int:
    """Bytes that count against the limit now; 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[5]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


def _limit_memory(most: int) -> None:
    try:
        import resource
    except ImportError:  # not a Unix
        return
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    wanted = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))
    # A crash is told by the exit code; a core file per bad page would fill the disk.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


if __name__ == "__main__":
    # Run as a file's module, so that classes pickled by the parent are the same here.
    sys.path = [entry for entry in sys.path if entry != str(Path(__file__).parent)]
    main()
