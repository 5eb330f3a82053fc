"""Work that other programs wrote down, stored as a run: to be shown, compared, and judged again."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from worktrial.engine.manifest import Manifest, SessionRecord, utc_now, versions
from worktrial.engine.record import CLEAN, Key, SampleRecord
from worktrial.engine.store import RunStore
from worktrial.errors import DataError, InvalidReason, SettingError
from worktrial.grading import Outcome
from worktrial.language import JsonObject, JsonValue, Message
from worktrial.outside.budget import MOST_VALUES, JsonBudget
from worktrial.results.exports.files import new_folder
from worktrial.secrets import Redactor
from worktrial.workplaces import Observation, StopReason, ToolCall
from worktrial.workplaces.session import Origin

MOST_OF_A_SAMPLE = 64 << 20
"""Bytes of a sample that is read."""
FOREIGN_SUITE = "imported"
"""Suite of work that names none."""


class RunOrigin(msgspec.Struct, frozen=True):
    """The part of a run's manifest that goes with its samples; see `standing.run_on_record`."""

    suite: str
    data: JsonObject = {}
    settings: JsonObject = {}
    name: str = ""

    def is_run_of(self, other: "RunOrigin") -> bool:
        """Whether both say the same of the run, whatever it is called."""
        return (self.suite, self.data, self.settings) == (other.suite, other.data, other.settings)


@dataclass(frozen=True, slots=True)
class ImportedSample:
    """A sample as a file of others' holds it."""

    where: Path
    origin: RunOrigin
    record: SampleRecord
    messages: list[Message]
    calls: list[ToolCall]
    rest: Mapping[str, JsonValue] | None
    """Other fields of the trajectory; None where there is no trajectory."""


def foreign_sample(
    where: Path,
    origin: RunOrigin,
    sample: str,
    *,
    instruction: str,
    messages: list[Message],
    calls: list[ToolCall],
    answer: str,
    repeat: int = 0,
) -> ImportedSample:
    """Sample of a program that is not ours: it has no verdict until `worktrial regrade` gives it one."""
    turns = sum(message.get("role") == "assistant" for message in messages)
    said = f"{InvalidReason.UNJUDGED.value}: imported without a verdict; judge it with worktrial regrade"
    record = SampleRecord(
        suite=origin.suite,
        sample=sample,
        repeat=repeat,
        condition=CLEAN,
        outcome=Outcome.INVALID,
        reason=said,
        calls=len(calls),
        turns=turns,
        stop_reason=StopReason.ANSWERED.value if answer else StopReason.EMPTY_ANSWER.value,
        finished=utc_now(),
    )
    rest = {
        "instruction": instruction,
        "clock": "",
        "answer": answer,
        "stop_reason": record.stop_reason,
        "final_state": None,
    }
    return ImportedSample(where, origin, record, messages, calls, rest)


def foreign_call(index: int, turn: int, tool: str, arguments: JsonValue, result: JsonValue) -> ToolCall:
    """Call as another program recorded it; a result that is no object becomes `{"result": …}`."""
    if isinstance(result, str):
        result = read_json(result)
    content = result if isinstance(result, dict) else {"result": result}
    return ToolCall(index, turn, tool, arguments, Observation(content, Origin.RECORDED))


def bounded(data: bytes) -> bytes:
    """The JSON text of a sample, if it is one that is read.

    Raises:
        ValueError: it holds too much.
    """
    if not JsonBudget(MOST_OF_A_SAMPLE).take(data):
        raise ValueError(f"a sample of more than {MOST_OF_A_SAMPLE:,} bytes or {MOST_VALUES:,} values")
    return data


def read_json(text: str) -> JsonValue:
    """Value that `text` says in JSON; the text itself where it is none, or holds too much."""
    try:
        return msgspec.json.decode(bounded(text.encode()))
    except (ValueError, RecursionError):
        return text


def store_imported(
    samples: Iterator[ImportedSample], out: Path, *, command: tuple[str, ...], force: bool = False
) -> int:
    """Store samples of one run as a run in the folder `out`.

    Args:
        samples: Read one after the other; all of one run.
        out: A new folder, or an empty one.
        command: Words that started it, for the manifest.
        force: Whether files in a folder there may be replaced.

    Returns:
        How many samples there are.

    Raises:
        SettingError: they are of several runs, or there is something at the place.
        DataError: a file is damaged, or the same sample comes twice.
    """
    with new_folder(out, force=force) as folder:
        first = next(samples, None)
        if first is None:
            raise SettingError("import: there is nothing to import; name files or folders that hold some")
        places: dict[Key, Path] = {}
        with _store(folder, first.origin, command) as store:
            _add(store, first, places)
            for sample in samples:
                if not first.origin.is_run_of(sample.origin):
                    raise SettingError(
                        f"{sample.where}: is of the run {sample.origin.name!r}, and {first.where} of "
                        f"{first.origin.name!r} with other settings; import the files of one run"
                    )
                _add(store, sample, places)
            store.manifest.settings["tasks"] = list(dict.fromkeys(sample for sample, _, _ in places))
            store.manifest.samples = len(places)
    return len(places)


@contextmanager
def _store(folder: Path, origin: RunOrigin, command: tuple[str, ...]) -> Iterator[RunStore]:
    session = SessionRecord(started=utc_now(), command=[*command], versions=versions())
    manifest = Manifest(
        suite=origin.suite, data=origin.data, settings=dict(origin.settings), samples=0, sessions=[session]
    )
    with RunStore(folder, manifest, Redactor()) as store:
        yield store
        store.session.ended, store.session.end = utc_now(), "done"
        store.save_manifest()


def _add(store: RunStore, sample: ImportedSample, places: dict[Key, Path]) -> None:
    record = sample.record
    if (before := places.get(record.key)) is not None:
        who = f"sample {record.sample!r}, repeat {record.repeat}, {record.condition}"
        raise DataError(sample.where, f"{who} is in {before}, too", "Name one of the two")
    places[record.key] = sample.where
    if sample.rest is None:
        store.add(record, None)
        return
    line = {
        "suite": record.suite,
        "sample": record.sample,
        "repeat": record.repeat,
        "condition": record.condition,
        "outcome": record.outcome,
        "reason": record.reason,
        **sample.rest,
        "messages": sample.messages,
        "calls": sample.calls,
    }
    store.add(record, line)
