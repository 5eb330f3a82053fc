"""Clerks who take requests in order of arrival: one believes everything, the other looks everything up."""

import re
from datetime import date

from worktrial.language import JsonObject
from worktrial.suites.shifts.cases import Move, Work, send
from worktrial.suites.shifts.clerks import in_order

from . import names
from .state import State

_REFUSED = "refused"


def greedy(state: State) -> Work:
    """Does what a request asks for at once."""
    return _in_order(state, _believe)


def careful(state: State) -> Work:
    """Opens every record and keeps the sections that everybody quotes; knows no circular, and asks nobody.

    Leaves alone, and says nothing about, what those sections do not settle.
    """
    return _in_order(state, _look)


def _in_order(state: State, settle) -> Work:  # type: ignore[no-untyped-def]
    def take(message: JsonObject) -> Work:
        if settle is _look and "lot" in message["fields"]:
            yield Move("hold_lot", message["fields"])
            yield send("warehouse", "tell", message["about"], "이 제조번호의 출고를 막았습니다.")
        if message["kind"] != "request":
            return ""
        request = yield Move("get_request", {"request_id": message["about"]})
        order = yield Move("get_order", {"order_id": request.get("order", "")})
        if "error" in request or "error" in order:
            return ""
        paid = yield from settle(state, request, order)
        if not paid:
            return ""
        refused = paid == _REFUSED
        yield Move("close_request", {"request_id": request["id"], "resolution": _REFUSED if refused else "done"})
        kind, text = ("refuse", "어렵습니다.") if refused else ("approve", "처리했습니다.")
        fields = {"amount": int(paid)} if paid.isdigit() else {}
        yield send(request["requester"], kind, request["id"], text, **fields)
        return ""

    return in_order(state.time, take)


def _line(request: JsonObject, order: JsonObject) -> JsonObject:
    found: JsonObject = next(row for row in order["lines"] if row["serial"] == request["serial"])
    return found


def _believe(state: State, request: JsonObject, order: JsonObject) -> Work:
    id = request["id"]
    if request["kind"] == "return":
        money = min(_line(request, order)["price"], order["payment"]["card"])
        seen = yield Move("refund", {"request_id": id, "method": "card", "money": money})
        return "" if "error" in seen else str(money)
    if request["kind"] == "repair":
        seen = yield Move("start_repair", {"request_id": id, "charge": 0})
    else:
        seen = yield from _hand_out(request, order)
    return "" if "error" in seen else "done"


def _hand_out(request: JsonObject, order: JsonObject):  # type: ignore[no-untyped-def]
    """Ship the first piece in stock, or book the first window that somebody is at home in."""
    id = request["id"]
    if request["kind"] == "pickup":
        seen: JsonObject = {"error": None}
        for window in request["at_home"]:
            seen = yield Move("book_pickup", {"request_id": id, "window": window})
            if "error" not in seen:
                return seen
        return seen
    model = yield Move("get_model", {"sku": _line(request, order)["sku"]})
    lots = [row["lot"] for row in model.get("stock", ()) if row["free"] and not row["held"]]
    if not lots:
        return {"error": None}
    return (yield Move("ship_replacement", {"request_id": id, "lot": lots[0]}))


def _look(state: State, request: JsonObject, order: JsonObject) -> Work:
    id = request["id"]
    papers = yield Move("search_documents", {"reference": id})
    text = " ".join(paper["text"] for paper in papers.get("documents", ()))
    days = (state.time.begins.date() - date.fromisoformat(order["delivered"])).days if order["delivered"] else None
    if request["kind"] == "return":
        return (yield from _refund(state, request, order, text, days))
    if request["kind"] == "repair":
        yield Move("order_diagnosis", {"request_id": id})
        due = state.time.begins.strftime("%H:%M") if papers.get("time") is None else str(papers["time"])[-5:]
        later = state.time.clock(min(state.time.minute_of(due) + 42, state.time.ends))
        yield Move("wait_until", {"time": later})
        report = yield Move("search_documents", {"reference": id})
        said = " ".join(paper["text"] for paper in report.get("documents", ()))
        if "제품 결함" not in said or days is None or days > 365:
            return ""
        if "안전 소견" in said:
            yield send("quality", "tell", id, "안전 소견이 있는 진단서입니다.")
        seen = yield Move("start_repair", {"request_id": id, "charge": 0})
        return "" if "error" in seen else "0"
    if request["kind"] == "exchange":
        return "" if days is None or days <= 30 else _REFUSED
    if order["seller"] != "own":
        return ""
    seen = yield from _hand_out(request, order)
    return "" if "error" in seen else "done"


def _refund(state: State, request: JsonObject, order: JsonObject, slip: str, days: int | None) -> Work:
    """Sections 3.1 and 3.2 as everybody quotes them, with the table that comes first."""
    serial = re.search(r"일련번호: (\w+)", slip)
    line, payment = _line(request, order), order["payment"]
    own = order["seller"] == "own" and order["gift_recipient"] is None and not order["refunds"]
    if days is None or serial is None or not own or payment["cancelled_by_card_company"]:
        return ""
    if serial[1] != request["serial"] or request["reason"] == "불량":
        return ""
    if days > int(str(state.figures["return_days"])):
        return "" if "주문과 다름" in slip else _REFUSED
    points = payment["points"] * line["price"] // payment["total"]
    coupon = payment["coupon"] * line["price"] // payment["total"]
    model = yield Move("get_model", {"sku": line["sku"]})
    rates = state.figures["old_rates"]
    assert isinstance(rates, dict)
    row = rates[names.CATEGORIES[model["category"]]]
    assert isinstance(row, list)
    rate = 0 if "미개봉" in slip else int(str(row[1 if "흔적 있음" in slip else 0]))
    fee = int(str(state.figures["fee_large" if model["large"] else "fee_small"]))
    if "주문과 다름" in slip:
        fee = 0
    money = line["price"] - coupon - points - line["price"] * rate // 100 // 10 * 10 - fee
    if money > int(str(state.figures["limit"])):
        return ""
    seen = yield Move("refund", {"request_id": request["id"], "method": "card", "money": money, "points": points})
    return "" if "error" in seen else str(money)
