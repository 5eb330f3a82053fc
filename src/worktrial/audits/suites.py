"""Audits as suites, so that their stored runs are shown and reported, and the suite that they measure by."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from worktrial.audits.figures import FigureTable, tables_of
from worktrial.audits.judge_figures import TABLES as JUDGE_TABLES
from worktrial.audits.judge_figures import judge_figures
from worktrial.audits.simulator_figures import TABLES as SIMULATOR_TABLES
from worktrial.audits.simulator_figures import simulator_figures
from worktrial.engine.record import CLEAN
from worktrial.engine.roles import Role, RoleName, RoleSettings
from worktrial.errors import SettingError, option
from worktrial.options import Options, RunOptions
from worktrial.results.figure import figures_of
from worktrial.suite import Suite, TaskRow, find_suite, suites
from worktrial.suites.executable import ExecutableSuite

if TYPE_CHECKING:
    from markupsafe import Markup
    from rich.console import RenderableType
    from rich.table import Table as RichTable

    from worktrial.agents.candidates import Candidate
    from worktrial.engine.stored import StoredRun
    from worktrial.engine.trial import Trial
    from worktrial.reports.report import Report, Section
    from worktrial.results.writing import ShownTable
    from worktrial.statistics import Figure
    from worktrial.workplaces import Workplace


class Audit(Suite):
    """An audit: it is run by its own command, and stored, shown and exported as a run of any suite."""

    options = RunOptions
    told: ClassVar[Sequence[str]]
    """Settings that stand in its name."""
    section: ClassVar[str]
    leads: ClassVar[tuple[str, str, str]]
    """Name and group of the figure by which one of several audits stands first, and what a report says of it."""
    shapes: "ClassVar[Sequence[FigureTable]]"
    """Tables of its figures."""

    def tasks(self, data: Options) -> Sequence[TaskRow]:
        """No tasks: what is audited is chosen anew each time."""
        return ()

    def trial(self, options: Any, agent: "Candidate", models: Mapping[RoleName, RoleSettings]) -> "Trial":
        """Refuse to run as a suite.

        Raises:
            SettingError: always; an audit has no agent.
        """
        raise SettingError(f"{self.name}: is an audit; run it with worktrial {self.name.replace('-', ' ')}")

    def called(self, run: "StoredRun") -> str:
        """Name of what was audited, with its settings that tell two audits of one model apart."""
        settings = run.manifest.settings
        model = settings.get("roles", {}).get(self.roles[0], {}).get("model", "?")
        told = ", ".join(str(settings[name]) for name in self.told if name in settings)
        return f"{model} ({told}) {run.folder.name}"

    @abstractmethod
    def reckoned(self, run: "StoredRun") -> "Iterable[Figure]":
        """Figures that only audits of this kind have."""

    def figures(self, run: "StoredRun") -> "Sequence[Figure]":
        """Figures that only audits have; see `Suite.figures`."""
        return [replace(figure, condition=CLEAN) for figure in self.reckoned(run)]

    def tables(self, run: "StoredRun", beside: Any) -> "Iterable[RenderableType]":
        """All figures; see `Suite.tables`."""
        return self.beside_each_other([run])

    def beside_each_other(self, runs: "Sequence[StoredRun]") -> "Iterable[RichTable]":
        """Figures of several audits of this kind, for the terminal."""
        from worktrial.results.writing import to_rich

        return map(to_rich, self._tables(runs))

    def _tables(self, runs: "Iterable[StoredRun]") -> "Iterator[ShownTable]":
        return tables_of(self.shapes, {self.called(run): figures_of(run).listed for run in runs})

    def report_sections(self, report: "Report") -> "Iterable[Section]":
        """Section about all audits of this kind; see `Suite.report_sections`."""
        from worktrial.audits.report import leading, samples_of
        from worktrial.reports.report import Section
        from worktrial.reports.sections.wording import joined
        from worktrial.results.writing import to_html

        own = [one for one in report.runs if one.run.manifest.suite == self.name]
        runs = [one.run for one in own]
        if not runs:
            return []
        name, group, said = self.leads
        found = {self.called(run): figures_of(run).get(name, group=group) for run in runs}
        parts = [leading(found, said), *map(to_html, self._tables(runs)), samples_of(own), *self.also(report, runs)]
        return [Section(self.section.lower(), self.section, joined(parts))]

    def also(self, report: "Report", runs: "Sequence[StoredRun]") -> "Iterable[Markup]":
        """Further parts of the section; here none."""
        return ()


class SimulatorAudits(Audit):
    """Audits of simulators."""

    name = "audit-simulator"
    about = "recorded calls, answered by a simulator and by the truth"
    roles = (Role.SIMULATOR,)
    section = "Simulators"
    leads = ("exact", "calls=all", "{} gives {} of {} answers exactly as they are")
    told = ("memory", "simulator_prompt")
    shapes = SIMULATOR_TABLES

    def reckoned(self, run: "StoredRun") -> "Iterable[Figure]":
        """Fidelity, drift, conformance, failures, costs; see `Audit.reckoned`."""
        return simulator_figures(run)

    def workplaces(self, data: Options) -> "Callable[[str], tuple[Workplace, str]]":
        """Workplace and instruction of a sequence, which is named after its task; see `Suite.workplaces`."""
        suite = truth_suite()
        of_task = suite.workplaces(suite.data())
        return lambda sample: of_task(sample.split("/")[0])


class JudgeAudits(Audit):
    """Audits of judges."""

    name = "audit-judge"
    about = "finished work of which the truth is known, judged by a model"
    roles = (Role.JUDGE,)
    section = "Judges"
    leads = ("accuracy", "", "{} is right about {} of {} cases")
    told = ("judge_method", "votes")
    shapes = JUDGE_TABLES

    def also(self, report: "Report", runs: "Sequence[StoredRun]") -> "Iterable[Markup]":
        """Rates without the judge's errors; see `Audit.also`."""
        from worktrial.audits.report import corrected_rates

        return corrected_rates(report, runs)

    def reckoned(self, run: "StoredRun") -> "Iterable[Figure]":
        """Verdicts beside the truth, and votes beside each other; see `Audit.reckoned`."""
        return judge_figures(run)


simulators = SimulatorAudits()
judges = JudgeAudits()


def truth_suite(folder: Path | None = None) -> ExecutableSuite:
    """The suite in a folder, or the first installed one, whose workplaces are executable.

    Raises:
        SettingError: there is none, or those in the folder are not.
    """
    if folder is not None:
        own = find_suite(str(folder))
        if isinstance(own, ExecutableSuite):
            return own
        what = "has no executable workplaces, so there is no truth to measure by"
        raise SettingError(f"{option('suite_folder')} {folder}: {what}")
    for installed in suites.names:
        # One that cannot be loaded here is no reason to do without the others.
        with suppress(SettingError):
            if isinstance(suite := suites.get(installed), ExecutableSuite):
                return suite
    raise SettingError("no suite with executable workplaces is installed, so there is no truth to measure by")
