"""Choosing tasks by id, range and industry, and a sample of them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.occubench import TinyRelease

from worktrial.errors import SettingError
from worktrial.options import ChoiceOptions
from worktrial.suites.occupations.load import load_release
from worktrial.suites.selection import ids_in, sample, select


def test_selection(tmp_path: Path) -> None:
    release = load_release(TinyRelease().write(tmp_path))

    def ids(*args: Any, **more: Any) -> list[str]:
        return [t.id for t in select(release.tasks, *args, known=release.categories, **more)]

    assert ids() == ["11", "42", "7", "108"]
    assert ids(["108", "11", "11"]) == ["11", "108"]
    assert ids(["7-42", "11"]) == ["11", "42", "7"]
    assert ids((), ["hARb"]) == ids((), [" harbour trade "]) == ["11", "108"]
    assert ids((), ["harb", "hea"]) == ["11", "7", "108"]
    assert ids(["12-500"], ["Harbour"]) == ["108"]


LAB = [f"lab-{n:02}" for n in range(1, 7)]


@pytest.mark.parametrize(
    ("ids", "word", "found"),
    [
        (["11", "42", "7", "108"], "7-42", ["11", "42", "7"]),
        (["11", "42", "7", "108"], "1-10", ["7"]),
        (["11", "42", "7", "108"], "200-300", []),
        (["11", "42", "7", "108"], "1", []),
        (["11", "42", "7-42"], "7-42", ["7-42"]),
        (LAB, "2-4", LAB[1:4]),
        (LAB, "5-40", LAB[4:]),
        (LAB, "0-1", LAB[:1]),
        (LAB, "7-9", []),
        (LAB, "3", [LAB[2]]),
        (LAB, "lab-02", ["lab-02"]),
        (LAB, "lab-02-lab-04", LAB[1:4]),
        (LAB, "lab-02-04", LAB[1:4]),
        (LAB, "lab-02-4", []),
        (LAB, "lab-02-09", []),
        (["EN/1", "EN/2", "EN/3", "KO/1"], "EN/2-3", ["EN/2", "EN/3"]),
        (["EN/1", "EN/2", "EN/3", "KO/1"], "EN/2-KO/1", ["EN/2", "EN/3", "KO/1"]),
        (["a-b", "b", "a"], "a-b", ["a-b"]),
        (["a", "c", "b"], "a-b", ["a", "c", "b"]),
        (["²", "b"], "²", ["²"]),
        (LAB, "٣", []),
    ],
)
def test_a_word_names_an_id_or_a_range(ids: list[str], word: str, found: list[str]) -> None:
    assert ids_in(word, ids) == found


@pytest.mark.parametrize(
    ("ids", "word", "said"),
    [
        (["11", "42"], "42-11", "ends before it begins"),
        (LAB, "4-2", "ends before it begins"),
        (LAB, "lab-04-02", "lab-02 comes before lab-04"),
        (["a", "a-b", "b-c", "c"], "a-b-c", "a to b-c or a-b to c"),
    ],
)
def test_a_range_that_is_none_is_refused(ids: list[str], word: str, said: str) -> None:
    with pytest.raises(SettingError) as e:
        ids_in(word, ids)
    assert said in str(e.value)
    assert str(e.value).startswith(f"tasks {word}: ")


@given(st.lists(st.text(alphabet="ab1-", min_size=1, max_size=5), min_size=1, max_size=8, unique=True))
def test_an_id_always_names_itself(ids: list[str]) -> None:
    assert all(ids_in(one, ids) == [one] for one in ids)


@dataclass(frozen=True)
class Tagged:
    id: str
    tags: dict[str, Any]


FORTY = [Tagged(f"t-{n:02}", {"category": "abc"[n % 3], "difficulty": n % 2}) for n in range(40)]


@given(st.integers(1, 50), st.integers(1, 50), st.none() | st.integers(0, 9))
def test_a_smaller_sample_is_part_of_a_larger(one: int, other: int, seed: int | None) -> None:
    small, large = sorted([one, other])
    less = sample(FORTY, ChoiceOptions(limit=small, shuffle=seed))
    more = sample(FORTY, ChoiceOptions(limit=large, shuffle=seed))
    assert (len(less), len(more)) == (min(small, 40), min(large, 40))
    if seed is None:
        # In their own order.
        assert less == [task for task in more if task in less] == sorted(less, key=FORTY.index)
    else:
        assert less == more[:small]


def test_a_shuffle_runs_everything_in_the_order_of_the_draw() -> None:
    assert sample(FORTY, ChoiceOptions()) == FORTY
    shuffled = sample(FORTY, ChoiceOptions(shuffle=3))
    assert shuffled != FORTY
    assert sorted(shuffled, key=FORTY.index) == FORTY
    # The sample that is drawn without a seed is that of seed 0.
    assert set(map(str, sample(FORTY, ChoiceOptions(limit=9)))) == set(
        map(str, sample(FORTY, ChoiceOptions(limit=9, shuffle=0)))
    )


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"ids": ["11", "5", "x"]}, ["tasks: ", "5, x", "11, 42, 7, 108"]),
        ({"ids": ["300-400"]}, ["tasks: ", "300-400", "11, 42, 7, 108"]),
        ({"categories": ["Fishing"]}, ["category 'Fishing'", "Harbour Trade, Health, Heritage"]),
        ({"categories": ["He"]}, ["more than one", "Health, Heritage"]),
        ({"categories": [" "]}, ["category", "not one of"]),
        ({"ids": ["11"], "categories": ["Heal"]}, ["Health", "task 11", "nothing is left"]),
    ],
)
def test_an_unknown_choice_is_an_error_that_names_the_known(
    chosen: dict[str, Any], words: list[str], tmp_path: Path
) -> None:
    release = load_release(TinyRelease().write(tmp_path))
    with pytest.raises(SettingError) as e:
        select(release.tasks, **chosen, known=release.categories)
    assert all(word in str(e.value) for word in words), str(e.value)


def test_a_near_miss_is_told_apart_from_nothing_like_it(tmp_path: Path) -> None:
    release = TinyRelease()
    release.task(108)["task_id"] = 4711
    tasks = load_release(release.write(tmp_path)).tasks
    with pytest.raises(SettingError, match=r"no task 4712 in .*Did you mean 4711"):
        select(tasks, ["4712"])
    with pytest.raises(SettingError) as e:
        select(tasks, ["berth"])
    assert "Did you mean" not in str(e.value)
