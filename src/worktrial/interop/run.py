"""A stored run as Python asks about it: figures, tables, SQL, a report, a gate."""

import datetime as dt
from collections.abc import Collection, Sequence
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from worktrial.engine.record import CLEAN, SampleRecord
from worktrial.engine.stored import StoredRun, open_run, trajectory
from worktrial.errors import SettingError, extra
from worktrial.grading import Outcome
from worktrial.language import JsonObject
from worktrial.language.untrusted import printable

if TYPE_CHECKING:  # the figures are imported with the first that is asked for
    import pyarrow
    from rich.text import Text

    from worktrial.results.corrections import JudgeCorrection
    from worktrial.results.figure import RunFigures
    from worktrial.results.gate import Gate
    from worktrial.statistics import CompletionRate, Figure, Interval

# More failures than this are for the report.
_SHOWN = 8
_LONGEST = 200


class Run:
    """A run on disk, finished or not.

    Its figures are those of one condition: E0 where the run has it, else its first. Conditions are never mixed into
    one rate. Tables and SQL need the extra `analysis`.

    Args:
        run: Run as stored.
        base: Folder that relative paths start at; None for the working directory.
    """

    def __init__(self, run: StoredRun, base: Path | None = None) -> None:
        self.run = run
        """Manifest and records as they are stored."""
        self._base = base or Path.cwd()

    @cached_property
    def _figures(self) -> "RunFigures":
        from worktrial.results.figure import figures_of

        return figures_of(self.run)

    @property
    def condition(self) -> str:
        """The condition that the figures are about."""
        return self._figures.headline

    @classmethod
    def at(cls, folder: Path, base: Path | None = None) -> "Run":
        """Run in `folder`.

        Args:
            folder: What `worktrial run -o` wrote.
            base: Folder that relative paths start at; None for the working directory.

        Raises:
            DataError: it holds no run.
        """
        return cls(open_run(folder), base)

    def table(self, name: str) -> "pyarrow.Table":
        """One of the tables that `worktrial sql --schema` lists, such as `samples` or `calls`, as Arrow.

        `.to_pandas()` makes a frame of it where pandas is installed.

        Raises:
            SettingError: there is no such table, or the extra `analysis` is not installed.
            DataError: the run is damaged.
        """
        with extra("analysis", "Tables of runs"):
            import pyarrow  # noqa: F401 - what the database hands out

            from worktrial.results.tables import database
        with database([self.folder], [name]) as connection:
            return connection.execute(f'SELECT * FROM "{name}"').to_arrow_table()

    def sql(self, query: str) -> "pyarrow.Table":
        """Answer to one SELECT over the run's tables, as Arrow.

        Args:
            query: SQL as DuckDB speaks it.

        Raises:
            SettingError: the query does not only read, or is wrong; or the extra `analysis` is not installed.
            DataError: the run is damaged.
        """
        with extra("analysis", "SQL on runs"):
            import pyarrow as pa

            from worktrial.results.tables import RunTables
        with RunTables([self.folder]) as tables:
            answer = tables.select(query)
            rows = [*answer.rows]
        columns = zip(*rows, strict=True) if rows else ([] for _ in answer.columns)
        return pa.table([pa.array(column) for column in columns], names=[*answer.columns])

    def trajectory(self, sample: str, repeat: int = 0, condition: str = CLEAN) -> JsonObject:
        """Trajectory of one sample: instruction, messages, calls with what came back, answer.

        Args:
            sample: Id of the task.
            repeat: Which repeat of it, from 0.
            condition: Under which faults.

        Raises:
            DataError: there is none; the message names what there is.
        """
        record = next((r for r in self.run.records if r.key == (sample, repeat, condition)), None)
        return trajectory(self.folder, sample, repeat, condition, record)

    def report(self, into: str | Path = "report", *, title: str = "Work trial", force: bool = False) -> Path:
        """Write a report about this run: a folder of static pages.

        Args:
            into: Folder for it; an older report there is replaced.
            title: Heading of the report.
            force: Replace a folder that is no report, too; what it holds is kept beside it, numbered.

        Returns:
            Page to open first.

        Raises:
            SettingError: the folder may not be replaced.
            DataError: a trajectory is damaged.
        """
        from worktrial.reports.report import open_report
        from worktrial.reports.site import write_site

        made = dt.datetime.now().astimezone()
        return write_site(open_report([self.folder], title), self._base / into, made=made, force=force).first_page

    def figures(self) -> "Sequence[Figure]":
        """Everything that is said of the run with an interval, by condition; see the page of figures."""
        return self._figures.listed

    def figure(self, name: str, *, condition: str | None = None, group: str = "") -> "Figure":
        """One figure; without a value, and with the reason, where the run does not have it.

        Args:
            name: Such as `completion`, `pass^3` or `cost_per_task`.
            condition: What it is about; None for the condition of all figures.
            group: Part of the samples, such as `category=Health`.
        """
        return self._figures.get(name, condition, group)

    @property
    def folder(self) -> Path:
        """Folder in which it is stored; `worktrial show`, `report` and `compare` take it."""
        return self.run.folder

    @property
    def rate(self) -> "CompletionRate":
        """Counts of passed, failed and invalid samples, and the rates that follow."""
        from worktrial.statistics import CompletionRate

        passed, invalid = self.figure("completion"), self.figure("invalid").hits or 0
        return CompletionRate(passed.hits or 0, passed.n - (passed.hits or 0) - invalid, invalid)

    @property
    def completion(self) -> float:
        """Share of passes among all samples, 0-1; an invalid one counts as not passed."""
        return self.figure("completion").value or 0.0

    @property
    def interval(self) -> "Interval | None":
        """Interval of `completion` at 95 %, as a statement on work like this; None without a sample."""
        return self.figure("completion").interval

    def corrected(
        self, *, judge_audit: str | Path | None = None, labels: str | Path | None = None
    ) -> "JudgeCorrection":
        """The completion of valid samples corrected for the judge's errors, beside the same as judged.

        Args:
            judge_audit: Folder of an audit of the run's judge (`worktrial audit judge`).
            labels: Table of people's verdicts on some samples drawn at random, with the columns sample and label,
                or the `labels.jsonl` beside the run.

        Raises:
            SettingError: neither or both are given.
            DataError: what is named cannot be read.
        """
        from worktrial.audits.corrected import corrected_by_audit, corrected_by_labels, labels_of, open_audit

        if (judge_audit is None) == (labels is None):
            raise SettingError("corrected: give judge_audit or labels, one of the two")
        if judge_audit is not None:
            return corrected_by_audit(self.run, open_audit(self._base / judge_audit))
        return corrected_by_labels(self.run, labels_of(self.run, self._base / str(labels)))

    @property
    def robustness(self) -> float:
        """R: what the worst kind of faults leaves of the rate without; of several settings the lowest.

        Raises:
            SettingError: not all of E0 to E3 were tried, or nothing passes without faults.
        """
        found = self._figures.named("robustness")
        if not found:
            raise SettingError('robustness: needs the conditions E0 to E3; run the trial with faults="all"')
        if unknown := [one.unknown for one in found if one.value is None]:
            raise SettingError(f"robustness has no value: {unknown[0]}")
        return min(one.value for one in found if one.value is not None)

    @property
    def cost_per_task(self) -> float | None:
        """US dollars, mean of the samples with a verdict; None where it is not known.

        Nobody sees the requests of an agent of one's own; a model may have no known price. Requests that the
        request cache answered count with what they would have cost.
        """
        return self.figure("cost_per_task").value

    @property
    def failures(self) -> Sequence[SampleRecord]:
        """Samples that did not pass, invalid ones too, of all conditions."""
        return [record for record in self.run.records if record.outcome is not Outcome.PASS]

    def gate(
        self,
        *,
        baseline: "str | Path | Run | None" = None,
        store: str | Path | None = None,
        condition: str | None = None,
        level: float = 0.05,
        sure: bool = False,
        cost_of: Literal["all", "agent"] = "all",
        force: bool = False,
        **limits: float,
    ) -> "Gate":
        """Hold the run against limits, as `worktrial gate` does. What cannot be judged fails.

        Args:
            baseline: What `max_regression` is about: a run, its folder, or the name under which it is pinned.
            store: Folder of pinned baselines; None for `runs/gates`.
            condition: Judge this fault condition.
            level: Of significance.
            sure: Chance has to be ruled out: the interval's end counts, not just the value.
            cost_of: Whose requests cost.
            force: Go on when the baseline is not comparable; the result's `label` says what differs.
            **limits: `min_completion`, `min_score`, `max_regression`, `min_robustness`, `max_cost_per_task`,
                `max_seconds`, `max_invalid`.

        Raises:
            AssertionError: the run does not keep to a limit; the message says how far it is from each.
            SettingError: the question makes no sense.
        """
        # Imported here, as in `pin`, because a run that is merely looked at is to be there soon.
        from worktrial.results.contradictions import refuse_contradictions
        from worktrial.results.gate import STORE, GateLimits, judge_gate

        __tracebackhide__ = True
        _check_limits(limits, GateLimits.__dataclass_fields__)
        place = self._base / (STORE if store is None else store)
        before = self._baseline(baseline, place)
        for folder in (self.folder, *([] if before is None else [before.folder])):
            refuse_contradictions(folder)
        found = judge_gate(
            self.run,
            GateLimits(**limits),
            baseline=before,
            condition=condition,
            level=level,
            sure=sure,
            cost_of_whom=cost_of,
        )
        if found.comparison is not None and not force:
            found.comparison.check_fair()
        if not found.passed:
            raise AssertionError("\n".join([f"worktrial gate failed: {self.line()}", *_criteria(found)]))
        return found

    def pin(self, name: str, *, store: str | Path | None = None, replace: bool = False) -> None:
        """Keep the run as a baseline that gates know by `name`, as `worktrial baseline set` does.

        Args:
            name: Name of the baseline.
            store: Folder of pinned baselines; None for `runs/gates`.
            replace: Whether a baseline of that name may be replaced.

        Raises:
            SettingError: the name is none, or is taken.
            DataError: the run is unfinished, or has no verdict.
        """
        from worktrial.results.gate import STORE, pin

        pin(name, self.run, store=self._base / (STORE if store is None else store), replace=replace)

    def _baseline(self, baseline: "str | Path | Run | None", store: Path) -> StoredRun | None:
        if baseline is None or isinstance(baseline, Run):
            return None if baseline is None else baseline.run
        from worktrial.results.gate import find_baseline

        return find_baseline(baseline, store, self._base)

    def line(self) -> str:
        """The run in one line: who, what, the completion rate with its interval, the folder."""
        from worktrial.results.writing import interval, percent

        done, invalid = self.figure("completion"), self.rate.invalid
        figures = f"{percent(self.completion)} ({done.hits or 0}/{done.n}"
        if done.interval is not None:
            figures += f", 95 % interval {interval(done)}"
        if invalid:
            figures += f", {invalid} invalid"
        under = "" if self.condition == CLEAN else f" under {self.condition}"
        who = f"{self.run.manifest.suite} · agent {self.run.manifest.settings.get('agent', '?')}"
        return _short(f"{who}{under}: {figures}) · {self._shown_folder}")

    def lines(self) -> list[str]:
        """The run and its first failures with their reasons."""
        failures = self.failures
        lines = [self.line()]
        for record in failures[:_SHOWN]:
            name = record.sample + (f"/{record.repeat}" if record.repeat else "")
            under = "" if record.condition == CLEAN else f" under {record.condition}"
            lines.append("  " + _short(f"{record.outcome.value} {name}{under}: {record.reason}"))
        if len(failures) > _SHOWN:
            lines.append(f"  … and {len(failures) - _SHOWN} more")
        return lines

    @property
    def _shown_folder(self) -> str:
        if self.folder.is_relative_to(self._base):
            return str(self.folder.relative_to(self._base))
        return str(self.folder)

    def _repr_html_(self) -> str:
        """Table for notebooks; all of it is escaped."""
        from worktrial.results.writing import NONE, interval, percent

        rate = self.rate
        rows = {
            "suite": self.run.manifest.suite,
            "agent": self.run.manifest.settings.get("agent", "?"),
            "condition": self.condition,
            "completion rate": percent(self.completion),
            "95 % interval": interval(self.figure("completion")) or NONE,
            "samples": f"{rate.passed} passed, {rate.failed} failed, {rate.invalid} invalid",
            "folder": self._shown_folder,
        }
        cells = "".join(f"<tr><th>{escape(k)}</th><td>{escape(_short(str(v)))}</td></tr>" for k, v in rows.items())
        return f"<table>{cells}</table>"

    def __str__(self) -> str:
        return self.line()

    def __rich__(self) -> "Text":
        from rich.text import Text

        return Text(self.line())

    def __repr__(self) -> str:
        return f"<{self.line()}>"


def _check_limits(limits: dict[str, Any], known: Collection[str]) -> None:
    if unknown := [name for name in limits if name not in known]:
        raise SettingError(f"gate: there is no limit {', '.join(unknown)}. There is: {', '.join(known)}")


def _criteria(gate: "Gate") -> list[str]:
    return [
        f"  {'passed' if c.passed else 'FAILED'}  {c.name}={c.limit:g}: {printable(c.reason)}"
        for c in gate.criteria
    ]


def _short(text: str) -> str:
    shown = " ".join(printable(text).split())
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"
