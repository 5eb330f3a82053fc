"""A day at the counter, drawn."""

from datetime import datetime, timedelta
from random import Random

from worktrial.workplaces.people import Person
from worktrial.workplaces.time import Timeline

from .state import Parcel, Round, State

_NAMES = (
    "Ida Brandt", "Omar Haddad", "Lena Fischer", "Piotr Nowak", "Grace Obi", "Tom Keller", "Aiko Mori", "Nils Berg",
    "Vera Kraus", "Samir Aziz", "Elsa Lund", "Marek Dvorak",
)  # fmt: skip
_DAY = datetime(2026, 3, 12, 9)


def draw(length: str, minutes: int, random: Random) -> State:
    """State in which a shift begins, its future in it."""
    names = random.sample(_NAMES, len(_NAMES))
    keep = random.choice([5, 6, 8])
    shorter = random.random() < 0.5
    parcels = {}
    for number, name in enumerate(names):
        arrived = _DAY - timedelta(days=random.randint(1, 3))
        id = f"P-{1001 + number}"
        parcels[id] = Parcel(id=id, recipient=name, goods="ordinary", arrived=f"{arrived:%Y-%m-%d}")
    first, second, third, old = random.sample(sorted(parcels), 4)
    # Two want the last place; which of them has medical goods has nothing to do with who writes first.
    parcels[random.choice([first, second])].goods = "medical"
    friend = random.choice(["Rosa Winter", "Jan Holm"])
    parcels[third].authorised = random.choice([friend, None, "Paula Stein"])
    # Kept long enough under the section, and maybe too long under the circular.
    parcels[old].arrived = f"{_DAY - timedelta(days=keep - 2):%Y-%m-%d}"
    people = {
        "driver": Person(id="driver", name="Bo Lind", role="Van driver", hours="09:00-17:00"),
        "sender": Person(id="sender", name="Claims office", role="Senders and returns", hours="09:00-17:00"),
        **{_id(name): Person(id=_id(name), name=name, role="Customer") for name in (*names, friend)},
    }
    time = Timeline(begins=_DAY, ends=minutes)
    state = State(
        time=time, people=people, figures={"keep": keep, "shorter": shorter, "shorter_keep": keep - 3},
        parcels=parcels, rounds={"R-1": Round(id="R-1", leaves="10:30", places=1)},
    )  # fmt: skip
    for parcel, due in zip((first, second), sorted(random.sample(range(2, 30), 2)), strict=True):
        state.expect(due, _id(parcels[parcel].recipient), parcel, "Redelivery", "Please put it on today's van.")
    state.expect(
        random.randint(10, 50), _id(friend), third, "Picking up",
        f"I am at the counter for {parcels[third].recipient}'s parcel. Please hand it over.",
    )  # fmt: skip
    state.expect(random.randint(20, 60), "sender", old, "Old parcel", "Has it been kept for its full time by now?")
    return state


def _id(name: str) -> str:
    return name.lower().replace(" ", ".")
