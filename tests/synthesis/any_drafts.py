"""Artifacts for tests of how they are stored: any at all, and small ones that are told apart by a number."""

from hypothesis import strategies as st

from worktrial.synthesis.artifacts import PlannedCall, TaskDraft, ToolDraft, WorkplaceDraft

_AWKWARD = " \n\t-:#'\"|>%@`!&*{}[],?ab0é한\r\x85\u2028\ufeff\x00\x7f"
TEXTS = st.text(st.one_of(st.sampled_from(_AWKWARD), st.characters(exclude_categories=["Cs"])), min_size=1)
_SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False), TEXTS
)
VALUES = st.recursive(
    _SCALARS, lambda c: st.lists(c, max_size=3) | st.dictionaries(TEXTS, c, max_size=3), max_leaves=6
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=3)

TOOLS = st.builds(
    ToolDraft, name=TEXTS, description=TEXTS, parameters=OBJECTS, example_output=VALUES, writes=st.booleans()
)
WORKPLACES = st.builds(
    WorkplaceDraft,
    name=TEXTS,
    system_prompt=TEXTS,
    tools=st.lists(TOOLS, max_size=2),
    initial_state=OBJECTS,
    state_description=OBJECTS,
)
TASKS = st.builds(
    TaskDraft,
    id=TEXTS,
    level=st.integers(1, 3),
    instructions=st.dictionaries(TEXTS, TEXTS, min_size=1, max_size=2),
    plan=st.lists(st.builds(PlannedCall, tool=TEXTS, arguments=OBJECTS, why=TEXTS), max_size=2),
    rubric=TEXTS,
    clauses=st.lists(TEXTS, max_size=2),
)


def workplace(number: int = 0) -> WorkplaceDraft:
    """A small workplace; another number is another state and another tool."""
    return WorkplaceDraft(
        name="Returns desk",
        system_prompt="You play a returns desk.\n\nAnswer in JSON.",
        tools=[
            ToolDraft(
                name="read_order",
                description="Reads an order.",
                parameters={"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
                example_output={"id": "A-1", "total": 10 + number},
                writes=False,
            )
        ],
        initial_state={"orders": {"A-1": {"total": 10 + number}}},
        state_description={"orders": "Orders by id"},
    )


def task(number: int = 0, id: str = "returns-01") -> TaskDraft:
    """A small task in it; another number is another instruction."""
    return TaskDraft(
        id=id,
        level=1,
        instructions={"en": f"Say the total of order A-1. ({number})"},
        plan=[PlannedCall(tool="read_order", arguments={"id": "A-1"})],
        rubric="1. The total of order A-1 is told.",
    )
