"""The options of `worktrial run` that all suites share."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from worktrial.cli.option_table import Option
from worktrial.engine.roles import RoleName, RoleSettings
from worktrial.errors import SettingError
from worktrial.suites.usual import LOCAL_CONCURRENCY, LOCAL_TURNS, USUAL_CONCURRENCY, USUAL_TURNS

_LIMITS = "Limits of one sample (the agent's work ends there and is judged)"
_BUDGET = "Budgets of the run (it stops cleanly and can be resumed)"
_RUN = "Run"


def output_options(in_flight: str = "Samples") -> list[Option]:
    """Where results go, how fast, and how far; `in_flight` is what the concurrency counts."""
    return [
        Option("--output", Path | None, "Folder of the run. The same command resumes it.", panel=_RUN, short="-o"),
        Option(
            "--concurrency",
            int | None,
            f"{in_flight} in flight. Default: {USUAL_CONCURRENCY}; {LOCAL_CONCURRENCY} with the embedded model.",
            panel=_RUN,
            minimum=1,
        ),
        Option("--max-invalid", float, "Share of invalid samples that still counts as success.", 0.0, _RUN),
        Option("--cache", Path | None, "Keep every answer in this folder and use it again.", panel=_RUN),
        Option("--cache-only", bool, "Never reach a network: answer from --cache or stop.", False, _RUN),
        Option("--retries", int, "Tries of one request that fails.", 8, _RUN, minimum=1),
        Option("--retry-seconds", float, "Waiting between the tries of one request.", 300.0, _RUN, minimum=0),
        Option("--max-cost", float | None, "US dollars.", panel=_BUDGET, minimum=0),
        Option("--max-tokens", int | None, "Tokens in and out of all roles.", panel=_BUDGET, minimum=1),
        Option("--max-minutes", float | None, "Wall-clock minutes.", panel=_BUDGET, minimum=0),
    ]


def limit_options() -> list[Option]:
    """How long one agent may work on one sample."""
    return [
        Option(
            "--max-turns",
            int | None,
            f"Assistant messages of the agent. Default: {USUAL_TURNS}; {LOCAL_TURNS} for the embedded model.",
            panel=_LIMITS,
            minimum=1,
        ),
        Option("--sample-tokens", int | None, "Tokens of the agent.", panel=_LIMITS, minimum=1),
        Option("--sample-seconds", float | None, "Seconds of the agent's work.", panel=_LIMITS, minimum=0),
        Option("--sample-cost", float | None, "US dollars, all roles.", panel=_LIMITS, minimum=0),
    ]


def run_settings(given: Mapping[str, Any], suite: str, roles: Mapping[RoleName, RoleSettings]) -> Any:
    """The `RunSettings` of the command line's values."""
    from worktrial.engine.retry import RetryPolicy
    from worktrial.engine.run import RunSettings
    from worktrial.engine.spend import Budget

    usual = LOCAL_CONCURRENCY if any(s.is_local for s in roles.values()) else USUAL_CONCURRENCY
    return RunSettings(
        folder=given["output"] or _new_folder(suite),
        concurrency=given["concurrency"] or usual,
        retry=RetryPolicy(attempts=given["retries"], total_seconds=given["retry_seconds"]),
        budget=Budget(given["max_cost"], given["max_tokens"], given["max_minutes"]),
        cache=given["cache"],
        cache_only=given["cache_only"],
        command=("worktrial", *sys.argv[1:]),
    )


def agent_limits(given: Mapping[str, Any], agent: RoleSettings | None) -> Any:
    """The `Limits` of the command line's values."""
    from worktrial.agents.assignment import Limits

    usual = LOCAL_TURNS if agent is not None and agent.is_local else USUAL_TURNS
    return Limits(
        given["max_turns"] or usual, given["sample_tokens"], given["sample_seconds"], given["sample_cost"]
    )


def check_share(given: Mapping[str, Any]) -> None:
    """Refuse a share that is none.

    Raises:
        SettingError: `--max-invalid` is not between 0 and 1.
    """
    if not 0 <= given["max_invalid"] <= 1:
        raise SettingError(f"--max-invalid {given['max_invalid']:g}: a share lies between 0 and 1")


def split_names(texts: list[str] | None, option: str, noun: str) -> list[str]:
    """The names in `texts`, each of which may hold several, separated by commas.

    Raises:
        SettingError: the option was given and names nothing.
    """
    split = [part.strip() for text in texts or () for part in text.split(",")]
    if texts and not any(split):
        raise SettingError(f"{option}: names no {noun}")
    return [part for part in split if part]


def _new_folder(suite: str) -> Path:
    """The first free `runs/SUITE-N`."""
    number = 1
    while (folder := Path("runs") / f"{suite}-{number}").exists():
        number += 1
    return folder
