"""`worktrial validate SUITE`: does the suite discriminate?"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worktrial.cli.options import data_of_any, takes
from worktrial.engine.notices import say, say_json
from worktrial.errors import DataError, SettingError

if TYPE_CHECKING:  # reading a suite's data is not for --help
    from worktrial.finding import Findings
    from worktrial.language import JsonObject
    from worktrial.statistics import Figure
    from worktrial.suite import Suite
    from worktrial.suites.validate import Validation
    from worktrial.synthesis.gates import GateReport
    from worktrial.synthesis.worth import SuiteWorth
    from worktrial.terminal import SafeConsole

_WIDEST = 10_000
"""Characters of a terminal on which any table has room."""


@takes(data_of_any)
def validate(
    suite: Annotated[str, typer.Argument(help="A suite's name, or the folder of your own.", metavar="SUITE")],
    as_json: Annotated[bool, typer.Option("--json", help="Print outcomes, gates and findings as JSON.")] = False,
    card: Annotated[
        bool, typer.Option("--card", help="Print the trust card: twenty points, each with its figures.")
    ] = False,
    from_run: Annotated[
        list[Path] | None,
        typer.Option("--from", help="Stored run or audit that the card draws on, too; repeatable.", metavar="RUN"),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the card there as Markdown.", metavar="FILE")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print what is right in the tasks that are drawn, and why; no check.")
    ] = False,
    **given: Any,
) -> None:
    """Check a suite by its reference agents: one that must pass every task, others that must fail every task.

    Executable workplaces go through the gates as well: bad calls, changed rules, wrong work, agents that do no
    work, leaks, twins. A suite that draws its tasks proves itself over many draws instead. Exits with 1 when
    anything is wrong.

    Example: worktrial validate ./my-suite

    Example: worktrial validate starter --card -o card.md

    Example: worktrial validate shifts --desk credit_desk --length short --variant 3 --explain
    """
    import asyncio

    from worktrial.cli.lint import print_findings
    from worktrial.language.untrusted import printable
    from worktrial.suite import find_suite
    from worktrial.suites.executable import ExecutableSuite
    from worktrial.suites.executable.folder import OwnExecutableSuite
    from worktrial.suites.validate import validate_suite
    from worktrial.synthesis.gates import gates_of
    from worktrial.synthesis.worth import described, worth_of
    from worktrial.terminal import SafeConsole

    known = find_suite(suite)
    if explain:
        if card or as_json:
            raise SettingError("--explain: is a page to read; leave --card and --json out")
        for line in known.explained(given):
            say(printable(line))
        return
    if card:
        _print_card(known, suite, given, from_run or [], output, as_json=as_json)
        return
    if from_run or output is not None:
        raise SettingError("--from, --output: are about the card; add --card")
    console = SafeConsole()
    proof = known.proof(given)
    if proof is not None:
        if as_json:
            rows = [dict(zip(proof.columns, row, strict=True)) for row in proof.rows]
            _print_json(known, rows=rows, findings=proof.findings.findings)
        else:
            _print_table(console, proof.columns, proof.rows)
            print_findings(known.title, proof.findings, asked=True, word=suite)
        if proof.findings.findings:
            raise typer.Exit(1)
        return
    figures = worth_of(known.root / "suite.yaml") if isinstance(known, OwnExecutableSuite) else None
    data = {name: value for name, value in given.items() if value is not None}
    validations = validate_suite(known, data)
    report = None
    if isinstance(known, ExecutableSuite):
        chosen = known.data.read(data, suite=f"the suite {known.name}", needs=known.needs)
        report = asyncio.run(gates_of(known, chosen))
    if as_json:
        _print_outcomes_json(known, validations, report, figures)
    else:
        for line in described(figures) if figures is not None else ():
            say(line)
        _print_outcomes(console, validations)
        if report is not None:
            _print_gates(console, report)
            if report.findings:
                print_findings(known.title, _as_findings(report), asked=True, word=suite)
    if any(done.wrong for done in validations) or (report is not None and report.wrong):
        raise typer.Exit(1)


def _print_card(
    suite: "Suite",
    word: str,
    given: Mapping[str, Any],
    stored: Sequence[Path],
    output: Path | None,
    *,
    as_json: bool,
) -> None:
    from tempfile import TemporaryDirectory

    from worktrial.engine.stored import open_run
    from worktrial.results.card import CardEvidence, card_of
    from worktrial.results.writing import to_markdown, to_rich
    from worktrial.suite import is_audit
    from worktrial.suites.validate import parts_of_models, reference_runs
    from worktrial.terminal import SafeConsole

    data = {name: value for name, value in given.items() if value is not None}
    chosen = suite.data.read(data, suite=f"the suite {suite.name}", needs=suite.needs)
    opened = [open_run(folder) for folder in stored]
    audits = [run for run in opened if is_audit(run.manifest)]
    own = [run for run in opened if run not in audits]
    if other := next((run for run in own if run.manifest.suite != suite.name), None):
        fix = f"Name runs of {suite.title}, and audits"
        raise DataError(other.folder, f"is a run of {other.manifest.title}", fix)
    tasks = len(suite.tasks(chosen))
    with TemporaryDirectory(prefix="worktrial-") as folder:
        parts = parts_of_models(suite)
        runs = [] if parts else reference_runs(suite, data, Path(folder))
        why = f"models play {' and '.join(parts)}" if parts else ""
        found = _found(suite, data, chosen, tasks)
        made = card_of(CardEvidence(suite, [*runs, *own], audits, found, tasks, word, why))
    if output is not None:
        output.write_text(to_markdown(made.table()), encoding="utf-8")
    if as_json:
        say_json(made.text())
    else:
        SafeConsole().print(to_rich(made.table()))


def _found(suite: "Suite", data: Mapping[str, Any], chosen: Any, tasks: int) -> "list[Figure]":
    """Shares of the tasks in which gates or a proof, and a lint, find something."""
    import asyncio

    from worktrial.results.card import found_count, found_share
    from worktrial.suite import Suite
    from worktrial.suites.executable import ExecutableSuite
    from worktrial.synthesis.gates import MEANINGS, gates_of

    found = []
    if isinstance(suite, ExecutableSuite):
        report = asyncio.run(gates_of(suite, chosen))
        about = {gate.value: said for gate, said in MEANINGS.items()}
        counts = [(row["gate"], row["findings"], row["checked"]) for row in _gate_rows(report)]
        found += [found_share(gate, hits, n, tasks, about[gate]) for gate, hits, n in counts]
    looks = [proof.findings] if (proof := suite.proof(data)) is not None else []
    if type(suite).lint is not Suite.lint:
        looks.append(suite.lint(chosen))
    return [*found, *(found_count(check, look) for look in looks for check in look.checks)]


def _print_outcomes(console: "SafeConsole", validations: "Sequence[Validation]") -> None:
    from rich.text import Text

    from worktrial.grading import Outcome
    from worktrial.language.untrusted import printable
    from worktrial.terminal import table_of

    table = table_of(("agent", "must"), (*(outcome.value for outcome in Outcome), "wrong"))
    for done in validations:
        counts = [str(sum(r.outcome is outcome for r in done.records)) for outcome in Outcome]
        table.add_row(done.agent, f"{done.must} every task", *counts, str(len(done.wrong)))
    console.print(table)
    for done in validations:
        for record in done.wrong:
            said = f"{record.sample}: {record.outcome} with {done.agent}: {record.reason}"
            console.print(Text(printable(said)), soft_wrap=True)


def _print_gates(console: "SafeConsole", report: "GateReport") -> None:
    from worktrial.language.untrusted import printable

    rows = [(row["gate"], str(row["checked"]), str(row["findings"])) for row in _gate_rows(report)]
    _print_table(console, ("gate", "checked", "findings"), rows)
    if report.mutants:
        noticed = sum(bool(one.by) for one in report.mutants)
        console.print(
            f"{noticed} of {len(report.mutants)} changed rules were noticed by expectations, plans or bad calls"
        )
    if report.uncited:
        console.print(printable(f"cited by nothing: {', '.join(report.uncited)}"))


def _gate_rows(report: "GateReport") -> "list[JsonObject]":
    from worktrial.synthesis.gates import GateName

    counts = {gate: sum(one.check == gate for one in report.findings) for gate in GateName}
    return [
        {"gate": gate.value, "checked": report.checked[gate], "findings": counts[gate]}
        for gate in GateName
        if gate in report.checked
    ]


def _as_findings(report: "GateReport") -> "Findings":
    from worktrial.finding import Findings
    from worktrial.synthesis.gates import MEANINGS, GateName

    names = [gate.value for gate in GateName if any(one.check == gate for one in report.findings)]
    about = {gate.value: said for gate, said in MEANINGS.items()}
    return Findings(names, report.findings, {"gates": len(report.checked)}, about=about)


def _print_outcomes_json(
    suite: "Suite",
    validations: "Sequence[Validation]",
    report: "GateReport | None",
    figures: "SuiteWorth | None",
) -> None:
    from worktrial.grading import Outcome

    agents = [
        {
            "agent": done.agent,
            "must": done.must.value,
            **{outcome.value: sum(r.outcome is outcome for r in done.records) for outcome in Outcome},
            "wrong": [{"sample": r.sample, "outcome": r.outcome, "reason": r.reason} for r in done.wrong],
        }
        for done in validations
    ]
    measured = {} if figures is None else {"measured": figures}
    if report is None:
        _print_json(suite, **measured, agents=agents)
        return
    _print_json(
        suite,
        **measured,
        agents=agents,
        gates=_gate_rows(report),
        mutants=report.mutants,
        uncited=report.uncited,
        findings=report.findings,
    )


def _print_json(suite: "Suite", **parts: Any) -> None:
    import msgspec

    say_json(msgspec.json.format(msgspec.json.encode({"suite": suite.title, **parts}), indent=2).decode())


def _print_table(console: "SafeConsole", columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table; where the terminal is too narrow for it, a line for each row that names its figures."""
    from worktrial.terminal import table_of

    table = table_of(tuple(columns[:1]), tuple(columns[1:]))
    for row in rows:
        table.add_row(*row)
    if console.measure(table, options=console.options.update_width(_WIDEST)).maximum <= console.width:
        console.print(table)
        return
    for name, *figures in rows:
        told = ", ".join(f"{column} {figure}" for column, figure in zip(columns[1:], figures, strict=True))
        console.print(f"{name}: {told}")
