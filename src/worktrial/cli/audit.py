"""`worktrial audit`: can the simulator and the judge be trusted?"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from worktrial.cli.option_table import Option, with_options
from worktrial.cli.role_options import role_options, settings_for, shared_options
from worktrial.cli.run import JudgeMethod, Memory, SimulatorPrompt
from worktrial.cli.run_options import check_share, output_options, run_settings
from worktrial.engine.roles import Role, RoleSettings
from worktrial.suites.usual import LOCAL_RECORD, USUAL_RECORD

app = typer.Typer(
    no_args_is_help=True, help="Measure simulators and judges against workplaces whose truth is known."
)

_WHAT = "Which work"
# Of an agent at work, which an audit does not have.
_AGENT_LIMITS = frozenset({"max_turns", "sample_tokens", "sample_seconds", "sample_cost"})
_CHOICE = [
    Option(
        "--from-run",
        list[Path] | None,
        "Also what agents did in this stored run of the starter suite; repeatable.",
        panel=_WHAT,
        # The parameter behind an option cannot be called `from`.
        short="--from",
        metavar="RUN",
    ),
    Option("--plans/--no-plans", bool, "What the tasks' solution plans do.", True, _WHAT),
    Option("--tasks", list[str] | None, "Only these task ids; comma-separated or repeated.", panel=_WHAT),
    Option("--category", list[str] | None, "Only this industry (a name, or its beginning).", panel=_WHAT),
    Option("--limit", int | None, "At most so many tasks.", panel=_WHAT, minimum=1),
]
_HOW = [o for o in output_options() if o.name not in _AGENT_LIMITS]


@app.command("simulator")
@with_options(
    [
        Option("--simulator", str, "The model under audit: a name at --base-url, openai/NAME, or local.", ...),
        Option("--memory", Memory, "Where it keeps the state. ledger shows how the state drifts.", Memory.HISTORY),
        Option(
            "--simulator-prompt",
            SimulatorPrompt | None,
            "full, or compact for small models. Default: full; compact for the embedded model.",
        ),
        Option("--calls", int | None, "At most so many calls of each sequence.", panel=_WHAT, minimum=1),
        Option(
            "--suite-folder",
            Path | None,
            "Not the starter suite, but one of `worktrial synthesize --faces`: its executable faces are the truth.",
            panel=_WHAT,
            metavar="DIR",
        ),
        *_CHOICE,
        *_HOW,
        *shared_options(),
        *role_options(Role.SIMULATOR),
    ]
)
def simulator(**given: Any) -> None:
    """Let a model play workplaces and compare each answer, field by field, with the executable truth.

    The workplaces are those of the starter suite, or those of a suite of your own that have an executable face.

    Needs no agent: recorded calls are played again, many sequences at a time.

    Example: worktrial audit simulator --simulator my-model --base-url http://localhost:8000/v1 --memory ledger
    """
    from worktrial.audits.simulator import AuditSettings
    from worktrial.audits.simulator_report import simulator_report
    from worktrial.cli.audit_tables import print_simulator

    check_share(given)
    role = settings_for(Role.SIMULATOR, given["simulator"], given)
    usual = SimulatorPrompt.COMPACT if role.is_local else SimulatorPrompt.FULL
    settings = AuditSettings(
        memory=given["memory"].value,
        simulator_prompt=(given["simulator_prompt"] or usual).value,
        calls=given["calls"],
    )
    audit = _of_starter(given, settings) if given["suite_folder"] is None else _of_faces(given, settings)
    folder = _carry_out(audit, role, given)
    print_simulator([simulator_report(folder)])
    _refuse_invalid(folder, given)


@app.command("judge")
@with_options(
    [
        Option("--judge", str, "The model under audit: a name at --base-url, openai/NAME, or local.", ...),
        Option("--votes", int, "Votes on each case; the majority decides.", 3, minimum=1),
        Option("--parallel-votes", bool, "Ask for all votes at once: faster, and a third dearer.", False),
        Option(
            "--judge-method",
            JudgeMethod,
            "votes, or logprob: the probability of yes on each statement of the rubric (for small models).",
            JudgeMethod.VOTES,
        ),
        Option(
            "--judge-record",
            int | None,
            f"Characters of a trajectory that the judge is shown. Default: {USUAL_RECORD}; {LOCAL_RECORD} for the "
            "embedded model.",
            minimum=1000,
        ),
        *_CHOICE,
        *_HOW,
        *shared_options(),
        *role_options(Role.JUDGE),
    ]
)
def judge(**given: Any) -> None:
    """Let a model judge finished work of which the state checks know whether it passes.

    That is each task's plan, which passes, and the plan broken in several ways, which fail.

    Example: worktrial audit judge --judge my-model --base-url http://localhost:8000/v1
    """
    import asyncio

    from worktrial.audits.judge import JudgeAudit, planned_cases, stored_cases
    from worktrial.audits.judge_report import judge_report
    from worktrial.audits.sequences import stored_work
    from worktrial.audits.suites import truth_suite
    from worktrial.cli.audit_tables import print_judges
    from worktrial.suites.judging import JudgeSettings

    check_share(given)
    role = settings_for(Role.JUDGE, given["judge"], given)
    tasks = _tasks(given)
    cases = asyncio.run(planned_cases(tasks)) if given["plans"] else []
    cases += stored_cases(stored_work(given["from_run"] or (), tasks, truth_suite().name))
    _refuse_nothing(cases)
    settings = JudgeSettings(
        votes=given["votes"],
        parallel_votes=given["parallel_votes"],
        judge_method=given["judge_method"].value,
        judge_record=given["judge_record"] or (LOCAL_RECORD if role.is_local else USUAL_RECORD),
    )
    folder = _carry_out(JudgeAudit(cases, settings), role, given)
    print_judges([judge_report(folder)])
    _refuse_invalid(folder, given)


@app.command("agreement")
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
    from worktrial.audits.agreement import agreement_report
    from worktrial.cli.audit_tables import print_agreement

    print_agreement(agreement_report(runs, condition, force=force))


@app.command("conformance")
def conformance(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs with a simulator.")],
    data: Annotated[
        Path | None, typer.Option(help="Folder of the OccuBench release, for runs of occupations.", metavar="DIR")
    ] = None,
    evidence: Annotated[int, typer.Option(help="Show so many failed checks of each run.", min=0)] = 5,
) -> None:
    """Check what the simulators of stored runs answered, without any truth at hand.

    Example: worktrial audit conformance runs/first --data occubench
    """
    from worktrial.audits.conformance import run_conformance
    from worktrial.cli.audit_tables import print_conformance

    print_conformance([run_conformance(run, data) for run in runs], evidence)


@app.command("show")
def show(
    audits: Annotated[list[Path], typer.Argument(help="Folders of audits of simulators, of judges, or of both.")],
) -> None:
    """Show stored audits again, several models side by side.

    Example: worktrial audit show runs/audit-judge-1 runs/audit-judge-2
    """
    print_audits(audits)


def print_audits(audits: Sequence[Path]) -> None:
    """Print the reports of stored audits, those of simulators first."""
    from worktrial.audits.judge import SUITE as JUDGES
    from worktrial.audits.judge_report import judge_report
    from worktrial.audits.simulator_report import simulator_report
    from worktrial.cli.audit_tables import print_judges, print_simulator
    from worktrial.engine.stored import open_run

    judges = [folder for folder in audits if open_run(folder).manifest.suite == JUDGES]
    simulators = [folder for folder in audits if folder not in judges]
    if simulators:
        print_simulator([simulator_report(folder) for folder in simulators])
    if judges:
        print_judges([judge_report(folder) for folder in judges])


def _of_starter(given: Mapping[str, Any], settings: Any) -> Any:
    from worktrial.audits.sequences import plan_sequences, stored_sequences, stored_work, work_fingerprint
    from worktrial.audits.simulator import SimulatorAudit
    from worktrial.audits.suites import truth_suite

    tasks = _tasks(given)
    work = stored_work(given["from_run"] or (), tasks, truth_suite().name)
    sequences = [*(plan_sequences(tasks) if given["plans"] else ()), *stored_sequences(work)]
    _refuse_nothing(sequences)
    return SimulatorAudit(sequences, settings, data=truth_suite().source, source=work_fingerprint(work))


def _of_faces(given: Mapping[str, Any], settings: Any) -> Any:
    from worktrial.audits.simulator import SimulatorAudit
    from worktrial.audits.twins import data_of, load_twins, refuse_no_sandbox, sequences_of
    from worktrial.errors import SettingError

    if given["from_run"] or not given["plans"]:
        raise SettingError("--suite-folder plays the suite's plans; leave out --from and --no-plans")
    release, faced = load_twins(given["suite_folder"])
    chosen = {task.id for task in _chosen([one.task for one in faced], given)}
    faced = [one for one in faced if one.task.id in chosen]
    refuse_no_sandbox()
    return SimulatorAudit(sequences_of(faced), settings, data=data_of(given["suite_folder"], release, faced))


def _tasks(given: Mapping[str, Any]) -> Any:
    from worktrial.audits.suites import truth_suite

    return _chosen(truth_suite().load_tasks(), given)


def _chosen(tasks: Sequence[Any], given: Mapping[str, Any]) -> Any:
    from worktrial.suites.selection import select

    ids = [part.strip() for text in given["tasks"] or () for part in text.split(",")]
    return select(tasks, ids, given["category"] or (), given["limit"])


def _refuse_nothing(work: list[Any]) -> None:
    from worktrial.errors import SettingError

    if not work:
        raise SettingError("nothing to audit with: leave out --no-plans, or name a stored run with --from")


def _carry_out(audit: Any, role: RoleSettings, given: Mapping[str, Any]) -> Path:
    """Run the audit to its end; returns its folder."""
    from worktrial.cli.untrusted import printable
    from worktrial.engine.progress import display
    from worktrial.engine.run import Interrupted, run_trial
    from worktrial.engine.store import SAMPLES
    from worktrial.errors import StopRun

    settings = run_settings(given, audit.suite, {role.role: role})
    what = f"{audit.suite}: {len(audit.jobs)} samples · {role.role} {role.model} -> {settings.folder}"
    typer.echo(printable(what), err=True)
    folder: Path = settings.folder
    try:
        with display() as progress:
            run_trial(audit, {role.role: role}, settings, progress=progress, signals=True)
    except (Interrupted, StopRun):
        if (folder / SAMPLES).is_file() and (folder / SAMPLES).stat().st_size:
            said = f"What is finished is stored: the same command with -o {folder} goes on from there, and"
            typer.echo(printable(f"{said} `worktrial audit show {folder}` shows it."), err=True)
        raise
    return folder


def _refuse_invalid(folder: Path, given: Mapping[str, Any]) -> None:
    from worktrial.cli.carry_out import FINISHED_WITH_INVALID
    from worktrial.engine.stored import open_run
    from worktrial.grading import Outcome

    records = open_run(folder).records
    invalid = [r for r in records if r.outcome is Outcome.INVALID]
    if len(invalid) > given["max_invalid"] * len(records):
        from worktrial.cli.untrusted import printable

        said = f"{len(invalid)} of {len(records)} are invalid, more than --max-invalid; first: {invalid[0].reason}"
        typer.echo(printable(f"{said}. The same command with -o {folder} runs just those again."), err=True)
        raise typer.Exit(FINISHED_WITH_INVALID)
