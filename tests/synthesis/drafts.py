"""A small slot that is sound: a shelf of parcels, and a task on it."""

from worktrial.synthesis.artifacts import PlannedCall, Slot, SubTopic, TaskDraft, ToolDraft, WorkplaceDraft

SUBTOPIC = SubTopic(id="parcels", title="Parcels at the counter", about="Finding parcels and handing them out.")


def slot(level: int = 2, subtopic: str = "parcels", language: str = "en", *, several: bool = False) -> Slot:
    about = SUBTOPIC if subtopic == "parcels" else SubTopic(id=subtopic, title=subtopic, about="Other work.")
    return Slot(subtopic=about, level=level, language=language, several_languages=several)


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


def task(
    of: Slot | None = None, instruction: str = "Ana Ruiz is here for parcel P-1. Hand it to her."
) -> TaskDraft:
    of = of or slot()
    return TaskDraft(
        slot=of.id,
        subtopic=of.subtopic.id,
        level=of.level,
        language=of.language,
        instruction=instruction,
        plan=[
            PlannedCall(tool="get_parcel", arguments={"parcel_id": "P-1"}, why="Is it on the shelf?"),
            PlannedCall(tool="hand_out", arguments={"parcel_id": "P-1"}),
        ],
        rubric="1. Parcel P-1 was looked up with get_parcel before it was handed out.\n2. P-1 is handed_out.\n",
    )
