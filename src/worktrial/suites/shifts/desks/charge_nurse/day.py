"""Work in progress on a day that is drawn: its figures, its records, and what comes when."""

from datetime import datetime, timedelta
from random import Random

from worktrial.language import JsonValue
from worktrial.workplaces.people import Kind
from worktrial.workplaces.time import Timeline

from . import names
from .floor import TODAY, first_people, old_patients, ward_beds
from .state import Patient, State

BEGINS = datetime(2026, 3, 12, 7)
_REPORTS = {
    "short": ("08:15",),
    "half": ("08:15", "09:15", "10:15"),
    "full": ("08:15", "09:45", "11:15", "12:45", "14:15"),
}


class DayDraw:
    """Work in progress on one day."""

    def __init__(self, length: str, minutes: int, random: Random, slots: list[str], incidents: list[int]) -> None:
        self.random = random
        self.minutes = minutes
        self.slots = slots
        self.incidents = incidents
        """Number of patients of each incident."""
        self.numbers = {"A": 200, "Q": 300, "L": 500, "F": 600, "B": 700}
        # Bays that the day's patients will need, by sort.
        self.needs = dict.fromkeys(("resus", "monitor", "side", "majors", "minors"), 0)
        self.figures: dict[str, JsonValue] = {
            "round_at": f"{7 + max(1, minutes // 150):02d}:{random.choice(['00', '10', '20'])}",
            "chest": random.random() < 0.5,
            "crowd": random.random() < 0.5,
            "crowd_interval": random.choice([40, 45]),
            "protective_first": random.random() < 0.5,
            "birth": random.random() < 0.5,
            "norovirus": random.random() < 0.5,
            "norovirus_ward": random.choice(names.WARDS),
            "norovirus_age": random.choice([70, 75]),
            "majors_three": random.random() < 0.5,
            "waste": random.random() < 0.5,
            "held": random.random() < 0.5,
            "interval_3": random.choice([60, 70]),
            "interval_4": random.choice([110, 120, 130]),
            "swabs": random.choice([2, 3]),
            "porter_minutes": random.choice([12, 15, 18]),
            "transfer_minutes": random.choice([75, 80]),
            "waiting_limit": random.choice([8, 10, 12]),
            "reports": list(_REPORTS[length]),
            "devices_at": "",
            "first_word": random.choice([25, 30]),
        }
        patients = old_patients(random)
        self.state = State(
            time=Timeline(begins=BEGINS, ends=minutes),
            people=first_people(random),
            figures=self.figures,
            patients=patients,
            bays={},
            nurses={},
            beds=ward_beds(random),
            entries={},
            register=[],
            papers=[],
        )
        self.fresh = [id for id, p in patients.items() if p.flag is None]
        random.shuffle(self.fresh)
        self.asked: dict[str, str] = {}
        """Nurse whom a ward asks for, to the pattern that says who they are."""

    def clock(self, minute: int) -> str:
        """Time of day at a minute of the shift."""
        return self.state.time.clock(minute)

    def number(self, letter: str) -> str:
        """Next number of a sort of entries."""
        self.numbers[letter] += self.random.randint(1, 3)
        return f"{letter}-{self.numbers[letter]}"

    def known(self) -> Patient:
        """Somebody with an earlier visit, who has no other part in the day."""
        return self.state.patients[self.fresh.pop()]

    def inpatient(self, level: int = 3) -> Patient:
        """Somebody who is here since before the shift, and gets a bay when the bays are laid out."""
        patient = self.known()
        triaged = BEGINS - timedelta(minutes=self.random.randint(40, 300))
        patient.status, patient.level, patient.triaged = "in a bay", level, f"{triaged:%Y-%m-%d %H:%M}"
        patient.complaint = self.random.choice(names.COMPLAINTS[3])
        return patient

    def old(self, least: int, most: int) -> str:
        """Date of birth of somebody of an age from `least` to `most` years."""
        days = self.random.randint(least * 366 + 2, most * 365)
        return f"{TODAY - timedelta(days=days)}"

    def doctor(self) -> str:
        """Any physician of the department."""
        return self.random.choice([id for id in self.state.people if id.startswith("D-")])

    def say(
        self, due: int, kind: str, sender: str, about: str, purpose: Kind = "request", **filled: object
    ) -> None:
        """A message in one of the phrasings of its kind."""
        words = " ".join(self.random.choice(names.WORDS[kind]).format(**filled).split())
        words = words[:1].upper() + words[1:]
        self.state.expect(due, sender, about, f"{names.SUBJECTS[kind]} {about}", words, kind=purpose)

    def entry(self, due: int, kind: str, letter: str, sender: str, **data: JsonValue) -> str:
        """An entry that appears on the board at a minute; returns its number."""
        id = self.number(letter)
        self.state.time.add(due, "entry", id=id, kind=kind, sender=sender, data=data)
        return id
