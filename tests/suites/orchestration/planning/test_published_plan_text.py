"""The published reading of a plan: the places of the published program, in its order."""

import json

import pytest
from tests.suites.orchestration.planning.plans import HOSTILE, RAW, YAML, hostility
from tests.support.data import real_data_dir

from worktrial.suites.orchestration.planning.published_plan_text import (
    PublishedReading,
    published_plan,
    published_reading,
)

_OBJECT = json.dumps(RAW, indent=1)
_FIRST = {"workflow_1": RAW["workflow_1"]}


@pytest.mark.parametrize(
    "text",
    [
        _OBJECT,
        YAML,
        f"```json\n{_OBJECT}\n```",
        f"```\n{_OBJECT}\n```",
        f"Sure.\n```json {_OBJECT} ```\nWill {{that}} do?",
        f"Here it is: {_OBJECT} and that is all",
        f"```yaml\n{YAML}\n```",
        f"Sure.\n```yaml\n{YAML}```\nWill that do?",
        f'<think>{{"workflow_9": 1}}</think> </think>{_OBJECT}',
        str(RAW),
        _OBJECT.replace("\n }", ",\n }"),
    ],
)
def test_found(text: str) -> None:
    assert published_plan(text) == RAW


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No plan is needed.",
        '{"status": "SUCCESS"}',
        _OBJECT[:-40],
        f"Plan below\n{YAML}",
        f"{{ // ours\n{_OBJECT[1:]}",
        YAML.replace("steps:", "steps"),
        YAML.replace("Find the", "Find: the"),
        "```json\n{}\n```\n```yaml\nplan: none\n```\nno workflow_ at all: [",
        "\ud800workflow_1:",
        json.dumps({"workflows": [RAW]}).replace('"workflow_1"', '"a"').replace('"workflow_2"', '"b"'),
    ],
)
def test_not_found(text: str) -> None:
    assert published_reading(text) == PublishedReading(None)


def test_the_program_s_accidents_are_kept() -> None:
    assert published_plan(json.dumps([{k: v} for k, v in RAW.items()])) == _FIRST
    assert published_plan('{"workflow_1": "x"} and {"workflow_2": "y"}') == {"workflow_1": "x"}
    assert published_plan('{"workflow_1": "x"}, {"workflow_2": "y"}') is None
    # Braces are matched without regard to strings, so an unbalanced one within a string is the end of the object.
    assert published_plan('So: {"workflow_1": {"note": "}"}, "workflow_2": {"a": {}}} there') is None
    # A tab before a colon is no YAML for PyYAML's own parser.
    assert published_plan("workflow_1\t: {}") is None
    assert published_plan('{"workflow_1": {"a": 1}, "workflow_1": {"a": 2}}') == {"workflow_1": {"a": 2}}


def test_workflows_without_a_colon_are_indented_anew() -> None:
    text = "workflow_1\nstatus: pending\nsteps:\n- name: ferry_agent\nworkflow_2\nstatus: paused\n"
    assert published_plan(text) == {
        "workflow_1": {"status": "pending", "steps": [{"name": "ferry_agent"}]},
        "workflow_2": {"status": "paused"},
    }


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("workflow_1:\n  day: 2025-02-30\n", "ValueError"),
        ('{"workflow_1": ' + "9" * 5000 + "}", "ValueError"),
        ("workflow_1" + "[" * 200_000, None),
        ("[" * 200_000, "RecursionError"),
        ("workflow_1: !!bool maybe", "KeyError"),
    ],
)
def test_replies_that_bring_the_program_down_are_no_plan(text: str, error: str | None) -> None:
    assert published_reading(text) == PublishedReading(None, error)


def test_dates_stay_json_able() -> None:
    assert published_plan("workflow_1:\n  day: 2025-02-03\n") == {"workflow_1": {"day": "2025-02-03"}}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_replies_take_time_in_proportion_at_most(name: str) -> None:
    assert hostility(name, published_reading) < 8


@pytest.mark.real_data
def test_every_recorded_reply_is_read_as_recorded() -> None:
    path = real_data_dir() / "oracles" / "workflow_pairs.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    texts = [row for row in rows if "predicted_text" in row]
    assert len(texts) >= 50
    for row in texts:
        assert (published_plan(row["predicted_text"]) or {}) == row["ref"]["pred_parsed"], row["id"]
        assert published_plan(row["gold_text"]) is not None, row["id"]
