"""Names of what a JSON value is."""

from worktrial.language.message import JsonValue

_TYPES = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


def json_type(value: JsonValue) -> str:
    """Type of a value as JSON Schema names it.

    What YAML knows and JSON does not, such as a date, is written as a string.
    """
    return _TYPES.get(type(value), "string")


def type_word(value: JsonValue) -> str:
    """Type of a value in words for people: an array is a list."""
    found = json_type(value)
    return "list" if found == "array" else found
