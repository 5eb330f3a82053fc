"""The agent that does nothing."""

from pathlib import Path

from tests.support.cli import command, samples_of
from tests.support.run_files import work_of


def test_it_answers_at_once_and_passes_nothing(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert command("run", "starter", "--agent", "idle", "--limit", 3, "-o", run).code == 0
    got = {(r["outcome"], r["calls"], r["turns"], r["stop_reason"]) for r in samples_of(run)}
    assert got == {("fail", 0, 1, "answered")}
    line = work_of(run)[0]
    assert [m["role"] for m in line["messages"]] == ["user", "assistant"]
    assert line["answer"] == line["messages"][1]["content"]
