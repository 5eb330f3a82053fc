"""What a request to the synthesizer asks for, told by the schema of the answer."""

from enum import StrEnum

from tests.support.request import ScriptedRequest


class Wanted(StrEnum):
    """The kinds of artifacts."""

    SUBTOPICS = "subtopics"
    REFERENCE = "reference"
    WORKPLACE = "workplace"
    TASK = "task"
    DIAGNOSIS = "diagnosis"
    REPAIR = "repair"


_SIGNS = (
    ({"subtopics"}, Wanted.SUBTOPICS),
    ({"terminology", "workflow"}, Wanted.REFERENCE),
    ({"tools", "initial_state"}, Wanted.WORKPLACE),
    ({"instruction", "plan", "rubric"}, Wanted.TASK),
    ({"why", "artifact", "what"}, Wanted.DIAGNOSIS),
)
_REPAIRED = ("initial_state", "tools", "instruction", "plan", "rubric")


def fields_of(request: ScriptedRequest) -> set[str]:
    """The fields of the wanted object."""
    return set((request.schema or {}).get("properties", {}))


def wanted(request: ScriptedRequest) -> Wanted:
    """What is asked for.

    Raises:
        LookupError: the schema is of nothing known.
    """
    fields = fields_of(request)
    for signs, kind in _SIGNS:
        if signs <= fields:
            return kind
    if fields & set(_REPAIRED):
        return Wanted.REPAIR
    raise LookupError(f"nobody knows what {sorted(fields)} is asked for")


def is_correction(request: ScriptedRequest) -> bool:
    """Whether an earlier reply to the same prompt could not be used."""
    return request.turn > 0
