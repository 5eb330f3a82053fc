"""What occupies a machine and when, and what material is spoken for."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from worktrial.suites.starter.workplaces.production_line.state_types import Machine, Order, Product, State
from worktrial.workplaces.executable import ToolError

HORIZON = timedelta(days=366)


class Span(NamedTuple):
    """A stretch of time on a machine."""

    start: str
    end: str
    what: str


def occupied(state: State, machine_id: str) -> list[Span]:
    """The machine's jobs and maintenance, in order of time; jobs that are done no longer count."""
    jobs = [
        Span(order.start, order.end, order_id)
        for order_id, order in state.orders.items()
        if order.machine_id == machine_id and order.status != "done" and order.start and order.end
    ]
    windows = [Span(w.start, w.end, "maintenance") for w in state.maintenance if w.machine_id == machine_id]
    return sorted(jobs + windows)


def refuse_overlap(state: State, machine_id: str, start: str, end: str) -> None:
    """Raise `ToolError` when anything occupies the machine between `start` and `end`."""
    for span in occupied(state, machine_id):
        if start < span.end and span.start < end:
            raise ToolError("overlap", f"{machine_id} has {span.what} from {span.start} to {span.end}.")


def minutes_to_run(product: Product, machine_id: str, quantity: int) -> int:
    """Minutes for `quantity` units, rounded up."""
    return -(-quantity * 60 // product.units_per_hour[machine_id])


def free_kg(state: State, material_id: str) -> Decimal:
    """Stock that no scheduled order needs; running and finished orders have drawn theirs already."""
    needed = sum(
        (
            order.quantity * state.products[order.product_id].kg_per_unit
            for order in state.orders.values()
            if order.status == "scheduled" and state.products[order.product_id].material_id == material_id
        ),
        Decimal(0),
    )
    return state.materials[material_id].on_hand_kg - needed


def future(state: State, text: str) -> datetime:
    """The time that `text` gives, when it is neither past nor more than a year ahead."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as e:
        raise ToolError("invalid_time", f"{text} is no time.") from e
    now = datetime.fromisoformat(state.clock)
    if moment < now:
        raise ToolError("time_passed", f"{text} is before now ({state.clock}).")
    if moment > now + HORIZON:
        raise ToolError("beyond_horizon", f"{text} is more than a year ahead.")
    return moment


def after(moment: datetime, minutes: int) -> str:
    """`minutes` later, as the system writes times."""
    return (moment + timedelta(minutes=minutes)).isoformat(timespec="minutes")


def machine(state: State, machine_id: str) -> Machine:
    """The machine, or `ToolError`."""
    if machine_id not in state.machines:
        raise ToolError("unknown_machine", f"There is no machine {machine_id}.")
    return state.machines[machine_id]


def order(state: State, order_id: str) -> Order:
    """The order, or `ToolError`."""
    if order_id not in state.orders:
        raise ToolError("unknown_order", f"There is no order {order_id}.")
    return state.orders[order_id]
