"""A seeded order of tasks in which every beginning looks like the whole: by category, and by difficulty."""

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from typing import Protocol, TypeVar

from worktrial.language import JsonObject


class Tagged(Protocol):
    """Fields of a task that a sample is drawn by."""

    @property
    def id(self) -> str:
        """Id of the task."""
        ...

    @property
    def tags(self) -> JsonObject:
        """Tags of the task; `category` and `difficulty` are its stratum, where it has them."""
        ...


_Task = TypeVar("_Task", bound=Tagged)


def balanced_order(tasks: Sequence[_Task], seed: int) -> list[_Task]:
    """All of `tasks` in an order of which any first n are a stratified sample.

    The first n hold each category in its share, rounded up or down (a just-in-time sequence: of the categories that
    are behind their share the one with the earliest deadline is next; G. Steiner and S. Yeomans, "Level schedules
    for mixed-model, just-in-time processes", Management Science 39(6), 1993). Within a category the next task is of
    the difficulty that is furthest behind, in the whole sample and in the category. Among tasks of the same
    category and difficulty the seed decides; so it does where tasks have no such tags.

    So a smaller sample is part of every larger one of the same seed. The order of `tasks` does not matter.

    Args:
        tasks: Where to draw from.
        seed: Another seed draws other tasks in the same shares.
    """
    strata = {task.id: _stratum(task) for task in tasks}
    waiting: dict[str, dict[str, list[_Task]]] = {}
    for task in sorted(tasks, key=lambda task: _draw(seed, task.id), reverse=True):
        category, difficulty = strata[task.id]
        waiting.setdefault(category, {}).setdefault(difficulty, []).append(task)
    # Counts by category, by difficulty and by both: of all tasks, and of those taken so far.
    whole: Counter[_Part] = Counter(part for stratum in strata.values() for part in _parts(*stratum))
    taken: Counter[_Part] = Counter()
    order: list[_Task] = []
    for n in range(1, len(tasks) + 1):
        # In units of 1 / len(tasks), so that all of it stays exact.
        behind = {part: n * count - taken[part] * len(tasks) for part, count in whole.items()}
        category = min(
            (c for c in waiting if behind[c, None] > 0),
            key=lambda c: ((taken[c, None] + 1) / whole[c, None], _draw(seed, f"category {c}")),
        )
        own = waiting[category]
        difficulty = max(own, key=lambda d: (behind[None, d] + behind[category, d], _draw(seed, f"difficulty {d}")))
        order.append(own[difficulty].pop())
        if not own[difficulty]:
            del own[difficulty]
        taken.update(_parts(category, difficulty))
    return order


_Part = tuple[str | None, str | None]


def _parts(category: str, difficulty: str) -> tuple[_Part, _Part, _Part]:
    return (category, None), (None, difficulty), (category, difficulty)


def _stratum(task: Tagged) -> tuple[str, str]:
    return str(task.tags.get("category", "")), str(task.tags.get("difficulty", ""))


def _draw(seed: int, name: str) -> bytes:
    """A number for `name` that is the same everywhere for the same seed, whatever other tasks there are."""
    return sha256(f"{seed}\0{name}".encode(errors="surrogatepass")).digest()


_WORKPLACE_TAGS = ("category", "domain", "scenario", "difficulty", "workplace", "language")


def workplace_tags(task: object) -> JsonObject:
    """Tags of a task in a workplace, which has a field for each."""
    return {name: getattr(task, name) for name in _WORKPLACE_TAGS}
