"""Completion corrected for a judge's errors: where the audit fits, and nowhere else."""

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from tests.results.runs import record, store
from tests.support.cli import command

from worktrial.audits.corrected import corrected_by_audit, corrected_by_labels, read_labels
from worktrial.audits.suites import judges
from worktrial.engine.manifest import Manifest, SessionRecord
from worktrial.engine.record import SampleRecord
from worktrial.engine.stored import StoredRun
from worktrial.errors import DataError
from worktrial.reports.report import Report, ReportRun

JUDGE = {"model": "judge-1", "temperature": 0.0}
SETTINGS: dict[str, Any] = {"votes": 3, "judge_method": "votes", "judge_record": 120_000, "judge_prompt": "1"}


def _run(folder: Path, suite: str, records: list[SampleRecord], **settings: Any) -> StoredRun:
    session = SessionRecord(started="", command=[])
    told = {"roles": {"judge": JUDGE}, **SETTINGS, **settings}
    manifest = Manifest(suite=suite, data={}, settings=told, samples=len(records), sessions=[session])
    return StoredRun(folder, manifest, records)


def _stored(run: StoredRun) -> StoredRun:
    """The same on disk, too."""
    run.folder.mkdir()
    (run.folder / "manifest.json").write_bytes(msgspec.json.encode(run.manifest))
    (run.folder / "samples.jsonl").write_bytes(b"".join(msgspec.json.encode(r) + b"\n" for r in run.records))
    return run


def _audit(
    folder: Path, right: tuple[int, int] = (57, 60), wrong: tuple[int, int] = (54, 60), **more: Any
) -> StoredRun:
    """An audit in which so many verdicts of so many are true, on work that is right and on work that is wrong."""
    records = [
        record(f"{truth}-{n}/case", "pass" if n < true else "fail", tags={"truth": truth, "variant": "stored"})
        for truth, (true, of) in (("pass", right), ("fail", wrong))
        for n in range(of)
    ]
    return _run(folder, "audit-judge", records, **more)


def _judged(folder: Path, passes: int = 70, of: int = 100, **more: Any) -> StoredRun:
    return _run(
        folder, "occupations", [record(str(n), "pass" if n < passes else "fail") for n in range(of)], **more
    )


def test_rogan_and_gladen_beside_the_raw_rate(tmp_path: Path) -> None:
    found = corrected_by_audit(_judged(tmp_path / "a"), _audit(tmp_path / "b"))
    assert found.found is not None and not found.why_not
    # (0.7 + 0.9 - 1) / (0.95 + 0.9 - 1)
    assert found.found.value == pytest.approx(0.6 / 0.85)
    assert found.found.raw.value == 0.7
    low, high = found.found.interval
    assert low < 0.6 / 0.85 < high
    assert high - low > found.found.raw.interval.high - found.found.raw.interval.low
    assert "supposes that the judge errs as often" in found.basis


@pytest.mark.parametrize(
    ("audit", "run", "why"),
    [
        (
            {"roles": {"judge": {**JUDGE, "model": "judge-2"}}},
            {},
            'another judge (model: "judge-2" -> "judge-1")',
        ),
        ({"votes": 1}, {}, "of another judge (votes: 1 -> 3)"),
        ({"judge_method": "logprob"}, {}, 'judge_method: "logprob" -> "votes"'),
        ({"judge_prompt": "2"}, {}, 'judge_prompt: "2" -> "1"'),
        ({}, {"regraded": {"rubrics": "x"}}, "rubrics were replaced"),
        ({}, {"roles": {"judge": JUDGE, "judge-2": JUDGE}}, "several judges"),
        ({"right": (30, 60), "wrong": (31, 60)}, {}, "does not rule out"),
        ({"wrong": (0, 0)}, {}, "none on work that is wrong"),
        ({}, {"of": 0}, "no sample has a verdict"),
    ],
)
def test_another_audit_corrects_nothing(tmp_path: Path, audit: Any, run: Any, why: str) -> None:
    found = corrected_by_audit(_judged(tmp_path / "a", **run), _audit(tmp_path / "b", **audit))
    assert found.found is None and why in found.why_not


def test_verdicts_of_code_are_not_corrected(tmp_path: Path) -> None:
    run = _run(tmp_path / "a", "starter", [record(str(n)) for n in range(9)], decided_by="code")
    assert "come from code" in corrected_by_audit(run, _audit(tmp_path / "b")).why_not


def test_labels_on_a_part_of_the_samples(tmp_path: Path) -> None:
    run = _judged(tmp_path / "a")
    drawn = Random(1).sample(run.records, 40)
    # People pass every second sample that the judge fails, and agree on the others.
    rows = [f"{r.sample},{'pass' if r.outcome == 'pass' or int(r.sample) % 2 else 'fail'}" for r in drawn]
    file = tmp_path / "labels.csv"
    file.write_text("\n".join(["sample,label", *rows]), encoding="utf-8")
    found = corrected_by_labels(run, read_labels(file))
    assert found.found is not None
    more = sum(r.outcome == "fail" and int(r.sample) % 2 for r in drawn) / 40
    assert found.found.value == pytest.approx(0.7 + more)
    assert found.found.interval.low < 0.7 + more < found.found.interval.high
    assert "40 of 100 samples" in found.basis
    assert "fewer than two" in corrected_by_labels(run, {("0", 0, "E0"): True}).why_not


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("task,label\n1,pass", "no column sample"),
        ("sample,label\n1,maybe", "label is 'maybe'. Write pass or fail"),
        ("sample,label,repeat\n1,pass,x", "repeat is 'x'"),
        ("sample,label\n1,pass\n1,fail", "1 comes twice"),
    ],
)
def test_labels_that_cannot_be_read(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "labels.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=told):
        read_labels(file)


def test_show_tells_it_below_the_rates(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [record(str(n), "pass" if n < 14 else "fail") for n in range(20)])
    file = tmp_path / "labels.csv"
    file.write_text("sample,label\n" + "".join(f"{n},pass\n" for n in range(10, 20)), encoding="utf-8")
    shown = command("show", run.folder, "--labels", file)
    assert shown.code == 0, shown.err
    assert "of valid samples, corrected for the judge's errors: 100.0%" in shown.said
    assert "as judged 70.0%" in shown.said
    told = json.loads(command("show", run.folder, "--labels", file, "--json").out)["corrections"]
    assert (told[0]["found"]["value"], told[0]["condition"]) == (1.0, "E0") and told[0]["basis"] in shown.said
    assert json.loads(command("show", run.folder, "--json").out)["corrections"] == []
    refused = command("show", run.folder, "--judge-audit", run.folder)
    assert refused.code == 2 and "not the audit of a judge" in refused.err


def test_an_exported_summary_has_both(tmp_path: Path) -> None:
    runs = [_stored(_judged(tmp_path / name)) for name in ("a", "b")]
    audit = _stored(_audit(tmp_path / "c"))
    out = tmp_path / "summary.md"
    done = command("export", *(run.folder for run in runs), "-o", out, "--judge-audit", audit.folder)
    assert done.code == 0, done.err
    head, _, *rows = out.read_text("utf-8").splitlines()
    assert "without the judge's errors" in head
    assert all(re.search(r"70\.6% \(\d\d\.\d% - \d\d\.\d%\)", row) and "the audit c" in row for row in rows)
    file = tmp_path / "labels.csv"
    file.write_text("sample,label\n0,pass\n1,pass\n99,fail\n", encoding="utf-8")
    done = command("export", runs[0].folder, "-o", out, "--labels", file, "--force")
    assert done.code == 0 and "labels on 3 of 100 samples" in out.read_text("utf-8")
    for words, told in (
        ((runs[0].folder, runs[1].folder, "--labels", file), "labels are of the samples of one run"),
        ((runs[0].folder, "--labels", file, "--judge-audit", audit.folder), "give one of the two"),
        ((runs[0].folder, "--labels", file, "--format", "jsonl"), "are for markdown, not for jsonl"),
    ):
        refused = command("export", *words, "-o", out, "--force")
        assert refused.code == 2 and told in refused.said, refused.said


def test_a_report_has_both_rates_beside_each_other(tmp_path: Path) -> None:
    runs = [_judged(tmp_path / "a"), _judged(tmp_path / "b", judge_prompt="2"), _audit(tmp_path / "c")]
    made = Report("r", [ReportRun(run.folder.name, run.folder.name, _stored(run)) for run in runs])
    [section] = judges.report_sections(made)
    said = section.html.striptags()
    assert "70.6%" in said and "As judged" in said
    assert 'Not corrected: the audit is of another judge (judge_prompt: "1" -> "2")' in said
