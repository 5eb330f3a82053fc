"""Small run folders, written as the engine writes them."""

from pathlib import Path
from typing import Any

import msgspec
from tests.support.run_files import store_work

from worktrial.engine.manifest import Manifest
from worktrial.engine.record import SampleRecord
from worktrial.engine.stored import StoredRun, open_run
from worktrial.grading import Outcome
from worktrial.language import JsonValue
from worktrial.results.turns import StoredCall, StoredObservation
from worktrial.workplaces.faults import DegradedCall, FaultEvent, FaultMode, FaultUnit
from worktrial.workplaces.faults.content import digest

CLEAN_ANSWER = {"bed": "B3", "free": True}
SPOILT_ANSWER = {"bed": "B3"}


def record(sample: str, outcome: str = "pass", condition: str = "E0", repeat: int = 0, **more: Any) -> SampleRecord:
    return SampleRecord(
        suite="s",
        sample=sample,
        repeat=repeat,
        condition=condition,
        outcome=Outcome(outcome),
        reason=more.pop("reason", "why"),
        **{"cost": 0.0, **more},
    )


def event(number: int, mode: str, first: int, length: int = 2, unit: str = "call") -> FaultEvent:
    kind = "http_500" if mode == "E1" else "fields_dropped"
    return FaultEvent(number, FaultMode(mode), kind, first, length, FaultUnit(unit))


def row(number: int, mode: str, call: StoredCall) -> DegradedCall:
    """The ledger row of a degraded call."""
    explicit = mode == "E1"
    return DegradedCall(
        event=number,
        call=call.index,
        turn=call.turn,
        tool=call.tool or "",
        arguments=msgspec.json.decode(call.arguments),
        mode=FaultMode(mode),
        kind="http_500" if explicit else "fields_dropped",
        clean=None if explicit else digest(CLEAN_ANSWER),
        degraded=digest(msgspec.json.decode(call.observation.content)),
        fields=[] if explicit else ["/free"],
    )


def raw(value: JsonValue) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))


def answer(content: JsonValue, origin: str = "executable") -> StoredObservation:
    return StoredObservation(raw(content), origin)


def work(*steps: str, at_once: bool = False) -> list[StoredCall]:
    """Calls, one a turn: `"bed 3"` is a clean answer, `"bed 3!"` a spoilt one, `"bed 3?"` a refusal."""
    calls = []
    for n, step in enumerate(steps):
        tool, argument = step.rstrip("!?").split()
        content = SPOILT_ANSWER if step.endswith("!") else CLEAN_ANSWER
        seen = answer({"error": {}}, "refusal") if step.endswith("?") else answer(content)
        calls.append(StoredCall(n, 0 if at_once else n, tool, raw({"id": argument}), seen))
    return calls


def store(
    folder: Path, records: list[SampleRecord], works: dict[int, list[StoredCall]] | None = None, **settings: Any
) -> StoredRun:
    """A run of `records`; `works` gives the calls of the record at a position."""
    folder.mkdir(parents=True, exist_ok=True)
    manifest = Manifest(suite="s", data={}, settings=settings, samples=len({r.key for r in records}))
    (folder / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    whose = [{"suite": "s", "sample": r.sample, "repeat": r.repeat, "condition": r.condition} for r in records]
    calls = works or {}
    lines = [{**one, "calls": calls[n]} if n in calls else None for n, one in enumerate(whose)]
    store_work(folder, zip(records, lines, strict=True))
    return open_run(folder)
