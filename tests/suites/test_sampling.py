"""A sample of tasks: the shares of categories and difficulties, and that a larger one holds a smaller one."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.data import real_data_dir

from worktrial.suites.occupations.load import load_release
from worktrial.suites.selection import balanced_order


@dataclass(frozen=True)
class Tagged:
    id: str
    tags: dict[str, Any]


@st.composite
def tasks(draw: st.DrawFn) -> list[Tagged]:
    strata = draw(st.lists(st.tuples(st.sampled_from("abcdefg"), st.integers(1, 3)), min_size=1, max_size=80))
    return [Tagged(f"t-{n}", {"category": c, "difficulty": d}) for n, (c, d) in enumerate(strata)]


def furthest(order: Sequence[Any], tag: str) -> float:
    """Largest distance of a beginning's count of a tag's value from its share."""
    whole, taken, worst = Counter(t.tags[tag] for t in order), Counter[Any](), 0.0
    for n, task in enumerate(order, 1):
        taken[task.tags[tag]] += 1
        worst = max(worst, *(abs(taken[name] - n * count / len(order)) for name, count in whole.items()))
    return worst


@given(tasks(), st.integers(0, 5))
def test_every_beginning_holds_each_category_in_its_share(found: list[Tagged], seed: int) -> None:
    order = balanced_order(found, seed)
    assert sorted(t.id for t in order) == sorted(t.id for t in found)
    assert furthest(order, "category") < 1


@given(tasks(), st.integers(0, 5), st.randoms())
def test_a_draw_depends_on_the_tasks_and_the_seed_alone(found: list[Tagged], seed: int, chance: Any) -> None:
    mixed = [*found]
    chance.shuffle(mixed)
    assert balanced_order(mixed, seed) == balanced_order(found, seed)


def test_difficulties_have_their_shares_too() -> None:
    found = [
        Tagged(f"{c}{d}{n}", {"category": c, "difficulty": d})
        for c in "abcde"
        for d in (1, 2, 3)
        for n in range(d * 4)
    ]
    for seed in range(10):
        assert furthest(balanced_order(found, seed), "difficulty") < 2


def test_tasks_without_tags_are_drawn_at_random() -> None:
    found = [Tagged(f"t-{n}", {}) for n in range(60)]
    draws = [tuple(t.id for t in balanced_order(found, seed)[:20]) for seed in range(30)]
    assert len(set(draws)) == 30
    counts = Counter(name for draw in draws for name in draw)
    # Each is expected ten times.
    assert set(counts) == {t.id for t in found}
    assert max(counts.values()) <= 20


@pytest.mark.real_data
def test_sixty_of_the_published_tasks_look_like_all_of_them() -> None:
    tasks = load_release(real_data_dir() / "occubench").tasks
    of_all = Counter(task.category for task in tasks)
    for seed in range(3):
        order = balanced_order(tasks, seed)
        drawn = Counter(task.category for task in order[:60])
        assert all(abs(drawn[name] - 60 * count / len(tasks)) < 1 for name, count in of_all.items())
        assert furthest(order, "difficulty") < 3
    # As they lie in the file they do not.
    first = Counter(task.category for task in tasks[:60])
    assert first["Business & Enterprise"] == 16


def test_the_draw_never_changes() -> None:
    found = [Tagged(f"t-{n:02}", {"category": "ab"[n % 2], "difficulty": n % 3}) for n in range(12)]
    assert " ".join(t.id[2:] for t in balanced_order(found, 0)) == "03 02 07 06 05 10 09 08 01 00 11 04"
    assert " ".join(t.id[2:] for t in balanced_order(found, 7)) == "11 00 01 02 09 04 05 06 07 08 03 10"
