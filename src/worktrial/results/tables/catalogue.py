"""All tables, in the order in which people are shown them.

Those about records are DuckDB's own reading of `samples.jsonl`, those about work its reading of the lines that the
records point at, which lie in sealed segments and are laid out for it. Nothing is read but what a query names.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import asdict, replace

from worktrial.engine.record import RoleUsage, SampleRecord
from worktrial.engine.stored import agent_of, model_of
from worktrial.errors import SettingError
from worktrial.grading.check import CheckResult
from worktrial.grading.verdict import Vote
from worktrial.results.tables.schema import (
    INTEGER,
    JSON,
    NUMBER,
    TEXT,
    TIME,
    Column,
    RunTable,
    columns_of,
    stored_fields,
    stored_type,
)
from worktrial.results.tables.source import RunSource
from worktrial.results.turns import CallsLine, StoredCall, StoredObservation, calls_of
from worktrial.statistics import Figure
from worktrial.workplaces.duties.session import Violation
from worktrial.workplaces.faults import DegradedCall, FaultEvent, FaultMiss

RECORDS, LINES = "_records", "_lines"
"""Names of what tables are made from: the last record of every sample, and the work of each."""
KEY = ("run", "sample", "repeat", "condition")

_NAMED = Column("run", TEXT, "Name of the run: the end of its folder's path", "run")
_KEYS = [_NAMED, *(one for one in columns_of(SampleRecord) if one.name in KEY)]


class WorkLine(CallsLine):
    """The parts of a stored line of work that tables are made from."""

    instruction: msgspec.Raw = msgspec.Raw(b"null")
    answer: msgspec.Raw = msgspec.Raw(b"null")
    final_state: msgspec.Raw = msgspec.Raw(b"null")
    main_agent_history: msgspec.Raw = msgspec.Raw(b"[]")
    sub_agent_history: msgspec.Raw = msgspec.Raw(b"[]")
    turns: msgspec.Raw = msgspec.Raw(b"[]")


LINE = {"run": TEXT, **stored_fields(WorkLine), "calls": stored_type(list[StoredCall])}
"""Fields of a line as it is laid out, each with its type."""


def line_rows(source: RunSource) -> Iterator[Mapping[str, Any]]:
    """The lines of a run's work, with the turns that calls belong to.

    Raises:
        DataError: a record or a trajectory is damaged.
    """
    for line in source.trajectories(WorkLine):
        found = calls_of(source.folder, line)
        calls = [replace(call, turn=turn) for call, turn in zip(found.calls, found.turns, strict=True)]
        yield {"run": source.name, **asdict(line), "calls": calls}


def _sum(field: str) -> str:
    return f"coalesce(list_sum(list_transform(map_values(usage), lambda one: one.{field})), 0)"


_DERIVED = {
    "mode": "split_part(condition, '/', 1)",
    "passed": "CASE WHEN outcome <> 'invalid' THEN outcome = 'pass' END",
    "invalid_reason": "CASE WHEN outcome = 'invalid' THEN split_part(reason, ':', 1) END",
    **{name: f"tags->>'$.{name}'" for name in ("category", "domain", "scenario", "difficulty", "language")},
    **{name: _sum(name) for name in ("requests", "input_tokens", "output_tokens", "cached_tokens")},
    "faults_planned": "coalesce(len(fault_plan), 0)",
    "faults_met": "coalesce(len(fault_ledger), 0)",
    "simulator_answers": "simulation.observations",
    "misshapen_answers": "simulation.misshapen",
    "contradictions": "simulation.contradictions",
}
_SAMPLE = columns_of(SampleRecord, apart=(*KEY, "key", "finished"), sql=_DERIVED)
# An offset is reckoned in, so that times are UTC.
_FINISHED = Column("finished", TIME, "End of the sample on the host, in UTC", "nullif(finished, '')")


def _parts(name: str, meaning: str, field: str, row: type, number: str = "", **named: str) -> RunTable:
    """The table of a list within records.

    Args:
        name: Name of the table.
        meaning: One line about it.
        field: Field of `SampleRecord` that holds the list.
        row: Type of the rows in it.
        number: Name of a column with the place in the list; "" for none.
        named: Columns that have another name than their field.
    """
    place = [Column(number, INTEGER, "Place in the record, from 0", "part_number")] if number else []
    columns = [*_KEYS, *place, *columns_of(row, within="part", named=named)]
    return RunTable(name, meaning, columns, _unnested(RECORDS, field))


def _unnested(rows: str, parts: str) -> str:
    """Rows of `rows`, each as often as it has parts, with `part` and its place `part_number`, from 0."""
    key = ", ".join(KEY)
    inner = f"SELECT {key}, {parts} AS parts FROM {rows}"
    numbers = "generate_subscripts(parts, 1) - 1 AS part_number"
    return f"(SELECT {key}, unnest(parts) AS part, {numbers} FROM ({inner}))"


def _told(text: str) -> str:
    """A stored value as text: itself, or as JSON where it is none."""
    return f"({text})->>'$'"


def _work_columns(rows: Mapping[str, tuple[str, str, str]]) -> list[Column]:
    return [*_KEYS, *(Column(name, *told) for name, told in rows.items())]


_TEAM_CALLS = f"""CAST(to_json(flatten(list_transform(sub_agent_history::JSON[], lambda said, number:
    list_transform(coalesce((said->'tool_calls')::JSON[], []), lambda asked: json_object(
        'index', null, 'turn', number - 1, 'tool', asked->'$.function.name', 'arguments',
        CASE WHEN json_valid(asked->>'$.function.arguments')
        THEN (asked->>'$.function.arguments')::JSON ELSE asked->'$.function.arguments' END,
        'observation', null, 'seconds', null, 'agent', said->'agent_id', 'workflow', null, 'user_turn', null,
        'step', said->>'step_id'))))) AS {LINE["calls"]})"""
_CALLS = f"CASE WHEN len(calls) > 0 THEN calls ELSE {_TEAM_CALLS} END"
_MESSAGES = """list_concat(
    list_transform(list_concat(messages::JSON[], main_agent_history::JSON[], sub_agent_history::JSON[]),
        lambda said: json_object('agent', said->'agent_id', 'said', said)),
    flatten(list_transform(turns::JSON[], lambda turn, number: flatten(list_transform(
        coalesce((turn->'work')::JSON[], []), lambda own: list_transform(
            coalesce((own->'messages')::JSON[], []), lambda said: json_object('agent',
                coalesce(own->'agent', said->'agent_id'), 'user_turn', number - 1, 'said', said)))))))"""
_SAID = '{"role":null,"content":null,"tool_calls":null,"tool_call_id":null,"agent_id":null,"step_id":null}'

_CALL_COLUMNS = [
    *_KEYS,
    *columns_of(StoredCall, within="part", sql={"index": "coalesce(part.index, part_number)"}),
    *columns_of(
        StoredObservation,
        within="part.observation",
        named={"content": "observation"},
        sql={"clean": "_said(part.observation.clean)"},
    ),
]
_MESSAGE_COLUMNS = {
    "index": (INTEGER, "Place of the message in the sample, from 0", "part_number"),
    "agent": (TEXT, "Domain agent that the message belongs to, where a team works", "part->>'agent'"),
    "user_turn": (INTEGER, "Turn of the user that a free-running team answers, from 0", "part->>'user_turn'"),
    "role": (TEXT, "Role that speaks: system, user, assistant, tool", "part->>'$.said.role'"),
    "content": (TEXT, "Content as text; a list of parts as JSON", "part->>'$.said.content'"),
    "tool_calls": (JSON, "Tool calls that the message asks for", "_said(part->'$.said.tool_calls')"),
    "tool_call_id": (TEXT, "Call that a tool's message answers", "part->>'$.said.tool_call_id'"),
    "step": (TEXT, "Step of the recorded history", "part->>'$.said.step_id'"),
    "rest": (
        JSON,
        "Every other field, such as reasoning",
        f"nullif(json_merge_patch(part->'said', '{_SAID}')::VARCHAR, '{{}}')",
    ),
}
_WORK_COLUMNS = {
    "instruction": (TEXT, "Instruction that the agent was given", _told("instruction")),
    "answer": (TEXT, "Final answer of the agent", _told("answer")),
    "final_state": (JSON, "State of the workplace at the end, where code keeps it", "_said(final_state)"),
}

# Of each manifest as a whole, beside who took part and the counts of the records.
_RUN_COLUMNS = {
    "folder": (TEXT, "Folder of the run", "folder"),
    "suite": (TEXT, "Suite that was run", "manifest->>'suite'"),
    "agent": (TEXT, "The agent's model, or plan, or callable", "agent"),
    "simulator": (TEXT, "Model of the simulator", "simulator"),
    "judge": (TEXT, "Model of the judge; several with commas", "judge"),
    "fingerprint": (TEXT, "Fingerprint of the data", "manifest->>'$.data.fingerprint'"),
    "samples_planned": (INTEGER, "Samples of the finished run", "manifest->>'samples'"),
    "samples_finished": (INTEGER, "Samples that have finished so far", "coalesce(finished_ones, 0)"),
    "passed": (INTEGER, "Finished samples that passed, under all conditions", "coalesce(passed_ones, 0)"),
    "failed": (INTEGER, "Finished samples that failed, under all conditions", "coalesce(failed_ones, 0)"),
    "invalid": (INTEGER, "Finished samples without a verdict, under all conditions", "coalesce(invalid_ones, 0)"),
    "sessions": (INTEGER, "Times that the run was started or resumed", "len(sessions)"),
    "started": (TIME, "Start of the first session, in UTC", "nullif(sessions[1]->>'started', '')"),
    "ended": (TIME, "End of the last session, in UTC", "nullif(sessions[-1]->>'ended', '')"),
    "cost": (
        NUMBER,
        "US dollars of all sessions, unfinished samples too; unknown prices count nothing",
        "coalesce(list_sum(list_transform(sessions, lambda one: (one->>'cost')::DOUBLE)), 0)",
    ),
    "tokens": (
        INTEGER,
        "Tokens of all sessions, unfinished samples too",
        "coalesce(list_sum(list_transform(sessions, lambda one: (one->>'tokens')::BIGINT)), 0)",
    ),
    "worktrial": (
        TEXT,
        "Versions of Worktrial that worked on the run",
        "nullif(array_to_string(list_sort(list_distinct(list_transform(sessions,"
        " lambda one: one->>'$.versions.worktrial'))), ', '), '')",
    ),
    "data": (JSON, "Origin of the data", "manifest->'data'"),
    "settings": (JSON, "Everything that can change a result", "manifest->'settings'"),
}
RUN = {"run": TEXT, "folder": TEXT, "agent": TEXT, "simulator": TEXT, "judge": TEXT, "manifest": JSON}
"""Fields of a run as it is laid out, each with its type."""
_COUNTED = f"""(SELECT *, (manifest->'sessions')::JSON[] AS sessions FROM _runs LEFT JOIN (SELECT run,
    count(*) AS finished_ones, count_if(outcome = 'pass') AS passed_ones, count_if(outcome = 'fail') AS failed_ones,
    count_if(outcome = 'invalid') AS invalid_ones FROM {RECORDS} GROUP BY run) USING (run))"""


def run_row(source: RunSource) -> Mapping[str, Any]:
    """A run as it is laid out.

    Raises:
        DataError: the folder holds no run.
    """
    manifest = source.manifest
    simulator, judge = (model_of(manifest, role) for role in ("simulator", "judge"))
    who = {"agent": agent_of(manifest), "simulator": simulator, "judge": judge}
    return {"run": source.name, "folder": str(source.folder), **who, "manifest": manifest}


RUNS = RunTable(
    "runs",
    "one row for each run folder",
    [_NAMED, *(Column(name, *told) for name, told in _RUN_COLUMNS.items())],
    _COUNTED,
)
FIGURES = RunTable(
    "figures",
    "one row for each figure of a run, with its interval at 95 %",
    [_NAMED, *columns_of(Figure, apart=("interval",))],
    "_figures",
)
TABLES: Mapping[str, RunTable] = {
    table.name: table
    for table in (
        RUNS,
        FIGURES,
        RunTable("samples", "one row for each finished sample", [*_KEYS, *_SAMPLE, _FINISHED], RECORDS),
        RunTable(
            "usage",
            "one row for each role of each sample",
            [
                *_KEYS,
                Column("role", TEXT, "Role that spent it: agent, simulator, judge, …", "part.key"),
                *columns_of(RoleUsage, within="part.value"),
            ],
            _unnested(RECORDS, "map_entries(usage)"),
        ),
        _parts("votes", "one row for each vote of a judge", "votes", Vote, "vote"),
        # CHECK is a word of SQL, so a column of that name would need quotes.
        _parts(
            "checks",
            "one row for each check of the state or the answer",
            "checks",
            CheckResult,
            "number",
            check="claim",
        ),
        _parts("fault_events", "one row for each planned stretch of faults", "fault_plan", FaultEvent),
        _parts("faults", "one row for each call that was degraded", "fault_ledger", DegradedCall),
        _parts("fault_misses", "one row for each part of the plan that did not happen", "fault_misses", FaultMiss),
        _parts("violations", "one row for each rule of the policy that a call broke", "violations", Violation),
        RunTable(
            "trajectories",
            "one row for each sample that has a trajectory: task, answer, state",
            _work_columns(_WORK_COLUMNS),
            LINES,
        ),
        RunTable("calls", "one row for each tool call", _CALL_COLUMNS, _unnested(LINES, _CALLS)),
        RunTable(
            "messages",
            "one row for each message of the agent's conversation",
            _work_columns(_MESSAGE_COLUMNS),
            _unnested(LINES, _MESSAGES),
        ),
    )
}
OF_WORK = frozenset({"trajectories", "calls", "messages"})
"""Tables that stored work fills: nearly all of a run's bytes, so they are read only when asked for."""


def chosen(names: Collection[str]) -> list[RunTable]:
    """The tables of these names.

    Raises:
        SettingError: there is no such table.
    """
    for name in names:
        if name not in TABLES:
            raise SettingError(f"there is no table {name!r}; there are {', '.join(TABLES)}")
    return [TABLES[name] for name in names]
