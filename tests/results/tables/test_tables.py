"""Runs as tables: every row of a run folder, and only what counts."""

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.results.runs import event, record, row, store, work
from tests.support.made_runs import make_run
from tests.support.run_files import records_in, set_work, work_of

from worktrial.engine.record import RoleUsage
from worktrial.engine.stored import open_run
from worktrial.errors import DataError, SettingError
from worktrial.results.figure import Ask, figures_of
from worktrial.results.tables import TABLES, RunTables, database
from worktrial.statistics import Estimand
from worktrial.workplaces.faults import FaultMiss


def ask(sql: str, *runs: Path) -> list[tuple[Any, ...]]:
    with RunTables(runs) as tables:
        return list(tables.select(sql).rows)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("runs") / "made", tasks=12, conditions=("E0", "E2"), seed=3)


def test_a_table_has_the_rows_of_the_records(made: Path) -> None:
    run = open_run(made)
    records = {r.key: r for r in run.records}
    whose = "sample, repeat, condition"
    for sample, repeat, condition, outcome, cost, tokens, tags, category in ask(
        f"select {whose}, outcome, cost, input_tokens, tags, category from samples", made
    ):
        stored = records.pop((sample, repeat, condition))
        assert (outcome, cost) == (stored.outcome.value, stored.cost)
        assert tokens == sum(u.input_tokens for u in stored.usage.values())
        assert (json.loads(tags), category) == (stored.tags, stored.tags["category"])
    assert not records
    counts = {
        name: ask(f"select count(*) from {name}", made)[0][0]
        for name in ("votes", "usage", "fault_events", "faults", "fault_misses")
    }
    assert counts == {
        "votes": sum(len(r.votes) for r in run.records),
        "usage": sum(len(r.usage) for r in run.records),
        "fault_events": sum(len(r.fault_plan) for r in run.records),
        "faults": sum(len(r.fault_ledger) for r in run.records),
        "fault_misses": sum(len(r.fault_misses) for r in run.records),
    }
    assert min(counts["votes"], counts["faults"]) > 0


def test_figures_are_those_of_every_surface_with_their_intervals(made: Path) -> None:
    asked = 'select name, value, low, high, n, clusters, unit, condition, "group", unknown from figures'
    for estimand in Estimand:
        told = figures_of(open_run(made), Ask(estimand=estimand)).listed
        expected = {
            (f.name, f.value, f.low, f.high, f.n, f.clusters, f.unit.value, f.condition, f.group, f.unknown)
            for f in told
        }
        assert {*ask(f"{asked} where estimand = '{estimand.value}'", made)} == expected


def test_calls_are_those_of_the_trajectories(made: Path) -> None:
    lines = work_of(made)
    expected = {
        (line["sample"], line["condition"], call["index"]): (call["tool"], call["arguments"], call["observation"])
        for line in lines
        for call in line["calls"]
    }
    sql = "select sample, condition, index, tool, arguments, observation, origin, fault, clean from calls"
    for sample, condition, index, tool, arguments, observation, origin, fault, clean in ask(sql, made):
        stored_tool, stored_arguments, seen = expected.pop((sample, condition, index))
        assert (tool, json.loads(arguments), json.loads(observation)) == (
            stored_tool,
            stored_arguments,
            seen["content"],
        )
        assert (origin, fault) == (seen["origin"], seen["fault"])
        assert (None if clean is None else json.loads(clean)) == seen["clean"]
    assert not expected


def test_a_degraded_call_is_found_from_the_ledger(made: Path) -> None:
    joined = ask(
        "select count(*), count(c.fault) from faults f join calls c"
        " on (f.run, f.sample, f.repeat, f.condition, f.call) = (c.run, c.sample, c.repeat, c.condition, c.index)",
        made,
    )
    assert joined == ask("select count(*), count(*) from faults", made)


def test_the_last_line_of_a_sample_counts(tmp_path: Path) -> None:
    calls = {0: work("bed 1"), 1: work("bed 1", "ward 2"), 2: work("bed 7", "bed 8", "bed 9")}
    store(tmp_path / "run", [record("a", "invalid", reason="bad_reply: no"), record("b"), record("a")], calls)
    assert ask("select sample, outcome, passed, invalid_reason from samples order by all", tmp_path / "run") == [
        ("a", "pass", True, None),
        ("b", "pass", True, None),
    ]
    assert ask("select sample, count(*) from calls group by all order by all", tmp_path / "run") == [
        ("a", 3),
        ("b", 2),
    ]
    assert ask("select passed, failed, invalid, samples_finished from runs", tmp_path / "run") == [(2, 0, 0, 2)]


def test_work_of_a_sample_that_is_not_finished_is_left_out(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [record("a"), record("b")], {0: work("bed 1"), 1: work("bed 2")}).folder
    lines = (run / "samples.jsonl").read_bytes().splitlines(keepends=True)
    (run / "samples.jsonl").write_bytes(lines[0] + lines[1][:20])
    assert ask("select distinct sample from calls", run) == [("a",)]
    assert ask("select sample from samples", run) == [("a",)]


def test_an_invalid_sample_neither_passed_nor_failed(tmp_path: Path) -> None:
    store(
        tmp_path / "run", [record("a"), record("b", "invalid", reason="no_majority: 1 of 3"), record("c", "fail")]
    )
    sql = "select avg(passed::int), avg((outcome = 'pass')::int), any_value(invalid_reason) from samples"
    assert ask(sql, tmp_path / "run") == [(0.5, 1 / 3, "no_majority")]


def test_runs_have_the_shortest_names_that_tell_them_apart(tmp_path: Path) -> None:
    for place in ("a/first", "b/first", "b/second"):
        store(tmp_path / place, [record("t")])
    assert ask("select run from runs order by all", tmp_path / "b") == [("first",), ("second",)]
    assert ask("select run from runs order by all", tmp_path) == [("a/first",), ("b/first",), ("b/second",)]


def test_who_took_part_and_what_it_cost(tmp_path: Path) -> None:
    roles = {"agent": {"model": "m"}, "judge": {"model": "j"}, "judge-2": {"model": "k"}}
    carried = {"simulator": {"model": "s"}}
    usage = {"agent": RoleUsage(2, 10, 5, 1, 0.5), "judge": RoleUsage(1, 7, 3, 0, None)}
    store(tmp_path / "run", [record("a", usage=usage, cost=None)], roles=roles, carried_roles=carried)
    assert ask("select agent, simulator, judge from runs", tmp_path / "run") == [("m", "s", "j, k")]
    assert ask("select role, requests, cost from usage order by all", tmp_path / "run") == [
        ("agent", 2, 0.5),
        ("judge", 1, None),
    ]
    assert ask("select cost, requests, input_tokens, cached_tokens from samples", tmp_path / "run") == [
        (None, 3, 17, 1)
    ]


def test_faults_come_with_their_plan_and_misses(tmp_path: Path) -> None:
    steps = work("bed 3", "bed 3!")
    stored = record(
        "a",
        condition="E2/1x1",
        fault_plan=[event(0, "E2", 1, 1), event(1, "E2", 9, 1)],
        fault_ledger=[row(0, "E2", steps[1])],
        fault_misses=[FaultMiss(event=1, why="not_reached")],
    )
    run = store(tmp_path / "run", [stored], {0: steps}).folder
    assert ask("select mode, faults_planned, faults_met from samples", run) == [("E2", 2, 1)]
    assert ask("select event, first, unit from fault_events order by all", run) == [(0, 1, "call"), (1, 9, "call")]
    assert ask("select event, call, fields::varchar from faults", run) == [(0, 1, '["/free"]')]
    assert ask("select event, call, why from fault_misses", run) == [(1, None, "not_reached")]


def test_what_a_team_did_turn_by_turn_is_calls_and_messages(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [record("EN/1")]).folder
    asked = [
        {"id": "1", "type": "function", "function": {"name": "find", "arguments": '{"day": 3}'}},
        {"id": "2", "type": "function", "function": {"name": "book", "arguments": "not json \\ud800"}},
    ]
    line = {
        "sample": "EN/1",
        "repeat": 0,
        "condition": "E0",
        "main_agent_history": [{"step_id": 3, "role": "assistant", "content": "plan", "tool_calls": []}],
        "sub_agent_history": [
            {"step_id": "4", "agent_id": "vet", "role": "assistant", "content": "", "tool_calls": asked}
        ],
    }
    set_work(run, [line])
    assert ask("select index, tool, arguments::varchar, agent, step, observation from calls order by all", run) == [
        (0, "find", '{"day":3}', "vet", "4", None),
        (1, "book", '"not json \\\\ud800"', "vet", "4", None),
    ]
    assert ask("select index, role, content, agent, step from messages order by all", run) == [
        (0, "assistant", "plan", None, "3"),
        (1, "assistant", "", "vet", "4"),
    ]


def test_only_what_a_query_names_is_read(made: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    for name in ("manifest.json", "samples.jsonl"):
        (run / name).write_bytes((made / name).read_bytes())
    set_work(run, [b"damaged" for _ in records_in(run)])
    # `calls` is a column of samples, too.
    assert ask("select avg(calls) > 0 from samples", run) == [(True,)]
    assert ask("with calls as (select 1 as x) select x from calls", run) == [(1,)]
    for sql in (
        "select count(*) from calls",
        "select * from query('select 1 from calls')",
        "pivot calls on origin",
        "select (select count(*) from messages)",
        "with t as (from trajectories) select 1 from t",
        'select 1 from "CALLS"',
    ):
        with pytest.raises(DataError, match=r"0001.jsonl, byte 0: damaged record"):
            ask(sql, run)
    records = run / "samples.jsonl"
    records.write_bytes(records.read_bytes().replace(b'"turns":', b'"turns":"many","turns once":'))
    count = records.read_bytes().count(b"\n")
    assert ask("select count(*), count(outcome), count(tags) from samples", run) == [(count, count, count)]
    # DuckDB reads the fields that a query is about, and no others.
    assert ask("select count(category) from samples", run) == [(count,)]
    for sql in ("select avg(turns) from samples", "from samples"):
        with pytest.raises(DataError, match=r"samples.jsonl:1: damaged record: Expected `int`, got `str`"):
            ask(sql, run)


def test_one_database_answers_several_questions(made: Path) -> None:
    with RunTables([made]) as tables:
        first = list(tables.select("select count(*) from samples").rows)
        categories = list(tables.select("select count(category) from samples").rows)
        assert first == categories
        assert list(tables.select("select count(*) from samples").rows) == first


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("select outcom from samples", "no column 'outcom' here; did you mean outcome"),
        (
            "select tool from samples",
            r"'tool' here; did you mean tool \(of faults, fault_misses, violations",
        ),
        ("select * from sampels", "no table 'sampels'; did you mean samples"),
        ("select * from zzz", "no table 'zzz'; there are runs, figures, samples"),
        ("selec 1", 'syntax error at or near "selec"'),
        ("", "exactly one statement"),
        ("select 1; select 2", "exactly one statement"),
        ("drop table samples", "only SELECT .* not DROP"),
        ("copy samples to '/tmp/x.csv'", "only SELECT .* not COPY"),
        ("set memory_limit = '1GB'", "only SELECT .* not SET"),
        ("select * from read_csv('/etc/passwd')", "file system operations are disabled"),
        ("from '/etc/passwd'", "file system operations are disabled|no table|not exist"),
        ("select sum(outcome) from samples", "No function matches"),
        ("select outcome::int from samples", "Could not convert string"),
    ],
)
def test_a_wrong_query_is_one_clear_line(made: Path, sql: str, says: str) -> None:
    with pytest.raises(SettingError, match=says) as raised:
        ask(sql, made)
    assert "\n" not in str(raised.value)


def test_variables_of_the_program_cannot_be_read(made: Path) -> None:
    secret = [{"key": 1}]
    with pytest.raises(SettingError, match="no table 'secret'"):
        ask("select * from secret", made)
    assert secret


def test_folders_without_runs_and_the_same_run_twice(made: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no run"):
        RunTables([tmp_path])
    with pytest.raises(DataError, match="no such folder"):
        RunTables([tmp_path / "none"])
    with pytest.raises(SettingError, match="named twice"):
        RunTables([made, made.parent])


def test_a_database_holds_what_was_asked_for(made: Path) -> None:
    some = database([made], ["samples", "runs"])
    assert isinstance(some, duckdb.DuckDBPyConnection)
    filled = {name for name in TABLES if some.execute(f"select count(*) from {name}").fetchone() != (0,)}
    assert filled == {"samples", "runs"}
    with pytest.raises(SettingError, match="no table 'x'"):
        database([made], ["x"])


def test_what_does_not_fit_into_memory_waits_on_disk(made: Path) -> None:
    # 250 MB of text, sorted.
    many = "(select repeat(i::varchar, 100) t from range(500000) r(i))"
    with RunTables([made], memory=160 << 20) as tables:
        rows = list(tables.select(f"select t from {many} order by t desc limit 3 offset 250000").rows)
    assert [len(text) for (text,) in rows] == [600, 600, 600]


_TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(measures=st.dictionaries(_TEXT, _JSON, max_size=3), reason=_TEXT, domain=_JSON)
def test_any_text_and_any_json_comes_back(
    tmp_path: Path, measures: dict[str, Any], reason: str, domain: Any
) -> None:
    stored = record("a", reason=reason, measures=measures, tags={"domain": domain})
    run = store(tmp_path / "run", [stored]).folder
    [(measured, said, where)] = ask("select measures, reason, domain from samples", run)
    assert (json.loads(measured), said) == (measures, reason)
    assert (where if domain is None or isinstance(domain, str) else json.loads(where)) == domain
