"""A line of `samples.jsonl` is a public record: these fields, these types."""

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.behaviours import Status
from tests.support.cli import at, by_sample, command, samples_of
from tests.support.combinators import When
from tests.support.judge_behaviours import Verdict
from tests.support.occubench import TinyRelease
from tests.support.run_files import work_of
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

FIELDS: dict[str, Any] = {
    "suite": str,
    "sample": str,
    "repeat": int,
    "condition": str,
    "outcome": str,
    "reason": str,
    "votes": list,
    "checks": list,
    "usage": dict,
    "cost": float | int | None,
    "seconds": float,
    "calls": int,
    "turns": int,
    "stop_reason": str | None,
    "answered_by": str | None,
    "fault_plan": list,
    "fault_ledger": list,
    "fault_misses": list,
    "simulation": dict | None,
    "violations": list,
    "context": dict | None,
    "clock": str | None,
    "measures": dict,
    "tags": dict,
    "replayed": int,
    "finished": str,
    "work": list | None,
}
VOTE: dict[str, Any] = {
    "is_correct": bool | None,
    "feedback": str | None,
    "attempts": int,
    "raw": list,
    "problem": str | None,
    "reason": str | None,
    "probability": float | None,
}
USAGE: dict[str, Any] = {
    "requests": int,
    "input_tokens": int,
    "output_tokens": int,
    "cached_tokens": int,
    "stored_tokens": int,
    "cost": float | int | None,
    "replayed": int,
    "replayed_cost": float | int | None,
}
TAGS: dict[str, Any] = dict.fromkeys(("category", "domain", "scenario", "workplace", "language"), str)


def _has(record: dict[str, Any], fields: dict[str, Any]) -> None:
    assert record.keys() == fields.keys()
    for name, kind in fields.items():
        assert isinstance(record[name], kind), (name, record[name])
        assert kind is not int or not isinstance(record[name], bool)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two repeats with a pass, a failure, an outage of the simulator, and a task that cannot be set up."""
    folder = tmp_path_factory.mktemp("record")
    release = TinyRelease()
    release.task(7)["env_name"] = "env_none"
    ferry = When(lambda request: "evening ferry" in request.last_user_text, Verdict(False))
    # Only the workplace of task 42 has items to find.
    outage = When(lambda request: "find_items" in request.last_user_text, Status(500))
    with ScriptedServer(Script(judge=ferry, simulator=outage)) as server:
        words = ["run", "occupations", "--data", release.write(folder / "data"), *at(server.url)]
        options = ["--repeats", 2, "--retries", 1, "--price", "1,2", "--simulator-price", "0,0"]
        assert command(*words, *options, "-o", folder / "run").code == 3
    return folder / "run"


def test_every_record_has_the_documented_fields(run: Path) -> None:
    records = samples_of(run)
    assert len(records) == 8
    for record in records:
        _has(record, FIELDS)
        assert (record["suite"], record["repeat"] in (0, 1)) == ("occupations", True)
        assert record["outcome"] in ("pass", "fail", "invalid")
        assert record["fault_plan"] == record["fault_ledger"] == record["checks"] == []
        assert dt.datetime.fromisoformat(record["finished"]).tzinfo is not None
        assert record["tags"].pop("difficulty") in (0, 1, 2, 3)
        _has(record["tags"], TAGS)
        for vote in record["votes"]:
            _has(vote, VOTE)
        for role, used in record["usage"].items():
            assert role in ("agent", "simulator", "judge")
            _has(used, USAGE)
        assert record["cost"] == pytest.approx(sum(u["cost"] for u in record["usage"].values()))


def test_each_outcome_says_how_it_came_about(run: Path) -> None:
    got = by_sample(run)
    assert {k: r["outcome"] for k, r in got.items()} == {
        "11": "pass",
        "108": "fail",
        "42": "invalid",
        "7": "invalid",
    }
    done = got["11"]
    assert (done["calls"], done["turns"], done["stop_reason"], len(done["votes"])) == (2, 3, "answered", 2)
    assert done["clock"].startswith("2026-03-02T")
    assert done["usage"]["simulator"]["cost"] == 0
    assert done["usage"]["agent"]["cost"] > 0
    broken_off = got["42"]
    assert broken_off["reason"].startswith("endpoint_unavailable: ")
    assert (broken_off["calls"], broken_off["turns"], broken_off["stop_reason"]) == (0, 1, None)
    assert set(broken_off["usage"]) == {"agent"}
    assert broken_off["clock"].startswith("2026-04-11T")
    never = got["7"]
    assert (never["usage"], never["votes"], never["cost"], never["clock"]) == ({}, [], 0, None)


def test_a_trajectory_for_every_sample_that_began(run: Path) -> None:
    lines = work_of(run)
    assert sorted((n["sample"], n["repeat"]) for n in lines) == [
        (s, n) for s in ("108", "11", "42") for n in (0, 1)
    ]
    fields = {
        "outcome",
        "reason",
        "instruction",
        "clock",
        "answer",
        "stop_reason",
        "messages",
        "calls",
        "final_state",
        "memory",
        "final_facts",
        "simulation",
    }
    for line in lines:
        assert line.keys() == {"suite", "sample", "repeat", "condition", *fields}
        assert line["messages"][1] == {"role": "user", "content": line["instruction"]}
    done = next(n for n in lines if n["sample"] == "11")
    assert done["answer"] == "The work is done."
    assert [c["index"] for c in done["calls"]] == [0, 1]
    for call in done["calls"]:
        assert call.keys() == {"index", "turn", "tool", "arguments", "observation", "seconds"}
        assert call["observation"]["origin"] == "simulator"
        assert call["observation"]["exchange"]
    broken_off = next(n for n in lines if n["sample"] == "42")
    assert (broken_off["outcome"], broken_off["calls"], len(broken_off["messages"])) == ("invalid", [], 3)


def test_the_manifest_says_what_the_run_was(run: Path) -> None:
    manifest = json.loads((run / "manifest.json").read_text())
    assert (manifest["suite"], manifest["samples"], len(manifest["data"]["fingerprint"])) == ("occupations", 8, 64)
    settings = manifest["settings"]
    assert settings["tasks"] == ["11", "42", "7", "108"]
    assert settings["roles"].keys() == {"agent", "simulator", "judge"}
    assert settings["roles"]["judge"]["model"] == "judge-1"
    [session] = manifest["sessions"]
    assert session["command"][:3] == ["worktrial", "run", "occupations"]
    assert (session["end"], session["tokens"] > 0, session["cost"] > 0) == ("done", True, True)
    files = {p.name for p in run.iterdir()} - {".lock"}
    assert files == {"manifest.json", "samples.jsonl", "work"}
