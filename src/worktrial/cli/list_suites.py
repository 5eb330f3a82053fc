"""`worktrial list`: what can be run."""

from typing import Annotated, Any

import typer

from worktrial.cli.options import data_of_any, takes
from worktrial.engine.notices import say


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
    from worktrial.cli.tables import show_table
    from worktrial.errors import WorktrialError
    from worktrial.suite import find_suite, suites
    from worktrial.suites.selection import are_all_numbers

    if suite is None:
        known = []
        for name in suites.names:
            try:
                one = suites.get(name)
                known.append((name, one.about, one.needs))
            except WorktrialError as e:
                known.append((name, str(e), "-"))
        own = "your own, written by hand or by `worktrial synthesize`"
        needs = "nothing; a simulator model and a judge model where a model plays its workplaces"
        show_table("", ("suite", "what it is", "needs"), [*known, ("./FOLDER", own, needs)])
        return
    found = find_suite(suite)
    tasks = found.tasks(found.data.read(given, suite=f"the suite {found.name}", needs=found.needs))
    rows = [(row.id, row.difficulty, row.category, row.scenario) for row in tasks]
    columns = ("id", "difficulty", "category", "scenario")
    # Where ids are numbers, a second number beside them would only be taken for one.
    if are_all_numbers([row.id for row in tasks]):
        show_table("", columns, rows)
    else:
        show_table("", ("no.", *columns), [(str(number), *row) for number, row in enumerate(rows, 1)])
    say(f"{len(rows)} tasks")
