"""`worktrial audit`: can the simulator and the judge be trusted?"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from pydantic import Field

from worktrial.cli.lazy import CommandRow, fixed_group
from worktrial.cli.options import takes
from worktrial.cli.places import Trust
from worktrial.engine.notices import say_json
from worktrial.engine.roles import Role, RoleName, RoleSettings
from worktrial.errors import SettingError, option
from worktrial.options import (
    ChoiceOptions,
    Count,
    EndpointOptions,
    Flag,
    JudgingOptions,
    Names,
    RunOptions,
    with_roles,
)

app = fixed_group(
    "audit",
    "Measure simulators and judges against workplaces whose truth is known.",
    {
        "simulator": CommandRow("Compare a model's workplaces with the executable truth.", "audit:simulator"),
        "judge": CommandRow("Compare a model's verdicts with those of the state checks.", "audit:judge"),
        "agreement": CommandRow("Compare simulators by the same agents on the same tasks.", "audit:agreement"),
        "labels": CommandRow("Compare the verdicts of runs with those of people.", "audit:labels"),
        "conformance": CommandRow("Check what simulators of stored runs answered.", "audit:conformance"),
        "show": CommandRow("Show stored audits again, side by side.", "audit:show"),
    },
)


_WHO = "Who takes part"
_WHAT = "Which tasks"


class WorkOptions(EndpointOptions, RunOptions, ChoiceOptions):
    """Selection of the work that an audit is made with."""

    from_run: Annotated[list[Path], Flag(_WHAT, common=True, short="--from", metavar="RUN")] = Field([])
    """Stored run of the same tasks whose agents' calls are audited too; repeatable."""
    plans: Annotated[bool, Flag(_WHAT)] = True
    """Audit the calls of the tasks' solution plans."""
    category: Annotated[Names, Flag(_WHAT, metavar="NAMES")] = Field([])
    """Industries to take (names, or their beginnings); comma-separated or repeated."""


class SimulatorAuditOptions(WorkOptions):
    """Options of `worktrial audit simulator`."""

    simulator: Annotated[str, Flag(_WHO, common=True, metavar="MODEL")]
    """The model under audit: a name at --base-url, openai/NAME, or local."""
    memory: Annotated[Literal["history", "ledger"], Flag(_WHO, common=True)] = "history"
    """Place in which it keeps the state. ledger shows how the state drifts."""
    simulator_prompt: Annotated[
        Literal["full", "compact"] | None, Flag(_WHO, default="full; compact for the embedded model")
    ] = None
    """Length of the prompt that tells it its part; compact is for small models."""
    calls: Annotated[Count | None, Flag(_WHAT)] = None
    """Largest number of calls of each sequence."""
    suite_folder: Annotated[Path | None, Flag(_WHAT, metavar="DIR")] = None
    """A suite of your own with executable workplaces: these are the truth, not our own."""
    trust: Annotated[bool, Flag(_WHAT)] = False
    """Run the code of that suite in this process, with all your rights, not in the sandbox."""


class JudgeAuditOptions(JudgingOptions, WorkOptions):
    """Options of `worktrial audit judge`."""

    judge: Annotated[str, Flag(_WHO, common=True, metavar="MODEL")]
    """The model under audit: a name at --base-url, openai/NAME, or local."""


_SIMULATOR = with_roles(SimulatorAuditOptions, [Role.SIMULATOR])
_JUDGE = with_roles(JudgeAuditOptions, [Role.JUDGE])


@takes(lambda: _SIMULATOR)
def simulator(**given: Any) -> None:
    """Let a model play workplaces and compare each answer, field by field, with the executable truth.

    The workplaces are our own executable ones, or those of a suite of your own.

    Needs no agent: recorded calls are played again, many sequences at a time.

    Example: worktrial audit simulator --simulator my-model --base-url http://localhost:8000/v1 --memory ledger
    """
    from worktrial.audits.simulator import AuditSettings
    from worktrial.engine.role_values import settings_for

    options: Any = _SIMULATOR.read(given, suite="audit simulator", needs="the model under audit")
    role = settings_for(Role.SIMULATOR, options.simulator, options.model_dump())
    settings = AuditSettings(
        memory=options.memory,
        simulator_prompt=options.simulator_prompt or ("compact" if role.is_local else "full"),
        calls=options.calls,
    )
    _carry_out(_of_truth(options, settings), role, options)


@takes(lambda: _JUDGE)
def judge(**given: Any) -> None:
    """Let a model judge finished work of which the state checks know whether it passes.

    That is each task's plan, which passes, and the plan broken in several ways, which fail.

    Example: worktrial audit judge --judge my-model --base-url http://localhost:8000/v1
    """
    import asyncio

    from worktrial.audits.judge import JudgeAudit, planned_cases, stored_cases
    from worktrial.audits.sequences import stored_work
    from worktrial.audits.suites import truth_suite
    from worktrial.engine.role_values import settings_for
    from worktrial.trial.settings import judging_of

    options: Any = _JUDGE.read(given, suite="audit judge", needs="the model under audit")
    role = settings_for(Role.JUDGE, options.judge, options.model_dump())
    tasks = _tasks(options)
    cases = asyncio.run(planned_cases(tasks)) if options.plans else []
    cases += stored_cases(stored_work(options.from_run, tasks, truth_suite()))
    _refuse_nothing(cases)
    _carry_out(JudgeAudit(cases, judging_of(options, role)), role, options)


def agreement(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs: every agent under every simulator.")],
    condition: Annotated[str, typer.Option(help="Compare the samples of this fault condition.")] = "E0",
    force: Annotated[
        bool, typer.Option("--force", help="Compare runs that are not comparable, too; the table says so.")
    ] = False,
) -> None:
    """Compare simulators by the same agents on the same tasks: order of the agents, and tasks that flip.

    Example: worktrial audit agreement runs/a-with-x runs/b-with-x runs/a-with-y runs/b-with-y
    """
    from worktrial.cli.audit_tables import print_agreement
    from worktrial.results.agreement import agreement_report

    print_agreement(agreement_report(runs, condition, force=force))


def labels(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs with labels beside them.")],
    queue: Annotated[int, typer.Option(help="Show so many disagreements of each run.", min=0)] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Compare the verdicts of runs with those that people gave in `worktrial view`.

    Agreement of the judge with people and of people among each other, the checks and lines of rubrics that they
    differ about, the rate as people would have it, and the samples to look at again. Of several runs agreement is
    told of all together, too.

    Example: worktrial audit labels runs/first

    Example: worktrial audit labels runs/first runs/second
    """
    from worktrial.audits.labels import LabelsOutput, labelled_run, pool, report_of
    from worktrial.cli.audit_tables import print_labels, print_pooled

    labelled = [labelled_run(run) for run in runs]
    found = [report_of(*one) for one in labelled]
    pooled = pool(labelled) if len(labelled) > 1 else None
    if as_json:
        say_json(LabelsOutput(runs=found, pooled=pooled).text())
        return
    print_labels(found, queue)
    if pooled is not None:
        print_pooled(pooled)


def conformance(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs with a simulator.")],
    data: Annotated[
        Path | None, typer.Option(help="Folder of the data, for runs of a suite that needs one.", metavar="DIR")
    ] = None,
    evidence: Annotated[int, typer.Option(help="Show so many failed checks of each run.", min=0)] = 5,
    trust: Trust = False,
) -> None:
    """Check what the simulators of stored runs answered, without any truth at hand.

    Example: worktrial audit conformance runs/first --data occubench
    """
    from worktrial.audits.conformance import run_conformance
    from worktrial.cli.audit_tables import print_conformance

    print_conformance([run_conformance(run, data, trust=trust) for run in runs], evidence)


def show(
    audits: Annotated[list[Path], typer.Argument(help="Folders of audits of simulators, of judges, or of both.")],
) -> None:
    """Show stored audits again, several models side by side.

    Example: worktrial audit show runs/audit-judge-1 runs/audit-judge-2
    """
    print_audits(audits)


def print_audits(audits: Sequence[Path]) -> None:
    """Print the figures of stored audits, those of one kind beside each other."""
    from worktrial.audits.suites import Audit, judges, simulators
    from worktrial.engine.stored import open_run
    from worktrial.errors import DataError
    from worktrial.language.untrusted import printable
    from worktrial.terminal import SafeConsole, print_line, print_whole_words

    console = SafeConsole()
    runs = [open_run(folder) for folder in audits]
    kinds: dict[str, Audit] = {kind.name: kind for kind in (simulators, judges)}
    if other := next((run for run in runs if run.manifest.suite not in kinds), None):
        raise DataError(
            other.folder, f"holds a run of {other.manifest.title}, no audit", "worktrial show shows runs"
        )
    for name, kind in kinds.items():
        own = [run for run in runs if run.manifest.suite == name]
        for run in own:
            print_line(console, f"{name}: {printable(kind.called(run))}")
        for table in kind.beside_each_other(own):
            print_whole_words(console, table)


def _of_truth(options: SimulatorAuditOptions, settings: Any) -> Any:
    from worktrial.audits.sequences import plan_sequences, stored_sequences, stored_work, work_fingerprint
    from worktrial.audits.simulator import SimulatorAudit
    from worktrial.audits.suites import truth_suite

    if options.trust and options.suite_folder is None:
        what = "is for the code of a suite of your own"
        raise SettingError(f"{option('trust')}: {what}; name its folder with {option('suite_folder')}")
    suite = truth_suite(options.suite_folder)
    tasks = _chosen(suite.tasks_of(options), options)
    work = stored_work(options.from_run, tasks, suite)
    sequences = [*(plan_sequences(tasks) if options.plans else ()), *stored_sequences(work)]
    _refuse_nothing(sequences)
    return SimulatorAudit(sequences, settings, data=suite.source, source=work_fingerprint(work))


def _tasks(options: WorkOptions) -> Any:
    from worktrial.audits.suites import truth_suite

    return _chosen(truth_suite().load_tasks(), options)


def _chosen(tasks: Sequence[Any], options: WorkOptions) -> Any:
    from worktrial.suites.selection import sample, select

    return sample(select(tasks, options.tasks, options.category), options)


def _refuse_nothing(work: list[Any]) -> None:
    if not work:
        raise SettingError("nothing to audit with: leave out --no-plans, or name a stored run with --from")


def _carry_out(audit: Any, role: RoleSettings, options: WorkOptions) -> None:
    """Run the audit to its end and show it.

    Raises:
        typer.Exit: with 3 when more samples are invalid than allowed.
    """
    from worktrial.cli.carry_out import announce, refuse_invalid, run_shown
    from worktrial.engine.run_plan import RunPlan
    from worktrial.trials import settings_of, sharded

    roles: dict[RoleName, RoleSettings] = {role.role: role}
    audit = sharded(audit, options)
    settings = settings_of(options, audit.suite, roles, command=("worktrial", *sys.argv[1:]))
    plan = RunPlan(audit, roles, settings)
    announce(plan)
    (end,) = run_shown([plan])
    print_audits([settings.folder])
    refuse_invalid(end.invalid_share, options.max_invalid, settings)
