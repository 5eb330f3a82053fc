"""`worktrial regrade RUN`: judge stored work again."""

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from worktrial.cli.option_table import Option, with_options
from worktrial.cli.role_options import role_options, settings_for, shared_options
from worktrial.cli.run import JudgeMethod
from worktrial.cli.run_options import check_share, output_options, run_settings
from worktrial.engine.roles import Role, RoleName, RoleSettings
from worktrial.errors import SettingError
from worktrial.suites.usual import LOCAL_RECORD, USUAL_RECORD

_JUDGING = "Judging"
_AGENTS_OWN = {"max_turns", "sample_tokens", "sample_seconds", "sample_cost"}


@dataclass(frozen=True, slots=True)
class _Argument(Option):
    """A row for a positional argument."""

    def parameter(self) -> inspect.Parameter:
        info = typer.Argument(help=self.help, metavar=self.metavar)
        return inspect.Parameter(self.name, inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[self.kind, info])


@with_options(
    [
        _Argument("run", Path, "Folder of the run whose work is judged again.", metavar="RUN"),
        Option("--judge", str | None, "The model that judges: a name, openai/NAME, or local.", panel=_JUDGING),
        Option(
            "--data",
            Path | None,
            "Folder of the suite's data, where it needs one.",
            panel=_JUDGING,
            metavar="DIR",
        ),
        Option(
            "--rubric",
            Path | None,
            'JSONL of {"sample": …, "rubric": …}: rubrics that replace those of the tasks.',
            panel=_JUDGING,
            metavar="FILE",
        ),
        Option("--votes", int | None, "Votes of the judge. Default: as in RUN.", panel=_JUDGING, minimum=1),
        Option("--parallel-votes", bool, "Ask for all votes at once.", False, _JUDGING),
        Option("--judge-method", JudgeMethod | None, "votes or logprob. Default: as in RUN.", panel=_JUDGING),
        Option(
            "--judge-record",
            int | None,
            "Characters of a trajectory that the judge is shown. Default: 120000; 12000 for the embedded model.",
            panel=_JUDGING,
            minimum=1000,
        ),
        Option("--force", bool, "Judge by this data though it is not that of RUN.", False, _JUDGING),
        *(option for option in output_options() if option.name not in _AGENTS_OWN),
        *shared_options(),
        *role_options(Role.JUDGE),
    ]
)
def regrade(**given: Any) -> None:
    """Judge the stored work of a run again, without the agent: another judge, other rubrics, other votes.

    The result is a run of its own that names its source. Work on starter tasks is checked by code again;
    a judge's votes are kept beside.

    Example: worktrial regrade runs/first --data occubench --judge openai/gpt-5 --votes 5 -o runs/first-again
    """
    from worktrial.cli.carry_out import carry_out
    from worktrial.engine.stored import open_run
    from worktrial.suite import suite_of
    from worktrial.suites.regrade import RegradeTrial, judging_as_stored, read_rubrics, refuse_other_data

    check_share(given)
    source = open_run(given["run"])
    if not source.records:
        raise SettingError(f"{source.folder}: no sample has finished, so there is nothing to judge")
    roles: dict[RoleName, RoleSettings] = {}
    if given["judge"]:
        roles[Role.JUDGE] = settings_for(Role.JUDGE, given["judge"], given)
    local = any(role.is_local for role in roles.values())
    judging = judging_as_stored(
        source.manifest,
        {
            "votes": given["votes"],
            "parallel_votes": given["parallel_votes"],
            "judge_method": given["judge_method"],
            "judge_record": given["judge_record"] or (LOCAL_RECORD if local else USUAL_RECORD),
        },
    )
    suite = suite_of(source.manifest.suite)
    if suite is None:
        raise SettingError(
            f"{given['run']}: is a run of the suite {source.manifest.suite!r}, which this version does not know"
        )
    if given["rubric"] and not given["judge"]:
        raise SettingError("--rubric: is for a judge, and none is named. Add --judge MODEL")
    fields = {} if given["data"] is None else {"data": given["data"]}
    data = suite.data.read(fields, suite=f"the suite {suite.name}", needs=suite.needs)
    grader = suite.grader(source, data, vars(judging), roles)
    if not given["force"]:
        refuse_other_data(source, grader)
    trial = RegradeTrial(source, grader, judging, read_rubrics(given["rubric"]) if given["rubric"] else None)
    settings = run_settings(given, f"{trial.suite}-regraded", roles)
    if settings.folder.resolve() == source.folder.resolve():
        raise SettingError(f"-o {settings.folder}: is the run to be judged again; name another folder")
    if missing := source.manifest.samples - len(source.records):
        typer.echo(
            f"{source.folder} is unfinished: {missing} samples are still to come and are left out.", err=True
        )
    try:
        carry_out(trial, roles, settings, given)
    except typer.Exit:
        _compare(source.folder, settings.folder)
        raise
    _compare(source.folder, settings.folder)


def _compare(before: Path, after: Path) -> None:
    """Say what changed against the source run, and whether the two may be compared at all."""
    from worktrial.cli.untrusted import printable
    from worktrial.engine.stored import open_run
    from worktrial.results.comparable import comparable
    from worktrial.results.pairing import pair_runs

    first, second = open_run(before), open_run(after)
    flips: dict[str, int] = {}
    pairs = pair_runs(first, second).pairs
    for pair in pairs:
        if pair.first.outcome is not pair.second.outcome:
            flip = f"{pair.first.outcome} -> {pair.second.outcome}"
            flips[flip] = flips.get(flip, 0) + 1
    said = "".join(f"; {flip}: {count}" for flip, count in sorted(flips.items()))
    typer.echo(f"{sum(flips.values())} of {len(pairs)} outcomes differ from {before}{said}")
    differences = comparable(first.manifest, second.manifest)
    if differences:
        typer.echo(f"not comparable with {before}:")
        for difference in differences:
            typer.echo(f"  {printable(difference)}")
