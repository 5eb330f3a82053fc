"""Right ends: what a matter asks for, in the words in which a rule says it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Annotated, Any, Literal

import msgspec

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.desk.state import Act
from worktrial.workplaces.people import Kind

Minute = Annotated[int, msgspec.Meta(extra={"bookkeeping": True})]
"""Type of a field that says when something was done: no right end depends on it."""
Serial = Annotated[str, msgspec.Meta(extra={"bookkeeping": True})]
"""Type of a field whose value depends on the order of the day's work, such as a running number."""
Weight = Literal["light", "usual", "heavy"]


@dataclass(frozen=True)
class DueStep:
    """A call that is due."""

    tool: str
    arguments: JsonObject
    share: float = 1.0
    """Weight of it among the steps of its matter."""
    earliest: int = 0
    """Minute before which it must not be done."""
    half: tuple[str, ...] = ()
    """Fields of the records that may end otherwise for half of the points."""
    judge: Callable[[Any], float] | None = None
    """Function of the last state: the share that what it led to is worth; None where one end alone is right."""
    wait: int = 0
    """Minutes after the step before it, in which somebody else has to do their part."""
    by: int | None = None
    """Minute by which a plan makes it where it has waited; None for at once."""
    latest: int | None = None
    """Minute after which its tool refuses it; None for the end of the day."""
    entry: bool = False
    """Whether it enters in the records how the matter ended, and so belongs to what is told."""
    without: float | None = None
    """Share of the outcome that is left without it, of a call that only leads to the end; None for an end."""


@dataclass(frozen=True)
class AnswerNeeded:
    """An answer that has to be there before the steps of a matter."""

    person: str
    about: str
    fields: Mapping[str, JsonValue] = field(default_factory=dict)
    """Facts that the question carries, and that the answer has to repeat."""
    call: DueStep | None = None
    """Call that brings the answer, in place of a question."""
    minutes: int = 0
    """Minutes after that call in which it comes."""


@dataclass(frozen=True)
class StandingFact:
    """Something that has to hold at the end, whoever has seen to it."""

    collection: str
    id: str
    field: str
    value: JsonValue
    share: float = 1.0


@dataclass(frozen=True)
class Figured:
    """Figures that are right as of sending."""

    function: Callable[[Sequence[Act], int], Mapping[str, JsonValue]]
    """Function of the calls so far, and of a minute."""
    slack: int
    """Minutes before sending as of which they are right, too."""


@dataclass(frozen=True)
class Tell:
    """Word that somebody is due."""

    person: str
    kinds: tuple[Kind, ...]
    """Kinds of message that say it; a plan sends the first."""
    fields: Mapping[str, JsonValue] = field(default_factory=dict)
    """Facts that it has to carry."""
    figured: Figured | None = None
    """Figures as of sending, or of the end where they are no report, in place of such facts."""
    by: int | None = None
    """Minute by which they have to be told; None for the end of the day."""
    since: int = 0
    """Minute before which no word counts."""
    deed: bool = False
    """Whether to tell them is what has to be done, as where a matter is handed to whoever decides it."""

    def carried(self, acts: Sequence[Act], minute: int) -> Mapping[str, JsonValue]:
        """Facts that it carries where it is sent at a minute, after these calls."""
        return self.fields if self.figured is None else self.figured.function(acts, minute)


@dataclass(frozen=True)
class Right:
    """The right end of a matter."""

    steps: tuple[DueStep, ...]
    _: KW_ONLY
    because: str
    """Section and sentence that decide it, such as `4.1: …`."""
    tell: tuple[Tell, ...] = ()
    by: int | None = None
    """Minute by which it has to be dealt with; None for the end of the day."""
    since: int = 0
    """Minute before which an answer is not the last word."""
    report: bool = False
    """Whether what is told is a report, whose figures are right together or not at all."""
    until: int | None = None
    """Minute from which on a report is the next one; None for the end of the day."""
    asks: tuple[AnswerNeeded, ...] = ()
    standing: tuple[StandingFact, ...] = ()
    naive: DueStep | None = None
    """Call that whoever believes the request makes; wrong where no step is of its tool."""
    naive_harm: str | None = None
    """Kind of harm that it does; None where it is only wrong."""
    else_harm: str | None = None
    """Kind of harm of a step that is done too early, or without the answers that it needs; None for none."""
    grants: bool | None = None
    """Whether whoever asked is granted it; None for as their word says."""
    weight: Weight = "usual"
    pattern: str = "plain"
    """Name of what makes it hard."""
    critical: bool = False
    """Whether a shift is failed where its outcome is wrong, or where what it asks for is done too late."""
    unasked: bool = False
    """Whether something is due that nobody asks for."""
    about: tuple[str, ...] = ()
    """Further references under which it is worked on."""
    first_word: bool = True
    """Whether whoever asked has to have a first word, at a desk that asks for them."""
    as_it_went: "Callable[[Any], Right | None] | None" = None
    """Function of the last state: the right end after what has happened; None where it is this one."""

    @property
    def ends(self) -> tuple[DueStep, ...]:
        """Steps that are ends themselves."""
        return tuple(step for step in self.steps if step.without is None and not step.entry)

    @property
    def entries(self) -> tuple[DueStep, ...]:
        """Steps that enter in the records how the matter ended."""
        return tuple(step for step in self.steps if step.entry)


def section_of(because: str) -> str | None:
    """Section of the handbook that a sentence is from, such as that of `4.1: …`; None where a record decides."""
    head, colon, _ = because.partition(":")
    return head.split()[0].rstrip(",") if colon and any(map(str.isdigit, head)) else None


def act(tool: Callable[..., Any] | str, /, **arguments: JsonValue) -> DueStep:
    """Call that is due: the tool, or its name, and its arguments."""
    return DueStep(tool if isinstance(tool, str) else tool.__name__, arguments)


def at_minute(minute: int, step: DueStep) -> DueStep:
    """DueStep that must not be done before a minute."""
    return replace(step, earliest=minute)


def share(step: DueStep, weight: float) -> DueStep:
    """DueStep that weighs more or less than the others of its matter."""
    return replace(step, share=weight)


def half(step: DueStep, *fields: str) -> DueStep:
    """DueStep that earns half where these fields of the record end otherwise."""
    return replace(step, half=fields)


def judged(step: DueStep, by: Callable[[Any], float]) -> DueStep:
    """DueStep that may end in several ways.

    Args:
        step: One of the right calls.
        by: Function of the last state: the share that what is there now is worth, 0 to 1.
    """
    return replace(step, judge=by)


def before(minute: int, step: DueStep) -> DueStep:
    """DueStep whose tool refuses it after a minute."""
    return replace(step, latest=minute)


def entry(step: DueStep) -> DueStep:
    """DueStep that enters in the records how the matter ended, such as closing a request.

    It belongs to what is told. Where nothing else is to be done, it is the end as much as the last word is.
    """
    return replace(step, entry=True)


def later(minutes: int, step: DueStep, *, by: int | None = None) -> DueStep:
    """DueStep for which somebody else has to do their part, which takes minutes from the step before.

    Args:
        minutes: How long they take.
        step: The call.
        by: Minute by which a plan makes it; None for at once, where somebody waits for it.
    """
    return replace(step, wait=minutes, by=by)


def way(step: DueStep, *, without: float = 1.0) -> DueStep:
    """Call that only leads to the end.

    Args:
        step: The call.
        without: Share of the outcome that is left where it was not made before.
    """
    return replace(step, without=without)


def asked_of(person: str, about: str, **fields: JsonValue) -> AnswerNeeded:
    """Answer of a person that has to be there before the steps."""
    return AnswerNeeded(person, about, fields)


def brought_by(step: DueStep, person: str, about: str, *, minutes: int) -> AnswerNeeded:
    """Answer that a call brings, such as a report that is ordered.

    Args:
        step: The call.
        person: Whose message says that it is there.
        about: Reference of that message.
        minutes: Minutes after the call in which it comes.
    """
    return AnswerNeeded(person, about, call=step, minutes=minutes)


def standing(collection: str, id: str, field: str, value: JsonValue) -> StandingFact:
    """Field of a record that has to hold a value at the end."""
    return StandingFact(collection, id, field, value)


def tell(
    person: str,
    *kinds: Kind,
    figure: Figured | None = None,
    by: int | None = None,
    since: int = 0,
    **fields: JsonValue,
) -> Tell:
    """Word that a person is due.

    Args:
        person: Their id.
        kinds: Kinds of message that say it; a plan sends the first.
        figure: Figures as of sending, in place of facts.
        by: Minute by which they have to be told; None for the end of the day.
        since: Minute before which no word counts, as where somebody is told again how things stand.
        fields: Facts that it has to carry.
    """
    return Tell(person, kinds or ("tell",), fields, figure, by, since)


def handed_to(person: str, *kinds: Kind) -> Tell:
    """Word that hands a matter to whoever decides it: the deed of a matter that has no steps.

    Args:
        person: Their id.
        kinds: Kinds of message that do it; `escalate` and `request` where none is given.
    """
    return Tell(person, kinds or ("escalate", "request"), deed=True)


def figure(function: Callable[[Sequence[Act], int], Mapping[str, JsonValue]], *, slack: int = 0) -> Figured:
    """Figures that are right as of sending: a function of the calls so far and of a minute.

    Args:
        function: The function.
        slack: Minutes before sending as of which they are right, too.
    """
    return Figured(function, slack)


def right(
    *steps: DueStep | AnswerNeeded | StandingFact,
    because: str,
    tell: Sequence[Tell] = (),
    **more: Any,
) -> Right:
    """Right end of a matter.

    Args:
        steps: What has to be done, in order; none where nothing is.
        because: Section and sentence that decide it, such as `4.1: …`.
        tell: Who has to be told what. Whoever asked comes first.
        **more: Further fields of `Right`, such as `by`, `naive`, `weight`, `pattern`, `critical`.
    """
    return Right(
        tuple(one for one in steps if isinstance(one, DueStep)),
        because=because,
        tell=tuple(tell),
        asks=tuple(one for one in steps if isinstance(one, AnswerNeeded)),
        standing=tuple(one for one in steps if isinstance(one, StandingFact)),
        **more,
    )
