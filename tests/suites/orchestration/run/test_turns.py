"""The turn-by-turn trial as a run over real HTTP: figures, floors, trouble, judges, and who is asked what."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import by_sample, command, samples_of
from tests.support.orchestration import BERTH, SHORT, TinyTeam, call, card, user
from tests.support.request import ScriptedRequest
from tests.support.run_files import work_of
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.team import agrees, disagrees, gold_team
from tests.support.wire import completion, error_reply, tool_call

from worktrial.engine.manifest import read_manifest
from worktrial.engine.retry import RetryPolicy
from worktrial.engine.roles import Role, RoleName, RoleSettings
from worktrial.engine.run import run_trial
from worktrial.engine.run_plan import RunSettings
from worktrial.errors import SettingError, StopRun
from worktrial.named_agents import resolve_agent
from worktrial.suites.orchestration import suite
from worktrial.suites.orchestration.planning.references import FLOORS
from worktrial.suites.orchestration.planning.scenario import Language
from worktrial.suites.orchestration.run.ground import Groundwork, load_tasks
from worktrial.suites.orchestration.run.turns import OrchestrationTrial, Settings
from worktrial.suites.orchestration.scoring.figures import published_figures
from worktrial.suites.orchestration.scoring.ours import our_figures

QUICK = RetryPolicy(attempts=2, total_seconds=10, first_wait=0.01, longest_wait=0.02)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return TinyTeam().write(tmp_path / "data")


def _run(
    data: Path | None,
    run: Path,
    agent: str = "agent-1",
    *,
    url: str = "",
    sub_agent: str | None = None,
    judges: int = 0,
    tasks: Sequence[str] = (),
    languages: Sequence[Language] = tuple(Language),
    **settings: Any,
) -> dict[str, dict[str, Any]]:
    """Run the trial; the last record of each sample."""
    release, all_tasks = load_tasks(data, languages)
    chosen = [task for task in all_tasks if not tasks or task.id in tasks]
    models: dict[RoleName, RoleSettings] = {}
    for role, spec in ((Role.AGENT, agent), (Role.SUB_AGENT, sub_agent)):
        if spec is not None and resolve_agent(spec, suite).needs_model:
            models[role] = RoleSettings(role=role, model=spec, base_url=url)
    seats = [
        RoleSettings(role=Role.JUDGE, number=n, model=f"judge-{n}", base_url=url) for n in range(1, judges + 1)
    ]
    ground = Groundwork(
        release,
        chosen,
        resolve_agent(agent, suite),
        None if sub_agent is None else resolve_agent(sub_agent, suite),
        [role_name.role_name for role_name in seats],
    )
    trial = OrchestrationTrial(ground, Settings(**settings))
    run_trial(trial, models | {s.role_name: s for s in seats}, RunSettings(folder=run, retry=QUICK))
    return by_sample(run)


def _added(records: dict[str, dict[str, Any]], mode: str, floor: str | None = None) -> dict[str, float]:
    total: dict[str, float] = {}
    for record in records.values():
        measures = record["measures"]
        for key, value in (measures["floors"][floor][mode] if floor else measures[mode]["sums"]).items():
            total[key] = total.get(key, 0) + value
    return total


def test_the_gold_over_http_is_all_right(data: Path, tmp_path: Path) -> None:
    with ScriptedServer(Script(agent=gold_team(data), latency=0.3)) as server:
        records = _run(data, tmp_path / "run", url=server.url)
        assert server.count() == 7 + 2 + 2
        # None of a scenario's requests waits for another.
        assert server.stats()["in_flight_peak"] >= 7
    assert {s: r["outcome"] for s, r in records.items()} == {"EN/1": "pass", "EN/2": "pass", "KO/1": "pass"}
    assert our_figures(_added(records, "ours")).average == 1
    assert published_figures(_added(records, "published")).plan == 1
    first = records["EN/1"]
    assert (first["calls"], first["turns"]) == (4, 7)
    assert first["usage"]["agent"]["requests"] == 7
    assert first["tags"] | {"domains": None} == {
        "language": "EN",
        "scenario": "1",
        "category": "changed",
        "domains": None,
        "workflows": 4,
        "plans": 2,
        "user_turns": 3,
        "has_dependency": True,
        "has_interruption": False,
    }
    measures = first["measures"]
    assert (measures["requests"], measures["troubled"], measures["unasked"]) == (7, 0, [])
    assert [goal["reached"] for goal in measures["goals"]] == [True] * 4
    assert measures["first_failure"] is None


def test_the_trajectory_is_in_the_published_layout(data: Path, tmp_path: Path) -> None:
    _run(data, tmp_path / "run", "gold", tasks=["EN/1"])
    (line,) = work_of(tmp_path / "run")
    assert [m["step_id"] for m in line["main_agent_history"]] == [3, 12]
    assert [(m["step_id"], m["agent_id"]) for m in line["sub_agent_history"]][:2] == [
        ("4", "weather_agent"),
        ("5", "harbour_agent"),
    ]
    assert line["queries"]["9"] == "Book a berth for tomorrow"
    assert set(line["prompts"]) == {"3", "4", "5", "6", "9", "12", "13"}
    assert "label" not in line


@pytest.mark.parametrize("name", FLOORS)
def test_a_floor_is_what_its_team_gets(name: str, data: Path, tmp_path: Path) -> None:
    records = _run(data, tmp_path / "run", name)
    floor = name.replace("-", "_")
    for mode in ("published", "ours"):
        assert _added(records, mode) == _added(records, mode, floor)
    assert {r["outcome"] for r in records.values()} == {"fail"}
    average = published_figures(_added(records, "published")).average
    assert 0 < average < 0.7


def test_lost_requests_stay_in_the_denominators(data: Path, tmp_path: Path) -> None:
    def lost(request: ScriptedRequest) -> Any:
        asked_of_weather = "You are weather_agent" in str(request.messages[0]["content"])
        return error_reply(500, "lost") if asked_of_weather else None

    run = tmp_path / "run"
    with ScriptedServer(Script(agent=[lost, gold_team(data)])) as server:
        records = _run(data, run, url=server.url)
    first = records["EN/1"]
    assert first["outcome"] == "invalid"
    assert first["reason"].startswith(
        "endpoint_unavailable: 1 of 7 requests have no answer; first, step 4: agent at"
    )
    assert "500 lost (gave up after 2 tries)" in first["reason"]
    assert (first["turns"], first["measures"]["troubled"]) == (6, 1)
    sums = _added(records, "ours")
    assert (sums["requests"], sums["troubled"], sums["call_steps"]) == (11, 1, 6)
    assert our_figures(sums).function_call == pytest.approx(5 / 6)
    assert [row["right"] for row in first["measures"]["ours"]["rows"]["steps"]].count(False) == 1
    assert first["measures"]["published"]["sums"]["troubled"] == 1
    # A run that goes on asks only for what has no answer, and ends as if nothing had happened.
    with ScriptedServer(Script(agent=gold_team(data))) as server:
        mended = _run(data, run, url=server.url)
        assert server.count() == 7
    assert {r["outcome"] for r in mended.values()} == {"pass"}
    assert len(samples_of(run)) == 4


def test_a_prompt_without_room_is_the_team_s_own_failure(data: Path, tmp_path: Path) -> None:
    def full(request: ScriptedRequest) -> Any:
        if "# Team" not in str(request.messages[0]["content"]):
            return None
        return error_reply(400, "too many tokens", code="context_length_exceeded")

    with ScriptedServer(Script(agent=[full, gold_team(data)])) as server:
        record = _run(data, tmp_path / "run", url=server.url, tasks=["EN/2"])["EN/2"]
    assert record["outcome"] == "fail"
    assert "1 of 2 steps are wrong; first, step 3: context_overflow" in record["reason"]
    assert record["measures"]["troubled"] == 1
    assert our_figures(record["measures"]["ours"]["sums"]).plan == 0


def test_a_refused_key_stops_the_run(data: Path, tmp_path: Path) -> None:
    with ScriptedServer(Script(agent=lambda _: error_reply(401, "no such key"))) as server:
        with pytest.raises(StopRun, match="no such key"):
            _run(data, tmp_path / "run", url=server.url)


WRONG: dict[str, tuple[dict[str, int], str]] = {
    "text where a call is due": ({"text_for_call": 1}, "weather_agent: no decision where call is right"),
    "a call where a question is due": (
        {"call_for_refusal": 1},
        "harbour_agent: call where AWAITING_USER_INPUT is right",
    ),
    "no plan": ({"unparsable_plan": 1}, "step 3: no plan (unparsed_prediction)"),
    "a plan in circles": ({"cyclic_plan": 1}, "step 3: the plan scores 0."),
    "arguments that are no JSON": ({"arguments_not_json": 1}, "weather_agent: the calls score 0.33"),
    "arguments in a list": ({"arguments_a_list": 1}, "weather_agent: the calls score 0.33"),
}


@pytest.mark.parametrize("name", WRONG)
def test_why_a_sample_fails(name: str, data: Path, tmp_path: Path) -> None:
    flaws, why = WRONG[name]
    with ScriptedServer(Script(agent=gold_team(data, **flaws))) as server:
        record = _run(data, tmp_path / "run", url=server.url, tasks=["EN/1"])["EN/1"]
    assert record["outcome"] == "fail"
    assert why in record["reason"]


def test_planner_and_domain_agents_on_different_models(data: Path, tmp_path: Path) -> None:
    with ScriptedServer(Script(agent=gold_team(data))) as server:
        records = _run(data, tmp_path / "run", "agent-big", url=server.url, sub_agent="agent-small", tasks=["EN/1"])
        models = [("# Team" in str(r.messages[0]["content"]), r.body["model"]) for r in server.requests]
        assert sorted(models) == [(False, "agent-small")] * 5 + [(True, "agent-big")] * 2
        usage = records["EN/1"]["usage"]
        assert (usage["agent"]["requests"], usage["sub-agent"]["requests"]) == (2, 5)
        # Either of them may be a reference, so that the other one's part is measured alone.
        alone = _run(data, tmp_path / "alone", "gold", url=server.url, sub_agent="agent-small", tasks=["EN/1"])
        assert alone["EN/1"]["usage"].keys() == {"sub-agent"}
    settings = read_manifest(tmp_path / "alone" / "manifest.json").settings
    assert (settings["agent"], settings["sub_agent"], settings["mode"]) == ("gold", "agent-small", "turns")


def test_a_function_of_one_s_own(data: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def answer(messages, tools):\n"
        "    if not tools:\n"
        "        raise RuntimeError('no plan today')\n"
        "    return 'status: AWAITING_USER_INPUT\\nrequired_info: all'\n"
    )
    record = _run(data, tmp_path / "run", f"python:{tmp_path / 'mine.py'}:answer", tasks=["EN/1"])["EN/1"]
    assert record["outcome"] == "invalid"
    assert record["reason"].startswith("agent_crash: 2 of 7 requests have no answer; first, step 3: RuntimeError")


def test_a_function_that_hangs_costs_its_sample_the_verdict_and_no_other(data: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import threading\n\n\n"
        "def answer(messages, tools):\n"
        "    if not tools:\n"
        "        threading.Event().wait()\n"
        "    return 'status: AWAITING_USER_INPUT\\nrequired_info: all'\n"
    )
    agent = ("--agent", f"python:{tmp_path / 'mine.py'}:answer", "--timeout", 1)
    run = tmp_path / "run"
    ran = command("run", "orchestration", *agent, "--data", data, "--language", "en", "-o", run)
    assert ran.code == 3
    reasons = {record["sample"]: record["reason"] for record in samples_of(run)}
    assert reasons["EN/1"].endswith("first, step 3: the function gave no answer within 1 s")
    assert {reason.partition(":")[0] for reason in reasons.values()} == {"agent_crash"}


def _loosely(request: ScriptedRequest) -> Any:
    """The gold of the short scenarios with the message in other words."""
    if "# Team" in str(request.messages[0]["content"]):
        return None
    if not request.tools:
        return None
    made = tool_call("send", {"to": "Ida", "text": "Hi there"}, "call_1")
    return completion(None, tool_calls=[made], finish_reason="tool_calls")


def test_a_trajectory_names_the_argument_that_cost_a_point(data: Path, tmp_path: Path) -> None:
    with ScriptedServer(Script(agent=[_loosely, gold_team(data)])) as server:
        _run(data, tmp_path / "run", url=server.url, tasks=["EN/2"])
    shown = command("trajectory", tmp_path / "run", "EN/2").out
    assert "lost: send.text: differs from the gold value" in shown
    assert '"Hello"' in shown
    assert '"Hi there"' in shown
    assert "lost: send.to" not in shown


@pytest.mark.parametrize(("judge", "outcome"), [(agrees, "pass"), (disagrees, "fail")])
def test_judges_decide_open_values(judge: Any, outcome: str, tmp_path: Path) -> None:
    text = {"type": "string"}
    cards = [card("post_agent", "Sends messages.", send={"to": text, "text": text})]
    data = TinyTeam({"EN/1": SHORT}, cards).write(tmp_path / "data")
    script = Script(agent=[_loosely, gold_team(data)], judge=judge)
    with ScriptedServer(script) as server:
        _run(data, tmp_path / "run", url=server.url, judges=3, repeats=2, languages=[Language.EN])
        # Three judges, once for both repeats.
        assert server.count("judge") == 3
        unjudged = _run(data, tmp_path / "none", url=server.url, languages=[Language.EN])["EN/1"]
    records = samples_of(tmp_path / "run")
    assert [r["outcome"] for r in records] == [outcome] * 2
    judging = records[0]["measures"]["judging"]
    assert (judging["asked"], judging["trouble"]) == (len(judging["values"]), None)
    assert len(judging["values"][0]["votes"]) == 3
    assert unjudged["outcome"] == "fail"
    assert "judging" not in unjudged["measures"]
    values = [sum(r["measures"]["ours"]["sums"]["values"] for r in records) / 2]
    values += [unjudged["measures"]["ours"]["sums"]["values"]]
    assert values == ([1.0, 0.5] if outcome == "pass" else [0.5, 0.5])


def test_judges_without_an_answer_leave_the_sample_open(tmp_path: Path) -> None:
    data = TinyTeam({"EN/1": SHORT}).write(tmp_path / "data")
    script = Script(agent=[_loosely, gold_team(data)], judge=lambda _: error_reply(500, "away"))
    with ScriptedServer(script) as server:
        record = _run(data, tmp_path / "run", url=server.url, judges=1, languages=[Language.EN])["EN/1"]
    assert record["outcome"] == "invalid"
    assert record["reason"].startswith("endpoint_unavailable: judging: ")
    assert record["measures"]["judging"]["trouble"].startswith("endpoint_unavailable: ")
    assert record["measures"]["requests"] == 2


def test_nobody_to_ask(tmp_path: Path) -> None:
    rows = (*SHORT[:2], call("nobody_agent", "send", to="Ida", text="Hello"), user("Thanks."))
    data = TinyTeam({"EN/1": rows, "EN/2": BERTH}).write(tmp_path / "data")
    records = _run(data, tmp_path / "run", "gold", languages=[Language.EN])
    assert records["EN/2"]["outcome"] == "pass"
    assert records["EN/1"]["outcome"] == "invalid"
    assert records["EN/1"]["reason"] == "task_data: no step of this scenario can be asked about"


def test_another_setting_is_another_run(data: Path, tmp_path: Path) -> None:
    _run(data, tmp_path / "run", "gold")
    _run(data, tmp_path / "run", "gold")
    assert len(samples_of(tmp_path / "run")) == 3
    with pytest.raises(SettingError, match="cards"):
        _run(data, tmp_path / "run", "gold", cards="compact")


def test_the_worked_example_needs_no_download(tmp_path: Path) -> None:
    records = _run(None, tmp_path / "run", "gold")
    assert len(records) == 10
    assert {r["outcome"] for r in records.values()} == {"pass"}
    assert read_manifest(tmp_path / "run" / "manifest.json").data["folder"] == "built in"
