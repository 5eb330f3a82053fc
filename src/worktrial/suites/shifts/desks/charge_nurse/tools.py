"""The department's board: patients, bays, nurses, announcements, transfers, enquiries, drug sheets."""

from random import Random
from typing import Literal

from worktrial.language import JsonObject
from worktrial.workplaces.desk.tools import list_rows, record_of, search_rows
from worktrial.workplaces.executable import ToolError, reads, writes

from .state import BOARD_PAGE, Bay, Entry, EntryKind, Patient, SheetResult, State

CLEANING = 20
"""Minutes that a bay is cleaned after somebody has left it."""
REASSESSMENT = 10
"""Minutes that a reassessment takes a nurse."""
Precautions = Literal["contact", "airborne", "protective"]


@reads()
def search_patients(state: State, text: str = "", status: str = "", page: int = 1) -> JsonObject:
    """Search patients by number, name, bay or complaint, 20 to a page.

    Args:
        text: Words that all have to occur; empty for all.
        status: in a bay, waiting room, transferred, or earlier visit; empty for any.
        page: Number of the page, from 1.
    """
    there = (p for p in state.patients.values() if not status or p.status == status)
    return search_rows("patients", there, text, _patient_text, page, _patient_row)


@reads()
def get_patient(state: State, patient_id: str) -> JsonObject:
    """Open a patient's record: level, bay, flags, next of kin, disclosure, admission and what is under way.

    Args:
        patient_id: For example P-4117.
    """
    p = record_of(state.patients, patient_id, "patient")
    t = p.transfer
    clock = state.time.clock
    return {
        "id": p.id,
        "name": p.name,
        "sex": p.sex,
        "born": p.born,
        "status": p.status,
        "bay": p.bay,
        "level": p.level,
        "triaged": p.triaged,
        "complaint": p.complaint,
        "flag": p.flag,
        "on_monitor": p.monitored,
        "suspected": p.suspected,
        "precautions": p.precautions,
        "disclosure": {"password": p.password, "nobody_is_told": p.no_information},
        "next_of_kin": {"name": p.kin_name, "telephone": p.kin_phone},
        "admission": {"ward": p.admission, "by": p.admission_by},
        "reassessment": None if p.reassess_at is None else {"at": clock(p.reassess_at), "by": p.reassess_by},
        "transfer": {
            "ward_asked": t.ward,
            "side_room": t.side_room,
            "answer_pending": t.pending,
            "bed": t.bed,
            "porter_here_from": None if t.porter_at is None else clock(t.porter_at),
            "escort": t.escort,
            "handed_over": None if t.handed_over_at is None else clock(t.handed_over_at),
        },
    }


@reads()
def list_bays(
    state: State, area: Literal["", "resus", "majors", "side", "iso", "minors"] = "", page: int = 1
) -> JsonObject:
    """List bays, 40 to a page: monitor, who is in, whether closed, kept for somebody, or when clean.

    Args:
        area: resus, majors, side (side rooms), iso (negative pressure rooms), minors; empty for all.
        page: Number of the page, from 1.
    """
    found = [bay for bay in state.bays.values() if not area or bay.area == area]
    return list_rows(
        "bays",
        found,
        page,
        lambda b: {
            "id": b.id,
            "area": b.area,
            "monitor": b.monitor,
            "occupant": b.occupant,
            "closed": b.closed,
            "kept_for": b.reserved,
            "clean_from": state.time.clock(b.clean_at) if b.clean_at > state.time.minute else None,
        },
        BOARD_PAGE,
    )


@reads()
def list_nurses(
    state: State, team: Literal["", "resus", "majors", "iso", "minors", "front"] = "", page: int = 1
) -> JsonObject:
    """List the nurses on duty, 20 to a page: team, employment, break, keys, booked reassessments.

    Args:
        team: resus, majors, iso, minors, front; empty for all.
        page: Number of the page, from 1.
    """
    found = [nurse for nurse in state.nurses.values() if not team or nurse.team == team]
    return list_rows(
        "nurses",
        found,
        page,
        lambda n: {
            "id": n.id,
            "name": n.name,
            "team": n.team,
            "employed": n.employed,
            "break": f"{n.break_from}-{n.break_until}",
            "holds_keys": n.keys,
            "lent_to": n.lent_to,
            "reassessments": [state.time.clock(minute) for minute in n.booked],
        },
    )


@reads()
def list_entries(state: State, kind: EntryKind, page: int = 1) -> JsonObject:
    """List entries of the board of one kind, newest first, 20 to a page.

    Args:
        kind: ambulance (announcements), enquiry, lend, drugs (count sheets), census.
        page: Number of the page, from 1.
    """
    found = [entry for entry in reversed(state.entries.values()) if entry.kind == kind]
    return list_rows(
        "entries",
        found,
        page,
        lambda e: {
            "id": e.id,
            "opened": e.opened,
            "status": e.status,
            "bay": e.bay,
            "incident": e.data.get("incident"),
        },
    )


@reads()
def get_entry(state: State, entry_id: str) -> JsonObject:
    """Open an entry of the board with everything that was filled in.

    Args:
        entry_id: For example A-204, Q-311, L-502, F-603, B-701.
    """
    e = record_of(state.entries, entry_id, "entry")
    return {
        "id": e.id,
        "kind": e.kind,
        "opened": e.opened,
        "status": e.status,
        **e.data,
        **({"bay": e.bay, "linked_to": e.linked_to} if e.kind == "ambulance" else {}),
        **({"called_back": {"tried": e.tried, "confirmed": e.called}} if e.kind == "enquiry" else {}),
    }


@reads()
def list_devices(state: State, page: int = 1) -> JsonObject:
    """List the devices that stand at bays, by number, 40 to a page: sort, bay, and when they were last checked.

    Args:
        page: Number of the page, from 1.
    """
    return list_rows(
        "devices",
        state.devices,
        page,
        lambda d: {"id": d.id, "kind": d.kind, "bay": d.bay, "checked": d.checked},
        BOARD_PAGE,
    )


@reads()
def list_ward_beds(state: State, ward: str) -> JsonObject:
    """Show how many beds of a ward are free, with and without a side room. A bed has to be asked for all the same.

    Args:
        ward: For example 3A.
    """
    beds = [bed for bed in state.beds.values() if bed.ward == ward.upper()]
    if not beds:
        raise ToolError("unknown_ward", f"There is no ward {ward}.")
    free = [bed for bed in beds if bed.taken_by is None]
    side = sum(bed.side_room for bed in free)
    return {"ward": ward.upper(), "total": len(beds), "free": len(free), "free_side_rooms": side}


@reads()
def read_register(state: State, drug: str, page: int = 1) -> JsonObject:
    """Read the lines of the controlled drug register since the last full count, oldest first, 20 to a page.

    Args:
        drug: As on the count sheet, for example morphine 10 mg.
        page: Number of the page, from 1.
    """
    found = [line for line in state.register if line.drug == drug.strip().casefold()]
    if not found:
        raise ToolError("unknown_drug", f"There are no lines on {drug!r}.")
    return list_rows(
        "lines",
        found,
        page,
        lambda r: {
            "at": r.at,
            "moved": r.moved,
            "what": r.what,
            "by": r.by,
            "witness": r.witness,
            "balance": r.balance,
        },
    )


@reads()
def search_documents(state: State, patient_id: str = "", page: int = 1) -> JsonObject:
    """Search laboratory results and signed forms, 20 to a page.

    Args:
        patient_id: For example P-4117; empty for all.
        page: Number of the page, from 1.
    """
    found = [paper for paper in state.papers if not patient_id or paper.about == patient_id]
    return list_rows(
        "documents",
        found,
        page,
        lambda d: {"id": d.id, "kind": d.kind, "about": d.about, "date": d.date, "text": d.text},
    )


@writes()
def assign_bay(state: State, reference: str, bay_id: str) -> JsonObject:
    """Give a bay to an announced patient, or move a patient of the department into it.

    Args:
        reference: Number of an announcement (A-…) or of a patient (P-…).
        bay_id: For example MA-07.
    """
    holder = (
        record_of(state.entries, reference, "entry")
        if reference.startswith("A-")
        else record_of(state.patients, reference, "patient")
    )
    bay = record_of(state.bays, bay_id, "bay")
    if bay.occupant is not None:
        raise ToolError("occupied", f"{bay_id} is taken by {bay.occupant}.")
    if bay.closed is not None:
        raise ToolError("closed", f"{bay_id} is closed: {bay.closed}.")
    if isinstance(holder, Entry):
        if holder.linked_to is not None or holder.status == "arrived":
            raise ToolError("settled", f"{reference} is {holder.status}.")
        _place_announced(state, holder, bay)
    else:
        if holder.status not in ("in a bay", "waiting room"):
            raise ToolError("not_here", f"{reference}: {holder.status}.")
        if bay.clean_at > state.time.minute:
            raise ToolError("not_clean", f"{bay_id} is clean from {state.time.clock(bay.clean_at)}.")
        _vacate(state, holder.bay)
        holder.bay, holder.status = bay_id, "in a bay"
    bay.occupant = reference
    return {"reference": reference, "bay": bay_id}


@writes()
def link_announcement(state: State, entry_id: str, first_id: str) -> JsonObject:
    """Link an announcement to another one of the same patient; a bay that it had is free again.

    Args:
        entry_id: The later announcement.
        first_id: The one that it repeats.
    """
    later, first = record_of(state.entries, entry_id, "entry"), record_of(state.entries, first_id, "entry")
    if later is first:
        raise ToolError("itself", "An announcement cannot be linked to itself.")
    if later.kind != "ambulance" or first.kind != "ambulance":
        raise ToolError("no_announcement", "Only announcements of ambulances can be linked.")
    if later.linked_to is not None or first.linked_to is not None:
        raise ToolError("settled", "One of the two is linked already.")
    if later.bay is not None and state.bays[later.bay].occupant == later.id:
        state.bays[later.bay].occupant = None
    later.bay, later.linked_to = None, first_id
    _settle(state, later, "linked")
    return {"entry": entry_id, "linked_to": first_id}


@writes()
def set_precautions(state: State, patient_id: str, kind: Precautions) -> JsonObject:
    """Put precautions on a patient's record; the team nurses them under these where they are.

    Args:
        patient_id: For example P-4117.
        kind: contact, airborne or protective.
    """
    patient = _here(state, patient_id)
    patient.precautions = kind
    return {"patient": patient_id, "precautions": kind}


@writes()
def request_bed(state: State, patient_id: str, ward: str, side_room: bool = False) -> JsonObject:
    """Ask a ward for a bed. The ward answers by a message, after ten to twenty minutes.

    Args:
        patient_id: For example P-4117.
        ward: For example 3A.
        side_room: Whether it has to be a side room.
    """
    patient, ward = _here(state, patient_id), ward.upper()
    if not any(bed.ward == ward for bed in state.beds.values()):
        raise ToolError("unknown_ward", f"There is no ward {ward}.")
    transfer = patient.transfer
    if transfer.pending:
        raise ToolError("pending", f"Ward {transfer.ward} has not answered on {patient_id} yet.")
    if transfer.bed is not None:
        raise ToolError("has_bed", f"{patient_id} has bed {transfer.bed}. cancel_transfer gives it back.")
    transfer.asked += 1
    transfer.ward, transfer.side_room, transfer.pending = ward, side_room, True
    delay = Random(f"{state.seed}/{patient_id}/{ward}/{transfer.asked}").randint(10, 20)
    state.time.add(state.time.minute + delay, "bed_answer", patient=patient_id, asked=transfer.asked)
    return {"patient": patient_id, "ward": ward, "side_room": side_room}


@writes()
def order_porter(state: State, patient_id: str, escort: bool = False) -> JsonObject:
    """Order a porter to a patient. Comes after the usual time, waits 25 minutes at most, and then leaves.

    Args:
        patient_id: For example P-4117.
        escort: Whether a nurse goes along.
    """
    patient = _here(state, patient_id)
    transfer = patient.transfer
    if transfer.porter_at is not None:
        raise ToolError("ordered", f"A porter for {patient_id} is ordered.")
    transfer.porter_at = state.time.minute + int(str(state.figures["porter_minutes"]))
    transfer.escort = escort
    state.time.add(transfer.porter_at + 25, "porter_leaves", patient=patient_id, at=transfer.porter_at)
    return {"patient": patient_id, "porter_at": state.time.clock(transfer.porter_at), "escort": escort}


@writes()
def cancel_transfer(state: State, patient_id: str) -> JsonObject:
    """Cancel what is under way for a transfer: the request for a bed, the bed, the porter.

    Args:
        patient_id: For example P-4117.
    """
    patient = _here(state, patient_id)
    transfer = patient.transfer
    if not transfer.pending and transfer.bed is None and transfer.porter_at is None:
        raise ToolError("nothing", f"Nothing is under way for {patient_id}.")
    if transfer.bed is not None:
        state.beds[transfer.bed].taken_by = None
    transfer.asked += 1
    transfer.pending, transfer.bed, transfer.porter_at = False, None, None
    return {"patient": patient_id, "transfer": "cancelled"}


@writes()
def hand_over(state: State, patient_id: str) -> JsonObject:
    """Hand a patient over to the ward that has confirmed a bed. The porter has to be here. It cannot be undone.

    Args:
        patient_id: For example P-4117.
    """
    patient = _here(state, patient_id)
    transfer = patient.transfer
    if transfer.bed is None:
        raise ToolError("no_bed", f"No ward has confirmed a bed for {patient_id}.")
    if transfer.porter_at is None or transfer.porter_at > state.time.minute:
        raise ToolError("no_porter", f"No porter is here for {patient_id}.")
    transfer.handed_over_at, transfer.handed_to = state.time.minute, transfer.bed
    _vacate(state, patient.bay)
    patient.bay, patient.status = None, "transferred"
    return {"patient": patient_id, "bed": transfer.bed, "at": state.time.now}


@writes()
def call_back(state: State, entry_id: str, number: str) -> JsonObject:
    """Call a number and ask for the person who enquired.

    Args:
        entry_id: The enquiry.
        number: Telephone number, as it is written in the record, the form or the enquiry.
    """
    enquiry = record_of(state.entries, entry_id, "entry")
    if enquiry.kind != "enquiry":
        raise ToolError("no_enquiry", f"{entry_id} is no enquiry.")
    reached = number.strip() in state.answering.get(entry_id, ())
    enquiry.tried.append(number.strip())
    if reached:
        enquiry.called.append(number.strip())
    outcome = "The caller answers and confirms the enquiry." if reached else "Nobody there has called us."
    return {"enquiry": entry_id, "outcome": outcome}


@writes()
def release_information(state: State, entry_id: str) -> JsonObject:
    """Tell the caller of an enquiry how the patient is and where. What was said cannot be taken back.

    Args:
        entry_id: The enquiry.
    """
    enquiry = record_of(state.entries, entry_id, "entry")
    if enquiry.kind != "enquiry":
        raise ToolError("no_enquiry", f"{entry_id} is no enquiry.")
    if enquiry.status == "answered":
        raise ToolError("answered", f"{entry_id} has been answered.")
    _settle(state, enquiry, "answered")
    return {"enquiry": entry_id, "status": "answered"}


@writes()
def book_reassessment(state: State, patient_id: str, nurse_id: str, time: str) -> JsonObject:
    """Book the next reassessment of a patient in the waiting room. Booking again moves it.

    Args:
        patient_id: For example P-4117.
        nurse_id: Who does it; it takes ten minutes.
        time: For example 09:40.
    """
    patient = _here(state, patient_id)
    nurse = record_of(state.nurses, nurse_id, "nurse")
    try:
        at = state.time.minute_of(time)
    except ValueError as e:
        raise ToolError("no_time", f"{e}.") from None
    if at < state.time.minute:
        raise ToolError("time_past", f"{time} is past; it is {state.time.now}.")
    own = patient.reassess_at if patient.reassess_by == nurse_id else None
    if any(abs(other - at) < REASSESSMENT for other in nurse.booked if other != own):
        raise ToolError("busy", f"{nurse_id} has another reassessment within ten minutes of {time}.")
    if patient.reassess_by is not None and patient.reassess_at is not None:
        state.nurses[patient.reassess_by].booked.remove(patient.reassess_at)
    nurse.booked.append(at)
    patient.reassess_at, patient.reassess_by = at, nurse_id
    return {"patient": patient_id, "nurse": nurse_id, "at": state.time.clock(at)}


@writes()
def lend_nurse(state: State, entry_id: str, nurse_id: str) -> JsonObject:
    """Send a nurse to the ward that has asked, for the rest of the shift.

    Args:
        entry_id: The request.
        nurse_id: For example N-31.
    """
    request = record_of(state.entries, entry_id, "entry")
    nurse = state.nurses.get(nurse_id)
    if request.kind != "lend":
        raise ToolError("no_request", f"{entry_id} asks for no nurse.")
    if nurse is None:
        raise ToolError("unknown_nurse", f"There is no nurse {nurse_id}.")
    if nurse.lent_to is not None or request.status == "lent":
        raise ToolError("settled", f"{nurse_id} or {entry_id} is settled.")
    nurse.lent_to = str(request.data["ward"])
    _settle(state, request, "lent")
    return {"entry": entry_id, "nurse": nurse_id, "ward": nurse.lent_to}


@writes()
def sign_sheet(state: State, entry_id: str, result: SheetResult, balance: int) -> JsonObject:
    """Sign a count sheet of a controlled drug. A signature is final, but for recount, which sends the sheet back.

    Args:
        entry_id: The sheet.
        result: agreed (count and register agree), corrected (a slip in the register is put right), discrepancy
            (unexplained), recount (to be counted again).
        balance: Ampoules that there should be by the register as you leave it.
    """
    sheet = record_of(state.entries, entry_id, "entry")
    if sheet.kind != "drugs":
        raise ToolError("no_sheet", f"{entry_id} is no count sheet.")
    if sheet.result is not None:
        raise ToolError("signed", f"{entry_id} is signed as {sheet.result}.")
    sheet.result, sheet.balance = result, balance
    _settle(state, sheet, f"signed: {result}")
    return {"entry": entry_id, "result": result, "balance": balance}


@writes()
def record_level(state: State, entry_id: str, level: int) -> JsonObject:
    """Put the level of the department on a census. It can be done again to correct it.

    Args:
        entry_id: The census.
        level: 1 to 4.
    """
    census = record_of(state.entries, entry_id, "entry")
    if census.kind != "census":
        raise ToolError("no_census", f"{entry_id} is no census.")
    if not 1 <= level <= 4:
        raise ToolError("no_level", "Levels are 1 to 4.")
    census.level = level
    _settle(state, census, f"level {level}")
    return {"entry": entry_id, "level": level}


def _place_announced(state: State, entry: Entry, bay: Bay) -> None:
    if entry.kind != "ambulance":
        raise ToolError("no_announcement", f"{entry.id} announces no patient.")
    if entry.bay is not None and state.bays[entry.bay].occupant == entry.id:
        state.bays[entry.bay].occupant = None
    entry.bay, entry.bay_clean_at = bay.id, bay.clean_at
    _settle(state, entry, "bay given")


def _vacate(state: State, bay_id: str | None) -> None:
    if bay_id is not None:
        state.bays[bay_id].occupant = None
        state.bays[bay_id].clean_at = state.time.minute + CLEANING


def _here(state: State, patient_id: str) -> Patient:
    patient = record_of(state.patients, patient_id, "patient")
    if patient.status not in ("in a bay", "waiting room"):
        raise ToolError("not_here", f"{patient_id}: {patient.status}.")
    return patient


def _settle(state: State, entry: Entry, status: str) -> None:
    entry.status, entry.settled_at = status, state.time.minute


def _patient_text(p: Patient) -> str:
    return f"{p.id} {p.name} {p.bay} {p.complaint}"


def _patient_row(p: Patient) -> JsonObject:
    return {"id": p.id, "name": p.name, "status": p.status, "bay": p.bay, "level": p.level}
