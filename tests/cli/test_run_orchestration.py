"""`worktrial run orchestration` over real HTTP, with a team that knows the gold answers."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.behaviours import Says
from tests.support.cli import Ran, by_sample, command, samples_of
from tests.support.combinators import When
from tests.support.orchestration import SHORT, TinyTeam, call, note, plan, user, workflow
from tests.support.request import ScriptedRequest
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.team import agrees, disagrees, gold_team
from tests.support.tiny_orchestration import TinyOrchestration, usual
from tests.support.wire import completion, tool_call

from worktrial.suites.orchestration.example import example_folder

SENDS = (
    note(),
    user("Tell Ida goodbye."),
    plan(workflow_1=workflow(("post_agent", "Tell Ida goodbye"))),
    call("post_agent", "send", to="Ida", text="Goodbye"),
)


def _run(*words: Any) -> Ran:
    return command("run", "orchestration", *words)


def _rows(out: str) -> list[list[str]]:
    """The cells of all rows of all tables, without empty ones."""
    lines = [line.replace("┃", "│") for line in out.splitlines() if "│" in line or "┃" in line]
    return [[cell.strip() for cell in line.strip("│").split("│") if cell.strip()] for line in lines]


def _values(row: list[str]) -> list[str]:
    """The values of a row, without intervals, units and names of floors."""
    return [cell.split(" ")[0] for cell in row] if row[0] != "this run" else [row[0], *_values(row[1:])]


def _is_call(request: ScriptedRequest) -> bool:
    return bool(request.tools)


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal wide enough that no cell is folded."""
    monkeypatch.setenv("COLUMNS", "300")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return TinyTeam({"EN/1": SHORT, "EN/2": SENDS, "KO/1": SHORT}).write(tmp_path / "data")


def test_the_worked_example(tmp_path: Path) -> None:
    with ScriptedServer(Script(agent=gold_team(example_folder()))) as server:
        words = ["--agent", "agent-1", "--base-url", server.url, "-o", tmp_path / "run"]
        ran = _run(*words)
        asked = server.count()
        again = _run(*words)
        assert server.count() == asked
    assert (ran.code, again.code) == (0, 0), ran.err
    assert "10 passed · 0 failed · 0 invalid" in ran.out
    assert ran.out == again.out == command("show", tmp_path / "run").out
    for language in ("EN", "KO"):
        for scoring in ("our", "published"):
            assert f"{language} · {scoring} scoring · 5 scenarios" in ran.out
    rows = _rows(ran.out)
    assert ["", "Average", "Plan", "Call/refuse", "Function call"][1:] in rows
    assert [_values(row) for row in rows].count(["this run", "100.0%", "100.0%", "100.0%", "100.0%"]) == 4
    # For each figure the best of three teams that understand nothing, which is far from nothing.
    floors = [row for row in rows if row[0] == "best floor"]
    assert [len(row) for row in floors] == [5] * 4
    assert all(float(cell.rstrip("%")) > 40 for row in floors for cell in _values(row)[1:])
    assert all("fill from words" in row[1] for row in floors)


def test_a_gap_of_nothing(tmp_path: Path) -> None:
    folder, turns = example_folder(), tmp_path / "turns"
    assert _run("--agent", "gold", "-o", turns).code == 0
    with ScriptedServer(Script(agent=gold_team(folder, free=True))) as server:
        words = ["--mode", "free", "--agent", "agent-1", "--simulator", "none", "--base-url", server.url]
        ran = _run(*words, "-o", tmp_path / "free", "--turns-run", turns)
    assert ran.code == 0, ran.err
    assert "10 passed · 0 failed · 0 invalid" in ran.out
    rows = _rows(ran.out)
    told = [_values(row) for row in rows]
    assert ["free", "turns", "EN", *["0.0"] * 4, "5"] in told
    assert ["free", "EN", *["100.0%"] * 4, "–", "0", "5"] in told
    assert "the two runs differ in more than the mode: agent, settings of agent" in ran.said


def test_one_s_own_mistakes_cost_more_when_running_free(tmp_path: Path) -> None:
    """A planner that writes no plan: turn by turn others' plans go on, free nothing ever starts."""
    folder, turns, free = example_folder(), tmp_path / "turns", tmp_path / "free"
    common = ["--agent", "agent-1", "--language", "en", "--temperature", "0.5"]
    no_plan = When(lambda request: not _is_call(request), Says("I am on it."))
    with ScriptedServer(Script(agent=[no_plan, gold_team(folder)])) as server:
        assert _run(*common, "--base-url", server.url, "-o", turns).code == 0
        ran = _run(*common, "--mode", "free", "--simulator", "none", "--base-url", server.url, "-o", free)
    assert ran.code == 0, ran.err
    assert "0 passed · 5 failed · 0 invalid" in ran.out
    shown = command("show", free, "--turns-run", turns)
    assert shown.code == 0
    (row,) = (row for row in _rows(shown.out) if row[:2] == ["free", "turns"])
    assert _values(row)[3:] == ["+100.0", "+100.0", "+100.0", "0.0", "5"], "completed, goals, calls, plan"
    (row,) = (row for row in _rows(shown.out) if row[:2] == ["free", "EN · E0"])
    assert row[6] == "plan 5"
    assert "differ in more than the mode" not in shown.out


def _loosely(request: ScriptedRequest) -> Any:
    """A message in other words."""
    if not _is_call(request):
        return None
    made = tool_call("send", {"to": "Ida", "text": f"Dear Ida: {len(request.last_user_text)}"}, "call_1")
    return completion(None, tool_calls=[made], finish_reason="tool_calls")


def test_an_ensemble_on_several_endpoints(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_KEY", "sk-of-the-other-endpoint")
    script = Script(agent=[_loosely, gold_team(data)], judge=agrees)
    with ScriptedServer(script) as server, ScriptedServer(Script(judge=disagrees)) as other:
        ran = _run(
            *["--data", data, "--agent", "agent-1", "--base-url", server.url, "-o", tmp_path / "run"],
            *["--judges", "judge-a", "--judges", "judge-b", "--judges", f"judge-c@{other.url}@OTHER_KEY"],
            *["--judge-temperature", "0.3"],
        )
        assert ran.code == 0, ran.err
        # English and Korean, two of three judges here.
        assert (server.count("judge"), other.count("judge")) == (2 * 3, 3)
        for request in (*server.of("judge"), *other.of("judge")):
            assert request.body["temperature"] == 0.3
        assert other.requests[0].headers["Authorization"] == "Bearer sk-of-the-other-endpoint"
        assert {r.body["model"] for r in other.requests} == {"judge-c"}
    assert "sk-of-the-other-endpoint" not in (tmp_path / "run" / "manifest.json").read_text()
    assert "3 passed · 0 failed · 0 invalid" in ran.out
    values = samples_of(tmp_path / "run")[0]["measures"]["judging"]["values"]
    assert [vote["same_meaning"] for vote in values[0]["votes"]] == [True, True, False]
    (row,) = (row for row in _rows(ran.out) if row[:2] == ["run", "EN"])
    judges = "judge (judge-a), judge-2 (judge-b), judge-3 (judge-c)"
    pairs = "judge/judge-2 –; judge/judge-3 0.00; judge-2/judge-3 0.00"
    assert row[2:] == [judges, "2", "0", "66.7%", "33.3%", "-0.50", f"0.00 ({pairs})"]
    # Of two arguments the name is equal and the text two thirds the same.
    assert [_values(row)[4] for row in _rows(ran.out) if row[0] == "this run"] == ["94.4%"] * 4


def test_without_judges_other_words_are_wrong(data: Path, tmp_path: Path) -> None:
    with ScriptedServer(Script(agent=[_loosely, gold_team(data)])) as server:
        words = ["--data", data, "--agent", "agent-1", "--base-url", server.url, "--judges", "none"]
        ran = _run(*words, "-o", tmp_path / "run")
        assert server.count("judge") == 0
    assert "0 passed · 3 failed · 0 invalid" in ran.out
    assert "judged by" not in ran.out


def test_planner_and_domain_agents_on_different_endpoints(data: Path, tmp_path: Path) -> None:
    script = Script(agent=gold_team(data))
    with ScriptedServer(script) as big, ScriptedServer(script) as small:
        ran = _run(
            *["--data", data, "--agent", "agent-big", "--base-url", big.url, "-o", tmp_path / "run"],
            *["--sub-agent", "agent-small", "--sub-agent-base-url", small.url, "--sub-agent-temperature", "0"],
        )
        assert ran.code == 0, ran.err
        assert {(r.body["model"], bool(r.tools)) for r in big.requests} == {("agent-big", False)}
        assert {(r.body["model"], r.body["temperature"]) for r in small.requests} == {("agent-small", 0)}
    assert "agent agent-big · sub-agent agent-small" in ran.said


def test_repeats_have_a_mean_and_an_interval(data: Path, tmp_path: Path) -> None:
    """Of six English calls, the first one is not made: function call is 5/6 in the mean of three repeats."""
    stumbles = When(lambda request: _is_call(request) and "goodbye" in request.last_user_text, Says("Hm."), times=1)
    with ScriptedServer(Script(agent=[stumbles, gold_team(data)])) as server:
        words = ["--data", data, "--agent", "agent-1", "--base-url", server.url, "--repeats", 3]
        ran = _run(*words, "--language", "en", "-o", tmp_path / "run")
        assert server.count() == 3 * 4
    assert "EN · our scoring · 2 scenarios × 3 repeats (means)" in ran.out
    assert {(r["sample"], r["repeat"]) for r in samples_of(tmp_path / "run")} == {
        (f"EN/{s}", n) for s in (1, 2) for n in range(3)
    }
    rows = _rows(ran.out)
    at = next(n for n, row in enumerate(rows) if row[0] == "this run")
    assert _values(rows[at])[1:] == ["90.7%", "100.0%", "88.9%", "83.3%"]
    # Two scenarios, one of them without fault: they say next to nothing about others.
    assert rows[at][-1] == "83.3% (1.8 to 99.9%)"


def test_the_published_figures_beside_one_s_own(data: Path, tmp_path: Path) -> None:
    words = ["--data", data, "--agent", "gold", "-o", tmp_path / "run"]
    plain, compared = _run(*words), _run(*words, "--compare-published")
    assert "GLM-4.7" not in plain.out
    rows = [row for row in _rows(compared.out) if "GLM-4.7" in row[0]]
    assert [row[1:] for row in rows] == [
        ["82.2%", "75.8%", "83.5%", "87.4%"],
        ["84.1%", "76.4%", "86.3%", "89.6%"],
    ]
    assert "published: GLM-4.7" in command("show", tmp_path / "run", "--compare-published").out


def test_choosing_scenarios(data: Path, tmp_path: Path) -> None:
    for n, (words, chosen) in enumerate(
        (
            (["--scenarios", "EN/2,KO/1"], {"EN/2", "KO/1"}),
            (["--scenarios", "EN/2", "--scenarios", "EN/1"], {"EN/1", "EN/2"}),
            (["--limit", 1], {"EN/2", "KO/1"}),
            (["--tasks", "EN/1-2"], {"EN/1", "EN/2"}),
            (["--language", "ko"], {"KO/1"}),
        )
    ):
        run = tmp_path / str(n)
        assert _run("--data", data, "--agent", "gold", "-o", run, *words).code == 0
        assert by_sample(run).keys() == chosen


BAD: dict[str, tuple[list[str], str]] = {
    "a judge beside none": (["--judges", "none", "--judges", "x"], "--judges none: names no judge"),
    "a judge at no http address": (["--judges", "x@ftp://y"], "a URL that begins with http"),
    "a judge without an endpoint": (["--judges", "x"], "no endpoint for this model"),
    "a key that is not set": (["--judges", "x@http://127.0.0.1:9@NO_SUCH_KEY"], "NO_SUCH_KEY (key of the judge)"),
    "nobody at the endpoint": (["--judges", "x@http://127.0.0.1:9"], "the endpoint of the judge does not answer"),
    "faults turn by turn": (["--faults", "E1"], "--faults are for --mode free"),
    "a simulator turn by turn": (["--simulator", "x"], "--simulator, --turns-run and --faults are for --mode free"),
    "an unknown scenario": (["--scenarios", "EN/77"], "--scenarios: no scenario EN/77 in"),
    "no scenario": (["--scenarios", " , "], "--scenarios: names no scenario"),
    "no such folder": (["--data", "nowhere"], "nowhere: no such folder"),
    "no such function": (["--sub-agent", "python:nope"], "--sub-agent python:nope: write python:MODULE"),
    "an unknown language": (["--language", "fr"], "--language: Input should be 'en', 'ko' or 'both'"),
    "a limit of nothing": (["--limit", "0"], "'--limit'"),
    "a share that is none": (["--max-invalid", "2"], "'--max-invalid': Input should be"),
    "free without a simulator": (["--mode", "free", "--agent", "m"], "--simulator none"),
    "no such turn-by-turn run": (["--mode", "free", "--turns-run", "nowhere"], "nowhere: no such folder"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_options(name: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words, said = BAD[name]
    ran = _run("--data", data, "--agent", "gold", "-o", "run", *words)
    assert (ran.code, "Traceback" in ran.err) == (2, False)
    assert said in ran.said
    assert not (tmp_path / "run" / "samples.jsonl").exists() or not samples_of(tmp_path / "run")


def test_a_run_that_cannot_stand_beside_is_refused_before_anything_runs(data: Path, tmp_path: Path) -> None:
    turns, free, other = tmp_path / "turns", tmp_path / "free", tmp_path / "other"
    common = ["--data", data, "--agent", "gold"]
    assert _run(*common, "-o", turns, "--scenarios", "EN/1,KO/1").code == 0
    assert _run(*common, "--mode", "free", "-o", free).code == 0
    assert _run("--agent", "gold", "-o", other, "--scenarios", "EN/1").code == 0
    again = [*common, "--mode", "free", "-o", tmp_path / "again", "--turns-run"]
    for words, said in (
        ([free], "with --mode free, not a turn-by-turn run"),
        ([other], "is about other data"),
        ([turns, "--scenarios", "EN/2"], "has no scenario in common"),
        ([turns, "--faults", "E1"], "nothing runs free without faults"),
    ):
        ran = _run(*again, *words)
        assert (ran.code, said in ran.said) == (2, True), ran.said
        assert not (tmp_path / "again").exists()
    shown = command("show", free, "--turns-run", other)
    assert (shown.code, "is about other data" in shown.said) == (2, True)


def test_a_language_that_is_not_there(tmp_path: Path) -> None:
    data = TinyTeam({"EN/1": SHORT}).write(tmp_path / "data")
    ran = _run("--data", data, "--agent", "gold", "-o", tmp_path / "run")
    assert ran.code == 2
    assert f"{data}: holds no folder KO; it holds EN" in ran.said
    assert "to go on with EN alone, ask for that language only" in ran.said
    assert _run("--data", data, "--agent", "gold", "-o", tmp_path / "run", "--language", "en").code == 0


# One document of some hundred characters that stands for 10^9 values.
BOMB = "\n".join(
    ["a0: &a0 [x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)), "steps: *a9"]
)


def test_broken_files_are_named_and_left_out(tmp_path: Path) -> None:
    scenarios = {"1": usual(), "2": "steps: [", "3": BOMB, "4": b"\xff\xfe", "5": "x" * 4_000_001, "6": "steps: 3"}
    data = TinyOrchestration(scenarios).write(tmp_path / "data")
    ran = _run("--data", data, "--agent", "gold", "--language", "en", "-o", tmp_path / "run")
    assert ran.code == 0, ran.err
    reasons = {2: "is not YAML", 3: "more than 100000 values", 4: "is not UTF-8", 5: "4000001 bytes"}
    for number, why in reasons.items():
        assert f"left out: EN/scenario_data/{number}.yaml: " in ran.said
        assert why in ran.said
    assert "left out: EN/scenario_data/6.yaml" in ran.said
    assert by_sample(tmp_path / "run").keys() == {"EN/1"}


def test_nothing_but_broken_files(tmp_path: Path) -> None:
    data = TinyOrchestration({"2": "steps: ["}).write(tmp_path / "data")
    ran = _run("--data", data, "--agent", "gold", "--language", "en", "-o", tmp_path / "run")
    assert (ran.code, "Traceback" in ran.err) == (2, False)
    assert "EN" in ran.said


def test_the_manifest_says_what_was_run(data: Path, tmp_path: Path) -> None:
    _run("--data", data, "--agent", "gold", "--gold", "corrected", "--search-nodes", "500", "-o", tmp_path / "run")
    settings = json.loads((tmp_path / "run" / "manifest.json").read_text())["settings"]
    assert (settings["mode"], settings["gold"], settings["cards"]) == ("turns", "corrected", "full")
    assert (settings["agent"], settings["sub_agent"], settings["judges"]) == ("gold", None, [])
    assert settings["search_nodes"] == 500
