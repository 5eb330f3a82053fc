"""`worktrial synthesize --workplace simulated` from a job to a suite, at a scripted endpoint."""

from pathlib import Path

import pytest
import yaml
from tests.support.behaviours import Says
from tests.support.cli import Ran, Word, command, holding, lines_of
from tests.support.combinators import First, When
from tests.support.happy import verdict
from tests.support.request import text_of
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.synthesis.small_author import models, small

from worktrial.synthesis.artifacts import JobSpec
from worktrial.synthesis.files import read_yaml_as
from worktrial.workplaces.loading.folder import from_folder

SIZE: tuple[Word, ...] = ("--tasks", 3, "--fresh-runs", 2)


def synthesize(server: ScriptedServer, suite: Path, *words: Word) -> Ran:
    return command("synthesize", "--job", "parcel clerk", *models(server.url), *SIZE, "-o", suite, *words)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def drafts(suite: Path) -> dict[str, bytes]:
    return {path.stem: path.read_bytes() for path in (suite / "work" / "drafts").glob("*.yaml")}


def runs(suite: Path) -> dict[str, bytes]:
    return {path.stem: path.read_bytes() for path in (suite / "work" / "runs").iterdir()}


def test_one_command_makes_a_suite_and_the_folder_alone_resumes_it(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    with ScriptedServer(small(burst_429=3)) as server:
        ran = synthesize(server, suite)
        assert ran.code == 0, ran.said
        assert ran.err.index("Estimate of what is left") < ran.err.index("3/3 tasks kept")
        for said in ("3 tasks (1 of level 1, 1 of level 2, 1 of level 3)", "Review page:", "--simulator MODEL"):
            assert said in ran.said
        # Nobody but author and judge says that these tasks are right.
        assert "Kept with no second witness: 3 of 3" in ran.said
        asked = server.count()
        again = command("synthesize", "-o", suite)
        assert (again.code, server.count()) == (0, asked), again.said
        assert "Nothing is left to ask for." in again.err
        assert "Changed" not in again.err
    tasks = lines_of(suite / "tasks.jsonl")
    assert [(task["id"], task["difficulty"]) for task in tasks] == [(f"parcel-clerk-{n:02d}", n) for n in (1, 2, 3)]
    workplace = from_folder(suite / "workplaces" / "parcel_clerk")
    assert workplace.tool("hand_out") is not None
    clauses = yaml.safe_load((suite / "clauses.yaml").read_text())
    for task in tasks:
        assert (task["language"], task["domain"], task["workplace"]) == ("en", "parcel clerk", "parcel_clerk")
        assert [step["tool"] for step in task["plan"]][:2] == ["get_parcel", "hand_out"]
    assert all(f"{clause['id']}. {clause['quote']}" in workplace.system_prompt for clause in clauses)
    head = read_yaml_as(suite / "suite.yaml", dict)
    assert (head["format"], head["kind"], head["role"], head["tasks"]) == (
        1,
        "suite",
        "parcel clerk",
        "tasks.jsonl",
    )
    assert head["counts"]["tasks"] == 3
    ends = lines_of(suite / "calibration.jsonl")
    assert {(end["fate"], end["truth"], end["fresh"]["n"]) for end in ends} == {("kept", "open", 2)}
    assert [len(end["clauses"]) for end in ends] == [1, 2, 3]
    records = {row["file"]: row for row in lines_of(suite / "provenance.jsonl")}
    task, workplace = records["work/drafts/parcel-clerk-02.yaml"], records["work/workplace.yaml"]
    assert task["made_from"]["work/workplace.yaml"] == workplace["hash"]
    assert [row["end"] for row in lines_of(suite / "work" / "sessions.jsonl")] == ["done", "done"]
    page = (suite / "work" / "review" / "tasks" / "parcel-clerk-03.html").read_text()
    for said in ("Parcel P-2 is handed_out.", "With the plan, run 1", "Fresh, run 1", "has shown a paper"):
        assert said in page


def test_the_suite_runs_and_passes_its_checks(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    with ScriptedServer(small()) as server:
        assert synthesize(server, suite, "--languages", "en,ko").code == 0
        tasks = lines_of(suite / "tasks.jsonl")
        assert [task["id"] for task in tasks][:2] == ["parcel-clerk-01", "parcel-clerk-ko-01"]
        assert command("lint", suite).code == 0
        run = tmp_path / "run"
        roles = [word for role in ("agent", "simulator", "judge") for word in (f"--{role}", f"{role}-1")]
        ran = command("run", suite, *roles, "--base-url", server.url, "--faults", "E0,E1", "-o", run)
        assert ran.code == 0, ran.said
        assert len(lines_of(run / "samples.jsonl")) == 12


def test_documents_give_the_clauses(tmp_path: Path) -> None:
    """Rules of the workplace are the owner's words, whatever the author writes."""
    suite, procedure = tmp_path / "suite", tmp_path / "procedure.md"
    quotes = [
        "A parcel is kept for 14 days and then returned.",
        "The holder shows an identity card before a parcel is handed out.",
        "A parcel above 500 euros is handed out by two clerks.",
    ]
    procedure.write_text("# Counter\n\n" + "\n\n".join(quotes) + "\n")

    def clauses(request):  # type: ignore[no-untyped-def]
        if "copy out its clauses" not in text_of(request.messages[0]):
            return None
        return {"clauses": [{"section": "1", "quote": quote, "kind": "obligation"} for quote in quotes]}

    from tests.support.wire import completion, json_text

    def author(request):  # type: ignore[no-untyped-def]
        said = clauses(request)
        return None if said is None else completion(json_text(said))

    with ScriptedServer(small(author)) as server:
        ran = synthesize(server, suite, "--document", procedure, "--context-tokens", 16_000, "--until", "drafts")
        assert ran.code == 0, ran.said
        asked = [text_of(request.messages[0]) for request in server.of("synthesizer")]
        assert not any("You write the working rules" in prompt for prompt in asked)
        stored = {clause["quote"]: clause["id"] for clause in yaml.safe_load((suite / "clauses.yaml").read_text())}
        assert set(stored) == set(quotes)
        assert (suite / "handbook").is_dir()
        # A clause that its owner changes makes the tasks again that cite it, and no other.
        before, written = drafts(suite), server.count("synthesizer")
        edit(suite / "clauses.yaml", "14 days", "21 days")
        edit(suite / "clauses.yaml", "'14'", "'21'")
        again = command("synthesize", "-o", suite, "--until", "drafts")
        assert again.code == 0, again.said
        citing = {name for name, text in before.items() if stored[quotes[0]] in text.decode()}
        new = [text_of(request.messages[0]) for request in server.of("synthesizer")[written:]]
        assert len(new) == len(citing) > 0 and all("21 days" in prompt for prompt in new)
        assert citing != set(before)


def test_an_edited_rubric_is_kept_and_only_its_runs_are_made_again(tmp_path: Path) -> None:
    suite, name = tmp_path / "suite", "parcel-clerk-02"
    with ScriptedServer(small()) as server:
        synthesize(server, suite)
        before, written = runs(suite), server.count("synthesizer")
        edit(suite / "work" / "drafts" / f"{name}.yaml", "1. Parcel P-1 is handed_out.", "1. P-1 has left.")
        ran = command("synthesize", "-o", suite)
        assert ran.code == 0, ran.said
        assert server.count("synthesizer") == written
        assert {task for task, rows in runs(suite).items() if rows != before[task]} == {name}
    [task] = [task for task in lines_of(suite / "tasks.jsonl") if task["id"] == name]
    assert task["rubric"].startswith("1. P-1 has left.")
    assert lines_of(suite / "provenance.jsonl")[-1]["edited"]


def test_an_edited_workplace_makes_its_tasks_again(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    with ScriptedServer(small()) as server:
        synthesize(server, suite)
        written = server.count("synthesizer")
        edit(suite / "work" / "workplace.yaml", "sets its status.", "sets its status at once.")
        assert command("synthesize", "-o", suite).code == 0
        assert server.count("synthesizer") == written + 3
    assert "at once" in (suite / "workplaces" / "parcel_clerk" / "workplace.yaml").read_text()


def test_a_damaged_edit_is_named_and_costs_nothing(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    with ScriptedServer(small()) as server:
        synthesize(server, suite)
        asked = server.count()
        edit(suite / "work" / "drafts" / "parcel-clerk-03.yaml", "level: 3", "level: nine")
        ran = command("synthesize", "-o", suite)
        assert (ran.code, server.count()) == (2, asked)
        assert "parcel-clerk-03.yaml" in ran.said
        assert "$.level" in ran.said


def test_an_edited_task_that_gives_itself_away_is_refused_by_name(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    with ScriptedServer(small()) as server:
        synthesize(server, suite)
        path = suite / "work" / "drafts" / "parcel-clerk-02.yaml"
        edit(path, "See that they leave", "First get_parcel, then hand_out, so that they leave")
        worked = server.count("agent")
        ran = command("synthesize", "-o", suite)
        assert ran.code == 0, ran.said
        ends = {end["task"]: end for end in lines_of(suite / "calibration.jsonl")}
        assert (ends["parcel-clerk-02"]["fate"], "get_parcel" in ends["parcel-clerk-02"]["why"]) == ("gate", True)
        assert server.count("agent") > worked, "another is drawn for it"
    assert "parcel-clerk-02" not in {task["id"] for task in lines_of(suite / "tasks.jsonl")}


def test_changed_settings_are_shown_and_only_what_depends_on_them_is_made_again(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    with ScriptedServer(small()) as server:
        synthesize(server, suite)
        written = server.count("synthesizer")
        ran = command("synthesize", "-o", suite, "--tasks", 4)
        assert ran.code == 0, ran.said
        assert "tasks: 3 -> 4" in ran.err
        assert server.count("synthesizer") == written + 1
        worked = server.count("agent")
        ran = command("synthesize", "-o", suite, "--votes", 1)
        assert "votes: 3 -> 1" in ran.err
        assert (server.count("synthesizer"), server.count("agent") > worked) == (written + 1, False), ran.said
        ran = command("synthesize", "-o", suite, "--agent", "agent-2")
        assert "agent: agent-1 -> agent-2" in ran.err
        assert (server.count("synthesizer"), server.count("agent") > worked) == (written + 1, True)
    assert read_yaml_as(suite / "work" / "spec.yaml", JobSpec).tasks == 4


def test_drafts_can_be_looked_at_before_anything_is_run(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    with ScriptedServer(small()) as server:
        ran = synthesize(server, suite, "--until", "drafts")
        assert (ran.code, server.count("agent")) == (0, 0), ran.said
        assert "3 tasks are drafted" in ran.said
        assert "Rubric" in (suite / "work" / "review" / "tasks" / "parcel-clerk-01.html").read_text()
        assert not (suite / "suite.yaml").exists()
        assert synthesize(server, suite).code == 0
    assert (suite / "suite.yaml").exists()


def test_no_task_at_all_is_an_exit_of_its_own(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    failing = Script(
        synthesizer=small().synthesizer, agent=small().agent, judge=lambda request: verdict(False, "Not met.")
    )
    with ScriptedServer(failing) as server:
        ran = synthesize(server, suite, "--tasks", 1)
        assert ran.code == 3, ran.said
        assert "No task was selected" in ran.said
        assert "no run with the plan passes: 4 of 4 fail" in ran.said
        assert not (suite / "suite.yaml").exists()
    assert [end["fate"] for end in lines_of(suite / "calibration.jsonl")] == ["truth", "truth"]
    assert not any(row["kind"] == "free" for path in (suite / "work" / "runs").iterdir() for row in lines_of(path))


def test_a_job_that_the_model_cannot_write_for_ends_with_a_reason(tmp_path: Path) -> None:
    with ScriptedServer(Script(synthesizer=Says("I would rather not."))) as server:
        ran = synthesize(server, tmp_path / "suite")
        assert (ran.code, server.count()) == (3, 3), ran.said
        assert "the workplace could not be written" in ran.said
        again = command("synthesize", "-o", tmp_path / "suite")
        assert (again.code, server.count()) == (3, 3)


def test_a_task_that_the_author_cannot_write_is_left_out_and_the_others_go_on(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    stubborn = When(lambda request: "It is of level 2 of 3" in text_of(request.messages[0]), Says("No."))
    with ScriptedServer(small(stubborn)) as server:
        ran = synthesize(server, suite)
        assert ran.code == 0, ran.said
        asked = server.count()
        assert "the author wrote no task about C-" in ran.said
        assert command("synthesize", "-o", suite).code == 0
        assert server.count() == asked
    assert [task["difficulty"] for task in lines_of(suite / "tasks.jsonl")] == [1, 3, 1]


@pytest.mark.parametrize(("old", "new"), [("hand_out", "give_away")])
def test_a_plan_that_the_workplace_would_refuse_is_sent_back(old: str, new: str, tmp_path: Path) -> None:
    suite = tmp_path / "suite"

    def once(request):  # type: ignore[no-untyped-def]
        from tests.support.wire import completion, json_text
        from tests.synthesis.small_author import task

        prompt = text_of(request.messages[0])
        if "You write one task" not in prompt or len(request.messages) > 1:
            return None
        return completion(json_text(task(prompt)).replace(f'"{old}"', f'"{new}"'))

    with ScriptedServer(small(once)) as server:
        assert synthesize(server, suite, "--until", "drafts").code == 0
        corrections = [text_of(r.messages[-1]) for r in server.of("synthesizer") if len(r.messages) > 1]
    assert len(corrections) == 3
    assert all(f"calls '{new}', and there is no such tool" in text for text in corrections)


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
