"""Trials from Python: loops, cancelling, plain functions, and what a notebook shows."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from tests.results.runs import record, store

import worktrial as wt
from worktrial.errors import SettingError


@dataclass
class Clerk:
    """Agent that answers at once until `patience` is used up, and then never."""

    patience: int
    begun: int = 0
    stuck: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, assignment: wt.Assignment) -> str:
        self.begun += 1
        if self.begun > self.patience:
            self.stuck.set()
            await asyncio.Event().wait()
        return "I do not know."


def test_a_cancelled_run_keeps_what_is_finished_and_the_same_call_resumes_it(tmp_path: Path) -> None:
    def call(clerk: Clerk) -> Coroutine[None, None, wt.Run]:
        return wt.run_async("starter", clerk, out=tmp_path / "run", limit=8, concurrency=1)

    async def cancelled(clerk: Clerk) -> None:
        task = asyncio.create_task(call(clerk))
        await clerk.stuck.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0)  # the loop is the caller's, and goes on

    asyncio.run(cancelled(Clerk(patience=3)))
    stored = wt.load(tmp_path / "run")
    assert len(stored.run.records) == 3
    assert stored.run.manifest.sessions[-1].end == "interrupted"
    second = Clerk(patience=100)
    whole = asyncio.run(call(second))
    assert len(whole.run.records) == 8
    assert second.begun == 5, "nothing is tried twice"
    assert whole.run.records[:3] == stored.run.records


def test_plain_functions_inside_a_running_loop(tmp_path: Path) -> None:
    seen: list[Any] = []

    def agent(assignment: wt.Assignment) -> str:
        # In a thread of its own: what is async to others is waited for here.
        seen.append(assignment.call("no_such_tool", {}))
        return "Done."

    async def notebook() -> wt.Run:
        return wt.run("starter", agent, out=tmp_path / "run", limit=3)

    done = asyncio.run(notebook())
    assert [record.outcome.value for record in done.run.records] == ["fail"] * 3
    assert [observation["error"]["type"] for observation in seen] == ["unknown_tool"] * 3
    again = wt.run("starter", agent, out=tmp_path / "run", limit=3)
    assert (again.line(), len(seen)) == (done.line(), 3), "outside of a loop the same call finds it finished"


class Tags(HTMLParser):
    """Names and attributes of all tags, and the text between them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>&amp;\x1b[2J\u202e" + "long " * 300


def test_a_notebook_shows_hostile_text_as_text(tmp_path: Path) -> None:
    folder = tmp_path / "<b onclick=x>run"
    store(folder, [record("1", condition="<i>E9</i>")], agent=HOSTILE)
    html = wt.load(folder)._repr_html_()
    page = Tags()
    page.feed(html)
    assert page.tags == {"table", "tr", "th", "td"}
    assert page.attributes == []
    assert "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>&amp;" in page.text
    assert "<i>E9</i>" in page.text
    assert "<b onclick=x>run" in page.text
    assert not {"\x1b", "\u202e"} & set(html)
    assert len(html) < 2000, "an endless name does not fill the screen"


def test_runs_of_different_suites_are_refused_in_a_sentence(tmp_path: Path) -> None:
    store(tmp_path / "run", [record("1")])
    with pytest.raises(SettingError) as refused:
        wt.run("starter", "idle", out=tmp_path / "run", limit=1)
    assert str(refused.value).startswith(f"{tmp_path / 'run'} holds a s run. Name another folder with ")
    assert "\n" not in str(refused.value)


def test_runs_and_comparisons_speak_for_themselves(tmp_path: Path) -> None:
    """Printing a comparison gave a raw dataclass."""
    runs = wt.run("starter", ["plan", "idle"], out=tmp_path, limit=8)
    found = wt.compare(*runs)
    assert str(found) == found.conclusion and str(found).startswith("plan completes 100.0 points more than idle")
    html = found._repr_html_()
    assert html.startswith("<p>plan completes") and "<td>100.0%</td><td>0.0%</td><td>-100.0</td>" in html
    console = Console(file=StringIO(), width=120)
    for one in (*runs, found):
        console.print(one)
    said = " ".join(console.file.getvalue().split())  # type: ignore[attr-defined]
    assert "plan completes 100.0 points more" in said and "starter · agent idle: 0.0% (0/8, 95 % interval" in said
