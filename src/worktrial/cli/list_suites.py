"""`worktrial list`: what can be run."""

from typing import Annotated, Any

import typer

from worktrial.cli.options import data_of_any, takes


@takes(data_of_any)
def list_suites(
    suite: Annotated[
        str | None,
        typer.Argument(help="Show this suite's tasks; a name, or the folder of your own.", metavar="[SUITE]"),
    ] = None,
    **given: Any,
) -> None:
    """List the suites, or the tasks of one.

    Example: worktrial list ./my-suite
    """
    from rich.table import Table

    from worktrial.errors import WorktrialError
    from worktrial.suite import find_suite, suites
    from worktrial.suites.selection import are_all_numbers
    from worktrial.terminal import SafeConsole

    console = SafeConsole()
    if suite is None:
        table = Table("suite", "what it is", "needs")
        for name in suites.names:
            try:
                known = suites.get(name)
                table.add_row(name, known.about, known.needs)
            except WorktrialError as e:
                table.add_row(name, str(e), "-")
        table.add_row(
            "./FOLDER",
            "your own, written by hand or by `worktrial synthesize`",
            "nothing; a simulator model and a judge model where a model plays its workplaces",
        )
        console.print(table)
        return
    found = find_suite(suite)
    rows = found.tasks(found.data.read(given, suite=f"the suite {found.name}", needs=found.needs))
    # Where ids are numbers, a second number beside them would only be taken for one.
    numbered = not are_all_numbers([row.id for row in rows])
    table = Table(*(["no."] if numbered else []), "id", "difficulty", "category", "scenario")
    for number, row in enumerate(rows, 1):
        said = (row.id, row.difficulty, row.category, row.scenario)
        table.add_row(*([str(number)] if numbered else []), *said)
    console.print(table)
    console.print(f"{len(rows)} tasks")
