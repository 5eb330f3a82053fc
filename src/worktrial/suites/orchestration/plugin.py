"""The suite as Worktrial knows it: its options, its trials, and what its runs have to show."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from math import ceil
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any, ClassVar

from worktrial.engine.roles import Role, RoleName, RoleSettings
from worktrial.errors import SettingError, option
from worktrial.grading import Outcome
from worktrial.language import JsonObject
from worktrial.suite import Baseline, ReferenceAgent, Suite, TaskRow
from worktrial.suites.orchestration.options import (
    Cards,
    ComparisonOptions,
    DataOptions,
    OrchestrationOptions,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

    from worktrial.agents.candidates import Candidate
    from worktrial.engine.pairing import SamplePair
    from worktrial.engine.record import SampleRecord
    from worktrial.engine.run_plan import RunSettings
    from worktrial.engine.stored import StoredRun
    from worktrial.finding import Findings
    from worktrial.reports.report import Report, Section
    from worktrial.statistics import Change, Figure
    from worktrial.suites.orchestration.planning.release import Release
    from worktrial.suites.orchestration.planning.scenario import Language
    from worktrial.suites.orchestration.run.free.trial import FreeTrial
    from worktrial.suites.orchestration.run.ground import Groundwork, OrchestrationTask
    from worktrial.suites.orchestration.run.turns import OrchestrationTrial

# Characters of what a user says, in a list.
_ASKED = 80
# Some scenarios ask for less than others, and some are being scored.
_SLACK = 3


class OrchestrationSuite(Suite):
    """Planning workflows over domain agents, calling or refusing, filling in arguments; English and Korean."""

    name = "orchestration"
    about = "planning and directing domain agents: OrchestrationBench's scenarios, or five of ours in each language"
    needs = "an agent model (for the published scenarios --data DIR)"
    example = "--agent my-model --base-url http://localhost:8000/v1 -o runs/first"
    options = OrchestrationOptions
    data = DataOptions
    beside = ComparisonOptions
    roles = (Role.AGENT, Role.SUB_AGENT, Role.SIMULATOR, Role.JUDGE)
    assignments = False
    viewer = tuple(
        Path(__file__).parent / "viewer" / name
        for name in ("orchestration-plan.js", "orchestration-team.js", "orchestration.css")
    )
    reference_agents: ClassVar[Mapping[str, ReferenceAgent]] = {
        "gold": ReferenceAgent("does what the recording has", Outcome.PASS, kind=Baseline.ORACLE),
        "always-call": ReferenceAgent(
            "always writes the same plan, and calls the first tool with nothing",
            must=Outcome.FAIL,
            kind=Baseline.RANDOM,
        ),
        "always-refuse": ReferenceAgent(
            "always writes the same plan, and always waits for the user", must=Outcome.FAIL, kind=Baseline.IDLE
        ),
        "fill-from-words": ReferenceAgent(
            "fills plans and calls from the words of the request, understanding none", must=Outcome.FAIL
        ),
    }
    card_scores = ("average",)
    on_card: ClassVar[Mapping[str, str]] = {
        "state": "does not apply turn by turn: calls are scored against the recording; --mode free scores the end",
        "ends": "turn by turn one recorded way is right, and another that is as good counts as wrong",
        "held_out": "nothing: scenarios and recordings are public",
        "judge": "not measured: code decides, and with --judges models compare arguments that code cannot; whether "
        "they are right, no audit tells",
        "simulator": "not measured: turn by turn no tool is called; no audit is of --mode free --simulator",
        "faults": "not measured: turn by turn no tool is called; --mode free --faults all, then --from RUN",
        "harm": "not measured: a wrong call counts as any wrong step, however harmful",
        "people": "not measured: people cannot take part here",
    }

    def tasks(self, data: DataOptions) -> Sequence[TaskRow]:
        """Scenarios with the kind of their plans and the user's first words; see `Suite.tasks`."""
        from worktrial.suites.orchestration.planning.scenario import UserTurn

        rows = []
        for task in _loaded(data)[1]:
            asked = next((step.text for step in task.scenario.steps if isinstance(step, UserTurn)), "")
            rows.append(TaskRow(task.id, "-", task.category, shorten(asked, _ASKED, placeholder="…")))
        return rows

    def models(self, options: Any, agent: "Candidate") -> Mapping[RoleName, RoleSettings]:
        """Models of planner, domain agents, simulator and judges; see `Suite.models`."""
        from worktrial.suites.orchestration.run.models import models_of

        return models_of(options, agent, self._sub_agent(options))

    def trial(
        self, options: Any, agent: "Candidate", models: Mapping[RoleName, RoleSettings]
    ) -> "OrchestrationTrial | FreeTrial":
        """Turn by turn or free running, as `options.mode` says; see `Suite.trial`."""
        from worktrial.suites.orchestration.run.ground import Groundwork

        release, tasks = _loaded(options)
        judges = [role_name for role_name, role in models.items() if role.role is Role.JUDGE]
        ground = Groundwork(
            release,
            _chosen(tasks, options),
            agent,
            self._sub_agent(options),
            judges,
            options={**options.measured(), "cards": _cards(options, models)},
            function_seconds=options.timeout or RoleSettings.timeout,
        )
        if options.mode == "turns":
            return _turns_trial(options, ground, models)
        trial = _free_trial(options, ground, models)
        _check_turns_run(options, trial)
        return trial

    def _sub_agent(self, options: Any) -> "Candidate | None":
        """Player of the domain agents, if someone else than the agent."""
        from worktrial.named_agents import resolve_agent

        return None if options.sub_agent is None else resolve_agent(options.sub_agent, self, field="sub_agent")

    def notices(self, options: Any, trial: Any) -> Iterable[str]:
        """Files that hold no scenario; see `Suite.notices`."""
        release: Release = trial.ground.release
        return [f"left out: {finding.file}: {finding.what}" for finding in release.broken]

    def pace(self, options: Any, trial: Any, settings: "RunSettings") -> "RunSettings":
        """Concurrency counted in requests, because a scenario asks for many things at once; see `Suite.pace`."""
        requests = settings.concurrency
        samples = requests if options.mode == "free" else _samples_for(requests, trial)
        return dataclasses.replace(settings, concurrency=samples, requests=requests)

    def tables(self, run: "StoredRun", beside: Any) -> "Iterable[RenderableType]":
        """Figures by language and scoring, and what a free-running team reached; see `Suite.tables`."""
        from worktrial.engine.stored import open_run
        from worktrial.suites.orchestration.terminal import figure_tables

        turns = None if beside.turns_run is None else open_run(beside.turns_run)
        return figure_tables(run, compare_published=beside.compare_published, turns=turns)

    def trajectory(self, line: JsonObject, record: "SampleRecord | None") -> "Iterable[RenderableType]":
        """Answers step by step, or turn by turn where the team ran free; see `Suite.trajectory`."""
        from worktrial.suites.orchestration.terminal import team_trajectory

        return team_trajectory(line, record)

    def outcome_of(self, record: "SampleRecord") -> Outcome | None:
        """Outcome by the steps; see `Suite`."""
        # Where requests had no answer, the steps say nothing.
        if record.measures.get("mode") != "turns" or record.outcome is Outcome.INVALID:
            return None
        steps = record.measures["ours"]["rows"]["steps"]
        return Outcome.PASS if all(step["right"] for step in steps) else Outcome.FAIL

    def figures(self, run: "StoredRun") -> "Sequence[Figure]":
        """Figures by language and scoring, and what a free-running team reached; see `Suite.figures`."""
        from worktrial.suites.orchestration.figures.suite import run_figures

        return run_figures(run)

    def changes(self, pairs: "Sequence[SamplePair]", *, confidence: float) -> "Iterable[Change]":
        """Changes of our scores by language, and of what free-running teams reached; see `Suite.changes`."""
        from worktrial.suites.orchestration.figures.suite import figure_changes

        return figure_changes(pairs, confidence=confidence)

    def report_sections(self, report: "Report") -> "Iterable[Section]":
        """Panels for each language and scoring; see `Suite.report_sections`."""
        from worktrial.suites.orchestration.report import orchestration

        section = orchestration(report)
        return () if section is None else (section,)

    def published(self, report: "Report") -> Iterable[Any]:
        """Published tables of the languages in the report; see `Suite.published`."""
        from worktrial.suites.orchestration.report import published_tables

        return published_tables(report)

    def lint(self, data: DataOptions) -> "Findings":
        """Findings about scenarios and cards, with file and step; see `Suite.lint`."""
        from worktrial.suites.orchestration.planning.lint import lint_folder

        return lint_folder(data.data, corrected=data.gold == "corrected", language=data.language)

    def grader(self, run: "StoredRun", data: Any, judging: Mapping[str, Any], models: Iterable[RoleName]) -> Any:
        """Nothing: gold steps decide; see `Suite.grader`.

        Raises:
            SettingError: always.
        """
        raise SettingError(
            f"{run.folder}: {self.name} is scored against gold steps, so there is no work to judge again. With "
            f"{option('cache')}, `worktrial run {self.name}` has the same answers judged by other "
            f"{option('judges')} for no new cost"
        )


def _loaded(data: DataOptions) -> "tuple[Release, list[OrchestrationTask]]":
    from worktrial.suites.orchestration.run.ground import load_tasks

    return load_tasks(data.data, languages_of(data.language), corrected=data.gold == "corrected")


def languages_of(word: str) -> "list[Language]":
    """Languages that `word` (`en`, `ko`, `both`) stands for."""
    from worktrial.suites.orchestration.planning.scenario import Language

    return [language for language in Language if word in (language.lower(), "both")]


def _chosen(tasks: "Sequence[OrchestrationTask]", options: OrchestrationOptions) -> "list[OrchestrationTask]":
    from worktrial.suites.selection import sample, select

    for field in ("tasks", "scenarios"):
        if field in options.model_fields_set and not getattr(options, field):
            raise SettingError(f"{option(field)}: names no scenario")
    source = str(options.data or "the worked example")
    field = "scenarios" if options.scenarios else "tasks"
    chosen = select(tasks, [*options.tasks, *options.scenarios], source=source, field=field, noun="scenario")
    languages = dict.fromkeys(task.scenario.language for task in chosen)
    of_each = [[task for task in chosen if task.scenario.language is language] for language in languages]
    drawn = [sample(tasks, options) for tasks in of_each]
    if options.shuffle is None:
        return [task for tasks in drawn for task in tasks]
    # Each beginning holds as much of one language as of the other.
    return [task for tasks in zip_longest(*drawn) for task in tasks if task is not None]


def _turns_trial(
    options: OrchestrationOptions, ground: "Groundwork", models: Mapping[RoleName, RoleSettings]
) -> "OrchestrationTrial":
    from worktrial.suites.orchestration.run.turns import OrchestrationTrial, Settings

    if options.simulator is not None or options.turns_run is not None or options.faults != "E0":
        raise SettingError(
            f"{option('simulator')}, {option('turns_run')} and {option('faults')} are for {option('mode')} free: "
            "turn by turn, no tool is called"
        )
    settings = Settings(
        repeats=options.repeats,
        gold=options.gold,
        cards=_cards(options, models),
        search_nodes=options.search_nodes,
    )
    return OrchestrationTrial(ground, settings)


def _free_trial(
    options: OrchestrationOptions, ground: "Groundwork", models: Mapping[RoleName, RoleSettings]
) -> "FreeTrial":
    from worktrial.agents.assignment import Limits
    from worktrial.suites.orchestration.run.free.trial import FreeSettings, FreeTrial
    from worktrial.trial.settings import fault_conditions

    simulator = models.get(Role.SIMULATOR)
    settings = FreeSettings(
        repeats=options.repeats,
        gold=options.gold,
        cards=_cards(options, models),
        simulated=simulator is not None,
        simulator_prompt="compact" if simulator is not None and simulator.is_local else "full",
        limits=Limits(options.max_requests),
        faults=fault_conditions(options.model_dump()),
        search_nodes=options.search_nodes,
    )
    return FreeTrial(ground, settings)


def _check_turns_run(options: OrchestrationOptions, trial: "FreeTrial") -> None:
    """Refuse a turn-by-turn run that cannot stand beside this one, before anything is paid for."""
    if options.turns_run is not None:
        from worktrial.engine.record import CLEAN
        from worktrial.engine.stored import open_run
        from worktrial.suites.orchestration.figures.free import refuse_as_turns

        clean = {job.sample for job in trial.jobs if job.condition == CLEAN}
        refuse_as_turns(open_run(options.turns_run), trial.data["fingerprint"], clean)


def _cards(options: OrchestrationOptions, models: Mapping[RoleName, RoleSettings]) -> Cards:
    agent = models.get(Role.AGENT)
    usual: Cards = "compact" if agent is not None and agent.is_local else "full"
    return options.cards or usual


def _samples_for(requests: int, trial: Any) -> int:
    """Number of scenarios that have to be under way to keep so many requests in flight.

    No more than that: what a scenario has asked for is lost when the run is interrupted before its end, and its
    prompts take memory.
    """
    from worktrial.suites.orchestration.planning.turns import gold_steps

    ground: Groundwork = trial.ground
    teams = ground.release.teams
    asked = [len(gold_steps(task.scenario, teams[task.scenario.language])[0]) for task in ground.tasks]
    return max(1, min(requests, ceil(_SLACK * requests * len(asked) / max(1, sum(asked)))))
