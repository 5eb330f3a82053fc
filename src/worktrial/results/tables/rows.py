"""The tables that `manifest.json` and `samples.jsonl` fill."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec

from worktrial.engine.manifest import Manifest
from worktrial.engine.record import RoleUsage, SampleRecord
from worktrial.engine.stored import agent_of, model_of
from worktrial.grading.check import CheckResult
from worktrial.grading.verdict import Vote
from worktrial.results.tables.schema import Column, Kind, RunTable, columns_of, text_or_none, utc
from worktrial.results.tables.source import RunSource
from worktrial.workplaces.duties.session import Violation
from worktrial.workplaces.faults import DegradedCall, FaultEvent, FaultMiss

_KEY = ("sample", "repeat", "condition")
_NAMED = "Name of the run: the end of its folder's path"
_RUN = Column("run", Kind.TEXT, _NAMED, attrgetter("source.name"), "source.name", plain=True)


class RecordRow(NamedTuple):
    """A record, or one of the rows within it."""

    source: RunSource
    record: SampleRecord
    number: int = 0
    """Place of the row within its list, from 0."""
    row: Any = None
    role: str = ""


def key_columns(within: str) -> list[Column]:
    """The four columns by which tables are joined.

    Args:
        within: Attribute of a row that has the fields `sample`, `repeat` and `condition`; a row has a `source`.
    """
    return [_RUN, *(c for c in columns_of(SampleRecord, within=within) if c.name in _KEY)]


def _records(source: RunSource) -> Iterator[RecordRow]:
    return (RecordRow(source, record) for record in source.records())


def _records_for(columns: Sequence[Column]) -> Callable[[RunSource], Iterator[RecordRow]]:
    """Rows of records that hold only the fields of which these columns are made, where they are made of fields."""
    fields = {field.name for field in msgspec.structs.fields(SampleRecord)}
    paths = [column.path.split(".") for column in columns if column.name != _RUN.name]
    if any(len(path) < 2 or path[1] not in fields for path in paths):
        return _records
    names = {path[1] for path in paths}
    return lambda source: (RecordRow(source, record) for record in source.records(names))


def _part_table(name: str, meaning: str, field: str, row: type, number: str = "", **named: str) -> RunTable:
    """The table of a list within records.

    Args:
        name: Name of the table.
        meaning: One line about it.
        field: Field of `SampleRecord` that holds the list.
        row: Type of the rows in it.
        number: Name of a column with the place in the list; "" for none.
        named: Columns that have another name than their field.
    """

    def rows(source: RunSource) -> Iterator[RecordRow]:
        for record in source.records():
            for place, part in enumerate(getattr(record, field)):
                yield RecordRow(source, record, place, part)

    places = [Column(number, Kind.INTEGER, "Place in the record, from 0", lambda r: r.number)] if number else []
    return RunTable(
        name, meaning, [*key_columns("record"), *places, *columns_of(row, within="row", named=named)], rows
    )


def _usage(source: RunSource) -> Iterator[RecordRow]:
    for record in source.records():
        for role, usage in record.usage.items():
            yield RecordRow(source, record, row=usage, role=role)


@dataclass
class RunRow:
    """One run folder, as the table `runs` shows it."""

    source: RunSource

    @property
    def _manifest(self) -> Manifest:
        return self.source.manifest

    @cached_property
    def _outcomes(self) -> Counter[str]:
        return Counter(record.outcome.value for record in self.source.records({"outcome"}))

    @property
    def run(self) -> str:
        """Name of the run: the end of its folder's path."""
        return self.source.name

    @property
    def folder(self) -> str:
        """Folder of the run."""
        return str(self.source.folder)

    @property
    def suite(self) -> str:
        """Suite that was run."""
        return self._manifest.suite

    @property
    def agent(self) -> str | None:
        """The agent's model, or plan, or callable."""
        return agent_of(self._manifest)

    @property
    def simulator(self) -> str | None:
        """Model of the simulator."""
        return model_of(self._manifest, "simulator")

    @property
    def judge(self) -> str | None:
        """Model of the judge; several with commas."""
        return model_of(self._manifest, "judge")

    @property
    def fingerprint(self) -> str | None:
        """Fingerprint of the data."""
        return text_or_none(self._manifest.data.get("fingerprint"))

    @property
    def samples_planned(self) -> int:
        """Samples of the finished run."""
        return self._manifest.samples

    @property
    def samples_finished(self) -> int:
        """Samples that have finished so far."""
        return self._outcomes.total()

    @property
    def passed(self) -> int:
        """Finished samples that passed, under all conditions."""
        return self._outcomes["pass"]

    @property
    def failed(self) -> int:
        """Finished samples that failed, under all conditions."""
        return self._outcomes["fail"]

    @property
    def invalid(self) -> int:
        """Finished samples without a verdict, under all conditions."""
        return self._outcomes["invalid"]

    @property
    def sessions(self) -> int:
        """Times that the run was started or resumed."""
        return len(self._manifest.sessions)

    @property
    def started(self) -> datetime | None:
        """Start of the first session, in UTC."""
        sessions = self._manifest.sessions
        return utc(sessions[0].started, self.source.folder) if sessions else None

    @property
    def ended(self) -> datetime | None:
        """End of the last session, in UTC."""
        sessions = self._manifest.sessions
        return utc(sessions[-1].ended, self.source.folder) if sessions else None

    @property
    def cost(self) -> float:
        """US dollars of all sessions, unfinished samples too; unknown prices count nothing."""
        return float(sum(session.cost for session in self._manifest.sessions))

    @property
    def tokens(self) -> int:
        """Tokens of all sessions, unfinished samples too."""
        return sum(session.tokens for session in self._manifest.sessions)

    @property
    def worktrial(self) -> str | None:
        """Versions of Worktrial that worked on the run."""
        versions = (session.versions.get("worktrial") for session in self._manifest.sessions)
        return ", ".join(dict.fromkeys(version for version in versions if version)) or None

    @property
    def data(self) -> dict[str, Any]:
        """Origin of the data."""
        return self._manifest.data

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that can change a result."""
        return self._manifest.settings


RUNS = RunTable("runs", "one row for each run folder", columns_of(RunRow, apart=("source",)), lambda s: [RunRow(s)])

SAMPLES = RunTable(
    "samples",
    "one row for each finished sample",
    [
        *key_columns("record"),
        *columns_of(SampleRecord, within="record", apart=(*_KEY, "key", "finished")),
        Column(
            "finished",
            Kind.TIME,
            "End of the sample on the host, in UTC",
            lambda r: utc(r.record.finished, f"{r.source.folder}: sample {r.record.sample}"),
        ),
    ],
    _records,
    _records_for,
)

USAGE = RunTable(
    "usage",
    "one row for each role of each sample",
    [
        *key_columns("record"),
        Column("role", Kind.TEXT, "Role that spent it: agent, simulator, judge, …", lambda r: r.role),
        *columns_of(RoleUsage, within="row"),
    ],
    _usage,
)

VOTES = _part_table("votes", "one row for each vote of a judge", "votes", Vote, "vote")
# CHECK is a word of SQL, so a column of that name would need quotes.
CHECKS = _part_table(
    "checks", "one row for each check of the state or the answer", "checks", CheckResult, "number", check="claim"
)
FAULT_EVENTS = _part_table("fault_events", "one row for each planned stretch of faults", "fault_plan", FaultEvent)
FAULTS = _part_table("faults", "one row for each call that was degraded", "fault_ledger", DegradedCall)
FAULT_MISSES = _part_table(
    "fault_misses", "one row for each part of the plan that did not happen", "fault_misses", FaultMiss
)
VIOLATIONS = _part_table(
    "violations", "one row for each rule of the policy that a call broke", "violations", Violation
)
