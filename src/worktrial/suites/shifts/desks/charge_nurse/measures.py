"""Measures of the handbook: ages, flags, ranks, ratios, intervals and levels, by the day's figures and records."""

from datetime import date

from worktrial.language import JsonObject

from .state import Bay, Nurse, Patient, State

ROOM_ORDER = ("measles", "chickenpox", "tuberculosis", "influenza")
"""Suspicions for which there are negative pressure rooms, strongest claim first (table A-3)."""
PROTECTIVE = "neutropenia"
PARTNERS = {"2A": "2B", "2B": "2A", "3A": "3B", "3B": "3A", "4A": "4B", "4B": "4A", "5A": "5B", "5B": "5A"}
_RATIOS = {("resus",): 1, ("majors",): 4, ("iso", "side"): 2, ("minors",): 6}
_FRONT = 4


def age(patient_born: str, state: State) -> int:
    """Whole years at the day of the shift."""
    born, today = date.fromisoformat(patient_born), state.time.begins.date()
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))


def flag_counts(state: State, patient: Patient) -> bool:
    """Whether a flag still holds: not after so many negative swabs since the finding, none too old (2.3)."""
    if patient.flag is None:
        return False
    found = patient.flag[-10:]
    swabs = [p for p in state.papers if p.kind == "laboratory result" and p.about == patient.id and p.date > found]
    return len(swabs) < int(str(state.figures["swabs"]))


def suits(bay: Bay, need: str) -> float:
    """Share of what a patient needs that a bay gives: all, half where it is safe but was kept for others, or none.

    Args:
        bay: As it is laid out.
        need: Sort of bay: `resus`, `monitor`, `majors`, `side` or `minors`.
    """
    if bay.closed is not None or bay.reserved is not None:
        return 0.0
    if need == "monitor":
        return float(bay.area == "majors" and bay.monitor)
    if need == "majors":
        return {("majors", False): 1.0, ("majors", True): 0.5, ("side", False): 0.5}.get(
            (bay.area, bay.monitor), 0.0
        )
    if need == "minors" and bay.area == "majors":
        return 0.0 if bay.monitor else 0.5
    return float(bay.area == need)


def room_order(state: State) -> list[str]:
    """Patients who get a negative pressure room at the round, by table A-3 and C-2026-09 where it is there."""
    wanted = []
    for order, event in enumerate(sorted(e for e in state.time.waiting if e.kind == "room_wanted")):
        suspected = state.patients[event.payload["patient"]].suspected or ""
        if suspected in ROOM_ORDER:
            wanted.append((1 + ROOM_ORDER.index(suspected), order, event.payload["patient"]))
        elif suspected == PROTECTIVE and state.figures["protective_first"]:
            wanted.append((0, order, event.payload["patient"]))
    rooms = sum(bay.area == "iso" and bay.occupant is None for bay in state.bays.values())
    return [patient for *_, patient in sorted(wanted)[:rooms]]


def spare_nurses(state: State) -> int:
    """Nurses on duty beyond those whom the open bays need (7.1; C-2026-10 where it is there)."""
    counted = sum(n.employed != "supernumerary" for n in state.nurses.values())
    wanted = _FRONT
    for areas, ratio in _RATIOS.items():
        usual = 3 if areas == ("majors",) and state.figures["majors_three"] else ratio
        wanted += -(-sum(b.area in areas and b.closed is None for b in state.bays.values()) // usual)
    return counted - wanted


def may_be_lent(nurse: Nurse) -> bool:
    """Whether a nurse may go to another department at all (7.2, 7.3, K-1)."""
    return nurse.employed == "own" and not nurse.keys


def interval(state: State, level: int, born: str) -> int:
    """Minutes from triage to the reassessment of somebody in the waiting room (6.1, 6.2, C-2026-08)."""
    years = age(born, state)
    counted = max(3, level - 1) if years < 5 or years >= 75 else level
    if counted == 3:
        return int(str(state.figures["crowd_interval" if state.figures["crowd"] else "interval_3"]))
    return int(str(state.figures["interval_4"])) if counted == 4 else 180


def level_of(state: State, census: JsonObject) -> int:
    """Level of the department by the table of section 9.1, raised by C-2026-11 where it is there."""
    limit = int(str(state.figures["waiting_limit"]))
    points = (
        (census["in_department"] > 50)
        + (census["waiting_for_beds"] >= limit)
        + (census["longest_wait_minutes"] >= 240)
    )
    points += census["ambulances_held"] > 0
    level = min(4, 1 + points)
    return max(3, level) if state.figures["held"] and census["longest_held_minutes"] > 30 else int(level)
