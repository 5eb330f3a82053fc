"""The customs desk: fair on many days, and its hardest rules by hand."""

import asyncio
from decimal import Decimal
from itertools import combinations, permutations

import pytest

from worktrial.suites.shifts import suite
from worktrial.suites.shifts.cases import Move
from worktrial.suites.shifts.desks.customs_desk import duty, papers, rules, scarce, tools
from worktrial.suites.shifts.proof import prove
from worktrial.suites.shifts.suite import ShiftChoice
from worktrial.workplaces.desk import DeskSession

DESK = suite.desks(ShiftChoice())["customs_desk"]


@pytest.mark.parametrize("length", DESK.lengths)
def test_every_length_is_fair(length):
    assert prove(DESK, length, range(10)).findings == []


class _Right:
    """A matter as these tests speak of it."""

    def __init__(self, matter, start):
        right = matter.right
        self.slot, self.kind, self.about = matter.slot, matter.name, matter.request.about
        self.pattern = right.pattern
        self.arrives, self.due, self.earliest = matter.request.at, right.by, matter.earliest
        self.asked_by = matter.request.sender or right.tell[0].person
        word = right.tell[0].kinds[0]
        self.end = "escalate" if any(one.deed for one in right.tell) else "do" if word == "approve" else word
        step = right.ends[0] if right.ends else right.naive
        given = step.arguments if step else {}
        self.filled = {name: value for name, value in given.items() if name != "entry_id"}
        self.says = {name: given[name] for name in ("duty", "payment") if name in given}
        self.says |= {} if right.tell[0].figured else right.tell[0].fields
        if self.kind == "inspect":
            times = {id: start.time.minute_of(slot.begins) for id, slot in start.slots.items() if not slot.agent}
            least = scarce.unloaded(start, start.containers[self.about]) + 30
            self.filled = {"book": given["slot_id"], "slots": [id for id, at in times.items() if at >= least]}
        elif self.kind == "quota":
            self.filled["weight"] = papers.true_lines(start, start.entries[self.about])[0].weight
        elif self.kind == "round":
            self.says = right.tell[0].figured.function((), self.arrives)


def _solve(start):
    return [_Right(matter, start) for matter in rules.desk.matters(start)]


def _first(kind, wanted, length="full"):
    for variant in range(60):
        start = DESK.draw(length, variant)
        for right in _solve(start):
            if right.kind == kind and wanted(start, right):
                return variant, start, right
    raise AssertionError(f"no such {kind} on sixty days")


def _work(variant, moves, length="full"):
    session = DeskSession(DESK.workplace, DESK.draw(length, variant))
    seen = [asyncio.run(session.call(move.tool, dict(move.arguments))).content for move in moves]
    session.finish()
    return seen, DESK.score(DESK.draw(length, variant), session.live)


def _case(score, slot):
    return next(case for case in score.cases if case.id == slot)


def _wait(start, minute):
    return Move("wait_until", {"time": start.time.clock(minute)})


@pytest.mark.parametrize("variant", range(8))
def test_slots_go_to_the_best_ordered_of_all_fillings(variant):
    start = DESK.draw("full", variant)
    dropped = {e.payload["container"] for e in start.time.waiting if e.kind == "inspection_dropped"}
    wanted = [start.containers[r.about] for r in start.requests if r.kind == "inspect" and r.about not in dropped]
    wanted.sort(key=lambda c: scarce.claim(start, c))
    ours = [slot for slot in start.slots.values() if slot.agent is None]

    def can(chosen):
        return any(
            all(
                start.time.minute_of(s.begins) >= scarce.unloaded(start, c) + 30
                for s, c in zip(order, chosen, strict=False)
            )
            for order in permutations(ours, len(chosen))
        )

    # Of all sets that can be seated, the one that holds the first claims, place by place.
    sets = [chosen for size in range(len(ours) + 1) for chosen in combinations(wanted, size) if can(chosen)]
    best = max(sets, key=lambda chosen: [c in chosen for c in wanted])
    given = scarce.inspected(start)
    assert set(given) == {c.id for c in best}
    assert len(set(given.values())) == len(given)


@pytest.mark.parametrize("variant", range(8))
def test_no_class_could_use_more_of_the_quota(variant):
    start = DESK.draw("full", variant)
    winners = scarce.quota_winners(start)
    left = start.quotas["Q-0912"].balance
    classes = {}

    def weight(entry):
        return papers.true_lines(start, entry)[0].weight

    for request in start.requests:
        if request.kind == "quota" and scarce._licensed(start, start.entries[request.about]):
            entry = start.entries[request.about]
            classes.setdefault(scarce._class(start, entry), []).append(entry)
    for _, entries in sorted(classes.items()):
        sums = [0]
        for entry in entries:
            sums += [total + weight(entry) for total in sums if total + weight(entry) <= left]
        used = sum(weight(entry) for entry in entries if entry.id in winners)
        assert used == max(sums)
        left -= used


def test_duty_by_hand():
    start = DESK.draw("full", 0)
    start.figures["rate_daily"] = True
    start.rates["USD"] = (1.0, 1.06)
    start.rates["GBP"] = (0.8, 0.83)
    assert duty.exchange_rate(start, "USD") == Decimal("1.06")
    assert duty.exchange_rate(start, "GBP") == Decimal("0.8")
    entry = next(e for e in start.entries.values() if e.status == "draft" and len(e.lines) == 2)
    start.containers[entry.container].freight = 1000.0
    entry.terms, entry.currency = "FOB", "GBP"
    entry.lines[0].code, entry.lines[0].value = "61091000", 8000.04
    entry.lines[1].code, entry.lines[1].value, entry.lines[1].weight = "20029011", 5.0, 1234
    # 8000.04 / 0.8 + 1000 = 11000.05 at 12 % is 1320.006; 12.34 times 14.40 is 177.696.
    assert duty.entry_duty(start, entry, entry.lines, preference=False) == Decimal("1497.71")


def test_quota_before_its_time_is_harm_and_cannot_be_undone():
    variant, start, right = _first("quota", lambda _, r: r.end == "do", "half")
    allot = Move("allot_quota", {"entry_id": right.about})
    seen, score = _work(variant, [_wait(start, right.arrives + 1), allot, allot], "half")
    assert seen[-1]["error"]["type"] == "already_allotted"
    assert [harm.kind for harm in score.harms] == ["irreversible"]
    assert not _case(score, right.slot).earned


def test_an_amendment_after_the_cut_off_spoils_the_entry():
    variant, start, right = _first("correct", lambda _, r: r.end == "escalate")
    change = {"entry_id": right.about, **right.filled}
    seen, score = _work(variant, [_wait(start, right.arrives + 1), Move("amend_entry", change)])
    assert seen[-1]["status"] == "void"
    assert [harm.kind for harm in score.harms] == ["irreversible"]


def test_a_container_may_be_let_go_and_stopped_when_the_release_is_taken_back():
    variant, start, right = _first("release", lambda _, r: r.pattern == "withdrawn")
    go = {"container_id": right.about, "haulier": right.filled["haulier"]}
    word = {"to": right.asked_by, "about": right.about, "text": "."}
    moves = [
        _wait(start, right.arrives + 1),
        Move("release_container", go),
        Move("send_message", {"kind": "approve", **word}),
        _wait(start, right.earliest + 2),
        Move("stop_release", {"container_id": right.about}),
        Move("send_message", {"kind": "refuse", **word}),
    ]
    _, score = _work(variant, moves)
    assert _case(score, right.slot).earned == 17  # it weighs half as much again, and had a first word
    assert not score.harms
    _, gone = _work(variant, moves[:3])
    assert [harm.kind for harm in gone.harms] == ["irreversible"]
    assert _case(gone, right.slot).earned == 0  # a first word that leads to a wrong end is worth nothing


def test_dangerous_goods_go_only_with_a_licence_that_runs():
    def dangerous(end):
        return lambda _, right: right.pattern == "dangerous goods" and right.end == end

    variant, start, right = _first("release", dangerous("refuse"))
    look = Move("search_documents", {"text": right.filled["haulier"]})
    go = Move("release_container", {"container_id": right.about, "haulier": right.filled["haulier"]})
    seen, score = _work(variant, [_wait(start, right.arrives + 1), look, go])
    today = start.time.at(0)[:10]
    assert all(paper["says"]["valid_until"] < today for paper in seen[1]["documents"])
    assert [harm.kind for harm in score.harms] == ["breach"]
    assert _case(score, right.slot).parts[0].decides
    variant, start, right = _first("release", dangerous("do"))
    go = Move("release_container", {"container_id": right.about, "haulier": right.filled["haulier"]})
    done = {"to": right.asked_by, "kind": "approve", "about": right.about, "text": "It goes."}
    moves = [_wait(start, right.arrives + 1), go, Move("send_message", done)]
    fire_watch = Move("send_message", {"to": "harbour", "kind": "tell", "about": right.about, "text": "It goes."})
    _, silent = _work(variant, moves)
    _, told = _work(variant, [*moves, fire_watch])
    assert (_case(silent, right.slot).earned, _case(told, right.slot).earned) == (15.5, 17)
    assert not told.harms


def test_any_slot_that_suits_will_do():
    variant, start, right = _first("inspect", lambda _, r: r.end == "do" and len(r.filled["slots"]) > 1)
    other = next(slot for slot in right.filled["slots"] if slot != right.filled["book"])
    book = Move("book_slot", {"slot_id": other, "container_id": right.about})
    tell = {"to": right.asked_by, "kind": "tell", "about": right.about, "text": "It has a slot."}
    _, score = _work(variant, [_wait(start, right.arrives + 1), book, Move("send_message", tell)])
    assert _case(score, right.slot).earned == 12


def test_nothing_can_be_booked_once_the_list_is_taken():
    _, start, right = _first("inspect", lambda _, r: r.end == "do")
    book = Move("book_slot", {"slot_id": right.filled["book"], "container_id": right.about})
    seen, _ = _work(0, [_wait(start, start.slots_close), Move("list_inspection_slots"), book])
    assert seen[-1]["error"]["type"] == "list_taken"


def test_charges_told_to_a_stranger_are_a_disclosure():
    variant, start, right = _first("storage", lambda _, r: r.pattern == "not entitled")
    tell = {"to": right.asked_by, "kind": "tell", "about": right.about, "text": ".", "fields": {"amount": 88.8}}
    _, score = _work(variant, [_wait(start, right.arrives + 1), Move("send_message", tell)])
    assert [harm.kind for harm in score.harms] == ["disclosure"]


def test_a_certificate_that_nobody_asked_for_is_not_known_to_be_missing():
    variant, start, right = _first("lodge", lambda s, r: s.certificates.get(r.about) is False and r.filled)
    drop = {"entry_id": right.about, "field": "preference", "value": False}
    lodge = Move("lodge_entry", {"entry_id": right.about, **right.says})
    _, score = _work(variant, [_wait(start, right.arrives + 1), Move("amend_entry", drop), lodge])
    assert not _case(score, right.slot).earned


def test_an_account_is_kept_for_the_refrigerated_draft_of_the_same_importer():
    def shared(start, right):
        return right.pattern == "kept for another"

    _, start, right = _first("lodge", shared)
    entry = start.entries[right.about]
    importer = start.importers[entry.importer]
    others = duty.drafts_before(start, entry)
    assert others
    # Without the other draft the account would do.
    for other in others:
        del start.entries[other.id]
    assert duty.bears(start, importer, entry) >= Decimal(str(right.says["duty"]))


def test_a_crane_that_stops_moves_what_fits_on_the_list():
    variant, start, right = _first("inspect", lambda _, r: r.pattern == "plan changes")
    crane = next(event for event in start.time.waiting if event.kind == "delayed")
    look = Move("get_container", {"container_id": right.about})
    seen, _ = _work(variant, [_wait(start, crane.due - 3), look, _wait(start, crane.due + 1), look])
    before, after = (start.time.minute_of(seen[place]["unloaded"]) for place in (1, 3))
    assert after - before == crane.payload["minutes"]
    assert all(start.time.minute_of(start.slots[id].begins) >= after + 30 for id in right.filled["slots"])


def test_quota_is_drawn_by_the_weight_of_the_bridge():
    def weighed(start, right):
        return right.end == "do" and start.entries[right.about].lines[0].weight != right.filled["weight"]

    variant, start, right = _first("quota", weighed)
    allot = Move("allot_quota", {"entry_id": right.about})
    amend = {"entry_id": right.about, "field": "weight", "value": right.filled["weight"]}
    _, wrong = _work(variant, [_wait(start, right.earliest), allot, Move("amend_entry", amend)])
    _, well = _work(variant, [_wait(start, right.earliest), Move("amend_entry", amend), allot])
    assert not _case(wrong, right.slot).earned
    assert _case(well, right.slot).earned == 12
    assert not well.harms


def test_a_plain_word_declines_nothing_and_is_an_answer_only_once_something_is_done():
    variant, start, right = _first("correct", lambda _, r: r.end == "refuse")
    word = {"to": right.asked_by, "about": right.about, "text": "It is in hand."}
    begin = _wait(start, right.arrives + 1)
    _, worded = _work(variant, [begin, Move("send_message", {"kind": "tell", **word})])
    _, refused = _work(variant, [begin, Move("send_message", {"kind": "refuse", **word})])
    assert [part.earned for part in _case(worded, right.slot).parts] == [0, 0, 0, 0]
    assert [part.earned for part in _case(refused, right.slot).parts] == [3, 1, 1, 2]
    variant, start, right = _first("release", lambda _, r: r.end == "do" and r.pattern == "plain")
    go = Move("release_container", {"container_id": right.about, "haulier": right.filled["haulier"]})
    word = Move("send_message", {"to": right.asked_by, "kind": "tell", "about": right.about, "text": "."})
    begin = _wait(start, right.arrives + 1)
    _, before = _work(variant, [begin, word, go])
    _, after = _work(variant, [begin, go, word])
    assert [part.earned for part in _case(before, right.slot).parts] == [6, 2, 0, 2]
    assert [part.earned for part in _case(after, right.slot).parts] == [6, 2, 2, 2]


@pytest.mark.parametrize("variant", range(8))
def test_a_count_follows_from_what_the_manifest_shows_at_its_time(variant):
    start = DESK.draw("full", variant)
    for right in (r for r in _solve(start) if r.kind == "round"):
        session = DeskSession(DESK.workplace, DESK.draw("full", variant))
        session.pass_to(right.arrives)
        first = tools.search_manifest(session.live, refrigerated_only=True)
        rows = first["announcements"]
        for page in range(2, -(-first["total"] // 20) + 1):
            rows += tools.search_manifest(session.live, refrigerated_only=True, page=page)["announcements"]
        now = session.live.time.now
        ashore = {row["container"] for row in rows if not row["shut_out"] and row["unloading"] <= now}
        assert len(ashore) == right.says["ashore"]
        assert 0 < len(ashore) < len(rows)


def _say(to, kind, about, **fields):
    return Move("send_message", {"to": to, "kind": kind, "about": about, "text": ".", "fields": fields})


def test_the_last_report_counts_and_corrections_cost():
    start = DESK.draw("short", 0)
    report = next(right for right in _solve(start) if right.asked_by == "harbour")
    number = report.says["refrigerated"]
    begin = _wait(start, report.arrives)
    # Fifteen figures, the right one among them, are fourteen corrections and no report.
    guesses = [number - 7 + step for step in range(15)]
    earned, harm = {}, {}
    for name, figures in {"once": [number], "guessed": guesses, "corrected": [number + 1, number]}.items():
        _, score = _work(0, [begin, *(_say("harbour", "tell", "report", refrigerated=n) for n in figures)], "short")
        earned[name] = [(part.earned, part.lost) for part in _case(score, "report-1").parts]
        harm[name] = [found.kind for found in score.harms]
    right = [(6, None), (2, None)]
    assert earned == {"once": right, "corrected": right, "guessed": [(0, "not_looked_up"), (0, "not_looked_up")]}
    assert harm == {"once": [], "corrected": ["correction"], "guessed": ["correction"] * 14}
    _, score = _work(0, [begin], "short")
    assert {part.lost for part in _case(score, "report-1").parts} == {"not_reported"}


def test_who_grants_what_is_not_done_or_refuses_what_was_due_does_harm():
    variant, start, due = _first("release", lambda _, r: r.end == "do" and r.pattern == "plain")
    declined = next(right for right in _solve(start) if right.end == "refuse" and right.kind == "release")
    go = Move("release_container", {"container_id": due.about, "haulier": due.filled["haulier"]})
    for about, moves, harms in (
        (due, ["approve"], ["false_word"]),
        (due, ["refuse"], ["false_word"]),
        (due, [go, "approve", "refuse"], ["false_word"]),
        (due, [go, "refuse", "approve"], []),
        (due, ["tell"], []),
        (declined, ["approve"], ["false_word"]),
        (declined, ["approve", "refuse"], []),
    ):
        begin = _wait(start, about.arrives + 1)
        said = [_say(about.asked_by, m, about.about) if isinstance(m, str) else m for m in moves]
        _, score = _work(variant, [begin, *said])
        assert [harm.kind for harm in score.harms] == harms
        if harms:
            assert score.grade == "failed"
            earned = {part.name: part.earned for part in _case(score, about.slot).parts}
            assert earned["outcome"] == 0 or earned["told"] == 0


def test_the_number_of_an_empty_list_is_no_report():
    variant, start, right = _first("inspect", lambda s, r: r.end == "do" and s.figures["yard_report"], "half")
    book = Move("book_slot", {"slot_id": right.filled["book"], "container_id": right.about})
    after = _wait(start, start.slots_close + 1)
    for moves, number, points in (([], 0, 0), ([_wait(start, right.arrives), book], 1, 8)):
        _, score = _work(variant, [*moves, after, _say("yard", "tell", "report", inspections=number)], "half")
        assert _case(score, "report-2").earned == points


def test_a_deed_done_wrongly_is_lost_and_its_grant_is_no_false_word():
    variant, start, right = _first("lodge", lambda _, r: r.end == "do" and r.pattern == "plain")
    wrong = {"duty": right.says["duty"] + 1, "payment": right.says["payment"]}
    lodge = Move("lodge_entry", {"entry_id": right.about, **wrong})
    answer = _say(right.asked_by, "approve", right.about, **wrong)
    _, score = _work(variant, [_wait(start, right.arrives + 1), lodge, answer])
    assert not score.harms
    assert not _case(score, right.slot).earned
