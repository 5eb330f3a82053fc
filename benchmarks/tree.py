"""CPU of a process and all that it starts, however these end: looked at ten times a second. Needs Linux."""

import os
import threading
from collections import defaultdict
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


class TreeCpu:
    """Seconds of CPU of a process and of its descendants, each counted as it was last seen. Use in a `with` block.

    Args:
        root: Number of the process.
    """

    def __init__(self, root: int) -> None:
        self._root = root
        self._seen: dict[tuple[int, int], float] = {}
        self._titles: dict[tuple[int, int], set[str]] = defaultdict(set)
        self._stop = threading.Event()
        self._turn = threading.Lock()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "TreeCpu":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def seconds(self, title: str = "") -> float:
        """CPU until now of all processes, or of those whose command line had `title` in it at some time."""
        self._look()
        with self._turn:
            return sum(
                cpu for one, cpu in self._seen.items() if not title or any(title in t for t in self._titles[one])
            )

    @property
    def of_root(self) -> float:
        """CPU of the process itself until it was last seen."""
        with self._turn:
            return sum(cpu for (pid, _), cpu in self._seen.items() if pid == self._root)

    def _watch(self) -> None:
        while not self._stop.wait(0.1):
            self._look()

    def _look(self) -> None:
        waiting = [self._root]
        while waiting:
            pid = waiting.pop()
            place = Path(f"/proc/{pid}")
            try:
                stat = (place / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
                title = (place / "cmdline").read_text("utf-8", "replace")
                for task in (place / "task").iterdir():
                    waiting += map(int, (task / "children").read_text("ascii").split())
            except OSError:
                continue  # it has just ended
            # A number may be given to another process later; the moment of its start tells the two apart.
            one = (pid, int(stat[19]))
            with self._turn:
                self._seen[one] = (int(stat[11]) + int(stat[12])) / _TICKS
                self._titles[one].add(title)
