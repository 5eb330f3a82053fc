"""`worktrial validate SUITE`: does the suite discriminate?"""

from typing import Annotated, Any

import typer

from worktrial.cli.options import data_of_any, takes


@takes(data_of_any)
def validate(
    suite: Annotated[str, typer.Argument(help="A suite's name, or the folder of your own.", metavar="SUITE")],
    **given: Any,
) -> None:
    """Check a suite by its reference agents: one that must pass every task, one that must fail every task.

    A suite that draws its tasks proves itself over many draws instead. Exits with 1 when anything is wrong.

    Example: worktrial validate ./my-suite
    """
    from rich.console import Console
    from rich.text import Text

    from worktrial.cli.lint import print_findings
    from worktrial.grading import Outcome
    from worktrial.language.untrusted import printable
    from worktrial.suite import find_suite
    from worktrial.suites.validate import validate_suite
    from worktrial.terminal import table_of

    known = find_suite(suite)
    console = Console(highlight=False)
    proof = known.proof(given)
    if proof is not None:
        table = table_of(tuple(proof.columns[:1]), tuple(proof.columns[1:]))
        for row in proof.rows:
            table.add_row(*row)
        console.print(table)
        print_findings(known.title, proof.findings, asked=True, word=suite)
        if proof.findings.findings:
            raise typer.Exit(1)
        return
    data = {name: value for name, value in given.items() if value is not None}
    validations = validate_suite(known, data)
    table = table_of(("agent", "must"), (*(outcome.value for outcome in Outcome), "wrong"))
    for done in validations:
        counts = [str(sum(r.outcome is outcome for r in done.records)) for outcome in Outcome]
        table.add_row(done.agent, f"{done.must} every task", *counts, str(len(done.wrong)))
    console.print(table)
    wrong = [(done.agent, record) for done in validations for record in done.wrong]
    for agent, record in wrong:
        said = f"{record.sample}: {record.outcome} with {agent}: {record.reason}"
        console.print(Text(printable(said)), soft_wrap=True)
    if wrong:
        raise typer.Exit(1)
