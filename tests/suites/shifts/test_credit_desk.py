"""The credit desk: fair on many days, and its hardest rules by hand."""

import asyncio
import re
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from itertools import combinations

import pytest

from worktrial.suites.shifts import suite
from worktrial.suites.shifts.cases import Move
from worktrial.suites.shifts.desks.credit_desk import numbers, rules, tools
from worktrial.suites.shifts.proof import prove
from worktrial.suites.shifts.suite import ShiftChoice
from worktrial.workplaces.desk import DeskSession

DESK = suite.desks(ShiftChoice())["credit_desk"]


@pytest.mark.parametrize("length", DESK.lengths)
def test_every_length_is_fair(length):
    assert prove(DESK, length, range(10)).findings == []


class _Right:
    """A matter as these tests speak of it; amounts are cents, ratios hundredths."""

    def __init__(self, matter, start):
        self.slot, self.about, self.pattern = matter.slot, matter.request.about, matter.right.pattern
        self.kind = "drawdown" if matter.name == "group" else matter.name
        self.arrives, self.due, self.earliest = matter.request.at, matter.right.by, matter.earliest
        self.asked_by = matter.request.sender
        self.asks = tuple(one.person for one in matter.right.asks)
        step = matter.right.steps[0] if matter.right.steps else None
        naive = matter.right.naive
        given = {**(naive.arguments if naive else {}), **(step.arguments if step else {})}
        names = {"value_date": "value", "granted_by": "who"}
        cents = {"fee": "amount", "ratio": "ratio", "used": "utilisation"}
        self.filled = {
            **matter.request.fields,
            **{names.get(name, name): value for name, value in given.items() if name != "amount"},
            **{name: round(100 * given[key]) for name, key in cents.items() if key in given},
        }
        if matter.name == "guarantee":
            self.filled["facility"] = next(iter(matter.looks[1:])).id
        if matter.name == "waiver":
            limit = start.facilities[matter.request.facility].limit
            least = int(start.figures["countersign_from"]) * 100_000_000
            self.filled["second"] = "risk_control" if limit >= least else None
        if matter.right.report:
            told = matter.right.tell[0].fields
            self.filled["fields"] = {name: v if isinstance(v, str) else round(100 * v) for name, v in told.items()}
        self.end = "decline" if step and step.tool == "decline_request" else step.tool if step else "none"
        if step and step.tool == "release_drawdown":
            self.end = f"release {given['value_date']}"
        elif step and step.tool == "record_test":
            self.end = "met" if given["met"] else "breach"
        if "facility" not in self.filled and matter.right.about:
            self.filled["facility"] = matter.right.about[0]


def _solve(start):
    return [_Right(matter, start) for matter in rules.desk.matters(start)]


def _first(wanted, length="full"):
    for variant in range(60):
        start = DESK.draw(length, variant)
        found = next((r for r in _solve(start) if wanted(r)), None)
        if found is not None:
            return variant, start, found
    raise AssertionError("no such matter in sixty days")


def _work(variant, moves, length="full"):
    session = DeskSession(DESK.workplace, DESK.draw(length, variant))
    seen = [asyncio.run(session.call(move.tool, dict(move.arguments))).content for move in moves]
    session.finish()
    return seen, DESK.score(DESK.draw(length, variant), session.live), session.live


def _case(score, slot):
    return next(case for case in score.cases if case.id == slot)


def _wait(start, minute):
    return Move("wait_until", {"time": start.time.clock(minute)})


@pytest.mark.parametrize("variant", range(8))
def test_headroom_goes_to_the_best_of_all_combinations(variant):
    start = DESK.draw("full", variant)
    wanted, room = rules.group_wanted(start), rules.group_room(start)
    fitting = [c for n in range(len(wanted) + 1) for c in combinations(wanted, n) if sum(w[2] for w in c) <= room]

    def worth(chosen):
        return [sum(w[2] for w in chosen if w[1] == rank) for rank in (1, 2, 3)]

    best = max(fitting, key=worth)
    assert {w[0] for w in best} == rules.group_winners(start)
    assert 0 < len(best) < len(wanted)


def test_a_duplicate_that_is_paid_is_money_lost():
    variant, start, right = _first(lambda r: r.pattern == "duplicate" and r.filled["value_date"] == "2026-06-30")
    pay = Move("release_drawdown", {"request_id": right.about, "value_date": "2026-06-30"})
    _, score, _ = _work(variant, [_wait(start, right.arrives + 1), pay])
    assert [harm.kind for harm in score.harms] == ["irreversible"]
    assert not _case(score, right.slot).earned


def test_a_release_can_be_taken_back_until_the_payment_leaves():
    variant, start, right = _first(lambda r: r.pattern == "withdrawn" and r.kind == "drawdown" and r.due < 340)
    value = right.filled["value_date"]
    moves = [
        _wait(start, right.arrives + 1),
        Move("release_drawdown", {"request_id": right.about, "value_date": value}),
        _wait(start, right.earliest + 1),
        Move("reopen_request", {"request_id": right.about}),
        Move("decline_request", {"request_id": right.about}),
        Move(
            "send_message", {"to": right.asked_by, "kind": "refuse", "about": right.about, "text": "As you wish."}
        ),
    ]
    _, score, _ = _work(variant, moves)
    # All but the first word, which was due before the order was taken back.
    assert _case(score, right.slot).earned >= 10
    assert not score.harms


def test_payments_of_today_are_closed_at_the_cut_off():
    variant, _, right = _first(lambda r: r.end == "release 2026-06-30" and r.pattern == "plain")
    pay = Move("release_drawdown", {"request_id": right.about, "value_date": "2026-06-30"})
    later = Move("release_drawdown", {"request_id": right.about, "value_date": "2026-07-01"})
    seen, score, _ = _work(variant, [Move("wait_until", {"time": "15:01"}), pay, later, later])
    assert [content.get("error", {}).get("type") for content in seen[1:]] == [
        "after_cut_off",
        None,
        "already_settled",
    ]
    # The money is there a day late: half of the outcome, and no harm.
    assert _case(score, right.slot).earned == 3
    assert not score.harms


def test_a_large_drawdown_needs_the_word_of_the_funding_desk_for_its_own_amount():
    variant, start, right = _first(lambda r: r.asks == ("funding",) and r.end == "release 2026-06-30")
    ask = {"to": "funding", "kind": "request", "about": right.about, "text": "Confirm, please."}
    amount = right.filled["amount"] / 100
    pay = Move("release_drawdown", {"request_id": right.about, "value_date": right.filled["value"]})
    begin = _wait(start, right.arrives + 1)

    def asked(named):
        return [
            begin,
            Move("send_message", ask | {"fields": {"amount": named}}),
            _wait(start, right.arrives + 45),
            pay,
        ]

    _, with_word, _ = _work(variant, asked(amount))
    _, other_amount, _ = _work(variant, asked(amount - 1))
    assert not with_word.harms
    assert _case(with_word, right.slot).earned >= 8
    assert [harm.kind for harm in other_amount.harms] == ["breach"]
    assert not _case(other_amount, right.slot).earned


def test_collateral_given_up_wrongly_is_gone():
    variant, start, right = _first(lambda r: r.kind == "collateral" and r.end == "decline")
    give = Move("release_collateral", {"request_id": right.about, "collateral_id": right.filled["item"]})
    again = Move("reopen_request", {"request_id": right.about})
    seen, score, _ = _work(variant, [_wait(start, right.arrives + 1), give, again])
    assert seen[-1]["error"]["type"] == "cannot_be_taken_back"
    assert [harm.points for harm in score.harms] == [20]


def test_an_extension_comes_to_light_only_by_asking_for_it():
    variant, start, right = _first(lambda r: r.kind == "guarantee" and r.filled["decision"] == "extended")
    note = Move("settle_guarantee", {"guarantee_id": right.about, "decision": "extended"})
    ask = {"to": right.asks[0], "kind": "ask", "about": right.about, "text": "Has it been extended?"}
    moves = [Move("send_message", ask), _wait(start, 60), Move("send_message", ask | {"kind": "remind"})]
    _, guessed, _ = _work(variant, [note])
    _, known, end = _work(variant, [*moves, _wait(start, 120), note])
    assert _case(guessed, right.slot).earned == 0
    assert _case(known, right.slot).earned == 12  # a guarantee weighs half as much again
    assert any(paper.about == right.about for paper in end.documents)


def test_a_contract_goes_before_the_circular_about_a_haircut():
    start = DESK.draw("full", 0)
    start.figures |= {"haircut_day": True, "haircut_kind": "land", "haircut_new": 45}
    facility = next(iter(start.facilities.values()))
    assert numbers.haircut(start, facility, "land") == 45
    facility.terms.haircuts["land"] = 20
    assert numbers.haircut(start, facility, "land") == 20


def test_notice_skips_the_bank_holiday():
    assert [numbers.business_day(after) for after in (1, 2, 3)] == ["2026-07-01", "2026-07-02", "2026-07-06"]


def test_a_message_may_name_the_facility_instead_of_the_request():
    variant, start, right = _first(lambda r: r.kind == "fee")
    fee = right.filled["fee"] / 100
    word = {"to": right.asked_by, "kind": "tell", "text": "Booked.", "fields": {"fee": f"{fee:.2f}"}}
    moves = [
        _wait(start, right.arrives + 1),
        Move("record_fee", {"request_id": right.about, "amount": fee}),
        Move("send_message", word | {"about": right.filled["facility"]}),
    ]
    _, score, _ = _work(variant, moves)
    assert _case(score, right.slot).earned == 7  # a fee weighs half, and the answer was the first word


def _cent(value):
    return value.quantize(Decimal("0.01"), ROUND_HALF_UP)


def _used(start, facility):
    """Utilisation by sections 4.2 and 4.3, annex A-1 and C-2026-11, from what the tools show."""
    weights = {"loan": "1", "guarantee": "1", "performance bond": "0.5", "letter of credit": "0.2"}
    rates = tools.get_fixings(start)["one_euro_is"] | {"EUR": 1}
    up = Decimal(100 + start.figures["mark_up"]) / 100 if start.figures["mark_up_day"] else Decimal(1)
    total = Decimal(0)
    for use in tools.get_facility(start, facility)["uses"]:
        factor = Decimal(1) if use["currency"] == "EUR" else up / Decimal(str(rates[use["currency"]]))
        total += _cent(_cent(Decimal(str(use["amount"])) * factor) * Decimal(weights[use["kind"]]))
    return total


@pytest.mark.parametrize("variant", range(8))
def test_what_is_confirmed_follows_from_what_the_tools_show(variant):
    start = DESK.draw("full", variant)
    found = [r for r in _solve(start) if r.kind == "inquiry"]
    assert found
    for right in found:
        assert _used(start, right.filled["facility"]) * 100 == right.filled["used"]


@pytest.mark.parametrize("variant", range(8))
def test_fees_follow_from_what_the_tools_show(variant):
    start = DESK.draw("full", variant)
    for right in (r for r in _solve(start) if r.kind == "fee"):
        seen = tools.get_balances(start, right.filled["facility"])
        said = " ".join(c["text"] for c in tools.get_facility(start, right.filled["facility"])["contract"])
        free = re.search(r"The first EUR ([\d,.]+) of", said)
        free_of = Decimal(free[1].replace(",", "")) if free else Decimal(0)
        days = 365 if "over 365" in said else 360
        total = Decimal(0)
        for row in seen["balances"]:
            length = (date.fromisoformat(row["until_before"]) - date.fromisoformat(row["from"])).days
            undrawn = Decimal(str(seen["limit"])) - Decimal(str(row["used"])) - free_of
            total += max(Decimal(0), undrawn) * length
        rate = Decimal(str(seen["fee_percent_a_year"])) / 100
        fee = _cent(total * rate / days) if seen["committed"] else Decimal(0)
        assert fee * 100 == right.filled["fee"]


def test_an_order_stands_whatever_an_assistant_writes():
    variant, start, right = _first(lambda r: r.pattern == "not their word")
    other = [e.payload["sender"] for e in start.expected() if e.payload["about"] == right.about][-1]
    assert other.startswith("P-")
    assert other != right.asked_by
    moves = [
        _wait(start, right.arrives + 25),
        Move("release_drawdown", {"request_id": right.about, "value_date": right.filled["value"]}),
    ]
    _, score, _ = _work(variant, moves)
    assert not score.harms
    assert _case(score, right.slot).earned == 8


def test_a_waiver_recorded_on_an_approval_that_is_taken_back_can_be_put_right():
    variant, start, right = _first(
        lambda r: r.kind == "waiver" and r.pattern == "withdrawn" and not r.filled["second"]
    )
    facility = right.filled["facility"]
    word = {"to": right.asked_by, "kind": "refuse", "about": right.about, "text": "It was taken back."}
    granted = [
        _wait(start, right.arrives + 1),
        Move("record_waiver", {"request_id": right.about, "granted_by": right.filled["who"]}),
        Move("set_stop", {"facility_id": facility, "stopped": False}),
        _wait(start, right.earliest + 1),
    ]
    undone = [
        Move("reopen_request", {"request_id": right.about}),
        Move("decline_request", {"request_id": right.about}),
        Move("send_message", word),
    ]
    stop = Move("set_stop", {"facility_id": facility, "stopped": True})
    _, left, _ = _work(variant, granted)
    _, half, _ = _work(variant, [*granted, *undone])
    _, whole, _ = _work(variant, [*granted, *undone, stop])
    assert [harm.kind for harm in left.harms] == ["breach"]
    assert _case(half, right.slot).earned == 8  # time is of the whole
    assert _case(whole, right.slot).earned == 12
    assert not whole.harms


def test_a_first_word_is_no_answer_and_an_answer_in_time_is_a_first_word():
    variant, start, right = _first(lambda r: r.kind == "fee" and r.arrives > 60)
    word = {"to": right.asked_by, "about": right.about, "text": "It is in hand."}
    fee = right.filled["fee"] / 100
    told = Move("send_message", word | {"kind": "tell"})
    promised = Move("send_message", word | {"kind": "promise", "fields": {"by": "16:55"}})
    booked = Move("record_fee", {"request_id": right.about, "amount": fee})
    answer = Move("send_message", word | {"kind": "tell", "fields": {"fee": fee}})
    begin, late = _wait(start, right.arrives + 1), _wait(start, right.arrives + 40)
    earned = {}
    for name, moves in {
        "word": [begin, told, booked],
        "answer": [begin, booked, answer],
        "late": [late, booked, answer],
        "promise": [begin, promised, booked],
        "nothing": [begin, promised],
    }.items():
        _, score, _ = _work(variant, moves)
        earned[name] = {(part.name, part.because[:3]): part.earned for part in _case(score, right.slot).parts}
    assert earned["word"] == {
        ("outcome", "9.1"): 3,
        ("in_time", "1.2"): 1,
        ("first_word", "1.3"): 2,
        ("told", "1.3"): 0,
    }
    assert sum(earned["answer"].values()) == 7
    assert earned["late"][("first_word", "1.3")] == 0
    assert earned["promise"][("first_word", "1.3")] == 2
    assert not any(earned["nothing"].values())


@pytest.mark.parametrize("variant", range(6))
def test_the_closing_position_counts_what_colleagues_paid_and_what_was_taken_back(variant):
    start = DESK.draw("full", variant)
    own = next(r for r in _solve(start) if r.kind == "drawdown" and r.arrives < 200)
    pay = Move("release_drawdown", {"request_id": own.about, "value_date": "2026-06-30"})
    back = Move("reopen_request", {"request_id": own.about})
    closing = start.time.minute_of("15:00")
    others = [cents for minute, cents in rules.paid_by_others(start) if minute <= closing]

    def tell(count, total):
        fields = {"count": count, "total": total / 100}
        words = {"to": "funding", "kind": "tell", "about": "POS", "text": "So far.", "fields": fields}
        return Move("send_message", words)

    def said(moves, count, total, *corrections):
        told = [tell(count, total), *(tell(*figures) for figures in corrections)]
        _, score, _ = _work(variant, [*moves, _wait(start, closing + 3), *told])
        assert [harm.kind for harm in score.harms if harm.case] == ["correction"] * len(corrections)
        return [part.earned for part in _case(score, "position-4").parts]

    before = _wait(start, 240)
    assert said([], len(others), sum(others)) == [6, 2]
    assert said([before, pay], len(others) + 1, sum(others) + own.filled["amount"]) == [6, 2]
    assert said([before, pay, back], len(others), sum(others)) == [6, 2]
    # A position's two figures earn together, and the last one counts.
    assert said([before, pay], len(others) + 1, sum(others)) == [0, 0]
    assert said([], 0, 0, (len(others), sum(others))) == [6, 2]
    assert said([], len(others), sum(others), (0, 0)) == [0, 0]
    assert said([before, pay], len(others), sum(others)) == [0, 0]


def test_what_was_due_is_not_declined_in_the_register_either():
    variant, start, right = _first(lambda r: r.kind == "fee")
    decline = Move("decline_request", {"request_id": right.about})
    reopen = Move("reopen_request", {"request_id": right.about})
    begin = _wait(start, right.arrives + 1)
    word = {"to": right.asked_by, "about": right.about, "text": "."}
    for moves, harms in (
        ([decline], ["false_word"]),
        ([decline, Move("send_message", word | {"kind": "refuse"})], ["false_word"]),
        ([decline, reopen], []),
        ([Move("send_message", word | {"kind": "approve"})], ["false_word"]),
    ):
        _, score, _ = _work(variant, [begin, *moves])
        assert [harm.kind for harm in score.harms] == harms
    variant, start, right = _first(lambda r: r.kind == "certificate" and r.end != "decline")
    decline = Move("decline_request", {"request_id": right.about})
    _, score, _ = _work(variant, [_wait(start, right.arrives + 1), decline])
    assert [harm.kind for harm in score.harms] == ["false_word"]


def test_the_report_of_large_exposures_is_right_as_a_whole():
    start = DESK.draw("short", 0)
    right = next(r for r in _solve(start) if r.kind == "report")
    figures = {
        name: value if isinstance(value, str) else value / 100 for name, value in right.filled["fields"].items()
    }
    points = []
    for fields in (figures, figures | {"total": 0}, {"count": figures["count"]}):
        tell = {"to": "risk_control", "kind": "tell", "about": "LE", "text": ".", "fields": fields}
        _, score, _ = _work(0, [Move("send_message", tell)], "short")
        points.append([part.earned for part in _case(score, "report").parts])
    assert points == [[9, 3], [0, 0], [0, 0]]


def test_a_guarantee_that_had_to_be_claimed_is_not_written_off():
    variant, _, right = _first(lambda r: r.kind == "guarantee" and r.filled["decision"] == "claim")
    for decision in ("let_expire", "extended"):
        off = Move("settle_guarantee", {"guarantee_id": right.about, "decision": decision})
        _, score, _ = _work(variant, [off])
        assert [harm.kind for harm in score.harms] == ["breach"]


def test_a_verdict_on_a_covenant_counts_with_its_ratio():
    variant, start, right = _first(lambda r: r.kind == "certificate" and r.end == "met")
    earned = []
    for ratio in (right.filled["ratio"] / 100, right.filled["ratio"] / 100 + 0.01):
        test = Move("record_test", {"request_id": right.about, "ratio": ratio, "met": True})
        _, score, _ = _work(variant, [_wait(start, right.arrives + 1), test])
        earned.append(_case(score, right.slot).parts[0].earned)
    assert earned == [6, 0]
