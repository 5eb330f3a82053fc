"""Choosing tasks by id and industry."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.occubench import TinyRelease

from worktrial.errors import SettingError
from worktrial.suites.occupations.load import load_release
from worktrial.suites.selection import select


def test_selection(tmp_path: Path) -> None:
    release = load_release(TinyRelease().write(tmp_path))

    def ids(*args: Any, **more: Any) -> list[str]:
        return [t.id for t in select(release.tasks, *args, known=release.categories, **more)]

    assert ids() == ["11", "42", "7", "108"]
    assert ids(["108", "11", "11"]) == ["11", "108"]
    assert ids((), ["hARb"]) == ids((), [" harbour trade "]) == ["11", "108"]
    assert ids((), ["harb", "hea"]) == ["11", "7", "108"]
    assert ids(["108", "42"], ["Harbour"], limit=5) == ["108"]
    assert ids(limit=2) == ["11", "42"]


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"ids": ["11", "5", "x"]}, ["tasks: ", "5, x", "11, 42, 7, 108"]),
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
