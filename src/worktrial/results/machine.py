"""Machine output: what commands print with `--json`, as types with a schema.

Each document is made of the very objects that the page is printed from, so that both say the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_type_hints

import msgspec

from worktrial.engine.record import RoleUsage
from worktrial.places import shown_place
from worktrial.results.comparison import Comparison
from worktrial.results.corrections import JudgeCorrection
from worktrial.results.document import FORMAT, MachineOutput
from worktrial.results.duties import DutyCounts
from worktrial.results.fault_metrics import FaultMetrics
from worktrial.results.figure import Ask
from worktrial.results.gate import Gate
from worktrial.results.observed import ObservedPair, ObservedRun
from worktrial.results.run_estimate import RunEstimate
from worktrial.results.summary import RunTally
from worktrial.results.tables.schema import field_docs
from worktrial.statistics import Agreement, Estimand, Figure, Interval, Prospect
from worktrial.workplaces import ContextUse
from worktrial.workplaces.watch import SimulatorHealth


class ShowOutput(MachineOutput, kw_only=True, frozen=True, tag="show"):
    """A stored run at a glance: `worktrial show RUN --json`."""

    run: str
    """The run's folder."""
    suite: str
    agent: str | None
    """Worker that the manifest names."""
    headline: str
    """Condition that stands for the run: E0 where it was tried, else its first."""
    figures: list[Figure]
    """Everything that is said with an interval, of each condition, and of each kind of work under the headline."""
    faults: Mapping[str, FaultMetrics]
    """Fate of planned faults by condition."""
    tries: tuple[int, int]
    """Fewest and most samples of a task in the headline condition."""
    missing: int
    """Samples that have not finished."""
    usage: Mapping[str, RoleUsage]
    """Totals by role."""
    cost: float | None
    """US dollars paid; null where a price is unknown."""
    takes: float | None
    """US dollars that the samples take, replayed requests at what they would have cost; null where not known."""
    replayed: str
    """Mark of `takes` where some samples were answered from the request cache; else ""."""
    stop_reasons: Mapping[str, int]
    invalid_reasons: Mapping[str, int]
    agreement: Agreement | None
    """Between the judge's votes."""
    simulation: SimulatorHealth | None
    """Checks of the simulator's answers."""
    context: ContextUse | None
    """Counts of what was dropped of the agent's conversations; null where everything was kept."""
    duties: DutyCounts | None
    """Counts of how the agent kept to its duties beside the tasks; null where it had none."""
    corrections: list[JudgeCorrection]
    """The rate without the judge's errors, by each source of these that was named."""


def show_output(tally: RunTally, corrections: Sequence[JudgeCorrection] = ()) -> ShowOutput:
    """Document on a run added up, with the corrected rates that its page shows."""
    run, summary = tally.run, tally.summary()
    of = {field.name: getattr(summary, field.name) for field in fields(summary) if field.name != "figures"}
    # Of rates and R there are intervals for both questions.
    these = tally.figures(Ask(estimand=Estimand.THESE))
    return ShowOutput(
        run=shown_place(run.folder),
        suite=run.manifest.suite,
        agent=run.manifest.settings.get("agent"),
        headline=summary.figures.headline,
        figures=[*summary.figures.listed, *these.listed],
        corrections=list(corrections),
        **of,
    )


class CompareOutput(MachineOutput, kw_only=True, frozen=True, tag="compare"):
    """Two runs side by side: `worktrial compare A B --json`."""

    label: str
    """Line on what differs where runs that are not comparable were compared with `--force`; else ""."""
    names: tuple[str, str]
    """Names of the two, as the conclusion has them."""
    references: tuple[bool, bool]
    """Whether each is a reference agent, which needs no model."""
    level: float
    """A difference is significant below this p value."""
    margin: float
    """Shortfall of the second that does not matter, as a share."""
    comparison: Comparison


def compare_output(
    found: Comparison, names: tuple[str, str], references: tuple[bool, bool], *, level: float, margin: float
) -> CompareOutput:
    """Document on two runs, from the comparison that the page shows."""
    return CompareOutput(
        label=found.label,
        names=names,
        references=references,
        level=level,
        margin=margin,
        comparison=found,
    )


class GateOutput(MachineOutput, kw_only=True, frozen=True, tag="gate"):
    """A run held against limits: `worktrial gate RUN --json`."""

    passed: bool
    """Whether the run keeps to every limit."""
    label: str
    """Line on what differs where the baseline is not comparable and `--force` went on; else ""."""
    gate: Gate
    """Outcome."""


def gate_output(gate: Gate) -> GateOutput:
    """Document on a gate, from what its page shows."""
    return GateOutput(passed=gate.passed, label=gate.label, gate=gate)


class PowerRow(msgspec.Struct, kw_only=True, frozen=True):
    """Prospects of one way to try two agents."""

    same_tasks: bool
    """Whether both work on the same tasks; else each has as many of its own."""
    correlation: float | None
    """Correlation of their outcomes on a task."""
    better: Prospect | None
    """Prospect where the other agent is better; null where no difference is large enough."""
    worse: Prospect | None
    """Prospect where it is worse."""


class PowerOutput(MachineOutput, kw_only=True, frozen=True, tag="power"):
    """Size of a trial: `worktrial power --json`."""

    tasks: int | None
    effect: float | None
    """Difference that is asked about, as a share."""
    rate: float
    """Completion rate to expect."""
    repeats: int
    repeat_correlation: float | None
    cluster_effect: float
    """Tasks that are worth one independent task, as tasks of a scenario vary together."""
    level: float
    power: float
    half_width: float | None
    """Half of the interval of one rate with so many tasks."""
    tasks_for_half_width: int | None
    """Tasks whose interval of one rate reaches `effect` to either side."""
    smallest_effect: list[PowerRow] | None
    """Smallest difference that so many tasks show, for each way to try."""
    chance: list[PowerRow] | None
    """Chance of seeing `effect` with so many tasks."""
    tasks_needed: list[PowerRow] | None
    """Tasks that show `effect`."""
    runs: list[str]
    """Folders of the runs that the figures are from."""
    observed: ObservedRun | None
    """Observations in the one run, or in the first of two."""
    pair: ObservedPair | None
    """Observations in two runs."""
    notes: list[str]


OUTPUTS: tuple[type[MachineOutput], ...] = (ShowOutput, CompareOutput, GateOutput, PowerOutput, RunEstimate)


def json_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of all documents, told apart by `command`."""
    (found,), defined = msgspec.json.schema_components(
        [ShowOutput | CompareOutput | GateOutput | PowerOutput | RunEstimate], ref_template="#/$defs/{name}"
    )
    for kind in {kind for output in OUTPUTS for kind in _kinds(output)}:
        docs = {name: text for base in reversed(kind.__mro__) for name, text in _docs(base).items()}
        for name, shape in defined[kind.__name__].get("properties", {}).items():
            if name in docs:
                shape["description"] = docs[name]
    # What has no bound, such as the upper end of a ratio to nearly nothing, is null in JSON.
    ends = {"type": ["number", "null"]}
    defined[Interval.__name__]["prefixItems"] = [ends, ends]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Machine output of Worktrial",
        "description": f"What show, compare, gate, power and estimate print with --json; format {FORMAT}",
        **found,
        "$defs": defined,
    }


def _kinds(kind: Any) -> set[type]:
    """All dataclasses and structs that `kind` is made of, itself among them."""
    found: set[type] = set()
    waiting = [kind]
    while waiting:
        one = waiting.pop()
        waiting += get_args(one)
        if isinstance(one, type) and one not in found and _has_fields(one):
            found.add(one)
            waiting += get_type_hints(one).values()
    return found


def _has_fields(kind: type) -> bool:
    return is_dataclass(kind) or issubclass(kind, msgspec.Struct)


def _docs(kind: type) -> Mapping[str, str]:
    return field_docs(kind) if _has_fields(kind) and kind is not msgspec.Struct else {}
