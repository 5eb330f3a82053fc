"""`worktrial regrade`: stored work, judged again."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from tests.support.behaviours import Status
from tests.support.cli import Ran, at, by_sample, command, interrupt, outcomes, samples_of, start
from tests.support.combinators import When
from tests.support.judge_behaviours import Verdict
from tests.support.occubench import TinyRelease
from tests.support.run_files import set_work, work_of
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.votes import without_code_line

NO = Script(judge=Verdict(False))


def _run(folder: Path, *more: Any, script: Script | None = None, code: int = 0) -> list[str]:
    """A run in `folder/run`; returns the judge's prompts in a stable order."""
    data = folder / "data"
    if not data.exists():
        TinyRelease().write(data)
    with ScriptedServer(script or Script()) as server:
        ran = command("run", "occupations", "--data", data, *at(server.url), "-o", folder / "run", *more)
        assert ran.code == code, ran.err
        return _judged(server)


def _judged(server: ScriptedServer) -> list[str]:
    """What the judge was shown, without the code of each vote."""
    return sorted({without_code_line(r.messages) for r in server.requests if r.role == "judge"})


def _again(folder: Path, url: str, *more: Any, to: str = "again", judge: str = "judge-2") -> Ran:
    words = ["regrade", folder / "run", "--data", folder / "data", "--base-url", url, "--judge", judge]
    return command(*words, "-o", folder / to, *more)


def test_another_judge_without_the_agent(tmp_path: Path) -> None:
    asked = _run(tmp_path, "--faults", "all", "--fault-duration", 1)
    with ScriptedServer(NO) as server:
        ran = _again(tmp_path, server.url, "--votes", 1)
        assert ran.code == 0, ran.err
        assert server.count("judge") == server.count() == 16
        # The judge is shown exactly what the first one was shown.
        assert _judged(server) == asked
    assert "16 of 16 outcomes differ" in ran.said
    assert "pass -> fail: 16" in ran.said
    assert "not comparable" in ran.said
    assert 'judge.model: "judge-1" -> "judge-2"' in ran.said
    assert "judge.votes: 3 -> 1" in ran.said
    assert "simulator" not in ran.said.split("not comparable")[1]
    before = {(r["sample"], r["condition"]): r for r in samples_of(tmp_path / "run")}
    after = {(r["sample"], r["condition"]): r for r in samples_of(tmp_path / "again")}
    assert before.keys() == after.keys()
    for key, record in after.items():
        same = before[key]
        assert record.keys() == same.keys()
        for field in ("calls", "turns", "stop_reason", "clock", "tags", "fault_plan", "fault_ledger"):
            assert record[field] == same[field]
        assert (record["outcome"], len(record["votes"]), set(record["usage"])) == ("fail", 1, {"judge"})
    assert any(record["fault_ledger"] for record in after.values())
    work = {(n["sample"], n["condition"]): n["messages"] for n in work_of(tmp_path / "run")}
    for line in work_of(tmp_path / "again"):
        assert line["messages"] == work[line["sample"], line["condition"]]
        assert line["outcome"] == "fail"


def test_the_manifest_names_its_source_and_its_settings(tmp_path: Path) -> None:
    _run(tmp_path, "--memory", "ledger", "--votes", 5)
    with ScriptedServer() as server:
        ran = _again(tmp_path, server.url, judge="judge-1")
        assert ran.code == 0, ran.err
        assert "0 of 4 outcomes differ" in ran.said
        assert "not comparable" not in ran.said
        manifest = json.loads((tmp_path / "again/manifest.json").read_text())
        assert manifest["data"]["source_run"] == str(tmp_path / "run")
        settings = manifest["settings"]
        assert (settings["agent"], settings["memory"], settings["votes"]) == ("agent-1", "ledger", 5)
        assert settings["carried_roles"]["simulator"]["model"] == "simulator-1"
        assert settings["roles"].keys() == {"judge"}
        assert len(settings["regraded"]["source"]) == 64
        # Nothing is left to do, and a changed source is another run.
        asked = server.count()
        assert _again(tmp_path, server.url, judge="judge-1").code == 0
        assert server.count() == asked
        first, *_ = (tmp_path / "run/samples.jsonl").read_bytes().splitlines()
        with (tmp_path / "run/samples.jsonl").open("ab") as file:
            file.write(first.replace(b'"calls":2', b'"calls":9') + b"\n")
        changed = _again(tmp_path, server.url, judge="judge-1")
    assert changed.code == 2
    assert "work.source: " in changed.err
    # What was judged again can be judged again.
    with ScriptedServer() as server:
        third = command(
            *("regrade", tmp_path / "again", "--data", tmp_path / "data", "--judge", "judge-2"),
            *("--base-url", server.url, "-o", tmp_path / "third"),
        )
    assert third.code == 0, third.err
    assert "carried_roles" in (tmp_path / "third/manifest.json").read_text()


def test_other_rubrics(tmp_path: Path) -> None:
    _run(tmp_path)
    rubrics = tmp_path / "rubrics.jsonl"
    rubrics.write_text(json.dumps({"sample": "42", "rubric": "Was it the copper astrolabe?"}) + "\n\n")
    with ScriptedServer() as server:
        assert (ran := _again(tmp_path, server.url, "--rubric", rubrics, judge="judge-1")).code == 0, ran.err
        assert "judge.rubrics" in ran.said
        prompts = _judged(server)
    assert sum("copper astrolabe" in p for p in prompts) == 1
    assert sum("brass sextant" in p and "copper astrolabe" in p for p in prompts) == 1
    for text, said in (
        ('{"sample": "43", "rubric": "x"}', "no sample 43"),
        ('{"sample": "42", "rubric": " "}', "blank"),
        ('{"sample": "42"}', "rubrics.jsonl:1"),
        ('{"sample": "42", "rubric": "x"}\n{"sample": "42", "rubric": "y"}', "rubrics.jsonl:2"),
        ("", "holds no rubric"),
        ("nonsense", "rubrics.jsonl:1"),
    ):
        rubrics.write_text(text)
        refused = _again(tmp_path, "http://127.0.0.1:9/v1", "--rubric", rubrics, to="other")
        assert refused.code == 2
        assert said in refused.said
        assert not (tmp_path / "other").exists()


def test_work_without_an_end_stays_invalid(tmp_path: Path) -> None:
    release = TinyRelease()
    release.task(7)["env_name"] = "env_none"
    release.write(tmp_path / "data")
    outage = When(lambda request: "find_items" in request.last_user_text, Status(500))
    no_vote = When(lambda request: "evening ferry" in request.last_user_text, Status(500))
    _run(tmp_path, "--retries", 1, script=Script(simulator=outage, judge=no_vote), code=3)
    assert outcomes(tmp_path / "run") == {"11": "pass", "42": "invalid", "7": "invalid", "108": "invalid"}
    with ScriptedServer() as server:
        ran = _again(tmp_path, server.url)
        assert ran.code == 3
        assert "invalid -> pass: 1" in ran.said
    # Only the judge had failed on 108, so its work can be judged now.
    assert outcomes(tmp_path / "again") == {"11": "pass", "42": "invalid", "7": "invalid", "108": "pass"}
    got = by_sample(tmp_path / "again")
    assert got["42"]["reason"].startswith("task_data: the source run holds no finished work")
    assert "endpoint_unavailable" in got["42"]["reason"]
    assert got["42"]["turns"] == 1


def test_a_damaged_trajectory_spoils_one_sample(tmp_path: Path) -> None:
    _run(tmp_path)
    lines = work_of(tmp_path / "run")
    lines[0]["calls"] = "gone"
    set_work(tmp_path / "run", lines)
    with ScriptedServer() as server:
        ran = _again(tmp_path, server.url)
        assert ran.code == 3
        got = by_sample(tmp_path / "again")
        assert "not a trajectory" in got[lines[0]["sample"]]["reason"]
        assert sum(r["outcome"] == "pass" for r in got.values()) == 3
        set_work(tmp_path / "run", [b"{", *lines[1:]])
        assert _again(tmp_path, server.url, to="other").code == 3
        got = by_sample(tmp_path / "other")
        assert "0001.jsonl, byte 0: damaged record" in got[lines[0]["sample"]]["reason"]


def test_other_data_is_refused_unless_forced(tmp_path: Path) -> None:
    _run(tmp_path)
    release = TinyRelease()
    release.task(11)["verification_plan"] = "Corrected."
    release.tasks.remove(release.task(108))
    release.write(tmp_path / "data")
    with ScriptedServer() as server:
        ran = _again(tmp_path, server.url)
        assert (ran.code, server.count()) == (2, 0)
        assert "--force" in ran.err
        forced = _again(tmp_path, server.url, "--force", "--max-invalid", 0.5)
        assert forced.code == 0, forced.err
    assert "data: " in forced.said.split("not comparable")[1]
    assert by_sample(tmp_path / "again")["108"]["reason"] == "task_data: the data has no such task"


def test_an_interrupted_regrade_goes_on(tmp_path: Path) -> None:
    _run(tmp_path, "--repeats", 5)
    with ScriptedServer(Script(latency={"judge": 0.05})) as server:
        words = [
            "regrade",
            tmp_path / "run",
            "--data",
            tmp_path / "data",
            "--judge",
            "judge-2",
            "-o",
            tmp_path / "again",
        ]
        words += ["--base-url", server.url, "--concurrency", 1]
        ran = interrupt(start(*words), signal.SIGINT, tmp_path / "again/samples.jsonl", 3)
        assert ran.code == 130
        assert "Resume with" in ran.err
        stored = len(samples_of(tmp_path / "again"))
        assert 3 <= stored < 20
        spent = command(*words, "--max-tokens", 10)
        assert spent.code == 130
        assert command(*words).code == 0
    assert len(samples_of(tmp_path / "again")) == 20


def test_the_starter_suite_is_checked_by_code_again(tmp_path: Path) -> None:
    run, again = tmp_path / "run", tmp_path / "again"
    assert command("run", "starter", "--agent", "plan", "--limit", 3, "-o", run).code == 0
    ran = command("regrade", run, "-o", again)
    assert ran.code == 0, ran.err
    assert "0 of 3 outcomes differ" in ran.said
    assert "not comparable" not in ran.said
    before, after = by_sample(run), by_sample(again)
    assert {k: r["checks"] for k, r in before.items()} == {k: r["checks"] for k, r in after.items()}
    with ScriptedServer(NO) as server:
        words = ["--judge", "judge-2", "--base-url", server.url, "-o", tmp_path / "voted"]
        assert command("regrade", run, *words).code == 0
    for record in samples_of(tmp_path / "voted"):
        assert record["outcome"] == "pass"
        assert [v["is_correct"] for v in record["votes"]] == [False, False]


def test_the_checks_look_at_the_stored_work(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert command("run", "starter", "--agent", "plan", "--limit", 1, "-o", run).code == 0
    set_work(run, [{**line, "answer": "Nothing to report."} for line in work_of(run)])
    ran = command("regrade", run, "-o", tmp_path / "again")
    assert "1 of 1 outcomes differ" in ran.said
    assert "pass -> fail: 1" in ran.said


def test_what_makes_no_sense(tmp_path: Path) -> None:
    _run(tmp_path)
    run, data = tmp_path / "run", tmp_path / "data"
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "manifest.json").write_bytes((run / "manifest.json").read_bytes())
    starter = tmp_path / "starter"
    assert command("run", "starter", "--agent", "plan", "--limit", 1, "-o", starter).code == 0
    judge = ["--judge", "judge-2", "--base-url", "http://127.0.0.1:9/v1"]
    cases: list[tuple[list[Any], str]] = [
        ([run, "--data", data], "--judge MODEL"),
        ([run, *judge], "missing: --data"),
        ([run, "--data", data, *judge, "-o", run], "name another folder"),
        ([tmp_path / "none", *judge], "no such folder"),
        ([data, *judge], "manifest.json"),
        ([empty, "--data", data, *judge], "no sample has finished"),
        ([starter, "--rubric", tmp_path / "r.jsonl"], "--judge MODEL"),
        ([run, "--data", data, *judge, "--rubric", tmp_path / "r.jsonl"], "r.jsonl"),
    ]
    for words, said in cases:
        ran = command("regrade", *words)
        assert ran.code == 2, (words, ran)
        assert said in ran.said, ran.err


@pytest.mark.parametrize("missing", [1, 3])
def test_an_unfinished_run_is_said_to_be_one(missing: int, tmp_path: Path) -> None:
    _run(tmp_path)
    path = tmp_path / "run/samples.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[missing:]))
    with ScriptedServer() as server:
        ran = _again(tmp_path, server.url)
    assert ran.code == 0, ran.err
    assert f"{missing} samples are still to come" in ran.err
    assert len(samples_of(tmp_path / "again")) == 4 - missing
