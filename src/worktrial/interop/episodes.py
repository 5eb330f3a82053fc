"""Episodes that Python drives: one sample of a suite, or a whole run that is emptied from outside."""

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from worktrial.agents.episode import IDLE_SECONDS, Episode, EpisodeOver
from worktrial.agents.episodes import Episodes
from worktrial.agents.prompting import render_prompt, standard_prompt
from worktrial.engine.progress import Progress, Tally
from worktrial.engine.record import SampleResult
from worktrial.engine.run import SPARE_REQUESTS, RunEnd, run_trials_async
from worktrial.engine.run_plan import RunPlan
from worktrial.engine.trial import Job
from worktrial.errors import SettingError, option
from worktrial.suite import Suite
from worktrial.trials import PreparedRun, prepare

_T = TypeVar("_T")


@contextlib.asynccontextmanager
async def episode(
    suite: str | Path | Suite,
    sample: str,
    *,
    faults: str = "E0",
    seed: int | None = None,
    out: str | Path | None = None,
    agent: str = "driven",
    idle_seconds: float | None = IDLE_SECONDS,
    base: Path | None = None,
    **options: Any,
) -> AsyncIterator[Episode]:
    """One sample of a suite, to be worked on call by call, and judged as in any run.

    An episode that is left without `finish` or `abandon` is abandoned.

    Args:
        suite: Name of a suite, folder of one's own, or the suite itself.
        sample: Id of the task.
        faults: The condition: E0, E1, E2 or E3.
        seed: Draws another schedule of faults; without faults there is none to draw.
        out: Folder of a run, to which the sample is added; its next open repeat, if the run has several. None keeps
            nothing beyond `Episode.result`.
        agent: Name of who drives it, for the manifest.
        idle_seconds: Seconds without a call after which it counts as abandoned; None waits for ever.
        base: Folder that relative paths start at; None for the working directory.
        **options: Further options of the suite, as `worktrial run SUITE --help-all` lists them, with underscores.

    Raises:
        SettingError: there is no such task or option, or faults name several conditions.
        NoOpenJob: the sample is done already in that folder.
        DataError: the data cannot be read.
        EpisodeOver: the workplace could not be set up.
        WorktrialError: the run could not start, or was stopped.
    """
    if own := [name for name in ("tasks", "limit", "shuffle", "output") if options.get(name) is not None]:
        raise SettingError(f"{option(own[0])}: an episode is of the one sample that is named; leave the option out")
    given: dict[str, Any] = {**options, "tasks": [sample]}
    if faults.strip().upper() != "E0":
        given |= {"faults": faults, "fault_seed": seed}
    episodes = Episodes(agent, idle_seconds=idle_seconds, most=1)
    with contextlib.ExitStack() as stack:
        kept = out or stack.enter_context(tempfile.TemporaryDirectory(prefix="worktrial-episode-"))
        given["output"] = kept
        prepared = await asyncio.to_thread(_prepared, suite, episodes, given, base, sample)
        async with drive(prepared, episodes):
            taken = await episodes.take(sample)
            why = "left unfinished"
            try:
                yield taken
            except BaseException as e:
                why = f"the driver broke off: {type(e).__name__}"
                raise
            finally:
                if not taken.is_over:
                    await taken.abandon(why)


def _prepared(
    suite: str | Path | Suite, episodes: Episodes, given: Mapping[str, Any], base: Path | None, sample: str
) -> PreparedRun:
    prepared = prepare(suite, episodes, given, base=base, command=("worktrial.episode", sample))
    jobs = prepared.trial.jobs
    if any(job.sample != sample for job in jobs):
        named = ", ".join(dict.fromkeys(job.sample for job in jobs))
        raise SettingError(f"sample {sample!r}: an episode is of one task; name one of {named}")
    if len(conditions := dict.fromkeys(job.condition for job in jobs)) > 1:
        one_of = ", ".join(conditions)
        raise SettingError(f"{option('faults')}: an episode is of one condition; name one of {one_of}")
    return prepared


@contextlib.asynccontextmanager
async def drive(
    prepared: PreparedRun, episodes: Episodes, *, progress: Progress | None = None
) -> AsyncIterator["asyncio.Task[RunEnd]"]:
    """Carry out a run in the background whose samples are taken from `episodes`.

    The task that is handed out ends when every sample is done. Leaving the context ends the run: what is not judged
    yet is open again for the next one in the same folder.

    Args:
        prepared: What `prepare` made with `episodes` as the agent.
        episodes: Hands out the samples.
        progress: Told how the run is going.

    Raises:
        SettingError: the run is one of batches, or differs from the one in its folder.
        WorktrialError: the run could not start, or was stopped.
    """
    plan = prepared.plan
    if plan.settings.batch is not None:
        raise SettingError(f"{option('batch')}: no driver waits as long as batches take. Leave the option out")
    settings = replace(
        plan.settings,
        # Room for every sample: those that nobody has taken yet wait, and cost nothing.
        concurrency=max(1, len(plan.trial.jobs)),
        requests=plan.settings.requests or plan.settings.concurrency + SPARE_REQUESTS,
    )

    def tell(tally: Tally) -> None:
        episodes.expect(tally.total - tally.done + tally.now_done)
        if progress is not None:
            progress(tally)

    async def carry_out() -> RunEnd:
        try:
            ends = await run_trials_async(
                [RunPlan(episodes.around(plan.trial), plan.roles, settings)], progress=tell
            )
        except BaseException as e:
            episodes.run_ended(e)
            raise
        episodes.run_ended()
        return ends[0]

    run = asyncio.create_task(carry_out(), name="worktrial-driven-run")
    try:
        yield run
    except EpisodeOver:
        # What stopped the run says more than that it was stopped.
        if run.done() and not run.cancelled() and (error := run.exception()) is not None:
            raise error from None
        raise
    finally:
        # A run whose last sample is judged ends by itself.
        if not episodes.are_over:
            run.cancel()
        await asyncio.wait([run])
    if not run.cancelled() and (error := run.exception()) is not None:
        raise error


@dataclass(frozen=True, slots=True)
class HeldEpisode(Generic[_T]):
    """An episode that is opened in one place and ended in another."""

    episode: Episode
    beside: _T
    """Whatever else was opened with it."""
    ending: "asyncio.Task[None]"
    """Ends when the episode is judged, and all is closed that was opened with it."""

    async def finish(self, answer: str) -> SampleResult:
        """End the work with `answer`, unless it has ended already, and have it judged.

        Raises:
            Unstorable: the answer is no text that can be stored.
            WorktrialError: the run ended before there was a verdict.
        """
        if not self.episode.is_over:
            self.episode.end(answer, is_last=True)
        await self.ending
        assert self.episode.result is not None
        return self.episode.result


async def hold(opening: AbstractAsyncContextManager[tuple[Episode, _T]]) -> HeldEpisode[_T]:
    """Open an episode, and keep what it was opened with until it is judged.

    Raises:
        WorktrialError: the episode cannot be opened.
    """
    opened: asyncio.Future[tuple[Episode, _T]] = asyncio.get_running_loop().create_future()

    async def keep() -> None:
        try:
            async with opening as (one, beside):
                opened.set_result((one, beside))
                await one.verdict()
        except Exception as e:
            if opened.done():
                raise
            opened.set_exception(e)

    ending = asyncio.create_task(keep(), name="worktrial-held-episode")
    one, beside = await opened
    return HeldEpisode(one, beside, ending)


class Briefing(NamedTuple):
    """Words with which a model is put to work on a sample, as one of ours is."""

    job: Job
    system_prompt: str
    instruction: str


def briefings(suite: str, driver: str, given: Mapping[str, Any]) -> list[Briefing]:
    """Briefings of every sample of a run; also for callers that have an event loop of their own.

    Args:
        suite: Name of a suite, or folder of one's own.
        driver: Name of who would drive the run.
        given: Options of the suite.

    Raises:
        SettingError: an option makes no sense.
        DataError: the suite's data cannot be read.
        WorktrialError: a workplace cannot be set up.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, _briefings(suite, driver, given)).result()


async def _briefings(suite: str, driver: str, given: Mapping[str, Any]) -> list[Briefing]:
    episodes = Episodes(driver)
    told: dict[str, tuple[str, str]] = {}
    with tempfile.TemporaryDirectory(prefix="worktrial-tasks-") as folder:
        prepared = prepare(suite, episodes, {**given, "output": Path(folder, "run")})
        jobs = prepared.trial.jobs
        async with drive(prepared, episodes):
            # Of a task under several conditions the first is looked at.
            for job in {job.sample: job for job in reversed(jobs)}.values():
                opened = await episodes.take(job.sample, job.repeat, job.condition)
                system = opened.system_prompt
                if system is None:
                    system = render_prompt(standard_prompt(), opened.clock)
                told[job.sample] = system, opened.instruction
                await opened.abandon("its instruction was read")
    return [Briefing(job, *told[job.sample]) for job in jobs]
