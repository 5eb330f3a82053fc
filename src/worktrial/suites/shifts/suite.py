"""The suite: which shifts there are, and how they are run, judged and shown."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import msgspec
from pydantic import BeforeValidator, Field

from worktrial.engine.roles import Role, RoleName, RoleSettings
from worktrial.errors import DataError, SettingError, option
from worktrial.grading import Outcome
from worktrial.language import JsonObject
from worktrial.options import (
    AgentOptions,
    CategoryOptions,
    ContextOptions,
    DutyOptions,
    EndpointOptions,
    FaultOptions,
    Flag,
    LimitOptions,
    Names,
    Options,
    OwnAgentOptions,
    PromptOptions,
    RunOptions,
)
from worktrial.suite import Baseline, Proof, ReferenceAgent, Suite, TaskRow
from worktrial.suites.reference import idle_agent
from worktrial.suites.shifts.cases import SCORE
from worktrial.trial.settings import models_of, work_fields

if TYPE_CHECKING:
    from rich.console import RenderableType

    from worktrial.agents.candidates import Candidate
    from worktrial.engine.record import SampleRecord
    from worktrial.engine.stored import StoredRun
    from worktrial.engine.trial import Trial
    from worktrial.reports.report import Report, Section
    from worktrial.statistics import Figure
    from worktrial.suites.shifts.desk import DeskFolder
    from worktrial.suites.shifts.trial import Shift
    from worktrial.workplaces.faults import Position
    from worktrial.workplaces.retracing import Retracing

FOLDER = Path(__file__).parent / "desks"
PACKAGE = "worktrial.suites.shifts.desks"
# A good clerk makes up to 250 calls in a full shift, and the clock ends every shift.
USUAL_TURNS = 400
MOST_VARIANTS = 1_000
CLOCK_PATTERN = r"^(calls|wall:[0-9]{1,4}(\.[0-9]{1,3})?)$"

_WHAT = "Which tasks"
_SPAN = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")


class ShiftChoice(Options):
    """Choice of shifts."""

    desks: Annotated[Path | None, Flag(_WHAT, metavar="DIR")] = None
    """Folder of desks of your own; see the page *Write a desk*. Default: the desks that come along."""
    desk: Annotated[Names, Flag(_WHAT, common=True, neutral=True, metavar="NAMES")] = Field(default_factory=list)
    """Desks to work at, comma-separated or repeated."""
    length: Annotated[Names, Flag(_WHAT, common=True, neutral=True, metavar="LENGTHS")] = Field(
        default_factory=list
    )
    """Lengths of shifts: short, half, full."""
    variant: Annotated[
        str,
        BeforeValidator(lambda value: str(value) if isinstance(value, int) else value),
        Flag(_WHAT, common=True, neutral=True, metavar="N"),
    ] = "0-4"
    """Variants of each shift, as 0-4 or 3,7: other names, records, arrivals, traps. 0-4 are the published set."""


class ShiftOptions(
    ShiftChoice,
    CategoryOptions,
    FaultOptions,
    RunOptions,
    LimitOptions,
    EndpointOptions,
    AgentOptions,
    ContextOptions,
    OwnAgentOptions,
    DutyOptions,
    PromptOptions,
):
    """Options of a run of shifts."""

    clock: Annotated[str, Field(pattern=CLOCK_PATTERN), Flag("Time", metavar="CLOCK")] = "calls"
    """Cost of time: calls (each takes its minutes, and thinking none), or wall:RATIO (the agent's own time costs,
    too: RATIO minutes of the shift for a minute on the wall)."""


class ShiftsSuite(Suite):
    """Working days at desks of several industries. Needs no simulator, no judge and no network."""

    name = "shifts"
    about = "working days at a desk: a clock, an inbox and people, judged by code"
    example = "--agent greedy -o runs/greedy"
    options: ClassVar[type[RunOptions]] = ShiftOptions
    data: ClassVar[type[Options]] = ShiftChoice
    roles = (Role.AGENT,)
    score: ClassVar = SCORE
    viewer: ClassVar = (Path(__file__).parent / "viewer" / "shifts.js",)
    reference_agents: ClassVar = {
        "plan": ReferenceAgent(
            "works by the oracle, which knows the whole day beforehand", Outcome.PASS, kind=Baseline.ORACLE
        ),
        "idle": idle_agent(must=Outcome.FAIL),
        "greedy": ReferenceAgent("does what it is asked in order of arrival, and looks nothing up"),
        "careful": ReferenceAgent("looks everything up, and works in order of arrival"),
        "stale": ReferenceAgent("works by the rules without circulars, contracts and exceptions; desks on the kit"),
        "spam": ReferenceAgent(
            "reads nothing: the best of those who acknowledge, approve or refuse all, guess, or repeat",
            must=Outcome.FAIL,
            kind=Baseline.RANDOM,
        ),
    }
    on_card: ClassVar = {
        "judge": "does not apply: code decides every point",
        "simulator": "does not apply: code plays desk and people",
        "held_out": "variants 0 to 4 are published; any other is drawn afresh (--variant 5-9)",
    }

    def desks(self, data: Any) -> "Mapping[str, DeskFolder]":
        """Desks that `data` chooses.

        Raises:
            SettingError: one is unknown.
            DataError: one cannot be read.
        """
        found = self._shipped if data.desks is None else _own(data.desks)
        # The ids of shifts say charge-nurse, where its folder is charge_nurse.
        named = [name if name in found else name.replace("-", "_") for name in data.desk]
        if unknown := [name for name in named if name not in found]:
            raise SettingError(f"{option('desk')}: there is no {unknown[0]}. There is: {', '.join(found)}")
        return {name: desk for name, desk in found.items() if not named or name in named}

    def shifts(self, data: Any) -> "list[Shift]":
        """Shifts that `data` chooses, desk by desk.

        Raises:
            SettingError: a desk, a length or a variant is unknown.
            DataError: a desk cannot be read.
        """
        from worktrial.suites.shifts.desk import LENGTHS
        from worktrial.suites.shifts.trial import Shift

        if unknown := [length for length in data.length if length not in LENGTHS]:
            raise SettingError(f"{option('length')}: {unknown[0]!r} is none of {', '.join(LENGTHS)}")
        variants = variants_in(data.variant)
        return [
            Shift(desk, length, variant)
            for desk in self.desks(data).values()
            for length in desk.lengths
            if not data.length or length in data.length
            for variant in variants
        ]

    @cached_property
    def _shipped(self) -> "Mapping[str, DeskFolder]":
        from worktrial.suites.shifts.desk import desks_in

        return desks_in(FOLDER, PACKAGE)

    def tasks(self, data: Any) -> Sequence[TaskRow]:
        """All shifts; see `Suite.tasks`."""
        return [TaskRow(s.id, s.length, s.category, s.desk.file.title) for s in self.shifts(data)]

    def models(self, options: Any, agent: "Candidate") -> Mapping[RoleName, RoleSettings]:
        """The agent's model, if it needs one; see `Suite.models`."""
        return models_of(options, {Role.AGENT: agent.spec if agent.needs_model else None})

    def trial(self, options: Any, agent: "Candidate", models: Mapping[RoleName, RoleSettings]) -> "Trial":
        """The shifts made ready to run; see `Suite.trial`."""
        from worktrial.suites.selection import select_by
        from worktrial.suites.shifts.trial import ShiftSettings, shift_trial

        settings = ShiftSettings(
            **work_fields(options, agent, models, turns=USUAL_TURNS),
            wall=None if options.clock == "calls" else float(options.clock.removeprefix("wall:")),
        )
        shifts = select_by(options, self.shifts(options), source="the suite shifts")
        data = self._data(shifts, options)
        return shift_trial(data, shifts, agent, settings, options=options.measured())

    def proof(self, given: Mapping[str, Any]) -> Proof:
        """Every shift that was chosen, over its variants; see `Suite.proof`."""
        from worktrial.suites.shifts.proof import as_proof, prove_all

        data = ShiftChoice.read(given, suite=f"the suite {self.name}")
        return as_proof(prove_all(self.desks(data), data.length, variants_in(data.variant)))

    def explained(self, given: Mapping[str, Any]) -> "Iterable[str]":
        """Every day that was chosen, for its author; see `Suite.explained`."""
        from worktrial.suites.shifts.explain import explained

        for number, shift in enumerate(self.shifts(ShiftChoice.read(given, suite=f"the suite {self.name}"))):
            if number:
                yield ""
            yield from explained(shift)

    def tables(self, run: "StoredRun", beside: Any) -> "Iterable[RenderableType]":
        """Points, harms and where points were lost; see `Suite.tables`."""
        from worktrial.suites.shifts.figures import run_tables

        return run_tables(run)

    def outcome_of(self, record: "SampleRecord") -> Outcome | None:
        """Outcome by the grade that cases and harms come to; see `Suite`."""
        from worktrial.suites.shifts.cases import CaseScore, Harm, Score

        if not record.measures:
            return None
        cases = msgspec.convert(record.measures["cases"], list[CaseScore])
        harms = msgspec.convert(record.measures["harms"], list[Harm])
        return Outcome.FAIL if Score(cases, harms).grade == "failed" else Outcome.PASS

    def figures(self, run: "StoredRun") -> "Sequence[Figure]":
        """Score, harms and timeliness, of the whole and of each desk and length; see `Suite.figures`."""
        from worktrial.suites.shifts.figures import run_figures

        return run_figures(run)

    def report_sections(self, report: "Report") -> "Iterable[Section]":
        """Section about working days: score, grade, harms, lost points; see `Suite.report_sections`."""
        from worktrial.suites.shifts.report import working_days

        section = working_days(report)
        return () if section is None else (section,)

    def _data(self, shifts: "Iterable[Shift]", data: Any) -> JsonObject:
        prints = {shift.desk.name: shift.desk.fingerprint for shift in shifts}
        whole = sha256("\n".join(f"{name} {prints[name]}" for name in sorted(prints)).encode()).hexdigest()
        return {"folder": "built in" if data.desks is None else str(data.desks), "fingerprint": whole}

    def grader(self, run: "StoredRun", data: Any, judging: Mapping[str, Any], models: Iterable[RoleName]) -> Any:
        """Judge stored final states again; see `Suite.grader`."""
        from worktrial.suites.regrade import ToolGrader
        from worktrial.suites.shifts.trial import Shift, grade, load

        ids = {record.tags.get("variant") for record in run.records}
        shifts = [
            Shift(desk, length, variant)
            for desk in self.desks(data).values()
            for length in desk.lengths
            for variant in sorted(v for v in ids if isinstance(v, int))
        ]
        return ToolGrader(self._data(shifts, data), shifts, load, grade)

    def retracing(self, run: "StoredRun") -> "Retracing | None":
        """Carry stored calls out again at the desks that come along; see `Suite.retracing`.

        Not where a person's words came from a model, or where thinking took time: calls alone do not lead through
        the same day again. Nor is code of somebody's own desk run because a page is looked at.
        """
        from worktrial.suites.shifts.trial import Shift, load, opened
        from worktrial.trial.trial import condition_on_record, under_faults
        from worktrial.workplaces.retracing import ReopenedSession, Retracing

        settings, data = run.manifest.settings, run.manifest.data
        if settings.get("wall") is not None:
            return None
        if data.get("folder") != "built in":
            return None

        def reopen(sample: str, condition: str, position: "Callable[[], Position]") -> ReopenedSession:
            found = re.fullmatch(r"(.+)-([a-z]+)-(\d{1,6})", sample)
            desk = found and self._shipped.get(found[1].replace("-", "_"))
            if not found or not desk or found[2] not in desk.lengths:
                raise DataError(sample, "is no shift of the desks that come along")
            place = opened(load(Shift(desk, found[2], int(found[3]))))
            faults = condition_on_record(run.manifest, condition)
            # The desk's own list of calls says nothing that they do not, and what is still to come is its secret.
            return ReopenedSession(
                under_faults(place, sample, faults, position), place.finish, aside=("/log", "/time/waiting")
            )

        return Retracing(reopen, is_cheap=False)


def variants_in(text: str) -> list[int]:
    """Numbers of variants in `0-4` or `1,3,7-9`, in order.

    Raises:
        SettingError: it is no such list, or names too many.
    """
    found: dict[int, None] = {}
    flag = option("variant")
    for part in text.split(","):
        span = _SPAN.fullmatch(part.strip())
        if span is None:
            raise SettingError(f"{flag} {text!r}: write a number, a range as 0-4, or several as 1,3,7-9")
        first = int(span[1])
        last = int(span[2]) if span[2] else first
        if last < first:
            raise SettingError(f"{flag} {text!r}: {part.strip()} ends before it begins")
        if last - first >= MOST_VARIANTS:
            raise SettingError(f"{flag} {text!r}: names more than {MOST_VARIANTS:,} variants")
        found |= dict.fromkeys(range(first, last + 1))
    return [*found]


def _own(folder: Path) -> "Mapping[str, DeskFolder]":
    from worktrial.suites.shifts.desk import desks_in

    return desks_in(folder)
