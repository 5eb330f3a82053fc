"""Estimate of what a run will take, before its first request.

Every sample that is planned stands for one of an earlier run: of its own task and condition where that was tried,
else of its scenario, its category or its condition, else of its own task under another, else any, in turn. Without
an earlier run all are of usual size (`engine.usual_sizes`). The time is that of answers, when samples are begun in
order as places become free, or of the rate that is allowed, whichever is longer. Retries and outages are foreseen
as far as the earlier run had them.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, zip_longest
from math import ceil, fsum

import msgspec

from worktrial.engine.local.catalogue import estimate as seconds_of_local
from worktrial.engine.record import SampleRecord
from worktrial.engine.roles import RoleName, RoleSettings
from worktrial.engine.segments import FRAME_BYTES, WORK
from worktrial.engine.spend import price_for
from worktrial.engine.stored import StoredRun, agent_of
from worktrial.engine.usual_sizes import TOKENS_OF_A_REQUEST, TOOL_CALLS, requests_of_a_sample
from worktrial.errors import SettingError, option
from worktrial.language import Usage
from worktrial.results.conditions import cluster_by
from worktrial.results.document import MachineOutput
from worktrial.results.estimates import mean_estimate, too_few
from worktrial.results.spending import spent
from worktrial.trials import PreparedRun

LATENCY = 2.0
"""Seconds of an answer, where nothing is known of it."""
DISK_OF_A_RECORD, DISK_OF_A_TRAJECTORY = 2_000, 20_000
"""Bytes, where no run was measured."""
COMPRESSED = 0.12
"""Share of its size that a trajectory takes when it is compressed: the most that was measured of whole frames."""
MEMORY, MEMORY_OF_A_SAMPLE = 64e6, 80e3
"""Bytes of a process, and of each sample in flight: 143 MB with 989 of them."""


class EstimatedAmount(msgspec.Struct, frozen=True):
    """An amount, with its interval of 95 % where the earlier run has tasks enough for one."""

    likely: float
    low: float | None = None
    high: float | None = None


class RoleEstimate(msgspec.Struct, frozen=True):
    """A role's part in a run."""

    agent: str
    """Agent in whose run it is."""
    role: str
    requests: float
    input_tokens: float
    output_tokens: float
    cost: float | None
    """US dollars; null where the price of the role's model is unknown."""


class RunEstimate(MachineOutput, frozen=True, kw_only=True, tag="estimate"):
    """Everything that one command will take."""

    suite: str
    samples: int
    requests: EstimatedAmount
    """Requests to models, of all roles."""
    tokens: EstimatedAmount
    """Tokens in and out."""
    cost: EstimatedAmount | None
    """US dollars; null where the price of some model is unknown."""
    seconds: float
    """Wall-clock time."""
    disk_bytes: float
    memory_bytes: float
    roles: list[RoleEstimate]
    assumed: list[str]
    """Sentences on what the figures rest on."""


@dataclass(frozen=True, slots=True, eq=False)
class _Size:
    """Work of one sample."""

    usage: Mapping[RoleName, Usage]
    costs: Mapping[RoleName, float | None]
    seconds: float
    record: SampleRecord | None

    @property
    def requests(self) -> float:
        return sum(one.requests for one in self.usage.values())

    @property
    def tokens(self) -> float:
        return sum(one.tokens for one in self.usage.values())

    @property
    def cost(self) -> float:
        return fsum(cost or 0.0 for cost in self.costs.values())


def estimate_runs(
    planned: Sequence[PreparedRun], earlier: Sequence[StoredRun] = (), *, latency: float | None = None
) -> RunEstimate:
    """Estimate what `planned` will take side by side.

    Args:
        planned: Runs of one command.
        earlier: Runs of the same suite to go by. For an agent that has some of its own, those count alone.
        latency: Seconds of one answer; None goes by the earlier runs, or takes `LATENCY`.

    Raises:
        SettingError: an earlier run is of another suite, or has no sample.
    """
    suite = planned[0].trial.suite
    for run in earlier:
        if run.manifest.suite != suite or not run.records:
            said = f"a run of {run.manifest.suite}" if run.records else "a run without a sample"
            raise SettingError(
                f"{option('from')} {run.folder}: is {said}; name one of {suite} that has finished some"
            )
    sizes = [[*_sizes(run, _runs_for(run, earlier), latency)] for run in planned]
    roles = [one for run, drawn in zip(planned, sizes, strict=True) for one in _roles(run, drawn)]
    in_turn = [size for row in zip_longest(*sizes) for size in row if size is not None]
    places = planned[0].settings.concurrency
    amounts = _amounts(in_turn)
    return RunEstimate(
        suite=suite,
        samples=len(in_turn),
        requests=amounts["requests"],
        tokens=amounts["tokens"],
        cost=None if any(one.cost is None for one in roles) else amounts["cost"],
        seconds=_seconds(planned, sizes, in_turn),
        disk_bytes=sum(_disk(run, earlier) for run in planned),
        memory_bytes=MEMORY + MEMORY_OF_A_SAMPLE * min(places, len(in_turn)),
        roles=roles,
        assumed=[*_assumed(planned, earlier, in_turn, latency)],
    )


def _runs_for(run: PreparedRun, earlier: Sequence[StoredRun]) -> Sequence[StoredRun]:
    name = run.trial.settings.get("agent")
    return [one for one in earlier if name is not None and agent_of(one.manifest) == name] or earlier


def _sizes(run: PreparedRun, earlier: Sequence[StoredRun], latency: float | None) -> Iterator[_Size]:
    """Work of each planned sample, in the order in which they are started."""
    records: list[SampleRecord | None] = [record for one in earlier for record in one.records]
    pools: dict[object, list[_Size]] = defaultdict(list)
    for record in records or [None]:
        size = _size(run, record, latency)
        for key in [None] if record is None else _kinds(record.sample, record.tags, record.condition):
            pools[key].append(size)
    turns = {key: cycle(pool) for key, pool in pools.items()}
    for job in run.trial.jobs:
        yield next(turns[next(key for key in _kinds(job.sample, job.tags, job.condition) if key in turns)])


def _kinds(sample: str, tags: Mapping[str, object], condition: str) -> Iterator[object]:
    """Kinds of sample that one belongs to, the narrowest first."""
    yield sample, condition
    for tag in ("scenario", "category"):
        if tag in tags:
            yield tag, str(tags[tag]), condition
    yield condition
    yield sample, None
    yield None


def _size(run: PreparedRun, record: SampleRecord | None, latency: float | None) -> _Size:
    calls = TOOL_CALLS if record is None else record.calls
    votes = getattr(run.options, "votes", 1)
    usage = {}
    for name, settings in run.models.items():
        known = record.usage.get(name) if record is not None else None
        if known is not None:
            usage[name] = Usage(
                known.requests, known.input_tokens, known.output_tokens, known.cached_tokens, known.stored_tokens
            )
        else:
            requests = ceil(requests_of_a_sample(settings.role, calls, votes))
            size_in, size_out = TOKENS_OF_A_REQUEST[settings.role]
            usage[name] = Usage(requests, requests * size_in, requests * size_out)
    costs = {name: _cost(run.models[name], one) for name, one in usage.items()}
    took = spent(record).seconds if record is not None and usage.keys() <= record.usage.keys() else None
    if latency is not None or took is None:
        # Votes that are asked for together take the time of one.
        judged = getattr(run.options, "parallel_votes", False)
        waits = sum(
            min(1, u.requests) if judged and n.startswith("judge") else u.requests for n, u in usage.items()
        )
        took = waits * (LATENCY if latency is None else latency)
    return _Size(usage, costs, took, record)


def _cost(settings: RoleSettings, usage: Usage) -> float | None:
    price = price_for(settings)
    if price is None:
        return None
    if not usage.requests:
        return 0.0
    # Long prompts may have another price, so that of one request of middling size is taken.
    parts = (usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.stored_tokens)
    one = price(Usage(1, *(round(part / usage.requests) for part in parts)))
    return None if one is None else one * usage.requests


def _roles(run: PreparedRun, sizes: Sequence[_Size]) -> Iterator[RoleEstimate]:
    often = Counter(sizes)
    for name in run.models:
        costs = [(size.costs[name], times) for size, times in often.items()]
        yield RoleEstimate(
            str(run.trial.settings.get("agent") or run.models[name].model),
            name,
            fsum(size.usage[name].requests * times for size, times in often.items()),
            fsum(size.usage[name].input_tokens * times for size, times in often.items()),
            fsum(size.usage[name].output_tokens * times for size, times in often.items()),
            None
            if any(cost is None for cost, _ in costs)
            else fsum((cost or 0.0) * times for cost, times in costs),
        )


def _seconds(planned: Sequence[PreparedRun], sizes: Sequence[Sequence[_Size]], in_turn: Sequence[_Size]) -> float:
    answers = _scheduled([size.seconds for size in in_turn], planned[0].settings.concurrency)
    rates, local = [0.0], 0.0
    for run, drawn in zip(planned, sizes, strict=True):
        for name, role in run.models.items():
            if role.rpm is not None:
                rates.append((fsum(size.usage[name].requests for size in drawn) - 1) * 60 / role.rpm)
            if role.tpm is not None:
                rates.append((fsum(size.usage[name].tokens for size in drawn) - role.tpm) * 60 / role.tpm)
        if own := [role for role in run.models.values() if role.is_local]:
            model = own[0].model.partition(":")[2]
            local += seconds_of_local(len(drawn), [role.role for role in own], model)
    return max(local or answers, *rates)


def _scheduled(seconds: Sequence[float], places: int) -> float:
    """Time until the last of some samples has ended, each begun in its turn as a place becomes free."""
    busy = [0.0] * min(places, max(1, len(seconds)))
    for one in seconds:
        heapq.heapreplace(busy, busy[0] + one)
    return max(busy)


def _amounts(in_turn: Sequence[_Size]) -> dict[str, EstimatedAmount]:
    """Totals, with intervals over the earlier run's scenarios, or tasks."""
    names = ("requests", "tokens", "cost")
    totals = {name: fsum(getattr(size, name) for size in in_turn) for name in names}
    records = [size.record for size in in_turn if size.record is not None]
    if not records:
        return {name: EstimatedAmount(total) for name, total in totals.items()}
    cluster_of = cluster_by(records)
    sums: dict[str, dict[str, float]] = {}
    for size in in_turn:
        assert size.record is not None
        mine = sums.setdefault(cluster_of(size.record), dict.fromkeys(("n", *names), 0.0))
        for name, amount in (("n", 1.0), *((name, getattr(size, name)) for name in names)):
            mine[name] += amount
    found = {}
    for name, total in totals.items():
        amounts, numbers = ([mine[one] for mine in sums.values()] for one in (name, "n"))
        interval = mean_estimate(amounts, numbers).interval
        ends = () if interval is None else (interval.low * len(in_turn), interval.high * len(in_turn))
        found[name] = EstimatedAmount(total, *ends)
    return found


def _disk(planned: PreparedRun, earlier: Sequence[StoredRun]) -> float:
    """Bytes of a run on the disk."""
    record, trajectory = float(DISK_OF_A_RECORD), float(DISK_OF_A_TRAJECTORY)
    if earlier:
        sizes = {file: file.stat().st_size for run in earlier for file in run.folder.rglob("*") if file.is_file()}
        work = {file: size for file, size in sizes.items() if file.parent.name == WORK}
        samples = sum(len(run.records) for run in earlier)
        record = (sum(sizes.values()) - sum(work.values())) / samples
        trajectory = (
            sum(size / (COMPRESSED if file.suffix == ".zst" else 1) for file, size in work.items()) / samples
        )
    whole = len(planned.trial.jobs) * trajectory
    # Less than a frame stays as it is.
    return len(planned.trial.jobs) * record + max(whole * COMPRESSED, min(whole, FRAME_BYTES))


def _assumed(
    planned: Sequence[PreparedRun], earlier: Sequence[StoredRun], in_turn: Sequence[_Size], latency: float | None
) -> Iterator[str]:
    roles = {name for run in planned for name in run.models}
    if any(run.settings.batch for run in planned):
        yield "answers of batches come when the provider likes, within a day; the time is that of single requests"
    if not earlier:
        if roles:
            said = f"no earlier run: {TOOL_CALLS} tool calls a sample, and tokens of middling tasks"
            yield f"{said}, {LATENCY if latency is None else latency:g} s an answer; give {option('from')} RUN"
        return
    records = [record for run in earlier for record in run.records]
    measured = {name for record in records for name in record.usage}
    yield f"each as one of {len(records):,} samples of {', '.join(str(run.folder) for run in earlier)}"
    if any(run.missing for run in earlier):
        yield "an earlier run is unfinished, and what is short finishes first: it will take more"
    if unmeasured := sorted(roles - measured):
        yield f"usual requests and tokens of {' and '.join(unmeasured)}, who had no part in them"
    tried = {record.condition for record in records}
    if untried := sorted({job.condition for run in planned for job in run.trial.jobs} - tried):
        yield f"{', '.join(untried)} as the other conditions: not tried there"
    if few := too_few(len({*map(cluster_by(records), records)})):
        yield few
    if latency is not None:
        yield f"{latency:g} s an answer"
