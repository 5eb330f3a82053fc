"""Python values to JSON and back, exactly: a `Decimal` is a JSON number, so cents survive the trip."""

from typing import Any

import msgspec

from worktrial.language import JsonValue

encode = msgspec.json.Encoder(decimal_format="number").encode


def to_json(value: Any) -> JsonValue:
    """`value` (records, decimals, tuples, …) as plain JSON values of its own."""
    return msgspec.json.decode(encode(value))
