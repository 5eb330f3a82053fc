"""`worktrial compare`, on real runs of the starter suite and on runs made up."""

import json
import shlex
from pathlib import Path

import pytest
from tests.results.runs import record, store
from tests.support.cli import command
from tests.support.made_runs import make_run


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Real ones: `plan` and `plan-again` pass everything, `idle` nothing."""
    folder = tmp_path_factory.mktemp("runs")
    for name, agent in (("plan", "plan"), ("plan-again", "plan"), ("idle", "idle")):
        assert command("run", "starter", "--agent", agent, "-o", folder / name).code == 0
    return folder


def _rows(out: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("│").split("│")] for line in out.splitlines() if "│" in line]


def test_a_difference_comes_first(runs: Path) -> None:
    shown = command("compare", runs / "plan", runs / "idle")
    assert (shown.code, shown.err) == (0, "")
    said = "plan completes 100.0 points more than idle (95 % interval +40.2 to +100.0, p 0.003)."
    assert shown.out.startswith(f"{said} On work like this, from the 53 tasks in 10 scenarios that both ran.")
    assert f"A plan · {runs / 'plan'}" in shown.said
    rows = _rows(shown.out)
    assert ["E0", "53", "0", "53", "0", "0", "0"] in rows
    # Too wide for 80 columns, so it is a list.
    effect = "condition E0 A 100.0% B 0.0% B - A -100.0 on these tasks -100.0 to -86.2, p < 0.001 on work like this"
    assert effect in shown.said
    assert "calls" in [row[0] for row in rows]
    assert "lost by B: 53 tasks: covenant-00, " in shown.out
    assert ", and 33 more (--all)" in shown.out
    everything = command("compare", runs / "plan", runs / "idle", "--all")
    assert "more (--all)" not in everything.out
    assert "triage-05" in everything.out


def test_too_little_is_said_to_be_too_little(runs: Path) -> None:
    shown = command("compare", runs / "plan", runs / "plan-again")
    said = (
        "Not enough to tell plan from plan-again: plan completes 0.0 points (95 % interval -29.9 to +29.9, p 1.000)"
    )
    assert shown.out.startswith(f"{said}; not even 10 times as many tasks would be likely to tell.")
    wide = command("compare", runs / "plan", runs / "plan-again", "--margin", 30)
    assert wide.out.startswith("plan is at least as good as plan-again, within 30 points: 0.0 points (95 %")
    refused = command("compare", runs / "plan", runs / "plan-again", "--margin", 120)
    assert refused.code == 2 and "a margin lies between 0 and 100 points" in refused.said
    assert "lost by B" not in shown.out


def test_json_holds_everything(runs: Path) -> None:
    shown = command("compare", runs / "plan", runs / "idle", "--json", "--level", "0.01")
    found = json.loads(shown.out)
    assert found["comparison"]["conclusion"].startswith("plan completes 100.0 points more than idle (99 % interval")
    assert found["margin"] == 0.05
    assert found["comparison"]["confidence"] == 0.99
    (condition,) = found["comparison"]["conditions"]
    assert condition["table"]["only_first"] == 53
    assert len(condition["flips"]) == 53
    assert condition["flips"][0]["keys"] == [["covenant-00", 0, "E0"]]
    groups = {one["group"] for one in found["comparison"]["figures"]["listed"]}
    assert len(groups - {""}) == 10


def test_runs_that_are_not_comparable(tmp_path: Path) -> None:
    make_run(tmp_path / "a", tasks=20, trajectories=False)
    make_run(tmp_path / "b", tasks=20, suite="starter", trajectories=False)
    refused = command("compare", tmp_path / "a", tmp_path / "b")
    assert refused.code == 2
    assert 'are not comparable: they differ in suite: "occupations" -> "starter"' in refused.said
    assert "--force" in refused.err
    shown = command("compare", tmp_path / "a", tmp_path / "b", "--force")
    assert shown.code == 0
    assert 'compared though they differ in suite: "occupations" -> "starter"' in shown.out


def test_conditions_stay_apart(tmp_path: Path) -> None:
    modes = ("E0", "E1", "E2", "E3")
    for name, skill in (("a", 0.5), ("b", 0.75)):
        make_run(
            tmp_path / name, agent=f"agent-{name}", tasks=150, skill=skill, conditions=modes, trajectories=False
        )
    shown = command("compare", tmp_path / "a", tmp_path / "b")
    first = shown.out.splitlines()[0]
    assert first.startswith("agent-b completes ") and "more than agent-a when tools fail silently (E2)" in first
    assert "; without faults (E0) it " in first and "hold for all 4 comparisons together" in first
    assert [row[0] for row in _rows(shown.out)[:4]] == list(modes)
    assert "robustness R: A 0." in shown.out
    assert "with an invalid one as not passed: A " in shown.out
    other = command("compare", tmp_path / "a", tmp_path / "b", "--condition", "E2")
    alone = other.out.splitlines()[0]
    assert "more than agent-a when tools fail silently (E2)" in alone and "(E0)" not in alone
    unknown = command("compare", tmp_path / "a", tmp_path / "b", "--condition", "E9")
    assert (unknown.code, unknown.out) == (2, "")
    assert "--condition E9: both runs have E0, E1, E2, E3" in unknown.err


def test_unfinished_runs_and_other_samples_are_told(tmp_path: Path) -> None:
    store(tmp_path / "a", [record("1"), record("2"), record("1", condition="E1")], agent="one")
    store(tmp_path / "b", [record("1"), record("3")], agent="two")
    path = tmp_path / "b" / "manifest.json"
    path.write_text(path.read_text().replace('"samples":2', '"samples":7'))
    shown = command("compare", tmp_path / "a", tmp_path / "b").out
    assert "only in A: 2 samples, such as 2 under E0" in shown
    assert "B is unfinished: 5 samples still to come" in shown
    assert "only A was tried under E1: nothing is said about that" in shown
    assert shown.startswith("Not enough to tell one from two: ")
    assert "from the 1 task that both ran; 2 samples that only one of them tried left out" in shown


def test_nothing_in_common(tmp_path: Path) -> None:
    store(tmp_path / "a", [record("1")])
    store(tmp_path / "b", [record("2")])
    refused = command("compare", tmp_path / "a", tmp_path / "b")
    assert refused.code == 2
    assert "have no sample in common" in refused.err
    assert command("compare", tmp_path / "a", tmp_path / "none").code == 2
    assert "--level 5: a level lies between 0 and 1" in command("compare", tmp_path, tmp_path, "--level", 5).err


def test_repeats_are_marked(tmp_path: Path) -> None:
    for side, outcomes in (("a", "ppp"), ("b", "fpf")):
        store(
            tmp_path / side, [record("t", "pass" if o == "p" else "fail", repeat=n) for n, o in enumerate(outcomes)]
        )
    shown = command("compare", tmp_path / "a", tmp_path / "b").out
    assert "lost by B: 1 task: t* (3->1 of 3)" in shown
    assert "* where the majority of the repeats changed, too" in shown


def test_hostile_names_steer_nothing(tmp_path: Path) -> None:
    for name in ("a", "b"):
        make_run(tmp_path / name, agent=f"agent-{name}", tasks=12, skill=0.5, hostile=True, trajectories=False)
    hostile = "[red]x[/red]\x1b[2J\u202e"
    for side, outcome in (("c", "pass"), ("d", "fail")):
        tags = [{"category": hostile}, {"category": "plain"}]
        store(tmp_path / side, [record(f"{hostile}{n}", outcome, hostile, tags=t) for n, t in enumerate(tags)])
    for first, second in (("a", "b"), ("c", "d")):
        shown = command("compare", tmp_path / first, tmp_path / second)
        assert shown.code == 0
        assert not any(c in shown.out + shown.err for c in "\x1b\u202e\x07")
    assert "[red]x[/red]�[2J�0" in shown.out


def test_of_more_than_two_runs_it_points_to_the_report(tmp_path: Path) -> None:
    folders = [make_run(tmp_path / name, tasks=3, trajectories=False) for name in ("a", "b c", "d")]
    refused = command("compare", *folders)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.count("\n") == 1
    said = refused.err.removeprefix("worktrial: compare takes two runs; more stand side by side in: worktrial ")
    assert shlex.split(said) == ["report", *map(str, folders)]
    shown = command(*shlex.split(said), "-o", tmp_path / "site")
    assert shown.code == 0, "what it names works as it stands"
