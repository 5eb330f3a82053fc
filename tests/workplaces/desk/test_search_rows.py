"""Search tools of desks: all words have to occur, the total is of everything found, a page is one of them."""

import pytest

from worktrial.workplaces.desk.tools import search_rows
from worktrial.workplaces.executable import ToolError

NAMES = [f"Crate {number} {'BLUE' if number % 2 else 'red'}" for number in range(50)]


def _search(text, page=1):
    return search_rows("crates", NAMES, text, str, page, lambda name: {"name": name})


def test_all_words_have_to_occur_whatever_the_case_of_letters():
    found = _search("blue CRATE")
    assert (found["total"], len(found["crates"])) == (25, 20)
    assert _search("crate 7")["crates"][0] == {"name": "Crate 7 BLUE"}
    assert _search("blue 8")["total"] == 0
    assert _search("")["total"] == 50


def test_there_is_no_page_beyond_the_last():
    assert len(_search("", page=3)["crates"]) == 10
    with pytest.raises(ToolError, match="the last one is 3"):
        _search("", page=4)
