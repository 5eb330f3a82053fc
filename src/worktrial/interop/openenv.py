"""A run's samples as an environment of OpenEnv: `reset`, `step` and a reward."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from openenv.core.env_server import Action, Environment, Observation, State, create_fastapi_app
from pydantic import Field
from starlette.types import ASGIApp

from worktrial.agents.assignment import NotTaken
from worktrial.agents.episode import AnsweredBy, EpisodeOver
from worktrial.errors import SettingError, WorktrialError
from worktrial.grading.reward import RewardKind
from worktrial.interop.serve.guard import Guard
from worktrial.interop.serve.reception import Guest, Reception
from worktrial.interop.serve.server import AppOf, Opening
from worktrial.interop.training import TRAIN, Catalogue, reward_of


class WorkplaceAction(Action):  # type: ignore[misc]
    """One tool call, or the final answer."""

    tool: str | None = Field(default=None, description="Tool to call.")
    arguments: dict[str, Any] = Field(default_factory=dict, description="Arguments of the tool.")
    answer: str | None = Field(default=None, description="Final answer; ends the episode.")


class WorkplaceObservation(Observation):  # type: ignore[misc]
    """Beginning of an episode, what a call showed, or its end."""

    sample: str = ""
    condition: str = ""
    instruction: str = ""
    clock: str = ""
    tools: list[dict[str, Any]] = Field(default_factory=list)
    content: Any = None
    """Answer of a tool."""
    is_error: bool = False
    outcome: str | None = None
    """pass or fail, at the end."""


@dataclass(slots=True)
class SharedRun:
    """Run, tasks and reward that all sessions of a server share."""

    reception: Reception
    catalogue: Catalogue
    kind: RewardKind = RewardKind.OUTCOME
    ending: set["asyncio.Task[Any]"] = field(default_factory=set)
    """Episodes that are being given up."""


class WorkplaceEnvironment(Environment):  # type: ignore[misc]
    """One session: an episode at a time.

    An episode without a verdict has no reward: the step that ends it raises, and trainers drop the rollout.

    Args:
        shared: The run that the server serves.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, shared: SharedRun) -> None:
        super().__init__()
        self._shared = shared
        self._guest: Guest | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def reset_async(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        task_id: str | None = None,
        condition: str | None = None,
        split: str | None = None,
        index: int | None = None,
    ) -> WorkplaceObservation:
        """Begin an episode: of the task named, of one that the seed or the index picks, or the next open one.

        Args:
            seed: Number that picks a task of the split.
            episode_id: Ignored; an episode has an address of its own.
            task_id: Task.
            condition: Name of one of the run's fault conditions; None for the next that is open.
            split: train or test; None for train where a seed or an index picks.
            index: Number of the task within the split.

        Raises:
            WorktrialError: the run has no such open sample.
        """
        self._loop = asyncio.get_running_loop()
        await self._give_up()
        guest = self._guest = await self._shared.reception.open(
            self._picked(seed, task_id, split, index), None, condition
        )
        sample, _, name = guest.episode.key
        return WorkplaceObservation(
            sample=sample,
            condition=name,
            instruction=guest.instruction,
            clock=guest.episode.clock,
            tools=guest.tools,
        )

    async def step_async(self, action: WorkplaceAction) -> WorkplaceObservation:
        """Make a call, or hand in the answer and be told the reward.

        Raises:
            SettingError: it is neither, or both.
            EpisodeOver: there is no open episode.
            NoReward: the work has no verdict.
        """
        guest = self._guest
        if guest is None:
            raise EpisodeOver("no episode is open; call reset")
        if (action.tool is None) == (action.answer is None):
            raise SettingError("an action has either a tool or an answer")
        if action.tool is not None:
            seen = await guest.call(action.tool, action.arguments)
            return WorkplaceObservation(content=seen.content, is_error=seen.is_error)
        try:
            await guest.episode.finish(action.answer or "", AnsweredBy.DRIVER)
        except NotTaken as e:
            return WorkplaceObservation(content={"error": str(e)}, is_error=True)
        return self._end(guest)

    def _end(self, guest: Guest) -> WorkplaceObservation:
        self._guest = None
        result = guest.episode.result
        assert result is not None
        value = reward_of(result, self._shared.kind)
        return WorkplaceObservation(done=True, reward=value, outcome=result.outcome.value)

    def _picked(self, seed: int | None, task_id: str | None, split: str | None, index: int | None) -> str | None:
        if task_id is not None or (seed is None and index is None and split is None):
            return task_id
        tasks = self._shared.catalogue.tasks(split or TRAIN)
        if not tasks:
            raise SettingError(f"split {split or TRAIN}: it has no task")
        if index is not None and not 0 <= index < len(tasks):
            raise SettingError(f"index {index}: the split has {len(tasks)} tasks")
        return tasks[(seed or 0) % len(tasks) if index is None else index].sample

    async def _give_up(self) -> None:
        guest, self._guest = self._guest, None
        if guest is not None and not guest.episode.is_over:
            await guest.episode.abandon("the environment was reset or closed")

    def close(self) -> None:
        """Give up what is open."""
        if self._guest is None or self._loop is None or self._loop.is_closed():
            return
        self._loop.call_soon_threadsafe(self._begin_to_give_up)

    def _begin_to_give_up(self) -> None:
        task = asyncio.ensure_future(self._ended())
        self._shared.ending.add(task)
        task.add_done_callback(self._shared.ending.discard)

    async def _ended(self) -> None:
        try:
            await self._give_up()
        except WorktrialError:
            # The run itself has ended meanwhile.
            return

    @property
    def state(self) -> State:
        """Address and calls of the episode."""
        guest = self._guest
        if guest is None:
            return State()
        return State(episode_id=guest.address, step_count=guest.episode.calls)

    def reset(self, seed: int | None = None, episode_id: str | None = None, **given: Any) -> WorkplaceObservation:
        """Refusal: episodes are held on an event loop.

        Raises:
            NotImplementedError: always; the server calls `reset_async`.
        """
        raise NotImplementedError("use reset_async")

    def step(self, action: WorkplaceAction, timeout_s: float | None = None, **given: Any) -> WorkplaceObservation:
        """Refusal, too; see `reset`.

        Raises:
            NotImplementedError: always; the server calls `step_async`.
        """
        raise NotImplementedError("use step_async")


def environment_app(kind: RewardKind, most: int) -> AppOf:
    """Function that makes the application of a run as an environment.

    Its clients know no tokens, so it asks for none; names and foreign pages are looked at as elsewhere.

    Args:
        kind: Reward.
        most: Sessions that may be open at once.
    """

    def app_of(opening: Opening) -> ASGIApp:
        shared = SharedRun(opening.reception, Catalogue.of(opening.jobs), kind)
        inside = create_fastapi_app(
            lambda: WorkplaceEnvironment(shared), WorkplaceAction, WorkplaceObservation, max_concurrent_envs=most
        )
        return Guard(inside, None, opening.names)

    return app_of
