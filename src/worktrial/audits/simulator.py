"""The audit of a simulator: recorded calls, answered by a model and by the truth."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

import msgspec

from worktrial.audits.fidelity import UNUSABLE, Field, FieldStatus, TrueCall, state_fidelity, true_call
from worktrial.audits.observations import examine
from worktrial.audits.sequences import PlayedSequence
from worktrial.engine.record import SampleResult
from worktrial.engine.roles import Role
from worktrial.engine.trial import Job, SampleContext
from worktrial.errors import InvalidSample
from worktrial.grading import Outcome
from worktrial.language import JsonObject, JsonValue, Usage
from worktrial.workplaces import LanguageSimulator, Observation, Origin, Session, ToolCall
from worktrial.workplaces.seen import ObservationCheck, SeenCall
from worktrial.workplaces.simulator import SIMULATOR_VERSION

SUITE = "audit-simulator"
_DIFFERENCES = 20


class StateRow(msgspec.Struct, kw_only=True, frozen=True):
    """The simulator's state beside the true one, after a call; see `StateFidelity`."""

    differing: int
    changed: int
    kept: int


class AuditedCall(msgspec.Struct, kw_only=True, frozen=True):
    """One audited call, as stored."""

    call: int
    tool: str
    kind: str
    """`read`, `computed`, `write` or `error`."""
    origin: str
    """`ledger` where the ledger repeated an answer without asking the model; "" for an unusable reply."""
    equal: int
    wrong: int
    missing: int
    extra: int
    free: int
    """Texts that nobody could know word for word: they are there, and count for neither side."""
    differences: list[JsonObject]
    """The first fields that differ: `at`, `status`, `truth`, `simulated`."""
    failures: list[str]
    """Kinds of failure, by comparison with the truth."""
    findings: list[JsonObject]
    """Conformance: `check`, `passed`, `evidence`."""
    state: StateRow | None = None
    """Null where the state lives in the model's conversation."""
    seconds: float = 0.0
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    unusable: str | None = None
    """Why the reply could not be used at all."""

    @property
    def exact(self) -> bool:
        """Whether nothing is wrong, missing or extra."""
        return not (self.wrong or self.missing or self.extra)


@dataclass(frozen=True, kw_only=True)
class AuditSettings:
    """Settings that can change a result."""

    memory: str = "history"
    simulator_prompt: str = "full"
    calls: int | None = None
    """Most calls of each sequence; None for all."""
    simulator_version: int = SIMULATOR_VERSION
    """Number of the prompts that simulators are given."""


class SimulatorAudit:
    """Plays every sequence once; it passes when every answer is exact. A `worktrial.engine.trial.Trial`."""

    suite = SUITE

    def __init__(
        self,
        sequences: Sequence[PlayedSequence],
        settings: AuditSettings,
        *,
        data: JsonObject,
        source: str = "",
    ) -> None:
        """Set up the audit.

        Args:
            sequences: What to play.
            settings: How.
            data: `folder` and `fingerprint` of the suite that the sequences are from.
            source: Fingerprint of the stored runs that they are from, "" for none.
        """
        self._sequences = {sequence.id: sequence for sequence in sequences}
        self._settings = settings
        self.jobs = [Job(sequence.id, 0, sequence.setting.tags) for sequence in sequences]
        self.data: JsonObject = {**data, "fingerprint": f"{data['fingerprint']}{source and f'+{source}'}"}
        self.settings: JsonObject = {
            "agent": "recorded calls",
            "sequences": list(self._sequences),
            **asdict(settings),
        }

    async def run(self, job: Job, context: SampleContext) -> SampleResult:
        """Play one sequence."""
        sequence = self._sequences[job.sample]
        setting = sequence.setting
        workplace, initial_state = setting.workplace, setting.workplace.initial_state
        simulated = LanguageSimulator(
            workplace,
            context.model(Role.SIMULATOR),
            memory=self._settings.memory,
            prompt=self._settings.simulator_prompt,
            clock=setting.clock,
            task=setting.instruction if self._settings.simulator_prompt == "compact" else None,
        ).open()
        played: list[_Played] = []
        calls = (await sequence.calls())[: self._settings.calls]
        async with sequence.truth() as truth:
            for number, call in enumerate(calls):
                true = await true_call(truth, *call)
                played.append(await _play(sequence, number, true, initial_state, simulated, context))
        findings = examine(workplace, [one.seen for one in played], task=setting.instruction)
        rows = [_with_findings(one, findings) for one in played]
        exact = sum(row.exact for row in rows)
        return SampleResult(
            outcome=Outcome.PASS if exact == len(rows) else Outcome.FAIL,
            reason=f"{exact} of {len(rows)} answers exact",
            calls=len(rows),
            clock=setting.clock,
            trajectory={
                "instruction": setting.instruction,
                "clock": setting.clock,
                "answer": "",
                "stop_reason": None,
                "messages": [],
                "calls": [one.call for one in played],
                "final_state": simulated.state,
                "audit": rows,
            },
        )


@dataclass(frozen=True, slots=True)
class _Played:
    call: ToolCall
    seen: SeenCall
    row: AuditedCall


async def _play(
    sequence: PlayedSequence,
    number: int,
    true: TrueCall,
    initial: JsonObject,
    session: Session,
    context: SampleContext,
) -> _Played:
    tool, arguments = true.tool.name, true.arguments
    before_usage = context.meter.usage.get(Role.SIMULATOR, Usage())
    before_state = session.state
    unusable: str | None = None
    content: JsonValue = None
    began = time.perf_counter()
    try:
        observation = await session.call(tool, arguments)
        content = observation.content
    except InvalidSample as e:
        if e.reason not in UNUSABLE:
            raise
        unusable = str(e)
        # What a reader of the trajectory sees in the place of an answer.
        observation = Observation({"unusable": unusable}, Origin.SIMULATOR)
    seconds = round(time.perf_counter() - began, 4)
    used = context.meter.usage.get(Role.SIMULATOR, Usage())
    fields = sequence.compare(true, content)
    off = [f for f in fields if f.status not in (FieldStatus.EQUAL, FieldStatus.FREE)]
    counts = {status: sum(f.status is status for f in fields) for status in FieldStatus}
    row = AuditedCall(
        call=number,
        tool=tool,
        kind=true.kind,
        origin="" if unusable else observation.origin,
        **{status.value: n for status, n in counts.items()},
        differences=[_difference(f) for f in off[:_DIFFERENCES]],
        failures=sorted(true.failures(content, fields)),
        findings=[],
        state=None
        if session.state is None
        else StateRow(**asdict(state_fidelity(initial, true.after, session.state))),
        seconds=seconds,
        requests=used.requests - before_usage.requests,
        input_tokens=used.input_tokens - before_usage.input_tokens,
        output_tokens=used.output_tokens - before_usage.output_tokens,
        unusable=unusable,
    )
    seen = SeenCall(number, tool, arguments, content, observation.origin, before_state, session.state)
    return _Played(ToolCall(number, number, tool, arguments, observation, seconds), seen, row)


def _with_findings(played: _Played, findings: Iterable[ObservationCheck]) -> AuditedCall:
    own = [f for f in findings if f.call == played.seen.index]
    return msgspec.structs.replace(
        played.row,
        findings=[{"check": f.check, "passed": f.passed, "evidence": list(f.evidence)} for f in own],
    )


def _difference(field: Field) -> JsonObject:
    return {"at": field.at, "status": field.status, "truth": field.truth, "simulated": field.simulated}
