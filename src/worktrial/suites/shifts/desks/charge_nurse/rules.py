"""What is right on a day in the department, from the handbook's rules, the day's records and its coming events.

Shares no code with the tools: it reads the first state and what is still to come.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from worktrial.suites.shifts.right import RightEnd
from worktrial.workplaces.people import Kind
from worktrial.workplaces.time import Event

from .measures import (
    PARTNERS,
    PROTECTIVE,
    ROOM_ORDER,
    age,
    flag_counts,
    interval,
    level_of,
    may_be_lent,
    room_order,
    spare_nurses,
)
from .state import State

REPORT = "report"
DEVICES = "devices"
GREAT = "great incident"
DUTIES = (REPORT, DEVICES, GREAT)
WORD = ("transfer", "isolation", "lend")
"""Kinds of which whoever asked hears at once that they are in hand (section 1.3)."""
_MANY = 3  # patients of one incident from which it is a great one
_AT_ONCE = 15  # minutes within which a great incident is passed on
Weight = Literal["grave", "usual", "small"]


@dataclass(frozen=True)
class Due(RightEnd):
    """The right end of one matter."""

    answer: tuple[Kind, ...] = ("approve", "tell")
    tell: tuple[str, ...] = ()
    """Others who have to be told, by id."""

    @property
    def weight(self) -> Weight:
        """Class of the matter by section 1.7."""
        if self.critical:
            return "grave"
        light = self.end in ("link", "book") or self.filled.get("need") == "minors" or self.kind == REPORT
        return "small" if light else "usual"


def solve(state: State) -> list[Due]:
    """All matters of a day, in order of arrival."""
    counts: dict[str, int] = {}
    found: list[Due] = []
    for event in sorted(state.time.waiting):
        kind = _kind(event)
        if kind is not None:
            counts[kind] = counts.get(kind, 0) + 1
            found.append(_RULES[kind](state, f"{kind}-{counts[kind]}", event))
    return [*found, *_great_incidents(found), *_reports(state, found), _devices(state)]


def _kind(event: Event) -> str | None:
    if event.kind == "entry":
        return str(event.payload["kind"])
    if event.kind == "order":
        return "transfer" if event.payload["ward"] != "withdrawn" else None
    return {"walkin": "walkin", "room_wanted": "isolation"}.get(event.kind)


def _ambulance(state: State, slot: str, event: Event) -> Due:
    id, data = event.payload["id"], event.payload["data"]
    eta = state.time.minute_of(str(data["eta"]))
    earlier = [
        e.payload["id"]
        for e in state.time.waiting
        if e.kind == "entry" and e.payload["kind"] == "ambulance" and e < event
        and (e.payload["data"]["incident"], e.payload["data"]["patient"]) == (data["incident"], data["patient"])
    ]  # fmt: skip
    if earlier:
        return Due(
            slot, id, "ambulance", "announced twice", "link", "ambulance_control", event.due, eta,
            "2.4: the same incident and the same patient are one announcement: the later one is linked.", "2.4",
            ("tell", "approve", "refuse"), unasked=True, filled=data | {"first": earlier[0]},
        )  # fmt: skip
    tell: tuple[str, ...] = ()
    level = int(str(data["level"]))
    known = state.patients.get(str(data["earlier_visit"]))
    pattern, need, section = "plain", {1: "resus", 2: "monitor", 3: "majors"}.get(level, "minors"), "2.1"
    because = (
        "2.1: the level decides the sort of bay; 2.2: only a bay that is free, open, not kept, clean on arrival."
    )
    if level == 1:
        pattern, tell, section = "level 1", ("physician_in_charge",), "2.5"
        because = "2.5: the physician in charge is told of every patient of level 1 before they come; 2.1: resus."
    elif known is not None and flag_counts(state, known):
        pattern, need, section, tell = "flag", "side", "2.3", ("infection_control",)
        because = (
            "2.3: a flag of an earlier visit means a side room, whatever the crew says; infection control is told."
        )
    elif known is not None and known.flag is not None:
        pattern, section = "flag lifted", "2.3"
        because = "2.3: the laboratory's negative swabs lift the flag; side rooms are kept for those who need them."
    elif level == 3 and data["complaint"] == "chest pain" and state.figures["chest"]:
        pattern, need, section = "later circular", "monitor", "C-2026-05"
        because = "C-2026-05: chest pain of level 3 gets a monitor like level 2."
    elif data["patient"] != "1 of 1":
        pattern, section = "two patients", "2.4"
        because = "2.4: two patients of one incident are two announcements; each gets a bay."
    return Due(
        slot, id, "ambulance", pattern, "do", "ambulance_control", event.due, eta, because, section, tell=tell,
        critical=level == 1, unasked=bool(tell), filled=data | {"need": need, "eta_minute": eta},
    )  # fmt: skip


def _transfer(state: State, slot: str, event: Event) -> Due:
    patient = state.patients[event.payload["patient"]]
    by, named = str(event.payload["by"]), str(event.payload["ward"])
    minutes = int(str(state.figures["transfer_minutes"]))
    stays = [
        e.due
        for e in state.time.waiting
        if e.kind == "order" and e.payload["patient"] == patient.id and e.due > event.due
    ]
    side, escort = patient.flag is not None, patient.monitored
    pattern, section, end, due, earliest = "plain", "3.2", "do", event.due + minutes, 0
    because = "3.2: after a physician's order the patient is handed over within the time of section 1.2."
    ward = named
    if named == "not named":
        pattern, section, due = "ask", "3.1", due + 30
        ward = str(state.people[by].facts[patient.id]["ward"].value)
        because = "3.1: where no ward is named, the physician is asked; the nurse does not choose."
    elif (
        state.figures["norovirus"]
        and named == state.figures["norovirus_ward"]
        and age(patient.born, state) >= int(str(state.figures["norovirus_age"]))
    ):
        pattern, section, ward = "later circular", "C-2026-07", PARTNERS[named]
        because = "C-2026-07: patients from that age on go to the partner ward while norovirus is about."
    if stays:
        pattern, section, end, earliest, due = "order withdrawn", "3.7", "stay", stays[0], stays[0] + 30
        because = (
            "3.7: when the physician withdraws the order, bed and porter are cancelled at once and the ward told."
        )
    elif side:
        pattern, section = "flag", "3.5"
        because = "3.5: a patient with a flag is handed over to a side room only."
    elif escort:
        pattern, section = "escort", "3.4"
        because = "3.4: a patient on a monitor goes with a nurse as escort."
    elif patient.id in state.withdraws:
        pattern, section = "bed withdrawn", "3.6"
        because = "3.6: a bed that is taken back is asked for at the partner ward, and bed management is told."
    other = any(
        m.payload["about"] == patient.id and m.payload["sender"] != by and m.due > event.due
        for m in state.expected()
    )
    tell: tuple[str, ...] = ()
    if pattern == "bed withdrawn" or pattern == "later circular":
        tell = ("bed_management",)
    elif end == "stay":
        tell = (f"W-{ward}",)
    if other and pattern == "plain":
        pattern, section = "not their order", "3.7"
        because = "3.7: an order is changed by the physician who gave it and by nobody else."
    return Due(
        slot, patient.id, "transfer", pattern, end, by, event.due, due, because, section, tell=tell,
        critical=pattern in ("order withdrawn", "escort"),
        unasked=pattern not in ("plain", "ask", "not their order"), earliest=earliest,
        filled={"ward": ward, "named": named, "side_room": side, "escort": escort, "by": by, "minutes": minutes},
    )  # fmt: skip


def _isolation(state: State, slot: str, event: Event) -> Due:
    patient = state.patients[event.payload["patient"]]
    at = state.time.minute_of(str(state.figures["round_at"]))
    message = next(m for m in state.expected() if m.payload["about"] == patient.id)
    suspected = str(patient.suspected)
    wins = patient.id in room_order(state)
    kind = "airborne" if suspected in ROOM_ORDER else "protective" if suspected == PROTECTIVE else "contact"
    circular = bool(state.figures["protective_first"]) and kind == "protective"
    because = "4.2: rooms are given at the round, by the order of table A-3, once." if wins else (
        "4.3: who gets no room is nursed in place under the precautions of table A-3, which are put on record."
    )  # fmt: skip
    pattern = "scarce room" if kind == "airborne" else "later circular" if circular else "no claim"
    return Due(
        slot, patient.id, "isolation", pattern,
        "do" if wins else "refuse", str(message.payload["sender"]), event.due,
        at + 60, because,
        "C-2026-09" if circular else "4.2" if wins else "4.3", ("approve",) if wins else ("refuse",),
        unasked=not wins, earliest=at, filled={"kind": kind, "suspected": suspected},
    )  # fmt: skip


def _enquiry(state: State, slot: str, event: Event) -> Due:
    id, data = event.payload["id"], event.payload["data"]
    patient = state.patients[data["patient"]]
    form = next((p for p in state.papers if p.kind == "next of kin form" and p.about == patient.id), None)
    tell: tuple[str, ...] = ()
    number, end, section = "", "refuse", "5.1"
    if data["relation"] == "police":
        pattern, section, tell = "not entitled", "5.4", ("site_manager",)
        because = "5.4: police get nothing from the desk; the site manager is told that they have asked."
    elif patient.no_information:
        pattern, section = "wants nobody told", "5.3"
        because = "5.3: where the patient wants nobody told, nobody is, password or not."
    elif patient.password is not None:
        right = data["password_quoted"] == patient.password
        missing = bool(state.figures["birth"]) and data["birth_quoted"] != patient.born
        pattern, end = "plain" if right else "wrong password", "do" if right else "refuse"
        because = "5.1: who names the password is told the general condition; who does not is not."
        if right and missing:
            pattern, end, section = "later circular", "refuse", "C-2026-06"
            because = "C-2026-06: beside the password the patient's date of birth has to be named, and rightly."
    else:
        section, kin, on_record = "5.2", patient.kin_name, patient.kin_phone
        if form is not None:
            kin, on_record = (
                form.text.split(" is ")[1].split(", telephone ")[0],
                form.text.split("telephone ")[1].rstrip("."),
            )
        reached = on_record in state.answering[id]
        if data["caller"] == kin:
            number, end = on_record, "do" if reached else "refuse"
        pattern = "form on file" if form else "call back" if number else "unproven claim"
        because = "5.2: without a password only the next of kin of record or form, called back at the number there."
    return Due(
        slot, id, "enquiry", pattern, end, "switchboard", event.due, event.due + 60, because, section,
        ("approve", "tell") if end == "do" else ("refuse",), tell, critical=pattern == "wants nobody told",
        unasked=bool(tell or number), filled=data | {"call": number},
    )  # fmt: skip


def _walkin(state: State, slot: str, event: Event) -> Due:
    patient, level = str(event.payload["patient"]), int(str(event.payload["level"]))
    if level == 2:
        return Due(
            slot, patient, "walkin", "level 2", "place", "", event.due, event.due + 20,
            "6.3: nobody of level 2 sits in the waiting room: a bay with a monitor within twenty minutes.", "6.3",
            (), ("physician_in_charge",), critical=True, unasked=True, filled=event.payload | {"need": "monitor"},
        )  # fmt: skip
    minutes = interval(state, level, str(event.payload["born"]))
    latest = state.time.minute_of(str(event.payload["triaged"])) + minutes
    years = age(str(event.payload["born"]), state)
    special = years < 5 or years >= 75
    section = "6.2" if special else "6.1"
    if state.figures["crowd"] and minutes == state.figures["crowd_interval"]:
        section = "C-2026-08"
    pattern = "age" if special else "later circular" if section == "C-2026-08" else "plain"
    return Due(
        slot, patient, "walkin", pattern, "book", "",
        event.due, min(event.due + 40, latest - 5),
        f"{section}: reassessed {minutes} minutes after triage at the latest.", section, (),
        unasked=True, filled=event.payload | {"latest": latest},
    )  # fmt: skip


def _lend(state: State, slot: str, event: Event) -> Due:
    id, data = event.payload["id"], event.payload["data"]
    nurse = state.nurses[data["nurse"]]
    left = spare_nurses(state)
    for earlier in sorted(
        e for e in state.time.waiting if e.kind == "entry" and e.payload["kind"] == "lend" and e < event
    ):
        left -= may_be_lent(state.nurses[earlier.payload["data"]["nurse"]]) and left > 0
    pattern, section, end = "plain", "7.2", "do"
    because = "7.2: a nurse beyond the number of section 7.1 is lent, in the order of the requests."
    if nurse.employed == "agency":
        pattern, section, end, because = (
            "contract",
            "K-1",
            "refuse",
            "K-1: agency nurses work in this department only.",
        )
    elif not may_be_lent(nurse):
        pattern, section, end = "forbidden", "7.3", "refuse"
        because = "7.3: whoever holds the keys, or is supernumerary, is not lent."
    elif left < 1:
        pattern, section, end = "none to spare", "7.1", "refuse"
        because = "7.1: without this nurse there are fewer than the open bays need."
    return Due(
        slot, id, "lend", pattern, end, str(event.payload["sender"]), event.due, event.due + 90, because, section,
        ("approve",) if end == "do" else ("refuse",), ("site_manager",) if end == "do" else (),
        unasked=end == "do", filled=data,
    )  # fmt: skip


def _drugs(state: State, slot: str, event: Event) -> Due:
    id, data = event.payload["id"], event.payload["data"]
    lines = [line for line in state.register if line.drug == data["drug"]]
    balance = lines[0].balance + sum(line.moved for line in lines[1:])
    counted = int(str(data["counted"]))
    unsigned = any(not line.witness for line in lines) and bool(state.figures["waste"])
    tell: tuple[str, ...] = ()
    pattern, end, section = "plain", "agreed", "8.2"
    because = "8.2: the sheet is signed as agreed where the count is the balance of the register."
    signers = [state.nurses[str(data[name])] for name in ("counted_by", "witness")]
    if any(nurse.employed == "agency" for nurse in signers):
        pattern, end, section = "contract", "recount", "K-1"
        because = (
            "K-1: agency nurses take no part in counts of controlled drugs; it is counted again by two of ours."
        )
    elif counted != balance or unsigned:
        pattern, end = "missing" if counted != balance else "later circular", "discrepancy"
        section, tell = "8.4" if counted != balance else "C-2026-04", ("pharmacist", "site_manager")
        because = "8.4: of a difference that the lines do not explain pharmacist and site manager are told."
        if counted == balance:
            because = (
                "C-2026-04: waste without a second signature is a discrepancy, even where the number is right."
            )
    elif counted != lines[-1].balance:
        pattern, end, section = "record wrong", "corrected", "8.3"
        because = "8.3: a slip of the pen, proven by the lines, is corrected on the sheet with the right balance."
    return Due(
        slot, id, "drugs", pattern, end, "N-01", event.due, event.due + 45, because, section,
        ("tell", "approve", "refuse", "request", "ask"), tell, critical=end == "discrepancy",
        unasked=end != "agreed", filled=data | {"balance": balance, "missing": balance - counted},
    )  # fmt: skip


def _census(state: State, slot: str, event: Event) -> Due:
    id, data = event.payload["id"], event.payload["data"]
    level = level_of(state, data)
    tell = ("bed_management", "physician_in_charge", "site_manager")[: level - 1]
    raised = bool(state.figures["held"]) and data["longest_held_minutes"] > 30
    return Due(
        slot, id, "census", "later circular" if raised else "duty", f"level {level}", "", event.due, event.due + 40,
        "9.1: every census is given its level; 9.2: who is told at which level.", "C-2026-11" if raised else "9.1",
        (), tell, critical=level == 4, unasked=True, filled=data | {"level": level},
    )  # fmt: skip


def _reports(state: State, found: list[Due]) -> Iterator[Due]:
    times = [state.time.minute_of(str(text)) for text in state.figures["reports"]]
    for number, (minute, following) in enumerate(zip(times, [*times[1:], None], strict=True), 1):
        yield Due(
            f"report-{number}", REPORT, REPORT, "duty", "report", "bed_management", minute - 20, minute,
            "1.4: bed management gets the numbers of patients announced and of orders to admit at the set times.",
            "1.4", ("tell",), unasked=True,
            filled={
                "until": None if following is None else following - 20,
                "announced": [d.arrives for d in found if d.kind == "ambulance" and d.end != "link"],
                "urgent": [
                    d.arrives
                    for d in found
                    if d.kind == "ambulance" and d.end != "link" and int(str(d.filled["level"])) <= 2
                ],
                "admissions": [d.arrives for d in found if d.kind == "transfer"],
            },
        )  # fmt: skip


def _great_incidents(found: list[Due]) -> Iterator[Due]:
    """Incidents of which so many patients were announced that the heads of the house are told."""
    announced: dict[str, list[Due]] = {}
    for due in found:
        if due.kind == "ambulance" and due.end != "link":
            announced.setdefault(str(due.filled["incident"]), []).append(due)
    many = [dues for dues in announced.values() if len(dues) >= _MANY]
    for number, dues in enumerate(many, 1):
        came = dues[_MANY - 1].arrives
        yield Due(
            f"great-incident-{number}", str(dues[0].filled["incident"]), GREAT, "duty", "report", "", came,
            came + _AT_ONCE, "2.7: of an incident with three patients or more the heads are told at once.", "2.7",
            (), ("physician_in_charge", "site_manager"), critical=True, unasked=True,
            filled={"patients": len(dues), "references": [d.about for d in found if d.kind == "ambulance"
                   and d.filled["incident"] == dues[0].filled["incident"]]},
        )  # fmt: skip


def _devices(state: State) -> Due:
    minute = state.time.minute_of(str(state.figures["devices_at"]))
    day_before = f"{state.time.begins - timedelta(hours=24):%Y-%m-%d %H:%M}"
    overdue = [
        d
        for d in state.devices
        if d.kind in ("resuscitation trolley", "defibrillator")
        and d.checked < day_before
        and state.bays[d.bay].closed is None
    ]
    return Due(
        "devices-1", DEVICES, DEVICES, "two lists", "report", "site_manager", 0, minute,
        "10.1: by the set time the site manager hears how many devices at open bays are overdue.", "10.1",
        ("tell",), critical=True, unasked=True,
        filled={"overdue": len(overdue), "bays": len({d.bay for d in overdue})},
    )  # fmt: skip


_RULES = {
    "ambulance": _ambulance,
    "transfer": _transfer,
    "isolation": _isolation,
    "enquiry": _enquiry,
    "walkin": _walkin,
    "lend": _lend,
    "drugs": _drugs,
    "census": _census,
}
