"""The way of a new user: two pages of procedure, one command, a look, a clause that changes, agents on trial."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from tests.support.cli import command, lines_of
from tests.support.folder_author import FolderAuthor, procedure_in, step_of
from tests.support.in_process import TOOL_LIBRARY
from tests.support.library_clerk import Clerk, Referee, every_other
from tests.support.request import ScriptedRequest, text_of
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

pytestmark = pytest.mark.timeout(900)
TASKS = 20


class Done:
    """The suite after one command, and what the server saw of it."""

    def __init__(self, folder: Path, server: ScriptedServer) -> None:
        self.server = server
        self.suite = folder / "library"
        words = ["--job", "clerk at a tool library", "--document", procedure_in(folder / "papers")]
        words += ["--base-url", server.url, "--context-tokens", "32000", "--fresh-runs", "1", "--yes"]
        for role in ("synthesizer", "solver", "agent", "judge"):
            words += [f"--{role}", f"{role}-1"]
        self.ran = command("synthesize", *words, "-o", self.suite)

    def ends(self) -> dict[str, dict[str, object]]:
        return {end["task"]: end for end in lines_of(self.suite / "calibration.jsonl")}


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Done]:
    script = Script(
        synthesizer=FolderAuthor(str(TOOL_LIBRARY)), solver=Clerk(), agent=Clerk(every_other), judge=Referee()
    )
    with ScriptedServer(script) as server:
        yield Done(tmp_path_factory.mktemp("new-user"), server)


def steps(requests: list[ScriptedRequest]) -> set[str]:
    """Steps of the authoring that were asked for."""
    return {step_of(text_of(r.messages[0])) or "?" for r in requests if r.role == "synthesizer"}


def test_one_command_makes_twenty_tasks_that_are_validated(done: Done) -> None:
    assert done.ran.code == 0, done.ran.said
    assert f"{TASKS} tasks" in done.ran.out
    counts = yaml.safe_load((done.suite / "suite.yaml").read_text("utf-8"))["counts"]
    assert (counts["tasks"], counts["unconfirmed"]["count"]) == (TASKS, 0)
    assert counts["found_flawed"]["count"] == 0
    validated = command("validate", done.suite)
    assert validated.code == 0, validated.said
    assert command("lint", done.suite).code == 0
    page = (done.suite / "work" / "review" / "index.html").read_text("utf-8")
    assert len(set(re.findall(r"tasks/([a-z-]+-[0-9]+)\.html", page))) == len(done.ends()) == TASKS
    own = {path.name for path in (done.suite / "handbook").iterdir()}
    assert len(own) == 2


def test_an_edited_clause_makes_again_what_cites_it_and_nothing_else(done: Done) -> None:
    before, asked = done.ends(), len(done.server.requests)
    path = done.suite / "clauses.yaml"
    (clause,) = [one for one in yaml.safe_load(path.read_text("utf-8")) if "has reserved" in one["quote"]]
    path.write_text(
        path.read_text("utf-8").replace("has reserved is not extended", "has reserved is never extended")
    )
    ran = command("synthesize", "-o", done.suite, "--yes")
    assert ran.code == 0, ran.said
    after, new = done.ends(), done.server.requests[asked:]
    changed = {task for task, end in after.items() if before[task]["content"] != end["content"]}
    assert changed == {task for task, end in before.items() if clause["id"] in end["clauses"]}
    assert 0 < len(changed) < TASKS
    # Neither the clauses, nor records, nor tools that do not cite it are written anew.
    assert steps(new) <= {"rules", "atoms", "expectations"}
    again = len(done.server.requests)
    assert command("synthesize", "-o", done.suite, "--yes").code == 0
    assert len(done.server.requests) == again


def test_several_agents_work_on_it_with_faults(done: Done, tmp_path: Path) -> None:
    outcomes = {}
    for agent, more in (
        ("plan", []),
        ("idle", []),
        ("agent-1", ["--base-url", done.server.url, "--faults", "E0,E1"]),
    ):
        ran = command("run", done.suite, "--agent", agent, *more, "-o", tmp_path / agent)
        assert ran.code == 0, ran.said
        rows = lines_of(tmp_path / agent / "samples.jsonl")
        outcomes[agent] = {row["outcome"] for row in rows}
        assert len(rows) == TASKS * (2 if more else 1)
    assert (outcomes["plan"], outcomes["idle"]) == ({"pass"}, {"fail"})
    assert outcomes["agent-1"] == {"pass", "fail"}
    compared = command("compare", tmp_path / "plan", tmp_path / "idle")
    assert compared.code == 0, compared.said
