"""What lies in a suite folder, as far as it can be read: a page has to be possible at every stage."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from worktrial.engine.store import read_lines
from worktrial.errors import DataError
from worktrial.synthesis import forms
from worktrial.synthesis.artifacts import Calibration, Provenance, Reject, Repair, Slot
from worktrial.synthesis.files import read_yaml_as
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.pipeline import slots_of
from worktrial.synthesis.sources import Sources
from worktrial.synthesis.spec import JobSpec

T = TypeVar("T")

# Names files, so an id must not lead anywhere else.
_ID = re.compile(r"\w[\w-]{0,150}")


class Paid(msgspec.Struct, kw_only=True):
    """A line of `work/spend.jsonl`."""

    tokens: int = 0
    cost: float | None = None


class SessionRow(msgspec.Struct, kw_only=True):
    """A line of `work/sessions.jsonl`."""

    started: str = ""
    ended: str = ""
    end: str = ""
    roles: dict[str, str] = {}
    answers: int = 0
    tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Spent:
    """On a suite, in all sessions."""

    answers: int
    tokens: int
    cost: float
    """US dollars of the answers that have a price."""
    unpriced: int
    """Answers without one."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Everything but the slots' own drafts and runs."""

    folder: SuiteFolder
    spec: JobSpec | None
    slots: Sequence[Slot]
    calibrations: Mapping[str, Calibration]
    rejects: Mapping[str, Reject]
    repairs: Mapping[str, Sequence[Repair]]
    provenance: Mapping[str, Sequence[Provenance]]
    """Of each file, in the order written."""
    sources: Sources
    spent: Spent
    sessions: Sequence[SessionRow]
    is_published: bool
    """Whether `suite.yaml` is there."""
    troubles: Sequence[str]
    """What could not be read, and why."""


def read_folder(folder: SuiteFolder) -> Reading:
    """What is there; what is missing or damaged is left out and, where damaged, named."""
    troubles: list[str] = []
    spec = attempt(lambda: read_yaml_as(folder.spec, JobSpec), troubles) if folder.spec.exists() else None
    repairs: dict[str, list[Repair]] = {}
    for repair in lines(folder.repairs, Repair, troubles):
        repairs.setdefault(repair.slot, []).append(repair)
    provenance: dict[str, list[Provenance]] = {}
    for record in lines(folder.provenance, Provenance, troubles):
        provenance.setdefault(record.file, []).append(record)
    sources = attempt(lambda: Sources.read(folder.sources), troubles)
    return Reading(
        folder=folder,
        spec=spec,
        slots=_slots(folder, spec, troubles),
        calibrations={c.slot: c for c in lines(folder.calibration, Calibration, troubles)},
        rejects={r.slot: r for r in lines(folder.rejects, Reject, troubles)},
        repairs=repairs,
        provenance=provenance,
        sources=sources if sources is not None else Sources(),
        spent=_spent(lines(folder.work / "spend.jsonl", Paid, troubles)),
        sessions=list(lines(folder.work / "sessions.jsonl", SessionRow, troubles)),
        is_published=folder.suite.exists(),
        troubles=troubles,
    )


def attempt(read: Callable[[], T], troubles: list[str]) -> T | None:
    """What `read` gives; None where it cannot be read, with the reason among `troubles`."""
    try:
        return read()
    except DataError as e:
        troubles.append(str(e))
    except OSError as e:
        troubles.append(f"{e.filename}: cannot be read ({e.strerror})")
    return None


def lines(path: Path, kind: type[T], troubles: list[str]) -> Iterator[T]:
    """The records of a JSONL file up to the first damaged one, one at a time."""
    rows = read_lines(path, kind)
    while True:
        row = attempt(lambda: next(rows, None), troubles)
        if row is None:
            return
        yield row


def _slots(folder: SuiteFolder, spec: JobSpec | None, troubles: list[str]) -> list[Slot]:
    if spec is None or not folder.subtopics.exists():
        return []
    subtopics = attempt(lambda: forms.SUBTOPICS.read(folder.subtopics), troubles) or []
    found: dict[str, Any] = {}
    for subtopic in subtopics:
        if not _ID.fullmatch(subtopic.id):
            troubles.append(f"{folder.subtopics}: {subtopic.id!r} is no id (letters, digits, hyphens)")
        elif subtopic.id in found:
            troubles.append(f"{folder.subtopics}: two sub-topics have the id {subtopic.id}")
        else:
            found[subtopic.id] = subtopic
    slots = slots_of(spec, list(found.values()))
    return [slot for slot in slots if _ID.fullmatch(slot.id)]


def _spent(paid: Iterator[Paid]) -> Spent:
    answers, tokens, cost, unpriced = 0, 0, 0.0, 0
    for one in paid:
        answers += 1
        tokens += one.tokens
        cost += one.cost or 0.0
        unpriced += one.cost is None
    return Spent(answers, tokens, cost, unpriced)
