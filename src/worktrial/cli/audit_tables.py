"""Tables of audits for the terminal."""

from collections.abc import Iterable, Sequence

from rich.text import Text

from worktrial.audits.conformance import TABLES, RunConformance
from worktrial.audits.figures import tables_of
from worktrial.audits.labels import LabelReport, PooledLabels, RaterRow
from worktrial.language.untrusted import printable
from worktrial.results.agreement import AgreementReport
from worktrial.results.writing import NONE, ShownTable, percent, ratio, to_rich
from worktrial.statistics import Rate
from worktrial.terminal import SafeConsole, plain, print_line, print_whole_words

_FLIPS_SHOWN = 10
_LINES_SHOWN = 10


def _print(console: SafeConsole, tables: Iterable[ShownTable]) -> None:
    for table in tables:
        print_whole_words(console, to_rich(table))


def print_agreement(report: AgreementReport, console: SafeConsole | None = None) -> None:
    """Rates of agents by simulator, agreement of each two simulators, and the tasks that flip."""
    console = console or SafeConsole()
    for difference in report.not_comparable:
        print_line(console, f"not comparable: {printable(difference)}")
    rates = [
        [agent, *(percent(report.rates[simulator, agent]) for simulator in report.simulators)]
        for agent in report.agents
    ]
    title = f"completion rate over {report.samples} shared samples"
    columns = ("simulators", "same order", "pairs", "share", "tau-b", "samples flipped", "tasks")
    pairs = [
        (
            f"{pair.first} / {pair.second}",
            pair.order.agreed,
            pair.order.pairs,
            percent(pair.order.share),
            ratio(pair.order.tau_b),
            _of(Rate(pair.flipped, pair.compared)),
            len(pair.flips),
        )
        for pair in report.pairs
    ]
    _print(
        console,
        [
            ShownTable(title, ["agent", *report.simulators], rates),
            ShownTable("agreement of simulators", columns, pairs),
        ],
    )
    for pair in report.pairs:
        shown = [f"{f.sample} (+{f.passed_first}/+{f.passed_second})" for f in pair.flips[:_FLIPS_SHOWN]]
        if shown:
            rest = ", …" if len(pair.flips) > _FLIPS_SHOWN else ""
            line = f"flips {pair.first} / {pair.second}, passed by so many agents under just the one: "
            print_line(console, printable(f"{line}{', '.join(shown)}{rest}"))
    if report.left_out:
        console.print(f"{report.left_out} samples are not in all runs and were left out")


def print_conformance(runs: Sequence[RunConformance], evidence: int, console: SafeConsole | None = None) -> None:
    """Share of the answers that keep to each check, share of those with each failure, and some evidence."""
    console = console or SafeConsole()
    for run in runs:
        print_line(console, printable(f"answers of {run.simulator} in {run.folder}"))
    _print(console, tables_of(TABLES, {f"{run.simulator} {run.folder}": run.figures for run in runs}))
    for run in runs:
        for sample, finding in run.failed[:evidence]:
            where = f"{run.folder}: {sample}, call {finding.call}, {finding.check}"
            print_line(console, printable(f"{where}: {'; '.join(finding.evidence)}"))


def print_labels(reports: Sequence[LabelReport], queue: int, console: SafeConsole | None = None) -> None:
    """Agreement, lines that cause disagreement, corrected rate and the first `queue` disagreements of each run."""
    console = console or SafeConsole()
    for report in reports:
        print_line(
            console, Text.assemble(("labels of ", "bold"), printable(report.folder), printable(_counts(report)))
        )
        lines = [(line.line, line.disagreements, line.labels) for line in report.lines[:_LINES_SHOWN]]
        causes = ShownTable("causes", ["check or line", "labels against the verdict", "labels"], lines)
        _print(console, [_raters([*report.with_judge, *report.among_people]), *([causes] if lines else [])])
        if report.unexplained:
            print_line(console, f"{report.unexplained} labels against the verdict name no check or line")
        print_line(console, printable(report.corrected.line))
        for one in report.queue[:queue]:
            said = "; ".join(f"{label.reader}: {label.verdict}" for label in one.labels)
            name = f"{one.sample}, repeat {one.repeat}, {one.condition}"
            print_line(console, Text.assemble("look at ", plain(f"{name}: {report.judge} {one.outcome}, {said}")))
        if len(report.queue) > queue:
            print_line(
                console, f"{len(report.queue) - queue} more samples to look at: `worktrial view`, page Labels"
            )


def print_pooled(pooled: PooledLabels, console: SafeConsole | None = None) -> None:
    """Agreement over several runs."""
    console = console or SafeConsole()
    counts = f": {pooled.samples} samples with a label of {pooled.clusters} tasks or scenarios; "
    counts += ", ".join(f"{name} {count}" for name, count in pooled.readers.items())
    print_line(console, Text.assemble((f"all {pooled.runs} runs together", "bold"), printable(counts)))
    _print(console, [_raters([*pooled.with_judge, *pooled.among_people])])
    if pooled.why_no_judge:
        print_line(console, printable(f"verdicts and people: not together, {pooled.why_no_judge}"))


def _raters(rows: Sequence[RaterRow]) -> ShownTable:
    cells = [(" / ".join(row.raters), row.agree.n, row.agree, row.kappa, row.ac1) for row in rows]
    return ShownTable("agreement, with 95 % intervals", ["who", "samples", "agree", "kappa", "AC1"], cells)


def _counts(report: LabelReport) -> str:
    readers = ", ".join(f"{name} {count}" for name, count in report.readers.items())
    said = f": {report.samples} of {report.of} samples with a verdict; {readers}"
    more = {
        "unclear": report.unclear,
        "given blind": report.blind,
        "samples with as many for as against": report.tied,
    }
    return "".join([said, *(f"; {count} {what}" for what, count in more.items() if count)])


def _of(rate: Rate) -> str:
    return NONE if rate.share is None else f"{rate.successes}/{rate.n} ({rate.share:.0%})"
