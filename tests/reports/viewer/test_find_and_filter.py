"""Finding samples: by words anywhere in the work, by anything that is on record, among a hundred thousand."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect
from tests.results.runs import record
from tests.support.browser import address, page, until
from tests.support.made_runs import make_run
from tests.support.run_files import records_in, store_work, work_of

from worktrial.engine.manifest import Manifest
from worktrial.engine.records import SAMPLES
from worktrial.engine.stored import StoredRun
from worktrial.reports.report import Report, ReportRun, open_report
from worktrial.reports.site import write_site
from worktrial.reports.viewer.pages import assets, runs_file, viewer_page
from worktrial.reports.viewer.run_data import RunData
from worktrial.reports.viewer.write import write_data

MANY = 100_000
PLANTED = {"assignment": "task-3", "answer": "task-5", "call": "task-7", "feedback": "task-9", "reason": "task-11"}


def _planted(folder: Path) -> Path:
    """A run in which a word of its own stands in each place that a search has to look into."""

    def changed(rows: list[dict[str, Any]], plant: Any) -> list[dict[str, Any]]:
        for row in rows:
            for place, sample in PLANTED.items():
                if row["sample"] == sample:
                    plant(row, place)
        return rows

    def in_work(row: dict[str, Any], place: str) -> None:
        if place == "assignment":
            row["instruction"] += " Xassignment."
        elif place == "answer":
            row["answer"] = "It is Xanswer."
        elif place == "call":
            row["calls"][-1]["observation"]["content"] = {"Note": ["of the Xcall"]}

    def in_record(row: dict[str, Any], place: str) -> None:
        if place == "feedback":
            row["votes"][-1]["feedback"] = "Because of Xfeedback."
        elif place == "reason":
            row["reason"] = "Xreason"

    make_run(folder, agent="brook", tasks=40, invalid=0.0)
    records, works = changed(records_in(folder), in_record), changed(work_of(folder), in_work)
    store_work(folder, zip(records, works, strict=True))
    return folder


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("found")
    runs = [
        _planted(folder / "brook"),
        make_run(folder / "heron", agent="heron", tasks=40, conditions=("E0", "E2")),
    ]
    write_site(open_report(runs, "Found"), folder / "site")
    return folder


@pytest.fixture
def opened(chromium: Browser) -> Iterator[Page]:
    with page(chromium) as one:
        yield one


def test_assignments_answers_calls_feedback_and_reasons_are_searched(opened: Page, found: Path) -> None:
    opened.goto(address(found / "site", "tasks.html"))
    for place, sample in PLANTED.items():
        opened.get_by_label("Anywhere in the work").fill(f"x{place}")
        opened.keyboard.press("Enter")
        expect(opened.locator("#status")).to_have_text("1 of 40 tasks, 3 columns.")
        expect(opened.get_by_role("rowheader")).to_have_text(sample)


def test_tasks_are_filtered_by_anything_on_record(opened: Page, found: Path) -> None:
    """By what belongs to a task, and by how some attempt at it went."""
    rows = [
        msgspec.json.decode(line)
        for name in ("brook", "heron")
        for line in (found / name / SAMPLES).read_bytes().splitlines()
    ]
    opened.goto(address(found / "site", "tasks.html"))
    opened.get_by_text("More filters").click()
    for label, name, value in (
        ("Outcome of an attempt", "outcome", "invalid"),
        ("Outcome of an attempt", "outcome", "pass"),
        ("An attempt ended by", "stop_reason", "answered"),
        ("Industry", "category", None),
        ("Scenario", "scenario", None),
    ):
        control = opened.get_by_label(label)
        chosen = value or control.locator("option").nth(1).inner_text()
        of = {row["sample"] for row in rows if (row["tags"] | row).get(name) == chosen}
        assert of, (name, chosen)
        control.select_option(chosen)
        among = "40 tasks" if len(of) == 40 else f"{len(of)} of 40 tasks"
        expect(opened.locator("#status")).to_have_text(f"{among}, 3 columns.")
        opened.get_by_role("button", name="Clear").click()
        expect(opened.locator("#status")).to_have_text("40 tasks, 3 columns.")
    # What is in the address is chosen, and to be seen.
    opened.goto(address(found / "site", "tasks.html#outcome=invalid&scenario=nothing"))
    expect(opened.locator("#matrix")).to_contain_text("No task is like this")
    expect(opened.get_by_label("Outcome of an attempt")).to_be_visible()


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of two runs of 50,000 samples each, without any work."""
    into = tmp_path_factory.mktemp("many")
    runs = []
    for agent, every in (("brook", 3), ("heron", 5)):
        records = [
            record(
                f"task-{n}",
                "pass" if n % every else "fail",
                reason="",
                tags={"category": f"Industry {n % 10}", "difficulty": "hard" if n % 7 == 0 else "easy"},
            )
            for n in range(MANY // 2)
        ]
        manifest = Manifest(suite="s", data={}, settings={}, samples=len(records))
        runs.append(ReportRun(agent, agent, StoredRun(into / agent, manifest, records)))
    report = Report("Many", runs)
    (into / "assets").mkdir()
    for name, content in assets():
        (into / "assets" / name).write_bytes(content)
    write_data(into, "runs", runs_file(runs))
    for run in runs:
        data = RunData(run)
        for name in ("run", "k0", *(f"s{n}" for n in range(MANY // 2 // 5000))):
            write_data(into, f"{run.slug}/{name}", data.file(f"{run.slug}/{name}"))
    for name in ("tasks.html", "samples.html"):
        (into / name).write_text(viewer_page(name, report), "utf-8")
    return into


def test_a_hundred_thousand_samples(opened: Page, many: Path) -> None:
    """All of them are there, filtered as they should be, and few of them are in the page."""
    half = MANY // 2
    status = opened.locator("#status")
    opened.goto(address(many, "tasks.html"))
    expect(status).to_have_text(f"{half:,} tasks, 2 columns.", timeout=30_000)
    assert opened.get_by_role("row").count() < 80
    opened.get_by_label("Show").select_option(label="where agents differ")
    differ = sum((n % 3 == 0) != (n % 5 == 0) for n in range(half))
    expect(status).to_have_text(f"{differ:,} of {half:,} tasks, 2 columns.")
    opened.get_by_label("Industry").select_option("Industry 4")
    opened.get_by_label("Difficulty").select_option("hard")
    some = [n for n in range(half) if (n % 3 == 0) != (n % 5 == 0) and n % 10 == 4 and n % 7 == 0]
    expect(status).to_have_text(f"{len(some):,} of {half:,} tasks, 2 columns.")
    opened.evaluate("document.querySelector('.matrix').scrollTop = 1e9")
    expect(opened.get_by_role("rowheader", name=f"task-{some[-1]}", exact=True)).to_be_visible()
    opened.get_by_label("Task contains").fill("task-4999")
    last = [n for n in some if str(n).startswith("4999")]
    expect(status).to_have_text(f"{len(last)} of {half:,} tasks, 2 columns.")
    opened.goto(address(many, "samples.html#run=heron&outcome=fail&category=Industry+5"))
    failed = sum(n % 5 == 0 and n % 10 == 5 for n in range(half))
    until(opened, f"document.getElementById('status').textContent.includes('{failed:,} of {half:,} samples')")
    assert opened.locator("#results tbody tr").count() <= 200
