"""Make the pictures of the docs' pages on reports and the viewer anew: `python -m scripts.screenshots`.

What they show is made up, and says so in its title. Needs Debian's `chromium`.
"""

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path

import msgspec
from PIL import Image
from playwright.sync_api import Browser, Page
from tests.support.browser import address, browser, missing_browser, page, until
from tests.support.made_runs import make_run
from tests.support.viewing import up, viewing

from worktrial.engine.heartbeat import HEARTBEAT, Heartbeat, RunningSample
from worktrial.engine.manifest import MANIFEST, read_manifest
from worktrial.engine.retry import ProviderTrouble
from worktrial.engine.stored import open_run
from worktrial.grading import Outcome
from worktrial.reports.report import open_report
from worktrial.reports.site import write_site
from worktrial.results.labels import LabelBook, LabelVerdict, ReaderOpinion, calls_of

INTO = Path(__file__).parent.parent / "docs" / "images"
TITLE = "Made-up agents on made-up tasks"
LARGEST = 150_000
"""Bytes of a picture."""

_ALL = ("E0", "E1", "E2", "E3")
# Agent to its skill, its price, and its industries of strength and weakness.
_AGENTS: Mapping[str, tuple[float, float, Mapping[str, float]]] = {
    "osprey-large": (0.78, 0.084, {"Healthcare & Life Sciences": 0.9, "Technology & IT": 0.88}),
    "osprey-mini": (0.7, 0.011, {"Technology & IT": 0.85, "Public Service & Governance": 0.45}),
    "curlew": (0.55, 0.024, {"Education & Culture": 0.8, "Industrial & Engineering": 0.35}),
}
_INDUSTRIES = (
    "Agriculture & Environment",
    "Business & Enterprise",
    "Commerce & Consumer",
    "Education & Culture",
    "Healthcare & Life Sciences",
    "Industrial & Engineering",
    "Public Service & Governance",
    "Science & Research",
    "Technology & IT",
    "Transportation & Logistics",
)


def main() -> None:
    """Write all pictures."""
    if (problem := missing_browser()) is not None:
        sys.exit(f"screenshots: {problem}")
    INTO.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, browser() as started:
        site = _site(Path(folder))
        with page(started, width=1120) as opened:
            opened.goto(address(site, "index.html"))
            _save("report-first-page", opened, _until(opened, "#leaderboard"))
            opened.goto(address(site, "section-robustness.html"))
            _save("report-robustness", opened, _of(opened, "#robustness"))
            opened.goto(address(site, "trajectory.html#run=osprey-mini&sample=task-4&condition=E2&call=4"))
            opened.locator("#call-4").wait_for()
            _save("report-trajectory", opened, _of(opened, ".call.wanted"))
            opened.goto(address(site, "tasks.html#show=differ"))
            opened.locator(".matrix .row").first.wait_for()
            _save("report-tasks", opened, {"x": 0, "y": 0, "width": 1120, "height": 800})
            opened.goto(address(site, "task.html#suite=occupations&sample=task-4"))
            opened.locator(".attempt").first.wait_for()
            _save("report-task", opened, {"x": 0, "y": 0, "width": 1120, "height": 1300})
        with (
            viewing(_going_on(Path(folder) / "going-on").parent) as at,
            page(started, width=1120, of_site=at) as opened,
        ):
            opened.goto(f"{at}live.html?run=osprey-mini")
            _save("view-live", opened, {"x": 0, "y": 0, "width": 1120, "height": 1150})
            opened.goto("about:blank")
        _labels(Path(folder) / "labelled", started)
        _desk(Path(folder) / "desk", started)
        _cited(Path(folder) / "documents", started)


def _site(folder: Path) -> Path:
    runs = []
    for name, (skill, cost, own) in _AGENTS.items():
        skills = {industry: own.get(industry, skill) for industry in _INDUSTRIES}
        runs.append(
            make_run(folder / name, agent=name, tasks=382, conditions=_ALL, skill=skills, cost=cost, calls=9)
        )
    return write_site(open_report(runs, TITLE), folder / "site").folder


def _labels(folder: Path, started: Browser) -> None:
    """Two readers' labels of a run, who differ with its verdicts here and there."""
    run = open_run(make_run(folder / "osprey-mini", agent="osprey-mini", tasks=60, skill=0.7, calls=4))
    book = LabelBook(run.folder, run.manifest)
    judged = [record for record in run.records if record.outcome is not Outcome.INVALID][:40]
    for reader, every in (("Ada", 9), ("Ben", 7)):
        for n, record in enumerate(judged):
            differs = n % every == 2
            verdict = LabelVerdict.PASS if (record.outcome is Outcome.PASS) != differs else LabelVerdict.FAIL
            reason = "The owner was never asked." if differs and verdict is LabelVerdict.FAIL else ""
            opinion = ReaderOpinion(
                sample=record.sample,
                repeat=record.repeat,
                condition=record.condition,
                reader=reader,
                verdict=verdict,
                reason=reason,
            )
            book.add(opinion, calls_of(run.records))
    with viewing(folder) as at, page(started, width=1120, of_site=at) as opened:
        opened.goto(f"{at}labels.html")
        _save("view-labels", opened, {"x": 0, "y": 0, "width": 1120, "height": 1100})


def _desk(folder: Path, started: Browser) -> None:
    """A person in the middle of a task of the starter suite."""
    words = ["run", "starter", "--tasks", "lab-00", "--agent", "human:Ada", "-o", folder]
    with up(*words) as (at, _), page(started, width=1120, of_site=at.rpartition("/")[0]) as opened:
        opened.goto(at)
        opened.get_by_role("button", name="Begin").press("Enter")
        opened.locator("#assignment").wait_for()
        opened.keyboard.press("t")
        opened.keyboard.type("list_instruments")
        opened.locator("[data-field=kind]").press_sequentially("absorbance_reader")
        opened.get_by_role("button", name="Call list_instruments").press("Enter")
        opened.locator(".calls h3").first.wait_for()
        _save("view-desk", opened, {"x": 0, "y": 0, "width": 1120, "height": 1200})


def _cited(folder: Path, started: Browser) -> None:
    """The page with the cell of an answer, of the archive that comes along."""
    words = ["run", "documents", "--agent", "reference", "--tasks", "H010", "-o", str(folder / "reference")]
    subprocess.run([sys.executable, "-m", "worktrial", *words], check=True, capture_output=True)
    with viewing(folder) as at, page(started, width=1120, of_site=at) as opened:
        opened.goto(f"{at}trajectory.html#run=reference&sample=H010")
        opened.locator("#answer summary", has_text="Page: ").click()
        until(opened, "document.querySelector('#answer img')?.naturalWidth > 600")
        _save("view-page", opened, {**_of(opened, "#answer"), "height": 800})


def _going_on(folder: Path) -> Path:
    """A run in the middle of its work, with a sign of life of just now."""
    made = make_run(folder / "osprey-mini", agent="osprey-mini", tasks=60, conditions=_ALL, skill=0.7, calls=4)
    now = datetime.now(UTC)
    lines = (made / "samples.jsonl").read_bytes().splitlines(keepends=True)[:150]
    times = ((now - timedelta(seconds=20 * (150 - n))).isoformat(timespec="seconds") for n in range(150))
    rows = [msgspec.json.decode(line) | {"finished": at} for line, at in zip(lines, times, strict=True)]
    (made / "samples.jsonl").write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    manifest = read_manifest(made / MANIFEST)
    manifest.sessions[-1].ended = manifest.sessions[-1].end = None
    manifest.sessions[-1].started = (now - timedelta(seconds=20 * 151)).isoformat(timespec="seconds")
    (made / MANIFEST).write_bytes(msgspec.json.encode(manifest))
    samples = [
        RunningSample(
            sample=f"task-{31 + n}", repeat=0, condition="E2", seconds=210.0 / n, requests=9 - n, tokens=14200 // n
        )
        for n in range(1, 5)
    ]
    trouble = ProviderTrouble(
        at=now.isoformat(timespec="seconds"), said="agent at https://models.example/v1: 429 Too many requests"
    )
    # As long as the picture takes.
    written = (now + timedelta(minutes=10)).isoformat(timespec="seconds")
    beat = Heartbeat(written=written, in_flight=4, samples=samples, retries=3, troubles=[trouble])
    (made / HEARTBEAT).write_bytes(msgspec.json.encode(beat))
    return made


def _of(opened: Page, selector: str) -> dict[str, float]:
    box = opened.locator(selector).first.bounding_box()
    assert box is not None, selector
    top = box["y"] + opened.evaluate("scrollY")
    return {"x": 0, "y": top, "width": opened.viewport_size["width"], "height": min(box["height"] + 12, 1500)}  # type: ignore[index]


def _until(opened: Page, selector: str) -> dict[str, float]:
    """From the top of the page to where something begins."""
    return {**_of(opened, selector), "y": 0, "height": _of(opened, selector)["y"] - 12}


def _save(name: str, opened: Page, clip: Mapping[str, float]) -> None:
    shot = opened.screenshot(full_page=True, clip=dict(clip), animations="disabled")  # type: ignore[arg-type]
    # The palette keeps rare colours: those of thin lines are what a chart is about.
    picture = Image.open(BytesIO(shot)).convert("RGB").quantize(128, Image.Quantize.MAXCOVERAGE)
    path = INTO / f"{name}.png"
    picture.save(path, optimize=True)
    if (size := path.stat().st_size) > LARGEST:
        sys.exit(f"screenshots: {path.name} has {size:,} bytes, more than {LARGEST:,}")
    print(f"{path.name}: {picture.width} x {picture.height}, {size:,} bytes")


if __name__ == "__main__":
    main()
