"""The review pages: clause, quote, tool, check and runs of a task together; search over all."""

from pathlib import Path

import pytest
import yaml
from axe_playwright_python.sync_playwright import Axe
from tests.support.browser import browser, missing_browser, page
from tests.support.library_clerk import Clerk
from tests.support.scripted_server import ScriptedServer
from tests.synthesis.test_composed_session import everybody, session_on, spec

from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.review import write_review


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("review") / "library"
    with ScriptedServer(everybody(solver=Clerk(lambda run, task: run == 0 and "gone for good" in task))) as server:
        session_on(root, server.url, spec(5))
    return root


def test_a_task_is_shown_with_clause_quote_tool_check_and_runs(root: Path) -> None:
    first = write_review(SuiteFolder(root))
    index = first.read_text("utf-8")
    assert "5 tasks" in index
    disputed = 0
    for path in sorted((root / "work" / "tasks").glob("*.yaml")):
        draft = yaml.safe_load(path.read_text("utf-8"))
        page = (first.parent / "tasks" / f"{path.stem}.html").read_text("utf-8")
        assert f"tasks/{path.stem}.html" in index
        assert all(clause in page for clause in draft["clauses"])
        assert "<q>" in page
        assert all(step["call"] in page for step in draft["steps"])
        assert "only_changed" in page
        assert "Fresh, run 1" in page and "Second worker, run 1" in page
        assert f"work/tasks/{path.name}" in page
        disputed += "Ruling between two ends" in page
    assert disputed >= 1


def test_markup_in_a_task_is_shown_as_text(root: Path) -> None:
    path = root / "work" / "tasks" / "loans-01.yaml"
    before = path.read_text("utf-8")
    draft = yaml.safe_load(before)
    draft["instructions"]["en"] += "</script><script>alert(1)</script>"
    path.write_text(yaml.safe_dump(draft, allow_unicode=True), "utf-8")
    first = write_review(SuiteFolder(root))
    path.write_text(before, "utf-8")
    for shown in (first, first.parent / "tasks" / "loans-01.html"):
        assert "<script>alert" not in shown.read_text("utf-8")


def test_many_tasks_make_several_pages(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worktrial.synthesis.review.page.ROWS", 2)
    first = write_review(SuiteFolder(root))
    names = sorted(path.name for path in first.parent.glob("index*.html"))
    assert names[:3] == ["index-2.html", "index-3.html", "index.html"]
    monkeypatch.undo()
    write_review(SuiteFolder(root))
    assert [path.name for path in first.parent.glob("index*.html")] == ["index.html"]


@pytest.mark.timeout(240)
def test_the_table_is_searched_and_filtered_in_a_browser(root: Path) -> None:
    problem = missing_browser()
    if problem is not None:
        pytest.skip(problem)
    address = write_review(SuiteFolder(root)).resolve().as_uri()
    with browser() as chromium:
        with page(chromium, width=360) as opened:
            opened.goto(address)
            shown = opened.locator("#rows tr")
            whole = shown.count()
            opened.fill("#words", "lost_tool")
            assert 0 < shown.count() < whole
            assert f"of {whole} tasks" in opened.inner_text("#said")
            opened.fill("#words", "nothing like it")
            assert shown.count() == 0
            opened.fill("#words", "")
            opened.select_option("#level", "1")
            assert 0 < shown.count() < whole
            opened.select_option("#level", "")
            assert shown.count() == whole
            opened.locator("#rows a").first.click()
            assert opened.locator("h1").inner_text().startswith("loans-")
            assert opened.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        for target in (address, address.replace("index.html", "tasks/loans-01.html")):
            with page(chromium, bypass_csp=True) as opened:
                opened.goto(target)
                found = Axe().run(opened, options={"resultTypes": ["violations"], "preload": False}).response
            grave = [(one["id"], one["impact"]) for one in found["violations"]]
            assert not [one for one in grave if one[1] in ("serious", "critical")]
