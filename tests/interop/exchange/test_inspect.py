"""Logs of Inspect: members of the archive have the reader's form, and come back as they were.

The reader itself checks them in `make test-interop`; here its fields are written down as far as we fill them.
"""

import json
import zipfile
from pathlib import Path
from typing import Any

from tests.support.cli import command
from tests.support.made_runs import make_run
from tests.support.odd_work import odd_run
from tests.support.same_run import figures_shown

from worktrial.engine.stored import open_run

DATA = Path(__file__).parents[2] / "data"
# Fields that inspect-ai 0.3.285 requires, and the kinds of its events and messages.
NEEDED = {
    "sample": {"id", "epoch", "input", "target"},
    "model": {"event", "timestamp", "working_start", "model", "input", "tools", "tool_choice", "config", "output"},
    "tool": {"event", "timestamp", "working_start", "id", "function", "arguments", "result"},
    "info": {"event", "timestamp", "working_start", "data"},
    "score": {"event", "timestamp", "working_start", "score"},
    "error": {"event", "timestamp", "working_start", "error"},
}


def members(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name: json.loads(archive.read(name)) for name in archive.namelist()}


def check(path: Path) -> list[dict[str, Any]]:
    found = members(path)
    header = found.pop("header.json")
    start = found.pop("_journal/start.json")
    assert (header["version"], header["status"]) == (2, "success")
    assert start["eval"] == header["eval"]
    assert {"created", "task", "dataset", "model", "config"} <= header["eval"].keys()
    summaries = found.pop("summaries.json")
    assert {f"samples/{s['id']}_epoch_{s['epoch']}.json" for s in summaries} == found.keys()
    for sample in found.values():
        assert sample.keys() >= NEEDED["sample"]
        pool = sample["events_data"]["messages"]
        assert pool == sample["messages"]
        assert len({m["id"] for m in pool}) == len(pool)
        for message in pool:
            assert message["role"] in ("system", "user", "assistant", "tool")
        for event in sample["events"]:
            assert event.keys() >= NEEDED[event["event"]]
            for first, end in event.get("input_refs", []):
                assert 0 <= first <= end <= len(pool)
        assert bool(sample["scores"]) != ("error" in sample)
    return [*found.values()]


def runs(folder: Path) -> list[Path]:
    return [
        odd_run(folder / "odd"),
        make_run(
            folder / "hostile", tasks=6, hostile=True, seed=2, conditions=("E0", "E2"), invalid=0.3, repeats=2
        ),
        DATA / "runs" / "starter",
        DATA / "runs" / "occupations",
        DATA / "runs" / "documents",
    ]


def test_every_kind_of_run_has_the_form(tmp_path: Path) -> None:
    for run in runs(tmp_path / "runs"):
        out = tmp_path / "out" / run.name
        ran = command("export", run, "--format", "inspect", "-o", out)
        assert ran.code == 0, ran.err
        records = open_run(run).records
        logs = sorted(out.iterdir())
        assert {log.name for log in logs} == {f"{run.name}.{r.condition.replace('/', '-')}.eval" for r in records}
        assert sum(len(check(log)) for log in logs) == len(records)


def test_conditions_are_never_mixed_and_figures_have_their_interval(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", tasks=12, conditions=("E0", "E2/3x1"), invalid=0.2, seed=5)
    command("export", run, "--format", "inspect", "-o", tmp_path / "out")
    for log in (tmp_path / "out").iterdir():
        header = members(log)["header.json"]
        condition = header["eval"]["metadata"]["condition"]
        shown = figures_shown(run, condition)
        [score] = header["results"]["scores"]
        metrics = {name: metric["value"] for name, metric in score["metrics"].items()}
        for figure in shown:
            assert metrics.get(figure["name"]) == figure["value"]
            assert metrics.get(f"{figure['name']}_low") == figure["low"]
        assert metrics["completion_low"] < metrics["completion"] < metrics["completion_high"]
        records = [r for r in open_run(run).records if r.condition == condition]
        assert metrics["completion"] == sum(r.outcome == "pass" for r in records) / len(records)
        assert header["eval"]["metadata"]["figures"] == shown
        counted = (header["results"]["total_samples"], score["unscored_samples"])
        assert counted == (len(records), sum(r.outcome == "invalid" for r in records))


def test_no_log_is_taken_for_a_retry_of_another(tmp_path: Path) -> None:
    two = [make_run(tmp_path / name, agent=name, tasks=2, conditions=("E0", "E2")) for name in ("one", "other")]
    command("export", *two, "--format", "inspect", "-o", tmp_path / "out")
    found = [members(log)["header.json"]["eval"]["task_id"] for log in (tmp_path / "out").iterdir()]
    assert len(set(found)) == len(found) == 4


def test_a_fault_is_an_event_after_the_call_it_spoilt(tmp_path: Path) -> None:
    odd_run(tmp_path / "run")
    command("export", tmp_path / "run", "--format", "inspect", "-o", tmp_path / "out")
    sample = members(tmp_path / "out" / "run.E2-3x2.eval")["samples/faulted_epoch_1.json"]
    assert [event["event"] for event in sample["events"]] == ["model", "tool", "info", "model", "score"]
    fault = sample["events"][2]["data"]
    assert (fault["fault"], fault["clean"], fault["call"]) == ("http_500", {"ok": 0}, sample["events"][1]["id"])
