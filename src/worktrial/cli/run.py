"""`worktrial run SUITE`: put an agent to work."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

import typer

from worktrial.cli.fault_options import fault_options
from worktrial.cli.option_table import Option, with_options
from worktrial.cli.own_suite import SuiteGroup
from worktrial.cli.role_options import role_options, shared_options, tool_mode_option
from worktrial.cli.run_options import check_share, limit_options, output_options, run_settings, split_names
from worktrial.engine.roles import Role

app = typer.Typer(
    cls=SuiteGroup,
    no_args_is_help=True,
    subcommand_metavar="SUITE|FOLDER [ARGS]...",
    help="Put an agent to work on a suite: one of those below, or one of your own, by its folder. "
    "That takes the options of occupations, without --data.\n\n"
    "Example: worktrial run ./my-suite --base-url http://localhost:8000/v1 --agent my-model "
    "--simulator my-model --judge my-model",
)


class Memory(StrEnum):
    """Where a simulated workplace keeps its state."""

    HISTORY = "history"
    LEDGER = "ledger"


class SimulatorPrompt(StrEnum):
    """How a simulator is told its part."""

    FULL = "full"
    COMPACT = "compact"


class JudgeMethod(StrEnum):
    """How a judge decides."""

    VOTES = "votes"
    LOGPROB = "logprob"


_WHO = "Who takes part"
_WHAT = "Which tasks"
_SIMULATION = "Simulation and judging"

_AGENT = Option(
    "--agent",
    str,
    "Who takes the trial: a model's name at --base-url, openai/NAME, local (the embedded model), plan (follows "
    "each task's solution plan, no model), idle (answers at once), or python:MODULE:FUNCTION (your own).",
    ...,
    _WHO,
)
_JUDGING = [
    Option("--votes", int, "Votes of the judge on each sample; the majority decides.", 3, _SIMULATION, minimum=1),
    Option("--parallel-votes", bool, "Ask for all votes at once: faster, and a third dearer.", False, _SIMULATION),
    Option(
        "--judge-method",
        JudgeMethod,
        "votes, or logprob: the probability of yes on each statement of the rubric (for small models).",
        JudgeMethod.VOTES,
        _SIMULATION,
    ),
    Option(
        "--judge-record",
        int | None,
        "Characters of a trajectory that the judge is shown; long observations are cut in the middle. Default: "
        "120000; 12000 for the embedded model.",
        panel=_SIMULATION,
        minimum=1000,
    ),
]

_SIMULATING = [
    Option(
        "--memory",
        Memory,
        "history: the simulator sees the whole conversation. ledger: it sees an explicit state that each call "
        "patches, so prompts stay short and contradictions show.",
        Memory.HISTORY,
        _SIMULATION,
    ),
    Option(
        "--simulator-prompt",
        SimulatorPrompt | None,
        "full, or compact for small models. Default: full; compact for the embedded model.",
        panel=_SIMULATION,
    ),
]
_CHOICE = [
    Option("--tasks", list[str] | None, "Only these task ids; comma-separated or repeated.", panel=_WHAT),
    Option(
        "--category",
        list[str] | None,
        "Only these industries (names, or their beginnings); comma-separated or repeated.",
        panel=_WHAT,
    ),
    Option("--limit", int | None, "At most so many tasks.", panel=_WHAT, minimum=1),
    Option("--repeats", int, "Samples of each task.", 1, _WHAT, minimum=1),
]
_ROLES = [tool_mode_option(), *(o for role in (Role.AGENT, Role.SIMULATOR, Role.JUDGE) for o in role_options(role))]


@app.command("occupations")
@with_options(
    [
        Option(
            "--data", Path, "Folder of the OccuBench release, or of a suite of your own.", ..., _WHAT, metavar="DIR"
        ),
        _AGENT,
        Option(
            "--simulator", str, "The model that plays the workplaces: a name, openai/NAME, or local.", ..., _WHO
        ),
        Option("--judge", str, "The model that judges: a name, openai/NAME, or local.", ..., _WHO),
        *_CHOICE,
        Option(
            "--with-plan", bool, "Show the agent each task's solution plan, where the data has them.", False, _WHAT
        ),
        *_SIMULATING,
        *_JUDGING,
        *fault_options(),
        *output_options(),
        *limit_options(),
        *shared_options(),
        *_ROLES,
    ]
)
def occupations(**given: Any) -> None:
    """OccuBench: professional tasks in workplaces that a language model plays, judged by majority vote.

    Example: worktrial run occupations --data occubench --base-url http://localhost:8000/v1
    --agent my-model --simulator my-model --judge my-model --limit 10 -o runs/first
    """
    _run("occupations", given)


@app.command("starter")
@with_options(
    [
        _AGENT,
        Option("--judge", str | None, "Also ask this model to judge by the rubric; the checks decide.", panel=_WHO),
        *_CHOICE,
        *_JUDGING,
        *fault_options(),
        *output_options(),
        *limit_options(),
        *shared_options(),
        tool_mode_option(),
        *role_options(Role.AGENT),
        *role_options(Role.JUDGE),
    ]
)
def starter(**given: Any) -> None:
    """Our own workplaces: executable, checked by code. Needs no simulator, no judge and no network.

    Example: worktrial run starter --agent plan -o runs/plan
    """
    _run("starter", given)


def _run(suite: str, given: Mapping[str, Any]) -> None:
    from worktrial.cli.carry_out import carry_out
    from worktrial.trials import prepare

    check_share(given)
    for name, noun in (("tasks", "task"), ("category", "industry")):
        split_names(given[name], f"--{name}", noun)
    options = {name: value for name, value in given.items() if name != "agent"}
    prepared = prepare(suite, given["agent"], options)
    carry_out(prepared.trial, prepared.models, run_settings(given, suite, prepared.models), given)
