"""`worktrial synthesize` from a job to a suite, at a scripted endpoint."""

from pathlib import Path

import pytest
from tests.support.behaviours import Says
from tests.support.cli import Ran, Word, command, holding, lines_of
from tests.support.combinators import First, When
from tests.support.happy import verdict
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.synthesis.small_author import models, small

from worktrial.synthesis.artifacts import JobSpec
from worktrial.synthesis.files import read_yaml_as, to_yaml
from worktrial.workplaces.loading.folder import from_folder

SIZE: tuple[Word, ...] = ("--subtopics", 2, "--levels", "1,3")


def synthesize(server: ScriptedServer, suite: Path, *words: Word) -> Ran:
    return command("synthesize", "--job", "parcel clerk", *models(server.url), *SIZE, "-o", suite, *words)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_one_command_makes_a_suite_and_the_folder_alone_resumes_it(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    with ScriptedServer(small(burst_429=3)) as server:
        ran = synthesize(server, suite)
        assert ran.code == 0, ran.said
        assert ran.err.index("Estimate of what is left") < ran.err.index("slots done")
        for said in (
            "4 slots",
            "2 selected",
            "solvable: 100%",
            "discriminative: 50%",
            "Review page:",
            "worktrial run",
        ):
            assert said in ran.said
        asked = server.count()
        again = command("synthesize", "-o", suite)
        assert (again.code, server.count()) == (0, asked), again.said
        assert "Nothing is left to ask for." in again.err
        assert "Changed" not in again.err
    tasks = lines_of(suite / "tasks.jsonl")
    assert [task["id"] for task in tasks] == ["handing-out-parcels-3", "weighing-freight-3"]
    for task in tasks:
        assert (task["difficulty"], task["language"], task["domain"]) == (3, "en", "parcel clerk")
        assert [step["tool"] for step in task["plan"]][:2] == ["get_parcel", "hand_out"]
        assert from_folder(suite / "workplaces" / task["workplace"]).tool("hand_out") is not None
    head = read_yaml_as(suite / "suite.yaml", dict)
    assert (head["format"], head["kind"], head["role"], head["tasks"]) == (
        1,
        "suite",
        "parcel clerk",
        "tasks.jsonl",
    )
    assert head["counts"]["selected"]["count"] == 2
    calibrations = {row["slot"]: row for row in lines_of(suite / "calibration.jsonl")}
    assert len(calibrations) == 4
    assert all(row["verdict"] == "kept" and row["free"]["n"] for row in calibrations.values())
    assert [row["stage"] for row in lines_of(suite / "rejects.jsonl")] == ["selection"] * 2
    assert lines_of(suite / "repairs.jsonl") == []
    records = {row["file"]: row for row in lines_of(suite / "provenance.jsonl")}
    task = records["work/drafts/weighing-freight-3/task.yaml"]
    workplace = records["work/drafts/weighing-freight-3/workplace"]
    assert task["made_from"]["work/drafts/weighing-freight-3/workplace"] == workplace["hash"]
    assert [row["end"] for row in lines_of(suite / "work" / "sessions.jsonl")] == ["done", "done"]


def test_an_edited_rubric_is_kept_and_only_its_runs_are_made_again(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    slot = "weighing-freight-3"
    with ScriptedServer(small()) as server:
        synthesize(server, suite)
        before = {path.name: path.read_bytes() for path in (suite / "work" / "runs").iterdir()}
        written = server.count("synthesizer")
        edit(suite / "work" / "drafts" / slot / "task.yaml", "1. Parcel P-1 is handed_out.", "1. P-1 has left.")
        ran = command("synthesize", "-o", suite)
        assert ran.code == 0, ran.said
        assert server.count("synthesizer") == written
        for path in (suite / "work" / "runs").iterdir():
            assert (path.read_bytes() == before[path.name]) == (path.stem != slot)
    [task] = [task for task in lines_of(suite / "tasks.jsonl") if task["id"] == slot]
    assert task["rubric"].startswith("1. P-1 has left.")
    assert lines_of(suite / "provenance.jsonl")[-1]["edited"]


def test_an_edited_workplace_makes_its_task_again(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    slot = "weighing-freight-3"
    with ScriptedServer(small()) as server:
        synthesize(server, suite)
        written = server.count("synthesizer")
        edit(
            suite / "work" / "drafts" / slot / "workplace" / "system_prompt.md",
            "A parcel is handed out once.",
            "A parcel is handed out only once.",
        )
        assert command("synthesize", "-o", suite).code == 0
        # One request: the task; of the other slots nothing depends on it.
        assert server.count("synthesizer") == written + 1
    assert "only once" in (suite / "workplaces" / slot / "system_prompt.md").read_text()


def test_a_damaged_edit_is_named_and_costs_nothing(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    with ScriptedServer(small()) as server:
        synthesize(server, suite)
        asked = server.count()
        edit(suite / "work" / "drafts" / "weighing-freight-3" / "task.yaml", "level: 3", "level: nine")
        ran = command("synthesize", "-o", suite)
        assert (ran.code, server.count()) == (2, asked)
        assert "weighing-freight-3/task.yaml" in ran.said
        assert "$.level" in ran.said


def test_changed_settings_are_shown_and_only_what_depends_on_them_is_made_again(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    with ScriptedServer(small()) as server:
        synthesize(server, suite)
        written = server.count("synthesizer")
        ran = command("synthesize", "-o", suite, "--levels", "1,2,3")
        assert ran.code == 0, ran.said
        assert "levels: [1, 3] -> [1, 2, 3]" in ran.err
        # A workplace and a task for each sub-topic.
        assert server.count("synthesizer") == written + 4
        worked = server.count("agent")
        ran = command("synthesize", "-o", suite, "--votes", 1)
        assert "votes: 3 -> 1" in ran.err
        assert (server.count("synthesizer"), server.count("agent") > worked) == (written + 4, False), ran.said
        ran = command("synthesize", "-o", suite, "--agent", "agent-2")
        assert "agent: agent-1 -> agent-2" in ran.err
        assert (server.count("synthesizer"), server.count("agent") > worked) == (written + 4, True)
    assert read_yaml_as(suite / "work" / "spec.yaml", JobSpec).levels == [1, 2, 3]


def test_a_spec_file_and_a_second_language(tmp_path: Path) -> None:
    suite, spec = tmp_path / "suite", tmp_path / "job.yaml"
    spec.write_text(to_yaml(JobSpec(role="parcel clerk", domain="Post", subtopics=1, levels=[1])))
    with ScriptedServer(small()) as server:
        assert command("synthesize", "--spec", spec, *models(server.url), "-o", suite).code == 0
        written = server.count("synthesizer")
        ran = command("synthesize", "-o", suite, "--languages", "en,ko")
        assert ran.code == 0, ran.said
        assert server.count("synthesizer") == written + 2
    tasks = lines_of(suite / "tasks.jsonl")
    assert [(task["id"], task["language"], task["domain"]) for task in tasks] == [
        ("handing-out-parcels-1", "en", "Post"),
        ("handing-out-parcels-1-ko", "ko", "Post"),
    ]


def test_drafts_can_be_looked_at_before_anything_is_run(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    with ScriptedServer(small()) as server:
        ran = synthesize(server, suite, "--until", "drafts")
        assert (ran.code, server.count("agent")) == (0, 0), ran.said
        assert "4 of 4 tasks are drafted" in ran.said
        assert not (suite / "suite.yaml").exists()
        assert synthesize(server, suite).code == 0
    assert (suite / "suite.yaml").exists()


def test_review_stops_after_the_drafts_and_after_the_repairs(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    with ScriptedServer(small()) as server:
        drafts = synthesize(server, suite, "--review")
        assert (drafts.code, server.count("agent"), "then go on with" in drafts.said) == (0, 0, True), drafts.said
        page = suite / "work" / "review" / "index.html"
        assert str(page) in drafts.said.replace(" ", "")
        assert page.exists()
        repairs = synthesize(server, suite, "--review")
        assert (repairs.code, "then go on with" in repairs.said) == (0, True), repairs.said
        assert server.count("agent") > 0
        assert not (suite / "suite.yaml").exists()
        asked = server.count()
        done = synthesize(server, suite, "--review")
        assert (done.code, "worktrial run" in done.said, server.count()) == (0, True, asked), done.said
    assert (suite / "suite.yaml").exists()


def test_no_task_at_all_is_an_exit_of_its_own(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    failing = Script(
        synthesizer=small().synthesizer, agent=small().agent, judge=lambda request: verdict(False, "Not met.")
    )
    with ScriptedServer(failing) as server:
        ran = synthesize(server, suite, "--repairs", 0, "--subtopics", 1)
        assert ran.code == 3, ran.said
        assert "No task was selected" in ran.said
        assert "-2 unsolvable" in ran.said
        assert not (suite / "suite.yaml").exists()
    assert {row["verdict"] for row in lines_of(suite / "calibration.jsonl")} == {"unsolvable"}
    assert len(lines_of(suite / "rejects.jsonl")) == 2


def test_a_job_that_the_model_cannot_divide_ends_with_a_reason(tmp_path: Path) -> None:
    with ScriptedServer(Script(synthesizer=Says("I would rather not."))) as server:
        ran = synthesize(server, tmp_path / "suite")
        assert (ran.code, server.count()) == (3, 3), ran.said
        assert "sub-topics could not be written" in ran.said
        again = command("synthesize", "-o", tmp_path / "suite")
        assert (again.code, server.count()) == (3, 3)


def test_a_slot_without_a_usable_draft_is_rejected_and_the_others_go_on(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    # The tasks of one sub-topic: their prompts show its title and the tools.
    of_freight = When(
        lambda r: "Weighing freight" in str(r.messages[0]) and "hand_out" in str(r.messages[0]), Says("I cannot.")
    )
    with ScriptedServer(small(of_freight)) as server:
        ran = synthesize(server, suite)
        assert ran.code == 0, ran.said
        asked = server.count()
        assert command("synthesize", "-o", suite).code == 0
        assert server.count() == asked
    rejects = [row for row in lines_of(suite / "rejects.jsonl") if row["stage"] == "author"]
    assert [row["slot"] for row in rejects] == ["weighing-freight-1", "weighing-freight-3"]
    assert all("could not be used" in row["why"] for row in rejects)
    assert "-2 author: no usable draft could be written" in ran.said
    assert [task["id"] for task in lines_of(suite / "tasks.jsonl")] == ["handing-out-parcels-3"]


def test_no_key_is_stored_or_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "sk-quite-secret-5678"
    monkeypatch.setenv("SYNTH_KEY", key)
    suite = tmp_path / "suite"
    leaking = First(Says(f"no: {key}"), times=2)
    with ScriptedServer(small(leaking)) as server:
        ran = synthesize(server, suite, "--api-key-env", "SYNTH_KEY")
        assert ran.code == 0, ran.said
        assert server.requests[0].headers["Authorization"] == f"Bearer {key}"
    assert key not in ran.out + ran.err
    assert holding(suite, [key]) == []
