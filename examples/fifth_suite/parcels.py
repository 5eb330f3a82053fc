import worktrial as wt


class Parcel(wt.Record):
    status: str = "in the shop"


shop = wt.Workplace("parcel shop", parcels={"P1": Parcel(), "P2": Parcel()})


@shop.reads
def look_up(state, parcel: str):
    """Status of a parcel."""
    return state.parcels[parcel]


@shop.writes
def hand_over(state, parcel: str):
    """Hand a parcel to the customer."""
    state.parcels[parcel].status = "handed over"


@shop.task("The customer of parcel P2 is here: hand it over.")
def collect(do):
    do(hand_over, parcel="P2")


if __name__ == "__main__":
    print(wt.run(shop, agent="plan").completion)
