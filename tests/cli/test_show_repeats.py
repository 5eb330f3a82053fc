"""What `worktrial show` says of repeats, and what it names to look at next."""

import shlex
from pathlib import Path

from tests.results.runs import record, store
from tests.support.cli import command
from tests.support.made_runs import make_run

from worktrial.engine.stored import open_run
from worktrial.grading import Outcome
from worktrial.results.figure import figures_of


def test_repeats_are_told_in_a_line(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", repeats=3, tasks=40, skill=0.7, invalid=0.0)
    every, once = (figures_of(open_run(run)).get(name).value or 0.0 for name in ("pass^3", "pass@3"))
    assert 0 < every < once < 1
    shown = command("show", run).said
    assert f"of 3 tries all pass (pass^3): {every:.1%} (95 % interval " in shown
    assert f"at least one passes (pass@3): {once:.1%} (95 % interval " in shown
    assert "over 40 tasks" in shown


def test_without_repeats_there_is_no_such_line(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", tasks=5)
    assert not figures_of(open_run(run)).named("pass")
    assert "pass^" not in command("show", run).said


def test_tries_without_a_verdict_are_left_out(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", repeats=2, tasks=40, invalid=0.2)
    records = open_run(run).records
    broken = {record.sample for record in records if record.outcome is Outcome.INVALID}
    found = figures_of(open_run(run)).get("pass^k")
    assert found.n == 40 - len(broken)
    assert f"over {found.n} tasks" in command("show", run).said


def test_a_run_in_which_nothing_passed_can_still_show_a_rise(tmp_path: Path) -> None:
    """53 tasks were said to show no difference at all, beside a comparison of +100 points."""
    idle = store(tmp_path / "idle", [record(str(n), "pass" if n == 0 else "fail") for n in range(53)])
    assert "53 tasks can show that another agent is better by " in command("show", idle.folder).out
    few = store(tmp_path / "few", [record("1", "fail"), record("2")])
    assert "2 tasks are too few to tell two agents apart" in command("show", few.folder).out


def test_the_next_commands_work(tmp_path: Path) -> None:
    run = make_run(tmp_path / "a run", tasks=8, repeats=2, conditions=("E0", "E2"), skill=0.5)
    last = command("show", run).out.rstrip().splitlines()[-1]
    assert last.startswith("more: ")
    report, compare, trajectory = (shlex.split(part)[1:] for part in last.removeprefix("more: ").split(" · "))
    assert (report, compare) == (["report", str(run)], ["compare", str(run), "OTHER"])
    shown = command(*trajectory)
    assert shown.code == 0, shown.err
    assert "fail" in shown.out
