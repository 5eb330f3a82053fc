"""What exports tell of the machine that they were made on: nothing but the last name of a path."""

import zipfile
from pathlib import Path

import pytest
from tests.support.cli import command
from tests.support.own_workplaces import write_suite

from worktrial.engine.stored import open_run
from worktrial.interop.exchange.standing import without_folders

AGENT = """
def agent(assignment):
    return "done"
"""


def all_text(folder: Path) -> str:
    """Everything in the files of a folder, and the names of the files."""
    found = []
    for path in folder.rglob("*"):
        found.append(str(path.relative_to(folder)))
        if path.suffix == ".eval":
            with zipfile.ZipFile(path) as log:
                found += [log.read(name).decode() for name in log.namelist()]
        elif path.is_file():
            found.append(path.read_text())
    return "\n".join(found)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("secret-place")
    suite = write_suite(folder / "kept-claims")
    (folder / "mine.py").write_text(AGENT)
    agent = f"python:{folder / 'mine.py'}:agent"
    ran = command("run", suite, "--agent", agent, "-o", folder / "run")
    assert ran.code == 0, ran.err
    stored = open_run(folder / "run").manifest
    assert stored.data["folder"] == str(suite)
    assert stored.settings["agent"] == agent
    return folder / "run"


@pytest.mark.parametrize("form", ["atif", "inspect"])
def test_no_folder_of_this_machine_is_in_an_export(run: Path, tmp_path: Path, form: str) -> None:
    assert command("export", run, "--format", form, "-o", tmp_path / "out").code == 0
    said = all_text(tmp_path / "out")
    assert "mine.py" in said
    assert "secret-place" not in said
    assert str(tmp_path.parent) not in said


@pytest.mark.parametrize(
    ("told", "left"),
    [
        ("/home/me and you/kept", "kept"),
        ("python:/home/me/agent.py:agent", "python:agent.py:agent"),
        ("command:uv run /home/me/a.py --in /srv/x/y.json", "command:uv run a.py --in y.json"),
        ("python:agents/agent.py:agent", "python:agents/agent.py:agent"),
        ("http://127.0.0.1:80/agents/one", "http://127.0.0.1:80/agents/one"),
        ("../agents/one", "../agents/one"),
        ("built in", "built in"),
        ("E2/3x2, 1/2/3", "E2/3x2, 1/2/3"),
    ],
)
def test_of_a_path_the_last_name_is_left(told: str, left: str) -> None:
    assert without_folders(told) == left
