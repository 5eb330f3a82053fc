"""The returns desk's system."""

from typing import Literal

from worktrial.language import JsonObject
from worktrial.workplaces.desk.tools import list_rows, search_rows
from worktrial.workplaces.executable import ToolError, reads, writes

from .state import Booking, Hold, Method, Order, Refund, Repair, Request, Shipment, State

Resolution = Literal["done", "refused", "held", "withdrawn", "forwarded"]


@reads()
def search_requests(state: State, text: str = "", status: str = "", page: int = 1) -> JsonObject:
    """Search the registered requests (접수), newest first, 20 to a page.

    Args:
        text: Words that all have to occur in number, kind, order, serial, requester or summary; empty for all.
        status: Only of this status: open, done, refused, held, withdrawn, forwarded, linked; empty for any.
        page: Number of the page, from 1.
    """
    of_status = (r for r in reversed(state.requests.values()) if not status or r.status == status)
    fields = ("id", "kind", "opened", "order", "serial", "status")
    return search_rows(
        "requests", of_status, text, _request_text, page, lambda r: {name: getattr(r, name) for name in fields}
    )


@reads()
def get_request(state: State, request_id: str) -> JsonObject:
    """Open a request: who registered it, order and serial, reason, where the goods are, status.

    Args:
        request_id: For example R-9402.
    """
    r = _request(state, request_id)
    return {
        "id": r.id,
        "kind": r.kind,
        "requester": r.requester,
        "opened": r.opened,
        "channel": r.channel,
        "order": r.order,
        "serial": r.serial,
        "reason": r.reason,
        "symptom": r.symptom,
        "at_home": r.windows,
        "goods": r.goods,
        "goods_in_since": None if r.goods_since is None else state.time.at(r.goods_since),
        "summary": r.summary,
        "status": r.status,
        "linked_to": r.parent,
    }


@reads()
def search_orders(state: State, text: str = "", page: int = 1) -> JsonObject:
    """Search orders by number, customer number, model, serial or lot (제조번호), newest first, 20 to a page.

    Args:
        text: Words that all have to occur; empty for all.
        page: Number of the page, from 1.
    """
    names = {sku: f"{sku} {model.name}" for sku, model in state.models.items()}
    refunds: dict[str, list[str]] = {}
    for paid in state.refunds.values():
        refunds.setdefault(state.requests[paid.request].order, []).append(paid.request)

    def shown(o: Order) -> JsonObject:
        return {
            "id": o.id,
            "buyer": o.buyer,
            "gift_recipient": o.recipient,
            "delivered": o.delivered,
            "refunds": refunds.get(o.id, []),
            "models": [state.models[line.sku].name for line in o.lines],
            "total": o.total,
        }

    orders = reversed(state.orders.values())
    return search_rows("orders", orders, text, lambda o: _order_text(o, names), page, shown)


@reads()
def get_order(state: State, order_id: str) -> JsonObject:
    """Open an order: buyer, gift recipient, channel, seller, dates, lines, payment.

    Args:
        order_id: For example A-200131-417.
    """
    o = _order(state, order_id)
    lines = [
        {
            "sku": line.sku,
            "model": state.models[line.sku].name,
            "serial": line.serial,
            "lot": line.lot,
            "made": line.made,
            "price": line.price,
        }
        for line in o.lines
    ]
    return {
        "id": o.id,
        "buyer": o.buyer,
        "gift_recipient": o.recipient,
        "channel": o.channel,
        "seller": o.seller,
        "ordered": o.ordered,
        "delivered": o.delivered,
        "lines": lines,
        "payment": {
            "total": o.total,
            "coupon": o.coupon,
            "points": o.points,
            "card": o.card,
            "instalments": o.months,
            "cancelled_by_card_company": o.card_cancelled,
        },
        "refunds": [
            {"request": r.request, "money": r.money, "points": r.points, "method": r.method}
            for r in state.refunds.values()
            if state.requests[r.request].order == order_id
        ],
    }


@reads()
def get_customer(state: State, customer_id: str) -> JsonObject:
    """Open a customer's record: name, grade, person or company, household with care, telephone.

    Args:
        customer_id: For example C-917.
    """
    c = state.customers.get(customer_id)
    if c is None:
        raise ToolError("unknown_customer", f"{customer_id}: 그런 고객이 없습니다.")
    return {
        "id": c.id,
        "name": c.name,
        "phone": c.phone,
        "grade": c.grade,
        "type": c.type,
        "company": c.company,
        "care_household": c.care_home,
    }


@reads()
def search_documents(state: State, reference: str = "", page: int = 1) -> JsonObject:
    """Search papers (입고검수표, 진단서, 출고전표, 영수증, 승인서) by what they are about, 20 to a page.

    Args:
        reference: Number of a request or an order; empty for all.
        page: Number of the page, from 1.
    """
    found = [d for d in reversed(state.documents) if not reference or d.about == reference]
    return list_rows(
        "documents",
        found,
        page,
        lambda d: {
            "id": d.id,
            "kind": d.kind,
            "about": d.about,
            "date": d.date,
            "signed_by": d.signed_by,
            "text": d.text,
        },
    )


@reads()
def get_model(state: State, sku: str) -> JsonObject:
    """Open a model: category, large or small, months of warranty, free stock by lot and whether the lot is held.

    Args:
        sku: For example XY-90.
    """
    m = state.models.get(sku)
    if m is None:
        raise ToolError("unknown_model", f"{sku}: 그런 모델이 없습니다.")
    lots = [
        {"lot": lot, "free": count, "held": lot in state.held} for lot, count in state.stock.get(sku, {}).items()
    ]
    return {
        "sku": m.sku,
        "name": m.name,
        "category": m.category,
        "large": m.large,
        "warranty_months": m.warranty_months,
        "stock": lots,
    }


@reads()
def list_pickups(state: State) -> JsonObject:
    """List today's pick-up windows of the courier: how many places, which requests have them."""
    rows: list[JsonObject] = []
    for window, places in state.windows.items():
        booked = [b.request for b in state.bookings.values() if b.window == window]
        rows.append({"window": window, "places": places, "booked": booked, "free": places - len(booked)})
    return {"total": len(rows), "windows": rows, "list_closes": state.figures["manifest"]}


@writes()
def refund(
    state: State, request_id: str, method: Method, money: int, points: int = 0, restore_coupon: bool = False
) -> JsonObject:
    """Pay a refund to the payer of the order. What was paid cannot be taken back.

    Args:
        request_id: The return, or repair, that it is for.
        method: card (cancels card payment, in part or whole) or transfer (to the payer's account).
        money: Won.
        points: Points given back.
        restore_coupon: Whether the coupon of the order becomes valid again.
    """
    r = _open_request(state, request_id)
    if r.kind not in ("return", "repair"):
        raise ToolError("wrong_kind", f"{request_id}: 환불하는 접수가 아닙니다.")
    order = _order(state, r.order)
    if request_id in state.refunds:
        raise ToolError("already_refunded", f"{request_id}: 이미 환불했습니다.")
    if not (0 <= money <= order.card and 0 <= points <= order.points) or money + points == 0:
        raise ToolError(
            "bad_amount", f"카드 결제 {order.card}원, 포인트 {order.points}점을 넘거나 음수일 수 없습니다."
        )
    if restore_coupon and not order.coupon:
        raise ToolError("no_coupon", f"{order.id}: 쿠폰을 쓰지 않은 주문입니다.")
    state.refunds[request_id] = Refund(
        request=request_id, method=method, money=money, points=points, coupon=restore_coupon,
        minute=state.time.minute,
    )  # fmt: skip
    return {"request": request_id, "paid_to": order.buyer, "method": method, "money": money, "points": points}


@writes()
def order_diagnosis(state: State, request_id: str) -> JsonObject:
    """Hand the goods to the repair centre to be looked at. The report comes as a paper, with a message.

    Args:
        request_id: A request whose goods are in.
    """
    r = _open_request(state, request_id)
    diagnosis = state.diagnoses.get(request_id)
    if r.goods != "in":
        raise ToolError("not_in", f"{request_id}: 물건이 아직 들어오지 않았습니다.")
    if diagnosis is None:
        raise ToolError("nothing_to_find", f"{request_id}: 고장 신고가 없는 접수는 수리센터가 받지 않습니다.")
    if diagnosis.ordered_at is not None:
        raise ToolError("already_ordered", f"{request_id}: 이미 진단을 맡겼습니다.")
    if state.time.minute > state.time.minute_of(str(state.figures["diagnosis_until"])):
        raise ToolError("closed", f"수리센터는 오늘 {state.figures['diagnosis_until']}까지만 진단을 받습니다.")
    diagnosis.ordered_at = state.time.minute
    due = min(state.time.minute + diagnosis.minutes, state.time.ends)
    state.time.add(due, "diagnosed", request=request_id)
    return {"request": request_id, "status": "ordered"}


@writes()
def start_repair(state: State, request_id: str, charge: int) -> JsonObject:
    """Let the repair centre mend the goods. Parts are ordered at once.

    Args:
        request_id: A repair whose goods were diagnosed.
        charge: Won that the customer pays; 0 under warranty.
    """
    r = _open_request(state, request_id)
    if r.kind != "repair":
        raise ToolError("wrong_kind", f"{request_id}: 수리 접수가 아닙니다.")
    diagnosis = state.diagnoses.get(request_id)
    if diagnosis is None or diagnosis.reported_at is None:
        raise ToolError("no_report", f"{request_id}: 진단서가 없습니다.")
    if request_id in state.repairs:
        raise ToolError("already_started", f"{request_id}: 이미 수리에 들어갔습니다.")
    if charge < 0:
        raise ToolError("bad_amount", "요금은 음수일 수 없습니다.")
    state.repairs[request_id] = Repair(request=request_id, charge=charge, minute=state.time.minute)
    return {"request": request_id, "charge": charge, "status": "started"}


@writes()
def ship_replacement(state: State, request_id: str, lot: str) -> JsonObject:
    """Ship a new piece of the same model. The parcel leaves at once.

    Args:
        request_id: An exchange.
        lot: Lot from which the piece is taken, as in the model's stock.
    """
    r = _open_request(state, request_id)
    if r.kind != "exchange":
        raise ToolError("wrong_kind", f"{request_id}: 교환 접수가 아닙니다.")
    line = next((line for line in _order(state, r.order).lines if line.serial == r.serial), None)
    if line is None:
        raise ToolError("unknown_serial", f"{r.order}에는 일련번호 {r.serial}이 없습니다.")
    lots = state.stock.get(line.sku, {})
    if lot not in lots:
        raise ToolError("unknown_lot", f"{line.sku}에는 제조번호 {lot} 재고가 없습니다.")
    if lot in state.held:
        raise ToolError("lot_held", f"제조번호 {lot}은 출고가 막혀 있습니다.")
    if lots[lot] < 1:
        raise ToolError("none_left", f"제조번호 {lot} 재고가 떨어졌습니다.")
    if request_id in state.shipments:
        raise ToolError("already_shipped", f"{request_id}: 이미 보냈습니다.")
    lots[lot] -= 1
    state.shipments[request_id] = Shipment(request=request_id, lot=lot, minute=state.time.minute)
    return {"request": request_id, "lot": lot, "left": lots[lot]}


@writes()
def book_pickup(state: State, request_id: str, window: str) -> JsonObject:
    """Put a request into a pick-up window of today. Booking it again moves it, until the list closes.

    Args:
        request_id: A pick-up request.
        window: As list_pickups names it.
    """
    r = _open_request(state, request_id)
    _list_is_open(state)
    if r.kind != "pickup":
        raise ToolError("wrong_kind", f"{request_id}: 수거 접수가 아닙니다.")
    if window not in state.windows:
        raise ToolError("unknown_window", f"오늘 수거 시간대는 {', '.join(state.windows)}입니다.")
    if window not in r.windows:
        raise ToolError("nobody_home", f"{request_id}: {window}에는 집에 사람이 없습니다.")
    booked = [b.request for b in state.bookings.values() if b.window == window]
    if request_id in booked:
        raise ToolError("already_booked", f"{request_id}: 이미 그 시간대입니다.")
    free = state.windows[window] - len(booked)
    if free < 1:
        raise ToolError("full", f"{window}: 빈자리가 없습니다.")
    state.bookings.pop(request_id, None)  # a place that is moved comes last in its window
    state.bookings[request_id] = Booking(request=request_id, window=window)
    return {"request": request_id, "window": window, "free": free - 1}


@writes()
def cancel_pickup(state: State, request_id: str) -> JsonObject:
    """Take a request out of its pick-up window, until the list closes.

    Args:
        request_id: A request that has a place.
    """
    r = _request(state, request_id)
    _list_is_open(state)
    if state.bookings.pop(r.id, None) is None:
        raise ToolError("not_booked", f"{request_id}: 잡힌 수거가 없습니다.")
    return {"request": request_id, "window": None}


@writes()
def correct_serial(state: State, order_id: str, old_serial: str, new_serial: str) -> JsonObject:
    """Correct the serial number that an order has on record. The change is on the auditors' list.

    Args:
        order_id: For example A-200131-417.
        old_serial: As it is on record.
        new_serial: As it should be.
    """
    line = next((line for line in _order(state, order_id).lines if line.serial == old_serial), None)
    if line is None:
        raise ToolError("unknown_serial", f"{order_id}에는 일련번호 {old_serial}이 없습니다.")
    line.serial = new_serial
    return {"order": order_id, "serial": new_serial}


@writes()
def hold_lot(state: State, sku: str, lot: str) -> JsonObject:
    """Hold a lot in all warehouses: nothing of it is sold or shipped any more.

    Args:
        sku: Model.
        lot: As in the model's stock.
    """
    if lot not in state.stock.get(sku, {}):
        raise ToolError("unknown_lot", f"{sku}에는 제조번호 {lot} 재고가 없습니다.")
    if lot in state.held:
        raise ToolError("already_held", f"제조번호 {lot}은 이미 막혀 있습니다.")
    state.held[lot] = Hold(lot=lot, minute=state.time.minute)
    return {"lot": lot, "held": state.time.now}


@writes()
def link_request(state: State, request_id: str, parent_id: str) -> JsonObject:
    """Link a request to an earlier one about the same matter; it is closed with that.

    Args:
        request_id: The later one.
        parent_id: The earlier one.
    """
    r, parent = _open_request(state, request_id), _request(state, parent_id)
    if r.id == parent.id:
        raise ToolError("itself", "접수를 자기 자신에 연결할 수 없습니다.")
    if r.order != parent.order:
        raise ToolError("other_order", f"{parent_id}: 다른 주문의 접수입니다.")
    r.parent = parent_id
    _settle(state, r, "linked")
    return {"request": request_id, "linked_to": parent_id}


@writes()
def close_request(state: State, request_id: str, resolution: Resolution) -> JsonObject:
    """Close a request.

    Args:
        request_id: For example R-9402.
        resolution: done where it is dealt with as asked for; refused; held for the head office; withdrawn by the
            customer; forwarded to the seller.
    """
    _settle(state, _open_request(state, request_id), resolution)
    return {"request": request_id, "status": resolution}


@writes()
def reopen_request(state: State, request_id: str) -> JsonObject:
    """Open a request of today again.

    Args:
        request_id: For example R-9402.
    """
    r = _request(state, request_id)
    if r.status == "open":
        raise ToolError("is_open", f"{request_id}: 처리 중인 접수입니다.")
    if r.opened[:10] != state.time.now[:10]:
        raise ToolError("not_today", f"{request_id}: 오늘 접수가 아닙니다.")
    r.status, r.settled_at, r.parent = "open", None, None
    return {"request": request_id, "status": "open"}


def _request_text(r: Request) -> str:
    return f"{r.id} {r.kind} {r.order} {r.serial} {r.requester} {r.channel} {r.symptom} {r.summary}"


def _order_text(o: Order, names: dict[str, str]) -> str:
    """Everything that an order is found by."""
    rows = " ".join([f"{line.serial} {line.lot} {names[line.sku]}" for line in o.lines])
    return f"{o.id} {o.buyer} {o.recipient} {o.seller} {rows}"


def _request(state: State, request_id: str) -> Request:
    if request_id not in state.requests:
        raise ToolError("unknown_request", f"{request_id}: 그런 접수가 없습니다.")
    return state.requests[request_id]


def _open_request(state: State, request_id: str) -> Request:
    r = _request(state, request_id)
    if r.status != "open":
        raise ToolError("not_open", f"{request_id}: 이미 닫힌 접수입니다({r.status}).")
    return r


def _order(state: State, order_id: str) -> Order:
    if order_id not in state.orders:
        raise ToolError("unknown_order", f"{order_id}: 그런 주문이 없습니다.")
    return state.orders[order_id]


def _list_is_open(state: State) -> None:
    if state.time.minute > state.time.minute_of(str(state.figures["manifest"])):
        raise ToolError("list_closed", f"수거 명단은 {state.figures['manifest']}에 닫혔습니다.")


def _settle(
    state: State, r: Request, status: Literal["done", "refused", "held", "withdrawn", "forwarded", "linked"]
) -> None:
    r.status, r.settled_at = status, state.time.minute
