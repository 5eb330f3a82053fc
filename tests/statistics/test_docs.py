"""The examples on the page about statistics give what the page says."""

import doctest
import re
from pathlib import Path

import pytest
from tests.support.cli import command

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "statistics.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```pycon\n(.*?)```", PAGE, re.DOTALL)
SHOWN = re.findall(r"```\n\$ worktrial (.*?)\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS)
def test_python(block: str) -> None:
    test = doctest.DocTestParser().get_doctest(block, {}, "statistics.md", None, None)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize(("words", "shown"), SHOWN)
def test_command(words: str, shown: str) -> None:
    assert [
        line.rstrip() for line in command(*words.split()).out.rstrip().splitlines()
    ] == shown.rstrip().splitlines()


def test_there_are_examples() -> None:
    assert len(BLOCKS) == 5
    assert len(SHOWN) == 2
