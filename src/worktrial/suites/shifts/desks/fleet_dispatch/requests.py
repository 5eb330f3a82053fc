"""Matters of a day: for each kind of request the records, the people and the words."""

from collections.abc import Callable
from datetime import timedelta

from . import names
from .day import Day
from .hours import BREAK, DRIVING_LIMIT, SPAN, relief_list
from .state import Breakdown, Driver, Load, Route
from .world import BEGINS, TODAY, clock


def standing_delay(day: Day, number: int, count: int) -> None:
    """A load that is late by the records, about which nobody writes."""
    notice = int(str(day.figures["notice"]))
    part = (day.minutes - 70) / count
    due = round(45 + part * number + day.random.uniform(0, part * 0.7))
    until = due + notice
    route = day.route()
    load = day.load(route, -60, (until - 120, until), "under way")
    _on_the_way(day, load, route, until + day.random.randint(12, 50))


def _on_the_way(day: Day, load: Load, route: Route, eta: int, driver: Driver | None = None) -> Driver:
    driver = driver or day.driver()
    load.driver, load.truck, load.route, load.eta = driver.id, day.truck(), route.id, clock(day.at(eta))
    return driver


def _text(minute: int) -> str:
    return f"{BEGINS + timedelta(minutes=minute):%Y-%m-%d %H:%M}"


def _assign(day: Day, due: int, pattern: str) -> None:
    random, state = day.random, day.state
    routes, driver, truck = day.routes(), day.driver(), day.truck()
    departs = due + random.randint(70, 120)
    group = "hazardous" if pattern in ("tunnel", "certificate") else random.choice(["general", "frozen", "medical"])
    load = day.load(routes["pass"], departs, (departs + 90, departs + 420), "planned", group=group)
    load.truck = truck
    state.trucks[truck].chains = pattern != "chains"
    state.trucks[truck].depot = load.depot
    if pattern == "winter":
        driver.driven = DRIVING_LIMIT - routes["tunnel"].minutes - random.randint(3, 12)
    elif pattern == "hours":
        driver.driven = DRIVING_LIMIT - routes["tunnel"].minutes + random.randint(4, 25)
    elif pattern == "tunnel":
        _bulletin(day, routes["pass"], "closed")
        driver.driven = random.randint(280, 390)
    elif pattern == "chains":
        _bulletin(day, routes["pass"], "chains")
        _bulletin(day, routes["tunnel"], "closed")
        driver.driven = DRIVING_LIMIT - routes["valley"].minutes - random.randint(-10, 25)
    elif pattern == "certificate":
        driver.driven = random.randint(30, 200)
    driver.since_break = random.randint(0, min(60, driver.driven))
    begins = min(departs - random.randint(60, 90), due - 10) - driver.driven
    if pattern == "span":
        driver.driven, driver.since_break = random.randint(260, 300), random.randint(220, 240)
        arrives = departs + routes["tunnel"].minutes + BREAK
        begins = arrives - SPAN - random.randint(4, 30)
    day.begin(driver, load.depot, begins)
    if group == "hazardous":
        left = -random.randint(1, 25) if pattern == "certificate" else random.randint(10, 300)
        driver.hazardous_until = f"{TODAY + timedelta(days=left)}"
    sender = random.choice([driver.id, "planning"])
    words = {"load": load.id, "departs": load.departs, "name": driver.name, "truck": truck}
    day.request(due, "assign", sender, load.id, words=words, driver=driver.id, truck=truck)


def _bulletin(day: Day, route: Route, status: str) -> None:
    """An order of the road authority that stands since before the shift, on the firm's board as well."""
    road = day.state.roads[route.roads[1]]
    road.status = road.bulletin = status  # type: ignore[assignment]


def _dock(day: Day, due: int, pattern: str) -> None:
    random = day.random
    free = sorted(slot.begins for slot in day.state.docks.values() if slot.load is None)
    until = day.state.time.minute_of(str(day.figures["docks_at"])) - 8
    place = random.randrange(len(free))
    last_place = min(len(free) - 1, place + random.choice([0, 0, 1, 2]))
    begins = [day.state.time.minute_of(text) for text in free]
    first, last = begins[place] - random.randint(5, 30), begins[last_place] + random.randint(0, 20)
    route = day.route()
    group = random.choice(["medical", "frozen", "frozen", "hazardous", "general", "general"])
    load = day.load(route, first - 90, (last + 100, last + 400), "assigned", group=group)
    driver = day.driver()
    load.driver, load.truck, load.route = driver.id, day.truck(), route.id
    times = {"first": clock(day.at(first)), "last": clock(day.at(last))}
    day.request(
        min(due, until - random.randint(0, 12)),
        "dock",
        driver.id,
        load.id,
        words={"load": load.id, **times},
        **times,
    )


def _breakdown(day: Day, due: int, pattern: str) -> None:
    random, state = day.random, day.state
    routes = day.routes()
    route = routes["pass"] if pattern == "pass" else random.choice([routes["pass"], routes["valley"]])
    road, km = route.roads[1], random.randint(30, 300) / 10
    eta = due + random.randint(60, 140)
    load = day.load(route, -30, (eta - 60, eta + 60), "under way")
    driver = _on_the_way(day, load, route, eta)
    load.tonnes = random.randint(12, 32) / 2
    day.breakdown_number += random.randint(1, 4)
    id = f"B-{day.breakdown_number}"
    fault = random.choice(names.FAULTS)
    if pattern == "duplicate":
        _standing(day, road, km + random.choice([-1, 1]) * random.randint(3, 17) / 10, load, driver)
        sender = random.choice([day.driver().id, load.customer, day.contact(load).person])
        truck = None
    else:
        if random.random() < 0.5:
            _standing(day, road, km + random.choice([-1, 1]) * random.randint(50, 90) / 10, None, None)
        if random.random() < 0.4:
            old = _standing(day, road, km + random.randint(-10, 10) / 10, None, None)
            old.status, old.reported = "cleared", _text(-random.randint(300, 900))
        sender, truck = driver.id, load.truck
    blocking = pattern == "blocking" or (pattern == "pass" and random.random() < 0.4)
    state.time.add(
        due, "breakdown", id=id, road=road, km=km, by=sender, words=fault, truck=truck, blocking=blocking
    )
    day.request(due, "breakdown", sender, id, words={"road": road, "km": km, "fault": fault, "id": id})


def _standing(day: Day, road: str, km: float, load: Load | None, driver: Driver | None) -> Breakdown:
    """A breakdown on the road that has been reported before the shift, and for which help is on its way."""
    day.breakdown_number += 1
    id = f"B-{day.breakdown_number - 200}"
    day.state.breakdowns[id] = Breakdown(
        id=id,
        road=road,
        km=round(max(km, 0.3), 1),
        reported=_text(-day.random.randint(10, 90)),
        by=driver.id if driver else day.driver().id,
        words=day.random.choice(names.FAULTS),
        truck=load.truck if load else day.truck(),
        status="recovery ordered",
        tow=day.random.choice(["light", "heavy"]),
    )
    return day.state.breakdowns[id]


def _recovery(day: Day, due: int, pattern: str) -> None:
    random = day.random
    groups = random.sample(["medical", "frozen", "hazardous", "general"], 2)
    if pattern == "order":
        groups[1] = groups[0]
    waiting = []
    for group in groups:
        route = day.route()
        eta = due + random.randint(80, 140)
        load = day.load(route, -30, (eta - 60, eta + 60), "under way", group=group)
        driver = _on_the_way(day, load, route, eta)
        found = _standing(day, route.roads[1], random.randint(30, 300) / 10, load, driver)
        found.tow = "heavy"
        waiting.append(found)
    if pattern == "blocking":
        waiting[random.randrange(2)].blocking = True
    if waiting[0].reported == waiting[1].reported:
        waiting[0].reported = _text(-95)
    one, other = random.sample([found.id for found in waiting], 2)
    day.request(due, "recovery", "recovery", one, words={"one": one, "other": other}, one=one, other=other)


def _closure(day: Day, due: int, pattern: str) -> None:
    random, state = day.random, day.state
    routes = day.routes()
    road = routes["pass"].roads[1]
    day.spared.add(road)
    for _ in range(random.choice([1, 1, 2])):
        departs = due + random.randint(85, 130)
        load = day.load(routes["pass"], departs, (departs + 60, departs + 480), "assigned")
        driver = day.driver()
        driver.hazardous_until = f"{TODAY + timedelta(days=200)}"
        day.begin(driver, load.depot, min(departs - random.randint(20, 60), due - 10) - driver.driven)
        load.driver, load.truck, load.route = driver.id, day.truck(), routes["pass"].id
    if pattern == "bulletin":
        state.time.add(due - 1, "bulletin", road=road, status="closed")
    elif pattern == "police":
        day.paper("police order", road, "District police", "Closed to all traffic until further notice.")
    else:
        state.opinions[road] = {"road_authority": pattern == "ask_closed"}
        if random.random() < 0.5:
            day.paper(
                "police order", road, "District police", "Closed to all traffic tonight.", random.randint(1, 4)
            )
    day.request(due, "closure", day.driver().id, road, words={"road": road})


def _order(day: Day, due: int, pattern: str) -> None:
    random, state = day.random, day.state
    route = day.route()
    status = "open" if pattern == "lifted" else "chains"
    eta = due + random.randint(70, 130)
    until = eta + random.randint(2, 12) if pattern == "late" else eta + random.randint(30, 60)
    load = day.load(route, -30, (until - 100, until), "under way")
    _on_the_way(day, load, route, eta)
    beside = day.load(route, -20, (until - 60, eta + 120), "under way")
    _on_the_way(day, beside, route, eta + random.randint(5, 40))
    if pattern == "lifted":
        _bulletin(day, route, "chains")
    road = route.roads[1]
    day.spared.add(road)
    state.time.add(due, "bulletin", road=road, status=status)
    text = random.choice(names.BULLETINS[status]).format(road=road)
    state.expect(
        due, "road_authority", road, f"{road}: bulletin", text, "tell", {"request": "bulletin", "status": status}
    )


def _handover(day: Day, due: int, pattern: str) -> None:
    random, state = day.random, day.state
    route = day.route()
    departs = due + random.randint(90, 130)
    contract = {
        "contract": random.choice(["K-1", "K-2"]),
        "plain": random.choice(["standard", "K-2"]),
        "medical": "standard",
    }.get(pattern, "K-3")
    group = "medical" if pattern == "medical" else random.choice(["frozen", "general"])
    load = day.load(route, departs, (departs + 60, departs + 300), "assigned", group=group, contract=contract)
    load.driver, load.truck, load.route = day.driver().id, day.truck(), route.id
    carriers = [name for name, _ in names.CARRIERS if contract != "K-2" or name != names.BARRED_CARRIER]
    carrier = random.choice(carriers)
    if pattern == "contract" and contract == "K-2":
        carrier = names.BARRED_CARRIER
    state.opinions[load.id] = {load.customer: random.random() < 0.5}
    if pattern in ("consent", "withdrawn"):
        day.paper("consent", load.id, load.customer, "Another carrier may run this load.", random.randint(0, 2))
    elif pattern == "ask" and random.random() < 0.5:
        signed = day.contact(load).person
        day.paper("consent", load.id, signed, "Another carrier may run this load.", random.randint(0, 2))
    if pattern == "withdrawn":
        text = random.choice(names.TAKEN_BACK).format(load=load.id)
        when = due + random.randint(8, 14)
        state.expect(when, load.customer, load.id, f"{load.id}", text, "tell", {"consent": False})
    elif pattern == "ask" and random.random() < 0.25:
        state.people[load.customer].forgets.append(load.id)
    words = {"load": load.id, "carrier": carrier}
    day.request(due, "handover", day.driver().id, load.id, words=words, carrier=carrier)


def _cancel(day: Day, due: int, pattern: str) -> None:
    random, state = day.random, day.state
    route = day.route()
    group = "medical" if pattern == "medical" else random.choice(["frozen", "general", "hazardous"])
    if pattern in ("turn", "medical"):
        departs = due - random.randint(15, 30)
        eta = departs + 2 * (due - departs + random.randint(40, 60))
    elif pattern == "beyond":
        departs = due - random.randint(60, 75)
        eta = departs + random.randint(85, 100)
    else:
        departs = due + random.randint(60, 120)
        eta = departs + 150
    load = day.load(route, departs, (eta - 60, eta + 60), "assigned", group=group)
    load.driver, load.truck, load.route = day.driver().id, day.truck(), route.id
    if departs < due:
        state.time.add(departs, "departed", load=load.id, eta=clock(day.at(eta)))
    sender = day.contact(load).person if pattern == "other" else load.customer
    day.request(due, "cancel", sender, load.id, words={"load": load.id})


def _details(day: Day, due: int, pattern: str) -> None:
    random = day.random
    route = day.route()
    eta = due + random.randint(50, 150)
    load = day.load(route, -30, (eta - 60, eta + 60), "under way")
    _on_the_way(day, load, route, eta)
    if pattern == "former":
        sender = day.contact(load, current=False).person
    elif pattern == "stranger":
        sender = random.choice(
            [c.person for site in day.state.sites.values() for c in site.contacts if site.id != load.site]
        )
    elif pattern == "driver":
        sender = day.driver().id
    else:
        sender = random.choice([day.contact(load).person, load.customer])
    day.request(due, "details", sender, load.id, words={"load": load.id})


def _extension(day: Day, due: int, pattern: str) -> None:
    random = day.random
    route = day.route()
    most, week = int(str(day.figures["extension_minutes"])), int(str(day.figures["extensions_week"]))
    minutes = most + random.randint(5, 30) if pattern == "long" else random.choice([20, 30, 35, 40, most])
    eta = due + random.randint(60, 140)
    group = "hazardous" if pattern == "goods" else random.choice(["general", "frozen", "medical"])
    load = day.load(route, -30, (eta - 60, eta + 60), "under way", group=group)
    driver = _on_the_way(day, load, route, eta)
    driver.driven = DRIVING_LIMIT - random.randint(0, 40)
    driver.since_break = random.randint(10, 200)
    day.begin(driver, load.depot, due - driver.driven - random.randint(60, 80))
    driver.extensions = week if pattern == "used" else random.randint(0, week - 1)
    words = {"load": load.id, "minutes": minutes}
    day.request(due, "extension", driver.id, load.id, words=words, minutes=f"{minutes}")


def _relief(day: Day, due: int, pattern: str) -> None:
    random, state = day.random, day.state
    depot = day.relief_depot()
    routes = day.routes(depot)
    departs = due + random.randint(92, 112)
    group = random.choice(["hazardous", "hazardous", "frozen", "medical"])
    load = day.load(routes["valley"], departs, (departs + 60, departs + 480), "planned", group=group)
    load.truck = day.truck()
    listed = relief_list(state, depot)
    for driver in listed:
        driver.on_duty_since = _text(departs - random.randint(10, 25))
        rested = random.random() < 0.6
        ends = departs - random.randint(26, 90) if rested else departs + random.randint(10, 120)
        driver.rest_ends = _text(ends)
        left = random.randint(5, 300) if random.random() < 0.6 else -random.randint(1, 30)
        driver.hazardous_until = f"{TODAY + timedelta(days=left)}"
    sure = random.sample(listed[1:], 2)
    for driver in sure:
        driver.rest_ends = _text(departs - random.randint(26, 90))
        driver.hazardous_until = f"{TODAY + timedelta(days=random.randint(5, 300))}"
    fit = [
        d
        for d in listed
        if d.rest_ends <= _text(departs) and (group != "hazardous" or str(d.hazardous_until) >= f"{TODAY}")
    ]
    refuses = 1 if pattern == "second" else 0
    state.opinions[load.id] = {d.id: fit.index(d) >= refuses if d in fit else True for d in listed}
    if pattern == "forgets":
        state.people[fit[0].id].forgets.append(load.id)
    words = {"load": load.id, "depot": depot, "departs": load.departs}
    day.request(due, "relief", "planning", load.id, words=words)


def _fuel(day: Day, due: int, pattern: str) -> None:
    random, state = day.random, day.state
    depot = state.depots[day.pump_depot()]
    route = day.route()
    eta = due + random.randint(60, 140)
    litres = random.choice([40, 50, 60, 70])
    group = "medical" if pattern == "medical" else random.choice(["general", "frozen"])
    load = day.load(route, -30, (eta - 60, eta + 60), "under way", group=group)
    driver = _on_the_way(day, load, route, eta)
    if pattern == "plain":
        depot.adblue = 2 * depot.reserve + litres + random.randint(20, 300)
    elif pattern == "medical":
        depot.adblue = depot.reserve + litres - random.randint(5, 35)
    else:
        depot.adblue = depot.reserve + litres + random.choice([-20, -10, 30, 60, 90])
    words = {"load": load.id, "litres": litres, "truck": load.truck, "depot": depot.id}
    day.request(
        due, "fuel", driver.id, load.id, words=words, truck=str(load.truck), depot=depot.id, litres=f"{litres}"
    )


MAKERS: dict[str, Callable[[Day, int, str], None]] = {
    "assign": _assign,
    "dock": _dock,
    "breakdown": _breakdown,
    "recovery": _recovery,
    "closure": _closure,
    "bulletin": _order,
    "handover": _handover,
    "cancel": _cancel,
    "details": _details,
    "extension": _extension,
    "relief": _relief,
    "fuel": _fuel,
}
