"""A plan of the day: the work of a charge nurse who knows beforehand what is right about each matter."""

from worktrial.language import JsonObject
from worktrial.suites.shifts.cases import Move, Work, send
from worktrial.suites.shifts.clerks import Inbox, Matter, Part, Until, ask, interleave

from .measures import PARTNERS
from .rules import DEVICES, DUTIES, GREAT, REPORT, WORD, Due, solve
from .state import BOARD_PAGE, State

_ANSWER = 21
"""Minutes after which a ward has answered."""
_OPEN = 6  # minutes before its time at which something is looked into
_BEGIN = 10  # minutes within which what others do for us is aimed to be set going
_MARGIN = 5  # minutes before its time at which something short is aimed to be done
_LONGEST = 16  # minutes that a matter takes from its opening to the last word
_LONG = 10  # minutes before its time at which something long is aimed to be done


def plan(state: State) -> Work:
    """Work on every matter in its time; of several always on the one that is due first."""
    tray = MailTray(int(str(state.figures["first_word"])))
    matters: list[tuple[int, int, Matter]] = []
    for due in solve(state):
        if due.kind in DUTIES:
            matters.append((due.arrives, due.due - _LONGEST, _DUTIES[due.kind](state, due)))
            continue
        # What others have to do for us is set going early; what only takes hold later is left until then.
        late = due.arrives + _BEGIN if due.kind == "transfer" else min(due.due, state.time.ends - 2) - _LONGEST
        ready = max(due.arrives, due.earliest - _OPEN) if due.earliest else due.arrives
        # Whoever comes at level 1 goes before what has only to be set going.
        first = due.due - _LONGEST - 4 if due.kind == "ambulance" and due.critical else max(late, ready + 2)
        matters.append((ready, first, _matter(state, due, tray)))
        # A question to whoever asked is a first word, too.
        if due.kind in WORD and due.pattern != "ask":
            soon = due.arrives + int(str(state.figures["first_word"]))
            matters.append((due.arrives + 4, soon - _LONGEST, _first_word(due, tray)))
    return interleave(matters, state.time)


class MailTray(Inbox):
    """Inbox of the board, and what its nurse has said and looked up by now."""

    def __init__(self, first_word: int) -> None:
        super().__init__(first_word)
        self._sections: set[str] = set()
        self.bays: set[str] = set()
        """Bays that are meant for somebody, on the board or not yet."""

    def first(self, section: str) -> bool:
        """Whether a section is needed for the first time today; it is kept in mind from then on."""
        new = section not in self._sections
        self._sections.add(section)
        return new


def _first_word(due: Due, tray: MailTray) -> Matter:
    """Tell whoever asked that it is in hand, unless they have their answer by now."""
    move = send(due.asked_by, "tell", due.about, f"{due.about} is in hand.")
    return tray.words.word(due.about, move, tray.open(due.about))


def _matter(state: State, due: Due, tray: MailTray) -> Matter:
    yield from tray.open(due.about)
    # A good nurse knows the sections; what came later is read again.
    if due.section[0] in "CK" and tray.first(due.section):
        yield Move("read_section", {"section": due.section})
    yield from _WORK[due.kind](state, due, tray)


def _report(state: State, due: Due) -> Matter:
    yield Move("list_entries", {"kind": "ambulance"})
    counts = {
        name: sum(at <= due.arrives for at in due.filled[name]) for name in ("announced", "urgent", "admissions")
    }
    yield send(due.asked_by, "tell", REPORT, "What is expected.", **counts)


def _check_devices(state: State, due: Due) -> Matter:
    for page in range(1, -(-len(state.devices) // BOARD_PAGE) + 1):
        yield Move("list_devices", {"page": page})
    for page in range(1, -(-len(state.bays) // BOARD_PAGE) + 1):
        yield Move("list_bays", {"page": page})
    fields = {name: due.filled[name] for name in ("overdue", "bays")}
    yield send(due.asked_by, "tell", DEVICES, "Devices that are overdue at open bays.", **fields)


def _tell_heads(state: State, due: Due) -> Matter:
    for person in due.tell:
        yield send(person, "tell", due.about, "A great incident.", patients=due.filled["patients"])


_DUTIES = {REPORT: _report, DEVICES: _check_devices, GREAT: _tell_heads}


def _answer(state: State, due: Due, tray: MailTray, text: str, fields: JsonObject | None = None) -> Matter:
    """Tell everybody who has to know, and whoever asked: at once where that is part of the work."""
    tray.words.keep_away(due.about)
    soon = due.arrives + int(str(state.figures["first_word"]))
    in_time = due.end in ("refuse", "stay")
    if due.kind in WORD and not tray.words.is_said(due.about):
        yield Until(0, soon - _LONG)
    elif due.kind in WORD:
        yield Until(soon + 1, (min(due.due, state.time.ends - 2) if in_time else state.time.ends) - _LONG)
    elif not in_time and not due.critical and due.kind != "census":
        yield Until(0, state.time.ends - _LONG)
    tray.words.note(due.about)
    if due.answer:
        yield send(due.asked_by, due.answer[0], due.about, text, **(fields or {}))
    for person in () if due.end == "stay" else due.tell:
        yield send(person, "tell", due.about, text, **(fields or {}))


def _free_bay(state: State, need: str, ready: str, tray: MailTray) -> Part:
    """A free bay of the sort, clean at a time of day."""
    area = "majors" if need == "monitor" else need
    page, looked_at, total = 1, 0, 1
    while looked_at < total:
        seen = yield Move("list_bays", {"area": area, "page": page})
        for row in seen["bays"]:
            taken = row["occupant"] or row["closed"] or row["kept_for"]
            clean = row["clean_from"] is None or row["clean_from"] <= ready
            sort = need not in ("monitor", "majors") or row["monitor"] == (need == "monitor")
            if not taken and clean and sort and row["id"] not in tray.bays:
                tray.bays.add(row["id"])
                return {"bay": row["id"]}
        page, looked_at, total = page + 1, looked_at + len(seen["bays"]), seen["total"]
    raise LookupError(f"no {need} bay is free by {ready}")


def _ambulance(state: State, due: Due, tray: MailTray) -> Matter:
    yield Move("get_entry", {"entry_id": due.about})
    if due.end == "link":
        yield Move("list_entries", {"kind": "ambulance"})
        yield Move("link_announcement", {"entry_id": due.about, "first_id": due.filled["first"]})
        yield from _answer(state, due, tray, f"{due.about} is the patient of {due.filled['first']}.")
        return
    if due.filled["earlier_visit"]:
        yield Move("get_patient", {"patient_id": due.filled["earlier_visit"]})
    if due.pattern in ("flag", "flag lifted"):
        yield Move("search_documents", {"patient_id": due.filled["earlier_visit"]})
    free = yield from _free_bay(state, due.filled["need"], state.time.clock(due.due), tray)
    yield Move("assign_bay", {"reference": due.about, "bay_id": free["bay"]})
    yield from _answer(state, due, tray, f"{due.about}: bay {free['bay']}.", free)


def _transfer(state: State, due: Due, tray: MailTray) -> Matter:
    patient = {"patient_id": due.about}
    yield Move("get_patient", patient)
    ward = due.filled["ward"]
    if due.pattern == "ask":
        yield from _ask(state, due, tray)
    if due.end == "stay":
        # What is known to come to nothing is not begun.
        yield Until(due.earliest + 1)
        yield from tray.read(due.about)
        yield from _answer(state, due, tray, f"{due.about} stays.", {"order": "withdrawn"})
        return
    seen = yield Move("request_bed", {**patient, "ward": ward, "side_room": due.filled["side_room"]})
    withdrawn = due.about in state.withdraws
    if withdrawn:
        yield Until(_minute(state, seen) + _ANSWER + 5)
        yield from tray.read(due.about)
        seen = yield Move("request_bed", {**patient, "ward": PARTNERS[ward], "side_room": due.filled["side_room"]})
    answered = _minute(state, seen) + _ANSWER
    seen = yield Move("order_porter", {**patient, "escort": due.filled["escort"]})
    there = max(answered, state.time.minute_of(str(seen["porter_at"])))
    # The porter does not wait for long.
    yield Until(there, there)
    yield from tray.read(due.about)
    yield Move("hand_over", patient)
    yield from _answer(state, due, tray, f"{due.about} has been handed over.")


def _minute(state: State, seen: JsonObject) -> int:
    return state.time.minute_of(str(seen["time"]))


def _ask(state: State, due: Due, tray: MailTray) -> Matter:
    """Ask the physician for the ward, and again where they have forgotten."""
    tray.words.note(due.about)
    question = send(due.asked_by, "ask", due.about, f"Which ward for {due.about}?", topic="ward")
    yield Until((yield from ask(state, question)))
    yield from tray.read(due.about)


def _isolation(state: State, due: Due, tray: MailTray) -> Matter:
    patient = {"patient_id": due.about}
    yield Move("get_patient", patient)
    if due.end == "refuse":
        yield Move("set_precautions", {**patient, "kind": due.filled["kind"]})
        yield from _answer(state, due, tray, f"{due.about} is nursed in place: {due.filled['kind']} precautions.")
        return
    yield Until(due.earliest)
    free = yield from _free_bay(state, "iso", state.time.clock(due.earliest), tray)
    yield Move("assign_bay", {"reference": due.about, "bay_id": free["bay"]})
    yield from _answer(state, due, tray, f"{due.about} goes to {free['bay']}.")


def _enquiry(state: State, due: Due, tray: MailTray) -> Matter:
    yield Move("get_entry", {"entry_id": due.about})
    yield Move("get_patient", {"patient_id": due.filled["patient"]})
    if due.section == "5.2":
        yield Move("search_documents", {"patient_id": due.filled["patient"]})
    if due.filled["call"]:
        yield Move("call_back", {"entry_id": due.about, "number": due.filled["call"]})
    if due.end == "do":
        yield Move("release_information", {"entry_id": due.about})
        yield from _answer(state, due, tray, f"{due.about} has been told.")
        return
    yield from _answer(state, due, tray, f"{due.about} cannot be told anything.")


def _walkin(state: State, due: Due, tray: MailTray) -> Matter:
    yield Move("get_patient", {"patient_id": due.about})
    if due.end == "place":
        free = yield from _free_bay(state, "monitor", state.time.clock(due.due), tray)
        yield Move("assign_bay", {"reference": due.about, "bay_id": free["bay"]})
        yield from _answer(state, due, tray, f"{due.about}, level 2, is in {free['bay']}.")
        return
    seen = yield Move("list_nurses", {"team": "front"})
    at, nurse = _slot(state, due.filled["latest"], seen["nurses"])
    booked = {"patient_id": due.about, "nurse_id": nurse, "time": state.time.clock(at)}
    yield Move("book_reassessment", booked)
    text = f"{due.about}: please reassess at {booked['time']}."
    yield Until(0, state.time.ends - _LONG)
    yield send(nurse, "tell", due.about, text)


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


def _lend(state: State, due: Due, tray: MailTray) -> Matter:
    yield Move("get_entry", {"entry_id": due.about})
    yield Move("list_nurses")
    if due.end == "do":
        yield Move("lend_nurse", {"entry_id": due.about, "nurse_id": due.filled["nurse"]})
    yield from _answer(state, due, tray, f"{due.filled['nurse']}: {due.because}")


def _drugs(state: State, due: Due, tray: MailTray) -> Matter:
    yield Move("get_entry", {"entry_id": due.about})
    yield Move("read_register", {"drug": due.filled["drug"]})
    yield Move("sign_sheet", {"entry_id": due.about, "result": due.end, "balance": due.filled["balance"]})
    yield from _answer(state, due, tray, f"{due.about}: {due.end}.", {"missing": due.filled["missing"]})


def _census(state: State, due: Due, tray: MailTray) -> Matter:
    yield Move("get_entry", {"entry_id": due.about})
    level = due.filled["level"]
    yield Move("record_level", {"entry_id": due.about, "level": level})
    yield from _answer(state, due, tray, f"Level {level}.", {"level": level})


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
