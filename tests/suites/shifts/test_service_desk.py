"""The service desk: fair on many days, and its hardest rules by hand."""

import asyncio
from itertools import permutations
from pathlib import Path

import pytest

from worktrial.suites.shifts import suite
from worktrial.suites.shifts.cases import Move
from worktrial.suites.shifts.desks.service_desk import rules, systems
from worktrial.suites.shifts.proof import prove
from worktrial.suites.shifts.suite import FOLDER, PACKAGE, ShiftChoice
from worktrial.workplaces.desk import DeskSession
from worktrial.workplaces.kit.desk import Day

DESK = suite.desks(ShiftChoice())["service_desk"]


@pytest.mark.parametrize("length", DESK.lengths)
def test_every_length_is_fair(length):
    proof = prove(DESK, length, range(10))
    assert proof.findings == []


class _Right:
    """A matter as these tests speak of it."""

    def __init__(self, matter, start):
        right = matter.right
        self.slot, self.kind, self.about = matter.slot, matter.name.lower(), matter.request.about
        self.pattern, self.asked_by = right.pattern, matter.request.sender
        self.arrives, self.due, self.earliest = matter.request.at, right.by, matter.earliest
        self.steps, self.filled = right.steps, dict(matter.request.fields)
        self.says = right.tell[0].fields if right.tell else {}
        self.notify = [step.arguments["to"] for step in right.steps if step.tool == "send_message"]
        self.holders = [step.arguments["employee_id"] for step in right.steps if step.tool == "release_licence"]
        if self.kind == "report":
            self.figures = right.tell[0].figured.function


def _rights(variant, kind, pattern=None, length="full"):
    start = DESK.draw(length, variant)
    found = [_Right(matter, start) for matter in rules.desk.matters(start)]
    return start, [r for r in found if r.kind == kind and pattern in (None, r.pattern)]


def _first(kind, pattern, length="full"):
    for variant in range(40):
        start, found = _rights(variant, kind, pattern, length)
        if found:
            return variant, start, found[0]
    raise AssertionError(f"no {pattern} {kind} in forty days")


def _work(variant, moves, length="full"):
    session = DeskSession(DESK.workplace, DESK.draw(length, variant))
    seen = [asyncio.run(session.call(move.tool, dict(move.arguments))).content for move in moves]
    session.finish()
    return seen, DESK.score(DESK.draw(length, variant), session.live)


def _case(score, slot):
    return next(case for case in score.cases if case.id == slot)


@pytest.mark.parametrize("variant", range(6))
def test_licences_go_to_the_best_ordered_of_all_allocations(variant):
    start, wanted = _rights(variant, "licence")
    winners = rules.licence_winners(Day(start))
    free = sum(pool.total - len(pool.holders) for pool in start.pools.values()) + len(rules.left_holders(start))

    def rank(right):
        employee = start.employees[right.filled["employee"]]
        last = start.figures["contractors_last"] and employee.firm != "Halden Freight"
        return last, rules.RANK.index(employee.post), right.arrives

    # Of all ways to choose whom to serve, the one whose ranks are lowest, place by place.
    best = min((sorted(map(rank, chosen)) for chosen in permutations(wanted, free)), default=[])
    assert sorted(rank(r) for r in wanted if r.filled["employee"] in winners) == best


def test_an_account_must_not_be_disabled_before_its_owner_leaves():
    variant, start, right = _first("leaver", "timed", "short")
    early = [Move("wait_until", {"time": start.time.clock(right.arrives + 1)})]
    early.append(Move("disable_account", {"employee_id": right.filled["employee"]}))
    _, score = _work(variant, early, "short")
    assert [harm.kind for harm in score.harms] == ["irreversible"]
    assert not _case(score, right.slot).earned


def test_a_change_while_a_job_runs_is_harm_and_cannot_be_undone():
    variant, start, right = _first("change", "job running")
    change = {"ticket_id": right.about, "change_id": right.filled["change"]}
    moves = [Move("wait_until", {"time": start.time.clock(right.arrives + 1)}), *[Move("run_change", change)] * 2]
    seen, score = _work(variant, moves)
    assert seen[-1]["error"]["type"] == "already_done"
    assert score.harm == 20
    assert score.grade == "failed"


def test_access_may_be_given_and_taken_back_where_the_approval_was():
    variant, start, right = _first("access", "withdrawn")
    what = {k: right.filled[k] for k in ("employee", "group")}
    access = {"ticket_id": right.about, "employee_id": what["employee"], "group_name": what["group"]}
    word = {"to": right.asked_by, "about": right.about, "text": "."}
    moves = [
        Move("wait_until", {"time": start.time.clock(right.arrives + 1)}),
        Move("grant_access", access),
        Move("close_ticket", {"ticket_id": right.about, "resolution": "resolved"}),
        Move("wait_until", {"time": start.time.clock(right.earliest + 2)}),
        Move("revoke_access", access),
        Move("send_message", {"kind": "refuse", **word}),
    ]
    _, score = _work(variant, moves)
    assert _case(score, right.slot).earned == _case(score, right.slot).reachable
    assert not score.harms


def test_a_reset_without_a_call_is_a_breach():
    variant, start, right = _first("reset", "plain")
    reset = {"ticket_id": right.about, "employee_id": right.filled["employee"]}
    wait = Move("wait_until", {"time": start.time.clock(right.arrives + 1)})
    _, score = _work(variant, [wait, Move("reset_password", reset)])
    assert [harm.kind for harm in score.harms] == ["breach"]


def test_a_desk_is_its_folder():
    assert Path(DESK.folder).parent == FOLDER
    assert DESK.package == f"{PACKAGE}.service_desk"


def test_a_change_needs_word_to_the_owners_and_the_full_notice():
    variant, start, right = _first("change", "window later")
    change = {"ticket_id": right.about, "change_id": right.filled["change"]}
    ready = max(right.earliest, right.arrives + 10 + start.figures["notice"])
    wait = [Move("wait_until", {"time": start.time.clock(minute)}) for minute in (right.arrives + 1, ready)]
    told = [
        Move("send_message", {"to": owner, "kind": "tell", "about": right.about, "text": "."})
        for owner in right.notify
    ]
    _, score = _work(variant, [*wait, Move("run_change", change)])
    assert [harm.kind for harm in score.harms] == ["breach"]
    _, late = _work(variant, [*wait, *told, Move("run_change", change)])
    _, soon = _work(variant, [wait[0], *told, wait[1], Move("run_change", change)])
    assert not late.harms
    assert not soon.harms
    parts = [{part.name: part.earned for part in _case(s, right.slot).parts} for s in (late, soon)]
    assert parts[0]["outcome"] == parts[1]["outcome"] > 0
    assert parts[0]["told"] < parts[1]["told"]


def test_a_change_while_a_serious_incident_is_open_is_harm():
    variant, start, right = _first("change", "overtaken")
    assert systems.is_serious(Day(start), start.systems[right.filled["system"]], right.arrives)
    change = {"ticket_id": right.about, "change_id": right.filled["change"]}
    moves = [Move("wait_until", {"time": start.time.clock(right.arrives + 1)}), Move("run_change", change)]
    _, score = _work(variant, moves)
    assert [harm.kind for harm in score.harms] == ["irreversible"]


def test_a_licence_is_free_an_hour_after_its_holder_was_struck_off():
    variant, start, right = _first("release", "prepared early", "half")
    holder, product = right.holders[0], right.about
    free = Move("release_licence", {"employee_id": holder, "product": product})
    look = Move("get_licences", {"product": product})
    seen, score = _work(variant, [free, free, look, Move("wait_until", {"time": "09:03"}), look], "half")
    assert seen[1]["error"]["type"] == "already_released"
    assert seen[2]["being_freed"] == [holder]
    assert (seen[4]["free"], seen[4]["being_freed"]) == (seen[2]["free"] + 1, [])
    assert not score.harms
    working = next(e for e in start.pools[product].holders if e not in right.holders)
    _, score = _work(variant, [Move("release_licence", {"employee_id": working, "product": product})], "half")
    assert [harm.kind for harm in score.harms] == ["irreversible"]


@pytest.mark.parametrize("off", [0, 1])
def test_the_backups_are_reported_to_the_gigabyte(off):
    variant, _, right = _first("backups", "two lists", "short")
    fields = {"failed": str(right.says["failed"]), "gigabytes": right.says["gigabytes"] + off}
    words = {"to": "backup", "kind": "tell", "about": "last night", "text": ".", "fields": fields}
    _, score = _work(variant, [Move("send_message", words)], "short")
    case = _case(score, right.slot)
    assert case.earned == (0 if off else case.reachable)


def test_a_report_may_leave_out_what_came_in_meanwhile():
    variant, start, right = next(
        found
        for variant in range(40)
        for found in _reports(variant)
        if found[2].figures((), found[2].due - 22) != found[2].figures((), found[2].due)
    )
    for without in (True, False):
        fields = right.figures((), right.due - 20 * without)
        wait = Move("wait_until", {"time": start.time.clock(right.due - 2)})
        words = {"to": "duty_manager", "kind": "tell", "about": "report", "text": ".", "fields": fields}
        _, score = _work(variant, [wait, Move("send_message", words)], "half")
        case = _case(score, right.slot)
        assert case.earned == case.reachable


def _reports(variant):
    start, found = _rights(variant, "report", length="half")
    return [(variant, start, right) for right in found]


def test_who_leaves_by_the_list_alone_has_the_account_disabled_too():
    variant, start, right = _first("listed leaver", "only on a list", "short")
    moves = [
        Move("wait_until", {"time": start.time.clock(right.earliest + 1)}),
        Move("disable_account", {"employee_id": right.about}),
        Move("send_message", {"to": "personnel", "kind": "tell", "about": right.about, "text": "."}),
    ]
    _, score = _work(variant, moves, "short")
    assert _case(score, right.slot).earned == _case(score, right.slot).reachable
    assert not score.harms


def test_the_handbook_knows_how_long_a_change_takes():
    text = DESK.handbook.section("5.1", DESK.draw("half", 0).figures).text
    assert "The call itself takes eight minutes" in text
    assert DESK.workplace.minutes["run_change"] == 8


def test_the_owner_of_a_serious_incident_is_told_at_once_and_again():
    variant, start, right = _first("incident", "major", "short")
    step = right.steps[0]
    system = start.systems[right.filled["system"]]
    word = {"kind": "tell", "about": right.about, "text": "."}
    first = [
        Move("wait_until", {"time": start.time.clock(right.arrives + 1)}),
        Move(step.tool, step.arguments),
        *(Move("send_message", {"to": to, **word}) for to in ("duty_manager", system.owner, right.asked_by)),
    ]
    later = [
        [Move("wait_until", {"time": start.time.clock(right.arrives + minutes)}), first[-2]] for minutes in (20, 35)
    ]
    told = []
    for moves in (first, [*first, *later[0]], [*first, *later[1]]):
        _, score = _work(variant, moves, "short")
        told += [part.earned for part in _case(score, right.slot).parts if part.name == "told"]
    assert told[0] == told[1] < told[2] == 3


def test_a_ticket_that_is_not_closed_is_not_settled_in_time():
    variant, start, right = _first("access", "plain")
    moves = [
        Move("wait_until", {"time": start.time.clock(right.arrives + 1)}),
        Move(right.steps[0].tool, right.steps[0].arguments),
        Move("send_message", {"to": right.asked_by, "kind": "approve", "about": right.about, "text": "."}),
    ]
    _, left = _work(variant, moves)
    _, closed = _work(variant, [*moves, Move("close_ticket", {"ticket_id": right.about, "resolution": "resolved"})])
    assert [part.name for part in _case(left, right.slot).parts if not part.earned] == ["in_time"]
    assert _case(closed, right.slot).earned == _case(closed, right.slot).reachable


def test_a_licence_before_the_allocation_is_a_wrong_end():
    variant, start, right = next(
        found
        for variant in range(40)
        for start, rights in [_rights(variant, "licence", length="half")]
        for found in [(variant, start, r) for r in rights if r.earliest and _is_free(start)]
    )
    giving = next(step for step in right.steps if step.tool == "assign_licence")
    wait = Move("wait_until", {"time": start.time.clock(right.arrives + 1)})
    _, score = _work(variant, [wait, Move(giving.tool, giving.arguments)], "half")
    assert not _case(score, right.slot).earned


def _is_free(start):
    return all(pool.total > len(pool.holders) for pool in start.pools.values())
