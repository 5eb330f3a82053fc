"""`worktrial estimate SUITE`: what a run will take, before its first request."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worktrial.cli.lazy import about_suite, suite_group
from worktrial.cli.places import records_folder
from worktrial.engine.notices import say, say_json
from worktrial.errors import flag, spell_options

if TYPE_CHECKING:
    from worktrial.engine.spend import Budget
    from worktrial.results.run_estimate import EstimatedAmount, RunEstimate

_PANEL = "What it goes by"


def _command(suite: Any, word: str) -> Any:
    from worktrial.cli.options import command_of, takes

    @takes(lambda: suite.every_option)
    def estimate(
        agent: Annotated[
            list[str] | None,
            typer.Option(
                help="Who would take the trial, as for `worktrial run`; repeat it for several. (required)",
                rich_help_panel="Who takes part",
            ),
        ] = None,
        earlier: Annotated[
            list[Path] | None,
            typer.Option(
                "--from",
                help="Run of the suite to go by, such as one of a few tasks; repeat it for several. An agent with "
                "runs of its own among them goes by those.",
                metavar="RUN",
                parser=records_folder,
                rich_help_panel=_PANEL,
            ),
        ] = None,
        latency: Annotated[
            float | None,
            typer.Option(
                help="Seconds of an answer. Default: as in the runs of --from, else 2.",
                min=0.0,
                metavar="SECONDS",
                rich_help_panel=_PANEL,
            ),
        ] = None,
        as_json: Annotated[
            bool, typer.Option("--json", help="Print the figures as JSON.", rich_help_panel=_PANEL)
        ] = False,
        **given: Any,
    ) -> None:
        from worktrial.engine.stored import open_run
        from worktrial.results.run_estimate import estimate_runs
        from worktrial.trials import prepare, prepare_all

        if agent is not None and len(agent) > 1:
            planned = prepare_all(suite, agent, given)
        else:
            planned = [prepare(suite, agent[0] if agent else None, given)]
        stored = [open_run(folder, grounds=False) for folder in earlier or ()]
        found = estimate_runs(planned, stored, latency=latency)
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
    from rich.table import Table

    from worktrial.engine.progress import duration
    from worktrial.terminal import SafeConsole

    of = f", {agents} agents" if agents > 1 else ""
    table = Table(title=f"{found.suite}: {found.samples:,} samples{of}", title_justify="left", box=None)
    for name in ("", "likely", "95 % interval"):
        table.add_column(name, justify="left" if not name else "right")
    for name, amount, form in (
        ("requests", found.requests, "{:,.0f}"),
        ("tokens", found.tokens, "{:,.0f}"),
        ("US dollars", found.cost, "{:,.2f}"),
    ):
        table.add_row(name, *_cells(amount, form))
    if agents > 1 or len(found.roles) > 1:
        for one in found.roles:
            who = f"  of {one.agent}: " if agents > 1 else "  of the "
            table.add_row(f"{who}{one.role}", f"{one.requests:,.0f} requests", "")
    table.add_row("time", duration(found.seconds), "")
    table.add_row("disk", f"{found.disk_bytes / 1e6:,.1f} MB", "")
    table.add_row("memory", f"{found.memory_bytes / 1e6:,.0f} MB", "")
    SafeConsole().print(table)
    for line in _spent(found, budget):
        say(line)
    for line in found.assumed:
        say(f"assumed: {spell_options(line, flag)}")


def _cells(amount: "EstimatedAmount | None", form: str) -> tuple[str, str]:
    if amount is None:
        return "unknown: a model without a price", ""
    if amount.low is None or amount.high is None:
        return form.format(amount.likely), "-"
    return form.format(amount.likely), f"{form.format(amount.low)} - {form.format(amount.high)}"


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
