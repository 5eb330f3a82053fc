"""The firm before anything happens: depots, roads and routes, drivers, trucks, customers and people."""

from datetime import date, datetime, timedelta
from random import Random

from worktrial.workplaces.people import Person

from . import names
from .state import (
    Carrier,
    Customer,
    Depot,
    Driver,
    Load,
    Road,
    Route,
    Site,
    SiteContact,
    State,
    Truck,
)

BEGINS = datetime(2026, 1, 20, 6)
TODAY = date(2026, 1, 20)
DRIVERS = 152
LOADS = 170
OFFICES = (
    # id, name, role, authority
    ("planning", "Planning office", "Plans loads and drivers", "Finds other drivers and days for loads"),
    ("operations", "Marit Oland", "Operations manager", "Gets the reports"),
    ("compliance", "Compliance office", "Working time and dangerous goods", "Keeps the tachograph files"),
    ("road_authority", "Road authority, control room", "Closes and opens roads", "Bulletins"),
    ("recovery", "Recovery service", "Light and heavy recovery", ""),
)


def people_of(random: Random, state_drivers: dict[str, Driver], spare: list[str]) -> dict[str, Person]:
    """Directory of a day: offices, drivers, customers and whoever stands for a site.

    Args:
        random: Draws delays.
        state_drivers: Drivers by id.
        spare: Names for people of other firms.
    """
    people = {
        id: Person(id=id, name=name, role=role, hours="always", decides=decides, delay=(6, 14))
        for id, name, role, decides in OFFICES
    }
    for driver in state_drivers.values():
        slow = (random.randint(10, 14), random.randint(15, 20))
        people[driver.id] = Person(
            id=driver.id, name=driver.name, role="Driver", hours="by telephone", delay=slow, patience=4
        )
    for number, (name, *_) in enumerate(names.CUSTOMERS, 1):
        id = f"C-{number:02d}"
        people[id] = Person(
            id=id,
            name=f"{spare.pop()}, {name}",
            role="Customer, transport office",
            hours="06:00-18:00",
            delay=(8, 16),
            patience=4,
        )
    return people


def drivers_of(random: Random, full_names: list[str]) -> dict[str, Driver]:
    """Drivers, nineteen at each depot, of whom four stand on its relief list."""
    found = {}
    for number in range(DRIVERS):
        id = f"D-{201 + number * 3}"
        started = BEGINS - timedelta(minutes=random.randint(0, 150))
        relief = 4 - number // 8 if number < 32 else None
        found[id] = Driver(
            id=id,
            name=full_names[number],
            depot=names.DEPOTS[number % 8],
            on_duty_since=_text(started),
            driven=random.randint(0, 120),
            since_break=0,
            rest_ends=_text(started - timedelta(minutes=random.randint(10, 90))),
            hazardous_until=f"{TODAY + timedelta(days=random.randint(30, 900))}" if random.random() < 0.6 else None,
            extensions=random.randint(0, 1),
            relief=relief,
        )
        found[id].since_break = min(found[id].driven, random.randint(0, 90))
        if relief is not None:
            found[id].driven = found[id].since_break = 0
    return found


def trucks_of(random: Random) -> dict[str, Truck]:
    """Trucks, sixteen or so at each depot."""
    return {
        f"T-{number}": Truck(
            id=f"T-{number}",
            depot=names.DEPOTS[number % 8],
            tonnes=random.choice([14.0, 14.5, 15.0, 15.5, 16.0]),
            chains=random.random() < 0.5,
        )
        for number in range(40, 170)
    }


def roads_and_routes(random: Random) -> tuple[dict[str, Road], dict[str, Route]]:
    """A pass, a tunnel and a valley road to each place, and the motorways that lead there."""
    roads = {f"R-{n:02d}": Road(id=f"R-{n:02d}", name=f"M{n} motorway", kind="motorway") for n in range(1, 9)}
    routes = {}
    numbers = random.sample(range(10, 200), 3 * len(names.PLACES))
    for place_number, place in enumerate(names.PLACES):
        depot = names.DEPOTS[place_number % 8]
        straight = random.randint(80, 115)
        for kind, extra in (("pass", 0), ("tunnel", random.randint(-18, -8)), ("valley", random.randint(32, 55))):
            road = f"R-{numbers.pop():02d}"
            roads[road] = Road(id=road, name=f"{place} {kind}", kind=kind)  # type: ignore[arg-type]
            route = f"RT-{place_number + 1:02d}{kind[0]}"
            routes[route] = Route(
                id=route,
                depot=depot,
                place=place,
                minutes=straight + extra,
                roads=[f"R-{place_number % 8 + 1:02d}", road],
            )
    for record in roads.values():
        record.bulletin_at = _text(BEGINS - timedelta(minutes=random.randint(10, 60)))
    return dict(sorted(roads.items())), routes


def sites_of(random: Random, people: dict[str, Person], spare: list[str]) -> dict[str, Site]:
    """A site in each place, with one person who stands for it and one or two who used to."""
    found = {}
    number = 400
    for place_number, place in enumerate(names.PLACES):
        name = f"{place} {random.choice(names.SITES)}"
        contacts = []
        current = random.randint(0, 1)
        for place_in_list in range(2):
            number += random.randint(1, 4)
            id = f"P-{number}"
            role = f"Goods in, {name}"
            people[id] = Person(id=id, name=spare.pop(), role=role, hours="06:00-20:00", delay=(8, 18))
            days = random.randint(20, 400) if place_in_list == current else -random.randint(1, 40)
            until = TODAY + timedelta(days=days)
            contacts.append(SiteContact(person=id, until=f"{until}"))
        site = f"S-{place_number + 11}"
        found[site] = Site(id=site, name=name, place=place, contacts=contacts)
    return found


def customers_of() -> dict[str, Customer]:
    """Customers with their contracts."""
    return {
        f"C-{number:02d}": Customer(id=f"C-{number:02d}", name=name, contract=contract, penalty=penalty)
        for number, (name, contract, penalty) in enumerate(names.CUSTOMERS, 1)
    }


def carriers_of() -> dict[str, Carrier]:
    """Other carriers that take loads over."""
    return {name: Carrier(name=name, medical=medical) for name, medical in names.CARRIERS}


def depots_of(random: Random) -> dict[str, Depot]:
    """Depots with their stores."""
    found = {}
    for name in names.DEPOTS:
        reserve = random.choice([200, 250, 300])
        found[name] = Depot(
            id=name,
            name=name,
            adblue=reserve + random.randint(100, 900),
            reserve=reserve,
            chain_sets=random.randint(2, 5),
        )
    return found


def usual_loads(
    random: Random, state: State, numbers: list[int], spared: set[str], drivers: list[str], trucks: list[str]
) -> None:
    """Loads of the day that go their way: delivered, under way in time, assigned for later.

    Args:
        random: Draws them.
        state: Whose drivers and routes they use; they are put into it.
        numbers: Free numbers of loads, used up from the end.
        spared: Roads that they do not take.
        drivers: Those who have no part in any matter; used up.
        trucks: Likewise.
    """
    everybody, fleet = list(drivers), list(trucks)
    routes = [route for route in state.routes.values() if spared.isdisjoint(route.roads)]
    for _ in range(LOADS):
        route = random.choice(routes)
        status = random.choice(("delivered", "delivered", "delivered", "under way", "assigned", "assigned"))
        if status == "under way" and not (drivers and trucks):
            status = "delivered"
        departs = random.randint(600, 1000) if status == "assigned" else random.randint(200, 330)
        window = (
            departs + route.minutes + random.randint(10, 60),
            departs + route.minutes + random.randint(150, 240),
        )
        if status == "under way":
            first = random.randint(420, 640)
            window = (first, first + random.randint(90, 160))
        load = new_load(random, state, numbers, route, departs, window, status)
        load.driver, load.truck, load.route = random.choice(everybody), random.choice(fleet), route.id
        if status == "under way":
            load.driver, load.truck = drivers.pop(), trucks.pop()
            eta = window[0] + random.randint(-10, 60)
            load.eta = clock(eta)
            due = eta - BEGINS.hour * 60
            if due < state.time.ends:
                state.time.add(due, "arrived", load=load.id)


def new_load(
    random: Random,
    state: State,
    numbers: list[int],
    route: Route,
    departs: int,
    window: tuple[int, int],
    status: str,
) -> Load:
    """A load on the way of a route, put into the state.

    Args:
        random: Draws goods and customer.
        state: Where it is put.
        numbers: Free numbers of loads, used up from the end.
        route: From where to where.
        departs: Minute of the day.
        window: Minutes of the day between which it is to be there.
        status: As in the record.
    """
    group = random.choice(("medical", "frozen", "hazardous", "general", "general", "general"))
    if group == "hazardous" and any(state.roads[road].kind == "tunnel" for road in route.roads):
        group = "general"
    site = next(site for site in state.sites.values() if site.place == route.place)
    load = Load(
        id=f"L-{numbers.pop()}",
        customer=random.choice(list(state.customers)),
        site=site.id,
        goods=random.choice(names.GOODS[group]),
        group=group,  # type: ignore[arg-type]
        tonnes=random.randint(16, 48) / 2,
        depot=route.depot,
        place=route.place,
        departs=clock(departs),
        window=(clock(window[0]), clock(window[1])),
        status=status,  # type: ignore[arg-type]
    )
    state.loads[load.id] = load
    return load


def clock(minute_of_day: int) -> str:
    """Time of day, such as `07:30`."""
    return f"{minute_of_day // 60 % 24:02d}:{minute_of_day % 60:02d}"


def _text(when: datetime) -> str:
    return f"{when:%Y-%m-%d %H:%M}"
