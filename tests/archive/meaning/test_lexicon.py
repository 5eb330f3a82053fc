"""Labels that were misread, among labels that were not."""

import pytest

from worktrial.archive.meaning.lexicon import Lexicon

_PRINTED = "Paints and points were allotted; the alien property is nobody's, and banks issue profiles of profits"


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    known = Lexicon()
    for _ in range(40):
        known.add_page(["Total receipts", "Federal home loan banks", "Income taxes", "Zambia", "Points"], _PRINTED)
    for _ in range(9):
        known.add_page(["Total rooeipts"])  # as often misread in one way as words of their own are printed
        known.add_page(["Series E bonds", "Exports"])
    return known


@pytest.mark.parametrize(
    ("read", "right"),
    [
        ("Totel rcceipts", "Total receipts"),
        ("TOTEL receipts 2/ 1940:", "TOTAL receipts 2/ 1940:"),
        ("Federal hone loan banke...", "Federal hone loan banks..."),
        ("1939-Fobruary", "1939-Fobruary"),  # no other label has the month
        ("Jederal home loan", "Federal home loan"),
        ("Iacome taxes", "Income taxes"),
    ],
)
def test_misread_words_become_those_that_other_labels_have_in_their_place(
    lexicon: Lexicon, read: str, right: str
) -> None:
    assert lexicon.corrected(read) == right


@pytest.mark.parametrize(
    "label",
    [
        "Gambia",  # letters that are not alike
        "Imports",
        "Series F bonds",
        "Paints",  # the page of a document's own characters has it
        "Alien property",
        "Profite",  # profile or profits
        "Totel liabilities",  # nothing says that it is `total` here
        "Iacome from abroad",
        "Agricu- lturel",  # a piece of a word
        "Total rooeipts",  # both forms are frequent
        "1,8O4 5l",
    ],
)
def test_what_may_be_right_stays(lexicon: Lexicon, label: str) -> None:
    assert lexicon.corrected(label) == label


def test_a_misreading_that_is_frequent_itself_is_not_what_others_become() -> None:
    known = Lexicon()
    for pages, label in ((40, "Crop insurance"), (7, "Crop ineurance")):
        for _ in range(pages):
            known.add_page([label])
    assert known.corrected("Crop insurence") == known.corrected("Crop ineurence") == "Crop insurance"
    assert known.corrected("Crop ineurance") == "Crop insurance"
