"""A suite that another package installs works on every face, with no line about it in ours."""

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.cli import command

import worktrial
from worktrial.registry import _installed, _points

EXAMPLE = Path(__file__).parents[2] / "examples" / "fifth_suite"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Folder in which the example is installed as a package manager would do it; also the working directory."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    place = tmp_path / "site"
    info = place / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    shutil.copy(EXAMPLE / "parcels.py", place)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    points = project["entry-points"]["worktrial.suites"]
    lines = [f"{name} = {value}" for name, value in points.items()]
    (info / "entry_points.txt").write_text("\n".join(["[worktrial.suites]", *lines, ""]))
    monkeypatch.syspath_prepend(place)
    paths = [str(place), *sys.path]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in paths if path))
    monkeypatch.chdir(tmp_path)
    _points.cache_clear()
    _installed.cache_clear()
    yield place
    _points.cache_clear()
    _installed.cache_clear()
    sys.modules.pop("parcels", None)


def test_every_command(installed: Path) -> None:
    ran = command("run", "parcel-shop", "--agent", "plan", "-o", "runs/plan")
    assert ran.code == 0, ran.err
    assert command("run", "parcel-shop", "--agent", "idle", "-o", "runs/idle", "--repeats", 2).code == 0
    for words, said in (
        (["list"], "│ parcel-shop"),
        (["list", "parcel-shop"], "collect"),
        (["run", "parcel-shop", "--help"], "worktrial run parcel-shop --help-all"),
        (["lint", "parcel-shop", "--strict"], "nothing found by"),
        (["validate", "parcel-shop"], "agents"),
        (["regrade", "runs/plan", "-o", "runs/again"], "0 of 1 outcomes differ"),
        (["show", "runs/plan"], "parcel shop · agent plan"),
        (["trajectory", "runs/plan", "collect"], "hand_over"),
        (["compare", "runs/idle", "runs/plan"], "gained"),
        (["gate", "runs/plan", "--min-completion", 1], "passed"),
        (["report", "runs/plan", "runs/idle", "-o", "report"], "Open report/index.html"),
        (["sql", "select outcome, count(*) as n from samples group by all", "runs"], "pass"),
        (["export", "runs/plan", "-o", "out.jsonl"], "1 records"),
    ):
        ran = command(*words)
        assert (ran.code, said in ran.said) == (0, True), (words, ran.said)
    assert "parcel shop" in (installed.parent / "report" / "index.html").read_text()


def test_python(installed: Path) -> None:
    assert [task.id for task in worktrial.tasks("parcel-shop")] == ["collect"]

    def agent(assignment: worktrial.Assignment) -> str:
        return "Here you are."

    lazy = worktrial.run("parcel-shop", agent, out="runs/lazy")
    done = worktrial.run("parcel-shop", "plan", out="runs/plan", faults="all")
    assert (lazy.completion, done.completion) == (0.0, 1.0)
    assert worktrial.compare(lazy, done).conditions
    assert "1/1" in worktrial.load("runs/plan").line()


def test_notebook(installed: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    cells = [
        "import worktrial as wt",
        "run = wt.run('parcel-shop', 'plan', out='runs/plan')\nrun",
        "again = await wt.run_async('parcel-shop', 'idle', out='runs/idle')\nagain.completion",
        "run.table('calls').num_rows, run.sql('select count(*) as n from samples').to_pylist()",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    nbclient.NotebookClient(book, timeout=100, resources={"metadata": {"path": str(installed.parent)}}).execute()
    shown = [output.get("data", {}) for cell in book.cells for output in cell.outputs]
    assert "100.0%" in shown[0]["text/html"] and "parcel-shop" in shown[0]["text/html"]
    values = [data["text/plain"] for data in shown[1:] if "text/plain" in data]
    assert values == ["0.0", "(1, [{'n': 1}])"]


def test_pytest(installed: Path) -> None:
    file = installed.parent / "test_shop.py"
    file.write_text(
        "import pytest\n\n@pytest.mark.worktrial('parcel-shop', agent='plan')\n"
        "def test_shop(worktrial):\n    worktrial.gate(min_completion=1)\n"
    )
    words = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        str(file),
        "--rootdir",
        str(file.parent),
    ]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=100, check=False)
    assert ran.returncode == 0, ran.stdout
    assert "parcel-shop · agent plan: 100.0% (1/1" in ran.stdout


def test_nothing_of_ours_names_it() -> None:
    source = Path(worktrial.__file__).parent
    wings = source / "suites"
    ours = [path for path in source.rglob("*.py") if wings not in path.parents]
    assert len(ours) > 100
    assert not [path for path in ours if "parcel-shop" in path.read_text()]
    assert len((EXAMPLE / "parcels.py").read_text().splitlines()) < 30


def test_edited_tasks_are_another_suite(installed: Path) -> None:
    assert command("run", "parcel-shop", "--agent", "plan", "-o", "runs/before").code == 0
    file = installed / "parcels.py"
    file.write_text(file.read_text().replace("is here: hand it over", "is here. Hand it over"))
    sys.modules.pop("parcels", None)
    again = command("run", "parcel-shop", "--agent", "plan", "-o", "runs/before")
    assert again.code == 2 and "Give the stored settings to resume it" in again.said
