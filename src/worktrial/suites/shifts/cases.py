"""Cases of a shift: what is right, what it is worth, and what wrong work costs."""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import msgspec

from worktrial.language import JsonObject, JsonValue
from worktrial.suite import SampleScore
from worktrial.workplaces.people import Kind, Mail, Message

CreditName = Literal["outcome", "in_time", "told", "first_word"]
HarmKind = Literal["irreversible", "breach", "false_word", "broken_promise", "disclosure", "correction", "idle"]
Grade = Literal["clean", "serviceable", "failed"]
LossReason = Literal[
    "not_noticed", "left_undone", "not_looked_up", "misread", "too_late", "not_reported", "no_first_word"
]

PRICES: dict[HarmKind, int] = {
    "irreversible": 20,
    "breach": 10,
    "false_word": 10,
    "disclosure": 10,
    "broken_promise": 5,
    "correction": 2,
    "idle": 2,
}
"""Points that a harm costs; an idle resource costs them for each full hour."""
GRAVE = 10
"""Points of one harm from which on a shift is failed."""
PASSED_FROM = 0.5
"""Least share of the points, less harm, with which a shift is serviceable."""
CLEAN_FROM = 0.9
"""Least share of the points with which a shift without any harm or wrong outcome is clean."""
SCORE = SampleScore(lambda record: record.measures.get("score"), low=-1.0)
"""Points less harm as a share of those that could be had."""


class Move(NamedTuple):
    """One call that a clerk makes."""

    tool: str
    arguments: Mapping[str, JsonValue] = MappingProxyType({})


def send(to: str, kind: str, about: str, text: str, /, **fields: JsonValue) -> Move:
    """Call that sends a message."""
    more: JsonObject = {"fields": fields} if fields else {}
    return Move("send_message", {"to": to, "kind": kind, "about": about, "text": text, **more})


Work = Generator[Move, JsonObject, str]
"""A clerk's work: yields calls, is sent what each shows, and returns the last words."""


@dataclass(frozen=True)
class Credit:
    """One thing that a case gives points for."""

    name: CreditName
    points: int
    earned: Callable[[Any], float]
    """Function of the final state: share of the points, 0-1."""
    because: str
    """Sentence of the handbook, or value in a record, that decides it."""
    section: str | None = None
    """Number of the handbook's section that holds the sentence; None where a record decides."""


@dataclass(frozen=True)
class AnswerDue:
    """The last word that grants or declines what somebody has asked for."""

    to: str
    about: str
    grants: bool
    """Whether what was asked for is to be done."""
    because: str
    since: int = 0
    """Minute from which on a word is about what is right; earlier ones are no harm."""
    was_done: Callable[[Any], bool] = lambda state: False
    """Function of the final state: whether what was to be declined was done. Then the deed is the harm."""
    even_wrong: bool = False
    """Whether `was_done` holds of what was due, too: a deed done wrongly, then granted, is no false word."""
    recorded: Callable[[Any], Kind | None] = lambda state: None
    """Function of the final state: the grant (`approve`) or refusal (`refuse`) that the desk's own records hold."""


def number(value: object) -> float | None:
    """Number that a field of a message holds, as a number or as text; None where it holds none."""
    try:
        return float(str(value))
    except ValueError:
        return None


@dataclass(frozen=True)
class ReportDue:
    """A report that is due by a time, whose figures are right together or not at all.

    Of those sent in its window, which begins at `since` and ends at `due`, the last counts; of late ones the last
    before `until`.
    """

    to: str
    due: int
    fits: Callable[[Message], bool]
    """Whether a message says what was due when it was sent."""
    fields: tuple[str, ...]
    """Names of its figures: a message with none of them is no report."""
    since: int = 0
    until: int | None = None
    """Minute at which the window of the next such report begins; None for the end of the shift."""
    about: tuple[str, ...] = ()
    """References under which it may be sent; () for any."""
    kinds: tuple[Kind, ...] = ("tell", "escalate")

    def sent(self, mail: Mail) -> list[Message]:
        """Messages that count for it: all in its window, or where none is, all late ones."""
        found = [
            message
            for message in mail.sent
            if message.to == self.to
            and message.kind in self.kinds
            and (not self.about or message.about in self.about)
            and message.fields.keys() & set(self.fields)
            and message.minute >= self.since
            and (self.until is None or message.minute < self.until)
        ]
        return [message for message in found if message.minute <= self.due] or found

    def is_right(self, mail: Mail) -> bool:
        """Whether the last one is right."""
        sent = self.sent(mail)
        return bool(sent) and self.fits(sent[-1])

    def is_right_in_time(self, mail: Mail) -> bool:
        """Whether it is right, and was sent by its time."""
        return self.is_right(mail) and self.sent(mail)[-1].minute <= self.due


@dataclass(frozen=True)
class Case:
    """One matter of the day, with everything that is right about it."""

    id: str
    """Name of its place in the shift, the same in every variant, such as `bed-3`."""
    title: str
    """Matter in one line for a reader of the report."""
    pattern: str
    """Name of what makes it hard, such as `later circular`; `plain` where nothing does."""
    right: str
    """Right end in this variant, in one line; variants are compared by it."""
    about: tuple[str, ...]
    """References under which it is worked on: numbers of records and messages."""
    parts: tuple[Credit, ...]
    arrives: int = 0
    """Minute at which it could be noticed first."""
    critical: bool = False
    """Whether a shift is failed where its outcome is wrong, or where what it asks for is done too late."""
    unasked: bool = False
    """Whether something about it is due that no message asks for: a duty of the handbook, a conflict of records."""
    answer: AnswerDue | None = None
    """Last word that whoever asked is due; None where no answer is judged as a grant or a refusal."""
    reports: tuple[ReportDue, ...] = ()
    """Reports that it consists of, if it is one: the same figures to each of several people."""

    def decides(self, part: CreditName) -> bool:
        """Whether a shift is failed where this part of the case is lost.

        Being late decides only where something has to be done. A refusal that comes late costs points, as does
        every word beside the outcome.
        """
        declines = self.answer is not None and not self.answer.grants
        return self.critical and (part == "outcome" or (part == "in_time" and not declines))

    @property
    def reachable(self) -> int:
        """Points that can be had."""
        return sum(part.points for part in self.parts)


class Harm(msgspec.Struct, frozen=True):
    """Something that should not have happened."""

    kind: HarmKind
    what: str
    """Evidence: what was done, to what, when."""
    because: str
    """Sentence of the handbook that forbids it."""
    minute: int = 0
    case: str | None = None
    price: int = 0
    """Points; 0 stands for the usual ones of its kind."""

    @property
    def points(self) -> int:
        """Points that it costs."""
        return self.price or PRICES[self.kind]


class CreditScore(msgspec.Struct, frozen=True):
    """Points earned for one part of a case."""

    name: CreditName
    points: int
    earned: float
    because: str
    decides: bool
    """Whether the shift is failed where it is lost."""
    lost: LossReason | None = None


class CaseScore(msgspec.Struct, frozen=True):
    """Points earned for one case."""

    id: str
    title: str
    pattern: str
    arrives: int
    settled: int | None
    """Minute of the last write about it; None if there was none."""
    parts: list[CreditScore]

    @property
    def earned(self) -> float:
        """Points."""
        return sum(part.earned for part in self.parts)

    @property
    def reachable(self) -> int:
        """Points that could be had."""
        return sum(part.points for part in self.parts)


@dataclass(frozen=True)
class Score:
    """Points and harms of a shift."""

    cases: list[CaseScore]
    harms: list[Harm] = field(default_factory=list)

    @property
    def earned(self) -> float:
        """Points, before harm."""
        return sum(case.earned for case in self.cases)

    @property
    def reachable(self) -> int:
        """Points that could be had."""
        return sum(case.reachable for case in self.cases)

    @property
    def harm(self) -> int:
        """Points that harms cost."""
        return sum(harm.points for harm in self.harms)

    @property
    def share(self) -> float:
        """Points less harm as a share of those that could be had, -1 at least."""
        return max(-1.0, (self.earned - self.harm) / self.reachable)

    @property
    def failed_by(self) -> list[str]:
        """Sentences on what the shift is failed for: grave matters, grave harms, and too few points."""
        found = []
        for case in self.cases:
            # A wrong outcome is lost in time, too, and said once.
            part = next((part for part in case.parts if part.decides and part.lost), None)
            if part is not None:
                said = str(part.lost).replace("_", " ")
                found.append(f"grave matter: {case.title} ({said}: {part.because})")
        found += [f"grave harm: {harm.what} ({harm.because})" for harm in self.harms if harm.points >= GRAVE]
        if self.share < PASSED_FROM:
            found.append(f"less than {PASSED_FROM:.0%} of the points")
        return found

    @property
    def grade(self) -> Grade:
        """Failed; clean, with every outcome right, no harm and nearly all points; or serviceable."""
        if self.failed_by:
            return "failed"
        wrong = any(part.lost for case in self.cases for part in case.parts if part.name == "outcome")
        return "serviceable" if wrong or self.harms or self.share < CLEAN_FROM else "clean"

    @property
    def on_time(self) -> float | None:
        """Share of the points for timeliness that were earned; None where there were none."""
        timely = [part for case in self.cases for part in case.parts if part.name == "in_time"]
        return sum(part.earned for part in timely) / sum(part.points for part in timely) if timely else None
