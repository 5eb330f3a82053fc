"""Clerks who take matters in order of arrival: one believes everything, the other looks everything up."""

from collections.abc import Callable

from worktrial.language import JsonObject
from worktrial.suites.shifts.cases import Move, Work, send
from worktrial.suites.shifts.clerks import in_order

from .state import State


def greedy(state: State) -> Work:
    """Does what a message asks for at once, with the first that the lists show."""
    return _in_order(state, careful=False)


def careful(state: State) -> Work:
    """Opens every record and keeps the sections that everybody quotes; leaves open what it cannot tell."""
    return _in_order(state, careful=True)


def _in_order(state: State, *, careful: bool) -> Work:
    def take(message: JsonObject) -> Work:
        work = _WORK.get(message["about"][:1], _patient)
        said = yield from work(message, careful)
        if said:
            yield send(message["from"], said, message["about"], said)
        return ""

    return in_order(state.time, take)


def _ambulance(message: JsonObject, careful: bool) -> Work:
    id = message["about"]
    entry = yield Move("get_entry", {"entry_id": id})
    if "error" in entry:
        return ""
    area = {1: "resus", 4: "minors", 5: "minors"}.get(entry["level"], "majors") if careful else "majors"
    bays = yield Move("list_bays", {"area": area})
    for bay in bays.get("bays", ()):
        taken = bay["occupant"] or bay["closed"]
        unfit = careful and (bay["kept_for"] or bay["clean_from"] or (entry["level"] == 2 and not bay["monitor"]))
        if not taken and not unfit:
            yield Move("assign_bay", {"reference": id, "bay_id": bay["id"]})
            yield send("ambulance_control", "approve", id, "A bay is kept.", bay=bay["id"])
            return ""
    return "" if careful else "refuse"


def _enquiry(message: JsonObject, careful: bool) -> Work:
    id = message["about"]
    if careful:
        entry = yield Move("get_entry", {"entry_id": id})
        record = yield Move("get_patient", {"patient_id": entry.get("patient", "")})
        if "error" in record:
            return ""
        secret = record["disclosure"]["password"]
        if entry["password_quoted"] != secret or (
            secret is None and entry["caller"] != record["next_of_kin"]["name"]
        ):
            return "refuse" if secret else ""
    yield Move("release_information", {"entry_id": id})
    return "approve"


def _lend(message: JsonObject, careful: bool) -> Work:
    entry = yield Move("get_entry", {"entry_id": message["about"]})
    if "error" in entry:
        return ""
    if careful:
        nurses = yield Move("list_nurses", {"page": 2})
        known = [row for row in nurses.get("nurses", ()) if row["id"] == entry["nurse"]]
        if any(row["holds_keys"] or row["employed"] == "supernumerary" for row in known):
            return "refuse"
        return ""
    yield Move("lend_nurse", {"entry_id": message["about"], "nurse_id": entry["nurse"]})
    return "approve"


def _drugs(message: JsonObject, careful: bool) -> Work:
    entry = yield Move("get_entry", {"entry_id": message["about"]})
    if "error" in entry:
        return ""
    if careful:
        register = yield Move("read_register", {"drug": entry["drug"]})
        if register["lines"][-1]["balance"] != entry["counted"]:
            return ""
    words = {"entry_id": message["about"], "result": "agreed", "balance": entry["counted"]}
    yield Move("sign_sheet", words)
    return "approve"


def _census(message: JsonObject, careful: bool) -> Work:
    if careful:
        yield Move("get_entry", {"entry_id": message["about"]})
        yield Move("record_level", {"entry_id": message["about"], "level": 2})
    return ""


def _patient(message: JsonObject, careful: bool) -> Work:
    """A patient's matter, told apart by its heading: a room, a bed that a ward gives, an admission."""
    patient = {"patient_id": message["about"]}
    record = yield Move("get_patient", patient)
    if "error" in record:
        return ""
    heading = message["subject"]
    if heading.startswith("Room"):
        bays = yield Move("list_bays", {"area": "iso"})
        free = [bay["id"] for bay in bays.get("bays", ()) if bay["occupant"] is None]
        if free:
            yield Move("assign_bay", {"reference": message["about"], "bay_id": free[0]})
        return "approve" if free else "" if careful else "refuse"
    if heading.startswith("Bed for") and message["kind"] == "approve":
        seen = yield Move("hand_over", patient)
        return "" if "error" in seen else "tell"
    if heading.startswith("Admission"):
        ward = record["admission"]["ward"]
        side = careful and record["flag"] is not None
        yield Move("request_bed", {**patient, "ward": "2A" if ward == "not named" else ward, "side_room": side})
        yield Move("order_porter", patient)
        return "" if careful else "approve"
    if heading.startswith("Waiting") and careful:
        nurses = yield Move("list_nurses", {"team": "front"})
        at = message["time"][-5:]
        hour = f"{int(at[:2]) + 1:02d}{at[2:]}"
        yield Move("book_reassessment", {**patient, "nurse_id": nurses["nurses"][0]["id"], "time": hour})
    return ""


_WORK: dict[str, Callable[[JsonObject, bool], Work]] = {
    "A": _ambulance,
    "Q": _enquiry,
    "L": _lend,
    "F": _drugs,
    "B": _census,
}
