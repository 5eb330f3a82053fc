"""A plan of the day: the work of a charge nurse who knows beforehand what is right about each matter."""

from collections.abc import Generator

from worktrial.language import JsonObject
from worktrial.suites.shifts.cases import Move, Work
from worktrial.suites.shifts.clerks import Matter, Until, interleave

from .measures import PARTNERS
from .rules import REPORT, Due, solve
from .state import State

_Part = Generator[Move | Until, JsonObject, JsonObject]
_ANSWER = 21
"""Minutes after which a ward has answered."""


def plan(state: State) -> Work:
    """Work on every matter in its time; of several always on the one that is due first."""
    tray = MailTray()
    dues = solve(state)
    later = {due.about for due in dues if due.end == "do" and due.kind == "isolation"}
    # What only takes hold at the round is begun in time to be over with it.
    matters = [
        (due.arrives, due.due - (25 if due.kind == "transfer" else 0), _matter(state, due, tray))
        for due in dues
        if due.about not in later
    ]
    return interleave(
        [*matters, *[(d.earliest - 6, d.due, _matter(state, d, tray)) for d in dues if d.about in later]],
        state.time,
    )


class MailTray:
    """Messages that a look into the inbox has shown, and that are still to be opened."""

    def __init__(self) -> None:
        self._waiting: dict[str, list[str]] = {}
        self._sections: set[str] = set()

    def first(self, section: str) -> bool:
        """Whether a section is needed for the first time today; it is kept in mind from then on."""
        new = section not in self._sections
        self._sections.add(section)
        return new

    def read(self, about: str) -> _Part:
        """Open the messages about a reference; the inbox is looked into only where none is known."""
        seen: JsonObject = {}
        if not self._waiting.get(about):
            seen = yield Move("check_inbox", {"unread_only": True})
            self._waiting = {}
            for row in reversed(seen["messages"]):
                self._waiting.setdefault(row["about"], []).append(row["id"])
        for id in self._waiting.pop(about, ()):
            seen = yield Move("read_message", {"message_id": id})
        return seen


def _matter(state: State, due: Due, tray: MailTray) -> Matter:
    if due.kind == REPORT:
        yield from _report(due)
        return
    yield from tray.read(due.about)
    # A good nurse knows the sections; what came later is read again.
    if due.section[0] in "CK" and tray.first(due.section):
        yield Move("read_section", {"section": due.section})
    yield from _WORK[due.kind](state, due, tray)


def _report(due: Due) -> _Part:
    seen = yield Move("list_entries", {"kind": "ambulance"})
    counts = {name: sum(at <= due.arrives for at in due.facts[name]) for name in ("announced", "admissions")}
    text = f"{counts['announced']} patients announced, {counts['admissions']} orders to admit."
    seen = yield Move(
        "send_message", {"to": due.asked_by, "kind": "tell", "about": REPORT, "text": text, "fields": counts}
    )
    return seen


def _answer(due: Due, text: str, fields: JsonObject | None = None) -> _Part:
    """Tell whoever asked, and everybody else who has to know."""
    words: JsonObject = {"about": due.about, "text": text, "fields": fields or {}}
    seen: JsonObject = {}
    if due.answer:
        seen = yield Move("send_message", {"to": due.asked_by, "kind": due.answer[0], **words})
    for person in () if due.end == "stay" else due.tell:
        seen = yield Move("send_message", {"to": person, "kind": "tell", **words})
    return seen


def _free_bay(state: State, need: str, ready: str) -> _Part:
    """A free bay of the sort, clean at a time of day."""
    area = "majors" if need == "monitor" else need
    page, looked_at, total = 1, 0, 1
    while looked_at < total:
        seen = yield Move("list_bays", {"area": area, "page": page})
        for row in seen["bays"]:
            taken = row["occupant"] or row["closed"] or row["kept_for"]
            clean = row["clean_from"] is None or row["clean_from"] <= ready
            sort = need not in ("monitor", "majors") or row["monitor"] == (need == "monitor")
            if not taken and clean and sort:
                return {"bay": row["id"]}
        page, looked_at, total = page + 1, looked_at + len(seen["bays"]), seen["total"]
    raise LookupError(f"no {need} bay is free by {ready}")


def _ambulance(state: State, due: Due, tray: MailTray) -> _Part:
    yield Move("get_entry", {"entry_id": due.about})
    if due.end == "link":
        yield Move("list_entries", {"kind": "ambulance"})
        yield Move("link_announcement", {"entry_id": due.about, "first_id": due.facts["first"]})
        return (yield from _answer(due, f"{due.about} is the patient of {due.facts['first']}."))
    if due.facts["earlier_visit"]:
        yield Move("get_patient", {"patient_id": due.facts["earlier_visit"]})
    if due.pattern in ("flag", "flag lifted"):
        yield Move("search_documents", {"patient_id": due.facts["earlier_visit"]})
    free = yield from _free_bay(state, due.facts["need"], state.time.clock(due.due))
    yield Move("assign_bay", {"reference": due.about, "bay_id": free["bay"]})
    return (yield from _answer(due, f"{due.about}: bay {free['bay']}.", free))


def _transfer(state: State, due: Due, tray: MailTray) -> _Part:
    patient = {"patient_id": due.about}
    yield Move("get_patient", patient)
    ward = due.facts["ward"]
    if due.pattern == "ask":
        yield from _ask(state, due, tray)
    if due.end == "stay":
        # What is known to come to nothing is not begun.
        yield Until(due.earliest + 1)
        yield from tray.read(due.about)
        return (yield from _answer(due, f"{due.about} stays."))
    seen = yield Move("request_bed", {**patient, "ward": ward, "side_room": due.facts["side_room"]})
    withdrawn = due.about in state.withdraws
    if withdrawn:
        yield Until(_minute(state, seen) + _ANSWER + 5)
        yield from tray.read(due.about)
        seen = yield Move("request_bed", {**patient, "ward": PARTNERS[ward], "side_room": due.facts["side_room"]})
    answered = _minute(state, seen) + _ANSWER
    seen = yield Move("order_porter", {**patient, "escort": due.facts["escort"]})
    yield Until(max(answered, state.time.minute_of(str(seen["porter_at"]))))
    yield from tray.read(due.about)
    yield Move("hand_over", patient)
    return (yield from _answer(due, f"{due.about} has been handed over."))


def _minute(state: State, seen: JsonObject) -> int:
    return state.time.minute_of(str(seen["time"]))


def _ask(state: State, due: Due, tray: MailTray) -> Matter:
    """Ask the physician for the ward, and again where they have forgotten."""
    by = due.asked_by
    words = {"to": by, "about": due.about, "text": f"Which ward for {due.about}?", "fields": {"topic": "ward"}}
    seen = yield Move("send_message", {"kind": "ask", **words})
    slow = state.people[by].delay[1] + 1
    if due.about in state.people[by].forgets:
        yield Until(_minute(state, seen) + slow)
        seen = yield Move("send_message", {"kind": "remind", **words})
    yield Until(_minute(state, seen) + slow)
    yield from tray.read(due.about)


def _isolation(state: State, due: Due, tray: MailTray) -> _Part:
    patient = {"patient_id": due.about}
    yield Move("get_patient", patient)
    if due.end == "refuse":
        yield Move("set_precautions", {**patient, "kind": due.facts["kind"]})
        return (yield from _answer(due, f"{due.about} is nursed in place: {due.facts['kind']} precautions."))
    yield Until(due.earliest)
    free = yield from _free_bay(state, "iso", state.time.clock(due.earliest))
    yield Move("assign_bay", {"reference": due.about, "bay_id": free["bay"]})
    return (yield from _answer(due, f"{due.about} goes to {free['bay']}."))


def _enquiry(state: State, due: Due, tray: MailTray) -> _Part:
    yield Move("get_entry", {"entry_id": due.about})
    yield Move("get_patient", {"patient_id": due.facts["patient"]})
    if due.section == "5.2":
        yield Move("search_documents", {"patient_id": due.facts["patient"]})
    if due.facts["call"]:
        yield Move("call_back", {"entry_id": due.about, "number": due.facts["call"]})
    if due.end == "do":
        yield Move("release_information", {"entry_id": due.about})
        return (yield from _answer(due, f"{due.about} has been told."))
    return (yield from _answer(due, f"{due.about} cannot be told anything."))


def _walkin(state: State, due: Due, tray: MailTray) -> _Part:
    yield Move("get_patient", {"patient_id": due.about})
    if due.end == "place":
        free = yield from _free_bay(state, "monitor", state.time.clock(due.due))
        yield Move("assign_bay", {"reference": due.about, "bay_id": free["bay"]})
        return (yield from _answer(due, f"{due.about}, level 2, is in {free['bay']}."))
    seen = yield Move("list_nurses", {"team": "front"})
    at, nurse = _slot(state, due.facts["latest"], seen["nurses"])
    booked = {"patient_id": due.about, "nurse_id": nurse, "time": state.time.clock(at)}
    yield Move("book_reassessment", booked)
    text = f"{due.about}: please reassess at {booked['time']}."
    seen = yield Move("send_message", {"to": nurse, "kind": "tell", "about": due.about, "text": text})
    return seen


def _slot(state: State, latest: int, nurses: list[JsonObject]) -> tuple[int, str]:
    """Last minute that is early enough at which a nurse of the front is free, and the nurse."""
    minute = state.time.minute_of
    for at in range(latest, latest - 11, -1):
        for nurse in nurses:
            begins, until = (minute(text) for text in nurse["break"].split("-"))
            busy = any(abs(minute(text) - at) < 10 for text in nurse["reassessments"])
            if not busy and not begins - 10 < at < until:
                return at, nurse["id"]
    raise LookupError("no nurse of the front is free")


def _lend(state: State, due: Due, tray: MailTray) -> _Part:
    yield Move("get_entry", {"entry_id": due.about})
    yield Move("list_nurses")
    if due.end == "do":
        yield Move("lend_nurse", {"entry_id": due.about, "nurse_id": due.facts["nurse"]})
    return (yield from _answer(due, f"{due.facts['nurse']}: {due.because}"))


def _drugs(state: State, due: Due, tray: MailTray) -> _Part:
    yield Move("get_entry", {"entry_id": due.about})
    yield Move("read_register", {"drug": due.facts["drug"]})
    yield Move("sign_sheet", {"entry_id": due.about, "result": due.end, "balance": due.facts["balance"]})
    return (yield from _answer(due, f"{due.about}: {due.end}.", {"missing": due.facts["missing"]}))


def _census(state: State, due: Due, tray: MailTray) -> _Part:
    yield Move("get_entry", {"entry_id": due.about})
    level = due.facts["level"]
    yield Move("record_level", {"entry_id": due.about, "level": level})
    return (yield from _answer(due, f"Level {level}.", {"level": level}))


_WORK = {
    "ambulance": _ambulance,
    "transfer": _transfer,
    "isolation": _isolation,
    "enquiry": _enquiry,
    "walkin": _walkin,
    "lend": _lend,
    "drugs": _drugs,
    "census": _census,
}
