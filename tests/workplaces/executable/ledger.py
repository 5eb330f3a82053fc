"""A small workplace of somebody's own, some of whose tools misbehave when the clock says so."""

TOOLS = '''
from typing import Literal

from msgspec import Struct

from worktrial.workplaces.executable import ToolError, cites, page_of, reads, writes

SEEN: dict[str, int] = {}


class Claim(Struct):
    status: Literal["OPEN", "DECIDED"]
    amount: float = 0.0


class State(Struct):
    clock: str
    claims: dict[str, Claim]


@cites("C-01")
@reads(claim_id="K-1")
def get_claim(state: State, claim_id: str) -> dict[str, object]:
    """Look a claim up.

    Args:
        claim_id: Such as K-1.
    """
    if claim_id not in state.claims:
        raise ToolError("unknown_claim", f"There is no claim {claim_id}.")
    return {"claim": state.claims[claim_id]}


@writes(claim_id="K-1", amount=4)
def decide(state: State, claim_id: str, amount: int) -> dict[str, object]:
    """Decide a claim.

    Args:
        claim_id: Such as K-1.
        amount: Crowns.
    """
    state.claims[claim_id].status = "DECIDED"
    if amount > 100:
        raise ToolError("too_much", "At most 100.")
    state.claims[claim_id].amount = amount
    return {"decided": claim_id}


@reads()
def misbehave(state: State) -> dict[str, object]:
    """Do what the clock says."""
    match state.clock:
        case "endless":
            while True:
                pass
        case "stubborn":
            while True:
                try:
                    while True:
                        pass
                except Exception:
                    pass
        case "deep":
            return misbehave(state)
        case "memory":
            return {"size": len([0] * 10**12)}
        case "output":
            return {"text": "x" * 5_000_000}
        case "no_json":
            return {"number": 1j}
        case "no_object":
            return [1]
        case "remembers":
            SEEN["x"] = 1
        case "touches":
            state.clock = "touched"
        case "divides":
            return {"ratio": 1 / 0}
    return {"clock": state.clock}
'''
DRAW = """
from random import Random

from .tools import Claim, State


def draw(random: Random) -> State:
    return State("2031-05-20", {f"K-{n}": Claim("OPEN", random.randrange(100)) for n in range(1, 40)})


def twice(number: int) -> dict[str, int]:
    return {"twice": 2 * number}
"""
STATE = {"clock": "2031-05-20", "claims": {"K-1": {"status": "OPEN"}, "K-2": {"status": "OPEN", "amount": 2.5}}}
