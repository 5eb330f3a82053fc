import worktrial as wt


class Claim(wt.Record):
    customer: str
    amount: float
    paid: float = 0.0
    note: str = ""
    closed: bool = False


class Policy(wt.Record):
    holder: str
    limit: float = 100.0


desk = wt.Workplace(
    "claims desk",
    rules="Pay at most the policy's limit.",
    claims={"C-1": Claim("Ann", 80.0), "C-2": Claim("Bo", 140.0), "C-3": Claim("Cy", 20.0)},
    policies={"Ann": Policy("Ann"), "Bo": Policy("Bo", 90.0)},
    log=list[str],
)


@desk.reads
def get_claim(state, claim: str):
    """A claim."""
    return state.claims[claim]


@desk.reads
def get_policy(state, holder: str):
    """The policy of a customer."""
    return state.policies[holder]


@desk.writes
def pay(state, claim: str, amount: float, note: str = ""):
    """Pay a claim.

    Args:
        claim: Such as C-1.
        amount: Euros.
    """
    found = state.claims[claim]
    if found.paid:
        raise wt.Refused("It was paid already.")
    found.paid, found.note = amount, note
    state.log.append(f"{claim} {amount}")


@desk.writes
def close(state, claim: str):
    """Close a claim unpaid."""
    state.claims[claim].closed = True


@desk.task("Settle claim C-1.", "C-1 is complete; please settle it.", free=["/claims/*/note"], never=[close])
def settle(do):
    claim = do(get_claim, claim="C-1")
    policy = do(get_policy, holder=claim.customer)
    amount = min(claim.amount, policy.limit)
    do(pay, claim="C-1", amount=amount)
    return {"paid": amount}


@desk.task("Settle claim C-2, or close it.")
def either(do):
    do(pay, claim="C-2", amount=do(get_policy, holder="Bo").limit)


@either.also
def closed(do):
    do(close, claim="C-2")


def _paid_something(before, after, report):
    assert after.claims["C-3"].paid > 0, "C-3 is not paid"
    assert report.get("who") == "Cy", "the report names somebody else"


@desk.task("Pay C-3 whatever you like, and say whose claim it was.", check=_paid_something)
def loose(do):
    do(pay, claim="C-3", amount=5)
    return {"who": do(get_claim, claim="C-3").customer}
