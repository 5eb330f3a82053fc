"""The department's system as a triage nurse uses it."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from worktrial.suites.starter.workplaces.emergency_triage.state_types import (
    Area,
    Bed,
    Item,
    Order,
    Page,
    Patient,
    State,
    Team,
    Topic,
    Triage,
    Unit,
)
from worktrial.workplaces.executable import ToolError, reads, writes

Json = dict[str, object]


@reads()
def list_patients(state: State, waiting_only: bool = False) -> Json:
    """List the patients in the department with complaint, arrival, bed and triage level.

    Args:
        waiting_only: Only patients who have no bed yet.
    """
    patients = [
        {
            "patient_id": patient_id,
            "name": patient.name,
            "age": patient.age,
            "complaint": patient.complaint,
            "arrived_at": patient.arrived_at,
            "bed": patient.bed,
            "triage_level": patient.triage.level if patient.triage else None,
        }
        for patient_id, patient in state.patients.items()
        if not (waiting_only and patient.bed)
    ]
    return {"time": state.clock, "patients": patients}


@reads(patient_id="P-312")
def get_patient(state: State, patient_id: str) -> Json:
    """Open a patient's record: history, weight, allergies, oxygen scale, triage and bed, without vital signs.

    Args:
        patient_id: For example P-312.
    """
    patient = _patient(state, patient_id)
    record = msgspec.structs.asdict(patient)
    del record["vitals"]
    return {"time": state.clock, "patient_id": patient_id, **record}


@reads(patient_id="P-312")
def get_vitals(state: State, patient_id: str) -> Json:
    """Read all sets of vital signs on a patient's chart, oldest first.

    Args:
        patient_id: For example P-312.
    """
    return {"time": state.clock, "patient_id": patient_id, "sets": _patient(state, patient_id).vitals}


@writes(patient_id="P-312")
def measure_vitals(state: State, patient_id: str) -> Json:
    """Take a new set of vital signs now and add it to the chart.

    Args:
        patient_id: For example P-312.
    """
    patient = _patient(state, patient_id)
    if patient.vitals and patient.vitals[-1].taken_at == state.clock:
        raise ToolError("already_measured", f"{patient_id} has a set from {state.clock}.")
    shown = state.bedside.get(patient_id) or patient.vitals[-1]
    taken = msgspec.structs.replace(shown, taken_at=state.clock)
    patient.vitals.append(taken)
    return {"patient_id": patient_id, "set": taken}


@reads(area="acute")
def list_beds(state: State, area: Area | None = None) -> Json:
    """List beds with area, monitoring, status and patient.

    Args:
        area: Only this area.
    """
    beds = [
        {"bed_id": bed_id, **msgspec.structs.asdict(bed)}
        for bed_id, bed in state.beds.items()
        if area in (None, bed.area)
    ]
    return {"time": state.clock, "beds": beds}


@reads(topic="placement")
def get_policy(state: State, topic: Topic) -> Json:
    """Read a department policy.

    Args:
        topic: Which policy.
    """
    return {"topic": topic, "text": state.policies[topic]}


@writes(patient_id="P-312", score=4, level=3)
def record_triage(
    state: State,
    patient_id: str,
    score: Annotated[int, Meta(ge=0, le=20)],
    level: Annotated[int, Meta(ge=1, le=4)],
) -> Json:
    """Record a patient's early warning score and triage level; a new record replaces the earlier one.

    Args:
        patient_id: For example P-312.
        score: The early warning score.
        level: The triage level, 1 being the most urgent.
    """
    patient = _patient(state, patient_id)
    patient.triage = Triage(level=level, score=score, recorded_at=state.clock)
    return {"patient_id": patient_id, "triage": patient.triage}


@writes(patient_id="P-298", bed_id="A2")
def assign_bed(state: State, patient_id: str, bed_id: str) -> Json:
    """Put a triaged patient into a free bed; the bed the patient leaves goes to cleaning.

    Args:
        patient_id: For example P-312.
        bed_id: For example A8.
    """
    patient = _patient(state, patient_id)
    bed = _bed(state, bed_id)
    if patient.triage is None:
        raise ToolError("not_triaged", f"{patient_id} has no triage record.")
    if bed.status != "free":
        raise ToolError("bed_not_free", f"{bed_id} is {bed.status}.")
    if patient.bed:
        left = state.beds[patient.bed]
        left.status, left.patient_id = "cleaning", None
    bed.status, bed.patient_id = "occupied", patient_id
    patient.bed = bed_id
    return {"patient_id": patient_id, "bed_id": bed_id, "bed": bed}


@writes(bed_id="F3")
def turn_over_bed(state: State, bed_id: str) -> Json:
    """Have a bed that is in cleaning made ready at once.

    Args:
        bed_id: For example F3.
    """
    bed = _bed(state, bed_id)
    if bed.status != "cleaning":
        raise ToolError("not_in_cleaning", f"{bed_id} is {bed.status}.")
    bed.status = "free"
    return {"bed_id": bed_id, "bed": bed}


@writes(patient_id="P-298", item="ecg", dose=0, unit="none", due_by="2025-01-18T20:00")
def order_treatment(
    state: State,
    patient_id: str,
    item: Item,
    dose: Annotated[float, Meta(ge=0, le=10000)],
    unit: Unit,
    due_by: Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$")],
) -> Json:
    """Order a treatment or a test.

    Args:
        patient_id: For example P-312.
        item: What to give or do.
        dose: The amount in `unit`; 0 for a test.
        unit: Unit of the dose; none for a test.
        due_by: Latest time to give it, for example 2025-01-18T20:05.
    """
    patient = _patient(state, patient_id)
    try:
        due = datetime.fromisoformat(due_by)
    except ValueError as e:
        raise ToolError("invalid_time", f"{due_by} is no time.") from e
    if due < datetime.fromisoformat(state.clock):
        raise ToolError("time_passed", f"{due_by} is before now ({state.clock}).")
    if (unit == "none") != (item == "ecg"):
        raise ToolError("wrong_unit", f"{item} cannot be ordered in {unit}.")
    if item in patient.allergies:
        raise ToolError("allergy", f"{patient_id} is allergic to {item}.")
    state.orders.append(Order(patient_id=patient_id, item=item, dose=dose, unit=unit, due_by=due_by))
    return {"order": state.orders[-1], "orders_of_patient": sum(o.patient_id == patient_id for o in state.orders)}


@writes(team="bed_manager", patient_id="P-312", reason="No free bed.")
def page_team(state: State, team: Team, patient_id: str, reason: str) -> Json:
    """Page a team about a patient.

    Args:
        team: Whom to page.
        patient_id: For example P-312.
        reason: Why, in a sentence.
    """
    _patient(state, patient_id)
    if not reason.strip():
        raise ToolError("no_reason", "A page needs a reason.")
    state.pages.append(Page(team=team, patient_id=patient_id, reason=reason, at=state.clock))
    return {"page": state.pages[-1]}


def _patient(state: State, patient_id: str) -> Patient:
    if patient_id not in state.patients:
        raise ToolError("unknown_patient", f"There is no patient {patient_id}.")
    return state.patients[patient_id]


def _bed(state: State, bed_id: str) -> Bed:
    if bed_id not in state.beds:
        raise ToolError("unknown_bed", f"There is no bed {bed_id}.")
    return state.beds[bed_id]
