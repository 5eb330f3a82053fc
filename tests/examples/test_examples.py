"""The examples run as their first lines say."""

import subprocess
import sys
from pathlib import Path

from tests.support.cli import outcomes, worktrial
from tests.support.scripted_server import ScriptedServer

ROOT = Path(__file__).parents[2]


def test_play_a_workplace() -> None:
    said = subprocess.run(
        [sys.executable, "examples/play_a_workplace.py"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert "Chidi Okafor" in said
    assert "required, but missing" in said
    assert "P-999" in said.splitlines()[-1]


def test_the_first_agent_of_the_page_does_one_task(tmp_path: Path) -> None:
    """The first snippet of docs/how-to/own-agent.md does real work, and fails what it does not know."""
    page = (ROOT / "docs/how-to/own-agent.md").read_text("utf-8")
    agent = tmp_path / "page_agent.py"
    agent.write_text(page.partition('```python title="my_agent.py"\n')[2].partition("```")[0], "utf-8")
    worktrial("run", "starter", "--agent", f"python:{agent}:agent", "-o", tmp_path / "run")
    found = outcomes(tmp_path / "run")
    assert {sample for sample, outcome in found.items() if outcome == "pass"} == {"lab-01"}
    assert set(found.values()) == {"pass", "fail"}


def test_score_a_plan() -> None:
    said = subprocess.run(
        [sys.executable, "examples/score_a_plan.py"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    ours, published = sorted(said.splitlines())
    # One of two agents is another, and the dependency, which the published structure does not see, is lacking.
    assert published == "published: 0.750 (structure 1.000, components 0.500)"
    assert ours == "ours: 0.803 (structure 0.760, components 0.846)"


def test_own_agent(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        env = {"MODEL_URL": server.url, "MODEL_NAME": "agent-1"}
        spec = f"python:{ROOT}/examples/own_agent.py:agent"
        ran = worktrial(
            "run",
            "starter",
            "--agent",
            spec,
            "--tasks",
            "triage-01,triage-02",
            "-o",
            str(tmp_path / "run"),
            env=env,
        )
        assert server.count("agent") == 6
    assert ran.code == 0, ran.said
    assert outcomes(tmp_path / "run") == {"triage-01": "fail", "triage-02": "fail"}
