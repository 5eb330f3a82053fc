"""The terminal's system as a dispatcher uses it."""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated

import msgspec
from msgspec import Meta

from worktrial.suites.starter.workplaces.container_terminal.state_types import (
    Container,
    GoodsClass,
    Invoice,
    JobStatus,
    Question,
    State,
    Topic,
)
from worktrial.workplaces.executable import ToolError, reads, writes

Json = dict[str, object]
Minute = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$")]
Euros = Annotated[float, Meta(ge=0, le=1e7)]

PAGE_SIZE = 5


@reads()
def list_containers(state: State, page: Annotated[int, Meta(ge=1, le=1000)] = 1) -> Json:
    """List the containers in the terminal, five a page: line, consignee and position.

    Args:
        page: Which page, counted from 1.
    """
    every = list(state.containers.items())
    pages = -(-len(every) // PAGE_SIZE)
    if page > pages:
        raise ToolError("no_such_page", f"The list has {pages} pages.")
    shown = every[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
    return {
        "time": state.clock,
        "page": page,
        "pages": pages,
        "containers": [
            {"container_id": id_, "line": c.line, "consignee": c.consignee, "position": c.position}
            for id_, c in shown
        ],
    }


@reads(container_id="TRLU-4471")
def get_container(state: State, container_id: str) -> Json:
    """Open a container: size, reefer, dangerous-goods class, weight, consignee, arrival, position, hold.

    Args:
        container_id: For example TRLU-4471.
    """
    return {"container_id": container_id, **msgspec.structs.asdict(_container(state, container_id))}


@reads(line="Aurora")
def get_tariff(state: State, line: str) -> Json:
    """Read a shipping line's demurrage tariff: free days, rates by chargeable day, plug-in fee.

    Args:
        line: For example Aurora.
    """
    if line not in state.tariffs:
        raise ToolError("unknown_line", f"There is no line {line}.")
    return {"line": line, **msgspec.structs.asdict(state.tariffs[line])}


@reads(consignee="Brandt Furniture")
def get_customer(state: State, consignee: str) -> Json:
    """Read a customer's contract: discount and payment term.

    Args:
        consignee: The customer's name.
    """
    if consignee not in state.customers:
        raise ToolError("unknown_customer", f"There is no customer {consignee}.")
    return {"consignee": consignee, **msgspec.structs.asdict(state.customers[consignee])}


@reads()
def list_closed_days(state: State) -> Json:
    """List the days of this year on which the terminal is closed, besides Sundays."""
    return {"closed_days": [{"day": day, "reason": reason} for day, reason in state.closed_days.items()]}


@reads(status="open")
def list_jobs(state: State, status: JobStatus | None = None) -> Json:
    """List transport jobs with container, receiver, latest delivery and what has been dispatched.

    Args:
        status: Only jobs in this status.
    """
    jobs = [
        {"job_id": job_id, **msgspec.structs.asdict(job)}
        for job_id, job in state.jobs.items()
        if status in (None, job.status)
    ]
    return {"time": state.clock, "jobs": jobs}


@reads(receiver_id="R-11")
def get_receiver(state: State, receiver_id: str) -> Json:
    """Read a receiver's name, the driving minutes one way, and its dock slots.

    Args:
        receiver_id: For example R-11.
    """
    if receiver_id not in state.receivers:
        raise ToolError("unknown_receiver", f"There is no receiver {receiver_id}.")
    slots = [
        {"slot_id": slot_id, "start": slot.start, "status": slot.status}
        for slot_id, slot in state.slots.items()
        if slot.receiver_id == receiver_id
    ]
    return {"receiver_id": receiver_id, **msgspec.structs.asdict(state.receivers[receiver_id]), "slots": slots}


@reads()
def list_drivers(state: State) -> Json:
    """List the drivers with status and the last day of their dangerous-goods certificate."""
    drivers = [
        {"driver_id": id_, "name": d.name, "status": d.status, "certificate_until": d.certificate_until}
        for id_, d in state.drivers.items()
    ]
    return {"time": state.clock, "drivers": drivers}


@reads(driver_id="D-21")
def get_driver(state: State, driver_id: str) -> Json:
    """Open a driver: certificate, start of duty, minutes driven since the break, today and this week.

    Args:
        driver_id: For example D-21.
    """
    if driver_id not in state.drivers:
        raise ToolError("unknown_driver", f"There is no driver {driver_id}.")
    return {"time": state.clock, "driver_id": driver_id, **msgspec.structs.asdict(state.drivers[driver_id])}


@reads()
def list_bays(state: State) -> Json:
    """List the bays of block D in order, with places, whether they are blocked, and the containers in them."""
    bays = [
        {"bay_id": bay_id, **msgspec.structs.asdict(bay), "containers": _in_bay(state, bay_id)}
        for bay_id, bay in state.bays.items()
    ]
    return {"bays": bays}


@reads(first="3", second="5.1")
def get_segregation(state: State, first: GoodsClass, second: GoodsClass) -> Json:
    """Look up the segregation code of two dangerous-goods classes.

    Args:
        first: One class.
        second: The other one.
    """
    code = next((s.code for s in state.segregation if set(s.classes) == {first, second}), 0)
    return {"first": first, "second": second, "code": code}


@reads(topic="dispatch")
def get_policy(state: State, topic: Topic) -> Json:
    """Read a policy of the terminal.

    Args:
        topic: Which policy.
    """
    return {"topic": topic, "text": state.policies[topic]}


@writes(container_id="SOLU-9011", bay_id="D9")
def move_container(state: State, container_id: str, bay_id: str) -> Json:
    """Put a container into a bay of block D.

    Args:
        container_id: For example SOLU-9011.
        bay_id: For example D9.
    """
    container = _container(state, container_id)
    if bay_id not in state.bays:
        raise ToolError("unknown_bay", f"There is no bay {bay_id}.")
    if state.bays[bay_id].blocked:
        raise ToolError("bay_blocked", f"{bay_id} is blocked.")
    if len(_in_bay(state, bay_id)) >= state.bays[bay_id].places:
        raise ToolError("bay_full", f"{bay_id} has no free place.")
    container.position = bay_id
    return {"container_id": container_id, "position": bay_id}


@writes(job_id="J-3298", driver_id="D-21", slot_id="S-1101", departs="2025-04-25T06:25")
def dispatch_job(state: State, job_id: str, driver_id: str, slot_id: str, departs: Minute) -> Json:
    """Send a driver off with an open job and take the dock slot; the system does not check hours or certificates.

    Args:
        job_id: For example J-3298.
        driver_id: For example D-21.
        slot_id: For example S-1101.
        departs: When the driver leaves, for example 2025-04-25T06:25.
    """
    if job_id not in state.jobs:
        raise ToolError("unknown_job", f"There is no job {job_id}.")
    if driver_id not in state.drivers:
        raise ToolError("unknown_driver", f"There is no driver {driver_id}.")
    if slot_id not in state.slots:
        raise ToolError("unknown_slot", f"There is no slot {slot_id}.")
    job, driver, slot = state.jobs[job_id], state.drivers[driver_id], state.slots[slot_id]
    if job.status != "open":
        raise ToolError("not_open", f"{job_id} is {job.status}.")
    if driver.status != "available":
        raise ToolError("driver_not_available", f"{driver_id} is {driver.status}.")
    if slot.receiver_id != job.receiver_id:
        raise ToolError("wrong_receiver", f"{slot_id} is a slot of {slot.receiver_id}.")
    if slot.status != "free":
        raise ToolError("slot_taken", f"{slot_id} is taken.")
    if not _minute(state.clock) <= _minute(departs) < _minute(slot.start):
        raise ToolError("wrong_time", f"{departs} is not between now ({state.clock}) and {slot.start}.")
    job.status, job.driver_id, job.slot_id, job.departs = "dispatched", driver_id, slot_id, departs
    driver.status = "assigned"
    slot.status, slot.job_id = "taken", job_id
    return {"job_id": job_id, **msgspec.structs.asdict(job)}


@writes(container_id="TRLU-4471", chargeable_days=1, demurrage=41.5, plug_in=0)
def issue_invoice(
    state: State,
    container_id: str,
    chargeable_days: Annotated[int, Meta(ge=0, le=1000)],
    demurrage: Euros,
    plug_in: Euros,
) -> Json:
    """Invoice a container that departs today; an invoice cannot be taken back.

    Args:
        container_id: For example TRLU-4471.
        chargeable_days: How many days were charged.
        demurrage: Demurrage in euros and cents, after surcharge and discount.
        plug_in: Plug-in fee in euros and cents; 0 when it is no reefer.
    """
    _container(state, container_id)
    if any(invoice.container_id == container_id for invoice in state.invoices):
        raise ToolError("already_invoiced", f"{container_id} has been invoiced.")
    due, fee = _cents(demurrage), _cents(plug_in)
    invoice = Invoice(
        container_id=container_id,
        chargeable_days=chargeable_days,
        demurrage=due,
        plug_in=fee,
        total=due + fee,
        issued_on=date.fromisoformat(state.clock[:10]).isoformat(),
    )
    state.invoices.append(invoice)
    return {"invoice": invoice}


@writes(about="J-3298", question="May this wait until Monday?")
def ask_duty_manager(state: State, about: str, question: str) -> Json:
    """Put a question to the duty manager, who answers later.

    Args:
        about: The job or container that it is about, for example J-3298.
        question: What needs to be decided.
    """
    if about not in state.jobs and about not in state.containers:
        raise ToolError("unknown_subject", f"{about} is neither a job nor a container.")
    if not question.strip():
        raise ToolError("no_question", "A question needs words.")
    state.questions.append(Question(about=about, question=question, asked_at=state.clock))
    return {"question": state.questions[-1]}


def _container(state: State, container_id: str) -> Container:
    if container_id not in state.containers:
        raise ToolError("unknown_container", f"There is no container {container_id}.")
    return state.containers[container_id]


def _in_bay(state: State, bay_id: str) -> list[str]:
    return [id_ for id_, container in state.containers.items() if container.position == bay_id]


def _minute(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError as e:
        raise ToolError("invalid_time", f"{text} is no time.") from e


def _cents(amount: float) -> Decimal:
    return Decimal(str(amount)).quantize(Decimal("0.01"))
