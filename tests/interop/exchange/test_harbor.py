"""Harbor's task folders: what they serve, solve and judge is what a run does; Harbor's own reader meets them in
`make test-interop`.
"""

import json
import os
import subprocess
import tomllib
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from tests.support.cli import command
from tests.support.made_runs import make_run
from tests.support.plan_driver import what_counts
from tests.support.same_run import work
from tests.support.served import served
from tests.support.serving import serving

import worktrial as wt
from worktrial.interop.exchange.harbor import _name, _toml

URL = "http://workplace:8765/episodes/work"


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose conditions are swept: its names of them are not those of a run of one of them."""
    folder = tmp_path_factory.mktemp("harbor") / "run"
    options: dict[str, Any] = {"tasks": ["returns-01", "line-00"], "faults": "E0,E2", "fault_count": "1,2"}
    wt.run("starter", "plan", out=folder, **options, fault_seed=3)
    return folder


@pytest.fixture(scope="module")
def tasks(planned: Path) -> Path:
    out = planned.with_name("tasks")
    ran = command("export", planned, "--format", "harbor", "-o", out)
    assert ran.code == 0, ran.err
    assert "6 samples' work and verdicts are left out" in ran.err
    return out


def records(run: Path) -> dict[tuple[str, str], Any]:
    found = work(run).values()
    return {(record.sample, record.condition): what_counts(record, line or {}) for record, line in found}


def compose(task: Path) -> list[str]:
    services = yaml.safe_load((task / "environment" / "docker-compose.yaml").read_text("utf-8"))["services"]
    assert services["main"]["depends_on"] == {"workplace": {"condition": "service_healthy"}}
    words: list[str] = services["workplace"]["command"]
    return words


def test_a_folder_for_each_task_under_each_condition(planned: Path, tasks: Path) -> None:
    done = records(planned)
    assert len(done) == 6
    for (sample, condition), worked in done.items():
        task = tasks / f"{sample}.{condition.replace('/', '-')}"
        said = tomllib.loads((task / "task.toml").read_text("utf-8"))
        assert said["task"]["name"] == f"worktrial/{task.name}"
        assert {**said["metadata"], "suite": "starter", "sample": sample, "condition": condition} == said[
            "metadata"
        ]
        assert said["environment"]["mcp_servers"] == [
            {"name": "workplace", "transport": "streamable-http", "url": f"{URL}/mcp"}
        ]
        instruction = (task / "instruction.md").read_text("utf-8")
        assert "It is 20" in instruction and "call the tool finish_work" in instruction
        assert (task / "solution" / "solve.sh").exists() == (worked["outcome"] == "pass")
        assert (task / "tests" / "test.sh").stat().st_mode & 0o111
        words = compose(task)
        assert words[:3] == ["worktrial", "serve", "starter"]
        # The agent's container holds nothing of ours.
        assert "worktrial" not in (task / "environment" / "Dockerfile").read_text()
        assert f"worktrial[serve]=={wt.__version__}" in (task / "environment/workplace/Dockerfile").read_text()
    assert {path.name for path in tasks.iterdir()} == {f"{s}.{c.replace('/', '-')}" for s, c in done}
    assert {worked["outcome"] for worked in done.values()} == {"pass", "fail"}, "the seed shows both"


def opened(task: Path, out: Path) -> Any:
    """The workplace as the folder's compose file starts it, on this machine alone."""
    words = compose(task)
    places = {"--host": "127.0.0.1", "--port": "0"}
    put = [places.get(before, word) for before, word in zip(["", *words], words, strict=False)]
    assert put[-2:] == ["-o", "/var/lib/worktrial/run"]
    return served(out, *put[3:-2], suite=put[2])


def script(task: Path, name: str, url: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    folder.mkdir(exist_ok=True)
    places = {"WORKPLACE_URL": f"{url}/episodes/work", "VERDICT_DIR": str(folder)}
    words = [str(task / name)]
    return subprocess.run(words, check=False, capture_output=True, text=True, env=os.environ | places)


def worked_on(task: Path, out: Path) -> Mapping[str, Any]:
    """Verdict of the folder's tests after its solution."""
    with opened(task, out) as server:
        solved = script(task, "solution/solve.sh", server.url, out.with_suffix(".logs"))
        assert solved.returncode == 0, solved.stderr
        tested = script(task, "tests/test.sh", server.url, out.with_suffix(".logs"))
        assert tested.returncode == 0, tested.stdout + tested.stderr
        server.end()
    said: Mapping[str, Any] = json.loads((out.with_suffix(".logs") / "verdict.json").read_text("utf-8"))
    return said


def test_a_solution_does_the_work_of_the_run_it_came_from(planned: Path, tasks: Path, tmp_path: Path) -> None:
    done = records(planned)
    key = next(key for key, worked in done.items() if key[1] != "E0" and worked["outcome"] == "pass")
    out = tmp_path / "out"
    said = worked_on(tasks / f"{key[0]}.{key[1].replace('/', '-')}", out)
    assert (said["outcome"], said["answered_by"]) == ("pass", "tool")
    assert (tmp_path / "out.logs" / "reward.txt").read_text() == "1"
    [(_, again)] = records(out).items()
    assert again == done[key]


class Abandoned(BaseHTTPRequestHandler):
    """A workplace whose agent has left."""

    def do_POST(self) -> None:
        self._say(409, {"error": "the episode is over"})

    def do_GET(self) -> None:
        self._say(200, {"state": "over", "outcome": "invalid", "reason": "abandoned"})

    def _say(self, status: int, said: Any) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(said).encode())

    def log_message(self, *said: Any) -> None:
        """Say nothing."""


def test_work_that_is_not_done_is_worth_nothing_and_work_without_a_verdict_has_no_reward(
    tasks: Path, tmp_path: Path
) -> None:
    task = tasks / "line-00.E0"
    with opened(task, tmp_path / "idle") as server:
        tested = script(task, "tests/test.sh", server.url, tmp_path / "idle.logs")
        # An attempt whose verdict is asked for twice has the same.
        again = script(task, "tests/test.sh", server.url, tmp_path / "idle.logs")
        assert tested.returncode == again.returncode == 0, tested.stderr
        assert tested.stdout == again.stdout and tested.stdout.startswith("fail ")
    assert (tmp_path / "idle.logs" / "reward.txt").read_text() == "0"
    with serving(Abandoned) as url:
        tested = script(task, "tests/test.sh", url, tmp_path / "left.logs")
    assert tested.returncode == 1 and tested.stdout == "invalid abandoned\n"
    assert not (tmp_path / "left.logs" / "reward.txt").exists()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"roles": {"agent": {}, "judge": {}}}, "models take part in it (judge)"),
        ({"policy": {}}, "they hold no --policy"),
        ({"options": {"strange": 1}}, "they hold no --strange"),
        ({}, "the suite starter is not installed here, or has changed since"),
    ],
)
def test_runs_that_a_folder_cannot_hold(planned: Path, tmp_path: Path, changed: Any, said: str) -> None:
    run = tmp_path / "run"
    run.mkdir()
    manifest = json.loads((planned / "manifest.json").read_bytes())
    manifest["settings"] |= changed
    if not changed:
        manifest["data"]["fingerprint"] = "0" * 64
    (run / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    (run / "samples.jsonl").write_bytes((planned / "samples.jsonl").read_bytes())
    ran = command("export", run, "--format", "harbor", "-o", tmp_path / "out")
    assert ran.code == 2 and said in ran.err
    assert not (tmp_path / "out").exists()


def test_suites_without_a_solution_are_refused(tmp_path: Path) -> None:
    ran = command("export", make_run(tmp_path / "run"), "--format", "harbor", "-o", tmp_path / "out")
    assert ran.code == 2 and "cannot be done from a folder of Harbor's" in ran.err


def test_names_and_texts_are_such_as_they_may_be() -> None:
    assert _name("lab-01", "E2/3x1") == "lab-01.E2-3x1"
    odd = [_name(name, "E0") for name in ("..", "../up", "a/b", "a-b", "일", "이", ".a", "_a")]
    assert len({*odd}) == len(odd)
    assert all(name[0].isalnum() and ".." not in name and "/" not in name for name in odd)
    texts = ['"', "\\", "\n\x00\x7f\x85\u2028", "😀 일", "", ["a", 'b"'], True, 3, 0.5]
    for text in texts:
        assert tomllib.loads(f"x = {_toml(text)}")["x"] == text
