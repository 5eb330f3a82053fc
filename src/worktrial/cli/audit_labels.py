"""Tables of people's labels for the terminal."""

from collections.abc import Sequence

from rich.text import Text

from worktrial.audits.labels import LabelReport, RaterRow
from worktrial.audits.pooled_labels import PooledLabels
from worktrial.language.untrusted import printable
from worktrial.statistics import AgreementFigure
from worktrial.terminal import SafeConsole, plain, print_line, print_whole_words, table_of

_LINES_SHOWN = 10


def print_labels(reports: Sequence[LabelReport], queue: int, console: SafeConsole | None = None) -> None:
    """Agreement, lines that cause disagreement, corrected rate and the first `queue` disagreements of each run."""
    console = console or SafeConsole()
    for report in reports:
        print_line(
            console, Text.assemble(("labels of ", "bold"), printable(report.folder), printable(_counts(report)))
        )
        _print_agreement(console, [*report.with_judge, *report.among_people])
        if report.lines:
            lines = table_of(["check or line"], ("labels against the verdict", "labels"), title="causes")
            for line in report.lines[:_LINES_SHOWN]:
                lines.add_row(plain(line.line), str(line.disagreements), str(line.labels))
            print_whole_words(console, lines)
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
    print_line(
        console, Text.assemble((f"all {pooled.runs} runs together", "bold"), printable(_pooled_counts(pooled)))
    )
    _print_agreement(console, [*pooled.with_judge, *pooled.among_people])
    if pooled.why_no_judge:
        print_line(console, printable(f"verdicts and people: not together, {pooled.why_no_judge}"))


def _pooled_counts(pooled: PooledLabels) -> str:
    readers = ", ".join(f"{name} {count}" for name, count in pooled.readers.items())
    return f": {pooled.samples} samples with a label of {pooled.clusters} tasks or scenarios; {readers}"


def _print_agreement(console: SafeConsole, rows: Sequence[RaterRow]) -> None:
    table = table_of(["who"], ("samples", "agree", "kappa", "AC1"), title="agreement, with 95 % intervals")
    for row in rows:
        table.add_row(*_cells(row))
    print_whole_words(console, table)


def _counts(report: LabelReport) -> str:
    readers = ", ".join(f"{name} {count}" for name, count in report.readers.items())
    said = f": {report.samples} of {report.of} samples with a verdict; {readers}"
    more = {
        "unclear": report.unclear,
        "given blind": report.blind,
        "samples with as many for as against": report.tied,
    }
    return "".join([said, *(f"; {count} {what}" for what, count in more.items() if count)])


def _cells(row: RaterRow) -> tuple[Text, str, str, str, str]:
    found = row.agreement
    name = plain(" / ".join(row.raters))
    return name, str(found.samples), _percent(found.observed), _figure(found.kappa), _figure(found.ac1)


def _percent(figure: AgreementFigure) -> str:
    if figure.value is None or figure.interval is None:
        return "-" if figure.value is None else f"{figure.value:.1%}"
    return f"{figure.value:.1%} ({figure.interval.low:.1%} - {figure.interval.high:.1%})"


def _figure(figure: AgreementFigure) -> str:
    if figure.value is None or figure.interval is None:
        return "-" if figure.value is None else f"{figure.value:.2f}"
    return f"{figure.value:.2f} ({figure.interval.low:.2f} - {figure.interval.high:.2f})"
