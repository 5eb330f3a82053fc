"""The laboratory's numbers, worked out a second time, and mistakes that must not pass."""

from datetime import date, datetime, timedelta
from decimal import ROUND_CEILING, ROUND_HALF_UP, Decimal
from typing import Any

import pytest
from tests.support.starter_work import Mistake, add, change, leave_out, passes, work

from worktrial.suites.starter import load_tasks

TASKS = {task.id: task for task in load_tasks() if task.workplace == "assay_lab"}


def exact(value: Any) -> Decimal:
    return Decimal(str(value))


def planned(task_id: str, tool: str) -> list[dict[str, Any]]:
    return [step.arguments for step in TASKS[task_id].plan.steps if step.call == tool]


def stated(task_id: str) -> list[Decimal]:
    return [
        exact(check.value) for check in TASKS[task_id].checks if check.check in ("answer_number", "answer_money")
    ]


def stock_volume(wanted_ul: int, wanted: Decimal, stock: Decimal) -> Decimal:
    return (wanted_ul * wanted / stock).quantize(Decimal("0.1"), ROUND_HALF_UP)


def wells(state: dict[str, Any], project: str, assay_id: str, first: int | None = None) -> tuple[int, int]:
    """Usable samples and wells of a run, or what somebody counts who saw only the project's first samples."""
    theirs = [sample for sample in state["samples"].values() if sample["project"] == project]
    usable = sum(s["status"] == "available" and s["thaws"] < 3 and s["volume_ul"] >= 15 for s in theirs[:first])
    assay = state["assays"][assay_id]
    return usable, usable * assay["replicates"] + assay["control_wells"]


def needed_ul(state: dict[str, Any], assay_id: str, count: int) -> int:
    exactly = count * exact(state["assays"][assay_id]["ul_per_well"]) * Decimal("1.12")
    return int((exactly / 10).to_integral_value(ROUND_CEILING)) * 10


def by_lots(state: dict[str, Any], assay_id: str, volume: int) -> list[tuple[str, Decimal]]:
    today = date.fromisoformat(state["clock"][:10])
    usable = [
        (lot["expires"], lot_id)
        for lot_id, lot in state["lots"].items()
        if lot["reagent_id"] == state["assays"][assay_id]["reagent_id"]
        and not lot["quarantined"]
        and date.fromisoformat(lot["expires"]) >= today
        and (lot["opened_on"] is None or (today - date.fromisoformat(lot["opened_on"])).days <= 30)
    ]
    left, taken = Decimal(volume), []
    for _, lot_id in sorted(usable):
        reserved = sum(exact(r["volume_ul"]) for r in state["reservations"] if r["lot_id"] == lot_id)
        part = min(left, exact(state["lots"][lot_id]["volume_ul"]) - reserved)
        if part:
            taken.append((lot_id, part))
        left -= part
    assert left == 0
    return taken


def first_slot(state: dict[str, Any], kind: str, minutes: int) -> tuple[str, str]:
    """Start and reader of the first run that fits, trying every quarter hour of the day."""
    now = datetime.fromisoformat(state["clock"])
    moment = now.replace(hour=0, minute=0)
    while moment.date() == now.date():
        start, end = (t.isoformat(timespec="minutes") for t in (moment, moment + timedelta(minutes=minutes)))
        for reader, instrument in sorted(state["instruments"].items()):
            clash = any(
                b["instrument_id"] == reader and start < b["end"] and b["start"] < end for b in state["bookings"]
            )
            fits = instrument["kind"] == kind and instrument["calibrated_until"] >= state["clock"][:10]
            if fits and not clash and moment >= now + timedelta(minutes=30) and end[11:] <= "18:00":
                return start, reader
        moment += timedelta(minutes=15)
    raise AssertionError("no slot today")


@pytest.mark.parametrize(
    ("task_id", "project", "assay_id"), [("lab-02", "NV-7", "A-ELISA"), ("lab-03", "KT-2", "A-FLUO")]
)
def test_runs(task_id: str, project: str, assay_id: str) -> None:
    state = TASKS[task_id].initial_state
    usable, count = wells(state, project, assay_id)
    volume = needed_ul(state, assay_id, count)
    lots = by_lots(state, assay_id, volume)
    given = planned(task_id, "reserve_lot")
    assert [(g["lot_id"], exact(g["volume_ul"])) for g in given] == lots
    figures = {"lab-02": [usable, count, volume, *(part for _, part in lots)], "lab-03": [count, volume]}
    assert stated(task_id)[: len(figures[task_id])] == figures[task_id]
    theirs = [sample for sample in state["samples"].values() if sample["project"] == project]
    for seen in (1, 2, len(theirs) - 1):
        assert needed_ul(state, assay_id, wells(state, project, assay_id, seen)[1]) != volume


def test_the_reader() -> None:
    state = TASKS["lab-03"].initial_state
    assay = state["assays"]["A-FLUO"]

    def minutes(first: int | None = None) -> int:
        return 15 + assay["incubation_minutes"] + -(-wells(state, "KT-2", "A-FLUO", first)[1] // 3)

    (given,) = planned("lab-03", "book_instrument")
    right = first_slot(state, assay["reader"], minutes())
    assert (given["start"], given["instrument_id"], given["minutes"]) == (*right, minutes())
    assert first_slot(state, assay["reader"], minutes(2)) != right, "who saw two samples books another reader"


def test_dilutions() -> None:
    samples = TASKS["lab-01"].initial_state["samples"]
    (plain,) = planned("lab-01", "prepare_dilution")
    stock = stock_volume(250, Decimal(4), exact(samples["S-203"]["ng_per_ul"]))
    left = exact(samples["S-203"]["volume_ul"]) - stock
    assert [exact(plain["stock_ul"]), exact(plain["diluent_ul"])] == [stock, 250 - stock]
    assert stated("lab-01") == [stock, 250 - stock, left]
    assert left >= 20
    control = exact(samples["S-307"]["ng_per_ul"])
    assert stock_volume(300, Decimal("0.8"), control) < 2
    second = stock_volume(300, Decimal("0.8"), control / 20)
    assert second >= 2
    first, last = planned("lab-03", "prepare_dilution")
    assert (first["stock_ul"], first["diluent_ul"]) == (5.0, 95.0)
    assert [exact(last["stock_ul"]), exact(last["diluent_ul"])] == [second, 300 - second] == stated("lab-03")[2:]


def test_the_archive_keeps_its_reserve() -> None:
    sample = TASKS["lab-04"].initial_state["samples"]["S-218"]
    held, strength = exact(sample["volume_ul"]), exact(sample["ng_per_ul"])
    left = held - stock_volume(200, Decimal(5), strength)
    assert left < 20
    assert stated("lab-04") == [left, (held - 20) * strength / 5]


MISTAKES: dict[str, dict[str, Mistake]] = {
    "lab-00": {
        "the other reader": change("book_instrument", instrument_id="AR-1"),
        "an hour early": change("book_instrument", start="2025-11-12T12:00"),
        "half an hour": change("book_instrument", minutes=30),
        "a booking of others cancelled": add("cancel_booking", booking_id="B-81"),
    },
    "lab-01": {
        "rounded to full microlitres": change("prepare_dilution", stock_ul=16.0, diluent_ul=234.0),
        "diluent on top of the volume": change("prepare_dilution", diluent_ul=250.0),
        "the neighbour's sample": change("prepare_dilution", source_id="S-208"),
        "prepared twice": add("prepare_dilution", source_id="S-203", stock_ul=16.3, diluent_ul=233.7),
    },
    "lab-02": {
        "every sample counted": change("reserve_lot", 1, volume_ul=4270.0),
        "what others reserved taken too": change("reserve_lot", 1, volume_ul=2370.0),
        "the lot that was open too long": change("reserve_lot", 1, lot_id="RL-42"),
        "no dead volume": change("reserve_lot", 1, volume_ul=2190.0),
        "one lot only": leave_out("reserve_lot", 1),
    },
    "lab-03": {
        "the reader out of calibration": change("book_instrument", instrument_id="FR-1"),
        "a quarter of an hour late": change("book_instrument", start="2025-11-12T12:45"),
        "no warm-up": change("book_instrument", minutes=78),
        "straight from the stock": change("prepare_dilution", 1, source_id="S-307", stock_ul=0.6, diluent_ul=299.4),
        "the sealed lot only": change("reserve_lot", 0, lot_id="RL-52"),
    },
    "lab-04": {
        "made all the same": add("prepare_dilution", source_id="S-218", stock_ul=23.8, diluent_ul=176.2),
        "a part of it made": add("prepare_dilution", source_id="S-218", stock_ul=14.0, diluent_ul=103.6),
        "nobody asked": leave_out("ask_custodian"),
        "asked about another sample": change("ask_custodian", sample_id="S-219"),
    },
}


@pytest.mark.parametrize(("task_id", "mistake"), [(t, m) for t, made in MISTAKES.items() for m in made])
def test_plausible_mistakes_fail(task_id: str, mistake: str) -> None:
    task = TASKS[task_id]
    right = work(task, task.plan)[1].answer
    wrong = MISTAKES[task_id][mistake](task.plan.model_copy(update={"answer": "-"}))
    assert not passes(task, wrong, right)


def test_every_task_has_mistakes() -> None:
    assert MISTAKES.keys() == TASKS.keys()
