"""Matters of a day, one function for each kind: what comes when, and what the records say about it."""

from collections.abc import Callable
from datetime import timedelta
from random import Random

from worktrial.language import JsonValue
from worktrial.workplaces.people import Fact

from . import names
from .day import BEGINS, DayDraw
from .floor import TODAY
from .state import Paper, Patient, RegisterLine


def _ambulance(day: DayDraw, due: int, pattern: str) -> None:
    random = day.random
    level = {"level_1": 1, "level_2": 2, "minor": random.choice([4, 5])}.get(pattern, 3)
    complaint = "chest pain" if pattern == "chest" else random.choice(names.CALLS[level])
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
        words = random.choice(names.CALLS[3])
        _announce(
            day, again, data | {"patient": "2 of 2", "complaint": words, "crew": f"C{random.randint(80, 99)}"}
        )
    elif pattern == "duplicate":
        # The crew rings from the road after control has; other words, the same incident and patient.
        words = random.choice(names.CALLS[3])
        _announce(
            day, again, data | {"complaint": words, "crew": f"C{random.randint(80, 99)}", "earlier_visit": None}
        )


def incident(day: DayDraw, began: int, patients: int, *, again: bool) -> None:
    """Several patients of one incident, announced one after the other, perhaps one of them by two crews.

    Args:
        day: Work in progress.
        began: Minute of the first announcement.
        patients: Number of patients.
        again: Whether one of them is announced a second time.
    """
    random = day.random
    id, due = f"I-{random.randint(10_000, 99_999)}", began
    levels = random.sample([1, 2, *[3] * (patients - 2)], patients)
    told: list[dict[str, JsonValue]] = []
    for number, level in enumerate(levels, 1):
        day.needs[{1: "resus", 2: "monitor"}.get(level, "majors")] += 1
        told.append(
            {
                "incident": id,
                "patient": f"{number} of {patients}",
                "crew": f"C{random.randint(11, 79)}",
                "eta": day.clock(due + random.randint(38, 62)),
                "level": level,
                "complaint": random.choice(names.CALLS[level]),
                "earlier_visit": None,
            }
        )
        _announce(day, due, told[-1])
        due += random.randint(3, 6)
    if again:
        data = random.choice(told[1:])
        words = random.choice(names.CALLS[3])
        _announce(day, due, data | {"complaint": words, "crew": f"C{random.randint(80, 99)}"})


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
        ward, patient.born = str(day.figures["norovirus_ward"]), day.old(66, 91)
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
        at = due + random.randint(12, 24)
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
        "protective": "neutropenia",
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
    ago = random.randint(12, 16) if pattern == "late" else random.randint(1, 5)
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
        due, "drugs", "F", "N-01", drug=drug, counted=true, counted_by="N-01", witness="N-21" if agency else "N-02"
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


MAKERS: dict[str, Callable[[DayDraw, int, str], None]] = {
    "ambulance": _ambulance,
    "transfer": _transfer,
    "isolation": _isolation,
    "enquiry": _enquiry,
    "walkin": _walkin,
    "lend": _lend,
    "drugs": _drugs,
    "census": _census,
}
