"""The right end of one matter of a day, as a desk's rules find it."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from typing import Any

from worktrial.language import JsonObject
from worktrial.suites.shifts.cases import AnswerDue, Case, Credit, ReportDue
from worktrial.workplaces.people import Kind, Message


@dataclass(frozen=True)
class RightEnd:
    """The right end of one matter, with what every desk says of it."""

    slot: str
    """Name of its place in the shift, such as `bed-3`."""
    about: str
    """Record that the messages are about, or the name of a duty."""
    kind: str
    """Kind of the request, or of the duty."""
    pattern: str
    end: str
    """Deed that is due: `do`, `refuse`, or a word of the kind's own."""
    asked_by: str
    """Id of whoever asked; "" where nobody did."""
    arrives: int
    due: int
    """Minute by which it has to be dealt with."""
    because: str
    section: str
    answer: tuple[Kind, ...] = ()
    """Kinds of message that whoever asked may be told it with; () where they wait for none."""
    _: KW_ONLY
    critical: bool = False
    unasked: bool = False
    earliest: int = 0
    """Minute before which it must not be done, or before which an answer is not the last word."""
    filled: JsonObject = field(default_factory=dict)
    """Fields of the request, and what else the matter is about."""

    def case(
        self,
        title: str,
        right: str,
        parts: Sequence[Credit],
        about: Sequence[str] = (),
        answer: AnswerDue | None = None,
        reports: Sequence[ReportDue] = (),
    ) -> Case:
        """The case of this matter.

        Args:
            title: Matter in one line.
            right: Right end in one line, by which variants are compared.
            parts: What points are given for.
            about: Further references under which it is worked on.
            answer: Last word that whoever asked is due, where one is judged.
            reports: Reports that it consists of, if it is one.
        """
        return Case(
            self.slot, title, self.pattern, right, (self.about, *about), tuple(parts), max(0, self.arrives),
            max(0, self.earliest), self.due, self.critical, self.unasked, answer, tuple(reports),
        )  # fmt: skip

    def reported(
        self,
        title: str,
        right: str,
        reports: Sequence[ReportDue],
        points: tuple[int, int],
        fits: Callable[[Any, Message], bool] | None = None,
        about: Sequence[str] = (),
    ) -> Case:
        """The case of reports that are right together or not at all.

        Args:
            title: Matter in one line.
            right: Right end in one line, by which variants are compared.
            reports: What is due to each of several people.
            points: Of the outcome, and of being in time.
            fits: Whether a message is right in a final state, where that hangs on the day's work; None for what
                each report says of it.
            about: Further references under which it is worked on.
        """

        def held(state: Any) -> Sequence[ReportDue]:
            return reports if fits is None else [replace(one, fits=partial(fits, state)) for one in reports]

        parts = (
            Credit(
                "outcome", points[0], lambda state: all(one.is_right(state.mail) for one in held(state)),
                self.because, self.section,
            ),
            Credit(
                "in_time", points[1], lambda state: all(one.is_right_in_time(state.mail) for one in held(state)),
                self.because, self.section,
            ),
        )  # fmt: skip
        return self.case(title, right, parts, about, reports=reports)

    def first_word(self, points: int, within: int, because: str, kinds: tuple[Kind, ...] = ()) -> Credit:
        """Credit for a word to whoever asked.

        Args:
            points: What it is worth.
            within: Minutes from the question on.
            because: What asks for it, in section 1.3.
            kinds: Kinds of message that count; () for any.
        """

        def heard(state: Any) -> bool:
            said = state.mail.told(self.asked_by, self.about, kinds, by=self.arrives + within)
            return any(message.minute >= self.arrives for message in said)

        return Credit("first_word", points, heard, because, "1.3")
