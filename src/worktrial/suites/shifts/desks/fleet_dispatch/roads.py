"""What is right about roads, breakdowns and the duties of the day: handbook, chapters 1, 3, 5, 6 and 7."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from worktrial.language import JsonValue
from worktrial.workplaces import kit as wt
from worktrial.workplaces.desk import Act

from .docks import GOODS_RANK
from .hours import may_drive, routes_to
from .state import Load, State
from .words import (
    CERTIFICATES,
    REPORT,
    asked_for,
    before_departure,
    contact_of,
    desk,
    heard_at,
    know,
    refuse,
    word,
    yes,
)

WORD_OF_LATE = 30
"""Minutes from a bulletin within which consignees of loads that it makes late hear of it (section 6.1)."""
_REPORT_SLACK = 20  # minutes in which a new breakdown may or may not be in a report yet
_SOON = 14  # days ahead in which a certificate that ends is counted


@desk.matter("breakdown", raised_by=asked_for("breakdown"))
def breakdown(day: Any, asked: wt.MatterRequest) -> wt.Right:
    """Trucks that cannot go on (7.1 to 7.3)."""
    new = day.coming("breakdown", id=asked.about)[0].payload
    believed = wt.act("order_tow", breakdown_id=asked.about, tow="light")
    more: dict[str, Any] = {"naive": believed, "unasked": True, "first_word": False}
    known = (b for b in day.breakdowns.values() if b.status in ("open", "recovery ordered"))
    same = [b.id for b in known if b.road == new["road"] and abs(b.km - new["km"]) <= 2.0001]
    if same:
        return wt.right(
            wt.act("mark_same", breakdown_id=asked.about, same_as=same[0]),
            because="7.2: a report from within two kilometres on the same road is the same breakdown.",
            tell=[wt.tell(asked.sender, "tell", "approve", "refuse")], by=asked.at + 60, pattern="duplicate",
            weight="light", **more,
        )  # fmt: skip
    truck, load, blocking = day.trucks[new["truck"]], _load_on(day, new["truck"]), bool(new["blocking"])
    on_pass = bool(day.figures["pass_heavy"]) and day.roads[new["road"]].kind == "pass"
    heavy = on_pass or truck.tonnes + load.tonnes > float(str(day.figures["heavy_tonnes"]))
    because = (
        "C-2026-07: recovery on passes is always heavy; 7.3: who is told."
        if on_pass
        else "7.1: recovery by the weight of truck and load; 7.3: who is told."
    )
    return wt.right(
        wt.act("order_tow", breakdown_id=asked.about, tow="heavy" if heavy else "light"), because=because,
        tell=[
            wt.tell(asked.sender, "tell", "approve"), know(contact_of(day, load)),
            *([know("road_authority")] if blocking else []),
        ],
        by=asked.at + (25 if blocking else 60), critical=blocking, weight="heavy" if blocking else "usual",
        pattern="later circular" if on_pass else "blocking" if blocking else "plain", about=(load.id,), **more,
    )  # fmt: skip


def _load_on(day: Any, truck: str | None) -> Load:
    found: Load = next(load for load in day.loads.values() if load.truck == truck and load.status == "under way")
    return found


@desk.matter("recovery", raised_by=asked_for("recovery"))
def recovery(day: Any, asked: wt.MatterRequest) -> wt.Right:
    """Two trucks that wait for the one heavy vehicle (7.4)."""
    ranked = []
    for id in (asked.one, asked.other):
        waiting = day.breakdowns[id]
        load = _load_on(day, waiting.truck)
        ranked.append((not waiting.blocking, GOODS_RANK.index(load.group), waiting.reported, id, load))
    (*_, first, _), (*_, second, last) = sorted(ranked, key=lambda row: row[:3])
    (one, goods, *_), (other, other_goods, *_) = ranked
    return wt.right(
        because="7.4: a blocked carriageway goes first, then the goods, then the earlier report; whoever waits is "
        "told.",
        tell=[wt.tell(asked.sender, "tell", first=first), know(contact_of(day, last))], by=asked.at + 30,
        pattern="blocking" if one != other else "goods" if goods != other_goods else "order", unasked=True,
        first_word=False, about=(first, second, last.id),
    )  # fmt: skip


@desk.matter("closure", raised_by=asked_for("closure"))
def closure(day: Any, asked: wt.MatterRequest) -> wt.Right:
    """Roads that somebody reports closed (5.1 and 5.2)."""
    road = day.roads[asked.about]
    posting = wt.act("set_road", road_id=road.id, status="closed")
    asks: list[wt.AnswerNeeded] = []
    today = f"{day.time.begins:%Y-%m-%d}"
    if day.coming("bulletin", road=road.id):
        pattern, because = "bulletin", "5.1: the board follows the road authority's bulletin."
    elif any(p.kind == "police order" and p.about == road.id and p.date == today for p in day.papers):
        pattern, because = "police", "5.2: a police order of the same day counts like a bulletin."
    else:
        pattern, asks = "ask", [wt.asked_of("road_authority", road.id)]
        because = "5.2: a driver's word alone closes no road; the road authority is asked, and decides."
    more: dict[str, Any] = {"pattern": pattern, "unasked": True}
    if asks and not day.opinions[road.id]["road_authority"]:
        closed = wt.judged(posting, lambda end: float(end.roads[road.id].status == "closed"))
        return refuse(asked, because, closed, *asks, by=asked.at + 90, **more)
    assigned = (load for load in day.loads.values() if load.status == "assigned" and load.route)
    loads = [load for load in assigned if road.id in day.routes[load.route].roads]
    routes = {load.id: _other_routes(day, load, road.id) for load in loads}

    def closed_off(end: State) -> float:
        """Half for the board, half for the loads that were planned on the road."""
        moved = [end.loads[id].route in others for id, others in routes.items()]
        return ((end.roads[road.id].status == "closed") + sum(moved) / len(moved)) / 2

    return wt.right(
        *asks, wt.judged(posting, closed_off),
        *(wt.way(wt.act("reroute_load", load_id=id, route_id=others[0])) for id, others in routes.items()),
        because=because, tell=[yes(asked), *(know(str(load.driver)) for load in loads)], naive=posting,
        by=before_departure(day, asked.at + 90, *loads), about=tuple(routes), **more,
    )  # fmt: skip


def _other_routes(day: Any, load: Load, road: str) -> list[str]:
    """Routes that a load may take when a road is closed."""
    return [route.id for route in routes_to(day, load) if may_drive(day, load, route, frozenset({road}))]


@desk.matter("bulletin", raised_by=asked_for("bulletin"))
def bulletin(day: Any, asked: wt.MatterRequest) -> wt.Right:
    """Bulletins of the road authority, and loads that become late by them (5.1 and 6.1)."""
    road, status, by = asked.about, str(asked.status), asked.at + 45
    posting = wt.act("set_road", road_id=road, status=status)
    late: dict[str, tuple[str, str]] = {}
    told = []
    for load in day.loads.values():
        if status != "chains" or load.status != "under way" or road not in day.routes[load.route].roads:
            continue
        eta = day.time.minute_of(str(load.eta)) + int(str(day.figures["chain_minutes"]))
        if eta > day.time.minute_of(load.window[1]):
            late[load.id] = contact_of(day, load), day.time.clock(eta)
            if day.customers[load.customer].penalty:
                told.append(know(load.customer, eta=day.time.clock(eta)))
    if not late:
        because = "5.1: the board follows the bulletin within three quarters of an hour."
        return wt.right(posting, because=because, by=by, naive=posting, first_word=False)

    def heard(end: State) -> list[int | None]:
        return [heard_at(end, person, id, eta=eta) for id, (person, eta) in late.items()]

    def posted(end: State) -> float:
        """Half for the board, half for every consignee who had to be told."""
        words = [minute is not None for minute in heard(end)]
        return ((end.roads[road].status == status) + sum(words) / len(words)) / 2

    soon = asked.at + WORD_OF_LATE
    right = wt.right(
        wt.judged(posting, posted), *(wt.way(word(person, id, eta=eta)) for id, (person, eta) in late.items()),
        because="6.1: consignees of loads that become late by a bulletin are told the new time; 5.1: the board "
        "follows it.",
        tell=told, by=soon, naive=posting, pattern="delay", unasked=True, first_word=False, about=tuple(late),
    )  # fmt: skip

    def went(end: State) -> wt.Right:
        in_time = all(minute is not None and minute <= soon for minute in heard(end))
        return replace(right, by=by if in_time else -1)

    return replace(right, as_it_went=went)


def _hours_of_reports(day: Any) -> Iterator[wt.MatterRequest]:
    times = str(day.figures["reports"]).split(", ")
    for text, following in zip(times, [*times[1:], None], strict=True):
        until = None if following is None else day.time.minute_of(following) - _REPORT_SLACK
        minute = day.time.minute_of(text)
        yield wt.MatterRequest(
            f"{REPORT} {text}", max(0, minute - _REPORT_SLACK), fields={"minute": minute, "until": until}
        )


@desk.matter(REPORT, raised_by=_hours_of_reports)
def report(day: Any, asked: wt.MatterRequest) -> wt.Right:
    """Numbers of breakdowns at set times (1.5)."""

    def counted(acts: Sequence[Act], minute: int) -> dict[str, JsonValue]:
        came = [event.payload for event in day.coming("breakdown") if event.due <= minute]
        new = [one for one in came if one["truck"] is not None]
        return {
            "breakdowns": len(new),
            "blocking": sum(bool(one["blocking"]) for one in new),
            "medical": sum(_load_on(day, one["truck"]).group == "medical" for one in new),
        }

    return wt.right(
        because="1.5: operations gets the numbers of breakdowns, blocked roads and medical loads at the set times.",
        tell=[wt.tell("operations", "tell", figure=wt.figure(counted, slack=_REPORT_SLACK))],
        by=asked.fields["minute"], until=asked.fields["until"], report=True, weight="light", unasked=True,
        pattern="duty",
    )  # fmt: skip


@desk.matter(CERTIFICATES, raised_by=lambda day: [wt.MatterRequest(CERTIFICATES)])
def certificates(day: Any, asked: wt.MatterRequest) -> wt.Right:
    """The count of certificates that have run out, or are about to (3.7)."""
    today = day.time.begins.date()
    ends = [d.hazardous_until for d in day.drivers.values() if d.hazardous_until is not None]
    left = [(date.fromisoformat(text) - today).days for text in ends]
    fields = {"expired": sum(days < 0 for days in left), "soon": sum(0 <= days <= _SOON for days in left)}
    return wt.right(
        because="3.7: compliance gets the numbers of certificates that have run out and that end soon, by the set "
        "time.",
        tell=[wt.tell("compliance", "tell", **fields)], report=True, critical=True, weight="heavy", unasked=True,
        by=day.time.minute_of(str(day.figures["certificates_at"])), pattern="duty",
    )  # fmt: skip
