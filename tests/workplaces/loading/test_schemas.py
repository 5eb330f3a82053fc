from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from worktrial.workplaces.loading.checked import is_plain
from worktrial.workplaces.tools import schema_problem

ODD = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(-1, 5)
    | st.text(max_size=3)
    | st.just([])
    | st.just({})
)


def schemas() -> st.SearchStrategy[Any]:
    def grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        return st.fixed_dictionaries(
            {},
            optional={
                "type": st.sampled_from(["object", "string", "integer", "text"]) | ODD,
                "description": st.text(max_size=3) | ODD,
                "enum": st.lists(ODD, max_size=2) | ODD,
                "minimum": ODD,
                "minLength": ODD,
                "maxItems": ODD,
                "required": st.lists(st.sampled_from(["a", "b"]), max_size=3) | ODD,
                "properties": st.dictionaries(st.sampled_from(["a", "$ref"]), inner, max_size=2) | ODD,
                "items": inner | ODD,
                "additionalProperties": inner | ODD,
                "$ref": ODD,
            },
        )

    return st.recursive(st.just({}) | ODD, grown, max_leaves=4)


@given(schemas())
def test_a_fast_yes_is_never_wrong(schema: Any) -> None:
    if is_plain(schema) and schema.get("type", "object") == "object":
        assert schema_problem(schema) is None


def test_ordinary_schemas_are_recognised() -> None:
    assert is_plain(
        {
            "type": "object",
            "properties": {"a": {"type": "array", "items": {"type": "string", "enum": ["x"]}, "minItems": 1}},
            "required": ["a"],
            "additionalProperties": False,
        }
    )
    assert not is_plain({"type": "object", "oneOf": [{}]})
