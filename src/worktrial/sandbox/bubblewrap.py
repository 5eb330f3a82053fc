"""The command line that starts a session's Python, locked in or not, and the files that it needs."""

import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from worktrial.errors import SettingError, option
from worktrial.language import JsonObject

_WITHOUT = f"To run an agent's Python without a sandbox, at your own risk, give {option('python')} unsafe."

# With what these need in turn. Not the whole of site-packages: an evaluation's own answers may lie there.
PACKAGES = ("msgspec", "numpy", "scipy", "pandas", "dateutil", "six", "pytz", "tzdata")
HERE = Path(__file__).parent
HOME = "/python"
PACKAGES_AT = "/packages"
SESSION_AT = "/session"

WORK = "/work"
_INSTALL = "Install it (Debian, Ubuntu: apt-get install bubblewrap; Fedora: dnf install bubblewrap)."
SEALED = ("--remount-ro", "/")
"""End of the mounts. What bubblewrap built to hold them is memory without a limit."""
_DEVICES = ("null", "zero", "full", "random", "urandom")
# One process may not start threads; a library that wants several would fail.
_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


class SandboxUnavailable(SettingError):
    """Code of an agent cannot be locked in on this machine; the message says why and how to mend it."""

    def __init__(self, what: str, fix: str = "") -> None:
        self.why = f"{what}.{' ' + fix if fix else ''}"
        """The message for those who would not do without the sandbox: it does not tell how."""
        super().__init__(f"{self.why} {_WITHOUT}")


class Mount(NamedTuple):
    """A file or folder of this machine, and where it is seen in the sandbox."""

    source: Path
    target: str


@cache
def mounts() -> tuple[Mount, ...]:
    """Everything the interpreter needs, nothing of it writable."""
    return (*interpreter(), *_packages(), *_session())


@cache
def interpreter() -> tuple[Mount, ...]:
    """Python itself, with its standard library and the libraries of the system."""
    return (*_system_libraries(), *_python())


@cache
def masks(shown: tuple[Mount, ...]) -> tuple[str, ...]:
    """Folders that come along with the mounts and must be seen empty: what else is installed."""
    found = []
    for source, target in (mount for mount in shown if mount.source.is_dir()):
        if not target.startswith((PACKAGES_AT, SESSION_AT)):
            for pattern in ("site-packages", "dist-packages", "python*/site-packages", "python*/dist-packages"):
                found += [f"{target}/{folder.relative_to(source)}" for folder in source.glob(pattern)]
    return tuple(found)


@cache
def package_folders() -> tuple[str, ...]:
    """Folders of this machine that hold the packages."""
    return tuple(dict.fromkeys(str(source.parent) for source, _ in _packages()))


def _python() -> Iterator[Mount]:
    version = f"python{sysconfig.get_python_version()}"
    prefix = Path(sys.base_prefix)
    program = prefix / "bin" / version
    yield Mount((program if program.exists() else Path(sys.executable)).resolve(), f"{HOME}/bin/python3")
    stdlib = Path(sysconfig.get_path("stdlib"))
    if prefix in (Path("/usr"), Path("/usr/local")):
        # Shared with everything else that is installed there.
        yield Mount(stdlib, f"{HOME}/{sys.platlibdir}/{version}")
        shared = sysconfig.get_config_var("INSTSONAME")
        for folder in (sysconfig.get_config_var("LIBDIR"), f"{prefix}/lib"):
            if shared and folder and (Path(folder) / shared).is_file():
                yield Mount(Path(folder) / shared, f"{HOME}/lib/{shared}")
                return
    else:
        yield Mount(stdlib.parent, f"{HOME}/{sys.platlibdir}")


def _system_libraries() -> Iterator[Mount]:
    triplet = sysconfig.get_config_var("MULTIARCH")
    shared = [f"/usr/lib/{triplet}", f"/lib/{triplet}"] if triplet and Path(f"/usr/lib/{triplet}").is_dir() else []
    for folder in (*(shared or ("/usr/lib", "/lib")), "/usr/lib64", "/lib64"):
        if Path(folder).is_dir():
            yield Mount(Path(folder).resolve(), folder)
    # Debian's numpy finds its linear algebra through links in there.
    if Path("/etc/alternatives").is_dir():
        yield Mount(Path("/etc/alternatives"), "/etc/alternatives")


def _packages() -> Iterator[Mount]:
    for name in PACKAGES:
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            continue
        origin = Path(spec.origin)
        package = origin.parent if spec.submodule_search_locations else origin
        yield Mount(package, f"{PACKAGES_AT}/{package.name}")
        libraries = package.with_name(f"{name}.libs")
        if libraries.is_dir():
            yield Mount(libraries, f"{PACKAGES_AT}/{libraries.name}")


def _session() -> Iterator[Mount]:
    # Imported for its byte code alone, which lies beside it from then on; the sandbox could not write it.
    import_module("worktrial.sandbox.inside.worker")
    # The first is what the session is; the second is for the user's code, which imports it by its bare name.
    for name in ("inside", "rounding.py"):
        yield Mount(HERE / name, f"{SESSION_AT}/{name}")


def locked_in(setup: JsonObject, *, work_bytes: int, filter_fd: int, info_fd: int) -> list[str]:
    """Python in bubblewrap.

    Without `/proc`: nothing in there is needed, and much can be learned from it.

    Args:
        setup: what its worker is told.
        work_bytes: size of the work folder, the only place that can be written to.
        filter_fd: where bubblewrap reads the filter of kernel calls.
        info_fd: where it tells the process's id.

    Raises:
        SandboxUnavailable: there is no bubblewrap.
    """
    words = walled(mounts(), work_bytes=work_bytes, filter_fd=filter_fd, info_fd=info_fd)
    return [*words, *SEALED, "--", f"{HOME}/bin/python3", *_run([PACKAGES_AT, SESSION_AT], setup)]


def walled(shown: tuple[Mount, ...], *, work_bytes: int, filter_fd: int, info_fd: int | None) -> list[str]:
    """Bubblewrap with namespaces, a filter of kernel calls and a work folder; mounts may follow, then `SEALED`.

    Args:
        shown: files and folders of this machine that can be read.
        work_bytes: size of the work folder, the only place that can be written to.
        filter_fd: where bubblewrap reads the filter of kernel calls.
        info_fd: where it tells the process's id, if it shall.

    Raises:
        SandboxUnavailable: there is no bubblewrap.
    """
    program = shutil.which("bwrap")
    if program is None:
        raise SandboxUnavailable("bubblewrap is not installed, so foreign code cannot be locked in", _INSTALL)
    words = [program, "--unshare-user", "--unshare-all", "--die-with-parent", "--new-session", "--as-pid-1"]
    words += ["--cap-drop", "ALL", "--uid", "1000", "--gid", "1000", "--hostname", "sandbox"]
    words += ["--seccomp", str(filter_fd), *(["--info-fd", str(info_fd)] if info_fd is not None else [])]
    for source, target in shown:
        words += ["--ro-bind", str(source), target]
    for target in masks(shown):
        words += ["--size", "4096", "--tmpfs", target, "--remount-ro", target]
    for device in _DEVICES:
        words += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
    return [*words, "--size", str(work_bytes), "--tmpfs", WORK, "--symlink", WORK, "/tmp", "--chdir", WORK]


def in_the_open(setup: JsonObject) -> list[str]:
    """Command line of the Python without bubblewrap."""
    return [sys.executable, *_run([*package_folders(), str(HERE)], setup)]


def environment(home: str) -> Mapping[str, str]:
    """All that the process gets; nothing of ours, where keys may be."""
    # For a Python whose own library is a shared one.
    libraries = {"LD_LIBRARY_PATH": f"{HOME}/lib"} if home == WORK else {}
    return {"HOME": home, "TMPDIR": home, "TZ": "UTC", **libraries, **dict.fromkeys(_ONE_THREAD, "1")}


def why_not_started(said: str, code: int | None) -> SandboxUnavailable:
    """Reason why bubblewrap ended before Python ran.

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
