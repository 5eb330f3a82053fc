"""What each call changed in a workplace of code, told by carrying the calls on record out again."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.sandbox.sessions import needs_sandbox
from tests.support.cli import Word, command
from tests.support.own_workplaces import write_suite
from tests.support.run_files import work_of

from worktrial.engine.records import SAMPLES
from worktrial.engine.stored import StoredRun, open_run
from worktrial.language import JsonObject
from worktrial.reports.report import open_report
from worktrial.reports.viewer import run_data
from worktrial.reports.viewer.run_data import RunData
from worktrial.suite import find_suite_of
from worktrial.workplaces.retracing import RetracedCalls, Retracing


def _run(folder: Path, *words: Word) -> Path:
    ran = command("run", *words, "--agent", "plan", "-o", folder)
    assert ran.code in (0, 3), ran.err
    return folder


def _retracing(run: StoredRun) -> Retracing:
    found = find_suite_of(run.manifest).retracing(run)
    assert found is not None
    return found


def _lines(folder: Path) -> Iterator[JsonObject]:
    yield from work_of(folder)


def _told(retracing: Retracing, line: JsonObject) -> RetracedCalls:
    found = retracing.changes(msgspec.json.encode(line))
    assert found is not None
    return found


@pytest.fixture(scope="module")
def starter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    words = ("starter", "--faults", "all", "--tasks", "lab-00-lab-04,returns-00-returns-04,fleet-00-fleet-04")
    return _run(tmp_path_factory.mktemp("runs") / "starter", *words)


def test_every_fault_shows_what_truly_changed(starter: Path) -> None:
    run = open_run(starter)
    retracing = _retracing(run)
    ledgers = {record.key: {row.call: row for row in record.fault_ledger} for record in run.records}
    kinds: dict[str, int] = {}
    clean: dict[tuple[str, str], list[str]] = {}
    for line in _lines(starter):
        told = _told(retracing, line)
        assert told.stopped == ""
        ledger = ledgers[line["sample"], line["repeat"], line["condition"]]
        for call in line["calls"]:
            changes = told.calls.get(call["index"], [])
            paths = [change.path for change in changes]
            assert paths == sorted(set(paths), key=paths.index)
            asked = (line["sample"], msgspec.json.encode([call["tool"], call["arguments"]]).decode())
            row = ledger.get(call["index"])
            if line["condition"] == "E0":
                clean[asked] = paths
            elif row is not None and row.effect == "none":
                assert not changes, "the workplace was not asked"
            elif row is not None and row.effect == "twice":
                assert changes and asked in clean
                kinds["twice"] = kinds.get("twice", 0) + (len(paths) > len(clean[asked]))
            elif row is not None and row.effect == "partly":
                assert changes and not set(row.lost) & set(paths)
                kinds["partly"] = kinds.get("partly", 0) + 1
            elif row is not None and row.kind == "lost_acknowledgement":
                assert changes
                kinds["lost"] = kinds.get("lost", 0) + 1
            for change in changes:
                assert change.before != change.after
    assert kinds["twice"] and sum(kinds.values()) >= 3, kinds


@pytest.mark.parametrize(
    ("spoil", "told_of", "why"),
    [
        (lambda line: line["final_state"].update(clock="1999-01-01"), 0, "ends in another state"),
        (lambda line: line["calls"][-1]["observation"].update(content={"other": 1}), 1, "answered otherwise"),
        (lambda line: line.update(sample="lab-99"), 0, "no task of the suite"),
        (lambda line: line.update(condition="E9"), 0, "settings.faults: holds no condition E9"),
        (lambda line: line.update(calls=[{"index": "x"}]), 0, "shape"),
        (lambda line: line["calls"].pop(), 0, "ends in another state"),
    ],
)
def test_what_is_not_sure_is_not_told(
    starter: Path, spoil: Callable[[JsonObject], Any], told_of: int, why: str
) -> None:
    retracing = _retracing(open_run(starter))
    # One whose last call writes, and not that alone.
    line = next(
        line
        for line in _lines(starter)
        if line["condition"] == "E0"
        and line["sample"].startswith("lab")
        and len(calls := _told(retracing, line).calls) > 1
        and line["calls"][-1]["index"] in calls
    )
    spoil(line)
    told = _told(retracing, line)
    assert why in told.stopped and bool(told.calls) == bool(told_of)


def test_what_a_policy_or_a_human_answered_is_passed_over(tmp_path: Path) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text("name: p\nmode: enforce\nrules: [{name: no-new, rule: forbid, tool: issue_refund}]", "utf-8")
    words = ("starter", "--tasks", "returns-00-returns-04", "--request-human")
    folder = _run(tmp_path / "run", *words, "--policy", policy)
    retracing = _retracing(open_run(folder))
    refused = human = 0
    for line in _lines(folder):
        assert _told(retracing, line).stopped == ""
        refused += sum(call["observation"]["origin"] == "refusal" for call in line["calls"])
        human += sum(call["tool"] == "request_human" for call in line["calls"])
    assert refused


def test_a_shift_shows_its_records_and_not_its_future(tmp_path: Path) -> None:
    words = ("shifts", "--desk", "service_desk", "--length", "short", "--variant", "0", "--faults", "E0,E3")
    run = open_run(_run(tmp_path / "run", *words))
    retracing = _retracing(run)
    for line in _lines(run.folder):
        told = _told(retracing, line)
        paths = {change.path for changes in told.calls.values() for change in changes}
        assert told.stopped == "" and any(path.startswith("/tickets/") for path in paths)
        assert not any(path.startswith(("/log", "/time/waiting")) for path in paths)
    # Calls alone do not lead through the same day where thinking took time.
    suite = find_suite_of(run.manifest)
    settings, data = run.manifest.settings, run.manifest.data
    for changed in ({"settings": settings | {"wall": 1.0}}, {"data": data | {"folder": "desks"}}):
        assert suite.retracing(StoredRun(run.folder, msgspec.structs.replace(run.manifest, **changed), [])) is None
    # Too much for a report of all samples; who looks at one waits for it.
    (shown,) = open_report([run.folder], "t").runs
    assert not [name for name in RunData(shown).names() if "/c" in name]
    served = RunData(shown, is_served=True)
    assert b"/tickets/" in served.file("run/c0") and b'"changes":true' in served.file("run/run")


@needs_sandbox
def test_code_of_a_folder_of_ones_own_is_locked_in(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "ledger-trial")
    folder = _run(tmp_path / "run", suite, "--faults", "E0,E2")
    (shown,) = open_report([folder], "t").runs
    assert b"/claims/" in RunData(shown, is_served=True).file("run/c0")
    assert [name for name in RunData(shown).names() if "/c" in name] == []
    # Whatever a run says of its code: looking at it is no leave to run that with all rights.
    marker, tools = tmp_path / "marker", suite / "workplaces" / "ledger" / "tools.py"
    tools.write_text(f"open({str(marker)!r}, 'w').close()\n{tools.read_text('utf-8')}", "utf-8")
    trusted = msgspec.structs.replace(shown.run.manifest, data={**shown.run.manifest.data, "trusted": True})
    run = StoredRun(folder, trusted, shown.run.records)
    served = RunData(replace(shown, run=run), is_served=True)
    assert b"open" in served.file("run/c0") and b"/claims/" not in served.file("run/c0")
    assert not marker.exists()
    suite.rename(tmp_path / "elsewhere")
    assert b'"changes":false' in RunData(shown, is_served=True).file("run/run")


def test_reports_hold_the_changes_of_quick_workplaces(starter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (shown,) = open_report([starter], "t").runs
    data = RunData(shown)
    files = [name for name in data.names() if "/c" in name]
    assert len(files) == len(data.firsts)
    with pytest.raises(KeyError):
        data.file(f"starter/c{len(files)}")
    # Who sends a run does not decide how long a report of it takes.
    with monkeypatch.context() as few:
        few.setattr(run_data, "RETRACED", 1)
        assert data.file("starter/c0").count(b"see `worktrial view`") == data.samples_in("starter/t0") - 1
    assert (starter / SAMPLES).read_bytes().count(b"\n") == sum(data.file(f).count(b'"calls') for f in files)
