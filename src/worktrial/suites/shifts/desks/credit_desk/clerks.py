"""A clerk who takes requests in order of arrival, and looks into the records before anything is done."""

from collections.abc import Generator
from datetime import date

from worktrial.language import JsonObject
from worktrial.suites.shifts.cases import Move, Work, send
from worktrial.suites.shifts.clerks import in_order

from .state import State

Said = tuple[str, JsonObject]
"""Kind and fields of an answer."""
Part = Generator[Move, JsonObject, Said | None]
_WEIGHT = {"performance bond": 0.5, "letter of credit": 0.2}


def careful(state: State) -> Work:
    """Opens the records and keeps the sections that everybody quotes; knows no circular and no contract.

    Leaves alone, and says nothing about, what those sections do not settle.
    """

    def take(message: JsonObject) -> Work:
        if message["kind"] != "request":
            return ""
        request = yield Move("get_request", {"request_id": message["about"]})
        if "error" in request:
            return ""
        said = yield from _look(state, request)
        if said is None:
            return ""
        kind, fields = said
        if kind == "refuse":
            yield Move("decline_request", {"request_id": request["id"]})
        yield send(request["sender"], kind, request["id"], "This is our word on it.", **fields)
        return ""

    return in_order(state.time, take)


def _do(request: JsonObject, *, used: float, ratio: float, met: bool, fee: float) -> Part:
    """Do what a request asks for, if the system lets it happen; returns the answer."""
    id = request["id"]
    moves = {
        "drawdown": Move("release_drawdown", {"request_id": id, "value_date": request["value_date"]}),
        "certificate": Move("record_test", {"request_id": id, "ratio": ratio, "met": met}),
        "waiver": Move("record_waiver", {"request_id": id, "granted_by": "head_of_credit"}),
        "collateral": Move("release_collateral", {"request_id": id, "collateral_id": request["item"]}),
        "inquiry": Move("send_confirmation", {"request_id": id, "to": request["sender"], "utilisation": used}),
        "fee": Move("record_fee", {"request_id": id, "amount": fee}),
    }
    seen = yield moves[request["kind"]]
    fields = {
        "drawdown": {"value_date": request["value_date"]},
        "certificate": {"ratio": ratio},
        "fee": {"fee": fee},
    }
    return None if "error" in seen else ("approve", fields.get(request["kind"], {}))


def _look(state: State, request: JsonObject) -> Part:
    kind, id = request["kind"], request["facility"]
    facility = yield Move("get_facility", {"facility_id": id})
    customer = yield Move("get_customer", {"customer_id": request["customer"]})
    fixings = yield Move("get_fixings")
    if "error" in fixings or kind in ("waiver", "collateral"):
        return None
    rates = fixings["one_euro_is"]
    used = sum(
        round(round(use["amount"] / rates.get(use["currency"], 1), 2) * _WEIGHT.get(use["kind"], 1.0), 2)
        for use in facility["uses"]
    )
    card = {entry["name"]: entry["alone_up_to"] for entry in customer["signature_card"]}
    ratio, met, amount = 0.0, True, 0.0
    if kind == "drawdown":
        twins = yield Move("search_requests", {"text": request["customer_reference"], "status": "released"})
        pends = facility["covenant"] or facility["secured"] or customer["group"] == state.figures["scarce_group"]
        large = request["amount"] >= float(str(state.figures["funding_from"]))
        if twins.get("total", 1) or pends or large or customer["rating"] >= 8:
            return None
        signers = [name for name in request["signed_by"] if name in card]
        if not signers or (len(signers) == 1 and card[signers[0]] < request["amount"]):
            return "refuse", {}
        if used + request["amount"] > facility["limit"]:
            return "refuse", {"available": max(0.0, round(facility["limit"] - used, 2))}
    elif kind == "certificate":
        papers = yield Move("search_documents", {"reference": id})
        filed = [p for p in papers.get("documents", ()) if p["kind"] == "certificate" and p["signed_by"] in card]
        if not filed:
            return None
        ratio, met = _ratio(facility["covenant"], max(filed, key=lambda paper: paper["dated"])["contents"])
    elif kind == "inquiry":
        papers = yield Move("search_documents", {"reference": request["customer"]})
        consents = [p for p in papers.get("documents", ()) if p["kind"] == "consent" and p["signed_by"] in card]
        named = [p["contents"] for p in consents if p["contents"]["party"] == request["on_behalf_of"]]
        if not any(contents["until"] >= state.time.at(0)[:10] for contents in named):
            return "refuse", {}
    else:
        seen = yield Move("get_balances", {"facility_id": id})
        if "error" in seen:
            return None
        undrawn = sum((seen["limit"] - row["used"]) * _days(row) for row in seen["balances"])
        amount = round(undrawn * seen["fee_percent_a_year"] / 36_000, 2) if seen["committed"] else 0.0
    return (yield from _do(request, used=used, ratio=ratio, met=met, fee=amount))


def _days(row: JsonObject) -> int:
    return (date.fromisoformat(row["until_before"]) - date.fromisoformat(row["from"])).days


def _ratio(covenant: JsonObject, figures: JsonObject) -> tuple[float, bool]:
    if covenant["name"] == "leverage":
        value = round((figures["financial_debt"] - figures["cash"]) / figures["ebitda"], 2)
        return value, value <= covenant["bound"]
    if covenant["name"] == "interest_cover":
        value = round(figures["ebitda"] / figures["interest"], 2)
    else:
        value = round(100 * figures["equity"] / figures["total_assets"], 2)
    return value, value >= covenant["bound"]
