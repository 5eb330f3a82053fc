"""A day at the desk: forty members, as many tools, and their loans."""

from datetime import date, timedelta
from random import Random

from .tools import Loan, Member, Reservation, State, Tool

TODAY = date(2031, 5, 20)
FIRST = ("Ada", "Bo", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hal")
LAST = ("Fell", "Marrow", "Penn", "Quist", "Rowe", "Stone")
TITLES = ("hammer drill", "jigsaw", "plane", "router", "belt sander", "pipe bender", "tile cutter", "ladder")


def draw(random: Random) -> State:
    members = {
        f"M-{101 + n}": Member(
            f"{random.choice(FIRST)} {random.choice(LAST)}",
            fees=random.choice([0.0, 0.0, 4.5, 12.0, 20.0, 20.5, 31.0]),
            staff=random.random() < 0.15,
        )
        for n in range(40)
    }
    tools = {
        f"T-{11 + n}": Tool(
            random.choice(TITLES),
            price=float(random.randrange(30, 400)),
            bought=(TODAY - timedelta(days=random.randrange(30, 4000))).isoformat(),
        )
        for n in range(40)
    }
    loans = {
        f"L-{1001 + n}": Loan(
            random.choice(sorted(members)),
            tool_id,
            due=(TODAY + timedelta(days=random.randrange(1, 12))).isoformat(),
            extended=random.random() < 0.2,
        )
        for n, tool_id in enumerate(sorted(tools)[:30])
    }
    reserved = random.sample(sorted(tools)[:30], 5)
    reservations = [Reservation(tool_id, random.choice(sorted(members))) for tool_id in reserved]
    return State("2031-05-20T09:00", members, tools, loans, reservations)
