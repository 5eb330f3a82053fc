"""Landlock: a process gives up all files but those it names. Linux 5.13 or newer; nothing of Worktrial is imported.

The numbers are those of the kernel's own header, `include/uapi/linux/landlock.h`.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1
_EXECUTE, _READ_FILE, _READ_FOLDER = 1 << 0, 1 << 2, 1 << 3
# Rights to files that each version of the interface knows; to TCP since the fourth; to other processes' sockets
# and to signals since the sixth.
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_TCP = _OTHERS = 0b11
_PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS, _FILTER = 22, 38, 2


def landlock_version() -> int:
    """Version of the interface; 0 where the kernel has none, or has it switched off."""
    if sys.platform != "linux":
        return 0
    return max(int(ctypes.CDLL(None, use_errno=True).syscall(_CREATE, None, 0, _VERSION)), 0)


def give_up_files(readable: Sequence[str], writable: str, *, network: bool = False) -> None:
    """Keep the rights to read what is named and to write into one folder, and no other right to any file, for good.

    Args:
        readable: Files and folders.
        writable: The folder.
        network: Whether to keep TCP.

    Raises:
        OSError: the kernel refuses.
    """
    version = landlock_version()
    rights = (1 << _RIGHTS[min(version, 5)]) - 1
    libc = ctypes.CDLL(None, use_errno=True)
    handled = struct.pack("=QQQ", rights, 0 if network else _TCP, _OTHERS)
    known = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = _done(libc.syscall(_CREATE, handled, ctypes.c_size_t(known), 0))
    for path in (*readable, writable):
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        kept = _EXECUTE | _READ_FILE | (_READ_FOLDER if stat.S_ISDIR(os.fstat(place).st_mode) else 0)
        kept = rights if path == writable else kept
        _done(libc.syscall(_ADD, ruleset, _PATH_BENEATH, struct.pack("=Qi", kept, place), 0))
        os.close(place)
    _done(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _done(libc.syscall(_RESTRICT, ruleset, 0))
    os.close(ruleset)


def give_up_calls(program: bytes) -> None:
    """Put a filter of kernel calls before this process and its threads, for good.

    Args:
        program: The filter, as the kernel takes it.

    Raises:
        OSError: the kernel refuses.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    held = ctypes.create_string_buffer(program, len(program))
    told = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(held))
    _done(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _done(libc.prctl(_PR_SET_SECCOMP, _FILTER, told, 0, 0))


def _done(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
