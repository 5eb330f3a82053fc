"""Docks of the day: the right winners where there are fewer docks than loads that want one."""

from typing import NamedTuple

from .state import State

GOODS_RANK = ("medical", "frozen", "hazardous", "general")
"""Goods groups, the strongest first: sections 6.5 and 7.4."""
_RANK_IN_FROST = ("medical", "hazardous", "general", "frozen")


class Wish(NamedTuple):
    """A load that wants a dock; the one that comes first is the stronger."""

    rank: int
    order: int
    load: str
    fitting: tuple[str, ...]
    """Free docks that begin within its time."""


def dock_wishes(state: State) -> list[Wish]:
    """Loads for which a dock is asked, strongest first: section 6.5, and circular C-2026-06 where there is one."""
    ranks = _RANK_IN_FROST if state.figures["frozen_last"] else GOODS_RANK
    found = []
    for order, event in enumerate(state.expected()):
        said = event.payload
        if said["fields"].get("request") == "dock":
            first, last = (state.time.minute_of(said["fields"][name]) for name in ("first", "last"))
            fitting = tuple(
                slot.id
                for slot in state.docks.values()
                if slot.load is None and first <= state.time.minute_of(slot.begins) <= last
            )
            found.append(Wish(ranks.index(state.loads[said["about"]].group), order, said["about"], fitting))
    return sorted(found)


def dock_winners(state: State) -> dict[str, str]:
    """Loads that get a dock, and a dock for each. No stronger load goes without for a weaker one's sake.

    Takes loads by strength and shifts those served before to other docks where that makes room (augmenting paths),
    which is exact: sets of loads that can be served together are the independent sets of a transversal matroid
    (J. Edmonds and D. R. Fulkerson, "Transversals and matroid partition", 1965), for which greed is optimal.
    """
    held: dict[str, Wish] = {}

    def serve(wish: Wish, tried: set[str]) -> bool:
        for dock in wish.fitting:
            if dock not in tried:
                tried.add(dock)
                if dock not in held or serve(held[dock], tried):
                    held[dock] = wish
                    return True
        return False

    for wish in dock_wishes(state):
        serve(wish, set())
    return {wish.load: dock for dock, wish in held.items()}
