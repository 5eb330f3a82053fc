"""`worktrial score …` on files of rows and on stored runs."""

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest
from tests.suites.orchestration.scoring.real import archive, evaluation
from tests.suites.orchestration.scoring.real import data as release
from tests.support.cli import Ran, command, lines_of
from tests.support.data import real_data_dir
from tests.support.orchestration import SHORT, TinyTeam
from tests.support.team import gold_answer

from worktrial.suites.orchestration.planning.release import load_release
from worktrial.suites.orchestration.planning.scenario import Language
from worktrial.suites.orchestration.planning.turns import gold_steps

PLAN = {"workflow_1": {"status": "pending", "type": "independent", "steps": [{"status": "pending", "name": "a"}]}}
OTHER = {"workflow_1": {**PLAN["workflow_1"], "steps": [{"status": "pending", "name": "b"}]}}
# Another agent in the one step: of six nodes and edges one is substituted at 0.8, and the structure is the same.
CLOSE = (1 + 1 - 0.8 / 6) / 2
LABEL = {
    "4": {
        "role": "assistant",
        "agent_id": "post_agent",
        "content": "tool: send\narguments:\n  to: Ida\n  text: Hello\n",
    },
    "4-1": {
        "role": "assistant",
        "agent_id": "post_agent",
        "content": "",
        "tool_calls": [
            {
                "id": "1",
                "type": "function",
                "function": {"name": "send", "arguments": '{"to": "Ida", "text": "Hello"}'},
            }
        ],
    },
}


def _step(arguments: Any = '{"to": "Ida", "text": "Hello"}', **more: Any) -> dict[str, Any]:
    made = {"id": "1", "type": "function", "function": {"name": "send", "arguments": arguments}}
    return {"step_id": "4", "agent_id": "post_agent", "content": "", "tool_calls": [made], **more}


def _write(file: Path, *rows: Any) -> Path:
    file.write_bytes(b"".join((r if isinstance(r, bytes) else json.dumps(r).encode()) + b"\n" for r in rows))
    return file


def _score(what: str, file: Path, *words: Any) -> tuple[Ran, list[dict[str, Any]]]:
    out = file.parent / "deeper" / "scored.jsonl"
    ran = command("score", what, file, "-o", out, *words)
    return ran, lines_of(out) if out.exists() else []


ROWS: list[tuple[Any, float | None, str | None]] = [
    ({"gold_workflow": PLAN, "predicted_workflow": PLAN}, 1.0, None),
    ({"gold_workflow": PLAN, "predicted_workflow": OTHER}, CLOSE, None),
    ({"gold_text": json.dumps(PLAN), "predicted_text": f"So:\n```json\n{json.dumps(PLAN)}\n```"}, 1.0, None),
    ({"gold_text": json.dumps(PLAN), "predicted_text": "No."}, 0.0, "unparsed_prediction"),
    ({"gold_text": "No.", "predicted_text": json.dumps(PLAN)}, 0.0, "unparsed_gold"),
    ({"gold_text": "No.", "predicted_text": 5}, None, "line 6: gold_text and predicted_text must be strings"),
    ({"gold_workflow": PLAN}, None, "line 7: needs gold_workflow and predicted_workflow, or gold_text"),
    (b"{nothing", None, "line 8: not JSON"),
    ([PLAN, PLAN], None, "line 9: a JSON list, not an object"),
    (b"[" * 100_000, None, "line 10: not JSON"),
    (b"\xff", None, "line 11: not JSON"),
    ({"gold_workflow": PLAN, "predicted_workflow": OTHER, "more": "x"}, CLOSE, None),
]


@pytest.mark.parametrize("mode", ["ours", "published"])
def test_one_output_row_for_each_input_row_in_order(mode: str, tmp_path: Path) -> None:
    file = _write(tmp_path / "plans.jsonl", *(row for row, _, _ in ROWS))
    ran, scored = _score("workflow", file, "--mode", mode)
    assert (ran.code, ran.out) == (0, "")
    assert [set(row) for row in scored] == [{"score", "structure", "components", "exact", "error"}] * len(ROWS)
    for number, ((_, score, error), row) in enumerate(zip(ROWS, scored, strict=True), start=1):
        if mode == "ours" or score != CLOSE:
            assert row["score"] == (score if score is None else pytest.approx(score)), number
        assert (row["error"] is None) == (error is None), number
        assert (error or "") in (row["error"] or ""), number
        assert row["exact"] is True
    if mode == "ours":
        assert f"{file}: 6 scored rows, mean score 0.6444, 8 with an error" in ran.said


def test_empty_lines_are_no_rows_and_standard_output_takes_the_rows(tmp_path: Path) -> None:
    file = _write(tmp_path / "plans.jsonl", b"", ROWS[0][0], b"  ", ROWS[1][0])
    ran = command("score", "workflow", file)
    assert ran.code == 0
    assert [json.loads(line)["score"] for line in ran.out.splitlines()] == [1.0, pytest.approx(CLOSE)]
    assert "2 scored rows" in ran.err


def test_nothing_to_score(tmp_path: Path) -> None:
    ran, scored = _score("workflow", _write(tmp_path / "plans.jsonl"))
    assert (ran.code, scored) == (0, [])
    assert "0 scored rows, no scores, 0 with an error" in ran.said
    missing = command("score", "workflow", tmp_path / "nowhere.jsonl")
    assert (missing.code, "nowhere.jsonl" in missing.said) == (2, True)


def test_hostile_plans_are_scored_within_the_bound(tmp_path: Path) -> None:
    many = {f"workflow_{n}": PLAN["workflow_1"] for n in range(300)}
    bomb = "\n".join(["a0: &a0 [x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10))])
    circle = {f"workflow_{n}": {**PLAN["workflow_1"], "depend_on": f"workflow_{3 - n}"} for n in (1, 2)}
    file = _write(
        tmp_path / "plans.jsonl",
        {"gold_workflow": PLAN, "predicted_workflow": many},
        {"gold_workflow": circle, "predicted_workflow": PLAN},
        {"gold_text": json.dumps(PLAN), "predicted_text": f"{bomb}\nworkflow_1: *a9"},
        {"gold_workflow": PLAN, "predicted_workflow": ["workflow_1"]},
        {"gold_workflow": PLAN, "predicted_workflow": None},
        {"gold_workflow": PLAN, "predicted_workflow": {"workflow_1": {"steps": 5}}},
    )
    for mode in ("ours", "published"):
        ran, scored = _score("workflow", file, "--mode", mode, "--search-nodes", "200")
        assert (ran.code, len(scored)) == (0, 6)
        assert all(0 <= row["score"] < 1 for row in scored)
        assert [row["error"] is None for row in scored[:3]] == [True, True, False]
        assert all(row["error"] for row in scored[4:] if mode == "ours")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return TinyTeam({"EN/1": SHORT, "KO/1": SHORT}).write(tmp_path / "data")


def test_tool_calls(data: Path, tmp_path: Path) -> None:
    refusal = _step(tool_calls=[], content="status: AWAITING_USER_INPUT\nrequired_info: x")
    rows: list[tuple[Any, float | None, str]] = [
        ({"label": LABEL, "step": _step()}, 1.0, "call"),
        ({"label": LABEL, "step": _step('{"to": "Eve", "text": "Hello"}'), "lang": "KO"}, 5 / 6, "call"),
        ({"label": LABEL, "step": _step("{'to'")}, 1 / 3, "call"),
        ({"label": LABEL, "step": _step('["Ida"]')}, 1 / 3, "call"),
        ({"label": LABEL, "step": _step({"to": "Ida", "text": "Hello"})}, 1.0, "call"),
        ({"label": LABEL, "step": refusal}, 0.0, "AWAITING_USER_INPUT"),
        ({"label": LABEL, "step": _step(tool_calls=[], content="Hm.")}, 0.0, "no decision"),
        ({"label": LABEL, "step": _step(tool_calls="x", content=5)}, 0.0, "no decision"),
        ({"label": LABEL, "step": _step(), "lang": "FR"}, None, "lang: 'FR' is none of EN, KO"),
        ({"label": LABEL, "step": {}}, None, "line 10: needs label"),
        ({"label": LABEL, "step": _step(step_id="9")}, None, "label has no gold message of step 9"),
        (b"nothing", None, "line 12: not JSON"),
    ]
    file = _write(tmp_path / "steps.jsonl", *(row for row, _, _ in rows))
    ran, scored = _score("toolcalls", file, "--data", data)
    assert ran.code == 0, ran.err
    for number, ((_, score, said), row) in enumerate(zip(rows, scored, strict=True), start=1):
        assert row["score"] == (score if score is None else pytest.approx(score)), number
        assert said in (row["error"] if score is None else row["decision"]), number
        assert row.keys() == {"score", "decision", "name", "key", "value", "open", "error"}
    assert scored[1]["open"] == ["to"]
    published, theirs = _score("toolcalls", file, "--data", data, "--mode", "published")
    assert (published.code, len(theirs)) == (0, len(rows))
    assert [row["score"] for row in theirs[:2]] == [1.0, pytest.approx((1 + 1 + 0.5) / 3)]


def test_tool_calls_of_a_folder_that_is_not_there(tmp_path: Path) -> None:
    file = _write(tmp_path / "steps.jsonl", {"label": LABEL, "step": _step()})
    ran, _ = _score("toolcalls", file, "--data", tmp_path / "nowhere")
    assert (ran.code, "nowhere: no such folder" in ran.said) == (2, True)


def test_tool_calls_of_one_language_need_only_its_folder(tmp_path: Path) -> None:
    data = TinyTeam({"KO/1": SHORT}).write(tmp_path / "data")
    file = _write(tmp_path / "steps.jsonl", {"label": LABEL, "step": _step(), "lang": "KO"})
    ran, (row,) = _score("toolcalls", file, "--data", data)
    assert (ran.code, row["score"]) == (0, 1.0)


def _stored(data: Path, place: Path) -> Path:
    """A run of the published program in which the gold was answered."""
    from worktrial.suites.orchestration.scoring.layout import history_of

    loaded = load_release(data, [Language.EN])
    place.mkdir()
    for scenario in loaded.scenarios:
        steps, _ = gold_steps(scenario, loaded.teams[Language.EN])
        answers = {step.id: gold_answer(step) for step in steps}
        file = {"scenario_id": scenario.id, "history": {"run #1": history_of(scenario, answers)}}
        (place / f"{scenario.id}_out.json").write_text(json.dumps(file))
    return place


def test_a_stored_run(data: Path, tmp_path: Path) -> None:
    place, out = _stored(data, tmp_path / "steps"), tmp_path / "deeper" / "figures.json"
    ran = command("score", "orchestration", place, "--language", "en", "--data", data, "-o", out)
    assert ran.code == 0, ran.err
    assert "EN · 1 scenario" in ran.out
    figures = json.loads(out.read_text())
    assert {mode: f["plan"]["value"] for mode, f in figures["figures"].items()} == {"ours": 1.0, "published": 1.0}
    assert figures["scenarios"]["1"]["ours"][0]["steps"][0]["right"] is True
    archive = tmp_path / "steps.tar.gz"
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(place, "steps")
    again = command("score", "orchestration", archive, "--language", "en", "--data", data)
    assert again.out == ran.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere", "--language", "en"], "nowhere"),
        (["steps", "--language", "fr"], "--language"),
        (["steps"], "--language"),
        (["empty", "--language", "en"], "holds no file named N_out.json"),
        (["steps", "--language", "ko"], "--language"),
    ],
)
def test_a_stored_run_that_cannot_be_scored(words: list[str], said: str, tmp_path: Path) -> None:
    data = TinyTeam({"EN/1": SHORT, "KO/2": SHORT}).write(tmp_path / "data")
    _stored(data, tmp_path / "steps")
    (tmp_path / "empty").mkdir()
    ran = command("score", "orchestration", tmp_path / words[0], *words[1:], "--data", data)
    assert (ran.code, "Traceback" in ran.err) == (2, False)
    assert said in ran.said


def test_what_only_one_side_has_is_told(data: Path, tmp_path: Path) -> None:
    place = _stored(data, tmp_path / "steps")
    more = TinyTeam({"EN/1": SHORT, "EN/3": SHORT}).write(tmp_path / "more")
    text = (place / "1_out.json").read_text()
    (place / "8_out.json").write_text(text.replace('"scenario_id": "1"', '"scenario_id": "8"'))
    ran = command("score", "orchestration", place, "--language", "en", "--data", more)
    assert ran.code == 0
    assert "1 scenario not in the run: 3" in ran.said
    assert "1 scenario not in the data: 8" in ran.said


@pytest.mark.real_data
def test_recorded_plan_pairs_score_as_recorded(tmp_path: Path) -> None:
    file = real_data_dir() / "oracles" / "workflow_pairs.jsonl"
    out = tmp_path / "scored.jsonl"
    assert command("score", "workflow", file, "--mode", "published", "-o", out).code == 0
    rows, scored = lines_of(file), lines_of(out)
    assert len(rows) == len(scored) == 250
    for row, ours in zip(rows, scored, strict=True):
        theirs = row["ref"]
        assert ours["score"] == pytest.approx(theirs.get("overall") or 0.0, abs=1e-9), row["id"]
        assert (ours["error"] is None) == (theirs["error"] is None and not theirs.get("parse_failed")), row["id"]
        assert ours["exact"], row["id"]


@pytest.mark.real_data
def test_recorded_tool_steps_score_as_recorded(tmp_path: Path) -> None:
    file = real_data_dir() / "oracles" / "toolcall_steps.jsonl"
    out = tmp_path / "scored.jsonl"
    assert command("score", "toolcalls", file, "--data", release(), "--mode", "published", "-o", out).code == 0
    rows, scored = lines_of(file), lines_of(out)
    assert len(rows) == len(scored) == 350
    for row, ours in zip(rows, scored, strict=True):
        theirs = row["ref"]
        if theirs["error"] is None and theirs["scored_as_fc"]:
            assert ours["key"] == pytest.approx(theirs["key_f1"], abs=1e-9), row["id"]
            # The published program keeps four digits of the name score.
            assert ours["name"] == pytest.approx(theirs["name_f1_trial"], abs=5e-5), row["id"]
            assert ours["value"] == pytest.approx(theirs["value_match_none"]["f1"], abs=1e-9), row["id"]


@pytest.mark.real_data
@pytest.mark.parametrize("language", list(Language))
def test_archived_runs_score_as_the_published_program_says(language: Language, tmp_path: Path) -> None:
    out = tmp_path / "figures.json"
    words = ["--language", language.value.lower(), "--data", release(), "-o", out]
    assert command("score", "orchestration", archive(language), *words).code == 0
    ours = json.loads(out.read_text())
    theirs = evaluation(language)["overall_statistics"]
    figures = ours["figures"]["published"]
    for ours_name, theirs_name in (("plan", "Plan"), ("function_call", "FC")):
        assert figures[ours_name]["value"] == pytest.approx(theirs["key_metrics"][theirs_name], abs=5e-5)
        low, high = figures[ours_name]["interval"]
        assert low <= figures[ours_name]["value"] <= high
    assert ours["missing"] == ours["unknown"] == []


def test_the_file_that_is_scored_is_never_written_over(tmp_path: Path) -> None:
    file = _write(tmp_path / "plans.jsonl", ROWS[0][0])
    before = file.read_bytes()
    ran = command("score", "workflow", file, "-o", file)
    assert (ran.code, "is the file that is scored" in ran.said) == (2, True)
    assert file.read_bytes() == before


def test_half_a_surrogate_pair_is_no_trouble(tmp_path: Path) -> None:
    row = rb'{"gold_workflow": {"workflow_1": {}}, "predicted_workflow": {"workflow_\ud800": {"steps": []}}}'
    file = _write(tmp_path / "plans.jsonl", row)
    ran, scored = _score("workflow", file)
    assert (ran.code, len(scored)) == (0, 1)
