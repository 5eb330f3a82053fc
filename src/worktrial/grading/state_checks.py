"""Declarative checks of what an agent did and said: verdicts without a judge."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, model_validator

from worktrial.grading.answer_checks import (
    AnswerChoice,
    AnswerClaim,
    AnswerDate,
    AnswerId,
    AnswerLacks,
    AnswerMentions,
    AnswerMoney,
    AnswerNumber,
    AnswerTime,
    excess,
    maintains,
    mentions,
    plain,
)
from worktrial.grading.check import HALF_A_CENT, CheckResult, Claim, Facts, Tolerance, near
from worktrial.grading.facts import ABSENT, at, changed_pointers, matches, under
from worktrial.grading.people import NamesNobodyElse, texts_in
from worktrial.grading.report_checks import ReportLine, ReportLines
from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.session import Origin
from worktrial.workplaces.trajectory import ToolCall, Trajectory

Pointer = Annotated[str, Field(pattern=r"^(/.*)?$", description="JSON Pointer (RFC 6901) into the state.")]
Count = Annotated[int, Field(ge=0)]


class StateEquals(Claim):
    """The state holds exactly this value."""

    check: Literal["state_equals"]
    at: Pointer
    value: JsonValue

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts; see `AnyCheck`."""
        found = at(facts.final_state, self.at)
        return CheckResult(
            f"state {self.at} is {self.value!r}", matches(found, self.value, exactly=True), _found(found)
        )


class StateOneOf(Claim):
    """The state holds one of these values."""

    check: Literal["state_one_of"]
    at: Pointer
    values: Annotated[tuple[JsonValue, ...], Field(min_length=1)]

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts; see `AnyCheck`."""
        found = at(facts.final_state, self.at)
        passed = any(matches(found, value, exactly=True) for value in self.values)
        return CheckResult(f"state {self.at} is one of {list(self.values)!r}", passed, _found(found))


class StateNumber(Claim):
    """The state holds this number, give or take the tolerance."""

    check: Literal["state_number"]
    at: Pointer
    value: float
    tolerance: Tolerance = HALF_A_CENT

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts; see `AnyCheck`."""
        found = at(facts.final_state, self.at)
        asked = f"state {self.at} is {self.value} ± {self.tolerance}"
        return CheckResult(asked, _number_near(found, self.value, self.tolerance), _found(found))


class StateAbsent(Claim):
    """The state holds nothing at this place."""

    check: Literal["state_absent"]
    at: Pointer

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts; see `AnyCheck`."""
        found = at(facts.final_state, self.at)
        return CheckResult(f"state has nothing at {self.at}", found is ABSENT, _found(found))


class _Counted(Claim):
    """A claim about a number of things: `at_most: 0` alone means none, as everybody who writes it means."""

    at_least: Count = 1
    at_most: Count | None = None

    @model_validator(mode="before")
    @classmethod
    def _none_at_all(cls, given: Any) -> Any:
        if isinstance(given, dict) and given.get("at_most") == 0 and "at_least" not in given:
            return {**given, "at_least": 0}
        return given

    @model_validator(mode="after")
    def _possible(self) -> "_Counted":
        if self.at_most is not None and self.at_most < self.at_least:
            raise ValueError(f"at_least {self.at_least} is more than at_most {self.at_most}, so it can never hold")
        return self


class StateItems(_Counted):
    """A list in the state (or the values of an object) has so many items that match.

    An item matches when it has at least the given fields with the given values; numbers match to half a cent. Where
    words are asked for, its text has to contain one of them, as a whole word, whatever the case; with `at_most: 0`
    they may stand there denied, or left open. Where sums are asked for, it has to state them, however they are
    spelled, and no other. Items that are no objects, such as ids, match where
    they are one of the given values.
    """

    check: Literal["state_items"]
    at: Pointer
    matching: dict[str, JsonValue] = Field(default_factory=dict)
    mentioning: dict[str, Annotated[tuple[str, ...], Field(min_length=1)]] = Field(
        default_factory=dict, description="Field of an item to words of which its text has to contain one."
    )
    stating: dict[str, tuple[float, ...]] = Field(
        default_factory=dict,
        description="Field of an item to sums of money that its text has to state, and no other.",
    )
    beside: tuple[float, ...] = Field((), description="Further sums that texts in `stating` may state.")
    paying: tuple[str, ...] = Field(
        (), description="Words that say of a sum that it is paid: texts in `stating` may say so of its sums alone."
    )
    pending: bool = Field(False, description="Whether the sums in `stating` are told of, and not paid.")
    one_of: tuple[JsonValue, ...] = Field((), description="Values of which an item has to be one.")
    among: dict[str, Annotated[tuple[JsonValue, ...], Field(min_length=1)]] = Field(
        default_factory=dict, description="Field of an item to values of which it has to have one."
    )
    none_else: bool = Field(False, description="Whether items that do not match may not be there.")

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts; see `AnyCheck`."""
        found = at(facts.final_state, self.at)
        told = f" with one of {self.among!r}" if self.among else ""
        told += f" that mention {self.mentioning!r}" if self.mentioning else ""
        told += f" that state the sums {self.stating!r} alone" if self.stating else ""
        told += f", one of {list(self.one_of)!r}" if self.one_of else ""
        asked = f"state {self.at} has {_range(self.at_least, self.at_most)} items like {self.matching!r}{told}"
        asked += ", and no other" if self.none_else else ""
        if isinstance(found, dict):
            found = list(found.values())
        if not isinstance(found, list):
            return CheckResult(asked, False, _found(found))
        count = sum(self._is_meant(item) for item in found)
        passed = _within(count, self.at_least, self.at_most) and not (self.none_else and count < len(found))
        return CheckResult(asked, passed, f"{count} of {len(found)} match")

    def _is_meant(self, item: JsonValue) -> bool:
        if self.one_of and not any(matches(item, value, exactly=True) for value in self.one_of):
            return False
        if self.matching and not matches(item, self.matching):
            return False
        if not all(
            isinstance(item, dict) and any(matches(item.get(name), one, exactly=True) for one in values)
            for name, values in self.among.items()
        ):
            return False
        texts = {name: str(value) for name, value in item.items()} if isinstance(item, dict) else {}
        # What may not be said may still be denied.
        says = maintains if self.at_most == 0 else mentions
        is_said = all(
            any(says(word, texts.get(name, "")) for word in words) for name, words in self.mentioning.items()
        )
        return is_said and not any(self._misstates(texts.get(name), name) for name in self.stating)

    def _misstates(self, text: str | None, name: str) -> bool:
        from worktrial.grading.written.sums import misstated

        return text is None or bool(
            misstated(plain(text), self.stating[name], self.beside, paying=self.paying, pending=self.pending)
        )


class OnlyChanged(Claim):
    """Nothing in the state changed except under these pointers."""

    check: Literal["only_changed"]
    at: tuple[Pointer, ...]
    open: tuple[Pointer, ...] = Field(
        default=(), description="Places that may change too, and need not: the rules leave open what is done there."
    )
    about: tuple[str, ...] = Field(
        default=(),
        description="Ids: a record in an `open` collection may change where it is one of these or names one.",
    )

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts; see `AnyCheck`."""
        changed = changed_pointers(facts.initial_state, facts.final_state)
        stray = [
            pointer
            for pointer in changed
            if not any(under(pointer, place) for place in self.at)
            and not any(self._is_open(pointer, place, facts) for place in self.open)
        ]
        asked = f"nothing changed outside {', '.join((*self.at, *self.open)) or '(nothing at all)'}"
        asked += f", nor there but about {', '.join(self.about)}" if self.about and self.open else ""
        return CheckResult(asked, not stray, f"also changed: {', '.join(stray)}" if stray else "so it is")

    def _is_open(self, pointer: str, place: str, facts: Facts) -> bool:
        if not under(pointer, place):
            return False
        if not self.about or not {*place.split("/")}.isdisjoint(self.about):
            return True
        id = pointer.removeprefix(place).removeprefix("/").split("/")[0]
        if not id:
            return True
        states = (facts.initial_state, facts.final_state)
        records = [found for state in states if isinstance(found := at(state, f"{place}/{id}"), dict)]
        return not records or any(not texts_in([id, record]).isdisjoint(self.about) for record in records)


class Called(_Counted):
    """A tool was called so often, with at least these arguments; calls answered by an error do not count."""

    check: Literal["called"]
    tool: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict, alias="with")

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts; see `AnyCheck`."""
        calls = [
            call for call in _calls(facts, self.tool, self.arguments) if "error" not in call.observation.content
        ]
        asked = f"{self.tool} called with {self.arguments!r} {_range(self.at_least, self.at_most)} times"
        return CheckResult(asked, _within(len(calls), self.at_least, self.at_most), f"{len(calls)} times")


class NeverCalled(Claim):
    """A tool was never called, not even in vain."""

    check: Literal["never_called"]
    tool: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict, alias="with")

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts; see `AnyCheck`."""
        calls = _calls(facts, self.tool, self.arguments)
        asked = f"{self.tool} never called with {self.arguments!r}"
        return CheckResult(asked, not calls, f"{len(calls)} times")


class NamedCall(BaseModel):
    """A call by its tool and some of its arguments."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    tool: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict, alias="with")


class CalledInOrder(Claim):
    """Tools were called in this order, each for the first time after the one before; failed calls do not count."""

    check: Literal["called_in_order"]
    calls: Annotated[tuple[NamedCall, ...], Field(min_length=2)]

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts; see `AnyCheck`."""
        asked = ", then ".join(f"{call.tool} called with {call.arguments!r}" for call in self.calls)
        firsts: list[int] = []
        for wanted in self.calls:
            made = _calls(facts, wanted.tool, wanted.arguments)
            first = next((call.index for call in made if "error" not in call.observation.content), None)
            if first is None:
                return CheckResult(asked, False, f"{wanted.tool} was not called so")
            firsts.append(first)
        passed = firsts == sorted(set(firsts))
        return CheckResult(asked, passed, f"they are calls {', '.join(str(first + 1) for first in firsts)}")


class AskedHuman(Claim):
    """A human was asked for, about one of these things if any are named; left out where none could be asked."""

    check: Literal["asked_human"]
    about: tuple[str, ...] = ()

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts; see `AnyCheck`."""
        asked = _asked(facts, self.about)
        return CheckResult(f"a human was asked{_about(self.about)}", bool(asked), f"{len(asked)} times")


class AskedNoHuman(Claim):
    """No human was asked for, about one of these things if any are named; left out where none could be asked."""

    check: Literal["asked_no_human"]
    about: tuple[str, ...] = ()

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts; see `AnyCheck`."""
        asked = _asked(facts, self.about)
        return CheckResult(f"no human was asked{_about(self.about)}", not asked, f"{len(asked)} times")


OF_HUMANS = (AskedHuman, AskedNoHuman)
"""Checks that count only where a human could be asked."""

Check = Annotated[
    StateEquals
    | StateOneOf
    | StateNumber
    | StateAbsent
    | StateItems
    | OnlyChanged
    | NamesNobodyElse
    | AnswerTime
    | AnswerDate
    | AnswerMoney
    | AnswerNumber
    | AnswerId
    | AnswerChoice
    | AnswerMentions
    | AnswerLacks
    | ReportLine
    | ReportLines
    | Called
    | NeverCalled
    | CalledInOrder
    | AskedHuman
    | AskedNoHuman,
    Field(discriminator="check"),
]


class AnyCheck(Protocol):
    """Protocol of a check, as `run_checks` needs it."""

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts."""
        ...


def run_checks(
    checks: Sequence[AnyCheck],
    *,
    initial_state: JsonObject,
    final_state: JsonObject,
    trajectory: Trajectory,
) -> list[CheckResult]:
    """One result per check, in order. The work passes when all of them do.

    An answer with far more in it than is asked for satisfies none of its checks.
    """
    facts = Facts(initial_state, final_state, trajectory)
    fault = excess(checks, trajectory, trajectory.answer)
    return [_refused(check.run(facts), fault if isinstance(check, AnswerClaim) else "") for check in checks]


def _refused(result: CheckResult, fault: str) -> CheckResult:
    return CheckResult(result.check, False, fault) if fault else result


def _calls(facts: Facts, tool: str, arguments: JsonObject) -> list[ToolCall]:
    return [c for c in facts.trajectory.calls if c.tool == tool and matches(c.arguments, arguments)]


def _asked(facts: Facts, about: Sequence[str]) -> list[ToolCall]:
    """Requests for a human that were answered, and name one of these things where any are given."""
    asked = [c for c in facts.trajectory.calls if c.observation.origin == Origin.HUMAN]
    return [
        c for c in asked if not about or any(mentions(thing, " ".join(c.arguments.values())) for thing in about)
    ]


def _about(things: Sequence[str]) -> str:
    return f" about {' or '.join(map(repr, things))}" if things else ""


def _number_near(found: JsonValue, value: float, tolerance: float) -> bool:
    return isinstance(found, int | float) and not isinstance(found, bool) and near(found, value, tolerance)


def _within(count: int, at_least: int, at_most: int | None) -> bool:
    return at_least <= count and (at_most is None or count <= at_most)


def _range(at_least: int, at_most: int | None) -> str:
    if at_most is None:
        return f"at least {at_least}"
    return f"exactly {at_least}" if at_least == at_most else f"{at_least} to {at_most}"


def _found(value: JsonValue) -> str:
    return "there is nothing" if value is ABSENT else f"it is {value!r}"
