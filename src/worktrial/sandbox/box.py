"""A box for agents of one's own: Python, what is installed, what lies beside the agent, a network, nothing else.

Namespaces (bubblewrap) where there are some, else Landlock. No process outside is seen, nor its environment, nor a
file that it has open.
"""

import ctypes
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

_PR_SET_DUMPABLE = 4
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/dev/urandom", "/dev/null", "/dev/zero")
_SETTINGS = """
alternatives ca-certificates crypto-policies pki ssl gai.conf group host.conf hosts ld.so.cache ld.so.conf
ld.so.conf.d localtime mime.types nsswitch.conf passwd protocols resolv.conf services
"""


@cache
def shield() -> None:
    """Let other processes of this user read neither what this one holds nor its environment; Linux only.

    Those with the right to trace any process (root) see its memory all the same, and its environment no more.
    """
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None)
    libc.getenv.restype = ctypes.c_void_p
    for name, value in os.environb.items():
        first = libc.getenv(name)
        # Moves it: what a process is started with can be read in /proc for as long as it lives.
        os.environb[name] = value
        if first and libc.getenv(name) != first:
            ctypes.memset(first, 0, len(value))
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def wings() -> list[Path]:
    """Folders of the suites that are built in, where the solutions of their tasks lie."""
    spec = find_spec("worktrial.suites")
    found = [] if spec is None else [Path(place) for place in spec.submodule_search_locations or ()]
    return [wing for place in found for wing in place.iterdir() if wing.is_dir()]


def shown_beside(folder: Path, hidden: Sequence[Path]) -> list[str]:
    """Files and folders of this machine that an agent needs whose code lies in `folder`.

    Args:
        folder: Of whose entries are shown those that do not begin with a dot; only its modules where it lies in a
            hidden folder itself. Folders of runs are not shown, either.
        hidden: Folders that are not to be seen.
    """
    shown = [*_SYSTEM, *(f"/etc/{name}" for name in _SETTINGS.split()), sys.base_prefix, sys.prefix]
    places = [Path(path) for path in sys.path if path]
    shown += [str(path) for path in places if path.name.endswith("-packages") or path.is_file()]
    for own in dict.fromkeys([folder, *places]):
        if str(own) in shown or not own.is_dir() or any(own.is_relative_to(path) for path in shown):
            continue
        only_modules = any(own.resolve().is_relative_to(path) for path in hidden)
        entries = own.glob("*.py" if only_modules else "[!.]*")
        shown += [str(entry) for entry in entries if not (entry / "samples.jsonl").exists()]
    both = [form for path in shown for form in (path, os.path.realpath(path))]
    return sorted(dict.fromkeys(path for path in both if Path(path).exists()))


def boxed(
    words: Sequence[str], shown: Sequence[str], hidden: Sequence[Path], *, memory: int, folder: Path
) -> list[str]:
    """Command line that starts `words` in namespaces.

    Args:
        words: The program and its arguments.
        shown: Files and folders that can be read.
        hidden: Folders among them that are empty.
        memory: Bytes of the folder for temporary files, which alone can be written to.
        folder: Working folder.
    """
    seen = [path for path in hidden if path.is_dir() and any(path.is_relative_to(place) for place in shown)]
    inside = [path for path in seen if not any(path.is_relative_to(other) for other in seen if other != path)]
    return [
        *(shutil.which("bwrap") or "bwrap", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts"),
        *("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev"),
        *("--size", str(memory), "--tmpfs", "/tmp", "--dir", str(folder)),
        *(word for path in shown if not path.startswith("/dev/") for word in ("--ro-bind", path, path)),
        *(word for path in inside for word in ("--tmpfs", str(path), "--remount-ro", str(path))),
        *("--chdir", str(folder), "--", *words),
    ]


def without(shown: Sequence[str], hidden: Sequence[Path]) -> Iterator[str]:
    """Paths that make up `shown` without what is hidden; for Landlock, which takes nothing away from a folder."""
    for path in shown:
        within = [folder for folder in hidden if folder.is_relative_to(path)]
        if not within:
            yield path
        elif Path(path) not in within:
            yield from without([str(entry) for entry in Path(path).iterdir()], within)
