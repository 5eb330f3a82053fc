"""The kernel calls that code in the sandbox cannot make, as a seccomp filter.

The namespaces already keep it from files, networks and processes of the host. The filter makes it one process with
one thread, so that the limit on a process's memory is the limit of the session; it closes the ways to memory that
this limit does not count (memory files, System V segments, rings); and it takes away the calls that let programs
break out of namespaces when a kernel has a bug.
"""

import platform
import struct
from typing import NamedTuple

from worktrial.sandbox.bubblewrap import SandboxUnavailable

# Number on x86-64, number on arm64; None where the machine does not have the call.
_REFUSED: dict[str, tuple[int | None, int | None]] = {
    # processes and threads
    "clone": (56, 220),
    "fork": (57, None),
    "vfork": (58, None),
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    # sockets; pairs remain, which asyncio needs
    "socket": (41, 198),
    "bind": (49, 200),
    "connect": (42, 203),
    "listen": (50, 201),
    # memory that no limit of the process counts
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    # namespaces and mounts
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    # the kernel and the machine
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "syslog": (103, 116),
    "personality": (135, 92),
    "modify_ldt": (154, None),
    "ioperm": (173, None),
    "iopl": (172, None),
    "vmsplice": (278, 75),
}
# The C library does without these when the kernel does not know them.
_UNKNOWN = {"clone3": 435, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427}
_LAST_KNOWN = 452
"""Calls newer than this list was made for are unknown, too."""

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_AT_NUMBER, _AT_MACHINE, _AT_FLAGS = 0, 4, 16
_CLONE_NAMESPACES = 0x7E020080
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOSYS = 1, 38


class _Machine(NamedTuple):
    audit: int
    """The kernel's number of the machine's calling convention."""
    column: int


_MACHINES = {"x86_64": _Machine(0xC000003E, 0), "aarch64": _Machine(0xC00000B7, 1)}


def syscall_filter(*, processes: bool = False) -> bytes:
    """The filter's program, as the kernel takes it.

    Args:
        processes: Let it start threads and processes, as libraries for recognition do, in no further namespace.

    Raises:
        SandboxUnavailable: the machine is of a kind whose calls are not listed here.
    """
    machine = _MACHINES.get(platform.machine())
    if machine is None:
        raise SandboxUnavailable(f"the sandbox knows {' and '.join(_MACHINES)}, not {platform.machine()}")
    program = [
        (_LOAD, 0, 0, _AT_MACHINE),
        # A call in another convention (32 bit) has other numbers.
        (_EQUAL, 1, 0, machine.audit),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _AT_NUMBER),
        # This holds for the x32 convention, too, whose numbers start at 2^30.
        (_AT_LEAST, 0, 1, _LAST_KNOWN + 1),
        (_RETURN, 0, 0, _ERRNO | _ENOSYS),
    ]
    if processes:
        clone = _REFUSED["clone"][machine.column]
        assert clone is not None
        # The flags are the first argument on both machines; its low half says enough.
        program += [(_EQUAL, 0, 4, clone), (_LOAD, 0, 0, _AT_FLAGS), (_ANY_BIT, 0, 1, _CLONE_NAMESPACES)]
        program += [(_RETURN, 0, 0, _ERRNO | _EPERM), (_RETURN, 0, 0, _ALLOW)]
    for name, numbers in _REFUSED.items():
        if processes and name in ("clone", "fork", "vfork"):
            continue
        if (number := numbers[machine.column]) is not None:
            program += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERRNO | _EPERM)]
    for number in _UNKNOWN.values():
        program += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERRNO | _ENOSYS)]
    program.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
