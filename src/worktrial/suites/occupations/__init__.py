"""OccuBench: professional tasks in workplaces that a language model plays, judged by majority vote."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from worktrial.options import Flag, Options
from worktrial.suites.simulated import SimulatedOptions, SimulatedSuite

if TYPE_CHECKING:
    from worktrial.agents.candidates import Candidate
    from worktrial.engine.roles import RoleName, RoleSettings
    from worktrial.engine.trial import Trial
    from worktrial.reports.report import Report
    from worktrial.suites.simulated.tasks import TaskSet


class OccupationsData(Options):
    """Place of the tasks."""

    data: Annotated[Path, Flag("Which tasks", common=True, neutral=True, metavar="DIR")]
    """Folder of the OccuBench release, or of a suite of your own."""


class OccupationsOptions(SimulatedOptions, OccupationsData):
    """Options of a run."""

    # What it settles is compared option by option.
    protocol: Annotated[Literal["ours", "published"], Flag("Simulation", neutral=True)] = "ours"
    """published: as OccuBench's authors ran it, as far as that is known: history memory, the full simulator prompt,
    200 turns, three votes, and faults that the simulator is asked for."""


class OccupationsSuite(SimulatedSuite):
    """The benchmark of arXiv 2604.10866, from the folder of its release."""

    name = "occupations"
    about = "OccuBench: professional tasks in workplaces that a language model plays"
    needs = "the folder of the OccuBench release (see arXiv 2604.10866), a simulator model, a judge model"
    example = (
        "--data occubench --base-url http://localhost:8000/v1 --agent my-model --simulator my-model "
        "--judge my-model --limit 10 -o runs/first"
    )
    options = OccupationsOptions
    data = OccupationsData
    data_file = "eval_benchmark_solvable.jsonl"
    on_card: ClassVar = {
        **SimulatedSuite.on_card,
        "oracle": "not measured: the release has no solution plans for an agent to follow",
        "held_out": "nothing: tasks and rubrics are public",
    }
    unproven = "its tasks have no solution plans to follow, so there is nothing to validate them by"

    def trial(self, options: Any, agent: "Candidate", models: "Mapping[RoleName, RoleSettings]") -> "Trial":
        """The suite made ready to run, by the protocol that the options name; see `Suite.trial`."""
        if getattr(options, "protocol", "ours") == "published":
            from worktrial.suites.occupations.protocol import as_published

            options = as_published(options)
        return super().trial(options, agent, models)

    def load(self, data: Any) -> "TaskSet":
        """Tasks in the folder that `data` names; see `SimulatedSuite.load`."""
        from worktrial.suites.occupations.load import load_release

        return load_release(data.data)

    def published(self, report: "Report") -> Iterable[Any]:
        """The authors' figures beside the runs in `report`; see `Suite.published`."""
        from worktrial.suites.occupations.report import published_beside

        return published_beside(report)


suite = OccupationsSuite()
