from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import Meta

from worktrial.errors import DataError
from worktrial.workplaces.executable.declare import cited, cites, declaration, read_doc, read_signature, reads
from worktrial.workplaces.tools import schema_problem


class Line(msgspec.Struct, forbid_unknown_fields=True):
    sku: str
    units: int


def place_order(
    state: dict[str, int],
    customer: str,
    lines: Annotated[list[Line], Meta(min_length=1)],
    priority: Literal["low", "high"] = "low",
    share: Annotated[float, Meta(ge=0, le=1)] | None = None,
) -> dict[str, int]:
    """Place an order
    for a customer.

    Args:
        customer: Who
            orders.
        lines: What to send: sku and units.
        priority: How soon.
        share: Part to pay now.

    Returns:
        share: This is no argument.
    """
    return {}


def test_schema_of_a_signature() -> None:
    signature = read_signature(place_order, "here")
    schema = signature.parameters
    assert schema_problem(schema) is None
    assert signature.state_type == dict[str, int]
    assert (schema["type"], schema["required"], schema["additionalProperties"]) == (
        "object",
        ["customer", "lines"],
        False,
    )
    properties = schema["properties"]
    assert properties["customer"] == {"type": "string", "description": "Who orders."}
    assert properties["priority"]["enum"] == ["high", "low"]
    assert properties["priority"]["default"] == "low"
    assert properties["lines"]["minItems"] == 1
    assert properties["lines"]["items"]["properties"] == {"sku": {"type": "string"}, "units": {"type": "integer"}}
    assert "$ref" not in str(schema)
    number = next(option for option in properties["share"]["anyOf"] if option["type"] == "number")
    assert (number["minimum"], number["maximum"]) == (0, 1)
    assert read_doc(place_order).summary == "Place an order for a customer."


def no_annotation(state: dict[str, int], what) -> None:  # type: ignore[no-untyped-def]
    """Do.

    Args:
        what: A thing.
    """


def no_description(state: dict[str, int], what: str) -> None:
    """Do."""


def too_much_described(state: dict[str, int]) -> None:
    """Do.

    Args:
        what: Not there.
    """


def open_ended(state: dict[str, int], **what: str) -> None:
    """Do."""


def no_json(state: dict[str, int], what: complex) -> None:
    """Do.

    Args:
        what: A number.
    """


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (no_annotation, "'what' has no type annotation"),
        (no_description, "no description of what"),
        (too_much_described, "describes what"),
        (open_ended, r"takes \*what"),
        (no_json, "no JSON form"),
    ],
)
def test_unusable_signatures_say_why(function: object, said: str) -> None:
    with pytest.raises(DataError, match=rf"shop/tools.py: .*{said}"):
        read_signature(function, "shop/tools.py")  # type: ignore[arg-type]


def test_a_function_cites_clauses_whatever_else_it_is() -> None:
    @cites("C-07", "C-08")
    @reads()
    @cites("C-02")
    def look(state: dict[str, int]) -> dict[str, int]:
        """Look."""
        return state

    assert cited(look) == ("C-07", "C-08", "C-02")
    assert declaration(look) is not None
    assert cited(no_json) == ()
