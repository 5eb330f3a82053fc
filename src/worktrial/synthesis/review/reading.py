"""Contents of a suite folder as far as they can be read, and the standing of each slot."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from worktrial.engine.store import read_lines
from worktrial.errors import DataError
from worktrial.synthesis import files
from worktrial.synthesis.artifacts import (
    Calibration,
    DraftFinding,
    JobSpec,
    PaidAnswer,
    PassRate,
    Provenance,
    Reject,
    RepairRow,
    SessionRow,
    Slot,
    SlotRun,
)
from worktrial.synthesis.calibration.rules import interval_of
from worktrial.synthesis.files import read_spec
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.pipeline import slots_of
from worktrial.synthesis.sources import SourceLibrary

T = TypeVar("T")

# Names files, so an id must not lead anywhere else.
_ID = re.compile(r"\w[\w-]{0,150}")


@dataclass(frozen=True, slots=True)
class SuiteSpend:
    """Spend on a suite in all sessions."""

    answers: int
    tokens: int
    cost: float
    """US dollars of the answers that have a price."""
    unpriced: int
    """Answers without one."""


@dataclass(frozen=True, kw_only=True)
class SuiteReading:
    """Everything but the slots' own drafts and runs."""

    folder: SuiteFolder
    spec: JobSpec | None
    slots: Sequence[Slot]
    calibrations: Mapping[str, Calibration]
    rejects: Mapping[str, Reject]
    repairs: Mapping[str, Sequence[RepairRow]]
    provenance: Mapping[str, Sequence[Provenance]]
    """Records of each file, in the order written."""
    sources: SourceLibrary
    spent: SuiteSpend
    sessions: Sequence[SessionRow]
    is_published: bool
    """Whether `suite.yaml` is there."""
    troubles: Sequence[str]
    """Files that could not be read, each with the reason."""


def read_folder(folder: SuiteFolder) -> SuiteReading:
    """Read the folder; whatever is missing or damaged is left out and, where damaged, named."""
    troubles: list[str] = []
    spec = attempt(lambda: read_spec(folder.spec), troubles) if folder.spec.exists() else None
    repairs: dict[str, list[RepairRow]] = {}
    for repair in lines(folder.repairs, RepairRow, troubles):
        repairs.setdefault(repair.slot, []).append(repair)
    provenance: dict[str, list[Provenance]] = {}
    for record in lines(folder.provenance, Provenance, troubles):
        provenance.setdefault(record.file, []).append(record)
    sources = attempt(lambda: SourceLibrary.read(folder.sources), troubles)
    return SuiteReading(
        folder=folder,
        spec=spec,
        slots=_slots(folder, spec, troubles),
        calibrations={c.slot: c for c in lines(folder.calibration, Calibration, troubles)},
        rejects={r.slot: r for r in lines(folder.rejects, Reject, troubles)},
        repairs=repairs,
        provenance=provenance,
        sources=sources if sources is not None else SourceLibrary(),
        spent=_spent(lines(folder.work / "spend.jsonl", PaidAnswer, troubles)),
        sessions=list(lines(folder.work / "sessions.jsonl", SessionRow, troubles)),
        is_published=folder.suite.exists(),
        troubles=troubles,
    )


def attempt(read: Callable[[], T], troubles: list[str]) -> T | None:
    """Result of `read`; None where it cannot be read, with the reason among `troubles`."""
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
    subtopics = attempt(lambda: files.SUBTOPICS.read(folder.subtopics), troubles) or []
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


def _spent(paid: Iterator[PaidAnswer]) -> SuiteSpend:
    answers, tokens, cost, unpriced = 0, 0, 0.0, 0
    for one in paid:
        answers += 1
        tokens += one.tokens
        cost += one.cost or 0.0
        unpriced += one.cost is None
    return SuiteSpend(answers, tokens, cost, unpriced)


State = Literal[
    "selected",
    "kept",
    "trivial",
    "too_hard",
    "unsolvable",
    "invalid",
    "undecided",
    "unchecked",
    "author",
    "running",
    "problems",
    "drafted",
    "begun",
    "waiting",
]

MEANINGS: dict[State, tuple[str, str]] = {
    "selected": (
        "selected",
        "Solvable, neither trivial nor hopeless, and of its sub-topic the one passed least often.",
    ),
    "kept": ("kept, not selected", "Good enough; another level of the same sub-topic is passed less often."),
    "trivial": ("trivial", "Without the plan it is passed nearly always, so it tells no two agents apart."),
    "too_hard": ("too hard", "It can be solved with its plan, and was never solved without."),
    "unsolvable": ("unsolvable", "Even with its plan it fails: workplace, plan or rubric do not fit together."),
    "invalid": ("no verdicts", "Too many runs ended without a verdict of the judge."),
    "undecided": ("undecided", "After the most runs its pass rate still is too near a border."),
    "unchecked": ("not run", "The static checks still find problems after all repairs."),
    "author": ("not written", "The model's replies could not be used, or it could not be reached."),
    "running": ("in runs", "Some runs are done; there is no verdict yet."),
    "problems": ("has problems", "The static checks find problems; it will be repaired, or mend it by hand."),
    "drafted": ("drafted", "Workplace and task are written; nothing has been run."),
    "begun": ("in drafting", "Some of its parts are written."),
    "waiting": ("not begun", "Nothing of its own is written yet."),
}
"""State to what a reader is told: a word or two, and a sentence."""

DONE: tuple[State, ...] = (
    "selected",
    "kept",
    "trivial",
    "too_hard",
    "unsolvable",
    "invalid",
    "undecided",
    "unchecked",
    "author",
)


@dataclass(frozen=True, slots=True)
class Standing:
    """Standing of one slot."""

    state: State
    why: str
    plan: PassRate | None
    """Rate with the plan; None where nothing was run."""
    free: PassRate | None
    rounds: int
    so_far: bool
    """Whether the rates are those of unfinished work."""

    @property
    def label(self) -> str:
        """State in a word or two."""
        return MEANINGS[self.state][0]


def standing(
    calibration: Calibration | None,
    reject: Reject | None,
    *,
    content: str | None,
    is_begun: bool,
    problems: Sequence[DraftFinding],
    runs: Sequence[SlotRun],
    rounds: int,
) -> Standing:
    """Standing of a slot.

    Args:
        calibration: The last one, which may be about an earlier version.
        reject: Why it is not in the suite.
        content: Hash of what its drafts hold now; None where they are not whole.
        is_begun: Whether some of it is written.
        problems: What the static checks find now.
        runs: On this content.
        rounds: Repairs that it took.
    """
    if calibration is not None and calibration.content == content:
        plan, free = (rate if rate.n + rate.invalid else None for rate in (calibration.plan, calibration.free))
        state: State = calibration.verdict
        why = reject.why if reject is not None else calibration.why
        if calibration.verdict == "kept" and reject is None:
            state = "selected"
        return Standing(state, why, plan, free, calibration.rounds, False)
    why = ""
    if calibration is not None and content is not None:
        why = f"Changed since its last verdict, which was “{MEANINGS[calibration.verdict][0]}”."
    plan, free = _rate(runs, "plan"), _rate(runs, "free")
    if content is None:
        if reject is not None:
            return Standing("author", reject.why, None, None, rounds, False)
        return Standing("begun" if is_begun else "waiting", "", None, None, rounds, True)
    if runs:
        return Standing("running", why, plan, free, rounds, True)
    return Standing("problems" if problems else "drafted", why, None, None, rounds, True)


def _rate(runs: Sequence[SlotRun], kind: Literal["plan", "free"]) -> PassRate | None:
    ours = [run.outcome for run in runs if run.kind == kind]
    if not ours:
        return None
    passed, n = ours.count("pass"), len(ours) - ours.count("invalid")
    low, high = interval_of(passed, n) if n else (0.0, 1.0)
    return PassRate(passed=passed, n=n, invalid=len(ours) - n, low=low, high=high, decision="undecided")
