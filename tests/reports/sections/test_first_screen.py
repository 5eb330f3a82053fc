"""What the first screen says of made runs: of several agents, of one, of none but reference agents."""

from pathlib import Path

import pytest
from tests.reports.sections.parsed import Parsed
from tests.results.runs import record, store
from tests.support.made_runs import make_run

from worktrial.reports.report import Report, ReportRun, Section, open_report
from worktrial.reports.sections import first_screen
from worktrial.results.boards import broken_off, fault_losses

FAULTED = ("E0", "E1", "E2", "E3")


def _words(report: Report) -> str:
    # Everything that a section may not hold, the first screen may not either.
    html = first_screen(report).replace("<h2>", "<h3>").replace("</h2>", "</h3>")
    return Parsed(Section("first", "First", html)).words


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    at = tmp_path_factory.mktemp("screen")
    return {
        "x": make_run(at / "x", agent="x", tasks=60, conditions=FAULTED, skill=0.7, cost=0.02),
        "y": make_run(at / "y", agent="y", tasks=60, conditions=FAULTED, skill=0.7, cost=0.01),
        "plan": make_run(at / "plan", agent="plan", tasks=60, skill=0.999, invalid=0.0),
        "idle": make_run(at / "idle", agent="idle", tasks=60, skill=0.001),
        "hostile": make_run(at / "hostile", agent="h", tasks=24, conditions=FAULTED, hostile=True),
        "plain": make_run(at / "plain", agent="plain", suite="starter", tasks=10, invalid=0.0),
    }


def _of(folders: dict[str, Path], *names: str) -> Report:
    return open_report([folders[name] for name in names], "r")


def test_two_agents_beside_floor_and_ceiling(folders: dict[str, Path]) -> None:
    words = _words(_of(folders, "x", "y", "plan", "idle"))
    assert words.startswith("Not enough to tell ") and words.count("Not enough to tell") == 1
    assert "interval" in words and "“At least as good” is no worse by 5 points or more" in words
    assert "Left aside, as reference agents: plan, idle." in words
    chart = words[words.index("with 95% intervals") : words.index("What breaks it")]
    assert "cost a task, of the agent’s own requests" in chart
    assert chart.index("plan") < chart.index(" x ") and chart.index(" y ") < chart.index("idle")
    assert chart.count("reference, no model") == 2 and "$0.0" in chart
    table = words[words.index("What breaks it") :]
    assert "When tools fail silently (E2)" in table and "plan" not in table, "of the agents only"


def test_one_agent_is_measured_by_the_references(folders: dict[str, Path]) -> None:
    words = _words(_of(folders, "x", "idle"))
    assert words.startswith("Only one agent was tried x completes ") and "on work like this" in words
    assert "Beside the reference agent idle, it completes " in words
    assert "Run a second agent, or a reference agent, on the same tasks" in _words(_of(folders, "x"))


def test_none_but_reference_agents(folders: dict[str, Path]) -> None:
    """Above four reference agents there once stood that there was nobody to compare with."""
    words = _words(_of(folders, "plan", "idle"))
    assert words.startswith("Better plan completes ") and "points more than idle" in words
    beside = _words(_of(folders, "plan", "idle", "plain"))
    assert "Only reference agents worked on occupations" in beside and "plain completes " in beside


def test_agents_of_other_tasks_and_conditions_are_in_the_conclusion(tmp_path: Path) -> None:
    def run(name: str, tasks: range, conditions: tuple[str, ...], passed: str) -> ReportRun:
        records = [record(str(n), "pass" if c in passed else "fail", c) for n in tasks for c in conditions]
        stored = store(tmp_path / name, records, roles={"agent": {"model": name}})
        return ReportRun(name, name, stored)

    everything = run("all", range(40), ("E0", "E2"), "E0 E2")
    trusting = run("trusting", range(40), ("E0", "E2"), "E0")
    words = _words(Report("r", [everything, trusting]))
    assert "all completes 100.0 points more than trusting when tools fail silently (E2)" in words
    few = run("few", range(30, 45), ("E0",), "")
    words = _words(Report("r", [everything, few]))
    assert "all completes 100.0 points more than few" in words
    assert "from the 10 tasks that both ran; 35 samples that only one of them tried left out" in words


def test_a_count_opens_its_own_samples(tmp_path: Path) -> None:
    """A link of 1 of 5 once opened five samples."""
    records = [record("0", "fail", stop_reason="turn_limit")]
    records += [record(str(n), "fail", stop_reason="answered") for n in range(1, 5)]
    report = Report("r", [ReportRun("a", "a", store(tmp_path / "a", records))])
    html = str(first_screen(report))
    assert "1 of 5" in html and "outcome=fail&amp;stop_reason=turn_limit" in html


def test_hostile_names_stay_text(folders: dict[str, Path]) -> None:
    assert "<script>" in _words(_of(folders, "hostile", "x"))


def test_what_is_empty_is_absent(tmp_path: Path) -> None:
    run = store(tmp_path / "a", [record("1"), record("2")])
    words = _words(Report("r", [ReportRun("a", "a", run)]))
    assert "completes 100.0 % (" in words and "2 samples" in words and "What breaks it" not in words


def test_the_kind_of_work_with_the_lowest_rate(tmp_path: Path) -> None:
    def words(name: str, passed: int) -> str:
        tags = [{"category": "x" if n < 3 else "y"} for n in range(4)]
        made = [record(str(n), "pass" if n < passed else "fail", tags=tags[n]) for n in range(4)]
        return _words(Report("r", [ReportRun("a", "a", store(tmp_path / name, made))]))

    assert "Kind of work with the lowest rate y 0% of 1 sample, " in words("some", 3)
    assert "lowest rate" not in words("all", 4), "none is the hardest"


def test_of_several_kinds_that_are_as_hard_none_is_named(tmp_path: Path) -> None:
    """Agriculture was once named where nine of ten kinds were at 0 %."""
    made = [record(str(n), "pass" if n == 0 else "fail", tags={"category": f"c{n}"}) for n in range(10)]
    words = _words(Report("r", [ReportRun("a", "a", store(tmp_path / "a", made))]))
    assert "Kind of work with the lowest rate several 0% in 9 of 10 kinds" in words


def test_losses_by_hand(tmp_path: Path) -> None:
    passed = {"E0": 24, "E1": 24, "E2": 12, "E3": 18}
    records = [
        record(str(n), "pass" if n < k else "fail", condition) for condition, k in passed.items() for n in range(30)
    ]
    run = store(tmp_path / "a", [*records, record("30", "invalid", "E2", reason="endpoint_unavailable: 503")])
    found = {loss.condition: loss for loss in fault_losses(run)}
    assert list(found) == ["E2", "E3", "E1"], "the greatest first"
    change = found["E2"].change
    assert change is not None and change.interval is not None and change.value == pytest.approx(-0.4)
    assert change.interval.high < 0 and found["E2"].left.value == pytest.approx(12 / 31)
    assert found["E1"].change is not None and found["E1"].change.value == 0
    assert broken_off(run, "E2").invalid == {"endpoint_unavailable": 1} and broken_off(run, "E0").invalid == {}
    words = _words(Report("r", [ReportRun("a", "a", run)]))
    assert "What costs a most: when tools fail silently (E2), it completes 40.0 points less" in words
