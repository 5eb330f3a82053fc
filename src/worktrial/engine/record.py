"""The public records of a run folder. Every suite writes the same ones."""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Annotated, Any, cast

import msgspec

from worktrial.engine.spend import Meter
from worktrial.grading.check import CheckResult
from worktrial.grading.verdict import Outcome, Vote
from worktrial.language import JsonObject
from worktrial.workplaces.duties.session import Violation
from worktrial.workplaces.faults import DegradedCall, FaultEvent, FaultMiss
from worktrial.workplaces.trajectory import ContextUse
from worktrial.workplaces.watch import SimulatorHealth

CLEAN = "E0"
"""The condition of a sample without faults."""

Key = tuple[str, int, str]
"""Task, repeat and condition: a sample within its run."""

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class SampleLine(msgspec.Struct, kw_only=True):
    """Fields that every line of a run has; a subclass names those it reads beside them."""

    sample: str
    repeat: int
    condition: str = CLEAN
    """Condition of the sample."""

    @property
    def key(self) -> Key:
        """Task, repeat and condition: the sample within its run."""
        return self.sample, self.repeat, self.condition


Count = Annotated[int, msgspec.Meta(ge=0, le=10**15)]
"""A count of a record; a larger one cannot be, and would fit into no table."""


class Place(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Place of a line in a run's work."""

    segment: Annotated[int, msgspec.Meta(ge=1, le=10**9)]
    """Number of the segment."""
    offset: Count
    """Byte of the segment's content at which the line begins."""
    length: Count
    """Bytes of the line, with its line break."""

    def overlaps(self, other: "Place | None") -> bool:
        """Whether another place shares a byte with this one."""
        if other is None or self.segment != other.segment:
            return False
        return self.offset < other.offset + other.length and other.offset < self.offset + self.length


class RoleUsage(msgspec.Struct, frozen=True, gc=False):
    """Consumption of one role for one sample; tokens as reported by the endpoint."""

    requests: Count = 0
    """Requests to the role's model."""
    input_tokens: Count = 0
    """Input tokens, as reported."""
    output_tokens: Count = 0
    """Output tokens, as reported."""
    cached_tokens: Count = 0
    """Input tokens that the endpoint had cached."""
    cost: float | None = 0.0
    """US dollars; null where the model's price is unknown."""
    replayed: Count = 0
    """Requests of these that the request cache answered, which costs nothing."""
    replayed_cost: float | None = 0.0
    """US dollars that those would have cost; null where the model's price is unknown."""
    stored_tokens: Count = 0
    """Input tokens that the endpoint put into its cache, where it says so."""


class SampleRecord(msgspec.Struct, kw_only=True, frozen=True):
    """One line of `samples.jsonl`: a finished sample.

    A sample that was invalid and ran again has several lines; the last one counts.
    """

    suite: str
    """Suite that the sample is from."""
    sample: str
    """Id of the task within the suite."""
    repeat: int
    """Number of the repeat, from 0."""
    condition: str = CLEAN
    """Fault condition: a mode, with count and duration where the run has several (`E2/3x2`)."""
    outcome: Outcome
    """Outcome: pass, fail or invalid."""
    reason: str
    """The verdict's ground, or the typed reason of an invalid sample with its detail."""
    votes: list[Vote] = []
    """Judge's votes in the order cast."""
    checks: list[CheckResult] = []
    """Checks of the state or the answer, in their own order."""
    usage: dict[str, RoleUsage] = {}
    cost: float | None = None
    """US dollars; null where some model's price is unknown."""
    seconds: float = 0.0
    """Wall-clock time of the sample."""
    calls: Count = 0
    """Tool calls made."""
    turns: Count = 0
    """Assistant messages of the agent."""
    stop_reason: str | None = None
    """Reason for which the agent's work ended."""
    answered_by: str | None = None
    """Way in which the answer came, where the work was driven from outside: tool, driver or end; else null."""
    fault_plan: list[FaultEvent] = []
    """Fault events that were planned, whether the sample got so far or not."""
    fault_ledger: list[DegradedCall] = []
    """Calls that were degraded."""
    fault_misses: list[FaultMiss] = []
    """Parts of the plan that did not happen."""
    simulation: SimulatorHealth | None = None
    """Counts of the simulator's answers, and of those that cannot be right; null where no simulator was watched."""
    clock: str | None = None
    """Date and time inside the workplace, ISO 8601."""
    violations: list[Violation] = []
    """Calls that broke a rule of the policy."""
    context: ContextUse | None = None
    """Counts of what was dropped of the agent's conversation; null where everything was kept."""
    measures: JsonObject = {}
    """Measures of the suite beside the outcome; its page of the documentation names them."""
    tags: dict[str, Any] = {}
    """Tags to group samples by: category, domain, scenario, difficulty, language and others."""
    replayed: Count = 0
    """Requests answered from the request cache."""
    finished: str = ""
    """End of the sample on the host, ISO 8601 in UTC."""
    work: Place | None = None
    """Place of the trajectory; null where the sample did not get so far."""

    @property
    def key(self) -> Key:
        """Task, repeat and condition: the sample within its run."""
        return self.sample, self.repeat, self.condition

    @property
    def mode(self) -> str:
        """Mode of the condition: E0, E1, E2, E3."""
        return self.condition.partition("/")[0]

    @property
    def passed(self) -> bool | None:
        """Whether the sample passed; null where it is invalid."""
        return None if self.outcome is Outcome.INVALID else self.outcome is Outcome.PASS

    @property
    def invalid_reason(self) -> str | None:
        """Kind of the reason; null unless the sample is invalid."""
        return self.reason.partition(":")[0] if self.outcome is Outcome.INVALID else None

    @property
    def category(self) -> str | None:
        """Industry, or the kind of task."""
        return self.tag("category")

    @property
    def domain(self) -> str | None:
        """Field within the industry."""
        return self.tag("domain")

    @property
    def scenario(self) -> str | None:
        """Scenario that the task is a case of; intervals draw scenarios as a whole."""
        return self.tag("scenario")

    @property
    def difficulty(self) -> str | None:
        """Difficulty as the suite names it."""
        return self.tag("difficulty")

    @property
    def language(self) -> str | None:
        """Language of the task."""
        return self.tag("language")

    @property
    def requests(self) -> int:
        """Requests to models, of all roles."""
        return sum(usage.requests for usage in self.usage.values())

    @property
    def input_tokens(self) -> int:
        """Input tokens of all roles."""
        return sum(usage.input_tokens for usage in self.usage.values())

    @property
    def output_tokens(self) -> int:
        """Output tokens of all roles."""
        return sum(usage.output_tokens for usage in self.usage.values())

    @property
    def cached_tokens(self) -> int:
        """Input tokens that the endpoints had cached."""
        return sum(usage.cached_tokens for usage in self.usage.values())

    @property
    def faults_planned(self) -> int:
        """Fault events planned."""
        return len(self.fault_plan)

    @property
    def faults_met(self) -> int:
        """Calls that were degraded."""
        return len(self.fault_ledger)

    @property
    def simulator_answers(self) -> int | None:
        """Answers of the simulator that were checked; null where none was watched."""
        return None if self.simulation is None else self.simulation.observations

    @property
    def misshapen_answers(self) -> int | None:
        """Answers of the simulator that are not of the shape of their tool's example."""
        return None if self.simulation is None else self.simulation.misshapen

    @property
    def contradictions(self) -> int | None:
        """Answers of the simulator that contradict the state or an earlier answer."""
        return None if self.simulation is None else self.simulation.contradictions

    def tag(self, name: str) -> str | None:
        """A tag as text; see `tag_text`."""
        return tag_text(self.tags, name)


def tag_text(tags: Mapping[str, Any], name: str) -> str | None:
    """A tag as text, in JSON where it is none; None where there is none."""
    value = tags.get(name)
    return value if value is None or isinstance(value, str) else msgspec.json.encode(value).decode()


def projected(names: Collection[str]) -> type[SampleRecord]:
    """Type of records of which only these fields are read beside key, outcome and reason.

    The others are passed over, whatever the line holds, and have their defaults, or () and {} where these are lists
    and objects.
    """
    left_out: list[Any] = []
    for field in msgspec.structs.fields(SampleRecord):
        if field.required or field.name == "condition" or field.name in names:
            continue
        default = field.default
        if field.default_factory is not msgspec.NODEFAULT:
            default = () if field.default_factory is list else _NOTHING
        left_out.append((field.name, Any, msgspec.field(default=default, name=f"{field.name} left out")))
    made: Any = msgspec.defstruct("ProjectedRecord", left_out, bases=(SampleRecord,), kw_only=True, frozen=True)
    return cast(type[SampleRecord], made)


class SampleResult(msgspec.Struct, kw_only=True):
    """A suite's report of one sample; the engine adds usage, cost and time."""

    outcome: Outcome
    reason: str
    votes: list[Vote] = []
    checks: list[CheckResult] = []
    calls: int = 0
    turns: int = 0
    stop_reason: str | None = None
    answered_by: str | None = None
    fault_plan: list[FaultEvent] = []
    fault_ledger: list[DegradedCall] = []
    fault_misses: list[FaultMiss] = []
    simulation: SimulatorHealth | None = None
    clock: str | None = None
    violations: list[Violation] = []
    context: ContextUse | None = None
    measures: JsonObject = {}
    trajectory: JsonObject | None = None
    """The line of the run's work, without the sample's key."""


def usage_of(meter: Meter) -> dict[str, RoleUsage]:
    """The meter's usage in the form of the record."""
    return {
        str(role): RoleUsage(
            requests=u.requests,
            input_tokens=u.input_tokens,
            output_tokens=u.output_tokens,
            cached_tokens=u.cached_tokens,
            cost=dollars(meter.costs.get(role)),
            stored_tokens=u.stored_tokens,
            replayed=meter.replays.get(role, 0),
            replayed_cost=dollars(meter.spared.get(role, 0.0)),
        )
        for role, u in sorted(meter.usage.items())
    }


def dollars(cost: float | None) -> float | None:
    """A cost as it is stored: to the nano-dollar, free of the noise of summing."""
    return None if cost is None else round(float(cost), 9)


def total_tokens(usage: Mapping[str, RoleUsage]) -> int:
    """Input and output tokens of all roles."""
    return sum(u.input_tokens + u.output_tokens for u in usage.values())
