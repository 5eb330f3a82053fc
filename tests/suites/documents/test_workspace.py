"""Documents as files: what an agent with tools of its own finds in its folder, and what it does not."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import worktrial as wt
from worktrial.errors import SettingError

AGENT = """
import json, pathlib

def agent(assignment):
    folder = assignment.workspace
    seen = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    tools = [tool["function"]["name"] for tool in assignment.tools]
    told = {"files": seen, "tools": tools, "prompt": assignment.system_prompt}
    pathlib.Path(__file__).with_name("told.json").write_text(json.dumps(told))
    (folder / "notes.txt").write_text("mine")
    {more}
    return "<FINAL_ANSWER>7</FINAL_ANSWER>"
"""


def tried(tmp_path: Path, more: str = "pass", **options: Any) -> tuple[wt.Run, dict[str, Any]]:
    (tmp_path / "mine.py").write_text(AGENT.replace("{more}", more))
    ran = wt.run("documents", f"python:{tmp_path / 'mine.py'}:agent", out=tmp_path / "run", **options)
    return ran, json.loads((tmp_path / "told.json").read_text())


@pytest.mark.parametrize(
    ("options", "kinds", "whole"),
    [
        ({"workspace": "pdf"}, {"documents"}, True),
        ({"workspace": "text"}, {"text", "tables"}, True),
        ({"workspace": "both", "setup": "oracle-docs"}, {"documents", "text", "tables"}, False),
        ({"workspace": "text", "setup": "oracle-pages"}, {"text", "tables"}, False),
    ],
)
def test_what_lies_in_its_folder(tmp_path: Path, options: dict[str, Any], kinds: set[str], whole: bool) -> None:
    ran, told = tried(tmp_path, limit=1, python="none", **options)
    files = [name for name in told["files"] if name != "index.csv"]
    assert {name.partition("/")[0] for name in files} == kinds
    documents = {name.split("/")[1].partition(".")[0] for name in files if not name.startswith("tables")}
    assert (len(documents) == 5) == whole
    assert "index.csv" in told["files"] and "lie in the folder" in told["prompt"]
    assert bool(told["tools"]) == (options.get("setup") != "oracle-pages")
    (record,) = ran.run.records
    assert record.outcome.value == "fail"
    # What it read there, nobody knows.
    assert record.measures["retrieval"]["gold_pages"] == []
    assert (record.measures["failure"] or {}).get("kind") != "retrieval" or "never read" not in record.reason
    assert ran.run.manifest.settings["workspace"] == options["workspace"]


def test_tables_and_list_can_be_read_and_nothing_of_the_key_is_there(tmp_path: Path) -> None:
    keep = "import shutil; shutil.copytree(folder, pathlib.Path(__file__).with_name('kept'))"
    tried(tmp_path, keep, limit=1, workspace="both", tools="none")
    kept = tmp_path / "kept"
    rows = list(csv.DictReader((kept / "index.csv").open()))
    assert rows and all((kept / name).is_file() for row in rows for name in row["files"].split("; "))
    table = next((kept / "tables").rglob("*.csv"))
    assert len({len(row) for row in csv.reader(table.open())}) == 1
    assert "## Page 1" in next((kept / "text").glob("*.md")).read_text()
    assert not [path for path in kept.rglob("*") if "question" in path.name or "truth" in path.name]


def test_without_our_tools_there_are_none(tmp_path: Path) -> None:
    ran, told = tried(tmp_path, limit=1, workspace="text", tools="none")
    assert told["tools"] == []
    assert ran.run.manifest.settings["tools"] == "none"


def test_who_changes_what_samples_share_has_no_verdict_and_the_next_has_it_whole(tmp_path: Path) -> None:
    spoil = (
        "path = next((folder / 'text').glob('*.md')); text = path.read_text(); path.chmod(0o644); "
        "path.write_text('spoilt') if not pathlib.Path(__file__).with_name('done').exists() else "
        "None; pathlib.Path(__file__).with_name('done').touch(); assert text != 'spoilt'"
    )
    ran, _ = tried(tmp_path, spoil, limit=2, workspace="text", concurrency=1, python="none")
    first, second = sorted(ran.run.records, key=lambda record: record.finished)
    assert first.invalid_reason == "task_data" and "which samples share, was changed" in first.reason
    assert second.outcome.value == "fail"


@pytest.mark.parametrize(
    ("agent", "options", "said"),
    [
        ("reference", {"workspace": "text"}, "is for agents with tools of their own"),
        ("python:x:y", {"tools": "none"}, "goes with workspace"),
        ("own", {"workspace": "text", "setup": "closed"}, "closed book has no documents"),
        ("own", {"workspace": "pdf", "setup": "oracle-pages"}, "use workspace text"),
        ("own", {"workspace": "text", "faults": "E2"}, "files have no faults"),
    ],
)
def test_what_goes_with_no_files(tmp_path: Path, agent: str, options: dict[str, Any], said: str) -> None:
    chosen: Any = agent if agent == "reference" else lambda assignment: ""
    with pytest.raises(SettingError, match=said):
        wt.run("documents", chosen, out=tmp_path / "run", limit=1, **options)
