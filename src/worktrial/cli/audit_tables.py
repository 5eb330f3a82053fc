"""Tables of audits for the terminal."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from worktrial.audits.conformance import RunConformance
from worktrial.audits.judge_report import Confusion, JudgeReport
from worktrial.audits.simulator_report import Fidelity, SimulatorReport
from worktrial.language.untrusted import printable
from worktrial.results.agreement import AgreementReport
from worktrial.statistics import Rate
from worktrial.terminal import SafeConsole, print_line, print_whole_words, table_of
from worktrial.workplaces.conformance import ConformanceCheck, SimulatorFailure

_FLIPS_SHOWN = 10


def print_simulator(reports: Sequence[SimulatorReport], console: SafeConsole | None = None) -> None:
    """Fidelity, drift, conformance, failures and costs, one simulator after the other."""
    console = console or SafeConsole()
    for report in reports:
        who = f"{report.model} · {report.memory} memory, {report.prompt} prompt · {report.folder}"
        print_line(console, Text.assemble(("simulator ", "bold"), printable(who)))
        print_whole_words(console, _fidelity(report))
        if report.drift:
            print_whole_words(console, _drift(report))
        print_whole_words(console, _conformance(report))
        print_whole_words(console, _failures(report))
        per_call = f"{report.input_tokens:.0f} tokens in and {report.output_tokens:.0f} out"
        print_line(
            console,
            f"{report.asked} of {report.overall.calls} calls reached the model; each {per_call}, "
            f"{report.seconds:.2f} s (median), {report.slow_seconds:.2f} s (95th percentile)",
        )
        if report.invalid:
            console.print(Text.assemble(("invalid:", "yellow"), f" {report.invalid} sequences could not be played"))


def print_judges(reports: Sequence[JudgeReport], console: SafeConsole | None = None) -> None:
    """Accuracy of judges, one row for each."""
    console = console or SafeConsole()
    columns = ("cases", "accuracy", "95 % interval", "false pass", "false fail", "kappa", "no verdict")
    table = table_of(["judge"], columns, title="verdicts beside the truth of the state checks")
    for report in reports:
        how = f"{report.votes} votes" if report.method == "votes" else report.method
        name = Text(printable(f"{report.model} ({how})"))
        table.add_row(name, *_confusion(report.verdicts))
        if report.single_votes.judged:
            table.add_row("  each vote by itself", *_confusion(report.single_votes))
    print_whole_words(console, table)
    names = list(dict.fromkeys(name for report in reports for name in report.variants))
    variants = table_of(["work"], (report.model for report in reports), title="true verdicts by kind of work")
    for variant in names:
        variants.add_row(variant, *(_of(report.variants.get(variant, Rate(0, 0))) for report in reports))
    print_whole_words(console, variants)
    for report in reports:
        usage = report.summary.usage.get("judge")
        if usage is not None:
            tokens = f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
            took = report.summary.figures.get("seconds").value
            seconds = "replayed from the request cache" if took is None else f"{took:.1f} s a case"
            print_line(console, printable(f"{report.model}: {usage.requests} requests, {tokens}, {seconds}"))


def print_agreement(report: AgreementReport, console: SafeConsole | None = None) -> None:
    """Rates of agents by simulator, agreement of each two simulators, and the tasks that flip."""
    console = console or SafeConsole()
    for difference in report.not_comparable:
        print_line(console, f"not comparable: {printable(difference)}")
    rates = table_of(["agent"], report.simulators, title=f"completion rate over {report.samples} shared samples")
    for agent in report.agents:
        cells = [f"{report.rates[simulator, agent]:.1%}" for simulator in report.simulators]
        rates.add_row(Text(printable(agent)), *cells)
    print_whole_words(console, rates)
    columns = ("same order", "pairs", "share", "tau-b", "samples flipped", "tasks")
    pairs = table_of(["simulators"], columns, title="agreement of simulators")
    for pair in report.pairs:
        share, tau = pair.order.share, pair.order.tau_b
        pairs.add_row(
            Text(printable(f"{pair.first} / {pair.second}")),
            str(pair.order.agreed),
            str(pair.order.pairs),
            "-" if share is None else f"{share:.1%}",
            "-" if tau is None else f"{tau:.2f}",
            _of(Rate(pair.flipped, pair.compared)),
            str(len(pair.flips)),
        )
    print_whole_words(console, pairs)
    for pair in report.pairs:
        shown = [f"{f.sample} (+{f.passed_first}/+{f.passed_second})" for f in pair.flips[:_FLIPS_SHOWN]]
        if shown:
            rest = ", …" if len(pair.flips) > _FLIPS_SHOWN else ""
            line = f"flips {pair.first} / {pair.second}, passed by so many agents under just the one: "
            print_line(console, printable(f"{line}{', '.join(shown)}{rest}"))
    if report.left_out:
        console.print(f"{report.left_out} samples are not in all runs and were left out")


def print_conformance(runs: Sequence[RunConformance], evidence: int, console: SafeConsole | None = None) -> None:
    """Rates of each check and counts of each failure, one column for each run, and some evidence."""
    console = console or SafeConsole()
    table = table_of(["check"], (f"{run.simulator}\n{run.folder}" for run in runs), title="conformance")
    for check in ConformanceCheck:
        rates = [run.report.rates[check] for run in runs]
        table.add_row(check.value, *(_of(Rate(rate.passed, rate.applied)) for rate in rates))
    table.add_section()
    for failure in SimulatorFailure:
        counts = [Rate(run.report.failures[failure], run.report.observations) for run in runs]
        table.add_row(failure.value, *map(_of, counts))
    print_whole_words(console, table)
    for run in runs:
        failed = [(sample, f) for sample in run.samples for f in sample.findings if not f.passed]
        for sample, finding in failed[:evidence]:
            where = f"{run.folder}: {sample.sample}, call {finding.call}, {finding.check}"
            print_line(console, printable(f"{where}: {'; '.join(finding.evidence)}"))


def _fidelity(report: SimulatorReport) -> Table:
    columns = ("n", "exact", "fields equal", "of", "wrong", "missing", "extra", "free text", "unusable")
    table = table_of(["calls"], columns, title=f"fidelity over {report.sequences} sequences")
    for kind, own in report.kinds.items():
        table.add_row(kind.value, *_fidelity_cells(own))
    table.add_row("all", *_fidelity_cells(report.overall))
    return table


def _fidelity_cells(own: Fidelity) -> list[str]:
    share = "-" if own.share is None else f"{own.share:.1%}"
    counts = (own.fields, own.wrong, own.missing, own.extra, own.free, own.unusable)
    return [str(own.calls), _percent(own.exact_rate), share, *map(str, counts)]


def _drift(report: SimulatorReport) -> Table:
    columns = ("after call", "sequences", "state still true", "fields off (mean)", "changes kept")
    table = table_of((), columns, title="state drift")
    for drift in report.drift:
        table.add_row(
            "the last" if drift.calls is None else str(drift.calls),
            str(drift.sequences),
            _of(Rate(drift.true, drift.sequences)),
            f"{drift.differing:.1f}",
            _of(Rate(drift.kept, drift.changed)),
        )
    return table


def _conformance(report: SimulatorReport) -> Table:
    table = table_of(["check"], ["passed"], title="conformance, without the truth")
    for check, rate in report.conformance.items():
        table.add_row(check.value, _of(Rate(rate.passed, rate.applied)))
    return table


def _failures(report: SimulatorReport) -> Table:
    table = table_of(["failure"], ("by the truth", "by conformance"), title="answers that show a failure")
    for failure, count in report.failures.items():
        # The truth does not say what is hidden.
        by_truth = "-" if failure.value == "state_leak" else str(count)
        table.add_row(failure.value, by_truth, str(report.conformance_failures[failure]))
    return table


def _confusion(found: Confusion) -> list[str]:
    interval = found.accuracy.interval()
    return [
        str(found.judged),
        _percent(found.accuracy),
        f"{interval.low:.1%} - {interval.high:.1%}",
        _of(found.false_pass_rate),
        _of(found.false_fail_rate),
        "-" if found.kappa is None else f"{found.kappa:.2f}",
        str(found.invalid),
    ]


def _percent(rate: Rate) -> str:
    return "-" if rate.share is None else f"{rate.share:.1%}"


def _of(rate: Rate) -> str:
    return "-" if rate.share is None else f"{rate.successes}/{rate.n} ({rate.share:.0%})"
