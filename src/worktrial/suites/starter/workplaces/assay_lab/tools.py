"""The laboratory information system as a research associate uses it."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Annotated

import msgspec
from msgspec import Meta

from worktrial.suites.starter.workplaces.assay_lab.state_types import (
    Booking,
    Dilution,
    InstrumentKind,
    Question,
    Reservation,
    Sample,
    State,
    Topic,
)
from worktrial.workplaces.executable import ToolError, reads, writes

Json = dict[str, object]
Minute = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$")]
Volume = Annotated[float, Meta(ge=0.1, le=1e6)]


@reads(project="NV-7")
def list_samples(state: State, project: str) -> Json:
    """List all samples of a project with concentration (ng/µl), volume (µl), thaws and status.

    Args:
        project: For example NV-7.
    """
    samples = [_sample_record(sample_id, s) for sample_id, s in state.samples.items() if s.project == project]
    if not samples:
        raise ToolError("unknown_project", f"There is no project {project}.")
    return {"project": project, "count": len(samples), "samples": samples}


@reads(sample_id="S-201")
def get_sample(state: State, sample_id: str) -> Json:
    """Open a sample: concentration (ng/µl), volume left (µl), thaws, status.

    Args:
        sample_id: For example S-201.
    """
    return _sample_record(sample_id, _sample(state, sample_id))


@reads(assay_id="A-ELISA")
def get_assay(state: State, assay_id: str) -> Json:
    """Read an assay's reagent, volume per well, replicates, control wells, incubation and kind of reader.

    Args:
        assay_id: A-ELISA or A-FLUO.
    """
    _assay(state, assay_id)
    return {"assay_id": assay_id, **msgspec.structs.asdict(state.assays[assay_id])}


@reads(reagent_id="RG-DET")
def list_lots(state: State, reagent_id: str) -> Json:
    """List all lots of a reagent: volume, the part of it reserved, expiry, day of opening, quarantine.

    Args:
        reagent_id: For example RG-DET.
    """
    lots = [
        {"lot_id": lot_id, **msgspec.structs.asdict(lot), "reserved_ul": _reserved(state, lot_id)}
        for lot_id, lot in state.lots.items()
        if lot.reagent_id == reagent_id
    ]
    if not lots:
        raise ToolError("unknown_reagent", f"There is no reagent {reagent_id}.")
    return {"reagent_id": reagent_id, "count": len(lots), "lots": lots}


@reads(kind="absorbance_reader")
def list_instruments(state: State, kind: InstrumentKind | None = None) -> Json:
    """List instruments with the last day that their calibration covers.

    Args:
        kind: Only instruments of this kind.
    """
    instruments = [
        {"instrument_id": instrument_id, **msgspec.structs.asdict(instrument)}
        for instrument_id, instrument in state.instruments.items()
        if kind in (None, instrument.kind)
    ]
    return {"now": state.clock, "instruments": instruments}


@reads(instrument_id="FR-2")
def list_bookings(state: State, instrument_id: str) -> Json:
    """List an instrument's bookings by start.

    Args:
        instrument_id: For example FR-1.
    """
    booked = sorted(_bookings(state, instrument_id), key=lambda booking: booking.start)
    return {"instrument_id": instrument_id, "count": len(booked), "bookings": booked}


@reads(topic="dilution")
def get_sop(state: State, topic: Topic) -> Json:
    """Read a standard operating procedure.

    Args:
        topic: Which procedure.
    """
    return {"topic": topic, "text": state.sops[topic]}


@writes(source_id="S-201", stock_ul=10.0, diluent_ul=90.0)
def prepare_dilution(state: State, source_id: str, stock_ul: Volume, diluent_ul: Volume) -> Json:
    """Have the pipetting robot make a dilution from a sample or from another dilution, at once.

    Args:
        source_id: For example S-201 or D-9.
        stock_ul: Taken from the source, µl, to one decimal.
        diluent_ul: Added, µl, to one decimal.
    """
    taken, added = _tenth(stock_ul), _tenth(diluent_ul)
    source = state.dilutions.get(source_id) or _sample(state, source_id)
    if taken > source.volume_ul:
        raise ToolError("insufficient_volume", f"{source_id} holds {source.volume_ul} µl.")
    source.volume_ul -= taken
    if isinstance(source, Sample):
        source.thaws += 1
    dilution_id = f"D-{1 + len(state.dilutions)}"
    dilution = state.dilutions[dilution_id] = Dilution(
        source_id=source_id,
        source_ul=taken,
        diluent_ul=added,
        ng_per_ul=(taken * source.ng_per_ul / (taken + added)).quantize(Decimal("0.0001")),
        volume_ul=taken + added,
        made_at=state.clock,
    )
    left = {"source_id": source_id, "volume_ul": source.volume_ul}
    return {"dilution_id": dilution_id, **msgspec.structs.asdict(dilution), "left": left}


@writes(lot_id="RL-44", assay_id="A-ELISA", volume_ul=500.0)
def reserve_lot(state: State, lot_id: str, assay_id: str, volume_ul: Volume) -> Json:
    """Reserve part of a reagent lot for today's run of an assay.

    Args:
        lot_id: For example RL-41.
        assay_id: A-ELISA or A-FLUO.
        volume_ul: How much, µl, to one decimal.
    """
    _assay(state, assay_id)
    if lot_id not in state.lots:
        raise ToolError("unknown_lot", f"There is no lot {lot_id}.")
    if state.lots[lot_id].reagent_id != state.assays[assay_id].reagent_id:
        raise ToolError("wrong_reagent", f"{assay_id} does not use {state.lots[lot_id].reagent_id}.")
    volume, free = _tenth(volume_ul), state.lots[lot_id].volume_ul - _reserved(state, lot_id)
    if volume > free:
        raise ToolError("lot_short", f"{free} µl of {lot_id} are not reserved.")
    reservation = Reservation(lot_id=lot_id, assay_id=assay_id, volume_ul=volume, reserved_at=state.clock)
    state.reservations.append(reservation)
    return {"reservation": reservation}


@writes(instrument_id="AR-2", start="2025-11-12T10:00", minutes=120, purpose="ELISA")
def book_instrument(
    state: State,
    instrument_id: str,
    start: Minute,
    minutes: Annotated[int, Meta(ge=1, le=1440)],
    purpose: Annotated[str, Meta(min_length=1, max_length=200)],
) -> Json:
    """Book an instrument.

    Args:
        instrument_id: For example FR-3.
        start: For example 2025-11-12T10:00.
        minutes: For how long.
        purpose: What for.
    """
    booked = _bookings(state, instrument_id)
    try:
        begins = datetime.fromisoformat(start)
        end = (begins + timedelta(minutes=minutes)).isoformat(timespec="minutes")
    except (ValueError, OverflowError) as e:
        raise ToolError("invalid_time", f"{start} is no time.") from e
    if start < state.clock:
        raise ToolError("time_passed", f"{start} is before now ({state.clock}).")
    for other in booked:
        if start < other.end and other.start < end:
            raise ToolError("overlap", f"{other.booking_id} has {instrument_id} from {other.start} to {other.end}.")
    last = max((int(booking.booking_id[2:]) for booking in state.bookings), default=80)
    booking = Booking(
        booking_id=f"B-{last + 1}", instrument_id=instrument_id, start=start, end=end, purpose=purpose
    )
    state.bookings.append(booking)
    return {"booking": booking}


@writes(booking_id="B-82")
def cancel_booking(state: State, booking_id: str) -> Json:
    """Cancel a booking.

    Args:
        booking_id: For example B-82.
    """
    for booking in state.bookings:
        if booking.booking_id == booking_id:
            state.bookings.remove(booking)
            return {"cancelled": booking}
    raise ToolError("unknown_booking", f"There is no booking {booking_id}.")


@writes(sample_id="S-218", question="May the rest be used up?")
def ask_custodian(
    state: State, sample_id: str, question: Annotated[str, Meta(min_length=1, max_length=2000)]
) -> Json:
    """Ask the custodian of the sample archive, who answers within a working day.

    Args:
        sample_id: For example S-218.
        question: What is asked, with the amounts concerned.
    """
    _sample(state, sample_id)
    asked = Question(
        question_id=f"AQ-{1 + len(state.questions)}", sample_id=sample_id, question=question, asked_at=state.clock
    )
    state.questions.append(asked)
    return {"question": asked}


def _sample(state: State, sample_id: str) -> Sample:
    if sample_id not in state.samples:
        raise ToolError("unknown_sample", f"There is no sample or dilution {sample_id}.")
    return state.samples[sample_id]


def _sample_record(sample_id: str, sample: Sample) -> Json:
    return {"sample_id": sample_id, **msgspec.structs.asdict(sample)}


def _assay(state: State, assay_id: str) -> None:
    if assay_id not in state.assays:
        raise ToolError("unknown_assay", f"There is no assay {assay_id}.")


def _reserved(state: State, lot_id: str) -> Decimal:
    return sum((r.volume_ul for r in state.reservations if r.lot_id == lot_id), Decimal(0))


def _bookings(state: State, instrument_id: str) -> list[Booking]:
    if instrument_id not in state.instruments:
        raise ToolError("unknown_instrument", f"There is no instrument {instrument_id}.")
    return [booking for booking in state.bookings if booking.instrument_id == instrument_id]


def _tenth(volume: float) -> Decimal:
    return Decimal(str(volume)).quantize(Decimal("0.1"))
