"""What there is too little of: new pieces for exchanges, and places of the courier's."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from worktrial.language import JsonObject

from .state import State

EXCHANGED_FOR = 30
"""Days since delivery within which goods are exchanged (6.1)."""


def days_since(day: Any, order: str) -> int:
    """Days since an order was delivered."""
    return int((day.time.begins.date() - date.fromisoformat(str(day.orders[order].delivered))).days)


def papers(day: Any, about: str, kind: str) -> list[str]:
    """Texts of the papers of a kind about a request or an order; of goods to come, those that will be."""
    slip = day.arrivals.get(about)
    coming = [str(slip["text"])] if slip and slip["kind"] == kind else []
    return [d.text for d in day.documents if (d.about, d.kind) == (about, kind)] + coming


def recalled_lot(day: Any) -> tuple[int, str, str]:
    """Minute of the notice, model and lot."""
    notice = next(one for one in day.time.waiting if one.payload.get("sender") == "quality")
    return notice.due, notice.payload["fields"]["sku"], notice.payload["fields"]["lot"]


def winners(day: Any) -> list[str]:
    """Requests that get a new piece, by section 6.2 and circular C-2026-36 where there is one."""
    wanted = [
        (*exchange_class(day, request), place, request["id"])
        for place, request in enumerate(_registered(day))
        if request["kind"] == "exchange" and days_since(day, request["order"]) <= EXCHANGED_FOR
    ]
    _, sku, lot = recalled_lot(day)
    free = sum(count for name, count in day.stock[sku].items() if name != lot)
    return [row[-1] for row in sorted(wanted)[:free]]


def exchange_class(day: Any, request: JsonObject) -> tuple[bool, int]:
    """Whether a company stands back, and the class of section 6.2: 1 unsafe, 2 defect, 3 anything else."""
    customer = day.customers[request["requester"]]
    report = " ".join(papers(day, request["id"], "진단서"))
    rank = 1 if "안전 소견" in report else 2 if "제품 결함" in report else 3
    return bool(day.figures["corp_last"]) and customer.type == "법인", rank


def picked_up(day: Any) -> dict[str, str]:
    """Requests that get a place in a pick-up window, and one way to place them, by section 8.2.

    By class and order of request each is put in if those before can be moved so that all have a place.
    """
    free, placed = dict(day.windows), dict[str, Sequence[str]]()
    for request in sorted(pickups(day), key=lambda one: pickup_class(day, one)):
        more = placed | {request["id"]: request["windows"]}
        if placing(more, free) is not None:
            placed = more
    return placing(placed, free) or {}


def pickups(day: Any) -> list[JsonObject]:
    """Requests for a pick-up of the shop's own goods, in order."""
    return [r for r in _registered(day) if r["kind"] == "pickup" and day.orders[r["order"]].seller == "own"]


def pickup_class(day: Any, request: Mapping[str, Any]) -> int:
    """Class of section 8.2: 1 for danger, 2 for households with care, 3 for the rest."""
    if request.get("symptom") is not None:
        return 1
    return 2 if day.customers[request["requester"]].care_home else 3


def placing(wanted: Mapping[str, Sequence[str]], free: Mapping[str, int]) -> dict[str, str] | None:
    """A place for everybody in one of their windows, found by trying all; None if there is no way."""
    if not wanted:
        return {}
    id, *_ = wanted
    rest = {other: windows for other, windows in wanted.items() if other != id}
    for window in wanted[id]:
        if free[window] > 0:
            further = placing(rest, {**free, window: free[window] - 1})
            if further is not None:
                return {id: window, **further}
    return None


def lost_places(day: Any, end: State) -> Iterator[tuple[str, str]]:
    """Places that stayed empty at the end while somebody waited for one: the window, and who waited."""
    served = set(end.bookings)
    for window, places in end.windows.items():
        booked = sum(one.window == window for one in end.bookings.values())
        waiting = [r["id"] for r in pickups(day) if r["id"] not in served and window in r["windows"]]
        for id in waiting[: places - booked]:
            served.add(id)
            yield window, id


def _registered(day: Any) -> list[JsonObject]:
    """Requests of the day, in the order in which they come in."""
    return [one.payload for one in sorted(day.time.waiting) if one.kind == "request"]
