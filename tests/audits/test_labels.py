"""Labels beside verdicts: agreement, causes, the corrected rate and the queue."""

import json
from pathlib import Path

import msgspec
import pytest
from tests.results.runs import record
from tests.support.cli import command

from worktrial import load
from worktrial.audits.labels import LabelReport, labelled_run, pool, report_of
from worktrial.engine.manifest import Manifest, SessionRecord
from worktrial.engine.record import SampleRecord
from worktrial.engine.stored import open_run
from worktrial.errors import DataError
from worktrial.grading import Vote
from worktrial.grading.check import CheckResult
from worktrial.results.labels import LabelBook, LabelVerdict, ReaderOpinion, calls_of


def label_report(folder: Path) -> LabelReport:
    return report_of(*labelled_run(folder))


def _store(folder: Path, records: list[SampleRecord], **settings: object) -> Path:
    folder.mkdir(parents=True)
    sessions = [SessionRecord(started="2026-01-01", command=[])]
    manifest = Manifest(suite="s", data={}, settings=settings, samples=len(records), sessions=sessions)
    (folder / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    (folder / "samples.jsonl").write_bytes(b"".join(msgspec.json.encode(r) + b"\n" for r in records))
    return folder


def _label(folder: Path, reader: str, verdicts: dict[str, str], **more: object) -> None:
    run = open_run(folder)
    book = LabelBook(folder, run.manifest)
    for sample, verdict in verdicts.items():
        given = ReaderOpinion(sample=sample, repeat=0, reader=reader, verdict=LabelVerdict(verdict), **more)  # type: ignore[arg-type]
        book.add(given, calls_of(run.records))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Twenty samples, of which the judge passes fourteen; the six fails stand on a statement each."""

    def of(n: int) -> SampleRecord:
        passed = n < 14
        votes = [
            Vote(passed, f"statement {n % 2}", probability=0.9 if passed else 0.1),
            Vote(True, "more", probability=1),
        ]
        return record(f"t{n}", "pass" if passed else "fail", votes=votes, calls=4)

    return _store(tmp_path / "runs" / "first", [*map(of, range(20)), record("t20", "invalid")], votes=3)


def test_agreement_causes_and_queue(run: Path) -> None:
    _label(run, "Ada", {f"t{n}": "pass" if n < 14 or n in (15, 17) else "fail" for n in range(20)})
    _label(
        run, "Ben", {f"t{n}": "pass" if 2 <= n < 14 else "fail" for n in range(20)}, line="statement 0", blind=True
    )
    _label(run, "Cleo", {"t0": "unclear", "t15": "pass"})
    report = label_report(run)
    assert (report.samples, report.of, report.unclear, report.blind) == (20, 20, 1, 20)
    assert report.readers == {"Ada": 20, "Ben": 20, "Cleo": 2}
    # t0 and t1 are tied (Cleo is unclear), t15 passes by two to one, t17 is tied.
    assert report.tied == 3
    by = {row.raters: row for row in (*report.with_judge, *report.among_people)}
    assert [*by] == [
        ("judge", "people"),
        ("judge", "Ada"),
        ("judge", "Ben"),
        ("judge", "Cleo"),
        ("Ada", "Ben", "Cleo"),
        ("Ada", "Ben"),
        ("Ada", "Cleo"),
        ("Ben", "Cleo"),
    ]
    assert by["judge", "people"].agree.n == 17 and by["judge", "people"].agree.value == pytest.approx(16 / 17)
    assert by["judge", "Ada"].agree.value == by["judge", "Ben"].agree.value == pytest.approx(0.9)
    assert by["judge", "Ada"].kappa.value == pytest.approx(1 - 0.1 / (0.7 * 0.2 + 0.3 * 0.8))
    assert by["Ada", "Ben"].agree.value == pytest.approx(0.8)
    # Ada's two passes and Cleo's one are against statement 1, which failed them; Ben's two name statement 0.
    assert {line.line: (line.disagreements, line.labels) for line in report.lines} == {
        "statement 0": (2, 31),
        "statement 1": (3, 21),
    }
    assert report.unexplained == 0
    assert [(one.sample, one.against) for one in report.queue] == [("t15", 2), ("t0", 1), ("t1", 1), ("t17", 1)]
    assert report.corrected.found is not None and report.corrected.found.raw.value == pytest.approx(0.7)
    assert report.corrected.found.value == pytest.approx(0.7 + 1 / 17)


def test_the_command_says_it_and_prints_it_as_json(run: Path) -> None:
    _label(run, "Ada", {"t0": "fail", "t1": "pass", "t2": "pass"}, reason="\x1b[31mred")
    ran = command("audit", "labels", run)
    assert (
        ran.code == 0 and "judge / Ada" in ran.out and "look at t0, repeat 0, E0: judge pass, Ada: fail" in ran.out
    )
    assert "labels against the verdict name no check or line" in ran.out and "\x1b" not in ran.out
    assert "supposes that these were drawn at random" in " ".join(ran.out.split())
    (found,) = json.loads(command("audit", "labels", run, "--json").out)["runs"]
    assert found["with_judge"][0]["agree"]["value"] == pytest.approx(2 / 3)
    assert found["queue"][0]["labels"][0]["reason"] == "\x1b[31mred"


def test_without_a_label_the_command_says_how_to_give_one(run: Path) -> None:
    ran = command("audit", "labels", run)
    assert ran.code == 2 and "labels.jsonl: holds no label of first" in ran.err and "worktrial view" in ran.err
    run.rename(run.with_name("second"))
    _store(run, [record("t0")])
    _label(run, "Ada", {"t0": "pass"})
    assert "only of first" in command("audit", "labels", run.with_name("second")).err


def test_checks_by_code_are_lines_too(tmp_path: Path) -> None:
    checks = [CheckResult("bed is free", False, "it is taken"), CheckResult("told the ward", True, "it was")]
    run = _store(tmp_path / "one", [record("a", "fail", checks=checks), record("b")])
    _label(run, "Ada", {"a": "pass", "b": "fail"})
    report = label_report(run)
    assert [(line.line, line.disagreements) for line in report.lines] == [("bed is free", 1)]
    assert report.unexplained == 1
    with pytest.raises(DataError, match="holds no label"):
        label_report(_store(tmp_path / "other", [record("a")]))


def test_several_runs_are_told_together_by_task(tmp_path: Path) -> None:
    judged = {"votes": 3, "roles": {"judge": {"model": "m"}}}
    runs = [tmp_path / "runs" / name for name in ("one", "two", "other")]
    records = [record(f"t{n}", "pass" if n < 8 else "fail", calls=1) for n in range(12)]
    for folder in runs:
        _store(folder, records, **{**judged, "votes": 1 if folder.name == "other" else 3})
        _label(folder, "Ada", {f"t{n}": "pass" if n < 6 else "fail" for n in range(12)})
    _label(runs[1], "Ben", {f"t{n}": "pass" if n < 4 else "fail" for n in range(12)})
    one = label_report(runs[0])
    both = pool([labelled_run(folder) for folder in runs[:2]])
    assert (both.runs, both.samples, both.clusters) == (2, 24, 12) and both.readers == {"Ada": 24, "Ben": 12}
    assert [row.raters for row in both.with_judge] == [("judge", "people"), ("judge", "Ada"), ("judge", "Ben")]
    assert [row.raters for row in both.among_people] == [("Ada", "Ben")]
    # The same tasks once more tell nothing new: the interval is that of one run.
    alone, pooled = one.with_judge[0], both.with_judge[1]
    assert (alone.agree.n, pooled.agree.n) == (12, 24) and pooled.agree.clusters == alone.agree.clusters == 12
    assert pooled.kappa.value == pytest.approx(alone.kappa.value)
    assert pooled.kappa.interval == pytest.approx(alone.kappa.interval)
    mixed = pool([labelled_run(folder) for folder in runs])
    assert mixed.with_judge == () and "2 different ways" in mixed.why_no_judge and mixed.among_people
    ran = command("audit", "labels", *runs)
    assert ran.code == 0 and "all 3 runs together: 36 samples with a label of 12 tasks or scenarios" in ran.said
    assert "verdicts and people: not together, the runs were judged in 2 different ways" in ran.said
    told = json.loads(command("audit", "labels", *runs[:2], "--json").out)
    assert told["pooled"]["clusters"] == 12 and len(told["runs"]) == 2
    assert json.loads(command("audit", "labels", runs[0], "--json").out)["pooled"] is None


def test_labels_of_the_viewer_correct_the_rate_that_is_shown(run: Path) -> None:
    _label(run, "Ada", {f"t{n}": "pass" if n < 12 else "fail" for n in range(20)})
    _label(run, "Ben", {"t0": "fail", "t1": "unclear"})
    book = run.parent / "labels.jsonl"
    report = label_report(run)
    # t0 is tied, so 19 of 20 count.
    assert "people’s labels on 19 of 20 samples" in report.corrected.line
    assert report.corrected.line in command("show", run, "--labels", book).out
    done = command("export", run, "-o", run.parent / "summary.md", "--labels", book)
    assert done.code == 0, done.err
    assert load(run).corrected(labels=book).line == report.corrected.line
    elsewhere = run.parent.parent / "labels.jsonl"
    elsewhere.write_bytes(book.read_bytes())
    ran = command("show", run, "--labels", elsewhere)
    assert ran.code == 2 and "lies not beside" in ran.err and str(book.resolve()) in ran.said
    _store(run.with_name("second"), [record("t0")])
    assert "holds no label of second" in command("show", run.with_name("second"), "--labels", book).said
