"""Things that happen whoever works: entries and patients come, wards answer, orders change, porters leave."""

import msgspec

from worktrial.language import JsonObject
from worktrial.workplaces.people import Kind

from .state import Entry, State


def entry(state: State, payload: JsonObject) -> None:
    """An entry appears on the board."""
    opened = msgspec.convert(payload | {"opened": state.time.now}, Entry)
    state.entries[opened.id] = opened


def order(state: State, payload: JsonObject) -> None:
    """A physician orders an admission, or withdraws the order."""
    patient = state.patients[payload["patient"]]
    patient.admission, patient.admission_by = payload["ward"], payload["by"]


def walkin(state: State, payload: JsonObject) -> None:
    """Somebody who walked in sits in the waiting room."""
    patient = state.patients[payload["patient"]]
    patient.status, patient.level, patient.triaged = "waiting room", payload["level"], payload["triaged"]
    patient.complaint = payload["complaint"]


def room_wanted(state: State, payload: JsonObject) -> None:
    """A request for a negative pressure room, which stands in its message alone."""


def bed_answer(state: State, payload: JsonObject) -> None:
    """The ward says which bed it has, unless nobody waits for it any more."""
    patient = state.patients[payload["patient"]]
    transfer = patient.transfer
    if not transfer.pending or transfer.asked != payload["asked"]:
        return
    transfer.pending = False
    sort = "side room" if transfer.side_room else "bed"
    bed = next(
        (
            b
            for b in state.beds.values()
            if b.ward == transfer.ward != transfer.withdrawn_by
            and b.taken_by is None
            and b.side_room == transfer.side_room
        ),
        None,
    )
    if bed is None:
        _from_ward(state, patient.id, "refuse", f"{patient.id}: we have no free {sort}.", {})
        return
    bed.taken_by, transfer.bed = patient.id, bed.id
    _from_ward(state, patient.id, "approve", f"{patient.id} can have {sort} {bed.id}.", {"bed": bed.id})
    if (minutes := state.withdraws.pop(patient.id, None)) is not None:
        state.time.add(state.time.minute + minutes, "bed_withdrawn", patient=patient.id, bed=bed.id)


def bed_withdrawn(state: State, payload: JsonObject) -> None:
    """The ward takes its bed back, and the porters' desk its porter, unless the patient has gone."""
    patient = state.patients[payload["patient"]]
    transfer = patient.transfer
    if patient.status != "in a bay" or transfer.bed is None or transfer.bed != payload["bed"]:
        return
    state.beds[transfer.bed].taken_by = "an emergency of the ward"
    transfer.bed, transfer.porter_at = None, None
    transfer.withdrawn_at, transfer.withdrawn_by = state.time.minute, transfer.ward
    _from_ward(
        state, patient.id, "tell", f"Sorry, {payload['bed']} is needed here. We have no other for {patient.id}.", {}
    )


def porter_leaves(state: State, payload: JsonObject) -> None:
    """A porter who has waited in vain leaves."""
    transfer = state.patients[payload["patient"]].transfer
    if transfer.porter_at == payload["at"] and transfer.handed_over_at is None:
        transfer.porter_at = None


def _from_ward(state: State, patient: str, kind: Kind, text: str, fields: JsonObject) -> None:
    ward = f"W-{state.patients[patient].transfer.ward}"
    state.mail.deliver(state.time.minute, ward, kind, patient, f"Bed for {patient}", text, fields=fields)


HAPPENINGS = {
    "entry": entry,
    "order": order,
    "walkin": walkin,
    "room_wanted": room_wanted,
    "bed_answer": bed_answer,
    "bed_withdrawn": bed_withdrawn,
    "porter_leaves": porter_leaves,
}
