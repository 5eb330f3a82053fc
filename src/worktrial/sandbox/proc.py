"""Processes as `/proc` numbers them, which in a nested process namespace may not be as they number themselves."""

import os
from pathlib import Path

_PROC = Path("/proc")


def number_in_proc(pid: int) -> int:
    """Number of a descendant of this process in `/proc`.

    A container may have a process namespace of its own and yet show the `/proc` of the one around it.

    Args:
        pid: Its number as this process knows it.

    Raises:
        FileNotFoundError: `/proc` shows neither this process nor that one.
    """
    us = int((_PROC / "self").readlink().name)
    if us == os.getpid():
        return pid
    # One number for each namespace from that of `/proc` inwards; the last is the process's own.
    ours = len(_numbers(us))
    for folder in _PROC.iterdir():
        if folder.name.isdecimal() and _is_ours(int(folder.name), us):
            numbers = _numbers(int(folder.name))
            if len(numbers) >= ours and numbers[ours - 1] == pid:
                return int(folder.name)
    raise FileNotFoundError(f"no process {pid} of ours in /proc")


def _is_ours(number: int, us: int) -> bool:
    while number > 0 and number != us:
        number = int(_said(number, "PPid", "0"))
    return number == us


def _numbers(number: int) -> list[int]:
    return [int(word) for word in _said(number, "NSpid", "").split()]


def _said(number: int, name: str, otherwise: str) -> str:
    try:
        lines = (_PROC / str(number) / "status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return otherwise  # it has ended meanwhile
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(f"{name}:")), otherwise)
