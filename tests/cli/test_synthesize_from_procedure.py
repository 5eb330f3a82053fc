"""`worktrial synthesize` from a procedure to a suite: the author's workplace, then tasks composed for it."""

from pathlib import Path

import pytest
import yaml
from tests.support.cli import Word, command, lines_of, roles_at
from tests.support.folder_author import FolderAuthor, procedure_in, step_of
from tests.support.in_process import TOOL_LIBRARY
from tests.support.library_clerk import Clerk, Referee, every_other
from tests.support.request import ScriptedRequest, text_of
from tests.support.script import Answer, Script
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import completion, json_text


def words(url: str, folder: Path, suite: Path, *more: Word) -> list[Word]:
    job = ["--job", "loans", "--document", procedure_in(folder / "papers"), "--context-tokens", 32_000]
    return ["synthesize", *job, "--roles", roles_at(url, folder), "--yes", "-o", suite, *more]


ANSWER = "A trailer is lent to members of full age only."


def answers(request: ScriptedRequest) -> Answer:
    """The author's clause of the answers that the owner gives later."""
    prompt = text_of(request.messages[0])
    if step_of(prompt) != "clauses" or "[section answers-" not in prompt:
        return None
    clause = {"section": "answers-1", "quote": ANSWER, "kind": "limit"}
    return completion(json_text({"clauses": [clause]}))


@pytest.fixture
def everybody() -> Script:
    author = FolderAuthor(str(TOOL_LIBRARY))
    return Script(
        synthesizer=[answers, author], solver=[author, Clerk()], agent=Clerk(every_other), judge=Referee()
    )


def test_one_command_writes_the_workplace_and_a_suite_that_runs(tmp_path: Path, everybody: Script) -> None:
    suite = tmp_path / "library"
    with ScriptedServer(everybody) as server:
        ran = command(*words(server.url, tmp_path, suite, "--tasks", 2, "--fresh-runs", 1))
        assert ran.code == 0, ran.said
        written = server.count("synthesizer")
        assert written > 0
        asked = server.count()
        again = command("synthesize", "-o", suite, "--yes")
        assert (again.code, server.count()) == (0, asked), again.said
        run = tmp_path / "run"
        assert command("run", suite, "--agent", "plan", "-o", run).code == 0
        assert {row["outcome"] for row in lines_of(run / "samples.jsonl")} == {"pass"}
    clauses = yaml.safe_load((suite / "clauses.yaml").read_text("utf-8"))
    assert any("14 days" in clause["quote"] for clause in clauses)
    assert list((suite / "handbook").glob("*.md"))


def test_without_a_procedure_there_is_nothing_to_write_from(tmp_path: Path) -> None:
    ran = command(
        "synthesize", "--job", "clerk", "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "-o", tmp_path
    )
    assert ran.code == 2
    assert "--document FILE" in ran.said and "--workplace simulated" in ran.said


def test_a_document_that_comes_later_is_added_and_only_what_it_changes_is_made(
    tmp_path: Path, everybody: Script
) -> None:
    suite, later = tmp_path / "library", tmp_path / "answers.md"
    later.write_text(f"# 1. Trailers\n\n{ANSWER}\n")
    with ScriptedServer(everybody) as server:
        first = command(*words(server.url, tmp_path, suite, "--tasks", 2, "--fresh-runs", 1))
        assert first.code == 0, first.said
        place = next(suite.glob("workplaces/*"))
        before = {path.name: path.read_bytes() for path in place.iterdir() if path.is_file()}
        asked = len(server.requests)
        ran = command("synthesize", "--document", later, "-o", suite, "--yes")
        assert ran.code == 0, ran.said
        assert "document answers: (none) -> " in ran.err and "document lending" not in ran.err
        made = [step_of(text_of(request.messages[0])) for request in server.requests[asked:]]
        assert sorted(map(str, made)) == ["atoms", "clauses", "expectations again", "rules again"], "and no run"
        for name in ("tools.py", "draw.py", "expectations.yaml", "tasks.yaml"):
            assert (place / name).read_bytes() == before[name]
        clauses = yaml.safe_load((suite / "clauses.yaml").read_text("utf-8"))
        assert {clause["document"] for clause in clauses} == {"lending", "losses", "answers"}
        asked = len(server.requests)
        out = command("synthesize", "--without-document", "answers.md", "-o", suite, "--yes")
        assert (out.code, len(server.requests)) == (0, asked), out.said
        refused = command("synthesize", "--without-document", "answers", "-o", suite, "--yes")
    assert (refused.code, "there are lending, losses" in refused.said) == (2, True), refused.said
    assert {clause["document"] for clause in yaml.safe_load((suite / "clauses.yaml").read_text("utf-8"))} == {
        "lending",
        "losses",
    }


def test_a_document_that_comes_after_a_clause_was_changed_by_hand_is_read_and_the_change_stays(
    tmp_path: Path, everybody: Script
) -> None:
    suite, later = tmp_path / "library", tmp_path / "answers.md"
    later.write_text(f"# 1. Trailers\n\n{ANSWER}\n")
    with ScriptedServer(everybody) as server:
        assert command(*words(server.url, tmp_path, suite, "--until", "drafts")).code == 0
        path = suite / "clauses.yaml"
        path.write_text(
            path.read_text("utf-8").replace("has reserved is not extended", "has reserved stays here"), "utf-8"
        )
        for more in (("--document", later), ()):
            ran = command("synthesize", *more, "--until", "drafts", "-o", suite, "--yes")
            assert ran.code == 0, ran.said
            quotes = [clause["quote"] for clause in yaml.safe_load(path.read_text("utf-8"))]
            assert ANSWER.rstrip(".") in " ".join(quotes) and "has reserved stays here" in " ".join(quotes)
