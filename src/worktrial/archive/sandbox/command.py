"""The command line that starts a session's process, locked in or not."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from worktrial.archive.sandbox.interpreter import (
    HERE,
    HOME,
    PACKAGES_AT,
    SESSION_AT,
    masks,
    mounts,
    package_folders,
)
from worktrial.archive.sandbox.unavailable import SandboxUnavailable
from worktrial.language import JsonObject

WORK = "/work"
ARCHIVE = "/archive"
_INSTALL = "Install it (Debian, Ubuntu: apt-get install bubblewrap; Fedora: dnf install bubblewrap)."
_DEVICES = ("null", "zero", "full", "random", "urandom")
# One process may not start threads; a library that wants several would fail.
_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


def locked_in(
    setup: JsonObject, *, work_bytes: int, archive: Path | None, filter_fd: int, info_fd: int
) -> list[str]:
    """Python in bubblewrap.

    Without `/proc`: nothing in there is needed, and much can be learned from it.

    Args:
        setup: what its worker is told.
        work_bytes: size of the work folder, the only place that can be written to.
        archive: a folder to show at `/archive`.
        filter_fd: where bubblewrap reads the filter of kernel calls.
        info_fd: where it tells the process's id.

    Raises:
        SandboxUnavailable: there is no bubblewrap.
    """
    program = shutil.which("bwrap")
    if program is None:
        raise SandboxUnavailable("bubblewrap is not installed, so Python of an agent cannot be locked in", _INSTALL)
    words = [program, "--unshare-user", "--unshare-all", "--die-with-parent", "--new-session", "--as-pid-1"]
    words += ["--cap-drop", "ALL", "--uid", "1000", "--gid", "1000", "--hostname", "sandbox"]
    words += ["--seccomp", str(filter_fd), "--info-fd", str(info_fd)]
    for source, target in mounts():
        words += ["--ro-bind", str(source), target]
    for target in masks():
        words += ["--size", "4096", "--tmpfs", target, "--remount-ro", target]
    for device in _DEVICES:
        words += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
    if archive is not None:
        words += ["--ro-bind", str(archive.resolve()), ARCHIVE]
    words += ["--size", str(work_bytes), "--tmpfs", WORK, "--symlink", WORK, "/tmp", "--chdir", WORK]
    # What bubblewrap built to hold the mounts is memory without a limit.
    words += ["--remount-ro", "/"]
    return [*words, "--", f"{HOME}/bin/python3", *_run([PACKAGES_AT, f"{SESSION_AT}/offered", SESSION_AT], setup)]


def in_the_open(setup: JsonObject) -> list[str]:
    """The same Python without bubblewrap."""
    return [sys.executable, *_run([*package_folders(), str(HERE / "offered"), str(HERE)], setup)]


def environment(home: str) -> Mapping[str, str]:
    """All that the process gets; nothing of ours, where keys may be."""
    # For a Python whose own library is a shared one.
    libraries = {"LD_LIBRARY_PATH": f"{HOME}/lib"} if home == WORK else {}
    return {"HOME": home, "TMPDIR": home, "TZ": "UTC", **libraries, **dict.fromkeys(_ONE_THREAD, "1")}


def why_not_started(said: str, code: int | None) -> SandboxUnavailable:
    """What it means that bubblewrap ended before Python ran.

    Args:
        said: its error output.
        code: its exit code.
    """
    said = " ".join(said.split()) or f"exit code {code}"
    if "Unknown option" in said:
        return SandboxUnavailable(f"bubblewrap is too old ({said})", "Version 0.7 or newer is needed.")
    denied = any(word in said for word in ("No permissions", "Operation not permitted", "Permission denied"))
    if denied or "namespace" in said:
        return SandboxUnavailable(
            f"bubblewrap may not make a sandbox here ({said})",
            "Allow user namespaces: sysctl user.max_user_namespaces=15000, on Debian also "
            "kernel.unprivileged_userns_clone=1, on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0; a "
            "Docker container needs --security-opt seccomp=unconfined --security-opt apparmor=unconfined.",
        )
    return SandboxUnavailable(f"Python does not start in the sandbox ({said})")


def _run(folders: list[str], setup: JsonObject) -> list[str]:
    start = f"import sys; sys.path += {folders!r}; from inside.worker import serve; serve({setup!r})"
    # No site (-S) and no environment (-I): faster, and nothing else of what is installed.
    return ["-I", "-S", "-X", "utf8", "-c", start]


def filter_pipe(program: bytes) -> int:
    """A descriptor from which `program` can be read."""
    reader, writer = os.pipe()
    # Far less than a pipe holds, so this does not wait for a reader.
    os.write(writer, program)
    os.close(writer)
    return reader
