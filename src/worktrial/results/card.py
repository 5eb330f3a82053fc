"""The trust card of a suite: what careful readers hold against benchmarks, each point with its figures.

A point that no figure answers says what would measure it; what only the suite knows it says in `Suite.on_card`.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import msgspec

from worktrial.agents.candidates import is_person
from worktrial.engine.manifest import Manifest
from worktrial.engine.record import CLEAN, Key, SampleRecord
from worktrial.engine.records import trajectory_lines
from worktrial.engine.stored import StoredRun, agent_of
from worktrial.finding import Findings
from worktrial.grading import Outcome
from worktrial.language import JsonObject, JsonValue
from worktrial.results.completion import share
from worktrial.results.document import MachineOutput
from worktrial.results.duties import duty_counts
from worktrial.results.figure import figures_of
from worktrial.results.raters import votes_agree, with_people
from worktrial.results.writing import Content, ShownTable
from worktrial.statistics import Figure, Rate, Unit, smallest_shift
from worktrial.statistics.rates import interval_of, normal_quantile
from worktrial.suite import Baseline, Suite, is_audit


@dataclass(frozen=True)
class CardEvidence:
    """Everything known of a suite: its stored runs, audits, and what was found in its tasks."""

    suite: Suite
    runs: Sequence[StoredRun]
    """Runs of the suite."""
    audits: Sequence[StoredRun] = ()
    """Audits of simulators and judges."""
    found: Sequence[Figure] = ()
    """Findings of gates, proof and lint in the tasks; see `found_share` and `found_count`."""
    tasks: int = 0
    """Tasks of the suite; 0 where only runs are known."""
    word: str = ""
    """Word that one writes for the suite; "" for its name."""
    why_not_run: str = ""
    """Reason for which no reference agent was run; "" where they were."""

    def by(self, *kinds: Baseline) -> list[StoredRun]:
        """Runs of reference agents of these kinds."""
        return [run for run in self.runs if self._kind(run) in kinds]

    @cached_property
    def candidates(self) -> list[StoredRun]:
        """Runs of agents that did not come with the suite."""
        return [run for run in self.runs if self._kind(run) is None]

    def _kind(self, run: StoredRun) -> Baseline | None:
        agent = self.suite.reference_agents.get(agent_of(run.manifest) or "")
        return None if agent is None else agent.kind

    def audited(self, *names: str, group: str = "") -> Iterator[Figure]:
        """Figures of the audits, each under the name of its audit."""
        for run in self.audits:
            for one in figures_of(run).listed:
                if one.name in names and one.group == group and one.value is not None:
                    yield replace(one, group=f"audit={run.folder.name}", condition="")


@dataclass(frozen=True, slots=True)
class CardPoint:
    """One thing to ask of a benchmark."""

    name: str
    asks: str
    answers: Callable[[CardEvidence], Iterable[Figure]]
    measure: str
    """Way to measure it; `SUITE` stands for the suite."""


class CardLine(msgspec.Struct, kw_only=True, frozen=True):
    """A point and what is known about it."""

    name: str
    asks: str
    figures: list[Figure]
    """Figures that answer it; empty where it was not measured."""
    said: str
    """Words of the suite about it, or what would measure it; "" where figures say all."""


class Card(MachineOutput, kw_only=True, frozen=True, tag="validate --card"):
    """All points of a suite: `worktrial validate SUITE --card --json`."""

    suite: str
    lines: list[CardLine]

    @property
    def measured(self) -> int:
        """Points that a figure answers."""
        return sum(any(one.value is not None for one in line.figures) for line in self.lines)

    def table(self) -> ShownTable:
        """The card as a table, a row for each figure."""
        rows: list[list[Content]] = []
        for number, line in enumerate(self.lines, 1):
            asks = f"{number}. {line.asks}"
            for one in line.figures:
                rows.append([asks, _about(one), one, one.n or None])
                asks = ""
            if line.said:
                rows.append([asks, line.said, None, None])
        footer = f"{self.measured} of {len(self.lines)} points are answered by a figure; intervals at 95 %"
        return ShownTable(f"trust card: {self.suite}", ("point", "figure", "value", "n"), rows, footer)


NOT_MEASURED = "not measured"
"""Beginning of a sentence that holds as long as no figure answers a point."""


def _about(figure: Figure) -> str:
    words = f"{figure.name.replace('_', ' ')} {figure.group.partition('=')[2]}".strip()
    return f"{words} ({figure.note})" if figure.note else words


def card_of(evidence: CardEvidence) -> Card:
    """The card of a suite."""
    lines = []
    for point in POINTS:
        figures = [*point.answers(evidence)]
        said = evidence.suite.on_card.get(point.name, "")
        if figures and said.startswith(NOT_MEASURED):
            said = ""
        elif not figures and not said:
            why = f"{evidence.why_not_run}; " if point.name in _OF_REFERENCES and evidence.why_not_run else ""
            said = f"{NOT_MEASURED}: {why}{point.measure.replace('SUITE', evidence.word or evidence.suite.name)}"
        lines.append(CardLine(name=point.name, asks=point.asks, figures=figures, said=said))
    return Card(suite=evidence.suite.title, lines=lines)


def cards_of(runs: Sequence[StoredRun], suites: Iterable[Suite]) -> list[Card]:
    """The cards of suites, from stored runs alone.

    Args:
        runs: Runs of any suite, and audits.
        suites: Suites of these runs.
    """
    audits = [run for run in runs if is_audit(run.manifest)]
    of = {suite.name: [run for run in runs if run.manifest.suite == suite.name] for suite in suites}
    return [
        card_of(CardEvidence(suite, own, audits, word=_word(own[0].manifest)))
        for suite in suites
        if (own := of[suite.name]) and not is_audit(own[0].manifest)
    ]


def _word(manifest: Manifest) -> str:
    return str(manifest.data.get("folder", "")) if manifest.is_own else ""


def found_share(check: str, found: int, looked_at: int, tasks: int, about: str) -> Figure:
    """Share of what a check looked at in which it found something.

    Args:
        check: Name of the check.
        found: Things in which something was found.
        looked_at: Things that were looked at, such as ways of breaking the work of a task.
        tasks: Tasks that they are of: things of one task hang together, so the interval is that of so many.
        about: Half a sentence on what is found.
    """
    group = f"check={check}"
    if not looked_at:
        return Figure(name=_FOUND, value=None, group=group, unknown="nothing to look at", note=about)
    value, clusters = found / looked_at, min(looked_at, tasks)
    low, high = interval_of(value, clusters, 0.95, normal_quantile(0.95))
    return Figure(
        name=_FOUND,
        value=value,
        low=low,
        high=high,
        n=looked_at,
        clusters=clusters,
        hits=found,
        group=group,
        note=about,
    )


def found_count(check: str, findings: Findings) -> Figure:
    """Number of things in which a check of a lint or a proof found something."""
    found = findings.count(check)
    looked_at = ", ".join(f"{n} {noun}" for noun, n in findings.looked_at.items())
    about = findings.about.get(check, "")
    note = "; ".join(filter(None, (about, f"looked at: {looked_at}" if looked_at else "")))
    return Figure(name=_FOUND, value=float(found), hits=found, unit=Unit.COUNT, group=f"check={check}", note=note)


_FOUND = "findings"


def _named(run: StoredRun, *names: str) -> Iterator[Figure]:
    """Figures of a run by name, under the name of its agent."""
    for name in names:
        one = figures_of(run).get(name)
        if one.value is not None:
            yield replace(one, group=f"agent={agent_of(run.manifest)}", condition="")


def _scores(*kinds: Baseline) -> Callable[[CardEvidence], Iterator[Figure]]:
    """Completion of reference agents, and the scores that the suite reads beside it."""

    def answers(known: CardEvidence) -> Iterator[Figure]:
        names = {"score", *known.suite.card_scores}
        for run in known.by(*kinds):
            yield from _named(run, "completion")
            own = (one for one in figures_of(run).listed if one.name in names and "=" not in one.group)
            for one in own:
                group = f"agent={agent_of(run.manifest)} {one.group}".rstrip()
                yield replace(one, group=group, condition="")

    return answers


def _found(*checks: str) -> Callable[[CardEvidence], Iterator[Figure]]:
    wanted = {f"check={check}" for check in checks}
    return lambda known: (one for one in known.found if one.group in wanted and one.value is not None)


def _claims(known: CardEvidence) -> Iterator[Figure]:
    yield from _found("words-alone", "plan-minus-write", "needless-write", "pass")(known)
    for work in ("idle_gold", "last_write_missing"):
        yield from (replace(one, name=f"{work} failed") for one in known.audited("accuracy", group=f"work={work}"))


def _judge(known: CardEvidence) -> Iterator[Figure]:
    yield from known.audited("accuracy", "kappa", "votes_agree")
    planted = known.audited("accuracy", group="work=planted_verdict")
    yield from (replace(one, name="planted_verdict failed") for one in planted)
    for run in known.candidates:
        if any("judge" in role for role in run.manifest.roles):
            agreed = [votes_agree(run), with_people(run)]
            yield from (replace(one, group=f"run={run.folder.name}") for one in agreed if one.value is not None)


def _simulator(known: CardEvidence) -> Iterator[Figure]:
    yield from known.audited("exact", "fields_equal", group="calls=all")
    for run in known.runs:
        health = [record.simulation for record in run.records if record.simulation is not None]
        answers = sum(one.observations for one in health)
        for name in ("misshapen", "contradictions") if answers else ():
            rate = Rate(sum(getattr(one, name) for one in health), answers)
            group = f"run={run.folder.name}"
            low, high = rate.interval()
            yield Figure(name=f"answers_{name}", value=rate.share, low=low, high=high, n=answers, group=group)


_VARIES = ("seconds", "times", "repeat")


def _lasting(value: JsonValue) -> JsonValue:
    """A line of work without what differs from one stay to the next by right."""
    if isinstance(value, dict):
        return {name: _lasting(part) for name, part in value.items() if name not in _VARIES}
    return [_lasting(part) for part in value] if isinstance(value, list) else value


def _fresh(known: CardEvidence) -> Iterator[Figure]:
    """Tasks whose later stays are the first one word by word, with an agent that does the same each time."""
    for run in known.by(Baseline.ORACLE, Baseline.SIMPLE):
        if not any(record.repeat for record in run.records):
            continue
        stays: dict[Key, set[bytes]] = {}
        for line in trajectory_lines(run.folder, JsonObject):
            stay = msgspec.json.encode(_lasting(line), order="deterministic")
            stays.setdefault((line["sample"], 0, line.get("condition", CLEAN)), set()).add(stay)
        alike = {key for key, different in stays.items() if len(different) == 1}
        first = [record for record in run.records if not record.repeat]
        found = share(first, partial(_is_in, alike))
        yield Figure.of("stays_alike", found, group=f"agent={agent_of(run.manifest)}")


def _is_in(keys: Container[Key], record: SampleRecord) -> float:
    return float(record.key in keys)


_DECLARED: Mapping[str, Callable[[Manifest], bool]] = {
    "limits": lambda manifest: "limits" in manifest.settings,
    "data": lambda manifest: bool(manifest.data.get("fingerprint")),
    "versions": lambda manifest: bool(manifest.sessions and manifest.sessions[0].versions),
}


def _declared(known: CardEvidence) -> Iterator[Figure]:
    lacks = {name: sum(not has(run.manifest) for run in known.runs) for name, has in _DECLARED.items()}
    if n := len(known.runs) * len(lacks):
        missing = ", ".join(name for name, runs in lacks.items() if runs)
        note = f"without {missing}" if missing else "limits, fingerprint of the data, versions"
        hits = n - sum(lacks.values())
        yield Figure(name="on_record", value=hits / n, n=len(known.runs), note=note)


def _invalid(known: CardEvidence) -> Iterator[Figure]:
    runs = known.candidates or known.by(Baseline.ORACLE) or known.runs
    return (one for run in runs for one in _named(run, "invalid"))


def _repeats(known: CardEvidence) -> Iterator[Figure]:
    for run in known.candidates:
        if (every := figures_of(run).get("pass^k")).value is not None:
            yield from _named(run, "completion")
            yield replace(every, group=f"agent={agent_of(run.manifest)}", condition="")


def _resolution(known: CardEvidence) -> Iterator[Figure]:
    tasks = known.tasks or max((len({record.sample for record in run.records}) for run in known.runs), default=0)
    shift = smallest_shift(tasks, 0.5) if tasks else None
    name, note = "smallest_difference", "seen with a chance of 80 %, two agents on the same tasks, one passes half"
    if shift is not None:
        yield Figure(name=name, value=abs(shift), n=tasks, note=note)
    elif tasks:
        yield Figure(name=name, value=None, n=tasks, unknown="too few tasks to tell two agents apart")


def _cost(known: CardEvidence) -> Iterator[Figure]:
    for run in known.candidates:
        yield from _named(run, "completion", "score", "cost_per_task")
    yield from _scores(Baseline.SIMPLE)(known)


def _faults(known: CardEvidence) -> Iterator[Figure]:
    return (one for run in known.runs for one in _named(run, "robustness", "worst_case"))


def _harm(known: CardEvidence) -> Iterator[Figure]:
    for run in known.runs:
        yield from _named(run, "grave_harm")
        duties = duty_counts(run)
        if duties is not None and duties.policy is not None and duties.samples:
            rate, group = Rate(duties.broken_in, duties.samples), f"agent={agent_of(run.manifest)}"
            low, high = rate.interval()
            yield Figure(name="policy_broken", value=rate.share, low=low, high=high, n=rate.n, group=group)


def _shortcuts(known: CardEvidence) -> Iterator[Figure]:
    """Passes without a call, of tasks for which the oracle, or else a simple agent that passes, makes some."""
    yardstick = known.by(Baseline.ORACLE) or known.by(Baseline.SIMPLE)
    worked = (record for run in yardstick for record in run.records if record.outcome is Outcome.PASS)
    needed = {record.sample for record in worked if record.calls}
    passes = [
        record
        for run in known.runs
        if run not in yardstick
        for record in run.records
        if record.outcome is Outcome.PASS and record.sample in needed
    ]

    def cut(record: SampleRecord) -> float:
        return float(not record.calls)

    if passes:
        yield Figure.of("passed_without_a_call", share(passes, cut), hits=int(sum(map(cut, passes))))


def _people(known: CardEvidence) -> Iterator[Figure]:
    people = (run for run in known.candidates if is_person(agent_of(run.manifest) or ""))
    return (one for run in people for one in _named(run, "completion"))


def _flaws(known: CardEvidence) -> Iterator[Figure]:
    """Checks of the tasks that found something, and how many found nothing."""
    hit = [one for one in known.found if one.hits]
    if known.found:
        clean = len(known.found) - len(hit)
        yield Figure(name="checks_without_a_finding", value=float(clean), n=len(known.found), unit=Unit.COUNT)
    yield from hit


_RUN = "worktrial run SUITE --agent"
_AGAIN = "then --from RUN"
_OF_REFERENCES = frozenset({"oracle", "idle", "random", "fresh"})
POINTS: tuple[CardPoint, ...] = (
    CardPoint(
        "oracle",
        "Does an agent that knows the solution pass every task?",
        _scores(Baseline.ORACLE),
        f"an agent that is given each task's solution; {_AGAIN}",
    ),
    CardPoint("idle", "What does doing nothing score?", _scores(Baseline.IDLE), f"{_RUN} idle …; {_AGAIN}"),
    CardPoint(
        "random",
        "What does calling tools without understanding score?",
        _scores(Baseline.RANDOM),
        f"{_RUN} spam …; {_AGAIN}",
    ),
    CardPoint(
        "state",
        "Is what was done graded, not what is claimed?",
        _claims,
        "worktrial audit judge, whose broken work claims to be right; then --from AUDIT",
    ),
    CardPoint(
        "ends",
        "Must all else stay as it was, and does every right end pass?",
        _found("stray-write", "one-act-too-many", "order-free", "other-wording"),
        "gates of executable workplaces (worktrial validate), or people's labels of passes and fails",
    ),
    CardPoint(
        "truth",
        "Is the truth out of the agent's reach?",
        _found("solution-told", "rubric-told", "workplace-tells", "nobody-can-know"),
        "gates of executable workplaces (worktrial validate)",
    ),
    CardPoint(
        "judge",
        "Is the judge right, consistent, agreed with by people, and not to be talked round?",
        _judge,
        "worktrial audit judge; labels in worktrial view; then --from AUDIT --from RUN",
    ),
    CardPoint(
        "simulator",
        "Does the simulated workplace behave like the real one?",
        _simulator,
        "worktrial audit simulator; then --from AUDIT",
    ),
    CardPoint(
        "fresh",
        "Is nothing left over from the run before?",
        _fresh,
        f"a reference agent with --repeats 2, whose stays must be alike; {_AGAIN}",
    ),
    CardPoint("declared", "Are limits, data and versions on record?", _declared, f"any run; {_AGAIN}"),
    CardPoint("invalid", "What share of the samples has no verdict?", _invalid, f"any run; {_AGAIN}"),
    CardPoint(
        "repeats",
        "Does a task that passes once pass every time?",
        _repeats,
        f"{_RUN} MODEL --repeats 4; {_AGAIN}",
    ),
    CardPoint("resolution", "How small a difference of two agents can show?", _resolution, "the tasks, or a run"),
    CardPoint(
        "cost",
        "What does it cost, beside simple baselines?",
        _cost,
        f"{_RUN} MODEL, and a simple agent; {_AGAIN}",
    ),
    CardPoint("held_out", "What is held out from builders of agents?", lambda known: (), "tasks kept to oneself"),
    CardPoint(
        "faults",
        "How much is left under faults and other wordings?",
        _faults,
        f"{_RUN} MODEL --faults all; {_AGAIN}",
    ),
    CardPoint(
        "harm",
        "Is harm told apart from failure?",
        _harm,
        f"{_RUN} MODEL --policy FILE counts violations; {_AGAIN}",
    ),
    CardPoint(
        "shortcuts",
        "Were transcripts scanned for shortcuts?",
        _shortcuts,
        f"an agent that passes, beside the reference agents; {_AGAIN}",
    ),
    CardPoint("people", "How well do people do?", _people, f"{_RUN} human:NAME; {_AGAIN}"),
    CardPoint(
        "flaws", "Which flaws of the tasks are known?", _flaws, "worktrial lint or gates, which this suite lacks"
    ),
)
"""The points, in the order of the card."""
