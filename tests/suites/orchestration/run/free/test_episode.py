"""The free-running trial over real HTTP: who is asked what, what is run when, and that it always ends."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.free_runs import (
    VIOLATES,
    WAITS,
    TeamOfWords,
    calls,
    calls_raw,
    in_turn,
    keeps_calling,
    run_free,
    says,
    trajectory_of,
)
from tests.support.orchestration import BERTH, SHORT, TinyTeam, call, note, plan, reply, user, workflow
from tests.support.request import ScriptedRequest
from tests.support.script import Answer, Script
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import completion, error_reply, tool_call

from worktrial.agents.assignment import Limits
from worktrial.errors import SettingError, StopRun
from worktrial.workplaces.faults import Conditions, FaultMode


def _plan(**workflows: tuple[Any, ...] | str) -> str:
    """A plan from `id=(agent, query, *dependencies)`; a status word alone closes a workflow of the post agent."""
    plan = {}
    for name, said in workflows.items():
        if isinstance(said, str):
            plan[_id(name)] = {"status": said, "type": "independent", "steps": []}
            continue
        agent, query, *after = said
        steps = [{"status": "pending", "name": agent, "refined_query": query}]
        kind = "dependent" if after else "independent"
        plan[_id(name)] = {"status": "pending", "type": kind, "depend_on": after, "steps": steps}
    return json.dumps(plan)


def _id(name: str) -> str:
    return name.replace("__", "-")


FIRST = _plan(
    workflow_1=("weather_agent", "Weather"),
    workflow_2=("harbour_agent", "Find"),
    workflow_3=("harbour_agent", "Book", "workflow_2"),
)


def _acts(**more: Any) -> dict[str, Any]:
    """A team that does everything right, once it is told which berth."""
    usual = {
        "Weather": calls("forecast", place="Skagen", day="2026-03-03"),
        "Find": calls("findBerths", day="2026-03-03"),
        "Book": in_turn(WAITS, calls("bookBerth", berth="B2", ship="Gannet")),
        "Tell": calls("send", to="Ida", text="We moor at B2."),
    }
    return usual | more


TELL = _plan(workflow_4=("post_agent", "Tell"))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return TinyTeam({"EN/1": BERTH, "EN/2": SHORT}).write(tmp_path / "data")


def _run(data: Path, tmp_path: Path, team: Any, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The record and the trajectory of the one scenario that runs."""
    options.setdefault("tasks", ["EN/1"])
    simulator = options.pop("script", {})
    with ScriptedServer(Script(agent=team, **simulator)) as server:
        records = run_free(data, tmp_path / "run", url=server.url, **options)
    (record,) = records.values()
    return record, trajectory_of(tmp_path / "run", record["sample"])


def test_a_team_that_does_everything_right_reaches_all_goals(data: Path, tmp_path: Path) -> None:
    team = TeamOfWords(FIRST, "Which one?", "On it.", "Booked.", TELL, "Sent.", acts=_acts())
    record, line = _run(data, tmp_path, team)
    assert (record["outcome"], record["reason"], record["stop_reason"]) == (
        "pass",
        "4 of 4 goals reached",
        "answered",
    )
    free = record["measures"]["free"]
    assert [(g["workflow"], g["reached"]) for g in free["goals"]] == [
        ("workflow_1", True),
        ("workflow_2", True),
        ("workflow_3", True),
        ("workflow_4", True),
    ]
    assert (free["user_turns"], free["gold_calls"], free["calls_made"], free["stuck"]) == (3, 4, 4, [])
    assert free["first_failure"] == {"step": 12, "kind": "plan", "turn": 2}, "it left the finished workflows out"
    assert [plan["score"] == 1 for plan in free["plans"]] == [True, False]
    assert (record["calls"], record["turns"], record["measures"]["requests"]) == (
        4,
        free["requests"],
        record["turns"],
    )
    assert free["requests"] == 6 + 2 * 4 + 1, "six of the planner, two for each call, one that waited"
    assert [t["reply"] for t in line["turns"]] == ["Which one?", "Booked.", "Sent."]
    assert [m["role"] for m in line["messages"]][:4] == ["system", "user", "assistant", "assistant"]
    assert [call["gold"] for call in sorted(line["calls"], key=lambda c: c["tool"])] == [
        [9, 0],
        [5, 0],
        [4, 0],
        [13, 0],
    ]
    assert {call["observation"]["origin"] for call in line["calls"]} == {"recorded"}
    work = line["turns"][0]["work"]
    assert [(run["workflow"], run["end"]) for run in work if run["workflow"] == "workflow_3"] == [
        ("workflow_3", "asked")
    ]


def test_what_waits_for_the_user_goes_on_after_the_user_has_spoken(data: Path, tmp_path: Path) -> None:
    # The planner only talks in the second turn; the workflow that waits is taken up all the same.
    team = TeamOfWords(FIRST, "Which one?", "One moment.", "Booked.", acts=_acts())
    record, line = _run(data, tmp_path, team)
    assert team.queries.count("Book") == 2
    second = line["turns"][1]
    assert ([run["end"] for run in second["work"]], second["reply"]) == (["done"], "Booked.")
    assert record["measures"]["free"]["goals"][2]["reached"]
    assert "User: B2, for the Gannet." in team.asked[2]
    assert '"status": "paused"' in team.asked[2], "the planner sees what waits for the user as waiting"


def test_parallel_work_is_hidden_and_what_a_workflow_depends_on_is_shown(data: Path, tmp_path: Path) -> None:
    seen: dict[str, str] = {}

    def keep(request: ScriptedRequest, query: str) -> Answer:
        seen.setdefault(query, request.last_user_text)
        return acts[query](request, query)

    acts = _acts()
    with_eyes = dict.fromkeys(acts, keep)
    _run(data, tmp_path, TeamOfWords(FIRST, "Which one?", acts=with_eyes))
    assert "called findBerths" in seen["Book"] and '"B1", "B2"' in seen["Book"]
    assert "called forecast" not in seen["Book"]
    assert "called" not in seen["Find"] + seen["Weather"]


def test_independent_workflows_run_at_the_same_time(data: Path, tmp_path: Path) -> None:
    with ScriptedServer(Script(agent=TeamOfWords(FIRST, acts=_acts()), latency=0.05)) as server:
        run_free(data, tmp_path / "run", url=server.url, tasks=["EN/1"])
        assert server.stats()["in_flight_peak"] == 2


def test_a_changed_plan_replaces_pauses_and_stops(data: Path, tmp_path: Path) -> None:
    second = _plan(
        workflow_1="completed",
        workflow_2="completed",
        workflow_3=("harbour_agent", "Book", "workflow_2"),
        interrupted_workflow_3__1=("weather_agent", "Wind"),
    )
    third = _plan(workflow_3="cancelled", workflow_4=("post_agent", "Tell"))
    team = TeamOfWords(FIRST, "Which one?", second, "Calm.", third, "Sent.", acts=_acts(Book=WAITS))
    record, line = _run(data, tmp_path, team)
    by_turn = [[run["workflow"] for run in turn["work"]] for turn in line["turns"]]
    assert sorted(by_turn[0]) == ["workflow_1", "workflow_2", "workflow_3"]
    assert by_turn[1:] == [["interrupted_workflow_3-1"], ["workflow_4"]]
    goals = {g["workflow"]: g["reached"] for g in record["measures"]["free"]["goals"]}
    assert goals == {"workflow_1": True, "workflow_2": True, "workflow_3": False, "workflow_4": True}
    assert record["reason"].startswith("3 of 4 goals reached; first, step 9 (turn 2 of the user): call")


def test_what_can_never_start_is_told_to_the_planner_and_reported(data: Path, tmp_path: Path) -> None:
    plan = _plan(
        workflow_1=("post_agent", "Tell", "workflow_2"),
        workflow_2=("post_agent", "Tell", "workflow_1"),
        workflow_3=("post_agent", "Tell", "workflow_9"),
        workflow_4=("ghost_agent", "Boo"),
        workflow_5=("post_agent", "Tell", "workflow_4"),
    )
    team = TeamOfWords(plan, plan, "I cannot.", acts=_acts())
    record, _ = _run(data, tmp_path, team, tasks=["EN/2"])
    stuck = {row["workflow"]: row["why"] for row in record["measures"]["free"]["stuck"]}
    assert stuck == {
        "workflow_1": "it depends on itself: workflow_1 -> workflow_2 -> workflow_1",
        "workflow_2": "it depends on itself: workflow_2 -> workflow_1 -> workflow_2",
        "workflow_3": "it depends on workflow_9, which is no workflow of the plan",
        "workflow_5": "it depends on workflow_4, which failed: the team has no agent 'ghost_agent'",
    }
    assert "scheduler (workflow_3): cannot start: it depends on workflow_9" in team.asked[1]
    assert "ghost_agent (workflow_4): failed: the team has no agent 'ghost_agent'" in team.asked[1]
    assert team.asked[2].count("cannot start") == 4, "nobody is told the same twice"
    assert (record["outcome"], team.queries) == ("fail", [])


@pytest.mark.parametrize(
    ("act", "error"),
    [
        (calls("bookBerth", berth="B2", ship="x"), "unknown_tool"),
        (calls_raw("send", "{'to': 'Ida'"), "invalid_arguments"),
        (calls_raw("send", '["Ida"]'), "invalid_arguments"),
        (calls_raw("send", r'{"to": "Ida", "text": "\ud800"}'), "invalid_arguments"),
        (calls("send", to="Ida"), "invalid_arguments"),
        (calls("send", to="Ida", text="Something else"), "nothing_known"),
    ],
)
def test_calls_that_cannot_be_answered_get_an_error(data: Path, tmp_path: Path, act: Any, error: str) -> None:
    record, line = _run(data, tmp_path, TeamOfWords(TELL, "Sorry.", acts={"Tell": act}), tasks=["EN/2"])
    (call,) = line["calls"]
    assert call["observation"]["content"]["error"]["type"] == error
    assert (record["outcome"], record["reason"]) == (
        "fail",
        "0 of 1 goals reached; first, step 4 (turn 1 of the user): call",
    )


def test_the_simulator_answers_what_the_recording_does_not_hold(data: Path, tmp_path: Path) -> None:
    shown = []

    def simulator(request: ScriptedRequest) -> Answer:
        shown.append(request)
        return completion('{"status": "sent to the wrong address"}')

    acts = {"Tell": calls("send", to="Ada", text="Hello")}
    team = TeamOfWords(TELL, "Sent.", acts=acts)
    script = {"simulator": simulator}
    record, line = _run(data, tmp_path, team, tasks=["EN/2"], simulated=True, script=script)
    (call,) = line["calls"]
    assert call["observation"]["origin"] == "simulator"
    assert call["observation"]["content"] == {"status": "sent to the wrong address"}
    assert record["measures"]["free"]["simulated_calls"] == 1
    (request,) = shown
    system = request.messages[0]["content"]
    assert "2 March 2026" in system and '"tool":"send"' in system and "It is 2026-03-02" in system
    assert record["simulation"] == {"observations": 1, "misshapen": 0, "contradictions": 0}
    assert line["simulation"] == []


READS = (
    note(),
    user("Which berths are free?"),
    plan(workflow_1=workflow(("harbour_agent", "Look"))),
    call("harbour_agent", "findBerths", day="2026-03-03", result={"berth_id": "B1", "free": True}),
    call("harbour_agent", "bookBerth", berth="B1", ship="Gannet"),
    reply("B1."),
)
LOOK = {"day": "2026-03-04"}


@pytest.mark.parametrize(("booked", "contradictions"), [(False, 1), (True, 0)])
def test_a_simulator_is_watched_in_free_runs_too(
    tmp_path: Path, booked: bool, contradictions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second answer to the same question is another, which only a write in between would explain."""
    monkeypatch.setattr(
        "worktrial.suites.orchestration.run.free.tools.only_reads", lambda team, agent, tool: tool == "findBerths"
    )
    data = TinyTeam({"EN/1": READS}).write(tmp_path / "data")
    replies = iter(["new", "gone"])
    script = {"simulator": lambda request: completion(json.dumps({"status": next(replies)}))}
    acts = {"Look first": calls("findBerths", **LOOK), "Look again": calls("findBerths", **LOOK)}
    steps = {
        "workflow_1": ("harbour_agent", "Look first"),
        "workflow_3": ("harbour_agent", "Look again", "workflow_1"),
    }
    if booked:
        acts["Book"] = calls("bookBerth", berth="B1", ship="Gannet")
        steps["workflow_2"] = ("harbour_agent", "Book", "workflow_1")
        steps["workflow_3"] = ("harbour_agent", "Look again", "workflow_2")
    team = TeamOfWords(_plan(**steps), "B1.", acts=acts)
    record, line = _run(data, tmp_path, team, simulated=True, script=script)
    health = record["simulation"]
    assert (health["observations"], health["contradictions"]) == (2, contradictions)
    assert [finding["check"] for finding in line["simulation"]] == ["consistent"] * contradictions


def test_bounds_end_everything(data: Path, tmp_path: Path) -> None:
    plan = _plan(workflow_1=("post_agent", "Tell"))
    always = [plan.replace("Tell", f"Tell {n}") for n in range(9)]
    acts = {"Tell": keeps_calling("send", to="Ida", text="Hello")}
    options: dict[str, Any] = {"tasks": ["EN/2"], "planner_turns": 3, "agent_turns": 2}
    record, line = _run(data, tmp_path, TeamOfWords(*always, acts=acts), **options)
    assert record["measures"]["free"]["requests"] == 3 + 3 * 2
    assert (record["stop_reason"], line["turns"][0]["reply"]) == ("answered", None)
    assert record["outcome"] == "pass", "the call was made"
    (tmp_path / "more").mkdir()
    options = {"tasks": ["EN/2"], "limits": Limits(turns=4)}
    record, _ = _run(data, tmp_path / "more", TeamOfWords(*always, acts=acts), **options)
    assert (record["measures"]["free"]["requests"], record["stop_reason"]) == (4, "turn_limit")
    assert record["reason"] == "1 of 1 goals reached; stopped by turn_limit"


def test_an_answer_with_ever_so_many_calls_is_cut(data: Path, tmp_path: Path) -> None:
    def act(request: ScriptedRequest, query: str) -> Answer:
        if request.steps_done:
            return completion("Done.")
        many = [tool_call("send", {"to": "Ida", "text": "Hello"}, f"call_{n}") for n in range(60)]
        return completion(None, tool_calls=many, finish_reason="tool_calls")

    record, line = _run(data, tmp_path, TeamOfWords(TELL, "Sent.", acts={"Tell": act}), tasks=["EN/2"])
    assert (record["outcome"], record["calls"]) == ("pass", 60)
    assert [call["observation"]["origin"] for call in line["calls"]] == ["recorded"] * 50 + ["refusal"] * 10


def test_words_about_workflows_are_words(data: Path, tmp_path: Path) -> None:
    record, _ = _run(data, tmp_path, TeamOfWords("I could not finish workflow_1 today."), tasks=["EN/2"])
    assert record["measures"]["free"]["unread_plans"] == 0


def test_a_violation_fails_its_workflow_and_an_empty_answer_too(data: Path, tmp_path: Path) -> None:
    plan = _plan(workflow_1=("post_agent", "Tell"), workflow_2=("weather_agent", "Say nothing"))
    team = TeamOfWords(plan, "Sorry.", acts={"Tell": VIOLATES, "Say": says("")})
    record, line = _run(data, tmp_path, team, tasks=["EN/2"])
    ends = {run["workflow"]: run["end"] for run in line["turns"][0]["work"]}
    assert ends["workflow_1"].startswith("failed: status: TOOL_CONSTRAINT_VIOLATION")
    assert ends["workflow_2"] == "failed: neither a call nor a word"
    assert record["measures"]["free"]["first_failure"] == {"step": 3, "kind": "plan", "turn": 0}
    assert record["measures"]["free"]["failures"] == {"plan": 1, "decision": 1, "call": 0, "order": 0}


def test_a_broken_plan_is_taken_for_words_and_counted(data: Path, tmp_path: Path) -> None:
    team = TeamOfWords('{"workflow_1": {"status": "pending", "steps": [', acts=_acts())
    record, _ = _run(data, tmp_path, team, tasks=["EN/2"])
    free = record["measures"]["free"]
    assert (free["unread_plans"], free["requests"], free["plans"][0]["error"]) == (1, 1, "no_plan")


def test_faults_strike_the_tools_and_what_was_recorded_stays_known(data: Path, tmp_path: Path) -> None:
    acts = {"Tell": keeps_calling("send", to="Ida", text="Hello")}
    faults = Conditions.sweep([FaultMode.E1], [1], [2])
    team = TeamOfWords(TELL, "Sent.", acts=acts)
    record, line = _run(data, tmp_path, team, tasks=["EN/2"], faults=faults)
    assert record["condition"] == "E1"
    first = record["fault_plan"][0]["first"]
    origins = [call["observation"]["origin"] for call in line["calls"]]
    assert origins == ["recorded"] * first + ["fault"] * 2 + ["recorded"] * (4 - first)
    assert [row["call"] for row in record["fault_ledger"]] == [first, first + 1]
    assert record["outcome"] == "pass"


def test_silent_faults_are_aimed_at_what_the_recording_goes_on_with(tmp_path: Path) -> None:
    """The ship that is booked for: of an answer with many fields, the event takes that one among others."""
    answer = {"berth_id": "B1", "crane": "yes", "depth": "deep", "ship": "Gannet", "tariff": "low", "wind": "calm"}
    rows = (*READS[:3], call("harbour_agent", "findBerths", day="2026-03-03", result=answer), *READS[4:])
    data = TinyTeam({"EN/1": rows}).write(tmp_path / "data")
    acts = {"Look": keeps_calling("findBerths", day="2026-03-03")}
    seen = []
    for seed in range(12):
        (tmp_path / str(seed)).mkdir()
        faults = Conditions.sweep([FaultMode.E2], [1], [1], seed=seed)
        planner = TeamOfWords(_plan(workflow_1=("harbour_agent", "Look")), "B1.", acts=acts)
        record, _ = _run(data, tmp_path / str(seed), planner, faults=faults)
        (event,), (row,) = record["fault_plan"], record["fault_ledger"]
        assert row["needed"] is ("/ship" in row["fields"])
        if row["kind"] in ("fields_dropped", "values_emptied", "wrong_value"):
            seen.append((event["aimed"], row["needed"]))
    assert (True, True) in seen and (True, False) not in seen


def test_planner_and_domain_agents_may_be_different_models(data: Path, tmp_path: Path) -> None:
    team = TeamOfWords(TELL, "Sent.", acts={"Tell": calls("send", to="Ida", text="Hello")})
    with ScriptedServer(Script(agent=team)) as server:
        options: dict[str, Any] = {"url": server.url, "tasks": ["EN/2"]}
        records = run_free(data, tmp_path / "a", "agent-p", sub_agent="agent-d", **options)
        assert {bool(r.tools): r.body["model"] for r in server.requests} == {False: "agent-p", True: "agent-d"}
        assert {role: u["requests"] for role, u in records["EN/2"]["usage"].items()} == {
            "agent": 2,
            "sub-agent": 2,
        }
        records = run_free(data, tmp_path / "b", "gold", sub_agent="agent-d", **options)
    assert (records["EN/2"]["outcome"], set(records["EN/2"]["usage"])) == ("pass", {"sub-agent"})


def test_judges_say_whether_another_wording_is_the_recorded_call(data: Path, tmp_path: Path) -> None:
    acts = {"Tell": calls("send", to="Ida", text="Hello!")}

    def judge(request: ScriptedRequest) -> Answer:
        return completion('{"reason": "A mark more.", "same_meaning": true}')

    script = {"judge": judge}
    record, _ = _run(data, tmp_path, TeamOfWords(TELL, "Sent.", acts=acts), tasks=["EN/2"], judges=2, script=script)
    assert record["outcome"] == "pass"
    assert record["measures"]["judging"]["asked"] == 1
    (tmp_path / "alone").mkdir()
    record, _ = _run(data, tmp_path / "alone", TeamOfWords(TELL, "Sent.", acts=acts), tasks=["EN/2"])
    assert record["outcome"] == "fail"


def test_an_endpoint_that_fails_makes_the_sample_invalid_and_keeps_what_happened(
    data: Path, tmp_path: Path
) -> None:
    acts = {"Tell": lambda request, query: error_reply(500, "Gone.", kind="server_error")}
    record, line = _run(data, tmp_path, TeamOfWords(TELL, acts=acts), tasks=["EN/2"])
    assert record["outcome"] == "invalid"
    assert record["reason"].startswith("endpoint_unavailable: agent at ")
    assert [run["workflow"] for run in line["turns"][0]["work"]] == ["workflow_4"]


def test_a_refusal_of_the_endpoint_stops_the_run(data: Path, tmp_path: Path) -> None:
    with pytest.raises(StopRun, match="401"):
        _run(data, tmp_path, lambda request: error_reply(401, "No key.", code="invalid_api_key"))


def test_a_planner_without_room_ends_the_work(data: Path, tmp_path: Path) -> None:
    overflow = error_reply(400, "maximum context length exceeded", code="context_length_exceeded")
    team = TeamOfWords(TELL, acts={"Tell": lambda request, query: overflow})
    record, line = _run(data, tmp_path, team, tasks=["EN/2"])
    assert line["turns"][0]["work"][0]["end"] == "failed: its conversation outgrew its context"
    (tmp_path / "all").mkdir()
    record, _ = _run(data, tmp_path / "all", lambda request: overflow, tasks=["EN/2"])
    assert (record["outcome"], record["stop_reason"]) == ("fail", "context_limit")


def test_prompted_faults_need_a_simulator(data: Path, tmp_path: Path) -> None:
    faults = Conditions.sweep([FaultMode.E1], prompted=True)
    with pytest.raises(SettingError, match="Name one with simulator"):
        run_free(data, tmp_path / "run", "gold", faults=faults)
