"""Adding to a stored run: a command may ask for more tasks, repeats or fault conditions than those before it.

What can change a result has to be as it was; which samples there are may grow. The manifest keeps what each command
asked for.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import msgspec

from worktrial.engine.identity import Difference, TrialIdentity
from worktrial.engine.manifest import Asked, Manifest
from worktrial.engine.record import Key
from worktrial.engine.shard import Shard
from worktrial.engine.trial import Job, ShardedTrial, Trial
from worktrial.errors import SettingError, option
from worktrial.language import JsonObject
from worktrial.options import FaultOptions
from worktrial.workplaces.faults import Conditions, FaultMode


def asked_of(trial: Trial) -> Asked | None:
    """Tasks, repeats and conditions of a trial's samples.

    None where these are not all combinations of them, or its settings do not name `tasks` and `repeats`: such a run
    cannot be added to. Of a shard, those of the whole trial, of which `added` counts only its own.
    """
    jobs = trial.whole.jobs if isinstance(trial, ShardedTrial) else trial.jobs
    asked = Asked(
        tasks=list(dict.fromkeys(job.sample for job in jobs)),
        repeats=max((job.repeat for job in jobs), default=-1) + 1,
        conditions=list(dict.fromkeys(job.condition for job in jobs)),
        added=len(trial.jobs),
    )
    named = trial.settings.get("tasks") == asked.tasks and trial.settings.get("repeats") == asked.repeats
    return asked if named and _is_whole(asked, jobs) else None


class AskedOrder:
    """Ranks of the samples that a command asked for, from 0, in the order in which one process takes them.

    Task by task, its repeats, and of each its conditions.
    """

    def __init__(self, asked: Asked) -> None:
        self._repeats = max(0, asked.repeats)
        self._tasks = {task: n for n, task in enumerate(asked.tasks)}
        self._conditions = {condition: n for n, condition in enumerate(asked.conditions)}
        self.size = len(self._tasks) * self._repeats * len(self._conditions)
        """Number of samples."""

    def rank(self, key: Key) -> int | None:
        """Rank of a sample; None where it was not asked for."""
        sample, repeat, condition = key
        task, under = self._tasks.get(sample), self._conditions.get(condition)
        if task is None or under is None or not 0 <= repeat < self._repeats:
            return None
        return (task * self._repeats + repeat) * len(self._conditions) + under

    def samples(self) -> Iterator[Key]:
        """Samples by rank."""
        return product(self._tasks, range(self._repeats), self._conditions)


def _is_whole(asked: Asked, jobs: Sequence[Job]) -> bool:
    """Whether the jobs are all that was asked for."""
    order = AskedOrder(asked)
    if order.size > len(jobs):
        return False
    # A byte a sample: there may be millions.
    there = bytearray(order.size)
    for job in jobs:
        rank = order.rank(job.key)
        assert rank is not None  # made of these
        there[rank] = 1
    return all(there)


def grow(stored: Manifest, wanted: Manifest, folder: Path | str) -> None:
    """Make `wanted`, the manifest of a new session, that of the whole run: what was stored, and what is added.

    Args:
        stored: Manifest in the folder.
        wanted: Manifest of the new session, which is its only one.
        folder: Folder or address of the run, for messages.

    Raises:
        SettingError: something that can change results differs; the message shows what.
    """
    refuse_other(stored, wanted, folder)
    session = wanted.sessions[-1]
    asks = _asks(stored)
    if asks is not None and session.asked is not None:
        before = count_asked(asks, stored.shard)
        wanted.samples = count_asked(_uncovered([*asks, session.asked]), stored.shard)
        new = wanted.samples - before
        session.asked = msgspec.structs.replace(session.asked, added=new) if new else None
        now: JsonObject = msgspec.json.decode(msgspec.json.encode(wanted.settings))
        wanted.settings = _joined(stored.settings, now)
    # A run keeps the name under which it was begun.
    wanted.suite = stored.suite
    wanted.sessions = stored.sessions + wanted.sessions


def refuse_other(stored: Manifest, wanted: Manifest, folder: Path | str) -> None:
    """Refuse to take `wanted` for the run that is stored in `folder`, or for more of it, where it is another.

    Raises:
        SettingError: something that can change results differs; the message shows what.
    """
    if not TrialIdentity.of(stored).is_same_suite(TrialIdentity.of(wanted)):
        article = "an" if stored.suite[:1] in "aeiou" else "a"
        raise SettingError(
            f"{folder} holds {article} {stored.suite} run. Name another folder with {option('output')}, or "
            "none for a new one"
        )
    if found := differences(stored, wanted):
        shown = "\n".join(f"  {difference}" for difference in found)
        raise SettingError(
            f"{folder} holds a run with other settings (stored -> now):\n{shown}\n"
            f"Give the stored settings to resume it, or start another run with another {option('output')}"
        )


def differences(stored: Manifest, wanted: Manifest) -> list[Difference]:
    """Settings that can change a result and are not as they were; [] where `wanted` may add to `stored`."""
    before, now = TrialIdentity.of(stored), TrialIdentity.of(wanted)
    one, other = _conditions(stored.settings), _conditions(wanted.settings)
    if one is None or other is None or _asks(stored) is None or wanted.sessions[-1].asked is None:
        return before.differences(now)
    joined = _union(one, other) is not None
    return before.differences(now, but={"samples", *(["faults"] if joined else [])})


def _asks(manifest: Manifest) -> list[Asked] | None:
    """Orders of samples that the sessions of a run have asked for; None where that is not known."""
    return asked_together([manifest]) or None


def asked_together(manifests: Iterable[Manifest]) -> list[Asked]:
    """Orders of samples that the sessions of shards of a run have asked for; [] where that is not known."""
    sessions = (session for manifest in manifests for session in manifest.sessions)
    return _uncovered([session.asked for session in sessions if session.asked is not None])


def _uncovered(asks: Sequence[Asked]) -> list[Asked]:
    """`asks` without those that ask for nothing that another one does not."""
    kept: list[Asked] = []
    for asked in asks:
        if not any(_covers(other, asked) for other in kept):
            kept = [*(other for other in kept if not _covers(asked, other)), asked]
    return kept


def _covers(one: Asked, other: Asked) -> bool:
    if one.repeats < other.repeats or not {*other.conditions} <= {*one.conditions}:
        return False
    return one.tasks == other.tasks or {*other.tasks} <= {*one.tasks}


def count_asked(asks: Sequence[Asked], shard: Shard | None = None) -> int:
    """Number of samples that were asked for, of all or of a shard."""
    if len(asks) > 1:
        return len({key for asked in asks for key in _keys(asked, shard)})
    order = AskedOrder(asks[0])
    return order.size if shard is None else sum(shard.holds(key) for key in order.samples())


class Addition(NamedTuple):
    """Relation of a command's samples to those of the run in its folder."""

    stored: int
    """Samples that the run has asked for so far."""
    added: int
    """Samples that are new to it."""
    left: int
    """Samples of the run that the command does not ask for."""


def addition(stored: Manifest, trial: Trial) -> Addition | None:
    """Relation of a trial's samples to those of a stored run; None where these are not known."""
    asks, asked = _asks(stored), asked_of(trial)
    if asks is None:
        return None
    if asked is not None and len(asks) == 1 and _covers(asks[0], asked) and _covers(asked, asks[0]):
        return Addition(len(trial.jobs), 0, 0)
    plan = {key for one in asks for key in _keys(one, stored.shard)}
    keys = {job.key for job in trial.jobs}
    return Addition(len(plan), len(keys - plan), len(plan - keys))


def _keys(asked: Asked, shard: Shard | None = None) -> set[Key]:
    keys = AskedOrder(asked).samples()
    return {*keys} if shard is None else {key for key in keys if shard.holds(key)}


def _conditions(settings: JsonObject) -> Conditions | None:
    """Conditions in a manifest's settings; None where this version cannot read them."""
    if not settings.get("faults"):
        return Conditions()
    try:
        return msgspec.convert(settings["faults"], Conditions)
    except msgspec.ValidationError:
        return None


def _union(one: Conditions, other: Conditions) -> Conditions | None:
    """Conditions of both; None where a name would mean two things, or a thing have two names."""
    faulty = [side for side in (one, other) if not side.is_clean]
    drawn = {(s.seed, s.unit) for side in faulty for s in side.settings if s.mode.is_faulty}
    if len({side.prompted for side in faulty}) > 1 or len(drawn) > 1:
        return None
    have = {s.mode for s in one.settings if not s.mode.is_faulty}
    new = [s for s in other.settings if s.mode not in have]
    both = Conditions(tuple(dict.fromkeys([*one.settings, *new])), any(side.prompted for side in faulty))
    named = {**other.by_name, **one.by_name}
    return both if both.by_name == named else None


def _joined(stored: JsonObject, now: JsonObject) -> JsonObject:
    """Settings of a run to which samples were added."""
    one, other = _conditions(stored), _conditions(now)
    assert one is not None and other is not None  # `differences` has read them
    conditions = _union(one, other)
    joined = dict(now)
    joined["tasks"] = list(dict.fromkeys([*stored["tasks"], *now["tasks"]]))
    joined["repeats"] = max(stored["repeats"], now["repeats"])
    if conditions is not None and not conditions.is_clean:
        joined["faults"] = msgspec.to_builtins(conditions)
    if "options" in now and "options" in stored:
        joined["options"] = {**now["options"], **_fault_options(stored["options"], now["options"], one, other)}
    return joined


def _fault_options(stored: JsonObject, now: JsonObject, one: Conditions, other: Conditions) -> JsonObject:
    """Options about faults that describe the conditions of both commands; {} where neither has faults."""
    faulty = [options for options, side in ((stored, one), (now, other)) if not side.is_clean]
    if not faulty:
        return {}
    said: JsonObject = {name: faulty[-1].get(name) for name in FaultOptions.model_fields}
    for name in ("fault_count", "fault_duration"):
        if len({options.get(name) for options in faulty}) > 1:
            words = (word for options in faulty for word in (options.get(name) or "2").split(","))
            said[name] = ",".join(dict.fromkeys(words))
    modes = dict.fromkeys(s.mode.value for side in (one, other) for s in side.settings if s.mode is not FaultMode.W)
    said["faults"] = ",".join([*modes, *(["prompted"] if one.prompted or other.prompted else [])])
    return said
