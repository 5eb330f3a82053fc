"""`worktrial regrade RUN`: judge stored work again."""

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from pydantic import Field

from worktrial.cli.options import data_of_any, takes, together
from worktrial.cli.places import run_at
from worktrial.engine.notices import say
from worktrial.engine.roles import Role, RoleName, RoleSettings
from worktrial.errors import SettingError, option
from worktrial.options import Count, EndpointOptions, Flag, RunOptions, with_roles

_JUDGING = "Judging"


class RegradeOptions(EndpointOptions, RunOptions):
    """Settings of the judge and of its model."""

    judge: Annotated[str | None, Flag(_JUDGING, common=True, metavar="MODEL")] = None
    """The model that judges: a name, openai/NAME, or local."""
    rubric: Annotated[Path | None, Flag(_JUDGING, common=True, metavar="FILE")] = None
    """JSONL of {"sample": …, "rubric": …}: rubrics that replace those of the tasks."""
    votes: Annotated[Count | None, Flag(_JUDGING, common=True, default="as in RUN")] = None
    """Votes of the judge."""
    parallel_votes: Annotated[bool, Flag(_JUDGING)] = False
    """Ask for all votes at once."""
    judge_method: Annotated[Literal["votes", "logprob"] | None, Flag(_JUDGING, default="as in RUN")] = None
    """Majority of votes, or logprob: the probability of yes on each statement of the rubric."""
    judge_record: Annotated[
        Annotated[int, Field(ge=1000)] | None, Flag(_JUDGING, default="120000; 12000 for the embedded model")
    ] = None
    """Characters of a trajectory that the judge is shown."""
    force: Annotated[bool, Flag(_JUDGING)] = False
    """Judge by this data though it is not that of RUN."""


_OPTIONS = with_roles(RegradeOptions, [Role.JUDGE])


@takes(lambda: together(_OPTIONS, data_of_any()))
def regrade(
    run: Annotated[Path, run_at("Folder or address of the run whose work is judged again.")],
    **given: Any,
) -> None:
    """Judge the stored work of a run again, without the agent: another judge, other rubrics, other votes.

    The result is a run of its own that names its source. Work that code checks is checked by code again; a judge's
    votes are kept beside.

    Example: worktrial regrade runs/first --judge openai/gpt-5 --votes 5 -o runs/first-again
    """
    from worktrial.cli.carry_out import carry_out
    from worktrial.engine.role_values import settings_for
    from worktrial.engine.stored import open_run
    from worktrial.suite import find_suite, find_suite_of
    from worktrial.suites.regrade import RegradeTrial, judging_as_stored, read_rubrics, refuse_other_data
    from worktrial.trial.settings import LOCAL_RECORD, USUAL_RECORD
    from worktrial.trials import PreparedRun, settings_of, sharded

    own = {name: value for name, value in given.items() if name in _OPTIONS.model_fields}
    options: Any = _OPTIONS.read(own, suite="regrade")
    source = open_run(run)
    if not source.records:
        raise SettingError(f"{source.folder}: no sample has finished, so there is nothing to judge")
    roles: dict[RoleName, RoleSettings] = {}
    if options.judge:
        roles[Role.JUDGE] = settings_for(Role.JUDGE, options.judge, options.model_dump())
    local = any(role.is_local for role in roles.values())
    judging = judging_as_stored(
        source.manifest,
        {
            "votes": options.votes,
            "parallel_votes": options.parallel_votes,
            "judge_method": options.judge_method,
            "judge_record": options.judge_record or (LOCAL_RECORD if local else USUAL_RECORD),
        },
    )
    asked = {name: value for name, value in given.items() if name not in _OPTIONS.model_fields}
    manifest = source.manifest
    # A folder of one's own that lies elsewhere now.
    moved = asked.pop("data", None) if manifest.is_own else None
    suite = find_suite_of(manifest) if moved is None else find_suite(moved)
    if options.rubric and not options.judge:
        raise SettingError(f"{option('rubric')}: is for a judge, and none is named. Add {option('judge')} MODEL")
    data = suite.data.read(asked, suite=f"the suite {suite.name}", needs=suite.needs)
    grader = suite.grader(source, data, vars(judging), list(roles))
    if not options.force:
        refuse_other_data(source, grader)
    rubrics = read_rubrics(options.rubric) if options.rubric else None
    trial = sharded(RegradeTrial(source, grader, judging, rubrics), options)
    command = ("worktrial", *sys.argv[1:])
    settings = settings_of(options, f"{trial.suite}-regraded", roles, command=command)
    if settings.folder.resolve() == source.folder.resolve():
        raise SettingError(f"-o {settings.folder}: is the run to be judged again; name another folder")
    if missing := source.manifest.samples - len(source.records):
        say(f"{source.folder} is unfinished: {missing} samples are still to come and are left out.", err=True)
    try:
        carry_out(PreparedRun(suite, options, trial, roles, settings, []))
    except typer.Exit:
        _compare(source.folder, settings.folder)
        raise
    _compare(source.folder, settings.folder)


def _compare(before: Path, after: Path) -> None:
    """Say what changed against the source run, and whether the two may be compared at all."""
    from worktrial.engine.identity import comparable
    from worktrial.engine.pairing import pair_runs
    from worktrial.engine.stored import open_run

    first, second = open_run(before), open_run(after)
    flips: dict[str, int] = {}
    pairs = pair_runs(first, second).pairs
    for pair in pairs:
        if pair.first.outcome is not pair.second.outcome:
            flip = f"{pair.first.outcome} -> {pair.second.outcome}"
            flips[flip] = flips.get(flip, 0) + 1
    said = "".join(f"; {flip}: {count}" for flip, count in sorted(flips.items()))
    say(f"{sum(flips.values())} of {len(pairs)} outcomes differ from {before}{said}")
    differences = comparable(first.manifest, second.manifest)
    if differences:
        say(f"not comparable with {before}:")
        for difference in differences:
            say(f"  {difference}")
