"""Hands with which a day is put together: people, trucks, places and loads that have no other part in it."""

from collections.abc import Mapping
from datetime import timedelta
from random import Random

from worktrial.workplaces.time import Timeline

from . import names
from .state import Breakdown, DockSlot, Driver, Load, Paper, Route, SiteContact, State
from .world import (
    BEGINS,
    DRIVERS,
    TODAY,
    carriers_of,
    clock,
    customers_of,
    depots_of,
    drivers_of,
    new_load,
    people_of,
    roads_and_routes,
    sites_of,
    trucks_of,
    usual_loads,
)

REPORTS = {
    "short": ("07:30",),
    "half": ("07:15", "08:15", "09:15"),
    "full": ("07:30", "09:00", "10:30", "12:00", "13:15"),
}
"""Length to the times of day of the reports."""


class Day:
    """Work in progress on one day."""

    def __init__(self, length: str, minutes: int, random: Random) -> None:
        self.random = random
        self.minutes = minutes
        middle = BEGINS.hour * 60 + minutes // 2
        self.numbers = random.sample(range(6100, 6999), 330)
        """Free numbers of loads."""
        full = random.sample([f"{first} {last}" for first in names.FIRST for last in names.LAST], 300)
        drivers = drivers_of(random, full[:DRIVERS])
        self._spare = full[DRIVERS:]
        people = people_of(random, drivers, self._spare)
        sites = sites_of(random, people, self._spare)
        roads, routes = roads_and_routes(random)
        self.figures = {
            "docks_at": clock(middle + random.choice([0, 5, 10, 15])),
            "surcharge": random.choice([20, 25, 30]),
            "chain_minutes": random.choice([15, 20, 25]),
            "heavy_tonnes": random.choice([24, 26, 28]),
            "extension_minutes": random.choice([45, 60]),
            "extensions_week": random.choice([2, 3]),
            "notice": random.choice([45, 60]),
            "certificates_at": "",
            "reports": ", ".join(REPORTS[length]),
            **{
                name: random.random() < 0.5
                for name in (
                    "winter",
                    "tunnel_ban",
                    "frozen_last",
                    "pass_heavy",
                    "certified_only",
                    "no_hazard_extension",
                    "reserve_double",
                )
            },
        }
        self.state = State(
            time=Timeline(begins=BEGINS, ends=minutes),
            people=people,
            figures=self.figures,
            drivers=drivers,
            trucks=trucks_of(random),
            loads={},
            roads=roads,
            routes=routes,
            sites=sites,
            customers=customers_of(),
            carriers=carriers_of(),
            breakdowns={},
            docks={},
            depots=depots_of(random),
            papers=[],
        )
        self._drivers = [d.id for d in drivers.values() if d.relief is None]
        random.shuffle(self._drivers)
        self._trucks = random.sample(list(self.state.trucks), len(self.state.trucks))
        self._places = random.sample(names.PLACES, len(names.PLACES))
        self._relief_depots = random.sample(names.DEPOTS, 8)
        self._pump_depots = random.sample(names.DEPOTS, 8)
        self.spared: set[str] = set()
        """Roads whose loads are all part of a matter."""
        self.breakdown_number = random.randint(310, 360)

    def at(self, minute: int) -> int:
        """Minute of the day for a minute of the shift."""
        return BEGINS.hour * 60 + minute

    def driver(self) -> Driver:
        """A driver who has no other part in the day, at rest until now and fresh."""
        found = self.state.drivers[self._drivers.pop()]
        found.driven = self.random.randint(0, 90)
        found.since_break = self.random.randint(0, found.driven)
        return found

    def begin(self, driver: Driver, depot: str, minute: int) -> None:
        """Let a driver's working day begin at a depot, after enough rest.

        Args:
            driver: Whose.
            depot: Where the driver is.
            minute: Minute of the shift, before it for less than 0.
        """
        begins = BEGINS + timedelta(minutes=minute)
        rested = begins - timedelta(minutes=self.random.randint(10, 90))
        driver.depot = depot
        driver.on_duty_since, driver.rest_ends = f"{begins:%Y-%m-%d %H:%M}", f"{rested:%Y-%m-%d %H:%M}"

    def truck(self) -> str:
        """A truck that has no other part in the day."""
        return self._trucks.pop()

    def routes(self, depot: str = "") -> dict[str, Route]:
        """Routes to a place that has no other part in the day, by kind of road."""
        place = next(p for p in self._places if not depot or names.DEPOTS[names.PLACES.index(p) % 8] == depot)
        self._places.remove(place)
        found = [route for route in self.state.routes.values() if route.place == place]
        return {self.state.roads[route.roads[1]].kind: route for route in found}

    def route(self) -> Route:
        """A route over the pass or through the valley to a place that has no other part in the day."""
        return self.routes()[self.random.choice(["pass", "valley"])]

    def relief_depot(self) -> str:
        """A depot whose relief list nobody needs else."""
        return self._relief_depots.pop()

    def pump_depot(self) -> str:
        """A depot whose pump nobody asks for else."""
        return self._pump_depots.pop()

    def load(
        self,
        route: Route,
        departs: int,
        window: tuple[int, int],
        status: str,
        *,
        group: str = "",
        contract: str = "",
    ) -> Load:
        """A load with its own part in the day.

        Args:
            route: From where to where.
            departs: Minute of the shift.
            window: Minutes of the shift.
            status: As in the record.
            group: Goods group; "" for any.
            contract: Paper of the customer's contract; "" for any.
        """
        first, last = window
        load = new_load(
            self.random, self.state, self.numbers, route, self.at(departs), (self.at(first), self.at(last)), status
        )
        if group:
            load.group = group  # type: ignore[assignment]
            load.goods = self.random.choice(names.GOODS[group])
        fit = [c.id for c in self.state.customers.values() if not contract or c.contract == contract]
        load.customer = self.random.choice(fit)
        return load

    def contact(self, load: Load, *, current: bool = True) -> SiteContact:
        """Somebody who stands for the consignee of a load, or no longer does."""
        contacts = self.state.sites[load.site].contacts
        return next(c for c in contacts if (str(c.until) >= f"{TODAY}") == current)

    def request(
        self, due: int, kind: str, sender: str, about: str, *, words: Mapping[str, object], **fields: str
    ) -> None:
        """Let somebody write about a matter at a minute.

        Args:
            due: Minute of the shift.
            kind: Of the request.
            sender: Id of the person.
            about: Number of the record.
            words: What the phrasing is filled in with.
            fields: Structured form of the request.
        """
        text = self.random.choice(names.WORDS[kind]).format(**words)
        self.state.expect(due, sender, about, f"{about}: {kind}", text, fields={"request": kind, **fields})

    def paper(self, kind: str, about: str, signed_by: str, text: str, days: int = 0) -> None:
        """A signed paper on file."""
        self.state.papers.append(
            Paper(
                id=f"F-{len(self.state.papers) + 3001}",
                kind=kind,  # type: ignore[arg-type]
                about=about,
                signed_by=signed_by,
                date=f"{TODAY - timedelta(days=days)}",
                text=text,
            )
        )

    def docks(self, wanted: int) -> None:
        """Free docks of the day, about half as many as will be asked for."""
        for number in range(max(1, wanted // 2)):
            id = f"DK-{number + 31}"
            begins = clock(self.at(self.minutes) + 30 + number * 40)
            self.state.docks[id] = DockSlot(id=id, depot="Aldern", begins=begins)

    def certificates(self) -> None:
        """Let certificates of some drivers who have no part in the day run out about now."""
        for id in self.random.sample(self._drivers, min(len(self._drivers), 16)):
            until = TODAY + timedelta(days=self.random.randint(-25, 25))
            self.state.drivers[id].hazardous_until = f"{until}"

    def usual(self) -> None:
        """Everything that goes its way: other loads, and docks that are taken."""
        for number in range(14):
            reported = BEGINS - timedelta(minutes=self.random.randint(400, 3000))
            self.state.breakdowns[f"B-{number * 5 + 31}"] = Breakdown(
                id=f"B-{number * 5 + 31}",
                road=self.random.choice(list(self.state.roads)),
                km=self.random.randint(10, 300) / 10,
                reported=f"{reported:%Y-%m-%d %H:%M}",
                by=self.random.choice(list(self.state.drivers)),
                words=self.random.choice(names.FAULTS),
                truck=self.random.choice(list(self.state.trucks)),
                status="cleared",
                tow=self.random.choice(["light", "heavy"]),
            )
        self.state.breakdowns = dict(sorted(self.state.breakdowns.items(), key=lambda item: item[1].reported))
        concerned = set(self.state.loads)
        usual_loads(self.random, self.state, self.numbers, self.spared, self._drivers, self._trucks)
        others = (load for load in self.state.loads.values() if load.id not in concerned)
        loads = [load.id for load in others if load.status == "assigned"]
        for number in range(5):
            id = f"DK-{number + 11}"
            begins = clock(self.at(self.minutes) - 45 * (number + 1))
            self.state.docks[id] = DockSlot(id=id, depot="Aldern", begins=begins, load=self.random.choice(loads))
