"""Trouble of one sample that is the trouble of all: the end of a run that has nothing else to expect."""

import logging
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from worktrial.engine.finished import SampleKind, figures_of
from worktrial.engine.notices import say, tell_on_stderr
from worktrial.engine.record import Key, SampleRecord
from worktrial.engine.roles import Role
from worktrial.engine.store import TRACEBACKS, RunStore
from worktrial.engine.trial import Job
from worktrial.errors import InvalidReason, StopRun, option
from worktrial.grading import Outcome

log = logging.getLogger(__name__)

# So many in a row without an answer are an outage, not bad luck.
LEAST_OUTAGE = 8
# So many samples with the same trouble, with none that came through, and the others would meet it, too.
SAME_DEFECTS = 5
# Trouble of an agent of the user's own, of which the first is told at once.
_OF_AGENTS = (InvalidReason.AGENT_CRASH, InvalidReason.AGENT_NEVER_REACHED)


class Defects:
    """Troubles of a run's samples: the first crash is shown at once, one traceback of each kind is stored.

    Args:
        store: Folder of the run.
        jobs: Jobs that are to be done, in the order in which they are started.
        agent_is_model: Whether a model takes the trial.
    """

    def __init__(self, store: RunStore, jobs: Sequence[Job], *, agent_is_model: bool) -> None:
        self._store = store
        self._first = FirstSamples(store, jobs, agent_is_model=agent_is_model)
        self._stored: set[str] = set()
        self._in_a_row: Counter[str] = Counter()
        self._has_shown = False
        self._has_told = False

    def met(self, key: Key, error: BaseException) -> None:
        """Sample `key` broke off for a defect of ours.

        Raises:
            StopRun: the traceback cannot be stored.
        """
        kind = _kind(error)
        self._in_a_row[kind] += 1
        told = self._keep(key, kind, error)
        if not self._has_shown:
            self._has_shown = True
            said = f"worktrial: {_title(key)} broke off for a defect of Worktrial. Please report it with this"
            shown = f"{said} traceback (also in {self._where}):\n{told}"
            say(shown, err=True, end="")

    def crashed(self, key: Key, error: BaseException) -> None:
        """The user's own agent raised `error` in sample `key`.

        Raises:
            StopRun: the traceback cannot be stored.
        """
        self._keep(key, _kind(error), error)

    def saw(self, record: SampleRecord) -> None:
        """A sample ended with `record`, which is stored.

        Raises:
            StopRun: one defect, or one trouble that an option could do away with, meets every sample.
        """
        self._first.saw(record)
        if record.invalid_reason in _OF_AGENTS and not self._has_told:
            self._has_told = True
            tell_on_stderr(f"{_title(record.key)} is invalid: {record.reason}")
        if record.outcome is not Outcome.INVALID:
            self._in_a_row.clear()
        for kind, count in self._in_a_row.items():
            if count >= SAME_DEFECTS:
                raise StopRun(
                    f"{count} samples broke off for the same defect of Worktrial, {kind}, and none came through: "
                    f"please report it with the traceback in {self._where}"
                )

    @property
    def _where(self) -> str:
        return str(self._store.folder / TRACEBACKS)

    def _keep(self, key: Key, kind: str, error: BaseException) -> str:
        # Not through the log's exc_info: what an exception quotes may hold a key.
        told = self._store.redacted("".join(traceback.format_exception(error)))
        log.debug("%s: %s", _title(key), told)
        if kind not in self._stored:
            self._stored.add(kind)
            self._store.note(f"{_title(key)}:\n{told}\n")
        return told


def _kind(error: BaseException) -> str:
    """Type of an exception and the place where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"


def _title(key: Key) -> str:
    sample, repeat, condition = key
    return f"sample {sample!r} (repeat {repeat}, {condition})"


_ON_PROGRAMS = (
    f". Start the program by hand: is it logged in, has it its key ({option('agent_env')}), does it take these "
    "options? None of these samples counts as its failure; the same command again tries them once more"
)


class Outage:
    """End of a run when nothing has come back for a while but one trouble on the way to a model, or to the work.

    Args:
        what: Things that end, in the plural, for the message.
        least: How many in a row that could not reach their model are an outage.
    """

    def __init__(self, what: str, least: int = LEAST_OUTAGE) -> None:
        self._what = what
        self._troubles = {
            InvalidReason.ENDPOINT_UNAVAILABLE: (least, "could not reach their model", ""),
            InvalidReason.AGENT_NEVER_REACHED: (
                SAME_DEFECTS,
                "ended without a call of their agent",
                _ON_PROGRAMS,
            ),
        }
        self._in_a_row: Counter[str] = Counter()

    def saw(self, reason: str) -> None:
        """Something ended with `reason` ("" where it went well).

        Raises:
            StopRun: it is an outage.
        """
        for kind, (least, met, advice) in self._troubles.items():
            count = self._in_a_row[kind] = self._in_a_row[kind] + 1 if reason.startswith(kind.value) else 0
            if count >= least:
                raise StopRun(f"the last {count} {self._what} {met}. {reason}{advice}")


class Trouble(NamedTuple):
    """Trouble that says nothing about how good the agent is, and that another setting may do away with."""

    kind: str
    """Stop reason of a sample, or reason of an invalid one."""
    advice: str
    """Sentence on what it is, and which option to change."""


class FirstSamples:
    """End of a run whose first samples all meet the same trouble, which is paid for and tells nothing.

    "First" is in the order of the jobs, not of their ends, so that quick failures among many samples in flight do
    not speak for all. Whoever starts the same command again has read the advice: no trouble ends a run twice.

    Args:
        store: Folder of the run.
        jobs: Jobs that are to be done, in the order in which they are started.
        agent_is_model: Whether a model takes the trial, so that there are options to change.
    """

    def __init__(self, store: RunStore, jobs: Sequence[Job], *, agent_is_model: bool) -> None:
        self._folder = store.folder
        self._jobs = jobs
        self._agent_is_model = agent_is_model
        self._ended: dict[Key, Trouble | None] = {}
        self._next = 0
        self._tasks: dict[str, set[str]] = defaultdict(set)
        self._samples: Counter[str] = Counter()
        self._least_tasks = min(SAME_DEFECTS, len({job.sample for job in jobs}))
        known: Counter[str] = Counter()
        self._came_through = False
        for ended, count in store.samples.kinds.items():
            trouble = _trouble_kind(ended, agent_is_model=agent_is_model)
            if trouble is not None:
                known[trouble] += count
            elif count and ended.outcome is not Outcome.INVALID:
                self._came_through = True
        self._accepted = {kind for kind, count in known.items() if count >= SAME_DEFECTS}

    def saw(self, record: SampleRecord) -> None:
        """A sample ended with `record`.

        Raises:
            StopRun: the first samples all met one trouble.
        """
        trouble = trouble_of(record, agent_is_model=self._agent_is_model)
        is_accepted = trouble is not None and trouble.kind in self._accepted
        self._came_through |= is_accepted or (trouble is None and record.outcome is not Outcome.INVALID)
        if self._came_through:
            return
        self._ended[record.key] = trouble
        while self._next < len(self._jobs) and self._jobs[self._next].key in self._ended:
            job = self._jobs[self._next]
            self._next += 1
            met = self._ended[job.key]
            if met is not None:
                self._samples[met.kind] += 1
                self._tasks[met.kind].add(job.sample)
                self._end(met)

    def _end(self, met: Trouble) -> None:
        count = self._samples[met.kind]
        if count >= SAME_DEFECTS and len(self._tasks[met.kind]) >= self._least_tasks:
            raise StopRun(
                f"{self._folder}: the first {count} samples all ended with the same trouble ({met.kind}), and none "
                f"came through: {met.advice}. The same command again goes on all the same"
            )


def trouble_of(record: SampleRecord, *, agent_is_model: bool) -> Trouble | None:
    """Trouble of a sample; None where it has none, or none that an option could do away with."""
    figures = figures_of(record)
    ended = SampleKind(figures.outcome, figures.ended, figures.acted)
    kind = _trouble_kind(ended, agent_is_model=agent_is_model)
    if kind is None:
        return None
    if record.outcome is Outcome.INVALID:
        return Trouble(kind, f"{record.reason}. {_ADVICE_ON_INVALID[kind](record.reason)}")
    return Trouble(kind, _ADVICE_ON_ENDS[kind])


def _trouble_kind(sample: SampleKind, *, agent_is_model: bool) -> str | None:
    """Kind of the trouble of samples that ended so; None as for `trouble_of`."""
    if sample.outcome is Outcome.INVALID:
        return sample.ended if sample.ended in _ADVICE_ON_INVALID else None
    if sample.outcome is Outcome.PASS or sample.ended not in _ADVICE_ON_ENDS or not agent_is_model:
        return None
    # Whoever works and then falls silent has shown something.
    return None if sample.ended == "empty_answer" and sample.acted else sample.ended


_ADVICE_ON_ENDS = {
    "unread_call": "the agent calls tools in its text, in a form that nobody can read. Use "
    f"{option('tool_mode')} json, which needs no tool support, or start its server with a parser for tool calls",
    "empty_answer": f"the agent sends neither text nor a call. Try {option('tool_mode')} json, or "
    f"another {Role.AGENT.option()}; worktrial doctor shows what its endpoint answers",
    "cut_answer": "the agent's answers break off at its output limit. Give it more room with "
    f"{Role.AGENT.option('output_tokens')}",
}


def _on_replies_of(role: Role) -> Callable[[str], str]:
    def advise(reason: str) -> str:
        if "output limit" in reason:
            return f"Give it more room with {role.option('output_tokens')}"
        return f"Try {role.option('structured')} schema, or another {role.option()}"

    return advise


def _on_what_is_sent(reason: str) -> str:
    return f"Change what is sent, with {option('extra')}, {option('tool_mode')} json or {option('structured')} off"


def _on_the_address(reason: str) -> str:
    return f"Check the address ({option('base_url')}; it usually ends in /v1)"


def _on_the_model(reason: str) -> str:
    return f"Take another model or endpoint ({option('base_url')}) for that role"


_ADVICE_ON_INVALID: Mapping[str, Callable[[str], str]] = {
    InvalidReason.ENDPOINT_REFUSED: _on_what_is_sent,
    InvalidReason.BAD_REPLY: _on_the_address,
    InvalidReason.CONTEXT_OVERFLOW: _on_the_model,
    InvalidReason.CONTENT_FILTER: _on_the_model,
    InvalidReason.REFUSED: _on_the_model,
    InvalidReason.SIMULATOR_FORMAT: _on_replies_of(Role.SIMULATOR),
    InvalidReason.SIMULATOR_PATCH: _on_replies_of(Role.SIMULATOR),
    InvalidReason.NO_MAJORITY: _on_replies_of(Role.JUDGE),
}
