"""Our own executable workplaces, checked by code."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from worktrial.suites.executable import ExecutableSuite

if TYPE_CHECKING:
    from worktrial.suites.executable.tasks import ExecutableTask
    from worktrial.workplaces.executable import ExecutableWorkplace

FOLDER = Path(__file__).parent / "workplaces"


class StarterSuite(ExecutableSuite):
    """Ten workplaces, one for each industry. Needs no simulator, no judge and no network."""

    name = "starter"
    about = "our own executable workplaces, checked by code"
    example = "--agent plan -o runs/plan"
    on_card: ClassVar = {
        **ExecutableSuite.on_card,
        "held_out": "nothing: tasks, plans and checks are public",
    }
    folder = FOLDER
    package = "worktrial.suites.starter.workplaces"
    categories = (
        "Agriculture & Environment",
        "Business & Enterprise",
        "Commerce & Consumer",
        "Education & Culture",
        "Healthcare & Life Sciences",
        "Industrial & Engineering",
        "Public Service & Governance",
        "Science & Research",
        "Technology & IT",
        "Transportation & Logistics",
    )

    def candidates(self, options: Any) -> "Sequence[ExecutableTask]":
        """Tasks from which a run chooses: workplaces that it cannot need are not read."""
        # Industries are known by all tasks.
        return self.load_tasks() if options.category else self.library.holding(options.tasks)


suite = StarterSuite()


def load_tasks() -> "Sequence[ExecutableTask]":
    """All tasks of the suite, workplace by workplace."""
    return suite.load_tasks()


def load_workplace(name: str) -> "ExecutableWorkplace":
    """The workplace called `name`.

    Raises:
        DataError: there is no such workplace.
    """
    from worktrial.workplaces.executable import ExecutableWorkplace

    home = suite.library.workplace(name)
    assert isinstance(home, ExecutableWorkplace), "read by `built_in`"
    return home
