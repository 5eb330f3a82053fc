"""Pages that follow runs: what is added shows up without a load of the page."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect
from tests.support.browser import page
from tests.support.made_runs import make_run
from tests.support.viewing import viewing

from worktrial.engine.heartbeat import HEARTBEAT, STOP, Heartbeat, RunningSample
from worktrial.engine.retry import ProviderTrouble
from worktrial.engine.stored import open_run
from worktrial.reports.live_page import live_page
from worktrial.results.figure import figures_of
from worktrial.results.following import FollowedRun


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of 24 samples whose session goes on, with nothing finished."""
    folder = make_run(tmp_path / "runs" / "first", agent="brook", tasks=12, conditions=("E0", "E2"), invalid=0.2)
    manifest = msgspec.json.decode((folder / "manifest.json").read_bytes())
    manifest["sessions"][-1] |= {"ended": None, "end": None}
    (folder / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    (folder / "samples.jsonl").rename(tmp_path / "samples.all")
    (folder / "samples.jsonl").touch()
    return folder


@pytest.fixture
def address(run: Path) -> Iterator[str]:
    with viewing(run.parent) as printed:
        yield printed


def _grow(run: Path, samples: int) -> list[dict[str, object]]:
    """Let the run have so many finished samples."""
    lines = (run.parents[1] / "samples.all").read_bytes().splitlines(keepends=True)[:samples]
    with (run / "samples.jsonl").open("r+b") as file:
        file.write(b"".join(lines))
    return [msgspec.json.decode(line) for line in lines]


def test_a_run_is_watched_to_its_end(address: str, run: Path, chromium: Browser) -> None:
    with page(chromium, of_site=address) as opened:
        opened.goto(address)
        row = opened.locator("#runs tbody tr")
        expect(row).to_contain_text("0 of 24")
        opened.get_by_label("Compare brook").check()
        _grow(run, 5)
        expect(row).to_contain_text("5 of 24")
        expect(opened.get_by_label("Compare brook")).to_be_checked()
        row.get_by_role("link", name="going on").click()
        expect(opened.locator("#status")).to_have_text("5 of 24 samples are done.")
        done = _grow(run, 20)
        expect(opened.locator("#status")).to_have_text("20 of 24 samples are done.")
        bad = [one for one in done if one["outcome"] != "pass"]
        assert bad
        last = opened.get_by_role("table", name="What failed last").locator("tbody tr")
        expect(last.first).to_contain_text(str(bad[-1]["sample"]))
        expect(opened.locator(".facts")).to_contain_text("samples a minute")
        expect(opened.get_by_role("table", name="Invalid so far")).to_contain_text("endpoint_unavailable")
        manifest = msgspec.json.decode((run / "manifest.json").read_bytes())
        manifest["sessions"][-1] |= {"ended": "2026-03-02T12:00:00+00:00", "end": "done"}
        _grow(run, 24)
        (run / "manifest.json").write_bytes(msgspec.json.encode(manifest))
        expect(opened.locator("#status")).to_have_text("24 of 24 samples are done.")
        expect(opened.locator(".facts")).to_contain_text("done")
        last.first.get_by_role("link").click()
        expect(opened.locator("#verdict")).to_be_visible()


def test_work_in_flight_is_shown_and_a_run_is_stopped(address: str, run: Path, chromium: Browser) -> None:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    sample = RunningSample(sample="<b>7</b>", repeat=0, condition="E2", seconds=125.0, requests=9, tokens=1200)
    trouble = ProviderTrouble(at=now, said="agent at http://x: 429 slow down")
    beat = Heartbeat(written=now, in_flight=30, samples=[sample], retries=4, troubles=[trouble])
    (run / HEARTBEAT).write_bytes(msgspec.json.encode(beat))
    with page(chromium, of_site=address, bypass_csp=True) as opened:
        opened.goto(f"{address}live.html?run=first")
        expect(opened.locator(".facts")).to_contain_text("going on")
        assert [one["id"] for one in Axe().run(opened).response["violations"]] == []
        opened.set_viewport_size({"width": 360, "height": 740})
        assert opened.evaluate("document.documentElement.scrollWidth") == 360
        flying = opened.get_by_role("table", name="In flight: 30").locator("tbody tr")
        for shown in ("<b>7</b>", "E2", "2 min", "1,200"):
            expect(flying).to_contain_text(shown)
        expect(opened.get_by_role("table", name="Requests sent again in this session: 4")).to_contain_text("429")
        assert not (run / STOP).exists()
        opened.get_by_role("button", name="Stop this run").press("Enter")
        opened.get_by_role("button", name="Press once more").press("Enter")
        expect(opened.locator(".facts")).to_contain_text("ending")
        assert (run / STOP).exists()
        old = (datetime.now(UTC) - timedelta(minutes=2)).isoformat(timespec="seconds")
        (run / HEARTBEAT).write_bytes(msgspec.json.encode(msgspec.structs.replace(beat, written=old)))
        expect(opened.locator(".facts")).to_contain_text("killed: no sign of life")
        expect(opened.get_by_role("button", name="Stop")).to_have_count(0)


def test_the_server_ends_while_somebody_watches(run: Path, chromium: Browser) -> None:
    with viewing(run.parent) as address, page(chromium, of_site=address) as opened:
        opened.goto(f"{address}live.html?run=first")
        expect(opened.locator("h1")).to_have_text("brook")
        # Nothing more is asked for once the server is gone.
        opened.goto("about:blank")


def test_figures_of_a_run_that_goes_on(run: Path) -> None:
    followed = FollowedRun(run)
    assert followed.look() and not followed.look()
    _grow(run, 10)
    assert followed.look()
    began = datetime.fromisoformat(followed.manifest.sessions[-1].started)
    began = began if began.tzinfo else began.replace(tzinfo=UTC)
    page = live_page("first", "brook", followed, began + timedelta(minutes=5))
    assert "10 of 24 samples are done" in page and "2.0 samples a minute" in page and "<dd>7 min</dd>" in page
    assert sum(followed.counts().values()) == 10
    (run / "samples.jsonl").write_bytes(b"")
    assert followed.look() and not followed.samples


def test_the_figures_of_a_run_that_goes_on_are_those_of_the_run(run: Path) -> None:
    """The list of runs and the page of a run once had rates of their own, and no cost of a task."""
    followed = FollowedRun(run)
    _grow(run, 10)
    followed.look()
    lines = _grow(run, 20)
    # One of the first runs again: its last line counts.
    again = lines[0] | {"outcome": "pass", "reason": "again", "cost": 7.0}
    with (run / "samples.jsonl").open("ab") as file:
        file.write(msgspec.json.encode(again) + b"\n")
    followed.look()
    stored = figures_of(open_run(run))
    assert followed.samples == 20 and followed.figures().conditions == stored.conditions
    for condition in stored.conditions:
        for name in ("completion", "completion_of_valid", "invalid", "cost_per_task", "seconds", "calls"):
            assert followed.figures().get(name, condition) == stored.get(name, condition)
