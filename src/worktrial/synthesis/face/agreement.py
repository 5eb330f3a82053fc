"""Where a face and the simulator agree, call by call."""

from collections.abc import Sequence
from typing import Annotated

import msgspec

from worktrial.errors import InvalidSample
from worktrial.language import Complete, JsonObject, JsonValue
from worktrial.synthesis.face.replay import STAYS, Stay
from worktrial.workplaces import LanguageSimulator, Memory, Session, Workplace
from worktrial.workplaces.fidelity import UNUSABLE, Field, FieldStatus, TrueCall, compare, compare_worded
from worktrial.workplaces.simulator.json_text import json_text

THRESHOLD = 0.9
"""Share of the calls on which face and simulator must agree. Simulators slip now and then; a face that misreads a
rule differs wherever the rule matters, and from then on in the state."""
_DIFFERENCES = 10
_FREE_WORDS = 4


class Difference(msgspec.Struct, kw_only=True, frozen=True):
    """A field that is not the same."""

    at: str
    """JSON Pointer into the answer, or into the state after the call."""
    status: str
    """`wrong`, `missing` or `extra`, as seen from the face."""
    face: JsonValue = None
    simulator: JsonValue = None
    in_state: bool = False


class CallAgreement(msgspec.Struct, kw_only=True, frozen=True):
    """One call, answered by both."""

    stay: Stay
    number: int
    """0-based within the stay."""
    tool: str
    arguments: JsonObject
    kind: str
    """`read`, `computed`, `write` or `error`, by the face."""
    agrees: bool
    equal: int
    """Fields of the answer that are the same; free texts count for neither side."""
    free: int
    differences: list[Difference] = []
    """The first few."""
    unusable: str = ""
    """Why the simulator's reply could not be used."""


class Agreement(msgspec.Struct, kw_only=True, frozen=True):
    """All calls."""

    agreed: int
    of: int
    threshold: Annotated[float, msgspec.Meta(ge=0, le=1)] = THRESHOLD
    calls: list[CallAgreement]

    @property
    def holds(self) -> bool:
        """Whether it is enough to take the face for the truth."""
        return self.of > 0 and self.agreed >= self.threshold * self.of


async def agreement(
    workplace: Workplace,
    replayed: dict[Stay, list[TrueCall]],
    complete: Complete,
    *,
    prompt: str,
    clock: str,
    instruction: str,
) -> Agreement:
    """Let the simulator answer what the face has answered, and compare.

    The simulator keeps its state in the ledger, so that the states after writes can be compared, too. Ids, numbers
    and single words must be the same; texts that nobody could know word for word must only be there, and an error
    must be one.

    Args:
        workplace: Where the calls are made.
        replayed: The face's answers.
        complete: The simulator's model.
        prompt: See `PromptStyle`.
        clock: The trial's date and time, ISO 8601.
        instruction: The agent's, for the compact prompt.

    Raises:
        InvalidSample: the simulator's endpoint is down.
    """
    task = instruction if prompt == "compact" else None
    simulator = LanguageSimulator(workplace, complete, memory=Memory.LEDGER, prompt=prompt, clock=clock, task=task)
    calls: list[CallAgreement] = []
    for stay in STAYS:
        calls += await _of_stay(stay, replayed[stay], simulator.open(), workplace.system_prompt)
    return Agreement(agreed=sum(call.agrees for call in calls), of=len(calls), calls=calls)


async def _of_stay(stay: Stay, replayed: Sequence[TrueCall], session: Session, rules: str) -> list[CallAgreement]:
    calls = []
    known_apart: set[str] = set()
    for number, true in enumerate(replayed):
        unusable, content = "", None
        try:
            content = (await session.call(true.tool.name, true.arguments)).content
        except InvalidSample as e:
            if e.reason not in UNUSABLE:
                raise
            unusable = str(e)
        fields = compare_worded(true, content, rules)
        # What went wrong in the state stays wrong; it counts for the call that did it.
        in_state = [f for f in _state(true, session.state or {}) if f.at not in known_apart]
        known_apart |= {f.at for f in in_state}
        off = [_difference(f) for f in fields if _is_off(f)] + [_difference(f, in_state=True) for f in in_state]
        calls.append(
            CallAgreement(
                stay=stay,
                number=number,
                tool=true.tool.name,
                arguments=true.arguments if isinstance(true.arguments, dict) else {},
                kind=true.kind.value,
                agrees=not off and not unusable,
                equal=sum(f.status is FieldStatus.EQUAL for f in fields),
                free=sum(f.status is FieldStatus.FREE for f in fields),
                differences=off[:_DIFFERENCES],
                unusable=unusable,
            )
        )
    return calls


def _state(true: TrueCall, simulated: JsonObject) -> list[Field]:
    known = json_text([true.before, true.arguments])

    def is_free(at: str, text: str) -> bool:
        return len(text.split()) >= _FREE_WORDS and json_text(text)[1:-1] not in known

    return [f for f in compare(true.after, simulated, is_free) if _is_off(f)]


def _is_off(field: Field) -> bool:
    return field.status not in (FieldStatus.EQUAL, FieldStatus.FREE)


def _difference(field: Field, *, in_state: bool = False) -> Difference:
    return Difference(
        at=field.at, status=field.status.value, face=field.truth, simulator=field.simulated, in_state=in_state
    )
