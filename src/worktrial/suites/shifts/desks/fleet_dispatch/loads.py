"""What is right about drivers and loads: handbook, chapters 3, 4, 6 and 8."""

from collections.abc import Iterator, Sequence
from typing import Any

from worktrial.workplaces import kit as wt

from .docks import dock_winners, dock_wishes
from .hours import DRIVING_LIMIT, may_carry, may_drive, needs_chains, relief_list, right_routes, routes_to
from .names import BARRED_CARRIER
from .state import Driver, Load, State
from .words import asked_for, before_departure, contact_of, desk, know, refuse, word, yes


@desk.matter("assign", raised_by=asked_for("assign"))
def assign(day: Any, asked: wt.MatterRequest) -> wt.Right:
    """Drivers who are offered for a load (3.1 to 3.5 and 4.1 to 4.4)."""
    load, driver, truck = day.loads[asked.about], day.drivers[asked.driver], day.trucks[asked.truck]
    routes = right_routes(day, load, driver)
    chains = bool(routes) and all(needs_chains(day, route) for route in routes) and not truck.chains
    pattern, because = _hours(day, load, driver, routes)
    if chains and pattern == "plain":
        pattern = "chains"
    critical = load.group == "hazardous" or pattern == "hours"
    more: dict[str, Any] = {
        "by": before_departure(day, asked.at + 75, load),
        "pattern": pattern,
        "critical": critical,
        "weight": "heavy" if critical else "usual",
    }
    about = {"load_id": load.id, "driver_id": driver.id}
    believed = wt.act("assign_load", **about, route_id=next(routes_to(day, load)).id)
    if not routes:
        naive = wt.judged(believed, lambda end: float(end.loads[load.id].driver == driver.id))
        return refuse(asked, because, naive, helper="" if asked.sender == "planning" else "planning", **more)

    def assigned(end: State) -> float:
        now = end.loads[load.id]
        fits = now.driver == driver.id and now.route in routes
        return float(fits and (not needs_chains(end, str(now.route)) or end.trucks[truck.id].chains))

    route = next((id for id in routes if not needs_chains(day, id)), routes[0])
    return wt.right(
        *([wt.way(wt.act("fit_chains", truck_id=truck.id))] if chains else []),
        wt.judged(wt.act("assign_load", **about, route_id=route), assigned),
        because=because, tell=[yes(asked)], naive=believed, unasked=chains, about=(driver.id,), **more,
    )  # fmt: skip


def _hours(day: Any, load: Load, driver: Driver, routes: Sequence[str]) -> tuple[str, str]:
    """What makes an offer hard, and the sentence that decides it."""
    dry = [route for route in routes_to(day, load) if may_drive(day, load, route)]
    hours = "plain" if routes or not dry else "hours"
    if not may_carry(day, load, driver):
        return "certificate", "3.5: hazardous goods go with drivers whose certificate is valid today."
    if load.group == "hazardous" and day.figures["tunnel_ban"]:
        because = "C-2026-04: hazardous goods do not go through tunnels; the hours of 3.1 count for what is left."
        return "later circular", because
    if day.figures["winter"]:
        fits = any(driver.driven + route.minutes <= DRIVING_LIMIT for route in dry)
        because = "C-2026-03: driving times are planned with the winter surcharge; 3.1: hours have to cover them."
        return "later circular" if fits and not routes else hours, because
    return hours, "3.1: nobody is sent off whose hours do not cover the trip, planned by 3.2 and 4.1."


@desk.matter("relief", raised_by=asked_for("relief"))
def relief(day: Any, asked: wt.MatterRequest) -> wt.Right:
    """Loads without a driver, for which one of the relief list is found (3.6)."""
    load = day.loads[asked.about]
    departs = day.time.minute_of(load.departs)
    listed = relief_list(day, load.depot)
    rested = [d for d in listed if day.time.minute_of(d.rest_ends) <= departs]
    fit = [d for d in rested if right_routes(day, load, d)]
    willing = next(place for place, d in enumerate(fit) if day.opinions[load.id][d.id])
    driver = fit[willing].id
    routes = right_routes(day, load, fit[willing])

    def relieved(end: State) -> float:
        return float(end.loads[load.id].driver == driver and end.loads[load.id].route in routes)

    first = next(routes_to(day, load)).id
    return wt.right(
        *(wt.asked_of(d.id, load.id) for d in fit[: willing + 1]),
        wt.judged(wt.act("assign_load", load_id=load.id, driver_id=driver, route_id=routes[0]), relieved),
        because="3.6: drivers of the list who are rested and may have the load are asked in its order; who agrees "
        "first gets it, twenty minutes before departure at the latest.",
        tell=[yes(asked)], by=departs - 20, pattern="second" if willing else "early", unasked=True,
        naive=wt.act("assign_load", load_id=load.id, driver_id=listed[0].id, route_id=first), about=(driver,),
    )  # fmt: skip


@desk.matter("extension", raised_by=asked_for("extension"))
def extension(day: Any, asked: wt.MatterRequest) -> wt.Right:
    """Drivers who ask to drive on beyond the limit (3.4)."""
    load, driver = day.loads[asked.about], day.drivers[asked.sender]
    minutes, most = int(asked.fields["minutes"]), int(str(day.figures["extension_minutes"]))
    within = minutes <= most and driver.extensions < int(str(day.figures["extensions_week"]))
    granting = wt.act("grant_extension", driver_id=driver.id, minutes=minutes)
    more: dict[str, Any] = {"by": asked.at + 35, "first_word": False, "unasked": True, "about": (driver.id,)}
    if day.figures["no_hazard_extension"] and load.group == "hazardous":
        because = "C-2026-05: no extension with hazardous goods."
        return refuse(asked, because, granting, helper="planning", pattern="later circular", **more)
    because = "3.4: so many minutes, so often a week; compliance is told, or planning where it is refused."
    if not within:
        return refuse(asked, because, granting, helper="planning", pattern="hours", **more)
    return wt.right(granting, because=because, tell=[yes(asked), know("compliance")], naive=granting, **more)


@desk.matter("fuel", raised_by=asked_for("fuel"))
def fuel(day: Any, asked: wt.MatterRequest) -> wt.Right:
    """AdBlue that drivers ask for (8.1)."""
    load, depot, litres = day.loads[asked.about], day.depots[asked.depot], int(asked.fields["litres"])
    left, doubled = depot.adblue - litres, bool(day.figures["reserve_double"])
    enough = left >= depot.reserve * (2 if doubled else 1)
    circular = doubled and not enough and left >= depot.reserve
    because = "8.1: the reserve is for loads with medical goods."
    if circular:
        because = "C-2026-08: the reserve is doubled."
    releasing = wt.act("release_fuel", truck_id=asked.truck, depot=depot.id, litres=litres)
    more: dict[str, Any] = {"by": asked.at + 75, "weight": "light", "about": (str(asked.truck), depot.id)}
    if not enough and load.group != "medical":
        pattern = "later circular" if circular else "reserve"
        return refuse(asked, because, releasing, helper="operations", pattern=pattern, **more)
    pattern = "plain" if enough else "medical"
    return wt.right(releasing, because=because, tell=[yes(asked)], naive=releasing, pattern=pattern, **more)


@desk.matter("dock", raised_by=asked_for("dock"))
def dock(day: Any, asked: wt.MatterRequest) -> wt.Right:
    """Loads that want one of the few docks (6.5)."""
    given, circular = day.time.minute_of(str(day.figures["docks_at"])), bool(day.figures["frozen_last"])
    wish = next(one for one in day.once(dock_wishes) if one.load == asked.about)
    got = day.once(dock_winners).get(asked.about)
    because = (
        "C-2026-06: docks are given once, by the goods, frozen ones last, then by order of request."
        if circular
        else "6.5: docks are given once, by the goods, then by order of request."
    )
    believed = wt.act("book_dock", load_id=asked.about, dock_id=next(iter(wish.fitting), ""))
    more: dict[str, Any] = {"by": given + 60, "pattern": "scarce"}
    if got is None:
        return refuse(asked, because, believed, helper="planning", **more)

    def docked(end: State) -> float:
        return float(any(end.docks[id].load == asked.about for id in wish.fitting))

    booking = wt.judged(wt.act("book_dock", load_id=asked.about, dock_id=got), docked)
    return wt.right(
        wt.at_minute(given, booking), because=because, tell=[yes(asked)], naive=believed, else_harm="breach",
        **more,
    )  # fmt: skip


@desk.matter("handover", raised_by=asked_for("handover"))
def handover(day: Any, asked: wt.MatterRequest) -> wt.Right:
    """Loads that another carrier would take over (6.6)."""
    load, carrier = day.loads[asked.about], day.carriers[asked.carrier]
    customer = day.customers[load.customer]
    handing = wt.act("hand_over", load_id=load.id, carrier=carrier.name)
    more: dict[str, Any] = {"by": before_departure(day, asked.at + 110, load)}
    barred = customer.contract == "K-2" and carrier.name == BARRED_CARRIER
    if customer.contract == "K-1" or barred:
        because = (
            "K-2: this carrier is excluded for these customers."
            if barred
            else "K-1: loads of these customers go with our own trucks from door to door."
        )
        return refuse(asked, because, handing, pattern="contract", critical=True, weight="heavy", **more)
    because = "6.6: a load may be handed over where neither contract nor goods forbid it; its consignee is told."
    asks, pattern = [], "plain"
    if customer.contract == "K-3":
        because = "K-3: another carrier only with the customer's consent to this load."
        signed = any(p.kind == "consent" and p.about == load.id and p.signed_by == customer.id for p in day.papers)
        said = day.coming(about=load.id)
        taken_back = [event.due for event in said if event.payload["fields"].get("consent") is False]
        asks = [] if signed else [wt.asked_of(customer.id, load.id)]
        pattern = "withdrawn" if taken_back else "consent" if signed else "ask"
        if taken_back or (asks and not day.opinions[load.id][customer.id]):
            since = max(taken_back, default=0)
            return refuse(asked, because, handing, *asks, since=since, pattern=pattern, unasked=bool(asks), **more)
    if load.group == "medical" and day.figures["certified_only"] and not carrier.medical:
        because = "C-2026-02: medical goods only to carriers that are certified for them."
        return refuse(asked, because, handing, *asks, pattern="later circular", unasked=bool(asks), **more)
    consignee = know(contact_of(day, load), carrier=carrier.name)
    return wt.right(
        *asks, handing, because=because, tell=[yes(asked), consignee], naive=handing, pattern=pattern,
        unasked=True, **more,
    )  # fmt: skip


@desk.matter("cancel", raised_by=asked_for("cancel"))
def cancel(day: Any, asked: wt.MatterRequest) -> wt.Right:
    """Loads that are not wanted any more (6.7 and 6.8)."""
    load, by = day.loads[asked.about], asked.at + 60
    cancelling = wt.act("cancel_load", load_id=load.id)
    if asked.sender != load.customer:
        because = "6.7: only the customer can cancel; the customer is told who tried."
        return refuse(asked, because, cancelling, helper=load.customer, by=by, pattern="not entitled")
    left = day.coming("departed", load=load.id)
    if not left:
        because = "6.7: a load that has not left is cancelled; its driver is told."
        told = [yes(asked), know(str(load.driver))]
        return wt.right(cancelling, because=because, tell=told, naive=cancelling, by=by, unasked=True)
    middle = (left[0].due + day.time.minute_of(left[0].payload["eta"])) // 2
    if load.group == "medical":
        because = "6.8: medical goods are never turned back."
        return refuse(asked, because, cancelling, by=by, pattern="medical")
    if asked.at >= middle:
        because = "6.8: beyond half of the way a load goes on to its consignee."
        return refuse(asked, because, cancelling, by=by, pattern="beyond half way")
    return wt.right(
        wt.act("turn_back", load_id=load.id),
        because="6.8: before half of the way a load is turned back; its consignee is told.",
        tell=[yes(asked), know(contact_of(day, load))], naive=cancelling, by=middle, pattern="before half way",
        unasked=True,
    )  # fmt: skip


@desk.matter("details", raised_by=asked_for("details"))
def details(day: Any, asked: wt.MatterRequest) -> wt.Right:
    """People who want to know where a load is (6.3)."""
    load, stands = day.loads[asked.about], contact_of(day, day.loads[asked.about])
    about = {"person_id": asked.sender, "load_id": load.id}

    def shared(end: State) -> float:
        return float(any(call.arguments == about for call in end.acts("share_tracking")))

    sharing = wt.judged(wt.act("share_tracking", **about), shared)
    because = "6.3: tracking is for the customer and for who stands for the site today; the site is told of others."
    more: dict[str, Any] = {"by": asked.at + 75, "weight": "light"}
    if asked.sender not in (stands, load.customer):
        former = asked.sender in [contact.person for contact in day.sites[load.site].contacts]
        pattern = "former" if former else "not entitled"
        return refuse(asked, because, sharing, helper=stands, pattern=pattern, **more)
    return wt.right(sharing, because=because, tell=[yes(asked)], naive=sharing, **more)


def _late_loads(day: Any) -> Iterator[wt.MatterRequest]:
    """Loads that are late by the records, the one first whose window ends first."""
    minute_of = day.time.minute_of
    under_way = (load for load in day.loads.values() if load.status == "under way")
    late = [load for load in under_way if minute_of(str(load.eta)) > minute_of(load.window[1])]
    for place, load in enumerate(sorted(late, key=lambda load: load.window[1])):
        yield wt.MatterRequest(load.id, fields={"first": place == 0})


@desk.matter("delay", raised_by=_late_loads)
def delay(day: Any, asked: wt.MatterRequest) -> wt.Right:
    """Late loads of which nobody asks (6.1)."""
    load, critical = day.loads[asked.about], bool(asked.first)
    customer, eta = day.customers[load.customer], str(load.eta)
    return wt.right(
        word(contact_of(day, load), load.id, eta=eta),
        because="6.1: the consignee of a late load is told the new time before the window ends, the customer where "
        "the contract has a penalty.",
        tell=[know(customer.id, eta=eta)] if customer.penalty else [],
        by=day.time.minute_of(load.window[1]) - int(str(day.figures["notice"])), pattern="nobody asks",
        critical=critical, weight="heavy" if critical else "usual", unasked=True,
    )  # fmt: skip
