from tests.archive.tables import table

from worktrial.archive.meaning.notes import noted, notes_by_mark
from worktrial.archive.meaning.value import value_of


def test_marks_lead_to_their_notes_and_are_no_digits() -> None:
    notes = (
        "1/ Net of refunds,\n not of drawbacks.",
        "² Preliminary.",
        "* Less than half.",
        "Source: Treasury.",
    )
    known = notes_by_mark(notes)
    assert known == {"1": "Net of refunds, not of drawbacks.", "2": "Preliminary.", "*": "Less than half."}
    shown = table([["", "Duties 1/", "Duties 1/"], ["1940", "1,580 ²", "5"], ["1941 r", "7 4/", "8"]])
    assert [(cell.text, note) for cell, note in noted(shown.rows, known)] == [
        ("Duties 1/", "Net of refunds, not of drawbacks."),
        ("1,580 ²", "Preliminary."),
    ]
    assert value_of("1,580 ²").number == 1580
