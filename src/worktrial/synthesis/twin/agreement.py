"""Agreement of twin and simulator, call by call, and the record of it beside `face.py`."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from worktrial.errors import DataError, InvalidSample
from worktrial.language import Complete, JsonObject, JsonValue
from worktrial.suites.simulated.folder import TWIN, TWIN_RECORD
from worktrial.synthesis.artifacts import Text
from worktrial.synthesis.files import write_text
from worktrial.synthesis.twin.session import EPISODES, EpisodeKind
from worktrial.workplaces import LanguageSimulator, Memory, Session, Workplace
from worktrial.workplaces.fidelity import UNUSABLE, Field, FieldStatus, TrueCall, compare, compare_worded
from worktrial.workplaces.simulator.json_text import json_text

THRESHOLD = 0.9
"""Share of the calls on which twin and simulator must agree. Simulators slip now and then; a twin that misreads a
rule differs wherever the rule matters, and from then on in the state."""
_DIFFERENCES = 10
_FREE_WORDS = 4


class FieldDifference(msgspec.Struct, kw_only=True, frozen=True):
    """A field that is not the same."""

    at: str
    """JSON Pointer into the answer, or into the state after the call."""
    status: str
    """`wrong`, `missing` or `extra`, as seen from the twin."""
    twin: JsonValue = msgspec.field(default=None, name="face")
    simulator: JsonValue = None
    in_state: bool = False


class CallAgreement(msgspec.Struct, kw_only=True, frozen=True):
    """One call, answered by both."""

    episode: EpisodeKind = msgspec.field(name="stay")
    number: int
    """0-based within the episode."""
    tool: str
    arguments: JsonObject
    kind: str
    """`read`, `computed`, `write` or `error`, by the twin."""
    agrees: bool
    equal: int
    """Fields of the answer that are the same; free texts count for neither side."""
    free: int
    differences: list[FieldDifference] = []
    """The first few."""
    unusable: str = ""
    """Why the simulator's reply could not be used."""


class TwinAgreement(msgspec.Struct, kw_only=True, frozen=True):
    """All calls."""

    agreed: int
    of: int
    threshold: Annotated[float, msgspec.Meta(ge=0, le=1)] = THRESHOLD
    calls: list[CallAgreement]

    @property
    def holds(self) -> bool:
        """Whether it is enough to take the twin for the truth."""
        return self.of > 0 and self.agreed >= self.threshold * self.of


async def agreement(
    workplace: Workplace,
    replayed: dict[EpisodeKind, list[TrueCall]],
    complete: Complete,
    *,
    prompt: str,
    clock: str,
    instruction: str,
) -> TwinAgreement:
    """Let the simulator answer what the twin has answered, and compare.

    The simulator keeps its state in the ledger, so that the states after writes can be compared, too. Ids, numbers
    and single words must be the same; texts that nobody could know word for word must only be there, and an error
    must be one.

    Args:
        workplace: Where the calls are made.
        replayed: The twin's answers.
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
    for kind in EPISODES:
        calls += await _of_episode(kind, replayed[kind], simulator.open(), workplace.system_prompt)
    return TwinAgreement(agreed=sum(call.agrees for call in calls), of=len(calls), calls=calls)


async def _of_episode(
    episode: EpisodeKind, replayed: Sequence[TrueCall], session: Session, rules: str
) -> list[CallAgreement]:
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
                episode=episode,
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


def _difference(field: Field, *, in_state: bool = False) -> FieldDifference:
    return FieldDifference(
        at=field.at, status=field.status.value, twin=field.truth, simulator=field.simulated, in_state=in_state
    )


FORMAT = 1


class TwinRecord(msgspec.Struct, kw_only=True, frozen=True):
    """Whether a workplace's tools also exist as code that can be taken for the truth, and why."""

    format: int = FORMAT
    slot: Text
    kept: bool
    why: str
    """Reason, in a sentence."""
    content: Text
    """Hash of the slot's workplace and task."""
    workplace: Text
    """Hash of the workplace alone: the twin of another one is the truth of nothing."""
    settings: Text
    """Hash of the simulator, and of what else the comparison depends on."""
    hash: str = ""
    """SHA-256 of `face.py`; "" where there is none."""
    model: str = ""
    """Model that wrote it; "" for a person."""
    simulator: str = ""
    """Model of the simulator that it was compared with."""
    notes: list[str] = []
    """Remarks of its author."""
    agreement: TwinAgreement | None = None
    """Agreement with the simulator; None where it was never compared."""


def source_hash(source: str) -> str:
    """SHA-256 of a twin's text."""
    return hashlib.sha256(source.encode()).hexdigest()


def read_record(place: Path) -> TwinRecord | None:
    """The record in a workplace's folder; None where there is none.

    Raises:
        DataError: it cannot be read.
    """
    path = place / TWIN_RECORD
    if not path.exists():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=TwinRecord)
    except OSError as e:
        raise DataError(path, f"cannot be read ({e.strerror})", "Check the file") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as e:
        raise DataError(path, str(e), f"Remove it; `worktrial synthesize -o {place.parents[1]} --twins`") from None


def read_source(place: Path) -> str | None:
    """The twin in a workplace's folder; None where there is none.

    Raises:
        DataError: it cannot be read.
    """
    path = place / TWIN
    try:
        # Bytes, because reading as text would change the ends of lines, and with them the hash.
        return path.read_bytes().decode() if path.exists() else None
    except OSError as e:
        raise DataError(path, f"cannot be read ({e.strerror})", "Check the file") from None
    except UnicodeDecodeError as e:
        raise DataError(path, f"is not UTF-8 ({e.reason})", "Save it as UTF-8") from None


def write_twin(place: Path, record: TwinRecord, source: str | None) -> None:
    """Write both; the record first, so that a twin without a record is a person's, and no kill makes it one.

    Raises:
        StopRun: something cannot be written.
    """
    write_text(place / TWIN_RECORD, msgspec.json.format(msgspec.json.encode(record), indent=2).decode() + "\n")
    if source is not None:
        write_text(place / TWIN, source)
    else:
        (place / TWIN).unlink(missing_ok=True)
