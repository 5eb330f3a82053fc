import json
import tarfile
from pathlib import Path
from typing import Any

import pytest
from tests.support.stored_sums import score_stored

from worktrial.errors import DataError
from worktrial.suites.orchestration.scoring.figures import published_figures
from worktrial.suites.orchestration.scoring.stored import stored_scenarios

RUN: dict[str, Any] = {
    "main_agent_history": [],
    "sub_agent_history": [{"step_id": "4", "role": "assistant", "content": "AWAITING_USER_INPUT"}],
    "label": {"4": {"role": "assistant", "agent_id": "hotel_agent", "content": "status: AWAITING_USER_INPUT"}},
}


def store(folder: Path, name: str, content: Any = None, **runs: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}_out.json"
    if content is None:
        content = {"scenario_id": name, "history": {"run #1": RUN, **runs}}
    file.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return file


def trouble(place: Path) -> str:
    with pytest.raises(DataError) as caught:
        list(stored_scenarios(place))
    return str(caught.value)


def test_folder_archive_and_the_folder_itself(tmp_path: Path) -> None:
    folder = tmp_path / "run" / "steps" / "some-model"
    for name in ("10", "9", "two"):
        store(folder, name, **{"run #2": RUN})
    (tmp_path / "run" / "eval.json").write_text("{}")
    packed = tmp_path / "run.tar.gz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(tmp_path / "run", "run")
    for place in (tmp_path / "run", folder, packed):
        found = list(stored_scenarios(place))
        assert [scenario.id for scenario in found] == ["9", "10", "two"]
        assert found[0].runs == {"run #1": RUN, "run #2": RUN}
        assert found[0].where.endswith("9_out.json")
        sums = score_stored(place, {})
        assert (sums["files"], sums["refused"]) == (3, 6)
        assert published_figures(sums).call_refuse == 0.5


def test_the_file_name_stands_in_for_an_absent_id(tmp_path: Path) -> None:
    store(tmp_path, "12", {"history": {"run #1": RUN}})
    assert [scenario.id for scenario in stored_scenarios(tmp_path)] == ["12"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ('{"history": ' + "9" * 10_000 + "}", "is not JSON"),
        ("[]", "the file: expected `object`, got `array`"),
        ({}, "missing required field `history`"),
        ({"history": {}}, "history is empty"),
        ({"history": []}, "history: expected `object`, got `array`"),
        ({"history": {"run #1": {}}}, "history['run #1']: object missing required field `main_agent_history`"),
        (
            {"history": {"run #1": RUN | {"sub_agent_history": [{"role": "assistant"}]}}},
            "history['run #1'].sub_agent_history[0]: object missing required field `step_id`",
        ),
        (
            {"history": {"run #1": RUN | {"main_agent_history": None}}},
            "history['run #1'].main_agent_history: expected `array`, got `null`",
        ),
        (
            {"history": {"run #1": RUN | {"label": {"4-1": {"tool_calls": ["book"]}}}}},
            "history['run #1'].label['4-1'].tool_calls[0]: expected `object`, got `str`",
        ),
    ],
)
def test_files_in_another_layout(tmp_path: Path, content: Any, says: str) -> None:
    store(tmp_path, "1")
    message = trouble(store(tmp_path, "2", content).parent)
    assert "2_out.json" in message
    assert says in message
    assert "Leave the file out" in message


def test_places_without_one_stored_run(tmp_path: Path) -> None:
    assert "no such folder" in trouble(tmp_path / "nowhere")
    assert "no file named" in trouble(tmp_path)
    store(tmp_path / "a", "1")
    store(tmp_path / "b", "1")
    assert "several runs: a, b" in trouble(tmp_path)
    plain = tmp_path / "run.txt"
    plain.write_text("no archive")
    assert "archive" in trouble(plain)
    torn = tmp_path / "torn.tar.gz"
    with tarfile.open(torn, "w:gz") as archive:
        archive.add(tmp_path / "a", "a")
    torn.write_bytes(torn.read_bytes()[:-40])
    assert "archive" in trouble(torn)


def test_a_hostile_answer_is_an_outcome(tmp_path: Path) -> None:
    answers = [
        {"step_id": "4", "content": text, "tool_calls": calls}
        for text, calls in [
            (None, []),
            ("", [{"function": {"name": "book", "arguments": "[" * 50_000}}]),
            ("", [{"function": {"name": "book", "arguments": "9" * 10_000}}]),
            ({"a": 1}, {}),
        ]
    ]
    plans = [{"step_id": 3, "content": text} for text in ("{" * 50_000, "workflow_1: " + "[" * 5_000, 7, "&a [*a]")]
    store(tmp_path, "1", {"history": {"run #1": RUN | {"sub_agent_history": answers, "main_agent_history": plans}}})
    sums = score_stored(tmp_path, {})
    assert (sums["files"], sums["call_errors"], sums["refused"]) == (1, 1, 0)
