"""Asking all requests of a scenario, side by side: every one sees recorded history, none waits for another."""

import asyncio
from collections.abc import Sequence

from worktrial.errors import InvalidSample, WorktrialError
from worktrial.suites.orchestration.answerers import Answerer
from worktrial.suites.orchestration.planning.answers import Answers, StepAnswer
from worktrial.suites.orchestration.requests import Request


async def ask_all(requests: Sequence[Request], planner: Answerer, domain: Answerer) -> Answers:
    """The answers to `requests`, by step. A request that fails for good has an answer too, with its trouble.

    Raises:
        StopRun: going on would be pointless; the other requests are dropped.
    """

    async def ask(request: Request) -> StepAnswer:
        answerer = planner if request.is_for_plan else domain
        try:
            return await answerer(request)
        except InvalidSample as e:
            return StepAnswer(request.step.id, trouble=str(e))

    try:
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(ask(request)) for request in requests]
    except BaseExceptionGroup as e:
        # Several may meet the same refusal at the same moment; one report is enough.
        ours = [error for error in e.exceptions if isinstance(error, WorktrialError)]
        raise (ours or e.exceptions)[0] from None
    return {answer.step: answer for answer in (task.result() for task in asked)}
