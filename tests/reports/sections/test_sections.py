"""What sections say of made runs, and that nothing from a run becomes markup."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.reports.sections.parsed import Parsed, all_of
from tests.results.runs import record, store
from tests.support.hostile import ATTACKS
from tests.support.made_runs import make_run

from worktrial.reports.report import Report, ReportRun, Section, open_report
from worktrial.reports.sections import first_screen, published, sections
from worktrial.reports.sections.effort import effort
from worktrial.reports.sections.industries import industries
from worktrial.reports.sections.robustness import robustness

ORDER = [
    "leaderboard",
    "industries",
    "robustness",
    "effort",
    "published",
    "trust",
    "runs",
]
FAULTED = ("E0", "E1", "E2", "E3")


@pytest.fixture(scope="module")
def faulted(tmp_path_factory: pytest.TempPathFactory) -> Report:
    folder = tmp_path_factory.mktemp("faulted")
    make_run(folder / "good", agent="good", tasks=40, conditions=FAULTED, skill=0.85, cost=0.02)
    make_run(folder / "poor", agent="poor", tasks=40, conditions=FAULTED, skill=0.3, cost=0.01)
    return open_report([folder / "good", folder / "poor"], "r")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Report:
    folder = tmp_path_factory.mktemp("hostile")
    made = [
        make_run(folder / f"{name}", agent=name, tasks=30, conditions=FAULTED, effort=effort, hostile=True)
        for name, effort in (("a", "low"), ("b", "<b>high"), ("c", None))
    ]
    return open_report(made, "<script>")


def _screen(report: Report) -> Parsed:
    return Parsed(Section("first", "First", first_screen(report)))


def _parsed(section: object) -> Parsed:
    assert section is not None
    return Parsed(section)  # type: ignore[arg-type]


def test_a_report_of_faulted_runs_has_what_can_be_said(faulted: Report) -> None:
    found = list(sections(faulted))
    assert list(all_of(found)) == ORDER
    assert all(section.title for section in found)


def test_the_conclusion_stands_on_the_differences_below_it(faulted: Report) -> None:
    said = _screen(faulted)
    assert said.words.startswith("Better good completes ")
    assert "points more than poor when tools fail silently (E2)" in said.words
    assert "without faults (E0)" in said.words and said.words.count(" better ") >= 2
    beside = said.words[said.words.index("How this was measured") :]
    assert all(f"poor {condition} " in beside for condition in FAULTED)


def test_no_difference_is_said_in_plain_words(tmp_path: Path) -> None:
    made = [
        make_run(tmp_path / name, agent=name, tasks=60, skill=0.7, cost=cost) for name, cost in (("x", 1), ("y", 2))
    ]
    words = _screen(open_report(made, "r")).words
    assert "Not enough to tell y from x: " in words and "not even 10 times as many tasks" in words


def test_of_two_that_are_as_good_the_cost_is_told_where_it_is_known(tmp_path: Path) -> None:
    def said(*costs: float | None) -> str:
        made = [
            make_run(tmp_path / f"{name}-{cost}", agent=name, tasks=900, skill=0.98, cost=cost, trajectories=False)
            for name, cost in zip("xy", costs, strict=True)
        ]
        return _screen(open_report(made, "r")).words

    assert "x is at least as good as y, within 5 points" in (known := said(1, 2)) and "A task costs $" in known
    assert "A task costs" not in said(None, None)


def test_where_there_are_no_two_to_compare_nothing_is_set_beside(tmp_path: Path) -> None:
    alone = open_report([make_run(tmp_path / "x", agent="x", tasks=10)], "r")
    assert "How this was measured" not in first_screen(alone)
    made = [make_run(tmp_path / str(seed), agent=f"a{seed}", tasks=20, seed=seed) for seed in (1, 2)]
    assert "How this was measured" not in first_screen(open_report(made, "r")), "they ran other data"
    empty = Report("r", [ReportRun("a", "a", store(tmp_path / "a", []))])
    assert "published" not in all_of(list(sections(empty)))
    assert "no sample has finished" in first_screen(empty)


def test_industries_link_to_their_samples(faulted: Report) -> None:
    said = _parsed(industries(faulted))
    filters = [parse_qs(urlsplit(href).fragment) for href in said.hrefs]
    assert {one["run"][0] for one in filters} == {"good", "poor"}
    assert "Healthcare & Life Sciences" in {one["category"][0] for one in filters if "category" in one}
    assert {"1", "2", "3"} >= {one["difficulty"][0] for one in filters if "difficulty" in one} != set()
    assert all(one["condition"] == ["E0"] for one in filters)


def test_industries_count_by_hand(tmp_path: Path) -> None:
    records = [
        record(str(n), "pass" if n < 3 else "fail", tags={"category": "x" if n < 4 else "y"}) for n in range(8)
    ]
    report = Report("r", [ReportRun("a", "a", store(tmp_path / "a", records))])
    words = _parsed(industries(report)).words
    assert words.startswith("x went best (75% of 4 samples), y worst (0% of 4 samples)") and "75% of 4" in words
    no_industry = Report("r", [ReportRun("b", "b", store(tmp_path / "b", [record("1")]))])
    assert industries(no_industry) is None


def test_robustness_by_hand(tmp_path: Path) -> None:
    passed = {"E0": 8, "E1": 6, "E2": 4, "E3": 5}
    records = [
        record(str(n), "pass" if n < k else "fail", condition) for condition, k in passed.items() for n in range(10)
    ]
    report = Report("r", [ReportRun("a", "a", store(tmp_path / "a", records))])
    words = _parsed(robustness(report)).words
    assert words.startswith("In the worst case a completes 40% of the samples, under E2 (") and "R 0.50" in words
    assert "Without faults (E0)" in words and "When tools fail silently (E2)" in words
    row = words[words.index("a 80.0% ") :]
    assert 0 < row.index("60.0%") < row.index("40.0%") < row.index("50.0%") < row.index("0.50")


def test_what_is_left_counts_and_not_what_share_of_little(tmp_path: Path) -> None:
    # The weak agent loses nothing, of which there is not much.
    passed = {"strong": {"E0": 10, "E1": 9, "E2": 7, "E3": 8}, "weak": {"E0": 2, "E1": 2, "E2": 2, "E3": 2}}
    runs = [
        ReportRun(
            name,
            name,
            store(
                tmp_path / name,
                [record(str(n), "pass" if n < k else "fail", c) for c, k in own.items() for n in range(10)],
                agent=name,
            ),
        )
        for name, own in passed.items()
    ]
    found = robustness(Report("r", runs))
    words = _parsed(found).words
    assert words.startswith("In the worst case strong completes 70% of the samples, under E2 (")
    assert "; weak completes the fewest, 20% of the samples, under E1 (" in words and "R 1.00" in words


def test_without_faults_there_is_no_robustness(tmp_path: Path) -> None:
    report = open_report([make_run(tmp_path / "x", tasks=10)], "r")
    assert robustness(report) is None and effort(report) is None


def test_nothing_passed_without_faults(tmp_path: Path) -> None:
    records = [record(str(n), "fail", condition) for condition in FAULTED for n in range(3)]
    report = Report("r", [ReportRun("a", "a", store(tmp_path / "a", records))])
    words = _parsed(robustness(report)).words
    assert words.startswith("No robustness score") and "no value nothing passes without faults" in words


def test_funnels_keep_conditions_apart(faulted: Report) -> None:
    said = _parsed(robustness(faulted))
    assert "Noticing and recovering Of the silently spoilt answers under E2, good put right" in said.words
    assert "good E1 open " in said.words and "poor E2 silent " in said.words


def test_the_frontier_and_the_effort_sweep(tmp_path: Path) -> None:
    efforts = {"low": 0.4, "high": 0.9}
    made = [make_run(tmp_path / e, agent="m", tasks=60, effort=e, skill=s) for e, s in efforts.items()]
    words = _parsed(effort(open_report(made, "r"))).words
    assert words.startswith("Worth their money, from cheap to dear: m (low)")
    assert "From effort low to high, m goes from" in words and "overlap, so that" not in words


def test_published_rows_are_marked_and_take_part_in_nothing(faulted: Report) -> None:
    words = _parsed(published(faulted)).words
    assert "GPT-5.2 published by OccuBench, not run here 79.6%" in words and "good run here" in words
    assert "GPT-5.2" not in first_screen(faulted)
    for section in (industries, robustness, effort):
        found = section(faulted)
        assert found is None or "GPT-5.2" not in found.html


def test_hostile_names_stay_text(hostile: Report) -> None:
    said = all_of(list(sections(hostile)))
    assert {"industries", "robustness", "effort", "published"} <= said.keys()
    assert ATTACKS[1] in _screen(hostile).text, "shown as it is, as text"


def test_runs_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    made = [make_run(tmp_path / n / "run", agent="a", tasks=30, skill=s) for n, s in (("1", 0.2), ("2", 0.9))]
    report = open_report(made, "r")
    assert len({run.name for run in report.runs}) == 1
    said = all_of(list(sections(report)))
    # Two runs of one agent are no choice, whatever they are called.
    assert "Left aside, as further runs of an agent: a (run) [run" in first_screen(report)
    assert "a (run) [run]" in said["industries"].words and "a (run) [run-2]" in said["industries"].words
