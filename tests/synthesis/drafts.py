"""Small sound drafts, a counter for parcels and a task there, told apart by a number; and any drafts at all."""

import msgspec
from hypothesis import strategies as st
from tests.synthesis.small_author import WORKPLACE

from worktrial.synthesis.artifacts import PlannedCall, TaskDraft, ToolDraft, WorkplaceDraft
from worktrial.synthesis.clauses.clause import Clause
from worktrial.synthesis.simulated.workplace import SimulatedPlace

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
    """The counter of the small author; another number is another state and another tool."""
    tools = msgspec.convert(WORKPLACE["tools"], list[ToolDraft])
    shown = {**tools[0].example_output, "shelf": number}
    return WorkplaceDraft(
        name="parcel-counter",
        system_prompt="You play the system of a parcel counter.\n\nAnswer every call with one JSON object.\n",
        tools=[msgspec.structs.replace(tools[0], example_output=shown), *tools[1:]],
        initial_state={"parcels": [shown]},
        state_description=WORKPLACE["state_description"],
    )


def task(number: int = 0) -> TaskDraft:
    """A small task in it; another number is another instruction."""
    return TaskDraft(
        id="parcels-02",
        level=2,
        instructions={"en": f"Ana Ruiz is here for parcel P-1. Hand it to her. ({number})"},
        plan=[
            PlannedCall(tool="get_parcel", arguments={"parcel_id": "P-1"}, why="Is it on the shelf?"),
            PlannedCall(tool="hand_out", arguments={"parcel_id": "P-1"}),
        ],
        rubric="1. Parcel P-1 was looked up with get_parcel before it was handed out.\n2. P-1 is handed_out.\n",
        clauses=["C-01"],
    )


def place() -> SimulatedPlace:
    """The counter as a simulated workplace that goes by one clause."""
    clause = Clause(id="C-01", document="job", section="0", quote="A parcel is handed out once.", kind="obligation")
    return SimulatedPlace("parcels", workplace(), [clause])
