import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.synthesis.artifacts import Citation
from worktrial.synthesis.sources import Passage, SourceLibrary
from worktrial.synthesis.sources.store import citation_problem, occurs

TEXT = "Refunds above 500 euros need the pro-\ncedure of two people — “four eyes”.\n  No exceptions."
SOURCES = SourceLibrary(passages=[Passage(source="book", id="p1", text=TEXT)])


@pytest.mark.parametrize(
    "quote",
    ["above 500 euros", "need the\tprocedure", "pro- cedure of two people", 'people - "four eyes". No exceptions.'],
)
def test_what_stands_there(quote: str) -> None:
    assert occurs(quote, TEXT)
    assert citation_problem(Citation(source="book", passage="p1", quote=quote), SOURCES) is None


@pytest.mark.parametrize(
    ("citation", "said"),
    [
        (Citation(source="book", passage="p2", quote="Refunds"), "no passage 'p2'"),
        (Citation(source="other", passage="p1", quote="Refunds"), "of a source 'other'"),
        (Citation(source="book", passage="p1"), "has no quote"),
        (Citation(source="book", passage="p1", quote=" \n"), "has no quote"),
        (Citation(source="book", passage="p1", quote="above 600 euros"), "does not stand in book p1"),
        (Citation(source="book", passage="p1", quote="refunds Above"), "does not stand"),
    ],
)
def test_what_does_not_hold(citation: Citation, said: str) -> None:
    assert said in str(citation_problem(citation, SOURCES))


@given(st.text(alphabet="ab-\n \t'“", min_size=1, max_size=80), st.integers(0, 79), st.integers(1, 80))
def test_every_part_of_a_text_occurs_in_it(text: str, start: int, length: int) -> None:
    quote = text[start : start + length]
    assert occurs(quote, text) == bool(quote.strip())


@given(st.text(alphabet="abc ", max_size=30), st.text(alphabet="xyz", min_size=1, max_size=5))
def test_words_that_are_not_there_do_not_occur(text: str, strange: str) -> None:
    assert not occurs(strange, text)
