"""What `worktrial show` says of repeats, and what it names to look at next."""

import shlex
from pathlib import Path

from tests.support.cli import command
from tests.support.made_runs import make_run

from worktrial.engine.stored import open_run
from worktrial.grading import Outcome
from worktrial.results.conditions import repeats_of


def test_repeats_are_told_in_a_line(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", repeats=3, tasks=40, skill=0.7, invalid=0.0)
    found = repeats_of(open_run(run).records)
    assert found is not None and 0 < found.every_time < found.at_least_one < 1
    shown = command("show", run).said
    assert f"of 3 tries all pass (pass^3): {found.every_time:.1%} (95 % interval " in shown
    assert f"at least one passes (pass@3): {found.at_least_one:.1%} (95 % interval " in shown
    assert "over 40 tasks" in shown


def test_without_repeats_there_is_no_such_line(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", tasks=5)
    assert repeats_of(open_run(run).records) is None
    assert "pass^" not in command("show", run).said


def test_tries_without_a_verdict_are_left_out(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", repeats=2, tasks=40, invalid=0.2)
    records = open_run(run).records
    broken = {record.sample for record in records if record.outcome is Outcome.INVALID}
    found = repeats_of(records)
    assert found is not None and found.tasks == 40 - len(broken)
    assert f"over {found.tasks} tasks" in command("show", run).said


def test_the_next_commands_work(tmp_path: Path) -> None:
    run = make_run(tmp_path / "a run", tasks=8, repeats=2, conditions=("E0", "E2"), skill=0.5)
    last = command("show", run).out.rstrip().splitlines()[-1]
    assert last.startswith("more: ")
    report, compare, trajectory = (shlex.split(part)[1:] for part in last.removeprefix("more: ").split(" · "))
    assert (report, compare) == (["report", str(run)], ["compare", str(run), "OTHER"])
    shown = command(*trajectory)
    assert shown.code == 0, shown.err
    assert "fail" in shown.out
