"""Open samples of one run, handed out as episodes to whoever asks for work."""

import asyncio
from collections.abc import Sequence
from contextvars import ContextVar

from worktrial.agents.assignment import Assignment
from worktrial.agents.episode import IDLE_SECONDS, Episode, EpisodeOver
from worktrial.engine.record import Key, SampleResult
from worktrial.engine.scheduler import defect
from worktrial.engine.trial import Job, SampleContext, Trial
from worktrial.errors import InvalidSample, SettingError, WorktrialError
from worktrial.grading import Outcome
from worktrial.language import JsonObject
from worktrial.registry import what_there_is

MOST_OPEN = 1000

_current: ContextVar[Episode] = ContextVar("episode")


class NoOpenJob(WorktrialError):
    """The run has no sample of that kind that nobody has taken yet."""


class TooManyOpen(WorktrialError):
    """Too many episodes are open at once; one has to end first."""


class Episodes:
    """An agent that leaves a run's samples to whoever takes them: N drivers empty one run between them.

    Give it as the agent when the trial is made, have the run carried out (`worktrial.interop.episodes.drive`), and
    `take` episodes meanwhile. A job that nobody takes is not set up.

    Args:
        name: Name of who drives, for the manifest.
        idle_seconds: Seconds without a call after which an episode counts as abandoned; None waits for ever.
        most: Episodes that may be open at once.
    """

    def __init__(
        self, name: str = "driven", *, idle_seconds: float | None = IDLE_SECONDS, most: int = MOST_OPEN
    ) -> None:
        if idle_seconds is not None and not idle_seconds > 0:
            raise SettingError(f"idle_seconds: {idle_seconds} would end every episode at once; give more than 0")
        if most < 1:
            raise SettingError(f"most: {most} episodes can do nothing; allow at least 1")
        self.name = name
        self.most = most
        self._why_no_more = ""
        self._idle = idle_seconds
        self._waiting: dict[Key, asyncio.Future[Episode]] = {}
        self._known: dict[Key, Job] = {}
        self._open: dict[Key, Episode] = {}
        self._offered = 0
        self._expected: int | None = None
        self._ready = asyncio.Event()
        self._ended: BaseException | None = None

    @property
    def open(self) -> Sequence[Episode]:
        """Episodes that were taken, and are not judged yet."""
        return [*self._open.values()]

    @property
    def waiting(self) -> Sequence[Job]:
        """Jobs that nobody has taken yet, in the run's order."""
        return [self._known[key] for key in self._waiting]

    @property
    def are_over(self) -> bool:
        """Whether every job of the run has been taken, and is judged."""
        return self._ready.is_set() and not self._waiting and not self._open

    def admit_at_most(self, most: int, reason: str) -> None:
        """Let at most so many episodes be open at once, for a reason that whoever takes too many is told."""
        if most < self.most:
            self.most, self._why_no_more = most, reason

    def around(self, trial: Trial) -> Trial:
        """`trial` whose samples wait to be taken."""
        self._known |= {job.key: job for job in trial.jobs}
        return _TakenTrial(trial, self)

    async def take(
        self, sample: str | None = None, repeat: int | None = None, condition: str | None = None
    ) -> Episode:
        """The run's next open job, or the next one of a kind, as an episode whose workplace is ready.

        Args:
            sample: Task; None for any.
            repeat: Which repeat of it; None for any.
            condition: Name of one of the run's fault settings; None for any.

        Raises:
            SettingError: the run has no such task, repeat or condition.
            NoOpenJob: every such job is done, or taken by somebody else.
            TooManyOpen: too many episodes are open.
            EpisodeOver: the workplace could not be set up, and the job is on record as invalid; or the run was
                stopped.
        """
        await self._ready.wait()
        self._check_asked(sample, repeat, condition)
        if self._ended is not None:
            if isinstance(self._ended, NoOpenJob):
                raise self._ended
            raise EpisodeOver(_why(self._ended)) from self._ended
        if len(self._open) >= self.most:
            said = f"{len(self._open)} episodes are open, and there may be no more; finish one first"
            raise TooManyOpen(f"{said} ({self._why_no_more})" if self._why_no_more else said)
        wanted = (sample, repeat, condition)
        found = next((key for key in self._waiting if _fits(key, wanted)), None)
        if found is None:
            raise NoOpenJob(self._why_none(sample, repeat, condition))
        episode: Episode = Episode(found, idle_seconds=self._idle)
        self._open[found] = episode
        self._waiting.pop(found).set_result(episode)
        await episode.opened()
        return episode

    def expect(self, jobs: int) -> None:
        """Take note that the run is about to offer `jobs` jobs; for whoever carries it out."""
        self._expected = jobs
        self._check_ready()

    def run_ended(self, error: BaseException | None = None) -> None:
        """Take note that the run has ended, with `error` or well; for whoever carries it out."""
        self._ended = error or NoOpenJob("every sample of the run is done")
        self._ready.set()

    def _check_ready(self) -> None:
        if self._expected is not None and self._offered >= self._expected:
            self._ready.set()

    async def taken(self, job: Job) -> Episode:
        """Wait until somebody takes `job`."""
        offered: asyncio.Future[Episode] = asyncio.get_running_loop().create_future()
        self._waiting[job.key] = offered
        self._offered += 1
        self._check_ready()
        try:
            return await offered
        finally:
            self._waiting.pop(job.key, None)

    def left(self, episode: Episode) -> None:
        """Take note that nothing is left to do in `episode`."""
        self._open.pop(episode.key, None)

    async def __call__(self, assignment: Assignment) -> None:
        """Leave `assignment` to whoever took the sample."""
        await _current.get()(assignment)

    def _check_asked(self, sample: str | None, repeat: int | None, condition: str | None) -> None:
        for name, asked, place in (("sample", sample, 0), ("repeat", repeat, 1), ("condition", condition, 2)):
            there = [*dict.fromkeys(key[place] for key in self._known)]
            if asked is not None and asked not in there:
                meant = what_there_is(str(asked), [str(one) for one in there])
                raise SettingError(f"{name} {asked!r}: the run has none; {meant}")

    def _why_none(self, sample: str | None, repeat: int | None, condition: str | None) -> str:
        asked = {"sample": sample, "repeat": repeat, "condition": condition}
        said = ", ".join(f"{name} {value}" for name, value in asked.items() if value is not None)
        held = [key for key in self._open if _fits(key, (sample, repeat, condition))]
        what = f"{len(held)} held by others, the rest done" if held else "all are done"
        return f"no open job{f' of {said}' if said else ''}: {what}"


class _TakenTrial:
    """A trial whose samples wait to be taken, and whose episodes are told what came of them."""

    def __init__(self, trial: Trial, episodes: Episodes) -> None:
        self._trial = trial
        self._episodes = episodes

    @property
    def suite(self) -> str:
        """The suite's name."""
        return self._trial.suite

    @property
    def jobs(self) -> Sequence[Job]:
        """All samples; see `Trial`."""
        return self._trial.jobs

    @property
    def data(self) -> JsonObject:
        """Origin of the data; see `Trial`."""
        return self._trial.data

    @property
    def settings(self) -> JsonObject:
        """Everything that can change a result; see `Trial`."""
        return self._trial.settings

    async def run(self, job: Job, context: SampleContext) -> SampleResult:
        """Do one job as soon as somebody takes it; see `Trial`."""
        episode = await self._episodes.taken(job)
        context.restart()
        episode.leave_out = context.leave_out
        token = _current.set(episode)
        try:
            result = await self._trial.run(job, context)
        except InvalidSample as e:
            episode.judged(SampleResult(outcome=Outcome.INVALID, reason=str(e)))
            raise
        except (WorktrialError, asyncio.CancelledError) as e:
            episode.broken(e)
            raise
        except Exception as e:
            episode.judged(defect(e))
            raise
        else:
            episode.judged(result)
            return result
        finally:
            _current.reset(token)
            self._episodes.left(episode)


def _fits(key: Key, wanted: tuple[str | None, int | None, str | None]) -> bool:
    return all(asked is None or asked == there for asked, there in zip(wanted, key, strict=True))


def _why(ended: BaseException) -> str:
    return f"the run has ended: {ended}" if str(ended) else "the run was stopped"
