"""The planning system of a filling plant as its scheduler uses it."""

from typing import Annotated

import msgspec
from msgspec import Meta

from worktrial.suites.starter.workplaces.production_line import timetable
from worktrial.suites.starter.workplaces.production_line.state_types import (
    Maintenance,
    Notice,
    Order,
    Requisition,
    State,
    Status,
    Topic,
)
from worktrial.workplaces.executable import ToolError, reads, writes

Json = dict[str, object]
Minute = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$")]


@reads(status="open")
def list_orders(state: State, status: Status | None = None) -> Json:
    """List production orders with product, quantity, due time, machine and planned times.

    Args:
        status: Only orders in this status.
    """
    orders = [
        {"order_id": order_id, **msgspec.structs.asdict(order)}
        for order_id, order in state.orders.items()
        if status in (None, order.status)
    ]
    return {"time": state.clock, "orders": orders}


@reads(order_id="WO-501")
def get_order(state: State, order_id: str) -> Json:
    """Open one production order.

    Args:
        order_id: For example WO-501.
    """
    order = timetable.order(state, order_id)
    return {"time": state.clock, "order_id": order_id, **msgspec.structs.asdict(order)}


@reads()
def list_machines(state: State) -> Json:
    """List the machines with status, note, current setup and schedule."""
    return {"time": state.clock, "machines": [_machine(state, machine_id) for machine_id in state.machines]}


@reads(machine_id="F1")
def get_machine(state: State, machine_id: str) -> Json:
    """Open one machine: status, note, current setup, and its schedule of jobs and maintenance.

    Args:
        machine_id: For example F9.
    """
    return {"time": state.clock, **_machine(state, machine_id)}


@reads(product_id="P-ORG")
def get_product(state: State, product_id: str) -> Json:
    """Read a product's family, units per hour on each machine that can run it, material and case size.

    Args:
        product_id: For example P-ORG.
    """
    if product_id not in state.products:
        raise ToolError("unknown_product", f"There is no product {product_id}.")
    return {"product_id": product_id, **msgspec.structs.asdict(state.products[product_id])}


@reads(from_family="apple", to_family="citrus")
def get_changeover(state: State, from_family: str, to_family: str) -> Json:
    """Look up how many minutes a changeover takes.

    Args:
        from_family: The family the machine is set up for.
        to_family: The family it shall run next.
    """
    families = {product.family for product in state.products.values()}
    for family in (from_family, to_family):
        if family not in families:
            raise ToolError("unknown_family", f"There is no family {family}.")
    minutes = next(
        (c.minutes for c in state.changeovers if (c.from_family, c.to_family) == (from_family, to_family)), 0
    )
    return {"from_family": from_family, "to_family": to_family, "minutes": minutes}


@reads(material_id="M-TOM")
def get_material(state: State, material_id: str) -> Json:
    """Read a material's stock on hand, the part of it that is free, drum size and price.

    Args:
        material_id: For example M-TOM.
    """
    if material_id not in state.materials:
        raise ToolError("unknown_material", f"There is no material {material_id}.")
    material = msgspec.structs.asdict(state.materials[material_id])
    return {"material_id": material_id, **material, "free_kg": timetable.free_kg(state, material_id)}


@reads(topic="scheduling")
def get_rule(state: State, topic: Topic) -> Json:
    """Read a planning rule of the plant.

    Args:
        topic: Which rule.
    """
    return {"topic": topic, "text": state.rules[topic]}


@writes(order_id="WO-501", machine_id="F1", start="2025-06-03T12:00")
def schedule_order(state: State, order_id: str, machine_id: str, start: Minute) -> Json:
    """Put an open order on a machine and reserve its material; the system works out when it ends.

    Args:
        order_id: For example WO-501.
        machine_id: For example F9.
        start: When the job begins, for example 2025-06-03T12:00; a changeover comes before it.
    """
    order = timetable.order(state, order_id)
    machine = timetable.machine(state, machine_id)
    product = state.products[order.product_id]
    if order.status != "open":
        raise ToolError("not_open", f"{order_id} is {order.status}.")
    if machine_id not in product.units_per_hour:
        raise ToolError("cannot_run", f"{machine_id} cannot run {order.product_id}.")
    begins = timetable.future(state, start)
    repaired = [window.end for window in state.maintenance if window.machine_id == machine_id]
    if machine.status == "down" and not any(end <= start for end in repaired):
        raise ToolError("machine_down", f"{machine_id} is down and no repair is booked that ends by {start}.")
    end = timetable.after(begins, timetable.minutes_to_run(product, machine_id, order.quantity))
    timetable.refuse_overlap(state, machine_id, start, end)
    needed = order.quantity * product.kg_per_unit
    free = timetable.free_kg(state, product.material_id)
    if needed > free:
        raise ToolError(
            "material_short", f"{order_id} needs {needed} kg of {product.material_id}, {free} kg are free."
        )
    order.status, order.machine_id, order.start, order.end = "scheduled", machine_id, start, end
    return {"order_id": order_id, **msgspec.structs.asdict(order)}


@writes(order_id="WO-494")
def unschedule_order(state: State, order_id: str) -> Json:
    """Take a scheduled order that has not begun off its machine; it is open again.

    Args:
        order_id: For example WO-494.
    """
    order = timetable.order(state, order_id)
    if order.status != "scheduled":
        raise ToolError("not_scheduled", f"{order_id} is {order.status}.")
    order.status, order.machine_id, order.start, order.end = "open", None, None, None
    return {"order_id": order_id, **msgspec.structs.asdict(order)}


@writes(machine_id="F3", start="2025-06-03T20:00", minutes=60)
def book_maintenance(
    state: State, machine_id: str, start: Minute, minutes: Annotated[int, Meta(ge=1, le=10080)]
) -> Json:
    """Book a repair or maintenance on a machine.

    Args:
        machine_id: For example F9.
        start: When it begins, for example 2025-06-03T20:00.
        minutes: How long it takes.
    """
    timetable.machine(state, machine_id)
    end = timetable.after(timetable.future(state, start), minutes)
    timetable.refuse_overlap(state, machine_id, start, end)
    state.maintenance.append(Maintenance(machine_id=machine_id, start=start, end=end))
    return {"maintenance": state.maintenance[-1]}


@writes(order_id="WO-508", quantity=4800)
def split_order(state: State, order_id: str, quantity: Annotated[int, Meta(ge=1, le=10_000_000)]) -> Json:
    """Split an open order in two: it keeps the quantity given, and the rest becomes a new open order.

    Args:
        order_id: For example WO-508.
        quantity: Units that stay in the order.
    """
    order = timetable.order(state, order_id)
    if order.status != "open":
        raise ToolError("not_open", f"{order_id} is {order.status}.")
    if quantity >= order.quantity:
        raise ToolError("nothing_left", f"{order_id} has {order.quantity} units.")
    rest_id = f"{order_id}B"
    if rest_id in state.orders:
        raise ToolError("already_split", f"{order_id} has been split before.")
    rest = msgspec.structs.replace(order, quantity=order.quantity - quantity)
    order.quantity = quantity
    state.orders[rest_id] = rest
    return {"kept": _brief(order_id, order), "split_off": _brief(rest_id, rest)}


@writes(order_id="WO-501", new_delivery="2025-06-03T16:00")
def notify_customer(state: State, order_id: str, new_delivery: Minute) -> Json:
    """Tell an order's customer a new delivery time; the message goes out at once.

    Args:
        order_id: For example WO-501.
        new_delivery: For example 2025-06-03T16:00.
    """
    order = timetable.order(state, order_id)
    timetable.future(state, new_delivery)
    notice = Notice(order_id=order_id, customer=order.customer, new_delivery=new_delivery, sent_at=state.clock)
    state.notices.append(notice)
    return {"notice": notice}


@writes(material_id="M-OAT", drums=2)
def raise_requisition(state: State, material_id: str, drums: Annotated[int, Meta(ge=1, le=1000)]) -> Json:
    """Ask purchasing for full drums of a material.

    Args:
        material_id: For example M-OAT.
        drums: How many.
    """
    if material_id not in state.materials:
        raise ToolError("unknown_material", f"There is no material {material_id}.")
    total = drums * state.materials[material_id].price_per_drum
    requisition = Requisition(material_id=material_id, drums=drums, total=total, raised_at=state.clock)
    state.requisitions.append(requisition)
    return {"requisition": requisition}


def _machine(state: State, machine_id: str) -> Json:
    record = msgspec.structs.asdict(timetable.machine(state, machine_id))
    schedule = [span._asdict() for span in timetable.occupied(state, machine_id)]
    return {"machine_id": machine_id, **record, "schedule": schedule}


def _brief(order_id: str, order: Order) -> Json:
    return {"order_id": order_id, "quantity": order.quantity, "status": order.status, "due": order.due}
