"""Stored plans on the bundled archive: they prove that the tools suffice. And the bundle itself."""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.sandbox.sessions import needs_sandbox

import worktrial
from lab.scoring import read_truth
from worktrial.agents.plan import Plan, follow, plan_problems
from worktrial.archive.store.archive import Archive
from worktrial.suites.documents.example import example_archive, example_folder
from worktrial.suites.documents.load import load_questions
from worktrial.suites.documents.toolbox import open_tools
from worktrial.suites.documents.trace import trace_of
from worktrial.suites.documents.workplace import ArchiveSession, Pictures
from worktrial.workplaces import Trajectory


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORKTRIAL_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield Archive.open(example_archive())


def test_every_question_but_the_chart_s_is_solved_by_its_plan_with_the_tools_alone(archive: Archive) -> None:
    questions = load_questions(example_folder()).questions

    async def all_answers() -> dict[str, Trajectory]:
        found = {}
        async with AsyncExitStack() as stack:
            session = ArchiveSession(await open_tools(archive, "none", stack), Pictures())
            for question in questions:
                plan = Plan.model_validate(question.plan)
                assert plan_problems(plan, session.workplace) == []
                found[question.id] = await follow(plan, session)
        return found

    done = asyncio.run(all_answers())
    assert [q.id for q in questions if done[q.id].answer != q.answer] == ["H013"]
    for question in questions:
        calls = done[question.id].calls
        assert not any("error" in call.observation.content for call in calls)
        if question.kind != "chart":
            assert {call.tool for call in calls} == {"search", "sql", "read_table"}
            # What it looked at is where the answer stands.
            trace = trace_of(calls)
            assert trace.seen == set(question.pages) and not trace.unrecorded


def test_the_bundle_is_whole_and_small() -> None:
    folder = example_folder()
    files = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert sum(path.stat().st_size for path in files) <= 3_000_000
    built = {record.name: record for record in Archive.open(folder / "archive").documents}
    pdfs = sorted((folder / "pdfs").glob("*.pdf"))
    assert sorted(built) == [path.stem for path in pdfs]
    for path in pdfs:
        # Otherwise what was built is not of these originals: run scripts/bundle_archive.py.
        assert built[path.stem].sha256 == sha256(path.read_bytes()).hexdigest()
        assert built[path.stem].readable
    truth = read_truth(folder / "truth/tables.jsonl")
    assert {table.doc for table in truth} <= set(built)
    assert {table.kind for table in truth} == {"digital", "scan"}
    questions = load_questions(folder).questions
    assert Counter(q.difficulty for q in questions).keys() == {"easy", "hard"} and len(questions) == 20
    assert all(page.page <= built[page.document].pages for q in questions for page in q.pages)


def test_the_bundle_names_no_place_of_its_making() -> None:
    for path in example_folder().rglob("*.json*"):
        for line in path.read_text("utf-8").splitlines():
            assert '":"/' not in line.replace(" ", "")
    records = json.loads((example_folder() / "archive/manifest.json").read_text())["documents"]
    assert all(Path(record["source"]).name == record["source"] for record in records)


@needs_sandbox
def test_no_tool_tells_a_place_on_this_machine(archive: Archive) -> None:
    name = "halvern_bulletin_1936_09"
    looking = """
import os
found = [os.path.join(at, f) for at, _, files in os.walk('/') if not at.startswith(OWN) for f in files]
kept = {k: repr(v) for k, v in globals().items()}
(found, kept, os.getcwd(), sorted(os.environ.values()), sorted(os.listdir('/')))
"""
    calls: list[tuple[str, dict[str, Any]]] = [
        ("list_documents", {}),
        ("search", {"query": "receipts from customs"}),
        ("search", {"query": "x", "document": "nothing"}),
        ("grep", {"pattern": "Customs"}),
        ("grep", {"pattern": "("}),
        ("read_page", {"document": name, "page": 5}),
        ("read_page", {"document": name, "page": 50}),
        ("read_table", {"document": name, "page": 2}),
        ("read_table", {"document": name, "page": 5}),
        ("view_page", {"document": name, "page": 2, "part": [0, 0, 0.2, 0.2]}),
        ("sql", {"query": "FROM documents"}),
        *(("sql", {"query": f"SELECT * FROM {f}()"}) for f in ("duckdb_databases", "duckdb_settings")),
        ("sql", {"query": "FROM '/etc/passwd'"}),
        ("sql", {"query": "FROM nowhere"}),
        (
            "python",
            {"code": "OWN = ('/usr', '/lib', '/python', '/packages', '/session', '/dev', '/etc')\n" + looking},
        ),
        ("python", {"code": "rows('FROM nowhere')"}),
        ("python", {"code": "import decimal; decimal.Decimal('x')"}),
    ]

    async def told() -> list[Any]:
        async with AsyncExitStack() as stack:
            box = await open_tools(archive, "sandboxed", stack)
            return [*box.specs, *[await box.call(tool, arguments) for tool, arguments in calls]]

    answered = asyncio.run(told())
    places = (
        archive.folder,
        example_folder(),
        Path(worktrial.__file__).parent,
        Path(sys.prefix),
        Path.home(),
        Path.cwd(),
    )
    for answer in answered:
        text = json.dumps(answer)
        assert [str(place) for place in places if str(place) in text] == [], text[:2000]
    found = answered[-3]["value"]
    assert found.startswith("([], ") and "rows" in found


def test_the_archive_in_the_cache_shows_its_pages(archive: Archive) -> None:
    record = archive.documents[0]
    assert Path(record.source).is_file()
    assert archive.image(record.name, 1, scale=0.3).width > 100
    assert example_archive() == archive.folder
