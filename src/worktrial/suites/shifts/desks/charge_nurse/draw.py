"""A day in the department, drawn: people, wards and the board first, then a matter for every slot of the shift.

A slot has a kind; the pattern that decides what is right about it is drawn apart from the words of the message.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random

from worktrial.language import JsonValue
from worktrial.workplaces.people import Fact, Kind
from worktrial.workplaces.time import Timeline

from . import names
from .floor import TODAY, add_bays, add_nurses, first_people, old_entries, old_patients, ward_beds
from .state import Paper, Patient, RegisterLine, State

BEGINS = datetime(2026, 3, 12, 7)

SLOTS = {
    "short": "transfer ambulance isolation any isolation",
    "half": "transfer ambulance isolation walkin drugs transfer enquiry lend ambulance isolation isolation census "
    "walkin ambulance",
    "full": "transfer ambulance isolation walkin drugs lend transfer enquiry ambulance isolation walkin census "
    "transfer enquiry isolation lend isolation transfer ambulance enquiry drugs transfer lend walkin census "
    "ambulance enquiry",
}
PATTERNS = {
    "ambulance": ("plain", "level_1", "level_2", "flag", "duplicate", "cleared", "chest", "two", "minor", "plain"),
    "transfer": ("plain", "stays", "withdrawn", "plain", "escort", "flag", "ask", "hearsay", "elder"),
    "isolation": ("airborne", "airborne", "protective", "contact"),
    "enquiry": ("plain", "wrong_word", "kin", "no_information", "other_number", "police", "birth", "form", "claim"),
    "walkin": ("plain", "elder", "level_2", "late", "level_3"),
    "lend": ("own", "own", "agency", "keys", "supernumerary"),
    "drugs": ("plain", "slip", "missing", "witness", "waste"),
    "census": ("census",),
}
_REPORT_AT = {"short": "08:", "half": "10:", "full": "10:"}


class DayDraw:
    """Work in progress on one day."""

    def __init__(self, length: str, minutes: int, random: Random) -> None:
        self.random = random
        self.minutes = minutes
        # A short shift cannot hold every kind.
        other = random.choice(["drugs", "walkin", "enquiry", "census"])
        self.slots = SLOTS[length].replace("any", other).split()
        self.numbers = {"A": 200, "Q": 300, "L": 500, "S": 600, "B": 700}
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
            "swab_days": random.choice([90, 180]),
            "porter_minutes": random.choice([12, 15, 18]),
            "transfer_minutes": random.choice([60, 65]),
            "waiting_limit": random.choice([8, 10, 12]),
            "report_at": _REPORT_AT[length] + random.choice(["00", "15", "30"]),
            "report_again": length == "full",
            "report_again_at": "13:30",
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
        self.state.expect(due, sender, about, f"{names.SUBJECTS[kind]} {about}", words, kind=purpose)

    def entry(self, due: int, kind: str, letter: str, sender: str, **data: JsonValue) -> str:
        """An entry that appears on the board at a minute; returns its number."""
        id = self.number(letter)
        self.state.time.add(due, "entry", id=id, kind=kind, sender=sender, data=data)
        return id


def draw(length: str, minutes: int, random: Random) -> State:
    """State in which a shift begins, its future in it."""
    day = DayDraw(length, minutes, random)
    patterns = {kind: _patterns(random, kind, day.slots.count(kind)) for kind in PATTERNS}
    # Matters come over the first three quarters; what has to be prepared early comes early.
    gap = minutes * 0.74 / len(day.slots)
    for place, kind in enumerate(day.slots):
        due = max(1, round(place * gap + random.uniform(0, gap * 0.8)))
        _MAKERS[kind](day, due, patterns[kind].pop())
    old_entries(day.state, random)
    add_bays(day.state, random, day.needs, rooms=max(1, day.slots.count("isolation") // 2))
    add_nurses(day.state, random, day.asked, spare=(day.slots.count("lend") + 1) // 2)
    return day.state


def _patterns(random: Random, kind: str, count: int) -> list[str]:
    """Patterns for the slots of a kind; each at most once more than any other."""
    found: list[str] = []
    while len(found) < count:
        found += random.sample(PATTERNS[kind], len(PATTERNS[kind]))
    found = found[:count]
    random.shuffle(found)
    return found


def _ambulance(day: DayDraw, due: int, pattern: str) -> None:
    random = day.random
    level = {"level_1": 1, "level_2": 2, "minor": random.choice([4, 5])}.get(pattern, 3)
    complaint = "chest pain" if pattern == "chest" else random.choice(names.COMPLAINTS[level])
    known = day.known()
    if pattern in ("flag", "cleared"):
        found = TODAY - timedelta(days=random.randint(60, 400))
        known.flag = f"{random.choice(names.FLAGS)}, found {found}"
        wanted, days = int(str(day.figures["swabs"])), (TODAY - found).days
        dates = sorted(random.sample(range(1, days), wanted), reverse=True)
        if pattern == "flag":
            # One result too few, or one from before the finding: not enough to lift it.
            dates = random.choice([dates[1:], [days + random.randint(3, 40), *dates[1:]]])
        for ago in dates:
            _lab(day, known, ago)
    sort = "side" if pattern == "flag" else {1: "resus", 2: "monitor", 3: "majors"}.get(level, "minors")
    if pattern == "chest" and day.figures["chest"]:
        sort = "monitor"
    day.needs[sort] += 1
    eta = due + (random.randint(22, 28) if level > 2 else random.randint(16, 20))
    data: dict[str, JsonValue] = {
        "incident": f"I-{random.randint(10_000, 99_999)}",
        "patient": "1 of 1",
        "crew": f"C{random.randint(11, 79)}",
        "eta": day.clock(eta),
        "level": level,
        "complaint": complaint,
        "earlier_visit": known.id if known.flag or random.random() < 0.6 else None,
    }
    if pattern == "two":
        data["patient"] = "1 of 2"
    _announce(day, due, data)
    again = min(due + random.randint(5, 8), eta - 8)
    if pattern == "two":
        day.needs["majors"] += 1
        words = random.choice(names.COMPLAINTS[3])
        _announce(
            day, again, data | {"patient": "2 of 2", "complaint": words, "crew": f"C{random.randint(80, 99)}"}
        )
    elif pattern == "duplicate":
        # The crew rings from the road after control has; other words, the same incident and patient.
        words = random.choice(["unwell at home", "fall, now sleepy", "found by neighbours"])
        _announce(
            day, again, data | {"complaint": words, "crew": f"C{random.randint(80, 99)}", "earlier_visit": None}
        )


def _announce(day: DayDraw, due: int, data: dict[str, JsonValue]) -> None:
    id = day.entry(due, "ambulance", "A", "ambulance_control", **data)
    aside = day.random.choice(names.ASIDES)
    day.say(due, "ambulance", "ambulance_control", id, id=id, aside=aside, **data)


def _lab(day: DayDraw, patient: Patient, days_ago: int) -> None:
    id = f"R-{len(day.state.papers) + 901}"
    text = f"Screening swab for {str(patient.flag).split(',')[0]}: negative."
    date = f"{TODAY - timedelta(days=days_ago)}"
    day.state.papers.append(Paper(id=id, kind="laboratory result", about=patient.id, date=date, text=text))


def _transfer(day: DayDraw, due: int, pattern: str) -> None:
    random, state = day.random, day.state
    due = min(due, day.minutes - 76 - (30 if pattern in ("ask", "withdrawn") else 0))
    due = max(due, 1)
    patient = day.inpatient()
    ward = random.choice([w for w in names.WARDS if w != day.figures["norovirus_ward"]])
    patient.born = day.old(20, 64)
    if pattern == "escort":
        patient.monitored = True
    elif pattern == "flag":
        patient.flag = f"{random.choice(names.FLAGS)}, found {TODAY - timedelta(days=random.randint(1, 50))}"
    elif pattern == "elder":
        ward, patient.born = str(day.figures["norovirus_ward"]), day.old(77, 92)
    elif pattern == "withdrawn":
        state.withdraws[patient.id] = random.randint(2, 4)
    by = day.doctor()
    asked = pattern == "ask"
    state.time.add(due, "order", patient=patient.id, ward="not named" if asked else ward, by=by)
    if asked:
        state.people[by].facts.setdefault(patient.id, {})["ward"] = Fact(
            value=ward, text=f"{patient.id}: ward {ward}, please."
        )
        if random.random() < 0.35:
            state.people[by].forgets.append(patient.id)
    day.say(due, "transfer", by, patient.id, patient=patient.id, to="" if asked else f" to {ward}")
    words = random.choice(("{p} stays with us after all, please leave it.", "{p} is to stay in the department."))
    if pattern in ("stays", "hearsay"):
        at = due + random.randint(6, 10)
        sender = by if pattern == "stays" else random.choice(["bed_management", "porters"])
        if pattern == "stays":
            state.time.add(at, "order", patient=patient.id, ward="withdrawn", by=by)
        state.expect(at, sender, patient.id, patient.id, words.format(p=patient.id), kind="tell")


def _isolation(day: DayDraw, due: int, pattern: str) -> None:
    random = day.random
    until = day.state.time.minute_of(str(day.figures["round_at"])) - 4
    due = min(due, until - random.randint(0, 14))
    patient = day.inpatient()
    patient.suspected = {
        "airborne": random.choice(names.AIRBORNE),
        "protective": "no defence against infection (neutropenia)",
        "contact": random.choice(["C. difficile", "scabies"]),
    }[pattern]
    day.say(due, "isolation", day.doctor(), patient.id, patient=patient.id, suspected=patient.suspected)
    day.state.time.add(due, "room_wanted", patient=patient.id)


def _enquiry(day: DayDraw, due: int, pattern: str) -> None:
    random = day.random
    patient = day.inpatient()
    relation = random.choice(["partner", "sibling", "cousin", "child", "neighbour and friend"])
    caller, number = patient.kin_name, patient.kin_phone
    word: str | None = random.choice(names.WORDS_OF_CALLERS)
    patient.password = word
    birth: str | None = patient.born
    reached = [number]
    if pattern == "wrong_word":
        word = random.choice([w for w in names.WORDS_OF_CALLERS if w != word])
    elif pattern in ("kin", "other_number", "claim", "form"):
        patient.password = word = None
        if pattern == "other_number":
            number, reached = _phone(random), []
            reached = [number] if random.random() < 0.5 else [number, patient.kin_phone]
        elif pattern != "kin":
            caller, number = _name(random), _phone(random)
            reached = [number]
    elif pattern == "no_information":
        patient.no_information = True
    elif pattern == "police":
        caller, relation, number = f"Constable {random.choice(names.LAST)}", "police", _phone(random)
        patient.password = word = None
        reached = [number]
    elif pattern == "birth":
        birth = random.choice([None, day.old(20, 80)])
    if pattern == "form":
        paper = Paper(
            id=f"R-{len(day.state.papers) + 901}",
            kind="next of kin form",
            about=patient.id,
            date=f"{TODAY - timedelta(days=random.randint(2, 80))}",
            text=f"Signed by the patient: next of kin is {caller}, telephone {number}.",
        )
        day.state.papers.append(paper)
    id = day.entry(
        due,
        "enquiry",
        "Q",
        "switchboard",
        patient=patient.id,
        caller=caller,
        relation=relation,
        number=number,
        password_quoted=word,
        birth_quoted=birth,
    )
    day.state.answering[id] = reached
    day.say(due, "enquiry", "switchboard", id, id=id, patient=patient.id, caller=caller, relation=relation)


def _walkin(day: DayDraw, due: int, pattern: str) -> None:
    random = day.random
    patient = day.known()
    level = {"level_2": 2, "level_3": 3, "late": 3, "elder": 4}.get(pattern, random.choice([3, 4]))
    ago = random.randint(18, 25) if pattern == "late" else random.randint(1, 5)
    triaged = BEGINS + timedelta(minutes=due - ago)
    if level == 2:
        day.needs["monitor"] += 1
    born = day.old(20, 64) if pattern != "elder" else random.choice([day.old(78, 90), day.old(1, 3)])
    patient.born, complaint = born, random.choice(names.COMPLAINTS[level])
    day.state.time.add(
        due,
        "walkin",
        patient=patient.id,
        level=level,
        born=born,
        complaint=complaint,
        triaged=f"{triaged:%Y-%m-%d %H:%M}",
    )
    day.say(due, "walkin", "triage_desk", patient.id, "tell", patient=patient.id, complaint=complaint)


def _lend(day: DayDraw, due: int, pattern: str) -> None:
    # Which nurse fits a pattern is known when the nurses are drawn; the number stands in until then.
    ward = day.random.choice(names.WARDS)
    nurse = f"N-{31 + len(day.asked)}"
    day.asked[nurse] = pattern
    id = day.entry(due, "lend", "L", f"W-{ward}", ward=ward, nurse=nurse)
    day.say(due, "lend", f"W-{ward}", id, id=id, ward=ward, nurse=nurse)


def _drugs(day: DayDraw, due: int, pattern: str) -> None:
    random = day.random
    taken = {line.drug for line in day.state.register}
    drug = random.choice([d for d in names.DRUGS if d not in taken])
    lines, balance = _register(day, drug)
    true = balance
    if pattern == "slip":
        # From one line on the balance is written wrong by a slip of the pen; the ampoules are all there.
        wrong, first = random.choice([-10, -2, 2, 10]), random.randint(3, 6)
        for line in lines[first:]:
            line.balance += wrong
    elif pattern == "missing":
        true -= random.choice([1, 2, 5])
    elif pattern == "waste":
        line = random.choice([line for line in lines if line.moved < 0])
        line.what, line.witness = f"{line.what}, rest wasted", ""
    day.state.register += lines
    agency = pattern == "witness"
    id = day.entry(
        due, "drugs", "S", "N-01", drug=drug, counted=true, counted_by="N-01", witness="N-21" if agency else "N-02"
    )
    day.say(due, "drugs", "N-01", id, id=id, drug=drug)


def _register(day: DayDraw, drug: str) -> tuple[list[RegisterLine], int]:
    random = day.random
    balance = random.randint(30, 60)
    at = BEGINS - timedelta(hours=26)
    start = RegisterLine(
        drug=drug,
        at=f"{at:%Y-%m-%d %H:%M}",
        moved=0,
        what="carried over, counted",
        by="N-03",
        witness="N-04",
        balance=balance,
    )
    lines = [start]
    for _ in range(random.randint(9, 13)):
        at += timedelta(minutes=random.randint(40, 120))
        moved = 10 if random.random() < 0.15 else -random.randint(1, 2)
        balance += moved
        what = "from pharmacy" if moved > 0 else f"given to P-{random.randint(4100, 4400)}"
        by, witness = random.sample(["N-02", "N-03", "N-04", "N-05", "N-06"], 2)
        lines.append(
            RegisterLine(
                drug=drug,
                at=f"{at:%Y-%m-%d %H:%M}",
                moved=moved,
                what=what,
                by=by,
                witness=witness,
                balance=balance,
            )
        )
    return lines, balance


def _census(day: DayDraw, due: int, pattern: str) -> None:
    random = day.random
    limit = int(str(day.figures["waiting_limit"]))
    held = random.choice([0, 0, 1, 2])
    id = day.entry(
        due,
        "census",
        "B",
        "board",
        in_department=random.randint(38, 66),
        waiting_for_beds=random.randint(limit - 5, limit + 5),
        ambulances_held=held,
        longest_held_minutes=random.randint(31, 50) if held else 0,
        longest_wait_minutes=random.choice([95, 160, 230, 250, 300]),
    )
    day.say(due, "census", "board", id, "tell", id=id)


def _phone(random: Random) -> str:
    return f"0{random.randint(700, 799)} {random.randint(100_000, 999_999)}"


def _name(random: Random) -> str:
    return f"{random.choice(names.FIRST_F + names.FIRST_M)} {random.choice(names.LAST)}"


_MAKERS: dict[str, Callable[[DayDraw, int, str], None]] = {
    "ambulance": _ambulance,
    "transfer": _transfer,
    "isolation": _isolation,
    "enquiry": _enquiry,
    "walkin": _walkin,
    "lend": _lend,
    "drugs": _drugs,
    "census": _census,
}
