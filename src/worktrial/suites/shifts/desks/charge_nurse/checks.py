"""What was done in each kind of matter, and when, read from the records at the end."""

from collections.abc import Callable

from .measures import PARTNERS, suits
from .rules import Due
from .state import State


def _ambulance(state: State, due: Due) -> float:
    entry = state.entries[due.about]
    if due.end == "link":
        return float(entry.linked_to == due.filled["first"])
    if entry.bay is None or entry.bay_clean_at > due.filled["eta_minute"]:
        return 0.0
    return suits(state.bays[entry.bay], due.filled["need"])


def _transfer(state: State, due: Due) -> float:
    transfer = state.patients[due.about].transfer
    if due.end == "stay" and not was_gone(state, due):
        idle = transfer.bed is None and transfer.porter_at is None and not transfer.pending
        return float(idle and transfer.handed_over_at is None and _said_stay(state, due) is not None)
    if transfer.handed_to is None or transfer.handed_over_at is None:
        return 0.0
    if due.pattern == "ask" and not was_named(state, due, by=transfer.handed_over_at):
        return 0.0
    bed = state.beds[transfer.handed_to]
    fits = (bed.side_room or not due.filled["side_room"]) and (transfer.escort or not due.filled["escort"])
    ward = due.filled["ward"]
    # A side room that is not needed is one that somebody else lacks; the patient is safe all the same.
    spared = bed.side_room == due.filled["side_room"]
    wards = (ward,) if transfer.withdrawn_at is None else (PARTNERS[ward],)
    return (1.0 if spared else 0.5) if fits and bed.ward in wards else 0.0


def was_gone(state: State, due: Due) -> bool:
    """Whether the patient had been handed over when the order was withdrawn: then it was carried out rightly."""
    when = state.patients[due.about].transfer.handed_over_at
    return when is not None and when < due.earliest


def was_named(state: State, due: Due, by: int) -> bool:
    """Whether the physician has named the ward when asked, up to a minute."""
    return any(
        m.sender == due.asked_by and m.about == due.about and m.fields.get("topic") == "ward" and m.minute <= by
        for m in state.mail.inbox
    )


def _said_stay(state: State, due: Due) -> int | None:
    """Minute at which the ward or the physician first heard that the patient stays."""
    people = (due.asked_by, f"W-{state.patients[due.about].transfer.ward}")
    said = [
        m.minute
        for p in people
        for m in state.mail.told(p, due.about, ("tell", "approve", "refuse"))
        if m.minute >= due.earliest and m.fields.get("order") == "withdrawn"
    ]
    return min(said, default=None)


def _transfer_when(state: State, due: Due) -> tuple[int | None, int]:
    transfer = state.patients[due.about].transfer
    if due.end == "stay" and not was_gone(state, due):
        return max(_said_stay(state, due) or 0, transfer.cancelled_at or 0), due.due
    late = due.due if transfer.withdrawn_at is None else max(due.due, transfer.withdrawn_at + due.filled["minutes"])
    return transfer.handed_over_at, late


def _isolation(state: State, due: Due) -> float:
    patient = state.patients[due.about]
    in_room = patient.bay is not None and state.bays[patient.bay].area == "iso"
    return float(in_room if due.end == "do" else not in_room and patient.precautions == due.filled["kind"])


def _isolation_when(state: State, due: Due) -> tuple[int | None, int]:
    patient = state.patients[due.about]
    if due.end == "refuse":
        return patient.precautions_at, due.due
    early = patient.placed_at is not None and patient.placed_at < due.earliest
    return None if early else patient.placed_at, due.due


def _enquiry(state: State, due: Due) -> float:
    entry = state.entries[due.about]
    tried = not due.filled["call"] or due.filled["call"] in entry.tried
    if due.end == "do":
        return float(entry.status == "answered" and (not due.filled["call"] or due.filled["call"] in entry.called))
    # Declined without the call that might have cleared it up: right for half.
    said = state.mail.last_word("switchboard", due.about, ("refuse",))
    return (1.0 if tried else 0.5) if said is not None and entry.status != "answered" else 0.0


def _enquiry_when(state: State, due: Due) -> tuple[int | None, int]:
    if due.end == "do":
        return state.entries[due.about].settled_at, due.due
    said = state.mail.last_word("switchboard", due.about, ("refuse",))
    return None if said is None else said.minute, due.due


def _walkin(state: State, due: Due) -> float:
    patient = state.patients[due.about]
    if due.end == "place":
        return 0.0 if patient.bay is None else float(suits(state.bays[patient.bay], due.filled["need"]))
    at = patient.reassess_at
    if at is None or not due.filled["latest"] - 10 <= at <= due.filled["latest"]:
        return 0.0
    nurse = state.nurses[str(patient.reassess_by)]
    begins, until = state.time.minute_of(nurse.break_from), state.time.minute_of(nurse.break_until)
    there = nurse.team == "front" and not (begins - 10 < at < until) and nurse.lent_to is None
    return 1.0 if there else 0.5


def _walkin_when(state: State, due: Due) -> tuple[int | None, int]:
    patient = state.patients[due.about]
    return (patient.placed_at if due.end == "place" else patient.reassess_booked), due.due


def _lend(state: State, due: Due) -> float:
    lent = state.nurses[due.filled["nurse"]].lent_to is not None
    if due.end == "do":
        return float(lent)
    return float(not lent and state.mail.last_word(due.asked_by, due.about, ("refuse",)) is not None)


def _lend_when(state: State, due: Due) -> tuple[int | None, int]:
    if due.end == "do":
        return state.nurses[due.filled["nurse"]].lent_at, due.due
    said = state.mail.last_word(due.asked_by, due.about, ("refuse",))
    return None if said is None else said.minute, due.due


def _drugs(state: State, due: Due) -> float:
    sheet = state.entries[due.about]
    if sheet.result != due.end:
        return 0.0
    return 1.0 if due.end == "recount" or sheet.balance == due.filled["balance"] else 0.5


def _settled(state: State, due: Due) -> tuple[int | None, int]:
    return state.entries[due.about].settled_at, due.due


def _census(state: State, due: Due) -> float:
    return float(state.entries[due.about].level == due.filled["level"])


DONE: dict[str, Callable[[State, Due], float]] = {
    "ambulance": _ambulance,
    "transfer": _transfer,
    "isolation": _isolation,
    "enquiry": _enquiry,
    "walkin": _walkin,
    "lend": _lend,
    "drugs": _drugs,
    "census": _census,
}
"""Kind of matter to the share of its outcome."""
WHEN: dict[str, Callable[[State, Due], tuple[int | None, int]]] = {
    "ambulance": _settled,
    "transfer": _transfer_when,
    "isolation": _isolation_when,
    "enquiry": _enquiry_when,
    "walkin": _walkin_when,
    "lend": _lend_when,
    "drugs": _settled,
    "census": _settled,
}
"""Kind of matter to the minute at which it was done, and that by which it had to be."""
