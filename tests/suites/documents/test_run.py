"""`worktrial run documents`, over real HTTP where a model answers."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.agent_behaviours import Calls
from tests.support.cli import Ran, by_sample, command, lines_of, outcomes
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.tiny_archive import PROSE, tiny_archive, write_questions

from worktrial.engine.segments import segment_path

MARCH = "harbor_bulletin_1951_03"


def _run(tmp_path: Path, *more: Any, run: str = "run", archive: Path | None = None) -> Ran:
    words = ["--questions", write_questions(tmp_path), "--archive", archive or tiny_archive()]
    return command("run", "documents", *words, "-o", tmp_path / run, *more)


def _model(server: ScriptedServer) -> list[str]:
    return ["--agent", "agent-1", "--base-url", server.url]


def _answers(text: str, *calls: tuple[str, Any]) -> Script:
    return Script(agent=Calls(calls, final_text=f"Found.\n<FINAL_ANSWER>{text}</FINAL_ANSWER>"))


def test_a_model_searches_reads_computes_and_answers(tmp_path: Path) -> None:
    calls = (
        ("search", {"query": "customs receipts fiscal year 1950"}),
        ("read_table", {"document": MARCH, "page": 2}),
        ("sql", {"query": "SELECT text FROM cells WHERE header = 'Customs' AND label = '1950'"}),
        ("python", {"code": "4000 + 385"}),
        ("read_page", {"document": "nothing", "page": 1}),
    )
    with ScriptedServer(_answers("4,385", *calls)) as server:
        ran = _run(tmp_path, *_model(server))
        requests = server.of("agent")
    assert ran.code == 0, ran.err
    assert "1 of 4 questions are left out" in ran.said and "harbor_bulletin_1951_06" in ran.said
    assert outcomes(tmp_path / "run") == {"HB1": "pass", "HB2": "fail", "HB3": "fail"}
    record = by_sample(tmp_path / "run")["HB1"]
    assert record["calls"] == 5 and record["clock"] is None
    assert record["tags"] == {"category": "lookup", "difficulty": "easy", "documents": 1}
    assert record["measures"]["retrieval"]["first_open"] == 1
    assert record["usage"]["agent"]["requests"] == 6
    for word in ("published", "ours", "gold pages", "wrong because of", "passed means"):
        assert word in ran.said, ran.out
    system, user = requests[0].messages[:2]
    assert "<FINAL_ANSWER>" in system["content"] and "`python`" in system["content"]
    assert "view_page" not in {tool["function"]["name"] for tool in requests[0].tools}
    assert user["content"].startswith("In the March 1951") or "harbor bulletin" in user["content"]
    last = [m for m in requests[-1].messages if m["role"] == "tool"]
    seen = [json.loads(message["content"]) for message in last]
    assert seen[1]["title"] == "Receipts of the harbor by source"
    assert seen[2]["rows"][0] == ["4,385"] and seen[3]["value"] == "4385"
    assert seen[4]["error"]["type"] == "unknown_document"


def test_the_four_set_ups_and_where_answers_are_lost(tmp_path: Path) -> None:
    with ScriptedServer(_answers("4,385")) as server:
        for setup in ("closed", "oracle-pages", "oracle-docs", "archive"):
            ran = _run(tmp_path, *_model(server), "--setup", setup, run=setup)
            assert ran.code == 0, ran.err
        requests = {r.messages[0]["content"]: r for r in server.of("agent")}
    offered = [sorted(tool["function"]["name"] for tool in r.tools) for r in requests.values()]
    everything = ["grep", "list_documents", "python", "read_page", "read_table", "search", "sql"]
    # The two last are told the same, so there is one request for both.
    assert offered == [[], ["python"], everything]
    pages = [r.messages[1]["content"] for r in requests.values()][1]
    assert "| 1950 | 4,385 | 3,502 | 7,887 |" in pages or "Odda Fenwick" in pages
    assert set(outcomes(tmp_path / "closed")) == {"HB1", "HB2", "HB3", "HB4"}
    others = [
        word for name in ("closed", "oracle-pages", "oracle-docs") for word in ("--stage-run", tmp_path / name)
    ]
    shown = command("show", tmp_path / "archive", *others)
    assert shown.code == 0, shown.err
    assert "3 questions with a verdict in every run" in shown.said
    assert "finding the document" in shown.said and "reading and computing" in shown.said
    shown = command("show", tmp_path / "archive", "--closed-run", tmp_path / "closed")
    assert "parametric" in shown.said, shown.out
    splits = ["--split-run", tmp_path / "closed", "--split-run", tmp_path / "oracle-docs"]
    assert "solved by both" in command("show", tmp_path / "archive", *splits).said
    once = command("show", tmp_path / "archive", *splits[:2])
    assert once.code == 2 and "give it twice" in once.err


def test_only_the_gold_documents(tmp_path: Path) -> None:
    calls = (
        ("list_documents", {}),
        ("search", {"query": "customs"}),
        ("python", {"code": "len(rows('select distinct document from cells'))"}),
        ("read_page", {"document": PROSE, "page": 1}),
    )
    with ScriptedServer(_answers("4,385", *calls)) as server:
        ran = _run(tmp_path, *_model(server), "--setup", "oracle-docs", "--tasks", "HB1")
        [*_, last] = server.of("agent")
    assert ran.code == 0, ran.err
    listed, found, counted, refused = (json.loads(m["content"]) for m in last.messages if m["role"] == "tool")
    assert [d["document"] for d in listed["documents"]] == [MARCH]
    assert {hit["document"] for hit in found["hits"]} == {MARCH}
    assert counted["value"] == "1"
    assert refused["error"]["type"] == "unknown_document"


def test_faults_on_the_tools(tmp_path: Path) -> None:
    reading = ("read_table", {"document": "harbor_bulletin_1951_04", "page": 2})
    with ScriptedServer(_answers("4", *[reading] * 12)) as server:
        options = [
            "--faults",
            "E0,E1,E2",
            "--fault-count",
            "3",
            "--fault-duration",
            "1",
            "--fault-seed",
            "1",
            "--tasks",
            "HB1,HB2",
        ]
        ran = _run(tmp_path, *_model(server), *options)
    assert ran.code == 0, ran.err
    ledger = [row for record in lines_of(tmp_path / "run" / "samples.jsonl") for row in record["fault_ledger"]]
    kinds = {row["kind"] for row in ledger if row["mode"] == "E2"}
    assert kinds & {"page_missing", "table_cut", "stale_revision", "digit_misread"}
    assert all(row["tool"] == "read_table" and row["degraded"] for row in ledger)
    planned = [e for r in lines_of(tmp_path / "run" / "samples.jsonl") for e in r["fault_plan"]]
    assert {e["mode"] for e in planned} == {"E1", "E2"}


def test_pictures_are_shown_and_not_recorded(tmp_path: Path) -> None:
    from tests.support.pdf_archive import pdf_archive

    archive, questions = pdf_archive(tmp_path)
    look = ("view_page", {"document": "note_1951_05", "page": 1})
    words = ["--questions", questions, "--archive", archive, "--images", "-o", tmp_path / "run"]
    with ScriptedServer(_answers("42", look)) as server:
        assert command("run", "documents", *words, *_model(server)).code == 0
        [*_, last] = server.of("agent")
    tool, user = last.messages[-2:]
    assert tool["role"] == "tool" and "picture 1" in tool["content"] and "base64" not in tool["content"]
    assert user["role"] == "user" and user["content"][1]["image_url"]["url"].startswith("data:image/png;base64,")
    stored = segment_path(tmp_path / "run", 1).read_text()
    assert "sha256" in stored and "base64" not in stored
    with ScriptedServer(_answers("42")) as server:
        words[-1] = tmp_path / "pages"
        ran = command("run", "documents", *words, "--setup", "oracle-pages", *_model(server))
        [request] = server.of("agent")
    assert ran.code == 0, ran.err
    assert [part["type"] for part in request.messages[1]["content"]] == ["text", "image_url"]


def test_questions_that_cannot_be_set_up_are_invalid(tmp_path: Path) -> None:
    path = tmp_path / "bare.jsonl"
    path.write_text(json.dumps({"id": "X", "question": "Q?", "answer": "1"}) + "\n")
    for setup, words in (("oracle-pages", "on which pages"), ("oracle-docs", "in which documents")):
        ran = command(
            "run", "documents", "--questions", path, "--archive", tiny_archive(), "--agent", "idle",
            "--setup", setup, "-o", tmp_path / setup,
        )  # fmt: skip
        assert ran.code == 3
        assert by_sample(tmp_path / setup)["X"]["reason"].startswith("task_data: ")
        assert words in by_sample(tmp_path / setup)["X"]["reason"]


def test_resume_and_a_changed_scorer(tmp_path: Path) -> None:
    assert _run(tmp_path, "--agent", "idle").code == 0
    before = (tmp_path / "run" / "samples.jsonl").read_bytes()
    assert _run(tmp_path, "--agent", "idle").code == 0
    assert (tmp_path / "run" / "samples.jsonl").read_bytes() == before
    ran = _run(tmp_path, "--agent", "idle", "--scorer", "published")
    assert ran.code == 2 and "scorer" in ran.err and "another -o" in ran.err


def test_ones_own_questions_by_our_reading_and_doubtful_gold_is_warned_of(tmp_path: Path) -> None:
    row = {"id": "A1", "question": "What was the change?", "answer": "(205)", "pages": [[MARCH, 2]]}
    rows = [row, {**row, "id": "A2", "answer": "Ohio; Texas", "pages": [[MARCH, 99]]}]
    path = tmp_path / "own.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    words = ["run", "documents", "--questions", path, "--archive", tiny_archive(), "--agent", "idle"]
    ran = command(*words, "-o", tmp_path / "own")
    assert ran.code == 0, ran.err
    assert 'own.jsonl: line 1 (A1): answer: "(205)" counts as negative; write -205 if it is, 205 if' in ran.said
    assert f"line 2 (A2): pages: {MARCH}:99 is beyond the document's end, page 2" in ran.said
    for record in by_sample(tmp_path / "own").values():
        assert record["reason"].startswith("ours: ") and record["measures"]["failure"]["kind"] == "no_answer"
    ran = command(*words, "--scorer", "published", "-o", tmp_path / "published")
    assert by_sample(tmp_path / "published")["A1"]["reason"].startswith("published: ")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--agent", "plan"], ["--agent plan", "it has reference, idle"]),
        (["--agent", "reference", "--setup", "closed"], ["works with tools only"]),
        (["--agent", "reference"], ["questions have no plan"]),
        (["--agent", "idle", "--tolerance", "2"], ["--tolerance", "less than or equal to 1"]),
        (["--agent", "idle", "--difficulty", "medium"], ["not one of easy, hard"]),
        (["--agent", "idle", "--kind", "text", "--tasks", "HB1"], ["leaves no question"]),
        (["--agent", "idle", "--tasks", "HB4"], ["so nothing is left"]),
        (["--agent", "idle", "--images", "--setup", "closed"], ["closed book shows no pages"]),
        (["--agent", "idle", "--faults", "E1", "--setup", "closed"], ["makes no calls"]),
        (["--agent", "idle", "--faults", "prompted"], ["and here none does"]),
        (["--agent", "idle", "--closed-run", "nowhere"], ["no such folder"]),
    ],
)
def test_what_makes_no_sense_is_said_at_once(options: list[str], words: list[str], tmp_path: Path) -> None:
    ran = _run(tmp_path, *options)
    assert ran.code == 2
    assert all(word in ran.said for word in words), ran.err
    assert not (tmp_path / "run").exists()


def test_questions_within_the_archive_are_refused(tmp_path: Path) -> None:
    import shutil

    archive = tmp_path / "archive"
    shutil.copytree(tiny_archive(), archive)
    questions = write_questions(archive)
    assert command("run", "documents", "--questions", questions, "--agent", "idle").code == 2
    assert command("run", "documents", "--archive", archive, "--agent", "idle").code == 2


def test_python_without_a_sandbox_only_when_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with ScriptedServer(_answers("4,385", ("python", {"code": "1 + 1"}))) as server:
        ran = _run(tmp_path, *_model(server))
        assert ran.code == 2 and "--python unsafe" in ran.err and server.count() == 0
        ran = _run(tmp_path, *_model(server), "--python", "unsafe", "--tasks", "HB1")
        assert ran.code == 0 and "WARNING" in ran.err
        assert json.loads(server.of("agent")[-1].messages[-1]["content"])["value"] == "2"
        ran = _run(tmp_path, *_model(server), "--python", "none", "--tasks", "HB1", run="without")
        assert ran.code == 0
        assert "python" not in {tool["function"]["name"] for tool in server.of("agent")[-1].tools}


def test_list_and_help(tmp_path: Path) -> None:
    ran = command("list", "documents", "--questions", write_questions(tmp_path))
    assert "HB3" in ran.out and "4 tasks" in ran.out
    assert "documents" in command("list").out
    help_ = command("run", "documents", "--help-all").said
    for word in ("--setup", "oracle-pages", "--python", "--agent reference"):
        assert word in help_


def test_tools_as_a_schema(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        ran = _run(tmp_path, *_model(server), "--tool-mode", "json", "--tasks", "HB1")
    assert ran.code == 0, ran.err
    assert by_sample(tmp_path / "run")["HB1"]["calls"] == 2


def test_nothing_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKTRIAL_CACHE", str(tmp_path / "cache"))
    ran = command("run", "documents", "--agent", "reference", "-o", tmp_path / "run")
    assert ran.code == 0, ran.err
    assert [name for name, outcome in outcomes(tmp_path / "run").items() if outcome != "pass"] == ["H013"]
    idle = command("run", "documents", "--agent", "idle", "-o", tmp_path / "idle")
    assert idle.code == 0 and set(outcomes(tmp_path / "idle").values()) == {"fail"}


def test_the_reference_under_faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKTRIAL_CACHE", str(tmp_path / "cache"))
    options = ["--faults", "all", "-o", tmp_path / "run"]
    ran = command("run", "documents", "--agent", "reference", *options)
    assert ran.code == 0, ran.err
    by_condition: dict[str, list[str]] = {}
    for record in lines_of(tmp_path / "run" / "samples.jsonl"):
        by_condition.setdefault(record["condition"], []).append(record["outcome"])
    # It calls again after an outage, and believes what is quietly wrong.
    assert by_condition["E1"] == by_condition["E0"]
    assert by_condition["E2"].count("pass") < by_condition["E0"].count("pass")
