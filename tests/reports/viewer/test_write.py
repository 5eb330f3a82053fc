"""What the data files of a run hold, read by the pages' own scripts."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Browser
from tests.results.runs import record, store
from tests.support.browser import address, page
from tests.support.made_runs import make_run
from tests.support.run_files import set_work, work_of

from worktrial.engine.segments import segment_path
from worktrial.errors import DataError
from worktrial.reports.report import open_report
from worktrial.reports.site import write_site
from worktrial.reports.viewer import columns, run_data
from worktrial.reports.viewer.write import write_viewer


@pytest.mark.parametrize("damage", [b"{", b'{"sample":1}', b'{"sample":"a","repeat":0,"x":"\xff"}', b""])
def test_a_damaged_line_is_named(tmp_path: Path, damage: bytes) -> None:
    store(tmp_path / "run", [record("a"), record("b")])
    set_work(tmp_path / "run", [{"sample": "a", "repeat": 0}, damage])
    with pytest.raises(DataError) as caught:
        write_viewer(open_report([tmp_path / "run"], "t"), tmp_path / "site")
    assert f"{segment_path(tmp_path / 'run', 1)}, byte 26: damaged record" in str(caught.value)


def test_progress_counts_every_sample(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / name, tasks=7, agent=name) for name in ("a", "b")]
    told: dict[str, int] = {}

    def tell(name: str, samples: int) -> None:
        told[name] = told.get(name, 0) + samples

    write_viewer(open_report(runs, "t"), tmp_path / "site", tell)
    assert told == {"a": 7, "b": 7}


# Everything about a run that the pages' scripts can read, by its number and by its key.
_READ = """async (slug) => {
  const head = await Worktrial.head(slug);
  const rows = new Worktrial.Rows(head);
  await rows.read(0, head.samples);
  const found = [];
  for (let n = 0; n < head.samples; n += 1) {
    const key = rows.key(n);
    const [sample, repeat, condition] = key;
    const number = await Worktrial.numberOf(head, { sample, repeat, condition });
    const { record, line, previous, next } = await Worktrial.sample(head, number);
    found.push({ n, number, key, record, line, previous, next, reason: rows.reason(n),
      tag: rows.group(n, "category"), figures: ["cost", "seconds", "calls"].map((f) => rows.value(n, f)) });
  }
  return JSON.stringify({ head, found });
}"""


def _read(site: Path, slug: str, chromium: Browser) -> dict[str, Any]:
    with page(chromium) as opened:
        opened.goto(address(site, "samples.html"))
        opened.wait_for_selector("#results")
        return dict(msgspec.json.decode(opened.evaluate(_READ, slug)))


@pytest.mark.parametrize("hostile", [False, True])
def test_every_sample_is_found_whole_in_small_files(
    tmp_path: Path, chromium: Browser, monkeypatch: pytest.MonkeyPatch, hostile: bool
) -> None:
    monkeypatch.setattr(run_data, "ROWS", 7)
    monkeypatch.setattr(run_data, "CHUNK", 60_000)
    monkeypatch.setattr(run_data, "KEYS", 5)
    run = make_run(tmp_path / "run", tasks=9, repeats=2, conditions=("E0", "E2"), hostile=hostile)
    # One sample ran again, and one left nothing behind.
    lines = work_of(run)
    again = {**lines[3], "answer": "again"}
    set_work(run, [*lines[:3], again, lines[4], None, *lines[6:]])
    report = open_report([run], "t")
    records = report.runs[0].run.records
    write_site(report, tmp_path / "site")
    data = tmp_path / "site" / "data" / "run"
    if not hostile:
        # A line of JSON grows by its quotes within quotes, nothing else.
        assert max(path.stat().st_size for path in data.iterdir()) < 61_000
    got = _read(tmp_path / "site", "run", chromium)
    assert got["head"]["samples"] == len(records) == len(got["found"]) == 36
    assert len(got["head"]["firsts"]) > 3 and got["head"]["keys"] == 8
    keys = [list(r.key) for r in records]
    for n, (row, stored) in enumerate(zip(got["found"], records, strict=True)):
        assert row["n"] == row["number"] == n and row["key"] == keys[n]
        assert msgspec.convert(row["record"], type(stored)) == stored
        assert row["reason"].removesuffix("…") == stored.reason[:240]
        assert row["tag"] == stored.tags["category"]
        assert row["figures"] == [stored.cost, stored.seconds, stored.calls]
        assert row["previous"] == (keys[n - 1] if n else None)
        assert row["next"] == (keys[n + 1] if n + 1 < len(keys) else None)
        expected = again if n == 3 else None if n == 5 else lines[n]
        assert row["line"] == expected


def test_a_tag_that_names_the_sample_groups_nothing() -> None:
    records = [record(f"t{n}", tags={"serial": n, "half": n % 2, "run": "x"}) for n in range(1001)]
    values = columns.values_of(records)
    assert values["half"] == ["0", "1"] and "serial" not in values and "run" not in values
    assert values["outcome"] == ["pass"] and values["condition"] == ["E0"]
