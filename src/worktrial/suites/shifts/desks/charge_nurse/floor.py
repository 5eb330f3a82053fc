"""The department before the day's matters: people, earlier visits, bays, nurses, beds on the wards."""

from datetime import date, timedelta
from random import Random
from typing import Literal

from worktrial.language import JsonObject
from worktrial.workplaces.people import Person

from . import names
from .state import Area, Bay, Device, Employed, Entry, Nurse, Patient, State, Team, WardBed

TODAY = date(2026, 3, 12)
_PATIENTS = 260
_BREAKS = ("09:00", "09:30", "10:00", "10:30", "11:00", "11:30", "12:00", "12:30", "13:00")
_PER_NURSE: dict[Team, int] = {"resus": 1, "majors": 4, "iso": 2, "minors": 6}
_AREAS: dict[Team, tuple[Area, ...]] = {
    "resus": ("resus",),
    "majors": ("majors",),
    "iso": ("iso", "side"),
    "minors": ("minors",),
}
_FRONT = 4
_DEVICES = 64
Sort = Literal["resuscitation trolley", "defibrillator", "oxygen cylinder", "suction pump"]


def first_people(random: Random) -> dict[str, Person]:
    """Directory: offices, physicians, wards. Nurses join it when they are drawn."""
    offices = (
        ("ambulance_control", "Ambulance control", "Announces ambulances", (2, 5)),
        ("switchboard", "Switchboard", "Puts callers through", (2, 5)),
        ("triage_desk", "Triage desk", "Sees who walks in", (3, 8)),
        ("board", "Board", "Takes the census of the department by itself; reads no answers", (900, 901)),
        ("bed_management", "Bed management", "Overview of the hospital's beds", (5, 12)),
        ("site_manager", "Ines Calloway", "Site manager: the hospital as a whole", (3, 8)),
        ("physician_in_charge", "Dr Tobias Renner", "Physician in charge of the department", (3, 8)),
        ("pharmacist", "On-call pharmacist", "Controlled drugs", (5, 12)),
        ("infection_control", "Infection control", "Flags and rooms", (8, 15)),
        ("porters", "Porters' desk", "Sends porters; ordered in the system", (3, 8)),
    )
    people = {id: Person(id=id, name=name, role=role, hours="always", delay=d) for id, name, role, d in offices}
    lasts = random.sample(names.LAST, 6)
    for number, last in enumerate(lasts, 1):
        id = f"D-{number:02d}"
        role = f"{random.choice(names.POSTS)}; decides on admission of the patients under their care"
        people[id] = Person(id=id, name=f"Dr {last}", role=role, hours="07:00-19:00", delay=(6, 12), patience=4)
    for ward in names.WARDS:
        partner = names.WARDS[names.WARDS.index(ward) ^ 1]
        people[f"W-{ward}"] = Person(
            id=f"W-{ward}", name=f"Ward {ward}", role=f"Ward coordinator; partner ward {partner}", hours="always"
        )
    return people


def old_patients(random: Random) -> dict[str, Patient]:
    """Records of earlier visits, from which the day's patients are taken."""
    found: dict[str, Patient] = {}
    for number in range(_PATIENTS):
        id = f"P-{4100 + number}"
        woman = random.random() < 0.5
        first = random.choice(names.FIRST_F if woman else names.FIRST_M)
        seen = TODAY - timedelta(days=random.randint(20, 900))
        level = random.randint(3, 5)
        found[id] = Patient(
            id=id,
            name=f"{first} {random.choice(names.LAST)}",
            sex="f" if woman else "m",
            born=f"{TODAY - timedelta(days=random.randint(20 * 366, 64 * 365))}",
            status="earlier visit",
            level=level,
            triaged=f"{seen} {random.randint(8, 20):02d}:{random.randint(10, 59)}",
            complaint=random.choice(names.COMPLAINTS[level]),
            flag=f"{random.choice(names.FLAGS)}, found {seen}" if random.random() < 0.08 else None,
            kin_name=f"{random.choice(names.FIRST_F + names.FIRST_M)} {random.choice(names.LAST)}",
            kin_phone=f"0{random.randint(700, 799)} {random.randint(100_000, 999_999)}",
        )
    return found


def ward_beds(random: Random) -> dict[str, WardBed]:
    """Beds of the wards; those that are taken belong to patients who are no matter of ours."""
    found: dict[str, WardBed] = {}
    for ward in names.WARDS:
        for number in range(1, 25):
            id = f"{ward}-{number:02d}"
            # Enough of both sorts stay free: what is scarce is the time, not the bed.
            taken = (
                "a ward patient"
                if random.random() < 0.55 and number not in (3, 8, 13, 19, 21, 22, 23, 24)
                else None
            )
            found[id] = WardBed(id=id, ward=ward, side_room=number > 19, taken_by=taken)
    return found


def add_bays(state: State, random: Random, needs: dict[str, int], rooms: int) -> None:
    """Lay the bays out: as many of each scarce sort as the day needs, and others that only look free.

    Args:
        state: Of the day.
        random: Its draw.
        needs: Sort of bay to the number of patients to come who need one.
        rooms: Free negative pressure rooms.
    """
    here = [p for p in state.patients.values() if p.status == "in a bay"]
    late = state.time.ends + 60
    plan: list[tuple[Area, bool, int, int]] = [
        ("resus", True, needs["resus"], 3),
        ("majors", True, needs["monitor"], 4),
        ("majors", False, needs["majors"] + 2, 3),
        ("side", False, needs["side"], 4),
        ("iso", False, rooms, 3),
        ("minors", False, needs["minors"] + 3, 2),
    ]
    letter = {"resus": "RS", "majors": "MA", "side": "SR", "iso": "ISO", "minors": "MI"}
    counts: dict[str, int] = {}

    def add(area: Area, monitor: bool, **state_of: object) -> None:
        counts[area] = counts.get(area, 0) + 1
        bay = Bay(id=f"{letter[area]}-{counts[area]:02d}", area=area, monitor=monitor)
        for name, value in state_of.items():
            setattr(bay, name, value)
        state.bays[bay.id] = bay

    for area, monitor, free, blocked in plan:
        rows: list[dict[str, object]] = [{} for _ in range(free)]
        for _ in range(blocked):
            other: dict[str, object] = {"occupant": "another patient"}
            looks_free: list[dict[str, object]] = [
                {"reserved": "booked patient of the afternoon list"},
                {"closed": random.choice(["oxygen outlet broken", "ceiling leak"])},
                {"clean_at": late},
            ]
            rows.append(other if area == "iso" else random.choice([other, *looks_free]))
        random.shuffle(rows)
        for row in rows:
            add(area, monitor, **row)
    for patient in here:
        add("side" if patient.flag else "majors", patient.monitored, occupant=patient.id)
        patient.bay = list(state.bays)[-1]
    state.bays = dict(sorted(state.bays.items()))


def add_nurses(state: State, random: Random, asked: dict[str, str], spare: int) -> None:
    """Draw the nurses: so many more than the open bays need.

    Args:
        state: Of the day, its bays laid out.
        random: Its draw.
        asked: Nurse whom a ward asks for, to what is particular about them.
        spare: Nurses who can be lent.
    """
    ratios = {**_PER_NURSE, "majors": 3 if state.figures["majors_three"] else 4}
    wanted: dict[Team, int] = {"front": _FRONT}
    for team, areas in _AREAS.items():
        bays = sum(b.area in areas and b.closed is None for b in state.bays.values())
        wanted[team] = -(-bays // ratios[team])
    teams: list[Team] = [team for team, count in wanted.items() for _ in range(count)]
    counted = sum(pattern != "supernumerary" for pattern in asked.values())
    ids = [f"N-{number:02d}" for number in range(1, len(teams) + spare - counted + 1)]
    # The wards ask for numbers from 31 on, agency nurses are 21 and 22.
    ids = [id if int(id[2:]) <= 30 else f"N-{int(id[2:]) + 30}" for id in ids]
    ids = ids if "N-22" in ids else [*ids[:-2], "N-21", "N-22"]
    # The front has its nurses whatever the wards ask for; the others are mixed.
    rest: list[Team] = [team for team in teams if team != "front"]
    rest.extend("majors" for _ in range(spare))
    random.shuffle(rest)
    everybody = [*ids, *asked]
    for place, id in enumerate(everybody):
        stands: Team = "front" if 6 <= place < 6 + _FRONT else rest[place % len(rest)]
        pattern = asked.get(id, "own")
        employed: Employed = "agency" if id in ("N-21", "N-22") or pattern == "agency" else "own"
        if pattern == "supernumerary":
            employed = "supernumerary"
        begins = random.choice(_BREAKS)
        hour, minute = int(begins[:2]), int(begins[3:])
        until = f"{hour + (minute + 30) // 60:02d}:{(minute + 30) % 60:02d}"
        woman = random.random() < 0.8
        name = f"{random.choice(names.FIRST_F if woman else names.FIRST_M)} {random.choice(names.LAST)}"
        state.nurses[id] = Nurse(
            id=id,
            name=name,
            team=stands,
            employed=employed,
            break_from=begins,
            break_until=until,
            keys=pattern == "keys",
        )
        state.people[id] = Person(id=id, name=name, role="Nurse", hours="07:00-19:30", delay=(3, 9))
    state.nurses = dict(sorted(state.nurses.items()))


def devices(state: State, random: Random) -> list[Device]:
    """Devices at the bays, most of them checked in the last day, whether or not their bay is open."""
    kinds: tuple[Sort, ...] = ("resuscitation trolley", "defibrillator", "oxygen cylinder", "suction pump")
    found = []
    for number in range(_DEVICES):
        # Not on the hour of the rule itself, so that nobody has to argue about a minute.
        hours = random.randint(25, 60) if random.random() < 0.3 else random.randint(1, 23)
        checked = state.time.begins - timedelta(hours=hours, minutes=-random.randint(1, 50))
        found.append(
            Device(
                id=f"E-{401 + number}",
                kind=random.choice(kinds),
                bay=random.choice(list(state.bays)),
                checked=f"{checked:%Y-%m-%d %H:%M}",
            )
        )
    return found


def old_entries(state: State, random: Random) -> None:
    """Announcements of the last day, all of them arrived."""
    for number in range(60):
        opened = state.time.begins - timedelta(minutes=24 * (60 - number) + random.randint(10, 30))
        level = random.randint(1, 5)
        data: JsonObject = {
            "incident": f"I-{random.randint(10_000, 99_999)}",
            "patient": "1 of 1",
            "crew": f"C{random.randint(11, 99)}",
            "eta": f"{opened + timedelta(minutes=20):%H:%M}",
            "level": level,
            "complaint": random.choice(names.COMPLAINTS[level]),
            "earlier_visit": None,
        }
        id = f"A-{number + 101}"
        state.entries[id] = Entry(
            id=id,
            kind="ambulance",
            opened=f"{opened:%Y-%m-%d %H:%M}",
            sender="ambulance_control",
            data=data,
            status="arrived",
            settled_at=0,
        )
