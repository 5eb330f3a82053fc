"""Clerks who take requests in order of arrival: one believes everything, the other looks into the records."""

from collections.abc import Callable, Generator
from datetime import date

from worktrial.language import JsonObject
from worktrial.suites.shifts.cases import Move, Work
from worktrial.suites.shifts.clerks import in_order

from .state import State

Part = Generator[Move, JsonObject, bool]
_WEIGHT = {"performance bond": 0.5, "letter of credit": 0.2}
_CUT = {"cash account": 0, "government bonds": 5, "receivables": 35, "stock": 50, "machinery": 45, "land": 30}


def greedy(state: State) -> Work:
    """Does what a request asks for at once."""
    return _in_order(state, _believe)


def careful(state: State) -> Work:
    """Opens the records and keeps the sections that everybody quotes; knows no circular and no contract."""
    return _in_order(state, _look)


def _in_order(state: State, settle: Callable[[State, JsonObject, str], Part]) -> Work:
    def take(message: JsonObject) -> Work:
        if message["kind"] != "request":
            return ""
        request = yield Move("get_request", {"request_id": message["about"]})
        if "error" in request:
            return ""
        done = yield from settle(state, request, message["text"])
        if not done:
            yield Move("decline_request", {"request_id": request["id"]})
        words = {"to": request["sender"], "about": request["id"], "text": "Done." if done else "We cannot."}
        fields = {"value_date": request["value_date"]} if done and request["value_date"] else {}
        yield Move("send_message", {"kind": "approve" if done else "refuse", "fields": fields, **words})
        return ""

    return in_order(state.time, take)


def _do(request: JsonObject, *, used: float, ratio: float, met: bool, fee: float) -> Part:
    """Do what a request asks for; returns whether the system let it happen."""
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
    return "error" not in seen


def _believe(state: State, request: JsonObject, text: str) -> Part:
    words = [word.strip(".,") for word in text.split()]
    claimed = next((float(word) for word in words if word.replace(".", "", 1).isdigit()), 0.0)
    facility = yield Move("get_facility", {"facility_id": request["facility"]})
    used = facility["utilisation_at_last_close"]
    return (yield from _do(request, used=used, ratio=claimed, met=True, fee=0))


def _look(state: State, request: JsonObject, text: str) -> Part:
    kind, id = request["kind"], request["facility"]
    facility = yield Move("get_facility", {"facility_id": id})
    customer = yield Move("get_customer", {"customer_id": request["customer"]})
    fixings = yield Move("get_fixings")
    rates = fixings.get("one_euro_is", {})
    used = sum(
        round(round(use["amount"] / rates.get(use["currency"], 1), 2) * _WEIGHT.get(use["kind"], 1.0), 2)
        for use in facility.get("uses", ())
    )
    card = {entry["name"]: entry["alone_up_to"] for entry in customer.get("signature_card", ())}
    ratio, met, amount = 0.0, True, 0.0
    if kind == "drawdown":
        signers = [name for name in request["signed_by"] if name in card]
        if not signers or (len(signers) == 1 and card[signers[0]] < request["amount"]):
            return False
        if used + request["amount"] > facility["limit"] or customer["rating"] >= 8:
            return False
    elif kind == "certificate":
        papers = yield Move("search_documents", {"reference": id})
        figures = next(p["contents"] for p in papers["documents"] if p["kind"] == "certificate")
        ratio, met = _ratio(facility["covenant"], figures)
    elif kind == "waiver":
        papers = yield Move("search_documents", {"reference": request["id"]})
        if not papers.get("total"):
            return False
    elif kind == "collateral":
        pledged = yield Move("list_collateral", {"facility_id": id})
        rest = [piece for piece in pledged.get("collateral", ()) if piece["id"] != request["item"]]
        if sum(piece["value"] * (100 - _CUT[piece["kind"]]) / 100 for piece in rest) < used:
            return False
    elif kind == "inquiry":
        papers = yield Move("search_documents", {"reference": request["customer"]})
        if not any(paper["kind"] == "consent" for paper in papers.get("documents", ())):
            return False
    else:
        seen = yield Move("get_balances", {"facility_id": id})
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
