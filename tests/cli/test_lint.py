"""`worktrial lint`."""

import json
from pathlib import Path

from tests.support.cli import command
from tests.support.occubench import TinyRelease


def test_counts_and_rows_as_table_and_json(tmp_path: Path) -> None:
    data = TinyRelease().write(tmp_path)
    shown = command("lint", "occupations", "--data", data)
    assert shown.code == 0
    assert "4 tasks, 3 workplaces" in shown.out
    assert "dates-without-clock" in shown.out
    got = command("lint", "occupations", "--data", data, "--json", "--only", "dates-without-clock")
    rows = json.loads(got.out)
    assert rows["counts"] == {"dates-without-clock": 4}
    assert {row["check"] for row in rows["findings"]} == {"dates-without-clock"}
    assert rows["findings"][0].keys() == {"check", "subject", "file", "field", "what", "fix"}


def test_strict_fails_only_for_what_was_asked(tmp_path: Path) -> None:
    data = TinyRelease().write(tmp_path)
    assert command("lint", "occupations", "--data", data, "--strict").code == 1
    assert command("lint", "occupations", "--data", data, "--strict", "--only", "rubric-tools").code == 0


def test_the_starter_suite_gives_its_tasks_clocks_descriptions_and_honest_rubrics() -> None:
    options = ["--only", "rubric-tools", "--only", "dates-without-clock", "--only", "undescribed-state"]
    ran = command("lint", "starter", "--strict", *options, "--only", "prompt-calls")
    assert ran.code == 0, ran.out


def test_what_makes_no_sense(tmp_path: Path) -> None:
    for words, said in (
        (
            ["occupations"],
            "missing: --data. Beside an agent, the suite occupations needs the folder of the OccuBench release",
        ),
        (["nowhere"], "there is documents, occupations"),
        (["occupations", "--data", tmp_path / "none"], "no such folder"),
        (["starter", "--only", "typos"], "there is rubric-tools"),
    ):
        ran = command("lint", *words)
        assert ran.code == 2
        assert said in ran.said
