"""Where the truth comes from that simulators and judges are measured by: suites whose workplaces are executable."""

from worktrial.errors import SettingError
from worktrial.suite import Suite, find_suite, suite_of, suites
from worktrial.suites.executable import ExecutableSuite


def truth_suite(name: str | None = None) -> ExecutableSuite:
    """Suite whose workplaces are executable.

    Args:
        name: Its name; None for the first that is installed.

    Raises:
        SettingError: there is none, or its workplaces are not executable.
    """
    if name is not None:
        suite: Suite | None = find_suite(name)
        if not isinstance(suite, ExecutableSuite):
            raise SettingError(f"{name}: its workplaces are not executable, so there is no truth to measure by")
        return suite
    for installed in suites.names:
        # One that cannot be loaded here is no reason to do without the others.
        suite = suite_of(installed)
        if isinstance(suite, ExecutableSuite):
            return suite
    raise SettingError("no suite with executable workplaces is installed, so there is no truth to measure by")
