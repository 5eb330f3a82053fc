"""The public records of a run folder. Every suite writes the same ones."""

from collections.abc import Mapping
from typing import Any

import msgspec

from worktrial.engine.spend import Meter
from worktrial.grading.verdict import Outcome
from worktrial.language import JsonObject

CLEAN = "E0"
"""The condition of a sample without faults."""

Key = tuple[str, int, str]
"""What identifies a sample within its run: task, repeat, condition."""


class RoleUsage(msgspec.Struct, frozen=True):
    """What one role consumed for one sample; tokens as reported by the endpoint."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = 0.0
    """US dollars; null where the model's price is unknown."""


class SampleRecord(msgspec.Struct, kw_only=True, frozen=True):
    """One line of `samples.jsonl`: a finished sample.

    A sample that was invalid and ran again has several lines; the last one counts.
    """

    suite: str
    sample: str
    """The task's id within the suite."""
    repeat: int
    """0-based."""
    condition: str = CLEAN
    """Under which faults it ran: a mode, with count and duration where the run has several (`E2/3x2`)."""
    outcome: Outcome
    reason: str
    """Why: the verdict's ground, or the typed reason of an invalid sample with its detail."""
    votes: list[JsonObject] = []
    """Judge votes in the order cast: `is_correct` (null: no vote), `feedback`, `attempts`, `raw`, `problem`,
    `reason` (the endpoint's trouble, when that is why there is no vote), `probability` (P(yes) of one statement,
    by the log-probability method)."""
    checks: list[JsonObject] = []
    """State checks: `check`, `passed`, `why`."""
    usage: dict[str, RoleUsage] = {}
    cost: float | None = None
    """US dollars; null where some model's price is unknown."""
    seconds: float = 0.0
    """Wall-clock time of the sample."""
    calls: int = 0
    """Tool calls made."""
    turns: int = 0
    """Assistant messages of the agent."""
    stop_reason: str | None = None
    fault_plan: list[JsonObject] = []
    """The events planned, whether the sample got so far or not: `event`, `mode` (E1 or E2), `kind`, `first`
    (0-based), `length`, `unit` (call or turn)."""
    fault_ledger: list[JsonObject] = []
    """One row for each degraded call: `event`, `call` (its index), `turn`, `tool`, `arguments`, `mode`, `kind`,
    `clean` and `degraded` (hashes of the observation; `clean` is null where the workplace was not asked),
    `fields` (JSON pointers of what was touched)."""
    fault_misses: list[JsonObject] = []
    """What of the plan did not happen: calls inside an event that were left as they were (`event`, `call`, `turn`,
    `tool`, `why`: refusal, error, nothing_to_degrade, not_an_object), and events never reached (`event`,
    `why`: not_reached)."""
    clock: str | None = None
    """The date and time inside the workplace, ISO 8601."""
    measures: JsonObject = {}
    """What the suite measured beside the outcome; each suite says what on its page of the documentation."""
    tags: dict[str, Any] = {}
    """What the sample can be grouped by: category, domain, scenario, difficulty, language."""
    replayed: int = 0
    """Requests answered from the request cache."""
    finished: str = ""
    """When the sample ended on the host, ISO 8601 in UTC."""

    @property
    def key(self) -> Key:
        """What identifies the sample within its run."""
        return self.sample, self.repeat, self.condition


class SampleResult(msgspec.Struct, kw_only=True):
    """What a suite reports of one sample; the engine adds usage, cost and time."""

    outcome: Outcome
    reason: str
    votes: list[JsonObject] = []
    checks: list[JsonObject] = []
    calls: int = 0
    turns: int = 0
    stop_reason: str | None = None
    fault_plan: list[JsonObject] = []
    fault_ledger: list[JsonObject] = []
    fault_misses: list[JsonObject] = []
    clock: str | None = None
    measures: JsonObject = {}
    trajectory: JsonObject | None = None
    """The line of `trajectories.jsonl`, without the sample's key."""


def usage_of(meter: Meter) -> dict[str, RoleUsage]:
    """The meter's usage in the form of the record."""
    return {
        str(role): RoleUsage(
            u.requests, u.input_tokens, u.output_tokens, u.cached_tokens, dollars(meter.costs.get(role))
        )
        for role, u in sorted(meter.usage.items())
    }


def dollars(cost: float | None) -> float | None:
    """A cost as it is stored: to the nano-dollar, free of the noise of summing."""
    return None if cost is None else round(float(cost), 9)


def total_tokens(usage: Mapping[str, RoleUsage]) -> int:
    """Input and output tokens of all roles."""
    return sum(u.input_tokens + u.output_tokens for u in usage.values())
