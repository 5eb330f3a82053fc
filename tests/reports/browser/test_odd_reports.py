"""Reports of runs that are huge, unfinished, empty, alone, without a verdict, or no trial of an agent at all."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.results.runs import store
from tests.support.browser import address, page
from tests.support.cli import worktrial
from tests.support.made_runs import make_run
from tests.support.run_files import raw_work, records_in, store_work
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.true_simulator import TrueSimulator

from worktrial.reports.report import open_report
from worktrial.reports.site import write_site
from worktrial.suites.executable.tasks import TASKS_FILE, read_tasks
from worktrial.suites.starter import FOLDER, load_workplace


@pytest.fixture
def opened(chromium: Browser) -> Iterator[Page]:
    with page(chromium) as one:
        yield one


def _report(into: Path, runs: list[Path], title: str = "Odd") -> Path:
    return write_site(open_report(runs, title), into).folder


def _unfinished(folder: Path) -> Path:
    made = make_run(folder, agent="slow", tasks=30)
    store_work(made, list(zip(records_in(made), raw_work(made), strict=True))[:12])
    return made


def test_five_thousand_samples_in_pages(opened: Page, tmp_path: Path) -> None:
    many = make_run(tmp_path / "many", tasks=2500, conditions=("E0", "E2"), calls=2, trajectories=False)
    site = _report(tmp_path / "site", [many])
    opened.goto(address(site, "index.html"))
    opened.locator("#leaderboard td a").last.click()
    expect(opened.locator("#status")).to_have_text("2,500 of 5,000 samples, 1 to 100 shown.")
    opened.get_by_role("link", name="Last").click()
    expect(opened.locator("#status")).to_contain_text("2,401 to 2,500 shown")
    expect(opened.locator(".pager")).to_contain_text("Page 25 of 25")
    assert opened.locator("#results tbody tr").count() == 100
    opened.get_by_role("button", name="Cost").click()
    expect(opened.locator("#results th[aria-sort]")).to_have_text("Cost")
    costs = opened.locator("#results tbody tr td.number").all_inner_texts()
    assert costs
    opened.locator("select[name=outcome]").select_option("invalid")
    expect(opened.locator("#status")).to_contain_text("of 5,000")
    opened.locator("#results tbody a").first.click()
    expect(opened.locator("#verdict")).to_contain_text("invalid")
    expect(opened.locator("#work")).to_contain_text("Nothing is stored of this sample's work")


def test_one_unfinished_run(opened: Page, tmp_path: Path) -> None:
    site = _report(tmp_path / "site", [_unfinished(tmp_path / "slow")], "Slow & <b>steady</b>")
    opened.goto(address(site, "index.html"))
    expect(opened.locator("h1")).to_have_text("Slow & <b>steady</b>")
    expect(opened.locator("#leaderboard tbody th")).to_contain_text("unfinished: 18 of 30 samples to come")
    expect(opened.get_by_role("region", name="In short")).to_contain_text("slow completes")
    opened.locator("#leaderboard td a").last.click()
    expect(opened.locator("#status")).to_have_text("12 samples. 18 have not finished.")


def test_a_run_without_any_sample(opened: Page, tmp_path: Path) -> None:
    empty = store(tmp_path / "empty", []).folder
    site = _report(tmp_path / "site", [empty])
    opened.goto(address(site, "index.html"))
    expect(opened.get_by_role("region", name="In short")).to_contain_text("no sample has finished")
    assert opened.locator("#leaderboard td").all_inner_texts() == ["–", "0"]
    assert "NaN" not in opened.locator("main").inner_text()
    assert "0 samples" in opened.locator("main").inner_text()
    opened.goto(address(site, "samples.html"))
    expect(opened.locator("#status")).to_contain_text("0 samples")


def test_nothing_but_invalid_samples(opened: Page, tmp_path: Path) -> None:
    broken = [make_run(tmp_path / name, agent=name, tasks=20, invalid=1.0) for name in ("a", "b")]
    opened.goto(address(_report(tmp_path / "site", broken), "index.html"))
    cells = opened.locator("#leaderboard tbody tr").first.locator("td")
    expect(cells).to_have_count(3)
    expect(cells.nth(0)).to_contain_text("0.0%")
    expect(cells.nth(1)).to_contain_text("100.0%")
    brief = opened.get_by_role("region", name="In short")
    expect(brief).to_contain_text("Nothing can be said: no sample has a verdict of both a and b.")
    contents = opened.get_by_role("navigation", name="Contents")
    assert contents.get_by_role("link", name="Effort").count() == 0, "nobody is worth the money"
    text = opened.locator("main").inner_text()
    assert "NaN" not in text and "undefined" not in text and "None" not in text
    cells.nth(1).get_by_role("link").click()
    expect(opened.locator("#status")).to_have_text("20 samples.")
    expect(opened.locator("#results tbody tr").first).to_contain_text("endpoint_unavailable")


@pytest.fixture(scope="session")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("audit")
    tasks = read_tasks(FOLDER / "emergency_triage" / TASKS_FILE, load_workplace("emergency_triage"))[:3]
    with ScriptedServer(Script(simulator=TrueSimulator(tasks))) as server:
        ran = worktrial(
            *("audit", "simulator", "--simulator", "simulator-1", "--base-url", server.url),
            *("--tasks", ",".join(task.id for task in tasks), "--memory", "ledger", "-o", folder / "audit"),
        )
    assert ran.code == 0, ran.err
    return _report(folder / "site", [folder / "audit"])


def test_an_audit_alone(opened: Page, audit: Path) -> None:
    opened.goto(address(audit, "index.html"))
    assert opened.locator("#leaderboard").count() == 0, "an audit is no trial of an agent"
    expect(opened.locator("#simulators .takeaway")).to_contain_text("answers exactly as they are")
    assert "NaN" not in opened.locator("main").inner_text()
    opened.locator("#simulators .note a").first.click()
    expect(opened.locator("#status")).to_contain_text("samples")
    opened.locator("#results tbody a").first.click()
    expect(opened.locator("#work .call").first).to_be_visible()
