"""Runs put together by hand, scored the published way."""

import json
from typing import Any

import numpy as np
import pytest

from worktrial.suites.orchestration.planning.cards import AgentCard, AgentTool, Team
from worktrial.suites.orchestration.planning.turns import ValueCase
from worktrial.suites.orchestration.scoring.figures import published_figures
from worktrial.suites.orchestration.scoring.published import PublishedScenario, file_sums, published_scenario

PROPERTIES = {"room": {"type": "string"}, "guests": {"type": "integer"}, "odd": {"type": "date"}}
BOOK = AgentTool("book", "Books a room.", {"type": "object", "properties": PROPERTIES})
TEAM: Team = {"hotel_agent": AgentCard("hotel_agent", "Hotel", "Books rooms.", tools=(BOOK,))}

PLAN = """workflow_1:
  status: pending
  type: independent
  steps:
    - status: pending
      name: hotel_agent
      refined_query: "a room"
"""
OTHER_PLAN = PLAN.replace("hotel_agent", "taxi_agent")
REFUSAL = "status: AWAITING_USER_INPUT\nrequired_info: the date"


def call(**arguments: Any) -> dict[str, Any]:
    return {"id": "c", "type": "function", "function": {"name": "book", "arguments": json.dumps(arguments)}}


def gold(
    *, plans: tuple[int, ...] = (), calls: dict[int, dict[str, Any]] | None = None, refusals: tuple[int, ...] = ()
) -> Any:
    label: dict[str, Any] = {"1": {"role": "system", "content": "Today"}}
    label |= {str(step): {"role": "assistant", "content": PLAN} for step in plans}
    for step, arguments in (calls or {}).items():
        message = {"role": "assistant", "agent_id": "hotel_agent"}
        label[str(step)] = message | {"content": "tool: book"}
        label[f"{step}-1"] = message | {"content": "", "tool_calls": [call(**arguments)]}
    label |= {str(s): {"role": "assistant", "agent_id": "hotel_agent", "content": REFUSAL} for s in refusals}
    return label


def said(step: int | str, content: Any = "", *calls: Any, **more: Any) -> dict[str, Any]:
    return {"step_id": step, "role": "assistant", "content": content, "tool_calls": list(calls), **more}


def run(label: Any, main: list[Any] | None = None, agents: list[Any] | None = None) -> PublishedScenario:
    return published_scenario(
        {"main_agent_history": main or [], "sub_agent_history": agents or [], "label": label}, TEAM
    )


def test_a_perfect_run() -> None:
    label = gold(plans=(3,), calls={4: {"room": "12"}}, refusals=(5,))
    scored = run(
        label, [said(3, f"Here it is.\n```yaml\n{PLAN}```")], [said("4", "", call(room="12")), said("5", REFUSAL)]
    )
    figures = published_figures(scored.sums(None))
    assert (figures.plan, figures.call_refuse, figures.function_call, figures.average) == (1.0, 1.0, 1.0, 1.0)
    assert not scored.needs
    rows = scored.rows(None)
    assert json.loads(json.dumps(rows)) == rows
    assert [row["cell"] for row in rows["steps"]] == ["called", "refused"]
    assert (rows["plan_error"], rows["step_error"]) == (None, None)


def test_what_a_failed_plan_weighs() -> None:
    label = gold(plans=(3, 6))

    def plan(*answers: dict[str, Any]) -> float:
        return run(label, list(answers)).sums(None)["plan"]

    right = said(3, PLAN)
    assert plan(right, said(6, PLAN)) == 1.0
    assert plan(right) == pytest.approx(1 / 3)  # never answered: the zero, and a failure
    assert plan(right, said(6, "I cannot.")) == pytest.approx(1 / 4)  # no plan: one more failure
    assert plan(right, said(6, None)) == pytest.approx(1 / 4)
    assert plan(right, said(6, PLAN, trouble="endpoint_unavailable")) == pytest.approx(1 / 3)
    assert plan(said("3", PLAN), said(6, PLAN)) == pytest.approx(1 / 3)  # step ids are compared as they are
    wrong = plan(right, said(6, OTHER_PLAN))
    assert 0.5 < wrong < 1.0
    assert run(gold()).sums(None)["plan"] == 0.0


def test_zeros_among_values_are_left_out() -> None:
    label = gold(calls={4: {"room": "12"}, 5: {"room": "13"}, 6: {"room": "1", "guests": 2}})
    answers = [
        said("4", "", call(room="12")),
        said("5", "", call(room="14")),
        said("6", "", call(room="1", guests="two")),
    ]
    sums = run(label, agents=answers).sums(None)
    assert (sums["name"], sums["key"]) == (1.0, 1.0)
    assert sums["value"] == pytest.approx((1 + 1 / 2) / 2)
    assert sums["perfect"] == 1


def test_judges() -> None:
    label = gold(calls={4: {"room": "12", "refinedQuery": "room 12"}, 5: {"room": "12", "refinedQuery": "room 12"}})
    arguments = {"room": "twelve", "refinedQuery": "room 12"}
    scored = run(label, agents=[said("4", "", call(**arguments)), said("5", "", call(**arguments))])
    case = ValueCase("book", "room", ('"12"',), ('"twelve"',), "room 12")
    assert scored.needs == (case,)
    assert [scored.sums(v)["value"] for v in (None, {}, {case: 0.0}, {case: 2 / 3}, {case: 1.0})] == pytest.approx(
        [0.5, 0.5, 0.5, 0.8333, 1.0]
    )
    assert scored.rows({case: 2 / 3})["steps"][0]["arguments"][1]["judges"] == 2 / 3
    assert scored.rows(None)["steps"][0]["arguments"][1]["judges"] is None


def test_lost_requests_stay_in_the_denominators() -> None:
    label = gold(calls={4: {"room": "12"}, 5: {"room": "12"}}, refusals=(6, 7))
    answers = [said("4", "", call(room="12")), said("6", REFUSAL)]
    lost = [said("5", trouble="endpoint_unavailable"), said("7", trouble="endpoint_unavailable")]
    assert published_figures(run(label, agents=answers).sums(None)).call_refuse == 1.0
    sums = run(label, agents=answers + lost).sums(None)
    assert published_figures(sums).call_refuse == pytest.approx(2 / 3)
    assert (sums["name"], sums["key"], sums["value"]) == (0.5, 0.5, 1.0)
    assert (sums["troubled"], sums["lost_call"], sums["lost_refusal"]) == (2, 1, 1)


def test_an_exception_takes_all_calls_of_the_file_with_it() -> None:
    label = gold(plans=(3,), calls={4: {"room": "12"}, 5: {"room": "12"}}, refusals=(6,))
    bad = said("5", "", {"function": {"name": "book", "arguments": "[]"}})
    scored = run(label, [said(3, PLAN)], [said("4", "", call(room="12")), bad, said("6", REFUSAL)])
    sums = scored.sums(None)
    assert sums["call_errors"] == 1
    assert not any(
        sums[key] for key in ("name", "key", "value", "called", "refused", "gold_calls", "gold_refusals")
    )
    assert (sums["plan"], sums["files"]) == (1.0, 1)
    rows = scored.rows(None)
    assert rows["step_error"] == "AttributeError"
    assert [row.get("error") for row in rows["steps"]] == [None, "AttributeError", None]


def test_an_exception_takes_all_plans_of_the_run_with_it() -> None:
    label = gold(plans=(3, 6))
    scored = run(label, [said(3, PLAN), said(6, "workflow_1: a plan in one line")])
    sums = scored.sums(None)
    assert (sums["plan"], sums["plan_steps"], sums["plan_failures"], sums["plan_errors"]) == (0.0, 0, 0, 1)
    assert scored.rows(None)["plan_error"] == "AttributeError"
    whole = run(label, [said(3, PLAN), said(6, PLAN)])
    assert file_sums([whole, scored], None)["plan"] == 1.0


def test_values_that_cannot_be_compared_count_as_keys_in_the_whole_run() -> None:
    label = gold(calls={4: {"odd": "2025-01-01"}, 5: {"room": "12", "guests": 2}})
    odd, half = said("4", "", call(odd="2025-01-02")), said("5", "", call(room="12", guests=3.5))
    assert run(label, agents=[half]).sums(None)["value"] == 0.5
    assert run(label, agents=[odd, half]).sums(None)["value"] == 1.0


def test_several_runs_in_one_file() -> None:
    label = gold(plans=(3, 6), calls={4: {"room": "12"}})
    right = run(label, [said(3, PLAN), said(6, PLAN)], [said("4", "", call(room="12"))])
    wrong = run(label, [said(3, "?")], [said("4", "What?")])
    sums = file_sums([right, wrong], None)
    # Plans are pooled: two right ones, then two zeros and three failures.
    assert sums["plan"] == pytest.approx(2 / 7)
    assert (sums["name"], sums["files"], sums["called"], sums["gold_calls"]) == (0.5, 1, 2, 2)
    assert sums.keys() == right.sums(None).keys()


def test_nothing_over_nothing_is_nothing() -> None:
    sums = run(gold()).sums(None)
    assert published_figures(sums).average == 0.0
    empty = dict.fromkeys(sums, 0)
    assert published_figures(empty).average == 0.0
    arrays = {key: np.array([0.0, float(value)]) for key, value in sums.items()}
    assert published_figures(arrays).average.tolist() == [0.0, 0.0]
