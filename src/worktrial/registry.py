"""Plug-ins: objects that installed packages register under an entry-point group."""

from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Generic, TypeVar

from worktrial.errors import SettingError

T = TypeVar("T")


class Registry(Generic[T]):
    """Objects of one entry-point group by name, loaded when they are asked for."""

    def __init__(self, group: str, noun: str) -> None:
        self.group = group
        self._noun = noun

    @property
    def names(self) -> list[str]:
        """Names of everything that is installed: ours first, then others', each in alphabetical order."""
        return list(self._found())

    def get(self, name: str) -> T:
        """Load the object that is registered as `name`.

        Raises:
            SettingError: nothing is, or it cannot be imported.
        """
        found = self._found()
        if name not in found:
            raise SettingError(f"no {self._noun} {name!r}; {what_there_is(name, list(found))}")
        try:
            loaded: T = found[name].load()
        except (ImportError, AttributeError) as e:
            raise SettingError(f"the {self._noun} {name} cannot be loaded: {e}") from e
        return loaded

    def all(self) -> Iterator[T]:
        """Everything that is installed, in the order of `names`."""
        return (self.get(name) for name in self.names)

    def _found(self) -> dict[str, EntryPoint]:
        points = sorted(_points(self.group), key=lambda point: (not _is_ours(point), point.name))
        found: dict[str, EntryPoint] = {}
        for point in points:
            found.setdefault(point.name, point)
        return found


def what_there_is(name: str, names: Sequence[str]) -> str:
    """The part of an error's message that helps with an unknown name: those nearest to it, else all."""
    near = get_close_matches(name.lower(), names, n=3)
    return f"did you mean {' or '.join(near)}?" if near else f"there is {', '.join(names)}"


def _is_ours(point: EntryPoint) -> bool:
    return point.value.startswith("worktrial.")


# Every look goes through the files of all that is installed.
_installed = cache(entry_points)


@cache
def _points(group: str) -> tuple[EntryPoint, ...]:
    return tuple(_installed().select(group=group))


agents: "Registry[Callable[[str, Path], Callable[..., Any]]]" = Registry("worktrial.agents", "kind of agent")
"""Kinds of agents, as in `KIND:REST` after `--agent`.

Each is a function of the rest, and of the folder that relative paths in it are relative to. It returns what takes
part: for most suites a function of an `Assignment`, or a `FarAgent`.
"""
