"""Audits as suites, so that their stored runs are shown and reported, and the suite that they measure by."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worktrial.engine.roles import Role, RoleName, RoleSettings
from worktrial.errors import SettingError, option
from worktrial.options import Options, RunOptions
from worktrial.suite import Suite, TaskRow, find_suite, suites
from worktrial.suites.executable import ExecutableSuite

if TYPE_CHECKING:
    from worktrial.agents.candidates import Candidate
    from worktrial.engine.trial import Trial
    from worktrial.reports.report import Report, Section
    from worktrial.workplaces import Workplace


class Audit(Suite):
    """An audit: it is run by its own command, and shown as a run of any suite."""

    options = RunOptions

    def tasks(self, data: Options) -> Sequence[TaskRow]:
        """No tasks: what is audited is chosen anew each time."""
        return ()

    def trial(self, options: Any, agent: "Candidate", models: Mapping[RoleName, RoleSettings]) -> "Trial":
        """Refuse to run as a suite.

        Raises:
            SettingError: always; an audit has no agent.
        """
        raise SettingError(f"{self.name}: is an audit; run it with worktrial {self.name.replace('-', ' ')}")


class SimulatorAudits(Audit):
    """Audits of simulators."""

    name = "audit-simulator"
    about = "recorded calls, answered by a simulator and by the truth"
    roles = (Role.SIMULATOR,)

    def report_sections(self, report: "Report") -> "Iterable[Section]":
        """Simulators beside the truth; see `Suite.report_sections`."""
        from worktrial.audits.report import simulators_section

        return simulators_section(report, self.name)

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

    def report_sections(self, report: "Report") -> "Iterable[Section]":
        """Judges beside the truth; see `Suite.report_sections`."""
        from worktrial.audits.report import judges_section

        return judges_section(report, self.name)


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
