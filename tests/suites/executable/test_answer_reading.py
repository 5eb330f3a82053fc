"""How answers are read is part of what a run measures; an author's mistake in a check is named with its place."""

from pathlib import Path

import msgspec
import pytest

from worktrial.engine.identity import comparable
from worktrial.engine.stored import open_run
from worktrial.errors import DataError, SettingError
from worktrial.grading import answer_checks
from worktrial.suites.executable.tasks import read_tasks
from worktrial.suites.regrade import refuse_other_data
from worktrial.suites.starter import load_workplace, suite

OLD_RUN = Path(__file__).parents[2] / "data" / "runs" / "starter"
TASKS = Path(__file__).parents[3] / "src/worktrial/suites/starter/workplaces/service_fleet/tasks.yaml"


def test_runs_whose_answers_were_read_otherwise_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    old = open_run(OLD_RUN)
    grader = suite.grader(old, suite.options(), {}, ())
    with pytest.raises(SettingError, match="fingerprint"):
        refuse_other_data(old, grader)
    now = msgspec.structs.replace(old.manifest, data=grader.data)
    monkeypatch.setattr(answer_checks, "READING", answer_checks.READING + 1)
    later = msgspec.structs.replace(now, data=suite.grader(old, suite.options(), {}, ()).data)
    assert [difference.what for difference in comparable(now, later)] == ["data"]


@pytest.mark.parametrize(
    ("wrong", "place", "fix"),
    [
        ("{check: answer_time, value: 14:50 pm}", "checks[9].answer_time.value", "write '14:50'"),
        ("{check: answer_time, value: 1450}", "checks[9].answer_time.value", "put the time in quotes, '14:50'"),
        ("{check: answer_date, value: 05/06/2025}", "checks[9].answer_date.value", "write 2025-05-19"),
        ("{check: answer_money, value: 5, currency: Euro}", "checks[9].answer_money.currency", "write EUR, USD"),
        ("{check: answer_id, value: ''}", "checks[9].answer_id.value", "write it as the tools do"),
        ("{check: answer_choice, value: a, options: {b: [c]}}", "checks[9].answer_choice", "none of the options b"),
        ("{check: answer_tiem, value: '14:50'}", "checks[9]", "answer_time"),
        ("{check: answer_number, valeu: 5}", "checks[9].answer_number.valeu", "Extra inputs"),
    ],
)
def test_a_check_that_cannot_be_used_is_named(tmp_path: Path, wrong: str, place: str, fix: str) -> None:
    text = TASKS.read_text("utf-8")
    line = '      - {check: answer_time, value: "2025-10-21T14:50"}'
    assert line in text
    path = tmp_path / "tasks.yaml"
    path.write_text(text.replace(line, f"      - {wrong}"), "utf-8")
    with pytest.raises(DataError) as raised:
        read_tasks(path, load_workplace("service_fleet"))
    said = str(raised.value)
    assert str(path) in said and fix in said
    assert place.partition("[9]")[2] in said
