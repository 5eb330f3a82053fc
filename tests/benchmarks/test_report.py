"""What the benchmark of the report holds its figures against, and that it measures what it says."""

from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.measured import Measured
from benchmarks.report import Case, Done, first_page_bytes, rows_of
from benchmarks.report_pages import Took
from tests.support.browser import missing_browser

from benchmarks import report_pages, report_runs
from worktrial.reports.report import open_report
from worktrial.reports.site import write_site

PROCESS = Measured(began=0.0, seconds=8.0, cpu=6.0, peak_bytes=400_000_000, out="")
GOOD = Done(PROCESS, 300_000, 400_000, Took(first_page=1.0, samples=0.5, sorted=0.4, trajectory=0.5))
CASE = Case("10 runs", ["runs/a"], 100_000_000)


def test_good_figures_pass() -> None:
    assert [row.passed for row in rows_of(CASE, [GOOD]) if row.passed is not None] == [True] * 6
    without = rows_of(CASE, [replace(GOOD, took=None)])
    assert [row.passed for row in without if row.passed is not None] == [True] * 3


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (replace(GOOD, made=replace(PROCESS, cpu=10.1)), "CPU"),
        (replace(GOOD, made=replace(PROCESS, peak_bytes=501_000_000)), "peak memory"),
        (replace(GOOD, first_page_bytes=1_000_001), "first page"),
        (replace(GOOD, took=Took(2.1, 0.5, 0.4, 0.5)), "first page can be used"),
        (replace(GOOD, took=Took(1.0, 2.1, 0.4, 0.5)), "list of samples"),
    ],
)
def test_a_missed_limit_is_told(bad: Done, said: str) -> None:
    assert [said in row.name for row in rows_of(CASE, [bad]) if row.passed is False] == [True]


def test_the_pages_of_small_runs(tmp_path: Path) -> None:
    order = report_runs.Order(str(tmp_path), runs=2, tasks=5, calls=3, trajectories=True)
    runs = [Path(folder) for folder in report_runs.make(order)]
    site = tmp_path / "site"
    write_site(open_report(runs, "t"), site)
    before = first_page_bytes(site)
    assert before > (site / "index.html").stat().st_size + (site / "assets" / "site.css").stat().st_size
    if (problem := missing_browser()) is not None:
        pytest.skip(problem)
    took = report_pages.look(report_pages.Order(str(site), runs[1].name))
    assert min(took.first_page, took.samples, took.sorted, took.trajectory) > 0
