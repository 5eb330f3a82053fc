"""Calls with ids that nobody has."""

from worktrial.language import JsonObject
from worktrial.workplaces.fidelity import with_unknown_ids


def test_ids_that_nobody_has() -> None:
    given: JsonObject = {"case_id": "C-1", "id": "", "status": "open", "to_id": "D-2"}
    made = list(with_unknown_ids(given))
    assert [(m["case_id"], m["to_id"]) for m in made] == [("C-19", "D-2"), ("C-1", "D-29")]
    assert list(with_unknown_ids(["C-1"])) == []
