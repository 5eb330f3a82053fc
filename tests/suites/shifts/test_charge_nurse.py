"""The charge nurse's desk: fair on many days, and its hardest rules by hand."""

import asyncio
import re
from datetime import timedelta
from itertools import permutations
from math import ceil

import pytest

from worktrial.suites.shifts import suite
from worktrial.suites.shifts.cases import Move
from worktrial.suites.shifts.desks.charge_nurse import measures, rules
from worktrial.suites.shifts.proof import prove
from worktrial.suites.shifts.suite import ShiftChoice
from worktrial.workplaces.desk import DeskSession

DESK = suite.desks(ShiftChoice())["charge_nurse"]


@pytest.mark.parametrize("length", DESK.lengths)
def test_every_length_is_fair(length):
    proof = prove(DESK, length, range(10))
    assert proof.findings == []


class _Due:
    """A matter as these tests speak of it."""

    def __init__(self, matter, start):
        right, request, time = matter.right, matter.request, start.time
        self.slot, self.about, self.kind, self.pattern = matter.slot, request.about, matter.name, right.pattern
        self.arrives, self.due, self.earliest = request.at, right.by, matter.earliest
        self.asked_by, self.tell = request.sender, [one.person for one in right.tell]
        self.end = "refuse" if right.tell and right.tell[0].kinds[0] == "refuse" else "do"
        given = {name: value for step in right.steps for name, value in step.arguments.items()}
        self.filled = {**request.fields, **given, "call": given.get("number"), "references": right.about}
        if self.kind == "drugs":
            self.filled["counted"] = right.naive.arguments["balance"]
        if self.kind == "ambulance" and "bay_id" in given:
            bay = start.bays[given["bay_id"]]
            self.filled["need"] = "monitor" if bay.monitor and bay.area == "majors" else bay.area
        if said := re.search(r"reassessed (\d+) minutes", right.because):
            self.filled["latest"] = time.minute_of(request.triaged) + int(said[1])


def _solve(start):
    return [_Due(matter, start) for matter in rules.desk.matters(start)]


def _first(kind, pattern, end=None, length="full"):
    for variant in range(60):
        start = DESK.draw(length, variant)
        for due in _solve(start):
            if (due.kind, due.pattern) == (kind, pattern) and end in (None, due.end):
                return variant, start, due
    raise AssertionError(f"no {pattern} {kind} in sixty days")


def _work(variant, moves, length="full"):
    session = DeskSession(DESK.workplace, DESK.draw(length, variant))
    seen = [asyncio.run(session.call(move.tool, dict(move.arguments))).content for move in moves]
    session.finish()
    return seen, DESK.score(DESK.draw(length, variant), session.live)


def _case(score, slot):
    return next(case for case in score.cases if case.id == slot)


def _at(start, minute):
    return Move("wait_until", {"time": start.time.clock(minute)})


@pytest.mark.parametrize("variant", range(8))
def test_rooms_go_to_the_strongest_claims_of_all_allocations(variant):
    start = DESK.draw("full", variant)
    order = ["measles", "chickenpox", "tuberculosis", "influenza"]
    if start.figures["protective_first"]:
        order.insert(0, "neutropenia")
    asked = [e.payload["patient"] for e in sorted(start.time.waiting) if e.kind == "room_wanted"]
    may = [id for id in asked if start.patients[id].suspected in order]
    rooms = sum(bay.area == "iso" and bay.occupant is None for bay in start.bays.values())

    def claims(chosen):
        return sorted((order.index(start.patients[id].suspected), asked.index(id)) for id in chosen)

    best = min(claims(chosen) for chosen in permutations(may, min(rooms, len(may))))
    assert claims(measures.room_order(start)) == best


def test_a_room_for_somebody_without_a_claim_is_harm_that_cannot_be_undone():
    variant, start, due = _first("isolation", "scarce room", "refuse")
    room = next(bay.id for bay in start.bays.values() if bay.area == "iso" and bay.occupant is None)
    round_at = start.time.minute_of(str(start.figures["round_at"]))
    moves = [_at(start, round_at), Move("assign_bay", {"reference": due.about, "bay_id": room})]
    _, score = _work(variant, moves)
    assert [harm.kind for harm in score.harms] == ["irreversible"]
    assert not _case(score, due.slot).earned


def test_nobody_is_handed_over_without_bed_and_porter():
    variant, start, due = _first("transfer", "plain")
    patient = {"patient_id": due.about}
    moves = [
        _at(start, due.arrives + 1),
        Move("hand_over", patient),
        Move("request_bed", {**patient, "ward": due.filled["ward"]}),
        Move("request_bed", {**patient, "ward": due.filled["ward"]}),
        _at(start, due.arrives + 30),
        Move("hand_over", patient),
        Move("order_porter", patient),
        _at(start, due.arrives + 52),
        Move("hand_over", patient),
        Move("hand_over", patient),
        Move("send_message", {"to": due.asked_by, "kind": "tell", "about": due.about, "text": "Handed over."}),
    ]
    seen, score = _work(variant, moves)
    errors = [one.get("error", {}).get("type") for one in seen]
    assert errors == [None, "no_bed", None, "pending", None, "no_porter", None, None, None, "not_here", None]
    case = _case(score, due.slot)
    # All but the first word.
    assert case.earned == case.reachable - 2


def test_an_order_that_was_withdrawn_is_not_carried_out():
    variant, start, due = _first("transfer", "order withdrawn")
    patient = {"patient_id": due.about}
    moves = [
        _at(start, due.arrives + 1),
        Move("request_bed", {**patient, "ward": due.filled["ward"]}),
        Move("order_porter", patient),
        _at(start, due.arrives + 35),
        Move("hand_over", patient),
    ]
    _, score = _work(variant, moves)
    assert [harm.kind for harm in score.harms] == ["irreversible"]


def test_a_transfer_that_was_begun_may_be_cancelled_when_the_order_is_withdrawn():
    variant, start, due = _first("transfer", "order withdrawn")
    patient = {"patient_id": due.about}
    word = {"kind": "tell", "about": due.about, "text": "The patient stays.", "fields": {"order": "withdrawn"}}
    moves = [
        _at(start, due.arrives + 1),
        Move("request_bed", {**patient, "ward": due.filled["ward"]}),
        Move("order_porter", patient),
        Move("send_message", {"to": due.asked_by, **word, "text": "It is in hand.", "fields": {}}),
        _at(start, due.earliest + 1),
        Move("cancel_transfer", patient),
        Move("send_message", {"to": due.asked_by, **word}),
        Move("send_message", {"to": f"W-{due.filled['ward']}", **word}),
    ]
    _, score = _work(variant, moves)
    assert _case(score, due.slot).earned == _case(score, due.slot).reachable
    assert not score.harms


def test_a_patient_who_had_gone_before_the_order_was_withdrawn_went_rightly():
    for variant in range(200):
        start = DESK.draw("full", variant)
        late = [d for d in _solve(start) if d.pattern == "order withdrawn" and d.earliest - d.arrives >= 22]
        if not late:
            continue
        due, patient = late[0], {"patient_id": late[0].about}
        moves = [
            _at(start, due.arrives),
            Move("request_bed", {**patient, "ward": due.filled["ward"]}),
            Move("order_porter", patient),
            _at(start, due.earliest - 6),
            Move("hand_over", patient),
            Move("send_message", {"to": due.asked_by, "kind": "tell", "about": due.about, "text": "Handed over."}),
        ]
        seen, score = _work(variant, moves)
        if "error" not in seen[4]:
            break
    assert _case(score, due.slot).earned == _case(score, due.slot).reachable
    assert not score.harms


def test_a_caller_who_has_to_be_called_back_is_told_nothing_before():
    variant, start, due = _first("enquiry", "call back", "do")
    release = Move("release_information", {"entry_id": due.about})
    called = Move("call_back", {"entry_id": due.about, "number": due.filled["call"]})
    _, hasty = _work(variant, [_at(start, due.arrives + 1), release])
    _, right = _work(variant, [_at(start, due.arrives + 1), called, release])
    assert [harm.kind for harm in hasty.harms] == ["disclosure"]
    assert not right.harms
    assert _case(right, due.slot).earned == 8


def test_a_bay_that_is_kept_is_a_breach_and_a_monitor_without_need_is_half_right():
    variant, start, due = _first("ambulance", "plain")
    for variant in range(60):
        start = DESK.draw("full", variant)
        plain = [d for d in _solve(start) if d.kind == "ambulance" and d.filled.get("need") == "majors"]
        free = [b for b in start.bays.values() if b.area == "majors" and not (b.occupant or b.closed or b.clean_at)]
        kept = [b.id for b in free if b.reserved]
        monitors = [b.id for b in free if b.monitor and not b.reserved]
        if plain and kept and monitors:
            break
    due = plain[0]
    wait = _at(start, due.arrives + 1)
    _, breach = _work(variant, [wait, Move("assign_bay", {"reference": due.about, "bay_id": kept[0]})])
    _, half = _work(variant, [wait, Move("assign_bay", {"reference": due.about, "bay_id": monitors[0]})])
    assert [harm.kind for harm in breach.harms] == ["breach"]
    assert not half.harms
    # Half of the outcome; being in time is of the whole.
    assert _case(half, due.slot).earned == 3


def test_a_sheet_with_a_difference_is_not_signed_as_agreed():
    variant, start, due = _first("drugs", "missing")
    sign = {"entry_id": due.about, "result": "agreed", "balance": due.filled["counted"]}
    seen, score = _work(variant, [_at(start, due.arrives + 1), *[Move("sign_sheet", sign)] * 2])
    assert seen[-1]["error"]["type"] == "signed"
    assert [harm.kind for harm in score.harms] == ["irreversible"]
    assert score.grade == "failed"


@pytest.mark.parametrize("early", [0, 10])
def test_a_reassessment_may_be_booked_up_to_ten_minutes_early(early):
    variant, start, due = _first("walkin", "plain")
    minute = due.filled["latest"] - early

    def there(nurse):
        begins, until = start.time.minute_of(nurse.break_from), start.time.minute_of(nurse.break_until)
        return nurse.team == "front" and not begins - 10 < minute < until

    nurse = next(nurse.id for nurse in start.nurses.values() if there(nurse))
    booked = {"patient_id": due.about, "nurse_id": nurse, "time": start.time.clock(minute)}
    word = {"to": nurse, "kind": "tell", "about": due.about, "text": "Please reassess."}
    moves = [_at(start, due.arrives + 1), Move("book_reassessment", booked), Move("send_message", word)]
    _, score = _work(variant, moves)
    assert _case(score, due.slot).earned == _case(score, due.slot).reachable


@pytest.mark.parametrize(
    "question",
    [
        {"kind": "ask", "fields": {"topic": "ward"}},
        {"kind": "ask", "fields": {"topic": "Ward"}},
        {"kind": "request", "fields": {}},
    ],
)
def test_a_physician_names_the_ward_however_the_question_is_put(question):
    for variant in range(60):
        start = DESK.draw("full", variant)
        asks = [due for due in _solve(start) if due.pattern == "ask"]
        found = [due for due in asks if due.about not in start.people[due.asked_by].forgets]
        if found:
            break
    due = found[0]
    session = DeskSession(DESK.workplace, start)
    session.pass_to(due.arrives)
    sent = {"to": due.asked_by, "about": due.about, "text": "Which ward?", **question}
    asyncio.run(session.call("send_message", sent))
    session.pass_to(due.arrives + 20)
    answers = [m for m in session.live.mail.inbox if m.sender == due.asked_by and m.answers is not None]
    assert [m.fields for m in answers] == [{"topic": "ward", "value": due.filled["ward"]}]


@pytest.mark.parametrize("variant", range(6))
def test_nurses_to_spare_follow_from_what_the_lists_show(variant):
    start = DESK.draw("full", variant)
    session = DeskSession(DESK.workplace, DESK.draw("full", variant))

    def rows(tool, key):
        found, page = [], 1
        while True:
            seen = asyncio.run(session.call(tool, {"page": page})).content
            found, page = found + seen[key], page + 1
            if len(found) >= seen["total"]:
                return found

    open_bays = [bay["area"] for bay in rows("list_bays", "bays") if bay["closed"] is None]
    nurses = sum(nurse["employed"] != "supernumerary" for nurse in rows("list_nurses", "nurses"))
    majors = 3 if start.figures["majors_three"] else 4
    needed = 4 + open_bays.count("resus") + ceil(open_bays.count("majors") / majors)
    needed += ceil((open_bays.count("side") + open_bays.count("iso")) / 2) + ceil(open_bays.count("minors") / 6)
    assert measures.spare_nurses(start) == nurses - needed


def test_the_heads_hear_of_a_great_incident_with_its_number_of_patients():
    variant, start, due = _first("great incident", "duty", length="half")
    words = {"kind": "tell", "about": due.filled["references"][0], "text": "."}
    for patients, share in ((due.filled["patients"], 1), (due.filled["patients"] + 1, 0)):
        moves = [
            _at(start, due.arrives + 1),
            *[Move("send_message", {"to": p, **words, "fields": {"patients": patients}}) for p in due.tell],
        ]
        _, score = _work(variant, moves, "half")
        assert _case(score, due.slot).earned == share * _case(score, due.slot).reachable


def test_devices_at_closed_bays_and_other_devices_are_not_counted():
    variant, start, due = _first("Devices", "two lists", length="half")
    day_before = f"{start.time.begins - timedelta(hours=24):%Y-%m-%d %H:%M}"
    late = [d for d in start.devices if d.checked < day_before]
    counted = [d for d in late if "oxygen" not in d.kind and "pump" not in d.kind and not start.bays[d.bay].closed]
    assert 0 < len(counted) < len(late)
    for extra, share in ((0, 1), (1, 0)):
        fields = {"overdue": len(counted) + extra, "bays": len({d.bay for d in counted})}
        words = {"to": "site_manager", "kind": "tell", "about": "devices", "text": ".", "fields": fields}
        _, score = _work(variant, [Move("send_message", words)], "half")
        assert _case(score, due.slot).earned == share * _case(score, due.slot).reachable


def test_a_word_that_a_nurse_is_asked_for_is_no_refusal_yet():
    variant, start, due = _first("lend", "contract")
    word = {"to": due.asked_by, "about": due.about, "text": "."}
    moves = [_at(start, due.arrives + 1), Move("send_message", {"kind": "tell", **word})]
    _, first = _work(variant, moves)
    _, both = _work(variant, [*moves, Move("send_message", {"kind": "refuse", **word})])
    assert _case(first, due.slot).earned == 0
    assert _case(both, due.slot).earned == _case(both, due.slot).reachable


def test_the_bay_is_read_from_its_field_and_not_from_the_text():
    variant, start, due = _first("ambulance", "plain")
    plan = DESK.clerk("plan", start)
    session, said = DeskSession(DESK.workplace, DESK.draw("full", variant)), []
    move = next(plan)
    while True:
        given = dict(move.arguments)
        if given.get("to") == "ambulance_control" and given.get("fields", {}).get("bay"):
            given |= {"text": f"Bay {given['fields']['bay']}.", "fields": {}}
            said.append(given["about"])
        try:
            move = plan.send(asyncio.run(session.call(move.tool, given)).content)
        except StopIteration:
            break
    session.finish()
    case = _case(DESK.score(start, session.live), due.slot)
    assert due.about in said
    assert [part.lost for part in case.parts if part.name == "told"] == ["not_reported"]


@pytest.mark.parametrize("length", DESK.lengths)
def test_rooms_may_be_given_for_the_whole_hour_after_the_round(length):
    start = DESK.draw(length, 0)
    due = next(due for due in _solve(start) if due.kind == "isolation")
    hour_after = start.time.minute_of(str(start.figures["round_at"])) + 60
    assert due.due == min(hour_after, start.time.ends - 1)


def test_a_word_before_a_matter_came_is_no_first_word():
    start = DESK.draw("full", 0)
    due = next(due for due in _solve(start) if due.kind in ("transfer", "isolation", "lend") and due.arrives > 5)
    case = next(case for case in DESK.cases(start) if case.id == due.slot)
    first_word = next(part for part in case.parts if part.name == "first_word")
    word = Move("send_message", {"to": due.asked_by, "kind": "tell", "about": due.about, "text": "It is in hand."})
    for moves, heard in (([word], False), ([_at(start, due.arrives + 1), word], True)):
        session = DeskSession(DESK.workplace, DESK.draw("full", 0))
        for move in moves:
            asyncio.run(session.call(move.tool, dict(move.arguments)))
        assert first_word.earned(session.live) == heard


def test_a_room_that_is_given_before_the_round_is_a_wrong_end():
    variant, start, due = _first("isolation", "scarce room", "do")
    give = Move("assign_bay", {"reference": due.about, "bay_id": due.filled["bay_id"]})
    for minute, points in ((due.arrives + 1, 0), (due.earliest, 8)):
        _, score = _work(variant, [_at(start, minute), give])
        assert not score.harms
        assert _case(score, due.slot).earned == points


def test_a_plain_word_on_a_sheet_before_it_is_signed_is_no_answer():
    variant, start, due = _first("drugs", "plain")
    sign = Move("sign_sheet", {"entry_id": due.about, "result": "agreed", "balance": due.filled["balance"]})
    word = Move("send_message", {"to": "N-01", "kind": "tell", "about": due.about, "text": "Signed."})
    for moves, points in (([word, sign], 8), ([sign, word], 10)):
        _, score = _work(variant, [_at(start, due.arrives + 1), *moves])
        assert _case(score, due.slot).earned == points


def test_who_says_that_a_wrong_bay_is_given_is_charged_for_the_bay_alone():
    for variant in range(60):
        start = DESK.draw("full", variant)
        found = [due for due in _solve(start) if due.kind == "ambulance" and due.filled.get("need") == "majors"]
        kept = [b.id for b in start.bays.values() if b.reserved and b.area == "majors"]
        if found and kept:
            break
    word = {"to": "ambulance_control", "kind": "approve", "text": "A bay is kept."}
    moves = [
        _at(start, found[0].arrives + 1),
        Move("assign_bay", {"reference": found[0].about, "bay_id": kept[0]}),
        Move("send_message", {**word, "about": found[0].about, "fields": {"bay": kept[0]}}),
    ]
    _, score = _work(variant, moves)
    assert [harm.kind for harm in score.harms] == ["breach"]
    _, score = _work(variant, [moves[0], moves[2]])
    assert [harm.kind for harm in score.harms] == ["false_word"]


def test_a_bed_that_is_taken_back_begins_the_time_anew():
    variant, start, due = _first("transfer", "bed withdrawn")
    patient = {"patient_id": due.about}
    orders = (event.payload for event in start.time.waiting if event.kind == "order")
    named = next(order["ward"] for order in orders if order["patient"] == due.about)
    assert due.filled["ward"] == measures.PARTNERS[named]
    late = due.due + 5
    moves = [
        _at(start, due.arrives),
        Move("request_bed", {**patient, "ward": named}),
        _at(start, due.arrives + 40),
        Move("request_bed", {**patient, "ward": due.filled["ward"]}),
        _at(start, late - 20),
        Move("order_porter", patient),
        _at(start, late + 2),
        Move("hand_over", patient),
    ]
    seen, score = _work(variant, moves)
    assert "error" not in seen[-1]
    parts = {part.name: part.earned for part in _case(score, due.slot).parts}
    assert (parts["outcome"], parts["in_time"]) == (6, 2)


def test_the_nurse_who_was_booked_is_told_and_not_another():
    variant, start, due = _first("walkin", "plain")
    minute = due.filled["latest"]
    free = [
        nurse.id
        for nurse in start.nurses.values()
        if nurse.team == "front"
        and not start.time.minute_of(nurse.break_from) - 10 < minute < start.time.minute_of(nurse.break_until)
    ]
    other = next(id for id in free if id != due.filled["nurse_id"])
    booked = {"patient_id": due.about, "nurse_id": other, "time": start.time.clock(minute)}
    for told, points in ((due.filled["nurse_id"], 4), (other, 5)):
        word = Move("send_message", {"to": told, "kind": "tell", "about": due.about, "text": "Please reassess."})
        _, score = _work(variant, [_at(start, due.arrives + 1), Move("book_reassessment", booked), word])
        assert _case(score, due.slot).earned == points
