import json
from collections import Counter
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.data import real_data_dir

from worktrial.workplaces import DEFAULT_CLOCK, ClockSource, derive_clock, load_workplaces, trial_clock

FIELD, STATE, TASK, NONE = ClockSource.CLOCK_FIELD, ClockSource.STATE, ClockSource.INSTRUCTION, ClockSource.DEFAULT


@pytest.mark.parametrize(
    ("state", "instruction", "moment", "source"),
    [
        # Clocks, shallowest first; generic names only at the top; lists hold records.
        ({"current_date": "2024-10-24"}, "", "2024-10-24T09:00:00", FIELD),
        ({"meta": {"currentDate": "2024-10-24"}}, "", "2024-10-24T09:00:00", FIELD),
        ({"System_Clock": "2024-05-10T09:30:00Z"}, "", "2024-05-10T09:30:00+00:00", FIELD),
        ({"a": {"now": "2024-01-01"}, "as_of_date": "2024-02-02"}, "", "2024-02-02T09:00:00", FIELD),
        ({"timestamp": "2025-08-15T14:45:00+0200"}, "", "2025-08-15T14:45:00+02:00", FIELD),
        ({"log": [{"timestamp": "2025-08-15T14:45:00"}]}, "", "2025-08-15T14:45:00", STATE),
        ({"log": {"timestamp": "2025-08-15T14:45:00"}}, "", "2025-08-15T14:45:00", STATE),
        ({"simulation_clock": 1640512200}, "", "2021-12-26T09:50:00+00:00", FIELD),
        ({"current_time": "14:30"}, "", "2026-01-15T14:30:00", FIELD),
        ({"current_time": "14:30", "log": ["on 2024-03-03"]}, "", "2024-03-03T14:30:00", FIELD),
        ({"current_time": "25:99"}, "", DEFAULT_CLOCK, NONE),
        (
            {"simulation_time": 1200, "current_day": 3, "current_eta": "2024-01-01"},
            "",
            "2023-12-31T09:00:00",
            STATE,
        ),
        # Dates of the state: newest that does not lie ahead.
        (
            {"orders": [{"order_date": "2024-01-05"}, {"order_date": "2024-02-06"}]},
            "",
            "2024-02-06T09:00:00",
            STATE,
        ),
        ({"created": "2024-01-05", "deadline": "2024-03-01"}, "", "2024-01-05T09:00:00", STATE),
        ({"note": "checked 2024-01-05, valid until 2025-01-05"}, "", "2024-01-05T09:00:00", STATE),
        ({"lease_expiry_date": "2024-11-30"}, "", "2024-11-29T09:00:00", STATE),
        ({"key": "XY (Expired 2023-01-01)"}, "", "2023-01-01T09:00:00", STATE),
        ({"born": "1954-08-12", "bond": "2050-01-01"}, "", DEFAULT_CLOCK, NONE),
        ({"note": "signed March 5, 2024"}, "", "2024-03-05T09:00:00", STATE),
        ({"note": "signed 5th of Sept. 2024"}, "", "2024-09-05T09:00:00", STATE),
        ({"note": "2024-02-31 and part 2024-01-02-7"}, "", DEFAULT_CLOCK, NONE),
        # The instruction: its first date, or the day before a deadline.
        ({}, "Inspect on October 15, 2025 and again 2025-11-01.", "2025-10-15T09:00:00", TASK),
        ({}, "File it by 2025-10-15.", "2025-10-14T09:00:00", TASK),
        ({}, "File it.", DEFAULT_CLOCK, NONE),
        ({"log": ["2024-01-02"]}, "On 2025-10-15.", "2024-01-02T09:00:00", STATE),
    ],
)
def test_where_the_time_comes_from(state: object, instruction: str, moment: str, source: ClockSource) -> None:
    clock = derive_clock(instruction, state)
    assert (clock.moment, clock.source) == (moment, source)


DATE_LIKE = st.from_regex(
    r"(by |on )?[12]\d\d\d[-/]\d{1,2}[-/]\d{1,2}([T ]\d{1,2}:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?)?", fullmatch=True
)
KEY = st.sampled_from(["current_time", "timestamp", "now", "due", "deadline", "log", "created_at"]) | st.text(
    max_size=4
)
STATE_VALUE = st.recursive(
    st.none() | st.integers(-(10**12), 10**13) | st.floats() | st.text(max_size=8) | DATE_LIKE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEY, inner, max_size=4),
    max_leaves=10,
)


@given(st.text(max_size=20) | DATE_LIKE, STATE_VALUE)
def test_always_a_moment_and_always_the_same(instruction: str, state: object) -> None:
    moment = trial_clock(instruction, state)
    assert moment == trial_clock(instruction, state)
    assert datetime.fromisoformat(moment).isoformat(timespec="seconds") == moment


def test_another_default() -> None:
    assert trial_clock("", {}, "2030-05-05T07:00:00") == "2030-05-05T07:00:00"
    assert trial_clock("", {"note": "2024-01-02"}, "2030-05-05T07:00:00") == "2024-01-02T07:00:00"
    with pytest.raises(ValueError, match="Invalid isoformat"):
        trial_clock("", {}, "soon")


@pytest.mark.real_data
def test_the_published_tasks() -> None:
    folder = real_data_dir() / "occubench"
    library = load_workplaces(folder / "world_model_configs")
    counts = Counter[ClockSource]()
    with (folder / "eval_benchmark_solvable.jsonl").open(encoding="utf-8") as rows:
        for task in map(json.loads, rows):
            clock = derive_clock(task["agent_instruction"], library[task["env_name"]].initial_state)
            counts[clock.source] += 1
    print(dict(counts))
    assert counts.total() == 382
    assert counts[FIELD] >= 45 and counts[STATE] >= 60
