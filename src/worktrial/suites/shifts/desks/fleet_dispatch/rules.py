"""What is right on a day at the dispatch desk, from the handbook's rules and the day's records and events.

Shares no code with the tools: it reads the first state and what is still to come.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal

from worktrial.language import JsonObject
from worktrial.suites.shifts.right import RightEnd
from worktrial.workplaces.people import Kind

from .docks import GOODS_RANK, dock_winners
from .hours import DRIVING_LIMIT, may_carry, may_drive, needs_chains, relief_list, right_routes, routes_to
from .names import BARRED_CARRIER
from .state import Load, State

REPORT = "report"
CERTIFICATES = "certificates"
DUTIES = (REPORT, CERTIFICATES)
FIRST_WORD = 30
"""Minutes within which whoever asks for something hears of the desk at all (section 1.3)."""
WORD_OF_LATE = 30
"""Minutes from a bulletin within which consignees of loads that it makes late hear of it (section 6.1)."""
_AT_ONCE = ("breakdown", "extension", "recovery")
"""Kinds that are answered so soon that they need no first word."""
_SOON = 14  # days ahead in which a certificate that ends is counted
Weight = Literal["grave", "usual", "small"]


@dataclass(frozen=True)
class Right(RightEnd):
    """The right end of one matter."""

    tell: tuple[tuple[str, str], ...] = ()
    """Others who have to be told: id of the person and record that it is about."""

    @property
    def weight(self) -> Weight:
        """Class of the matter by section 1.7."""
        if self.critical:
            return "grave"
        return "small" if self.kind in ("details", "fuel", REPORT) or self.end == "same" else "usual"

    @property
    def plan_by(self) -> int:
        """Minute by which a plan has all of it done: word of loads that a bulletin makes late comes sooner."""
        late = self.kind == "bulletin" and self.filled["late"]
        return self.arrives + WORD_OF_LATE if late else self.due

    @property
    def needs_word(self) -> bool:
        """Whether whoever asked is to hear of the desk soon, if not yet of the end."""
        return bool(self.asked_by and self.answer) and self.kind not in _AT_ONCE


def solve(state: State) -> list[Right]:
    """All matters of a day: requests in order of arrival, then what nobody asks for."""
    counts: dict[str, int] = {}
    found = []
    for event in state.expected():
        kind = event.payload["fields"].get("request")
        if kind is not None:
            counts[kind] = counts.get(kind, 0) + 1
            found.append(_RULES[kind](state, f"{kind}-{counts[kind]}", event.due, event.payload))
    return [*found, *_delays(state), *_reports(state), _certificates(state)]


def contact_of(state: State, load: Load) -> str:
    """Person who stands for a load's consignee today: section 6.3."""
    today = state.time.begins.date()
    contacts = state.sites[load.site].contacts
    return next(c.person for c in contacts if c.until is None or date.fromisoformat(c.until) >= today)


def _answers(done: bool) -> tuple[Kind, ...]:
    return ("approve",) if done else ("refuse",)


def _before_departure(state: State, due: int, *loads: Load) -> int:
    """Minute by which loads have to be dealt with: what has left is changed no more (section 1.2)."""
    return min([due, *(state.time.minute_of(load.departs) - 1 for load in loads)])


def _assign(state: State, slot: str, due: int, said: JsonObject) -> Right:
    load, driver = state.loads[said["about"]], state.drivers[said["fields"]["driver"]]
    truck = state.trucks[said["fields"]["truck"]]
    routes = right_routes(state, load, driver)
    chains = all(needs_chains(state, route) for route in routes) and not truck.chains
    dry = [r for r in routes_to(state, load) if may_drive(state, load, r)]
    section, pattern = "3.1", "plain"
    because = "3.1: nobody is sent off whose hours do not cover the trip, planned by 3.2 and 4.1."
    if not may_carry(state, load, driver):
        section, pattern = "3.5", "certificate"
        because = "3.5: hazardous goods go with drivers whose certificate is valid today."
    elif load.group == "hazardous" and state.figures["tunnel_ban"]:
        section, pattern = "C-2026-04", "later circular"
        because = "C-2026-04: hazardous goods do not go through tunnels; the hours of 3.1 count for what is left."
    elif state.figures["winter"]:
        section = "C-2026-03"
        because = "C-2026-03: driving times are planned with the winter surcharge; 3.1: hours have to cover them."
        pattern = "later circular" if not routes and _fits_when_dry(state, load, driver.driven) else "plain"
    if pattern == "plain":
        pattern = "chains" if routes and chains else "hours" if not routes and dry else "plain"
    end = "do" if routes else "refuse"
    by_planning = said["sender"] == "planning"
    return Right(
        slot,
        load.id,
        "assign",
        pattern,
        end,
        said["sender"],
        due,
        _before_departure(state, due + 75, load),
        because,
        section,
        _answers(bool(routes)),
        () if routes or by_planning else (("planning", load.id),),
        critical=load.group == "hazardous" or pattern == "hours",
        unasked=(chains and bool(routes)) or (not routes and not by_planning),
        filled={"driver": driver.id, "truck": truck.id, "routes": routes, "chains": chains and bool(routes)},
    )


def _fits_when_dry(state: State, load: Load, driven: int) -> bool:
    return any(driven + r.minutes <= DRIVING_LIMIT for r in routes_to(state, load) if may_drive(state, load, r))


def _dock(state: State, slot: str, due: int, said: JsonObject) -> Right:
    wins = said["about"] in dock_winners(state)
    given = state.time.minute_of(str(state.figures["docks_at"]))
    circular = bool(state.figures["frozen_last"])
    times = [state.time.minute_of(said["fields"][name]) for name in ("first", "last")]
    return Right(
        slot,
        said["about"],
        "dock",
        "scarce",
        "do" if wins else "refuse",
        said["sender"],
        due,
        given + 60,
        "6.5: docks are given once, by the goods, then by order of request"
        + ("; C-2026-06: frozen goods after all others." if circular else "."),
        "C-2026-06" if circular else "6.5",
        _answers(wins),
        () if wins else (("planning", said["about"]),),
        unasked=not wins,
        filled={"given": given, "between": times},
    )


def _breakdown(state: State, slot: str, due: int, said: JsonObject) -> Right:
    event = next(e for e in state.time.waiting if e.kind == "breakdown" and e.payload["id"] == said["about"])
    new = event.payload
    same = [
        b.id
        for b in state.breakdowns.values()
        if b.status in ("open", "recovery ordered") and b.road == new["road"] and abs(b.km - new["km"]) <= 2.0001
    ]
    if same:
        return Right(
            slot,
            new["id"],
            "breakdown",
            "duplicate",
            "same",
            said["sender"],
            due,
            due + 60,
            "7.2: a report from within two kilometres on the same road is the same breakdown.",
            "7.2",
            ("tell", "approve", "refuse"),
            unasked=True,
            filled={"same_as": same[0], "road": new["road"]},
        )
    truck = state.trucks[new["truck"]]
    load = next(load for load in state.loads.values() if load.truck == truck.id and load.status == "under way")
    on_pass = bool(state.figures["pass_heavy"]) and state.roads[new["road"]].kind == "pass"
    heavy = on_pass or truck.tonnes + load.tonnes > float(str(state.figures["heavy_tonnes"]))
    tell: tuple[tuple[str, str], ...] = ((contact_of(state, load), load.id),)
    if new["blocking"]:
        tell = (*tell, ("road_authority", new["id"]))
    return Right(
        slot,
        new["id"],
        "breakdown",
        "later circular" if on_pass else "blocking" if new["blocking"] else "plain",
        "tow",
        said["sender"],
        due,
        due + (25 if new["blocking"] else 60),
        "7.1: recovery by the weight of truck and load"
        + ("; C-2026-07: always heavy on passes." if on_pass else "; 7.3: who is told."),
        "C-2026-07" if on_pass else "7.1",
        ("tell", "approve"),
        tell,
        critical=new["blocking"],
        unasked=True,
        filled={
            "tow": "heavy" if heavy else "light",
            "truck": truck.id,
            "load": load.id,
            "road": new["road"],
            "blocking": new["blocking"],
        },
    )


def _order_of_recovery(state: State, slot: str, due: int, said: JsonObject) -> Right:
    ranked = []
    for id in (said["fields"]["one"], said["fields"]["other"]):
        waiting = state.breakdowns[id]
        load = next(
            load for load in state.loads.values() if load.truck == waiting.truck and load.status == "under way"
        )
        ranked.append((not waiting.blocking, GOODS_RANK.index(load.group), waiting.reported, id, load))
    (*_, first, _), (*_, second, last) = sorted(ranked, key=lambda row: row[:3])
    alone = [row[0] for row in ranked]
    pattern = "blocking" if alone[0] != alone[1] else "goods" if ranked[0][1] != ranked[1][1] else "order"
    return Right(
        slot,
        said["about"],
        "recovery",
        pattern,
        "first",
        said["sender"],
        due,
        due + 30,
        "7.4: a blocked carriageway goes first, then the goods, then the earlier report; whoever waits is told.",
        "7.4",
        (),
        ((contact_of(state, last), last.id),),
        unasked=True,
        filled={"first": first, "second": second, "load": last.id},
    )


def _closure(state: State, slot: str, due: int, said: JsonObject) -> Right:
    road = state.roads[said["about"]]
    bulletin = any(e.kind == "bulletin" and e.payload["road"] == road.id for e in state.time.waiting)
    today = f"{state.time.begins:%Y-%m-%d}"
    police = any(p.kind == "police order" and p.about == road.id and p.date == today for p in state.papers)
    asks = not bulletin and not police
    closed = not asks or state.opinions[road.id]["road_authority"]
    rows: list[tuple[str, str, list[str]]] = []
    if closed:
        for load in state.loads.values():
            if load.status == "assigned" and load.route and road.id in state.routes[load.route].roads:
                shut = frozenset({road.id})
                routes = [r.id for r in routes_to(state, load) if may_drive(state, load, r, shut)]
                rows.append((load.id, str(load.driver), routes))
    because = {
        "bulletin": "5.1: the board follows the road authority's bulletin.",
        "police": "5.2: a police order of the same day counts like a bulletin.",
        "ask": "5.2: a driver's word alone closes no road; the road authority is asked, and decides.",
    }
    pattern = "bulletin" if bulletin else "police" if police else "ask"
    return Right(
        slot,
        road.id,
        "closure",
        pattern,
        "do" if closed else "refuse",
        said["sender"],
        due,
        _before_departure(state, due + 90, *(state.loads[load] for load, *_ in rows)),
        because[pattern],
        "5.1" if bulletin else "5.2",
        _answers(closed),
        tuple((driver, load) for load, driver, _ in rows),
        unasked=closed or asks,
        filled={"rows": rows, "asks": asks},
    )


def _bulletin(state: State, slot: str, due: int, said: JsonObject) -> Right:
    road, status = said["about"], said["fields"]["status"]
    late: list[list[str]] = []
    tell: tuple[tuple[str, str], ...] = ()
    for load in state.loads.values():
        if status != "chains" or load.status != "under way" or road not in state.routes[str(load.route)].roads:
            continue
        eta = state.time.minute_of(str(load.eta)) + int(str(state.figures["chain_minutes"]))
        if eta > state.time.minute_of(load.window[1]):
            late.append([contact_of(state, load), load.id, state.time.clock(eta)])
            if state.customers[load.customer].penalty:
                tell = (*tell, (load.customer, load.id))
    return Right(
        slot,
        road,
        "bulletin",
        "delay" if late else "plain",
        "board",
        "",
        due,
        due + 45,
        "5.1: the board follows the bulletin within three quarters of an hour"
        + ("; 6.1: consignees of loads that become late by it are told the new time." if late else "."),
        "6.1" if late else "5.1",
        (),
        tell,
        unasked=bool(late),
        filled={"status": status, "late": late},
    )


def _handover(state: State, slot: str, due: int, said: JsonObject) -> Right:
    load, carrier = state.loads[said["about"]], state.carriers[said["fields"]["carrier"]]
    customer = state.customers[load.customer]
    taken_back = [
        e.due
        for e in state.expected()
        if e.payload["about"] == load.id and e.payload["fields"].get("consent") is False
    ]
    signed = any(p.kind == "consent" and p.about == load.id and p.signed_by == customer.id for p in state.papers)
    asks, done, section, pattern = False, True, "6.6", "plain"
    because = "6.6: a load may be handed over where neither contract nor goods forbid it; its consignee is told."
    if customer.contract == "K-1":
        done, section, pattern = False, "K-1", "contract"
        because = "K-1: loads of these customers go with our own trucks from door to door."
    elif customer.contract == "K-2" and carrier.name == BARRED_CARRIER:
        done, section, pattern = False, "K-2", "contract"
        because = "K-2: this carrier is excluded for these customers."
    elif customer.contract == "K-3":
        section = "K-3"
        because = "K-3: another carrier only with the customer's consent to this load."
        pattern = "withdrawn" if taken_back else "consent" if signed else "ask"
        asks = not signed
        done = not taken_back and (signed or state.opinions[load.id][customer.id])
    if done and load.group == "medical" and state.figures["certified_only"] and not carrier.medical:
        done, section, pattern = False, "C-2026-02", "later circular"
        because = "C-2026-02: medical goods only to carriers that are certified for them."
    return Right(
        slot,
        load.id,
        "handover",
        pattern,
        "do" if done else "refuse",
        said["sender"],
        due,
        _before_departure(state, due + 110, load),
        because,
        section,
        _answers(done),
        ((contact_of(state, load), load.id),) if done else (),
        critical=pattern == "contract",
        unasked=done or asks,
        filled={
            "carrier": carrier.name,
            "asks": asks,
            "customer": customer.id,
            "final": max(taken_back, default=0),
        },
    )


def _cancel(state: State, slot: str, due: int, said: JsonObject) -> Right:
    load = state.loads[said["about"]]
    left = next((e for e in state.time.waiting if e.kind == "departed" and e.payload["load"] == load.id), None)
    consignee, end, pattern, last = contact_of(state, load), "do", "plain", due + 60
    tell: tuple[tuple[str, str], ...] = ((str(load.driver), load.id),)
    because, section = "6.7: a load that has not left is cancelled; its driver is told.", "6.7"
    if said["sender"] != load.customer:
        end, pattern, tell, section = "refuse", "not entitled", ((load.customer, load.id),), "6.7"
        because = "6.7: only the customer can cancel; the customer is told who tried."
    elif left is not None:
        middle = (left.due + state.time.minute_of(left.payload["eta"])) // 2
        section, tell = "6.8", ()
        if load.group == "medical":
            end, pattern, because = "refuse", "medical", "6.8: medical goods are never turned back."
        elif due < middle:
            end, pattern, tell, last = "turn", "before half way", ((consignee, load.id),), middle
            because = "6.8: before half of the way a load is turned back; its consignee is told."
        else:
            end, pattern = "refuse", "beyond half way"
            because = "6.8: beyond half of the way a load goes on to its consignee."
    return Right(
        slot,
        load.id,
        "cancel",
        pattern,
        end,
        said["sender"],
        due,
        last,
        because,
        section,
        _answers(end != "refuse"),
        tell,
        unasked=bool(tell),
    )


def _details(state: State, slot: str, due: int, said: JsonObject) -> Right:
    load, sender = state.loads[said["about"]], said["sender"]
    entitled = sender in (contact_of(state, load), load.customer)
    contacts = [c.person for c in state.sites[load.site].contacts]
    return Right(
        slot,
        load.id,
        "details",
        "plain" if entitled else "former" if sender in contacts else "not entitled",
        "do" if entitled else "refuse",
        sender,
        due,
        due + 75,
        "6.3: tracking is for the customer and for whoever stands for the site today; of others the site is told.",
        "6.3",
        _answers(entitled),
        () if entitled else ((contact_of(state, load), load.id),),
        unasked=not entitled,
    )


def _extension(state: State, slot: str, due: int, said: JsonObject) -> Right:
    load, driver = state.loads[said["about"]], state.drivers[said["sender"]]
    minutes = int(said["fields"]["minutes"])
    granted = minutes <= int(str(state.figures["extension_minutes"])) and driver.extensions < int(
        str(state.figures["extensions_week"])
    )
    barred = bool(state.figures["no_hazard_extension"]) and load.group == "hazardous"
    return Right(
        slot,
        load.id,
        "extension",
        "later circular" if barred else "plain" if granted else "hours",
        "do" if granted and not barred else "refuse",
        driver.id,
        due,
        due + 35,
        "C-2026-05: no extension with hazardous goods."
        if barred
        else "3.4: so many minutes, so often a week; compliance is told, or planning where it is refused.",
        "C-2026-05" if barred else "3.4",
        _answers(granted and not barred),
        (("compliance" if granted and not barred else "planning", load.id),),
        unasked=True,
        filled={"driver": driver.id, "minutes": minutes},
    )


def _relief(state: State, slot: str, due: int, said: JsonObject) -> Right:
    load = state.loads[said["about"]]
    departs = state.time.minute_of(load.departs)
    fit = [
        d.id
        for d in relief_list(state, load.depot)
        if state.time.minute_of(d.rest_ends) <= departs
        and may_carry(state, load, d)
        and right_routes(state, load, d)
    ]
    willing = next(place for place, id in enumerate(fit) if state.opinions[load.id][id])
    return Right(
        slot,
        load.id,
        "relief",
        "early" if not willing else "second",
        "do",
        said["sender"],
        due,
        departs - 20,
        "3.6: drivers of the list who are rested and may have the load are asked in its order; who agrees first "
        "gets it, twenty minutes before departure at the latest.",
        "3.6",
        _answers(True),
        unasked=True,
        filled={
            "driver": fit[willing],
            "ask": fit[: willing + 1],
            "routes": right_routes(state, load, state.drivers[fit[willing]]),
        },
    )


def _fuel(state: State, slot: str, due: int, said: JsonObject) -> Right:
    load, depot = state.loads[said["about"]], state.depots[said["fields"]["depot"]]
    litres = int(said["fields"]["litres"])
    doubled = bool(state.figures["reserve_double"])
    enough = depot.adblue - litres >= depot.reserve * (2 if doubled else 1)
    circular = doubled and not enough and depot.adblue - litres >= depot.reserve
    done = enough or load.group == "medical"
    return Right(
        slot,
        load.id,
        "fuel",
        "plain" if enough else "medical" if done else "later circular" if circular else "reserve",
        "do" if done else "refuse",
        said["sender"],
        due,
        due + 75,
        "C-2026-08: the reserve is doubled." if circular else "8.1: the reserve is for loads with medical goods.",
        "C-2026-08" if circular else "8.1",
        _answers(done),
        () if done else (("operations", load.id),),
        unasked=not done,
        filled={"truck": said["fields"]["truck"], "depot": depot.id, "litres": litres},
    )


def _delays(state: State) -> Iterator[Right]:
    notice = int(str(state.figures["notice"]))
    late = [
        load
        for load in state.loads.values()
        if load.status == "under way" and state.time.minute_of(str(load.eta)) > state.time.minute_of(load.window[1])
    ]
    for number, load in enumerate(sorted(late, key=lambda load: load.window[1]), 1):
        customer = state.customers[load.customer]
        yield Right(
            f"delay-{number}",
            load.id,
            "delay",
            "nobody asks",
            "tell",
            "",
            0,
            state.time.minute_of(load.window[1]) - notice,
            "6.1: the consignee of a late load is told the new time before the window ends, the customer where the "
            "contract has a penalty.",
            "6.1",
            (),
            ((customer.id, load.id),) if customer.penalty else (),
            critical=number == 1,
            unasked=True,
            filled={"late": [[contact_of(state, load), load.id, load.eta]]},
        )


def _reports(state: State) -> Iterator[Right]:
    events = sorted(e for e in state.time.waiting if e.kind == "breakdown")
    medical = {
        load.truck for load in state.loads.values() if load.status == "under way" and load.group == "medical"
    }
    rows = [
        [e.due, e.payload["blocking"], e.payload["truck"] in medical]
        for e in events
        if e.payload["truck"] is not None
    ]
    times = [state.time.minute_of(text) for text in str(state.figures["reports"]).split(", ")]
    for number, (minute, following) in enumerate(zip(times, [*times[1:], None], strict=True), 1):
        yield Right(
            f"report-{number}",
            REPORT,
            REPORT,
            "duty",
            "report",
            "operations",
            max(0, minute - 20),
            minute,
            "1.5: operations gets the numbers of breakdowns, blocked roads and medical loads at the set times.",
            "1.5",
            unasked=True,
            filled={"breakdowns": rows, "until": None if following is None else following - 20},
        )


def _certificates(state: State) -> Right:
    """The count of certificates that have run out, or are about to."""
    minute = state.time.minute_of(str(state.figures["certificates_at"]))
    today = state.time.begins.date()
    left = [
        (date.fromisoformat(d.hazardous_until) - today).days
        for d in state.drivers.values()
        if d.hazardous_until is not None
    ]
    return Right(
        "certificates-1",
        CERTIFICATES,
        CERTIFICATES,
        "duty",
        "report",
        "compliance",
        0,
        minute,
        "3.7: compliance gets the numbers of certificates that have run out and that end soon, by the set time.",
        "3.7",
        critical=True,
        unasked=True,
        filled={"expired": sum(days < 0 for days in left), "soon": sum(0 <= days <= _SOON for days in left)},
    )


_RULES = {
    "assign": _assign,
    "dock": _dock,
    "breakdown": _breakdown,
    "recovery": _order_of_recovery,
    "closure": _closure,
    "bulletin": _bulletin,
    "handover": _handover,
    "cancel": _cancel,
    "details": _details,
    "extension": _extension,
    "relief": _relief,
    "fuel": _fuel,
}
