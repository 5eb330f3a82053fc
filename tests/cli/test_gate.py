"""`worktrial gate`, on real runs of the starter suite and on runs made up."""

import json
from html import unescape
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from tests.results.runs import record, store
from tests.support.cli import command, worktrial
from tests.support.made_runs import make_run


@pytest.fixture(autouse=True)
def _without_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Real ones: `plan` under all faults, `idle` without any."""
    folder = tmp_path_factory.mktemp("runs")
    assert command("run", "starter", "--agent", "plan", "--faults", "all", "-o", folder / "plan").code == 0
    assert command("run", "starter", "--agent", "idle", "-o", folder / "idle").code == 0
    return folder


def test_a_good_run_passes(runs: Path) -> None:
    shown = command(
        "gate", runs / "plan", "--baseline", runs / "idle", "--min-completion", 0.9, "--max-regression", 0.03,
        "--max-cost-per-task", 0.05, "--max-seconds", 600, "--max-invalid", 0,
    )  # fmt: skip
    assert (shown.code, shown.err) == (0, "")
    lines = shown.out.splitlines()
    assert [line.split()[:2] for line in lines[:-1]] == [
        ["passed", f"--{name}"]
        for name in ("min-completion", "max-regression", "max-cost-per-task", "max-seconds", "max-invalid")
    ]
    assert lines[-1] == f"gate passed: {runs / 'plan'}, E0, baseline {runs / 'idle'}"


def test_a_bad_release_is_stopped_with_readable_reasons(runs: Path) -> None:
    shown = command(
        "gate", runs / "idle", "--baseline", runs / "plan", "--min-completion", 0.7, "--max-regression", 0.03,
        "--min-robustness", 0.8,
    )  # fmt: skip
    assert (shown.code, shown.err) == (1, "")
    assert "FAILED  --min-completion 0.7: 0.0 % of 53 samples passed" in shown.out
    assert "100.0 % -> 0.0 %, -100.0 points" in shown.out
    assert "a drop by more than the margin of 3 points that is significant at 0.05" in shown.out
    assert (
        "FAILED  --min-robustness 0.8: cannot be judged: it needs tasks with a verdict in each of E0" in shown.out
    )
    assert "E3; the run has E0\n" in shown.out
    assert "gate failed (3 of 3 criteria)" in shown.out


def test_robustness_of_the_plan(runs: Path) -> None:
    # The plan trusts whatever it is told, so faults that say nothing cost it much.
    shown = command("gate", runs / "plan", "--min-robustness", 0.8)
    assert shown.code == 1
    assert "worst in E2, over 53 tasks" in shown.out
    assert command("gate", runs / "plan", "--min-robustness", 0.1).code == 0


def test_junit_and_summary(runs: Path, tmp_path: Path) -> None:
    junit, summary = tmp_path / "gate.xml", tmp_path / "summary.md"
    summary.write_text("before\n")
    for run in ("plan", "idle"):
        command("gate", runs / run, "--min-completion", 0.7, "--junit", junit, "--summary", summary)
    suite = Xml.parse(junit).getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    text = summary.read_text()
    assert text.startswith("before\n### Worktrial gate: passed\n")
    assert "### Worktrial gate: failed\n" in text
    refused = command("gate", runs / "plan", "--min-completion", 0.7, "--junit", tmp_path / "none" / "x.xml")
    assert refused.code == 2
    assert "cannot be written" in refused.err


def test_the_summary_of_a_step(runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    step, own = tmp_path / "step.md", tmp_path / "own.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(step))
    command("gate", runs / "plan", "--min-completion", 0.7)
    assert step.read_text().startswith("### Worktrial gate: passed")
    command("gate", runs / "plan", "--min-completion", 0.7, "--summary", own)
    assert own.read_text() == step.read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "a gate needs at least one limit: --min-completion, "),
        (["--max-regression", 0.03], "name a run with --baseline"),
        (["--min-completion", 70], "--min-completion 70: a share lies between 0 and 1"),
        (["--min-completion", 0.7, "--level", 1], "--level 1: a level lies between 0 and 1"),
        (["--min-completion", 0.7, "--condition", "E7"], "has no sample under E7; it has E0"),
    ],
)
def test_questions_that_make_no_sense(runs: Path, words: list[str | float], said: str) -> None:
    shown = command("gate", runs / "idle", *words)
    assert (shown.code, shown.out) == (2, "")
    assert said in " ".join(shown.err.split())


def test_a_baseline_that_is_not_comparable(tmp_path: Path) -> None:
    make_run(tmp_path / "a", tasks=20, trajectories=False)
    make_run(tmp_path / "b", tasks=20, suite="starter", trajectories=False)
    words = ("gate", tmp_path / "b", "--baseline", tmp_path / "a", "--max-regression", 1)
    refused = command(*words)
    assert (refused.code, refused.out) == (2, "")
    assert 'suite: "occupations" -> "starter"' in refused.err
    shown = command(*words, "--force", "--summary", tmp_path / "summary.md", "--junit", tmp_path / "gate.xml")
    assert shown.code == 0
    label = 'compared though they differ in suite: "occupations" -> "starter"'
    assert label in shown.out
    assert label in unescape((tmp_path / "summary.md").read_text())
    assert label in unescape((tmp_path / "gate.xml").read_text())


def test_an_unfinished_run_is_stopped(tmp_path: Path) -> None:
    store(tmp_path, [record("1"), record("2")])
    path = tmp_path / "manifest.json"
    path.write_text(path.read_text().replace('"samples":2', '"samples":3'))
    shown = command("gate", tmp_path, "--min-completion", 0)
    assert shown.code == 1
    assert "cannot be judged: the run is unfinished, 1 sample has yet to finish" in shown.out


def test_the_exit_code_of_the_process(runs: Path) -> None:
    assert worktrial("gate", runs / "idle", "--min-completion", 0.7).code == 1


def test_annotations_of_a_job_on_github(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("gate", runs / "idle", "--min-completion", 0.5, "--max-invalid", 0)
    assert "::" not in command(*words).out
    asked = command(*words, "--annotations", "github").out
    (line,) = [line for line in asked.splitlines() if line.startswith("::")]
    assert line.startswith("::error title=Worktrial gate%3A --min-completion 0.5::0.0 %25 of 53 samples passed")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert line in command(*words).out
    assert "::" not in command(*words, "--annotations", "none").out
    both = command(*words, "--json")
    assert line in both.err and json.loads(both.out)["passed"] is False


def test_sarif_for_code_scanning(runs: Path, tmp_path: Path) -> None:
    words = ("--min-completion", 0.5, "--max-invalid", 0, "--sarif", tmp_path / "gate.sarif")
    assert command("gate", runs / "idle", *words).code == 1
    (run,) = json.loads((tmp_path / "gate.sarif").read_text())["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["worktrial/min_completion"]
    assert command("gate", runs / "plan", *words).code == 0
    (run,) = json.loads((tmp_path / "gate.sarif").read_text())["runs"]
    assert run["results"] == [] and len(run["tool"]["driver"]["rules"]) == 2


def test_a_gate_at_a_pinned_baseline(runs: Path, tmp_path: Path) -> None:
    place = ("--store", tmp_path / "gates")
    pinned = command("baseline", "set", "main", runs / "plan", *place)
    assert (
        pinned.code == 0 and f"main: {runs / 'plan'} · starter · agent plan · 212 samples · pinned 2" in pinned.out
    )
    bad = command("gate", runs / "idle", "--baseline", "main", "--max-regression", 0.03, *place)
    assert (bad.code, bad.err) == (1, "")
    assert "-100.0 points" in bad.out
    refused = command("gate", runs / "idle", "--baseline", "mian", "--max-regression", 0.03, *place)
    assert refused.code == 2 and "(pinned: main)" in refused.said


def test_baselines_are_listed_shown_and_removed(tmp_path: Path) -> None:
    place = ("--store", tmp_path / "gates")
    assert "nothing is pinned in" in command("baseline", "list", *place).out
    for name in ("one", "two"):
        make_run(tmp_path / name, tasks=5, trajectories=False)
        assert command("baseline", "set", name, tmp_path / name, *place).code == 0
    (tmp_path / "two" / "samples.jsonl").write_bytes(b"")
    listed = command("baseline", "list", *place)
    assert listed.code == 0
    assert [line.split(":")[0] for line in listed.out.splitlines()] == ["one", "two"]
    assert "has other results now" in listed.out.splitlines()[1]
    assert command("baseline", "show", "one", *place).out.splitlines()[-1] == "the run is as it was pinned"
    changed = command("baseline", "show", "two", *place)
    assert changed.code == 2 and "worktrial baseline set two RUN --replace" in changed.err
    assert command("baseline", "remove", "two", *place).out == "two is no baseline any more\n"
    assert command("baseline", "show", "two", *place).code == 2


def test_the_help_says_when_a_drop_counts_as_the_code_does() -> None:
    """It said that a drop within the margin fails, too, where it is significant."""
    said = " ".join(command("gate", "--help").out.replace("│", " ").split())
    assert "larger than this margin and significant at --level" in said and "smaller and yet" not in said
