"""Atoms: what one clause asks in one situation, as code. Tasks are composed of them, see `synthesis.compose`.

An atom is a function in a workplace's `atoms.py`. It takes the state and a source of randomness, picks records on
which its clause bears, or plants them, and returns what is asked, what has to be done, and what shows that it was:

    @atom("C-07")
    def late_claim(state: State, random: Random) -> Situation | None:
        ...

It is also called with JSON and a seed, from outside the process that holds it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Literal, get_type_hints

import msgspec

from worktrial.language import JsonObject, JsonValue


class CaseReport(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Line of the report that is due about one case; a field that is None is not asked for."""

    case: str
    """Id by which the request names the case, or that of the record which it is about."""
    outcome: str | list[str]
    """Code in which the case ends or stands; several where the clauses allow each of them."""
    amount: float | None = None
    date: str | None = None
    number: float | None = None
    ids: list[str] | None = None

    @property
    def outcomes(self) -> list[str]:
        """Codes that are right; the plan reports the first."""
        return [self.outcome] if isinstance(self.outcome, str) else self.outcome

    @property
    def fields(self) -> JsonObject:
        """Fields beside case and outcome that it asks for."""
        given = {"amount": self.amount, "date": self.date, "number": self.number, "ids": self.ids}
        return {name: value for name, value in given.items() if value is not None}


class Situation(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """One case: its request, its work, and the checks of that work, all on records of its own."""

    records: list[str]
    """JSON Pointers of the records that it bears on. No two cases of a task share one."""
    request: dict[str, str]
    """Request by language. It reads the same whether it can be granted or has to be refused."""
    report: CaseReport
    """Line about it in the report that is due; written as a mapping."""
    checks: list[JsonObject]
    """Checks of state and calls, as in `tasks.yaml`, without `only_changed`."""
    steps: list[JsonObject] = []
    """Calls in the order in which they have to be made, as in `tasks.yaml`: `call`, `with`, `as`."""
    changes: list[str] = []
    """JSON Pointers under which the work changes the state; the task is checked for what the plan changes there."""
    open: list[str] = []
    """JSON Pointers of what may be changed or not, since the clauses leave it open."""
    patch: list[JsonObject] = []
    """JSON Patch (RFC 6902) that plants the case in the state."""
    distractors: list[list[JsonObject]] = []
    """Further patches, each of which makes the right record, or the right rule, harder to tell from others."""
    refusal: bool = False
    """Whether the right thing is to leave undone what is asked."""
    exception: Literal["applies", "does_not"] | None = None
    """Whether an exception decides the case, or looks as if it did; None where there is none."""
    clauses: list[str] = []
    """Clauses that decide the case beside those of its atom."""
    human: str = ""
    """Answer of a human who is asked about it, where one can be."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A function marked as an atom, called with a typed state or with JSON."""

    function: Callable[[Any, Random], Situation | None]
    clauses: tuple[str, ...]
    """Ids of the clauses that it is about."""
    weight: int
    """Difficulty that it adds to a task, 1 to 3."""

    @property
    def name(self) -> str:
        """Name of the function."""
        return str(self.function.__name__)

    def __call__(self, state: Any, random: Random | str) -> Any:
        """Find or plant the case.

        Args:
            state: The workplace's state; JSON where `random` is a seed.
            random: Source of all that is drawn, or its seed.

        Returns:
            The situation, as JSON where `random` is a seed; None where the state has no place for it.

        Raises:
            msgspec.ValidationError: the state does not fit the function's annotation.
        """
        if isinstance(random, Random):
            return self.function(state, random)
        kind = next(iter(get_type_hints(self.function).values()))
        return as_json(self.function(msgspec.convert(_plain(state), kind), Random(random)))


def atom(*clauses: str, weight: int = 1) -> Callable[[Callable[[Any, Random], Situation | None]], Atom]:
    """Mark a function as an atom.

    Args:
        clauses: Ids of the clauses that it is about, such as `C-07`.
        weight: Difficulty that it adds to a task, 1 to 3.
    """
    return lambda function: Atom(function, clauses, weight)


def as_json(situation: Situation | None) -> JsonObject | None:
    """The situation as JSON of its own."""
    plain: JsonObject | None = _plain(situation)
    return plain


def pointer(*parts: str | int) -> str:
    """JSON Pointer to a place in the state, its parts escaped."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in parts)


def free_id(taken: Sequence[str] | dict[str, Any], form: str, random: Random) -> str:
    """An id that is not taken yet; `form` is such as `"P-{:04d}"`.

    Raises:
        ValueError: the form leaves no id free.
    """
    for _ in range(10_000):
        found = form.format(random.randrange(1, 10_000))
        if found not in taken:
            return found
    raise ValueError(f"no id of the form {form!r} is free")


def _plain(value: Any) -> JsonValue:
    return msgspec.json.decode(msgspec.json.Encoder(decimal_format="number").encode(value))
