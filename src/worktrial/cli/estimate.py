"""`worktrial estimate SUITE`: what a run will take, before its first request."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import Field

from worktrial.cli.lazy import about_suite, suite_group
from worktrial.cli.options import command_of, takes, together
from worktrial.cli.places import AsJson, records_folder
from worktrial.engine.notices import say, say_json
from worktrial.errors import flag, spell_options
from worktrial.options import Amount, Flag, Options
from worktrial.results.writing import NONE, dollars, whole

if TYPE_CHECKING:
    from worktrial.engine.spend import Budget
    from worktrial.results.run_estimate import EstimatedAmount, RunEstimate

_PANEL = "What it goes by"


class EstimateOptions(Options):
    """Knowledge that an estimate goes by."""

    from_run: Annotated[list[Path], Flag(_PANEL, common=True, short="--from", metavar="RUN")] = Field([])
    """Run of the suite to go by, such as one of a few tasks; repeat it for several. An agent with runs of its own
    among them goes by those."""
    latency: Annotated[Amount | None, Flag(_PANEL, common=True, metavar="SECONDS")] = None
    """Seconds of an answer. Default: as in the runs of --from, else 2."""


def _command(suite: Any, word: str) -> Any:
    @takes(lambda: together(EstimateOptions, suite.every_option))
    def estimate(
        agent: Annotated[
            list[str] | None,
            typer.Option(
                help="Who would take the trial, as for `worktrial run`; repeat it for several. (required)",
                rich_help_panel="Who takes part",
            ),
        ] = None,
        as_json: AsJson = False,
        **given: Any,
    ) -> None:
        from worktrial.engine.stored import open_run
        from worktrial.results.run_estimate import estimate_runs
        from worktrial.trials import prepare, prepare_all

        own = EstimateOptions.read({n: given.pop(n) for n in EstimateOptions.model_fields}, suite="estimate")
        if agent is not None and len(agent) > 1:
            planned = prepare_all(suite, agent, given)
        else:
            planned = [prepare(suite, agent[0] if agent else None, given)]
        stored = [open_run(records_folder(str(folder)), grounds=False) for folder in own.from_run]
        found = estimate_runs(planned, stored, latency=own.latency)
        if as_json:
            say_json(found.text())
        else:
            _print(found, len(planned), planned[0].settings.budget)

    options = "Takes the options of `worktrial run`, and sends nothing."
    return command_of(estimate, word, path="estimate", help=f"{about_suite(suite)}\n\n{options}")


app = suite_group(
    "Say what a run will take, before its first request.\n\n"
    "Example: worktrial estimate starter --agent my-model --base-url http://localhost:8000/v1 --faults all",
    _command,
)


def _print(found: "RunEstimate", agents: int, budget: "Budget") -> None:
    from worktrial.cli.tables import show_table
    from worktrial.engine.progress import duration

    rows = [
        ("requests", *_cells(found.requests, whole)),
        ("tokens", *_cells(found.tokens, whole)),
        ("US dollars", *_cells(found.cost, dollars)),
    ]
    if agents > 1 or len(found.roles) > 1:
        for one in found.roles:
            who = f"  of {one.agent}: " if agents > 1 else "  of the "
            rows.append((f"{who}{one.role}", f"{whole(one.requests)} requests", ""))
    rows.append(("time", duration(found.seconds), ""))
    rows.append(("disk", f"{found.disk_bytes / 1e6:,.1f} MB", ""))
    rows.append(("memory", f"{found.memory_bytes / 1e6:,.0f} MB", ""))
    of = f", {agents} agents" if agents > 1 else ""
    show_table(f"{found.suite}: {found.samples:,} samples{of}", ("it takes", "likely", "95 % interval"), rows)
    for line in _spent(found, budget):
        say(line)
    for line in found.assumed:
        say(f"assumed: {spell_options(line, flag)}")


def _cells(amount: "EstimatedAmount | None", form: Callable[[float], str]) -> tuple[str, str]:
    if amount is None:
        return "unknown: a model without a price", ""
    if amount.low is None or amount.high is None:
        return form(amount.likely), NONE
    return form(amount.likely), f"{form(amount.low)} to {form(amount.high)}"


def _spent(found: "RunEstimate", budget: "Budget") -> "list[str]":
    """Sentences on the budgets that end the run before its last sample."""
    took = {
        "--max-cost": (budget.cost, 0.0 if found.cost is None else found.cost.likely),
        "--max-tokens": (budget.tokens, found.tokens.likely),
        "--max-minutes": (budget.minutes, found.seconds / 60),
    }
    return [
        f"{name} {most:g} would end it after about {most / likely:.0%} of its samples"
        for name, (most, likely) in took.items()
        if most is not None and likely > most
    ]
