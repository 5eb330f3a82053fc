"""Tasks by agents, and one task with all attempts at it, in a real browser from the disk."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.support.browser import address, page
from tests.support.made_runs import make_run
from tests.support.run_files import set_work, work_of

from worktrial.engine.stored import open_run
from worktrial.reports.report import open_report
from worktrial.reports.site import write_site


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of `brook` and `heron` on the same 300 tasks, `wren` on some with repeats, and another suite."""
    folder = tmp_path_factory.mktemp("tasks")
    runs = [
        make_run(folder / "brook", agent="brook", tasks=300, conditions=("E0", "E2"), skill=0.8),
        make_run(folder / "heron", agent="heron", tasks=300, skill=0.4),
        make_run(folder / "wren", agent="wren", tasks=12, repeats=3),
        make_run(folder / "other", agent="plan", suite="starter", tasks=6),
        make_run(folder / "hostile", suite="bad", tasks=8, conditions=("E0", "E2"), hostile=True),
    ]
    lines = work_of(folder / "heron")
    lines[41]["calls"][2]["arguments"] = {"note": 'the "Zwölf" <key>'}
    set_work(folder / "heron", lines)
    write_site(open_report(runs, "Tasks"), folder / "site")
    return folder


@pytest.fixture
def opened(chromium: Browser) -> Iterator[Page]:
    with page(chromium) as one:
        yield one


def _go(opened: Page, tasks: Path, rest: str) -> None:
    opened.goto(address(tasks / "site", rest))


def test_the_matrix_has_all_and_shows_what_is_in_view(opened: Page, tasks: Path) -> None:
    _go(opened, tasks, "tasks.html")
    expect(opened.locator("#status")).to_have_text("300 tasks, 4 columns.")
    table = opened.get_by_role("table", name="Tasks by agents")
    expect(table).to_have_attribute("aria-rowcount", "301")
    assert 10 < table.get_by_role("row").count() < 80
    heads = table.get_by_role("columnheader").all_inner_texts()
    assert [" ".join(head.split()) for head in heads] == ["Task", "brook E0", "brook E2", "heron E0", "wren E0"]
    opened.evaluate("document.querySelector('.matrix').scrollTop = 1e6")
    expect(table.get_by_role("rowheader", name="task-300")).to_be_visible()
    table.get_by_role("link", name="heron, E0").last.click()
    expect(opened.locator("h1")).to_have_text("Sample task-300")


def test_filters_agree_with_the_records(opened: Page, tasks: Path) -> None:
    outcomes: dict[str, list[str]] = {}
    for name in ("brook", "heron", "wren"):
        for record in open_run(tasks / name).records:
            outcomes.setdefault(record.sample, []).append(record.outcome.value)
    differ = sum("pass" in own and set(own) != {"pass"} for own in outcomes.values())
    nobody = sum("pass" not in own for own in outcomes.values())
    assert differ and nobody
    status = opened.locator("#status")
    _go(opened, tasks, "tasks.html")
    opened.get_by_label("Show").select_option(label="where agents differ")
    expect(status).to_have_text(f"{differ} of 300 tasks, 4 columns.")
    assert opened.url.endswith("show=differ")
    opened.get_by_label("Show").select_option(label="that nobody passed")
    expect(status).to_have_text(f"{nobody} of 300 tasks, 4 columns.")
    opened.get_by_label("Show").select_option(label="that somebody has not tried")
    expect(status).to_have_text("288 of 300 tasks, 4 columns.")
    opened.get_by_label("Task contains").fill("SK-29")
    expect(status).to_have_text("11 of 300 tasks, 4 columns.")
    opened.get_by_label("Task contains").fill("nothing like it")
    expect(opened.locator("#matrix")).to_contain_text("No task is like this")
    opened.get_by_role("button", name="Clear").click()
    expect(status).to_have_text("300 tasks, 4 columns.")
    opened.get_by_label("Suite").select_option("starter")
    expect(status).to_have_text("6 tasks, 1 column.")


def test_a_search_reads_the_work_itself(opened: Page, tasks: Path) -> None:
    _go(opened, tasks, "tasks.html")
    opened.get_by_label("Anywhere in the work").fill('THE "ZWÖLF" <key>')
    opened.keyboard.press("Enter")
    expect(opened.locator("#status")).to_have_text("1 of 300 tasks, 4 columns.")
    expect(opened.get_by_role("rowheader")).to_have_text("task-42")
    _go(opened, tasks, "tasks.html#" + urlencode({"text": "429 after 8 attempts"}))
    invalid = {
        r.sample
        for name in ("brook", "heron", "wren")
        for r in open_run(tasks / name).records
        if r.outcome == "invalid"
    }
    expect(opened.locator("#status")).to_have_text(f"{len(invalid)} of 300 tasks, 4 columns.")


def test_attempts_side_by_side_and_where_they_differ(opened: Page, tasks: Path) -> None:
    _go(opened, tasks, "tasks.html")
    opened.get_by_role("table").get_by_role("link", name="task-42", exact=True).or_(
        opened.get_by_role("rowheader", name="task-3", exact=True).get_by_role("link")
    ).first.click()
    expect(opened.locator("h1")).to_have_text("Task task-3")
    expect(opened.locator("#status")).to_have_text("6 attempts.")
    rows = opened.get_by_role("table", name="How each attempt ended").locator("tbody th").all_inner_texts()
    assert rows == ["brook, E0", "brook, E2", "heron, E0", "wren, E0", "wren, E0, repeat 1", "wren, E0, repeat 2"]
    expect(opened.locator("#calls tr.differs")).to_have_count(1)
    differs = opened.locator("#calls tr.differs th").inner_text()
    number = int(differs.split()[0])
    expect(opened.locator("#calls")).to_contain_text(f"The attempts first differ at call {number}.")
    opened.locator("#calls tr.differs td a").first.click()
    expect(opened.locator(f"#call-{number}")).to_be_focused()
    opened.get_by_role("link", name="All attempts at this task").first.click()
    expect(opened.locator("#status")).to_have_text("6 attempts.")
    _go(opened, tasks, "task.html#suite=occupations&sample=task-3&run=brook")
    expect(opened.locator("#status")).to_have_text("2 attempts.")


def test_the_first_difference_is_the_first(opened: Page, tasks: Path) -> None:
    _go(opened, tasks, "task.html#suite=occupations&sample=task-42&run=heron")
    expect(opened.locator("#status")).to_have_text("1 attempt.")
    expect(opened.locator("#calls")).not_to_contain_text("differ")
    stored = {name: _arguments(tasks / name, "task-42") for name in ("brook", "heron")}
    brook, heron = stored["brook"], stored["heron"]
    same = next(n for n in range(99) if brook[n : n + 1] != heron[n : n + 1])
    _go(opened, tasks, "task.html#suite=occupations&sample=task-42")
    expect(opened.locator("#status")).to_have_text("3 attempts.")
    shown = int(opened.locator("#calls tr.differs th").inner_text().split()[0])
    assert shown <= same + 1


def _arguments(run: Path, sample: str) -> list[object]:
    for work in work_of(run):
        if work["sample"] == sample:
            return [(call["tool"], call["arguments"]) for call in work["calls"]]
    raise AssertionError(sample)


@pytest.mark.parametrize(
    "fragment", ["", "suite=nowhere&sample=task-1", "sample=%3Cimg%3E", "sample=task-1&run=no"]
)
def test_tasks_that_are_not_there(opened: Page, tasks: Path, fragment: str) -> None:
    _go(opened, tasks, f"task.html#{fragment}")
    expect(opened.get_by_role("alert")).to_have_text("No run here has this task.")


def test_hostile_tasks_are_only_text(chromium: Browser, tasks: Path) -> None:
    with page(chromium, width=390, dark=True) as opened:
        opened.goto(address(tasks / "site", "tasks.html#suite=bad"))
        expect(opened.locator("#status")).to_have_text("8 tasks, 2 columns.")
        opened.get_by_role("rowheader").first.get_by_role("link").click()
        expect(opened.locator("#attempts")).to_be_visible()
        assert opened.locator("#viewer :is(script, img, style, svg, iframe, form, input)").count() == 0
        assert opened.evaluate("document.documentElement.scrollWidth") <= 390
        assert "<script>" in opened.locator("#viewer").inner_text()
