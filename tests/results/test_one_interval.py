"""A run has one figure for one question, whatever shows it: every way is walked for every figure that it tells."""

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest
from tests.results.runs import record, store
from tests.support.cli import command
from tests.support.html_tree import parsed

import worktrial as wt
from worktrial.engine.record import RoleUsage
from worktrial.engine.stored import StoredRun
from worktrial.reports.report import open_report
from worktrial.reports.sections.industries import industries
from worktrial.reports.sections.leaderboard import leaderboard
from worktrial.results.changes import pair_of
from worktrial.results.conclusion import conclude_on, names_of
from worktrial.results.figure import FIGURES, MEANS, WHOLE, Ask, figures_of
from worktrial.results.gate import GateLimits, judge_gate
from worktrial.results.writing import amount, dollars, percent, percents, points, seconds, signed
from worktrial.statistics import Change, Estimand, Figure

MODES = ("E0", "E1", "E2", "E3", "W")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    return made(tmp_path_factory.mktemp("runs") / "run", {"E0": 5, "E1": 3, "E2": 2, "E3": 2, "W": 4}, model="m")


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    """Another agent on the same tasks, better where tools fail silently and worse where nothing fails."""
    return made(tmp_path_factory.mktemp("runs") / "other", {"E0": 3, "E1": 3, "E2": 7, "E3": 4, "W": 3}, model="n")


def made(folder: Path, failing: dict[str, int], model: str) -> StoredRun:
    """Forty tasks of ten places, tried twice under each condition; some invalid, some replayed, all priced."""
    records = []
    for n in range(40):
        for condition in MODES:
            for repeat in range(2):
                lost = failing[condition]
                outcome = "invalid" if n == 7 else "fail" if (n + repeat) % lost == 0 else "pass"
                replays = 1 if n % 10 == 3 else 0
                agent = RoleUsage(2, 100 + n, 10, 0, 0.01 * (n % 5), replayed=replays, replayed_cost=0.02 * replays)
                records.append(
                    record(
                        str(n),
                        outcome,
                        condition,
                        repeat,
                        reason="bad_reply: none" if n == 7 else "",
                        usage={"agent": agent, "judge": RoleUsage(1, 40, 5, 0, 0.005)},
                        # The invalid one is the dearest and slowest by far: means are of samples with a verdict.
                        cost=9.0 if n == 7 else 0.01 * (n % 5) + 0.005,
                        seconds=900.0 if n == 7 else 2.0 + n % 4,
                        replayed=replays,
                        calls=3 + n % 3,
                        tags={"category": f"c{n % 3}", "scenario": f"s{n % 10}"},
                    )
                )
    return store(folder, records, roles={"agent": {"model": model}, "judge": {"model": "j"}})


def _told(figure: dict[str, object]) -> tuple[object, ...]:
    return tuple(figure[name] for name in ("value", "low", "high", "n", "clusters", "estimand", "unit"))


def _known(figure: Figure) -> tuple[object, ...]:
    return (figure.value, figure.low, figure.high, figure.n, figure.clusters, figure.estimand, figure.unit)


def test_every_figure_reaches_json_python_and_sql_as_it_was_reckoned(run: StoredRun) -> None:
    shown = json.loads(command("show", run.folder, "--json").out)["figures"]
    python = wt.load(run.folder)
    known = [one for ask in (Ask(), Ask(estimand=Estimand.THESE)) for one in figures_of(run, ask).listed]
    assert len(shown) == len(known) > 60
    for figure, told in zip(known, shown, strict=True):
        assert (told["name"], told["condition"], told["group"]) == (figure.name, figure.condition, figure.group)
        assert _told(told) == pytest.approx(_known(figure), nan_ok=False)
    assert list(python.figures()) == list(figures_of(run).listed)
    asked = 'select name, condition, "group", value, low, high, n, clusters, estimand, unit, unknown from figures'
    rows = python.sql(asked).to_pylist()
    expected = {(one.name, one.condition, one.group, *_known(one), one.unknown) for one in known}
    assert len(rows) == len(known) and {tuple(row.values()) for row in rows} == expected
    assert python.completion == python.figure("completion").value and python.interval is not None
    names = {figure.name.replace("2", "k") for figure in known}
    assert names == {*FIGURES, *WHOLE} - {"score"}


def test_terminal_report_export_and_gate_write_the_same(run: StoredRun, tmp_path: Path) -> None:
    work, these = figures_of(run), figures_of(run, Ask(estimand=Estimand.THESE))
    terminal = command("show", run.folder).out
    section = leaderboard(open_report([run.folder], "r"))
    assert section is not None
    made = parsed(section.html)
    cells = [cell.text for cell in made.one("tbody").one("tr").all("td")]
    board = dict(zip([head.text for head in made.one("thead").all("th")][1:], cells, strict=True))
    export = tmp_path / "summary.md"
    assert command("export", run.folder, "-o", export).code == 0
    lines = export.read_text().splitlines()
    heads, clean = ([cell.strip() for cell in line.strip("|").split("|")] for line in (lines[0], lines[2]))
    exported = dict(zip(heads, clean, strict=True))

    done, valid, invalid = (work.get(name) for name in ("completion", "completion_of_valid", "invalid"))
    assert done.interval is not None and (done.n, done.clusters) == (80, 10)
    span = f"{done.low:.1%} - {done.high:.1%}"
    assert f"{percent(done.value)} ({percents(done.interval)})" in terminal
    assert board["Completion"] == f"{percent(done.value)} {percents(done.interval)}"
    assert (exported["completion rate"], exported["95 % interval"]) == (f"{done.value:.1%}", span)
    assert exported["passed"] == f"{done.hits}/80" and exported["invalid"] == str(invalid.hits) == "2"
    assert board["Of valid"] == f"{percent(valid.value)} {percents(valid.interval)}"
    assert f"{valid.value:.1%}" in terminal and exported["of valid"] == f"{valid.value:.1%}"
    assert board["Invalid"] == f"{percent(invalid.value)} {invalid.hits} of 80"
    assert board["Samples"] == amount(done.n)

    every, robust = work.get("pass^k"), work.named("robustness")[0]
    always = f"{percent(every.value)} (95 % interval {percents(every.interval)})"
    assert f"of 2 tries all pass (pass^2): {always}" in terminal
    assert board["pass^k"] == f"{percent(every.value)} {percents(every.interval)} 2 tries"
    assert f"robustness R = {robust.value:.2f} (95 % interval {robust.low:.2f} to {robust.high:.2f})" in terminal
    assert board["Robustness"] == f"{robust.value:.2f} {robust.low:.2f} to {robust.high:.2f}"

    cost, agent, took = (work.get(name) for name in ("cost_per_task", "agent_cost_per_task", "seconds"))
    assert board["Cost per task"].startswith(f"{dollars(cost.value)} agent alone {dollars(agent.value)}")
    assert exported["cost per task"] == f"${cost.value:.4f}"
    # Seconds of what the request cache answered are known nowhere, and hide nothing of the others.
    assert took.n == 70 and cost.n == 78 and board["Latency"].startswith(seconds(took.value))
    assert exported["seconds per task"] == f"{took.value:.1f}" and f"tool calls, {seconds(took.value)}" in terminal

    limits = GateLimits(min_completion=0.1, min_robustness=0.1, max_cost_per_task=9, max_seconds=99, max_invalid=1)
    gated = {one.name: one for one in judge_gate(run, limits).criteria}
    # A gate asks about these very tasks, where the figure has an interval for that.
    for limit, found in (
        ("min_completion", these.get("completion")),
        ("min_robustness", these.named("robustness")[0]),
        ("max_cost_per_task", cost),
        ("max_seconds", took),
        ("max_invalid", these.get("invalid", "")),
    ):
        assert (gated[limit].observed, gated[limit].interval) == (found.value, found.interval), limit
    assert these.get("completion").interval != done.interval
    agents = judge_gate(run, GateLimits(max_cost_per_task=9), cost_of_whom="agent").criteria[0]
    assert agents.observed == agent.value


def test_every_change_between_two_runs_is_the_same_in_all_ways(run: StoredRun, other: StoredRun) -> None:
    figures = pair_of(run, other).figures()
    names = {one.name for one in figures.listed}
    assert names == {"completion", "completion_of_valid", "robustness", *MEANS}
    told = json.loads(command("compare", run.folder, other.folder, "--json").out)["comparison"]["figures"]["listed"]
    python = wt.compare(run.folder, other.folder)
    assert python.figures == figures and len(told) == len(figures.listed) > 50
    for change, one in zip(figures.listed, told, strict=True):
        for field in fields(Change):
            assert one[field.name] == pytest.approx(getattr(change, field.name)), (change.name, field.name)

    page, html = command("compare", run.folder, other.folder).out, python._repr_html_()
    for condition in MODES:
        rate = figures.get("completion_of_valid", condition)
        assert rate.interval is not None and (rate.n, rate.clusters) == (78, 10)
        cells = f"{rate.first:.1%}", f"{rate.second:.1%}", signed(rate.value or 0.0)
        # In a row, or below each other where the terminal is narrow.
        told = r"[\s│AB-]+".join(map(re.escape, cells))
        assert re.search(rf"{condition}[\s│AB]+{told}\s", page), condition
        assert f"<td>{condition}</td>{''.join(f'<td>{cell}</td>' for cell in cells)}" in html
        assert f"<td>{points(rate.interval)}</td>" in html
    kept = figures.get("robustness", "")
    assert f"robustness R: A {kept.first:.2f}, B {kept.second:.2f} (B - A {kept.value:+.2f}" in page
    cost, took = figures.get("cost_per_task"), figures.get("seconds")
    assert re.search(rf"│ cost +│ +{re.escape(dollars(cost.first))} │ +{re.escape(dollars(cost.second))} │", page)
    assert re.search(rf"seconds +│ +{seconds(took.first)} +│ +{seconds(took.second)} +│", page)
    # The mean of a run's own samples: what one agent takes is the same alone and beside another.
    assert (cost.first, took.first) == pytest.approx(
        (figures_of(run).get("cost_per_task").value, figures_of(run).get("seconds").value)
    )

    gated = judge_gate(other, GateLimits(max_regression=0.5), baseline=run).criteria[0]
    these = figures.get("completion_of_valid", estimand=Estimand.THESE)
    assert gated.interval is not None and these.interval is not None
    assert (gated.observed, *gated.interval) == pytest.approx((these.value, *these.interval))

    answer = conclude_on(names_of([run, other]))
    (rival,) = answer.rivals
    together = pair_of(run, other).figures(1 - 0.05 / len(MODES))
    assert answer.leader is not None and answer.leader.run is other
    for contest in rival.contests:
        for lead, estimand in ((contest.difference, Estimand.WORK), (contest.these, Estimand.THESE)):
            change = together.get("completion_of_valid", contest.condition, estimand=estimand)
            assert lead is not None and change.interval is not None
            assert (lead.value, *lead.interval) == pytest.approx((change.value, *change.interval))
    assert python.conclusion == answer.sentence and html.startswith(f"<p>{answer.sentence.replace('<', '&lt;')}")


def test_changes_are_reckoned_once_for_the_same_records(run: StoredRun, other: StoredRun) -> None:
    again = StoredRun(run.folder, run.manifest, list(run.records))
    assert pair_of(again, other).figures() is pair_of(run, other).figures()
    assert pair_of(other, run) is not pair_of(run, other)


def test_the_page_by_kind_of_work_writes_the_grouped_figures(run: StoredRun) -> None:
    section = industries(open_report([run.folder], "r"))
    assert section is not None
    group = figures_of(run).get("completion", group="category=c1")
    (row,) = [row for row in parsed(section.html).one("tbody").all("tr") if row.one("th").text == "c1"]
    assert row.one("td").text == f"{percent(group.value, 0)} of {group.n}"


def test_figures_are_reckoned_once_for_the_same_records(run: StoredRun) -> None:
    again = StoredRun(run.folder, run.manifest, list(run.records))
    assert figures_of(again) is figures_of(run)
    fewer = StoredRun(run.folder, run.manifest, run.records[1:])
    assert figures_of(fewer) is not figures_of(run)


@pytest.mark.parametrize("name", sorted({*FIGURES, *WHOLE}))
def test_every_figure_is_explained_once(name: str) -> None:
    about = WHOLE.get(name) or FIGURES[name].about
    page = (Path(__file__).parents[2] / "docs" / "reference" / "figures.md").read_text("utf-8")
    assert f"| `{name}` | {about} |" in page
