"""The folder of a report: whole or not at all, and never over anything else."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.support.html_tree import parsed
from tests.support.made_runs import make_run
from tests.support.run_files import set_work, store_work, work_of

from worktrial.errors import DataError, SettingError
from worktrial.reports.report import Report, open_report
from worktrial.reports.site import whole_folder, write_site

_DAY = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)


@pytest.fixture
def report(tmp_path: Path) -> Report:
    runs = [make_run(tmp_path / "runs" / name, agent=name, tasks=6, conditions=("E0", "E1")) for name in ("a", "b")]
    return open_report(runs, "Trial")


def _files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def _left_beside(folder: Path, known: Iterable[str]) -> set[str]:
    return {entry.name for entry in folder.iterdir()} - set(known)


def test_a_site_is_whole_and_says_what_it_is(report: Report, tmp_path: Path) -> None:
    site = write_site(report, tmp_path / "new" / "site", made=_DAY)
    files = _files(site.folder)
    assert {"index.html", "samples.html", "trajectory.html", "assets/site.css", "report.json"} <= files.keys()
    assert site.first_page == tmp_path / "new" / "site" / "index.html"
    marker = json.loads(files["report.json"])
    assert (marker["title"], marker["runs"], marker["fingerprint"]) == ("Trial", ["a", "b"], site.fingerprint)
    page = parsed(files["index.html"].decode().removeprefix("<!doctype html>"))
    assert "2 runs, 24 samples" in page.text and "04 March 2026, 05:06 UTC" in page.text
    assert [s.attributes["id"] for s in page.one("main").all("section")] == ["leaderboard"]
    contents = [a.attributes["href"] for a in page.one("nav", class_="contents").all("a")]
    assert contents[0] == "index.html" and {"section-robustness.html", "section-runs.html"} <= set(contents)
    for href in contents[1:]:
        own = parsed(files[href].decode().removeprefix("<!doctype html>"))
        assert [a.attributes["href"] for a in own.one("nav", class_="contents").all("a")] == contents
        (marked,) = [a.attributes["href"] for a in own.one("nav", class_="contents").all("a", aria_current="page")]
        assert marked == href and f"section-{own.one('section').attributes['id']}.html" == href
    assert len(files["index.html"]) + sum(len(b) for n, b in files.items() if n.startswith("assets/")) < 1_000_000


def test_everything_that_pages_load_is_there(report: Report, tmp_path: Path) -> None:
    site = write_site(report, tmp_path / "site")
    for name in (path.name for path in site.folder.glob("*.html")):
        page = parsed((site.folder / name).read_text("utf-8").removeprefix("<!doctype html>"))
        loaded = [
            e.attributes.get("src") or e.attributes["href"]
            for e in page.all()
            if e.name in ("script", "link") and e.attributes.get("type") != "application/json"
        ]
        assert loaded and all((site.folder / address).is_file() for address in loaded)
        links = {a.attributes["href"] for a in page.all("a")}
        assert all(not re.match(r"[a-z]+:|/", href) for href in links)
        ids = {e.attributes["id"] for e in page.all() if "id" in e.attributes}
        assert {href[1:] for href in links if href.startswith("#") and "=" not in href} <= ids


def test_no_file_of_a_site_names_another_address(report: Report, tmp_path: Path) -> None:
    site = write_site(report, tmp_path / "site")
    for name, content in _files(site.folder).items():
        if not name.startswith("data/"):
            found = set(re.findall(r"(?:https?:)?//[a-z][\w.-]+\.[a-z]{2,}", content.decode()))
            assert found <= {"http://www.w3.org"}, name


def test_ids_are_unique(report: Report, tmp_path: Path) -> None:
    page = parsed(
        (write_site(report, tmp_path / "site").first_page).read_text("utf-8").removeprefix("<!doctype html>")
    )
    ids = [e.attributes["id"] for e in page.all() if "id" in e.attributes]
    assert len(ids) == len(set(ids))
    labels = [e.attributes["aria-label"] for e in page.all(role="region")]
    assert len(labels) == len(set(labels))


def test_the_date_is_no_part_of_the_fingerprint(report: Report, tmp_path: Path) -> None:
    first = write_site(report, tmp_path / "one", made=_DAY)
    second = write_site(report, tmp_path / "two", made=datetime(2027, 1, 1, tzinfo=UTC))
    assert first.fingerprint == second.fingerprint
    assert (tmp_path / "one/index.html").read_bytes() != (tmp_path / "two/index.html").read_bytes()
    renamed = Report("Other", report.runs)
    assert write_site(renamed, tmp_path / "three", made=_DAY).fingerprint != first.fingerprint


def test_an_older_report_is_replaced_and_leaves_nothing(report: Report, tmp_path: Path) -> None:
    known = {"runs", "site"}
    site = write_site(report, tmp_path / "site")
    write_site(Report("Other", report.runs[:1]), tmp_path / "site")
    assert "Other" in site.first_page.read_text("utf-8")
    assert not (site.folder / "data" / "b").exists()
    assert _left_beside(tmp_path, known) == set()


def test_what_a_killed_process_left_is_cleared_and_a_report_that_it_had_moved_is_put_back(
    report: Report, tmp_path: Path
) -> None:
    dead = subprocess.Popen([sys.executable, "-S", "-c", ""])
    dead.wait()
    known = {"runs", "site"}
    site = write_site(report, tmp_path / "site").folder
    # Between its two renames.
    site.rename(tmp_path / f".site.{dead.pid}.part.before")
    (tmp_path / f".site.{dead.pid}.part").mkdir()
    # Those of somebody who is at work, and what only looks like them, stay.
    others = [tmp_path / name for name in (f".site.{os.getppid()}.part", ".site.x.part", f".site.{dead.pid}.parts")]
    for other in others:
        other.mkdir()
    before = _files(tmp_path / f".site.{dead.pid}.part.before")
    with pytest.raises(RuntimeError), whole_folder(site):
        assert _files(site) == before
        raise RuntimeError
    assert _files(site) == before
    assert _left_beside(tmp_path, known) == {other.name for other in others}


def test_what_is_no_report_stays(report: Report, tmp_path: Path) -> None:
    precious = tmp_path / "site" / "thesis.txt"
    precious.parent.mkdir()
    precious.write_text("years of work")
    with pytest.raises(SettingError, match=r"thesis\.txt.*force"):
        write_site(report, tmp_path / "site")
    write_site(report, tmp_path / "site", force=True)
    assert (tmp_path / "site" / "index.html").exists()
    assert (tmp_path / "site.1" / "thesis.txt").read_text() == "years of work"


def test_a_file_added_to_a_report_stays(report: Report, tmp_path: Path) -> None:
    site = write_site(report, tmp_path / "site")
    (site.folder / "notes.md").write_text("mine")
    with pytest.raises(SettingError, match=r"notes\.md"):
        write_site(report, tmp_path / "site")
    write_site(report, tmp_path / "site", force=True)
    assert (tmp_path / "site.1" / "notes.md").read_text() == "mine"


@pytest.mark.parametrize("force", [False, True])
def test_a_run_is_never_replaced(report: Report, tmp_path: Path, force: bool) -> None:
    for into in (tmp_path / "runs" / "a", tmp_path / "runs"):
        with pytest.raises(SettingError, match="holds the run"):
            write_site(report, into, force=force)
    with pytest.raises(SettingError, match="is a file"):
        write_site(report, tmp_path / "runs" / "a" / "samples.jsonl", force=force)


@pytest.mark.parametrize("before", [False, True])
def test_what_breaks_off_leaves_the_folder_as_it_was(report: Report, tmp_path: Path, before: bool) -> None:
    into = tmp_path / "site"
    if before:
        write_site(report, into, made=_DAY)
    files = _files(into)

    def interrupt(what: str, samples: int) -> None:
        if what == "b":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_site(report, into, interrupt)
    assert _files(into) == files
    assert into.exists() == before
    assert _left_beside(tmp_path, {"runs", "site"}) == set()


def test_progress_counts_every_sample(report: Report, tmp_path: Path) -> None:
    told: dict[str, int] = {}

    def tell(what: str, samples: int) -> None:
        told[what] = told.get(what, 0) + samples

    write_site(report, tmp_path / "site", tell)
    assert told == {"first page": 0, "a": 12, "b": 12}


def test_a_damaged_trajectory_leaves_no_report(report: Report, tmp_path: Path) -> None:
    lines = work_of(tmp_path / "runs" / "b")
    set_work(tmp_path / "runs" / "b", [b"{broken", *lines[1:]])
    with pytest.raises(DataError, match="damaged record"):
        write_site(report, tmp_path / "site")
    assert _left_beside(tmp_path, {"runs"}) == set()


def test_an_empty_run_has_a_report(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", tasks=3)
    store_work(folder, [])
    site = write_site(open_report([folder], "t"), tmp_path / "site")
    assert "3 of 3 samples are still to come" in (site.folder / "section-runs.html").read_text("utf-8")
    assert "no sample has finished" in site.first_page.read_text("utf-8")
