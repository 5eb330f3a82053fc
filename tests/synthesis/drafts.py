"""A small task that is sound, in its workplace: a shelf of parcels."""

from worktrial.synthesis.artifacts import PlannedCall, TaskDraft, ToolDraft, WorkplaceDraft
from worktrial.synthesis.clauses.clause import Clause
from worktrial.synthesis.simulated.workplace import SimulatedPlace


def workplace() -> WorkplaceDraft:
    by_id = {
        "type": "object",
        "properties": {"parcel_id": {"type": "string"}},
        "required": ["parcel_id"],
        "additionalProperties": False,
    }
    return WorkplaceDraft(
        name="parcel-counter",
        system_prompt="You play the system of a parcel counter.\nAnswer every call with one JSON object.\n",
        tools=[
            ToolDraft(
                name="get_parcel",
                description="Look a parcel up.",
                parameters=by_id,
                example_output={"parcel_id": "P-1", "status": "shelved", "holder": "Ana Ruiz"},
                writes=False,
            ),
            ToolDraft(
                name="hand_out",
                description="Hand a parcel to its holder.",
                parameters=by_id,
                example_output={"parcel_id": "P-1", "status": "handed_out"},
                writes=True,
            ),
        ],
        initial_state={"parcels": {"P-1": {"status": "shelved", "holder": "Ana Ruiz"}}},
        state_description={"parcels": "Parcels by id; status is shelved or handed_out."},
    )


def task(instruction: str = "Ana Ruiz is here for parcel P-1. Hand it to her.") -> TaskDraft:
    return TaskDraft(
        id="parcels-02",
        level=2,
        instructions={"en": instruction},
        plan=[
            PlannedCall(tool="get_parcel", arguments={"parcel_id": "P-1"}, why="Is it on the shelf?"),
            PlannedCall(tool="hand_out", arguments={"parcel_id": "P-1"}),
        ],
        rubric="1. Parcel P-1 was looked up with get_parcel before it was handed out.\n2. P-1 is handed_out.\n",
        clauses=["C-01"],
    )


def place() -> SimulatedPlace:
    """The shelf as a simulated workplace that goes by one clause."""
    clause = Clause(id="C-01", document="job", section="0", quote="A parcel is handed out once.", kind="obligation")
    return SimulatedPlace("parcels", workplace(), [clause])
