from datetime import date

import pytest

from worktrial.language.kinds import json_type, type_word


@pytest.mark.parametrize(
    ("value", "name", "word"),
    [
        (None, "null", "null"),
        (True, "boolean", "boolean"),
        (5, "number", "number"),
        (0.5, "number", "number"),
        ("5", "string", "string"),
        ([], "array", "list"),
        ({}, "object", "object"),
        (date(2026, 3, 3), "string", "string"),
    ],
)
def test_every_value_has_one_type_and_one_word(value: object, name: str, word: str) -> None:
    assert (json_type(value), type_word(value)) == (name, word)
