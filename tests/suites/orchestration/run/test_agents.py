"""Who answers: reference teams, a user's own function; and requests that fail while others go on."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.orchestration import TinyTeam

from worktrial.engine.trial import Job, SampleContext
from worktrial.errors import ContextOverflow, InvalidReason, InvalidSample, StopRun
from worktrial.language import Completion
from worktrial.named_agents import resolve_agent
from worktrial.suites.orchestration import suite
from worktrial.suites.orchestration.planning.plan_text import our_plan
from worktrial.suites.orchestration.planning.references import REFERENCES, constant_plan_text, reference
from worktrial.suites.orchestration.planning.release import Release, load_release
from worktrial.suites.orchestration.planning.scenario import CallStep, Language, PlanStep, RefusalStep
from worktrial.suites.orchestration.planning.turns import StepAnswer, StepRequest
from worktrial.suites.orchestration.run.cast import Function, cast_of
from worktrial.suites.orchestration.run.ground import Groundwork, ScoringThreads, load_tasks
from worktrial.suites.orchestration.run.prompts import requests_of
from worktrial.suites.orchestration.run.turns import ask_all
from worktrial.suites.orchestration.scoring.calls.calls import StepDecision, decision_of

CALL = {"id": "1", "type": "function", "function": {"name": "findBerths", "arguments": "{}"}}


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return load_release(TinyTeam().write(tmp_path), list(Language))


@pytest.fixture
def requests(release: Release) -> list[StepRequest]:
    return list(requests_of(release.scenarios[0], release.teams[Language.EN]).requests)


@pytest.mark.parametrize("name", REFERENCES)
def test_reference_teams(name: str, release: Release) -> None:
    team = release.teams[Language.EN]
    plan = constant_plan_text(release.scenarios, team)
    who = reference(name, Language.EN, team, plan)
    for asked in requests_of(release.scenarios[0], team).requests:
        step, answer = asked.step, StepAnswer.of(asked.step.id, Completion(who(asked)))
        match name, step:
            case "gold", PlanStep():
                assert our_plan(answer.text) == step.plan
            case "gold", CallStep():
                assert [c["function"]["name"] for c in answer.tool_calls] == [c.tool for c in step.calls]
            case "gold", RefusalStep():
                assert decision_of(answer).value == step.type.value
            case "always-call" | "always-refuse", PlanStep():
                assert answer.text == plan
            case "fill-from-words", PlanStep():
                assert our_plan(answer.text) is not None
            case "always-call", CallStep() | RefusalStep():
                (call,) = answer.tool_calls
                assert call["function"] == {"name": asked.tools[0]["function"]["name"], "arguments": "{}"}
            case "always-refuse", CallStep() | RefusalStep():
                assert decision_of(answer) is StepDecision.AWAITING_USER_INPUT
            case _:
                assert decision_of(answer) is not StepDecision.NO_DECISION


def test_the_constant_plan_is_of_the_two_busiest_agents(release: Release) -> None:
    plan = our_plan(constant_plan_text(release.scenarios, release.teams[Language.EN]))
    assert plan is not None
    assert [[s.agent for s in w.steps] for w in plan.workflows] == [["harbour_agent"], ["post_agent"]]
    assert [w.depends_on for w in plan.workflows] == [(), ()]
    alone = {"post_agent": release.teams[Language.EN]["post_agent"]}
    only = our_plan(constant_plan_text(release.scenarios, alone))
    assert only is not None
    assert len(only.workflows) == 1


def _ask(function: Callable[..., Any], request: StepRequest, seconds: float = 60) -> StepAnswer:
    return asyncio.run(ask_all([request], Function(function, seconds)))[request.step.id]


def test_a_function_returns_text_or_a_message(requests: list[StepRequest]) -> None:
    async def later(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
        messages.clear()
        return {"role": "assistant", "content": None, "tool_calls": [CALL]}

    class Callable_:
        async def __call__(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> str:
            return f"{len(messages)} {len(tools)}"

    request = requests[1]
    before = request.digest
    assert _ask(lambda messages, tools: tools[0]["function"]["name"], request).text == "forecast"
    assert _ask(later, request) == StepAnswer(4, "", (CALL,))
    assert _ask(Callable_(), request) == StepAnswer(4, "2 1")
    assert _ask(lambda *_: later([], []), request).tool_calls == (CALL,)
    assert request.digest == before


def _raises(error: BaseException) -> Callable[..., Any]:
    def function(*_: Any) -> Any:
        raise error

    return function


async def _cancels_itself(*_: Any) -> Any:
    raise asyncio.CancelledError


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda *_: 5, "int, neither a string nor a message"),
        (lambda *_: None, "NoneType"),
        (lambda *_: {"content": object()}, "TypeError"),
        (_raises(KeyError("x")), "KeyError: 'x'"),
        (_raises(SystemExit(3)), "SystemExit: 3"),
        (_cancels_itself, "CancelledError"),
        (lambda: "no arguments", "TypeError"),
    ],
)
def test_a_broken_function_is_the_agent_s_crash(function: Any, said: str, requests: list[StepRequest]) -> None:
    trouble = _ask(function, requests[0]).trouble or ""
    assert trouble.startswith("agent_crash: ")
    assert said in trouble


@pytest.mark.parametrize("waits", [lambda *_: threading.Event().wait(), lambda *_: asyncio.Event().wait()])
def test_a_function_that_hangs_is_given_up_and_keeps_nobody_from_scoring(
    waits: Callable[..., Any], requests: list[StepRequest]
) -> None:
    """Forty of them: as many as would fill the pool of threads that everybody shares."""

    async def run() -> tuple[int, Any]:
        hung = [asyncio.create_task(ask_all([request], Function(waits, 1.5))) for request in requests[:1] * 40]
        await asyncio.sleep(0.05)
        scored = await asyncio.wait_for(ScoringThreads().run(sum, [1, 2]), timeout=1)
        answers = [next(iter((await task).values())) for task in hung]
        return scored, {answer.trouble for answer in answers}

    scored, troubles = asyncio.run(run())
    assert (scored, troubles) == (3, {"agent_crash: the function gave no answer within 1.5 s"})


def test_functions_that_block_do_so_side_by_side(requests: list[StepRequest]) -> None:
    together = threading.Barrier(4)

    def waits(*_: Any) -> str:
        # Broken, and so an error, unless all four are at it at the same time.
        together.wait(timeout=60)
        return "done"

    answers = asyncio.run(ask_all(requests[:4], Function(waits, 90)))
    assert {a.text for a in answers.values()} == {"done"}


def test_members(tmp_path: Path) -> None:
    kinds = [resolve_agent(name, suite).kind for name in (*suite.reference_agents, "gpt-9", "openai/x")]
    assert kinds == ["reference"] * 4 + ["model"] * 2
    assert [resolve_agent(name, suite).needs_model for name in ("gold", "local")] == [False, True]
    (tmp_path / "mine.py").write_text("def answer(messages, tools):\n    return 'hi'\n")
    mine = resolve_agent(f"python:{tmp_path / 'mine.py'}:answer", suite)
    assert mine.kind == "python"
    release, tasks = load_tasks(TinyTeam().write(tmp_path), [Language.EN])
    ground = Groundwork(release, tasks, mine, resolve_agent("gold", suite))
    cast = cast_of(ground, release.scenarios[0], SampleContext(Job("EN/1", 0), {}))
    asked = requests_of(release.scenarios[0], release.teams[Language.EN]).requests
    answers = asyncio.run(ask_all(asked, cast))
    assert [answer.text for answer in answers.values()][:1] == ["hi"], (
        "the planner is one's own, the agents the gold"
    )
    assert [bool(answer.tool_calls) for answer in answers.values()][:2] == [False, True]


def test_a_request_that_fails_keeps_its_place(requests: list[StepRequest]) -> None:
    async def moody(request: StepRequest) -> Completion:
        if request.step.id == 4:
            raise InvalidSample(InvalidReason.ENDPOINT_UNAVAILABLE, "no answer within 5 s")
        if request.step.id == 5:
            raise ContextOverflow("too long")
        return Completion({"role": "assistant", "content": "fine"})

    answers = asyncio.run(ask_all(requests, moody))
    assert list(answers) == [r.step.id for r in requests]
    assert {n: a.trouble for n, a in answers.items() if a.trouble} == {
        4: "endpoint_unavailable: no answer within 5 s",
        5: "context_overflow: too long",
    }


def test_a_stop_drops_the_other_requests(requests: list[StepRequest]) -> None:
    dropped: list[int] = []

    async def refused(request: StepRequest) -> Completion:
        if request.step.id == 5:
            await asyncio.sleep(0.01)
            raise StopRun("401: no such key")
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            dropped.append(request.step.id)
            raise
        raise AssertionError

    with pytest.raises(StopRun, match="401"):
        asyncio.run(ask_all(requests, refused))
    assert len(dropped) == len(requests) - 1


def test_a_cancelled_sample_cancels_its_requests(requests: list[StepRequest]) -> None:
    async def never(request: StepRequest) -> Completion:
        await asyncio.sleep(30)
        raise AssertionError

    async def run() -> None:
        task = asyncio.create_task(ask_all(requests, never))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
