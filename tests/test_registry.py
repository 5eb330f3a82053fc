"""Unknown names: the nearest are offered, else all."""

import pytest
from tests.support.cli import command

from worktrial.errors import SettingError
from worktrial.registry import Registry, what_there_is
from worktrial.suite import find_suite, suites


def test_the_nearest_names_are_offered() -> None:
    names = ["documents", "starter", "stapler"]
    assert what_there_is("Startr", names) == "did you mean starter or stapler?"
    assert what_there_is("documants", names) == "did you mean documents?"
    assert what_there_is("xyz", names) == "there is documents, starter, stapler"


def test_a_misspelt_suite() -> None:
    name = suites.names[0]
    with pytest.raises(SettingError, match=f"no suite '{name[:-2]}'; did you mean {name}"):
        find_suite(name[:-2])
    for words in (["run", name[:-2]], ["list", name[:-2]], ["lint", name[:-2]], ["validate", name[:-2]]):
        ran = command(*words)
        assert (ran.code, f"did you mean {name}?" in ran.err) == (2, True), words
    assert f"there is {', '.join(suites.names)}" in command("run", "xyz").err


def test_a_misspelt_name_of_any_registry() -> None:
    registry: Registry[object] = Registry("worktrial.suites", "thing")
    name = registry.names[-1]
    with pytest.raises(SettingError, match=f"no thing '{name}x'; did you mean {name}"):
        registry.get(f"{name}x")
