"""`worktrial validate SUITE`: does the suite discriminate?"""

from typing import Annotated

import typer


def validate(
    suite: Annotated[
        str, typer.Argument(help="A suite whose tasks have solution plans: starter.", metavar="SUITE")
    ],
) -> None:
    """Check a suite by two agents: plan must pass every task, and idle, which answers at once, none.

    Exits with 1 when a task comes out otherwise.

    Example: worktrial validate starter
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from worktrial.cli.untrusted import printable
    from worktrial.grading import Outcome
    from worktrial.suite import find_suite
    from worktrial.suites.validate import validate_suite

    validations = validate_suite(find_suite(suite))
    table = Table()
    table.add_column("agent")
    table.add_column("must")
    for outcome in Outcome:
        table.add_column(outcome.value, justify="right")
    table.add_column("wrong", justify="right")
    for done in validations:
        counts = [str(sum(r.outcome is outcome for r in done.records)) for outcome in Outcome]
        table.add_row(done.agent, f"{done.must} every task", *counts, str(len(done.wrong)))
    console = Console(highlight=False)
    console.print(table)
    wrong = [(done.agent, record) for done in validations for record in done.wrong]
    for agent, record in wrong:
        said = f"{record.sample}: {record.outcome} with {agent}: {record.reason}"
        console.print(Text(printable(said)), soft_wrap=True)
    if wrong:
        raise typer.Exit(1)
