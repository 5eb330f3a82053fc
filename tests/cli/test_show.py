import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.agent_behaviours import Calls
from tests.support.behaviours import Says
from tests.support.cli import at, command, samples_of
from tests.support.combinators import When
from tests.support.judge_behaviours import Verdict, prose
from tests.support.occubench import TinyRelease
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

HOSTILE = "\x1b]0;owned\x07\x1b[2Jred \x1b[31m\x9b31m \u202edesrever [bold]plain[/bold] \u3000日本語\r\n"


def _run(tmp_path: Path, script: Script, *more: Any) -> Path:
    run = tmp_path / "run"
    data = TinyRelease().write(tmp_path / "data")
    with ScriptedServer(script) as server:
        command("run", "occupations", "--data", data, *at(server.url), "-o", run, *more)
    return run


def _table(out: str) -> dict[str, list[str]]:
    """First cell to the other cells, of all rows of all tables."""
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in out.splitlines() if "│" in line]
    return {row[0]: row[1:] for row in rows}


def test_a_finished_run(tmp_path: Path) -> None:
    ferry = When(lambda request: "ferry" in request.last_user_text, Verdict(False))
    patient = When(lambda request: "patient of bed 3" in request.last_user_text, prose)
    run = _run(tmp_path, Script(judge=[ferry, patient]), "--price", "1,2")
    shown = command("show", run)
    assert (shown.code, shown.err) == (0, "")
    assert "occupations · agent agent-1 · simulator simulator-1 · judge judge-1" in shown.said
    assert "2 passed · 1 failed · 1 invalid" in shown.out
    rows = _table(shown.out)
    # Tasks of two scenarios, which are hardly enough to say how much scenarios vary.
    assert rows["of all samples"] == ["50.0% (4.7 to 95.3%)"]
    assert rows["of valid samples"] == ["66.7% (0.8 to 99.8%)"]
    assert rows["Harbour Trade"][:2] == ["1/2", "0"] and rows["Harbour Trade"][2].startswith("50.0% (")
    assert rows["Health"][:2] == ["0/1", "1"] and rows["Health"][2].startswith("0.0% (")
    assert rows["2"][0] == "1/2"
    records = samples_of(run)
    for role in ("agent", "simulator", "judge"):
        used = [r["usage"][role] for r in records]
        totals = [sum(u[k] for u in used) for k in ("requests", "input_tokens", "cached_tokens", "output_tokens")]
        assert rows[role][:4] == [f"{n:,}" for n in totals]
        assert rows[role][4] == f"${sum(u['cost'] for u in used):.4f}"
    assert f"total cost: ${sum(r['cost'] for r in records):.4f}" in shown.out
    assert "per sample: 2.0 tool calls" in shown.out
    assert "work ended by: answered 3" in shown.out
    assert "the judge's votes agree in 100.0% of pairs; Fleiss' kappa 1.00" in shown.said
    assert "invalid: no_majority 1" in shown.out


def test_a_narrow_terminal_cuts_no_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = _run(tmp_path, Script())
    monkeypatch.setenv("COLUMNS", "44")
    shown = command("show", run).out
    assert "100.0% (" in shown
    assert max(len(line) for line in shown.splitlines() if "│" in line) <= 44
    assert not [line for line in shown.splitlines() if "│" in line and "…" in line.split("│", 2)[2]]


def test_an_unfinished_run(tmp_path: Path) -> None:
    run = _run(tmp_path, Script(), "--max-tokens", 4000, "--concurrency", 1)
    shown = command("show", run)
    assert shown.code == 0
    left = 4 - len(samples_of(run))
    assert 0 < left < 4
    assert f"unfinished: {left} samples are still to come" in shown.out
    assert "unknown" in shown.out


def test_a_run_that_never_began(tmp_path: Path) -> None:
    run = _run(tmp_path, Script(), "--max-minutes", 0)
    shown = command("show", run)
    assert shown.code == 0
    assert "0 passed · 0 failed · 0 invalid" in shown.out
    assert "unfinished: 4" in shown.out


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda run: None, ["no such folder"]),
        (lambda run: run.mkdir(), ["manifest.json", "Is this the folder of a run?"]),
        (lambda run: [run.mkdir(), (run / "manifest.json").write_text("{}")], ["manifest.json", "not a run's"]),
        (lambda run: [run.mkdir(), (run / "manifest.json").write_text("\x00")], ["manifest.json"]),
    ],
)
@pytest.mark.parametrize("words_before", [["show"], ["trajectory"]])
def test_what_is_no_run(make: Any, words: list[str], words_before: list[str], tmp_path: Path) -> None:
    make(tmp_path / "run")
    more = ["11"] if words_before == ["trajectory"] else []
    ran = command(*words_before, tmp_path / "run", *more)
    assert ran.code == 2
    assert all(word in ran.err for word in words), ran.err


def test_a_damaged_record_is_named(tmp_path: Path) -> None:
    run = _run(tmp_path, Script())
    lines = (run / "samples.jsonl").read_text().splitlines(keepends=True)
    (run / "samples.jsonl").write_text("".join([lines[0], '{"suite": 3}\n', *lines[1:]]))
    ran = command("show", run)
    assert ran.code == 2
    assert "samples.jsonl:2" in ran.err


def test_a_trajectory(tmp_path: Path) -> None:
    calls = Calls((("list_berths", {}), ("book_berth", {"berth": "B1"}), ("sail", {})), "Berth B1 is booked.")
    run = _run(tmp_path, Script(agent=calls), "--tasks", 11, "--repeats", 2)
    shown = command("trajectory", run, "11", "--repeat", 1)
    assert shown.code == 0
    for words in (
        "occupations · sample 11 · repeat 1 · E0 · 2026-03-02T09:00:00",
        "Find the Gannet a berth for six hours.",
        "1 list_berths {}",
        '"status":"ok"',
        "[simulator]",
        "2 book_berth",
        "required, but missing",
        "[refusal]",
        "unknown_tool",
        "answer · answered",
        "Berth B1 is booked.",
        "pass · 2 for, 0 against",
        "vote 2: pass · Every point of the rubric is met.",
    ):
        assert words in shown.said, words
    stored = json.loads(command("trajectory", run, "11", "--repeat", 1, "--json").out)
    assert stored["repeat"] == 1
    assert [c["tool"] for c in stored["calls"]] == ["list_berths", "book_berth", "sail"]
    assert stored["messages"][-1] == {"role": "assistant", "content": "Berth B1 is booked."}


def test_an_unknown_sample_or_repeat(tmp_path: Path) -> None:
    run = _run(tmp_path, Script(), "--tasks", "11,7")
    for words in (["5"], ["11", "--repeat", "3"]):
        ran = command("trajectory", run, *words)
        assert ran.code == 2
        assert "no trajectory of sample" in ran.err
        assert set(ran.err.split("There is: ")[1].strip().split(", ")) == {"11", "7"}


def test_nothing_in_a_trajectory_steers_the_terminal(tmp_path: Path) -> None:
    calls = Calls((("list_berths", {}), (f"sail{HOSTILE}", {HOSTILE: HOSTILE})), f"Done. {HOSTILE}")
    script = Script(
        agent=calls,
        simulator=Says(json.dumps({"status": HOSTILE})),
        judge=Says(json.dumps({"is_correct": True, "feedback": HOSTILE})),
    )
    run = _run(tmp_path, script, "--tasks", 11)
    for words in (["trajectory", run, "11"], ["trajectory", run, "11", "--json"], ["show", run]):
        ran = command(*words)
        assert ran.code == 0, ran.err
        assert not {"\x1b", "\x07", "\r"} & set(ran.out)
    plain = command("trajectory", run, "11")
    assert not {"\x9b", "\u202e"} & set(plain.out)
    assert plain.said.count("[bold]plain[/bold]") >= 5
    assert "\u3000日本語" in plain.out


def test_a_long_text_is_cut(tmp_path: Path) -> None:
    run = _run(tmp_path, Script(agent=Says("word " * 2000)), "--tasks", 11)
    out = command("trajectory", run, "11").out
    assert "8,000 more characters" in out
    assert len(out) < 5000


def test_a_trajectory_shows_thoughts_apart_from_words(tmp_path: Path) -> None:
    said = "<think>Is it B2, or is it B1?</think>Berth B1 is booked."
    run = _run(tmp_path, Script(agent=Says(said)), "--tasks", 11)
    shown = command("trajectory", run, "11").said
    assert "thinks: Is it B2, or is it B1?" in shown
    assert "<think>" not in shown and shown.count("Berth B1 is booked.") == 1
