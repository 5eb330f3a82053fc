"""Parsers of documents behind a wall: the sandbox of agents' Python, with the installed packages and with threads.

A parser that a document has turned against us sees the documents under way, the installed packages and the system's
libraries. It has no network, none of our environment, no process but its own, and a small folder to write to.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from worktrial.sandbox.bubblewrap import (
    HOME,
    SEALED,
    WORK,
    SandboxUnavailable,
    environment,
    filter_pipe,
    interpreter,
    walled,
    why_not_started,
)
from worktrial.sandbox.child import WaitingChild, usual_environment
from worktrial.sandbox.inside.landlock import landlock_version
from worktrial.sandbox.proc import number_in_proc
from worktrial.sandbox.syscalls import syscall_filter

DOCUMENTS = "/documents"
_PACKAGES = "/installed"
_OURS = "/ours"
_SCRATCH = 64 << 20
# Libraries for recognition ask how many cores there are.
_HARDWARE = ("/proc/cpuinfo", "/sys/devices/system/cpu")
_PROBE_SECONDS = 30


class Wall(StrEnum):
    """Walls between parsers of documents and this machine."""

    SANDBOX = "sandbox"
    """Namespaces of their own (bubblewrap)."""
    LANDLOCK = "landlock"
    """The system's own namespaces, with files and kernel calls taken away (Landlock, seccomp)."""
    NONE = "none"
    """Bounded in memory, with a clean environment, and with our rights."""


@cache
def best_wall() -> Wall:
    """The best wall that this machine has for parsers.

    Raises:
        SandboxUnavailable: it has none; the message says why not bubblewrap.
    """
    try:
        _probe()
    except SandboxUnavailable:
        if sys.platform == "linux" and landlock_version() >= 1 and _has_filter():
            return Wall.LANDLOCK
        raise
    return Wall.SANDBOX


def why_no_sandbox() -> str:
    """Reason why there is no bubblewrap here; blank where there is."""
    try:
        _probe()
    except SandboxUnavailable as unavailable:
        return unavailable.why
    return ""


def _has_filter() -> bool:
    try:
        syscall_filter(processes=True)
    except SandboxUnavailable:
        return False
    return True


@cache
def _probe() -> None:
    """Start a Python that does nothing.

    Raises:
        SandboxUnavailable: it does not start.
    """
    with _locked("pass") as (words, kept):
        try:
            done = subprocess.run(
                words,
                env=environment(WORK),
                pass_fds=kept,
                capture_output=True,
                timeout=_PROBE_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise SandboxUnavailable(f"Python did not start within {_PROBE_SECONDS} seconds") from None
    if done.returncode != 0:
        raise why_not_started(done.stderr.decode(errors="replace"), done.returncode)


@dataclass(frozen=True, slots=True)
class ParserProcess:
    """A started parser."""

    child: WaitingChild
    pid: int | None
    """Its number as seen from here; None where the wall does not tell."""

    def in_use(self) -> int:
        """Bytes that count against its limit of memory now; 0 where the system does not tell."""
        try:
            return int(Path(f"/proc/{self.pid}/statm").read_text("ascii").split()[5]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, ValueError, IndexError):
            return 0

    def worked(self) -> float:
        """Seconds that it had the processor, with those of its ended children; 0 where the system does not tell."""
        try:
            told = Path(f"/proc/{self.pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
            return sum(map(int, told[11:15])) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError):
            return 0.0


class Needs(NamedTuple):
    """All that a parser needs of this machine beside Python and the installed packages."""

    documents: Path
    """Folder of the documents that it may read; seen as `DOCUMENTS` in the sandbox."""
    files: tuple[str, ...] = ()
    """Programs that it runs, and their data; seen where they lie."""
    environment: Mapping[str, str] = {}
    """Variables of its own."""


def start_parser(wall: Wall, program: str, needs: Needs) -> ParserProcess:
    """Start a parser.

    Args:
        wall: Where it runs.
        program: Python to run; it finds our package and the installed ones.
        needs: What it is given.
    """
    if wall is not Wall.SANDBOX:
        program = f"import sys; sys.path[:] = {sys.path!r}; {program}"
        child = WaitingChild([sys.executable, "-c", program], env={**usual_environment(), **needs.environment})
        return ParserProcess(child, child.pid)
    told, tell = os.pipe()
    with os.fdopen(told, "rb") as info:
        try:
            with _locked(program, needs, tell) as (words, kept):
                path = os.defpath
                child = WaitingChild(words, env={**environment(WORK), "PATH": path, **needs.environment}, kept=kept)
        finally:
            os.close(tell)
        # It is written before Python runs; nothing at all where bubblewrap fails, which its end will tell.
        said = info.read()
    return ParserProcess(child, _seen(json.loads(said)["child-pid"]) if said else None)


def _seen(pid: int) -> int | None:
    try:
        return number_in_proc(pid)
    except OSError:
        return None


def readable_here(needs: Needs) -> tuple[str, ...]:
    """Files and folders that a parser reads where it has no namespaces."""
    system = ("/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/dev/urandom")
    python = (sys.base_prefix, sys.prefix, sys.executable)
    named = (*_installed(), *system, *_HARDWARE, *python, *needs.files, str(needs.documents))
    return tuple(path for path in named if Path(path).exists())


class ShownDocuments:
    """A folder in which parsers find the documents under way, and no others.

    A document is linked to, or copied where the file system or its owner is another.

    Args:
        folder: Made new and removed at the end.
    """

    def __init__(self, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.folder = folder

    def show(self, path: Path) -> None:
        """Show a document; one that is not there is left to whoever wants to read it."""
        place = self.folder / shown_name(path)
        if place.exists():
            return
        with contextlib.suppress(OSError):
            real = path.resolve()
            if real.stat().st_uid == os.geteuid():
                with contextlib.suppress(OSError):
                    os.link(real, place)
                    return
            part = place.with_suffix(".part")
            shutil.copyfile(real, part)
            part.chmod(0o644)
            part.rename(place)

    def hide(self, path: Path) -> None:
        """Hide a document that is done."""
        (self.folder / shown_name(path)).unlink(missing_ok=True)

    def end(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)


def shown_name(path: Path) -> str:
    """Name under which the document at `path` is shown."""
    return sha256(str(path).encode(errors="surrogateescape")).hexdigest()[:32]


class _Locked(NamedTuple):
    words: list[str]
    kept: tuple[int, ...]
    """Descriptors that bubblewrap reads and writes."""


@contextmanager
def _locked(program: str, needs: Needs | None = None, tell: int | None = None) -> Iterator[_Locked]:
    if sys.platform != "linux":
        raise SandboxUnavailable("the sandbox needs Linux")
    filter_fd = filter_pipe(syscall_filter(processes=True))
    try:
        words = walled(interpreter(), work_bytes=_SCRATCH, filter_fd=filter_fd, info_fd=tell)
        shown = _installed()
        for source, target in shown.items():
            words += ["--ro-bind", source, target]
        for source in (*_HARDWARE, *(needs.files if needs else ())):
            if Path(source).exists():
                words += ["--ro-bind", source, source]
        if needs is not None:
            words += ["--ro-bind", str(needs.documents.resolve()), DOCUMENTS]
        path = [_OURS, *(target for target in shown.values() if not target.startswith(_OURS))]
        start = f"import sys; sys.path += {path!r}; {program}"
        words += [*SEALED, "--", f"{HOME}/bin/python3", "-I", "-S", "-X", "utf8", "-c", start]
        yield _Locked(words, tuple(fd for fd in (filter_fd, tell) if fd is not None))
    finally:
        os.close(filter_fd)


@cache
def _installed() -> dict[str, str]:
    """Folders of installed packages and our own, and where they are seen."""
    folders = [path for path in sys.path if Path(path).is_dir() and Path(path).name.endswith("-packages")]
    return {**{path: f"{_PACKAGES}/{n}" for n, path in enumerate(folders)}, str(_package()): f"{_OURS}/worktrial"}


def _package() -> Path:
    spec = find_spec("worktrial")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent
