"""The shop's order system as an agent of its returns desk uses it."""

from decimal import Decimal
from typing import Annotated

import msgspec
from msgspec import Meta

from worktrial.suites.starter.workplaces.order_returns.state_types import (
    Line,
    Means,
    Order,
    Outcome,
    Reason,
    Refund,
    Return,
    State,
    Team,
    Ticket,
    Topic,
)
from worktrial.workplaces.executable import ToolError, reads, writes

Json = dict[str, object]
Quantity = Annotated[int, Meta(ge=1, le=10_000)]

PAGE_SIZE = 5


@reads(customer_id="C-118")
def find_orders(state: State, customer_id: str) -> Json:
    """Find a customer's orders; also tells the customer's name and tier.

    Args:
        customer_id: For example C-118.
    """
    if customer_id not in state.customers:
        raise ToolError("unknown_customer", f"There is no customer {customer_id}.")
    orders = [
        {"order_id": order_id, "ordered_on": order.ordered_on}
        for order_id, order in state.orders.items()
        if order.customer_id == customer_id
    ]
    return {"customer_id": customer_id, **msgspec.structs.asdict(state.customers[customer_id]), "orders": orders}


@reads(order_id="O-7701")
def get_order(state: State, order_id: str) -> Json:
    """Open an order: customer and tier, date, promotion, shipping fee, payments; the lines are listed apart.

    Args:
        order_id: For example O-7701.
    """
    order = _order(state, order_id)
    header = msgspec.structs.asdict(order)
    del header["lines"]
    tier = state.customers[order.customer_id].tier
    return {"today": state.clock, "order_id": order_id, "tier": tier, **header}


@reads(order_id="O-7701")
def list_lines(state: State, order_id: str, page: Annotated[int, Meta(ge=1, le=1000)] = 1) -> Json:
    """List an order's lines, five a page: article, category, units ordered and cancelled, list price, final sale.

    Args:
        order_id: For example O-7701.
        page: Which page, counted from 1.
    """
    lines = _order(state, order_id).lines
    pages = max(1, -(-len(lines) // PAGE_SIZE))
    if page > pages:
        raise ToolError("no_such_page", f"{order_id} has {pages} pages of lines.")
    shown = lines[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
    return {"order_id": order_id, "page": page, "pages": pages, "lines": shown}


@reads(order_id="O-7701")
def list_parcels(state: State, order_id: str) -> Json:
    """List an order's parcels with the day of delivery and the units of each line in them.

    Args:
        order_id: For example O-7701.
    """
    _order(state, order_id)
    parcels = [
        {"parcel_id": parcel_id, **msgspec.structs.asdict(parcel)}
        for parcel_id, parcel in state.parcels.items()
        if parcel.order_id == order_id
    ]
    return {"order_id": order_id, "parcels": parcels}


@reads(code="SPRING10")
def get_promotion(state: State, code: str) -> Json:
    """Read the terms of a promotion.

    Args:
        code: For example SPRING10.
    """
    if code not in state.promotions:
        raise ToolError("unknown_promotion", f"There is no promotion {code}.")
    return {"code": code, **msgspec.structs.asdict(state.promotions[code])}


@reads(topic="fees")
def get_policy(state: State, topic: Topic) -> Json:
    """Read a policy of the returns desk.

    Args:
        topic: Which policy.
    """
    return {"topic": topic, "text": state.policies[topic]}


@reads(order_id="O-7701")
def list_returns(state: State, order_id: str) -> Json:
    """List an order's returns: line, units, reason, when announced and received, condition, outcome.

    Args:
        order_id: For example O-7701.
    """
    _order(state, order_id)
    returns = [
        {"return_id": return_id, **msgspec.structs.asdict(record)}
        for return_id, record in state.returns.items()
        if record.order_id == order_id
    ]
    return {"today": state.clock, "order_id": order_id, "returns": returns}


@reads(order_id="O-7701")
def list_refunds(state: State, order_id: str) -> Json:
    """List the refunds that an order has had, oldest first.

    Args:
        order_id: For example O-7701.
    """
    _order(state, order_id)
    return {"order_id": order_id, "refunds": [r for r in state.refunds if r.order_id == order_id]}


@writes(order_id="O-7701", line_id="2", quantity=1, reason="defective")
def announce_return(state: State, order_id: str, line_id: str, quantity: Quantity, reason: Reason) -> Json:
    """Announce a return; the customer gets a label for it at once.

    Args:
        order_id: For example O-7701.
        line_id: The line within the order, for example 4.
        quantity: How many units come back.
        reason: Why.
    """
    _line(_order(state, order_id), order_id, line_id)
    delivered = sum(
        parcel.items.get(line_id, 0)
        for parcel in state.parcels.values()
        if parcel.order_id == order_id and parcel.delivered_on is not None
    )
    gone = sum(
        record.quantity
        for record in state.returns.values()
        if (record.order_id, record.line_id) == (order_id, line_id) and record.outcome != "rejected"
    )
    if quantity > delivered - gone:
        raise ToolError("too_many", f"The customer has {delivered - gone} units of line {line_id}.")
    return_id = f"R-{901 + len(state.returns)}"
    state.returns[return_id] = Return(
        order_id=order_id,
        line_id=line_id,
        quantity=quantity,
        reason=reason,
        announced_on=state.clock,
        received_on=None,
        condition=None,
        outcome=None,
    )
    return {"return_id": return_id, **msgspec.structs.asdict(state.returns[return_id])}


@writes(return_id="R-901", outcome="accepted")
def settle_return(state: State, return_id: str, outcome: Outcome) -> Json:
    """Accept or reject a return that the warehouse has received; this is final and pays nothing out.

    Args:
        return_id: For example R-901.
        outcome: Whether it is accepted.
    """
    if return_id not in state.returns:
        raise ToolError("unknown_return", f"There is no return {return_id}.")
    record = state.returns[return_id]
    if record.received_on is None:
        raise ToolError("not_received", f"{return_id} has not arrived.")
    if record.outcome is not None:
        raise ToolError("already_settled", f"{return_id} was {record.outcome}.")
    record.outcome = outcome
    return {"return_id": return_id, **msgspec.structs.asdict(record)}


@writes(order_id="O-7712", line_id="3", quantity=1)
def cancel_units(state: State, order_id: str, line_id: str, quantity: Quantity) -> Json:
    """Cancel units of a line that have not been put into a parcel; this pays nothing out.

    Args:
        order_id: For example O-7712.
        line_id: The line within the order, for example 4.
        quantity: How many units.
    """
    line = _line(_order(state, order_id), order_id, line_id)
    shipped = sum(p.items.get(line_id, 0) for p in state.parcels.values() if p.order_id == order_id)
    waiting = line.quantity - line.cancelled - shipped
    if quantity > waiting:
        raise ToolError("already_shipped", f"Only {waiting} units of line {line_id} are waiting.")
    line.cancelled += quantity
    return {"order_id": order_id, "line": line}


@writes(order_id="O-7701", amount=12.5, means="card")
def issue_refund(state: State, order_id: str, amount: Annotated[float, Meta(gt=0, le=1e6)], means: Means) -> Json:
    """Pay money back on an order; it goes out at once.

    Args:
        order_id: For example O-7701.
        amount: Euros and cents.
        means: Where to.
    """
    order = _order(state, order_id)
    euros = Decimal(str(amount)).quantize(Decimal("0.01"))
    paid = order.paid_by_card if means == "card" else order.paid_by_gift_card
    back = sum((r.amount for r in state.refunds if (r.order_id, r.means) == (order_id, means)), Decimal(0))
    if euros > paid - back:
        raise ToolError("exceeds_payment", f"The {means} payment of {order_id} does not cover {euros}.")
    refund = Refund(
        refund_id=f"F-{301 + len(state.refunds)}",
        order_id=order_id,
        amount=euros,
        means=means,
        issued_on=state.clock,
    )
    state.refunds.append(refund)
    return {"refund": refund}


@writes(order_id="O-7701", team="warehouse", note="Please check the parcel again.")
def open_ticket(state: State, order_id: str, team: Team, note: Annotated[str, Meta(max_length=2000)]) -> Json:
    """Hand a case to people who may decide it.

    Args:
        order_id: For example O-7701.
        team: Whose decision it is.
        note: What they have to decide.
    """
    _order(state, order_id)
    if not note.strip():
        raise ToolError("no_note", "A ticket needs a note.")
    ticket = Ticket(
        ticket_id=f"T-{41 + len(state.tickets)}", order_id=order_id, team=team, note=note, opened_on=state.clock
    )
    state.tickets.append(ticket)
    return {"ticket": ticket}


def _order(state: State, order_id: str) -> Order:
    if order_id not in state.orders:
        raise ToolError("unknown_order", f"There is no order {order_id}.")
    return state.orders[order_id]


def _line(order: Order, order_id: str, line_id: str) -> Line:
    for line in order.lines:
        if line.line_id == line_id:
            return line
    raise ToolError("unknown_line", f"{order_id} has no line {line_id}.")
