"""Audits in a report: how far simulators and judges can be trusted."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from markupsafe import Markup

from worktrial.audits.corrected import corrected_by_audit
from worktrial.audits.judge_report import JudgeReport, judge_report
from worktrial.audits.simulator_report import Fidelity, SimulatorReport, simulator_report
from worktrial.engine.identity import TrialIdentity
from worktrial.reports.chart import Bar, bars
from worktrial.reports.links import samples_href
from worktrial.reports.report import Report, ReportRun, Section
from worktrial.reports.sections.grouping import distinct
from worktrial.reports.sections.wording import (
    NOTHING,
    caveat,
    heading,
    joined,
    share_cell,
    strong,
    takeaway,
)
from worktrial.results.writing import NONE, Content, ShownTable, Value, counted, percent, seconds, to_html
from worktrial.statistics import Rate


def simulators_section(report: Report, suite: str) -> list[Section]:
    """Section about the audits of simulators in `report`, whose runs are of `suite`; [] without any."""
    found = [_simulator(run) for run in distinct(report) if run.run.manifest.suite == suite]
    return [Section("simulator", "Simulators", joined(_simulators(found)))] if found else []


def judges_section(report: Report, suite: str) -> list[Section]:
    """Section about the audits of judges in `report`, whose runs are of `suite`; [] without any."""
    found = [_judge(run) for run in distinct(report) if run.run.manifest.suite == suite]
    if not found:
        return []
    return [Section("judges", "Judges", joined([*_judges(found), *_corrected(report, [run for run, _ in found])]))]


def _simulators(found: Sequence[tuple[ReportRun, SimulatorReport]]) -> list[Markup]:
    run, best = max(found, key=lambda one: one[1].overall.share or 0.0)
    kinds: list[list[Content]] = [
        _fidelity_row(run, report, name, own)
        for run, report in found
        for name, own in [*((kind.value, own) for kind, own in report.kinds.items()), ("all", report.overall)]
    ]
    drawn = [
        Bar(kind.value, own.share, None, samples_href(run.slug), run.name)
        for run, report in found
        for kind, own in report.kinds.items()
    ]
    said = Markup("{} tells {} of the fields of {} as they are").format(
        strong(run.name), percent(best.overall.share), counted(best.overall.calls, "call")
    )
    most = Markup(", the most of the simulators here.") if len(found) > 1 else Markup(".")
    headers = ["Simulator", "Calls", "n", "Answers exact", "Fields equal", "Wrong", "Missing", "Extra", "Unusable"]
    return [
        heading("Simulators beside the truth"),
        takeaway(said + most),
        bars("Fields told as they are, by kind of call", drawn),
        to_html(ShownTable("Fidelity of simulators", headers, kinds)),
        *_drift(found),
        to_html(
            ShownTable(
                "What simulators do wrong",
                ["Simulator", "Failure", "Answers, by the truth", "Answers, by conformance alone"],
                [row for run, report in found for row in _failures(run, report)],
            )
        ),
        to_html(
            ShownTable(
                "What simulators take",
                [
                    "Simulator",
                    "Calls that reached the model",
                    "Tokens in",
                    "Tokens out",
                    "Median time",
                    "95th percentile",
                ],
                [_takes(run, report) for run, report in found],
            )
        ),
        caveat(
            "The truth is the same workplace carried out by code. Free texts, which nobody could know word for "
            "word, count for neither side. Fields of one answer hang together, so shares of fields have no "
            "interval here; that of exact answers takes calls as independent, which those of one sequence are not "
            "quite."
        ),
    ]


def _fidelity_row(run: ReportRun, report: SimulatorReport, kind: str, own: Fidelity) -> list[Content]:
    counts = (own.wrong, own.missing, own.extra, own.unusable)
    return [
        Value(run.name, run.name, samples_href(run.slug)),
        kind,
        Value(f"{own.calls:,}", own.calls),
        _rate(own.exact_rate),
        share_cell(own.share, counts=f"of {own.fields:,}"),
        *(Value(f"{count:,}", count) for count in counts),
    ]


def _drift(found: Sequence[tuple[ReportRun, SimulatorReport]]) -> list[Markup]:
    rows: list[list[Content]] = [
        [run.name, drift.calls, _rate(Rate(drift.true, drift.sequences))]
        for run, report in found
        for drift in report.drift
        if drift.calls is not None
    ]
    if not rows:
        return []
    heads = ["Simulator", "Calls", "Sequences with a true state"]
    return [
        to_html(ShownTable("State still true after so many calls", heads, rows)),
        caveat(
            "Over the sequences that got so far; only simulators that keep their state in a ledger have one to "
            "compare."
        ),
    ]


def _failures(run: ReportRun, report: SimulatorReport) -> Iterable[list[Content]]:
    for failure, count in report.failures.items():
        # The truth does not say what is hidden.
        by_truth = Value(NONE, NOTHING) if failure.value == "state_leak" else Value(f"{count:,}", count)
        alone = report.conformance_failures[failure]
        yield [
            Value(run.name, run.name, samples_href(run.slug)),
            failure.value.replace("_", " "),
            by_truth,
            Value(f"{alone:,}", alone),
        ]


def _takes(run: ReportRun, report: SimulatorReport) -> list[Content]:
    return [
        Value(run.name, run.name, samples_href(run.slug)),
        Value(f"{report.asked:,} of {report.overall.calls:,}", report.asked),
        Value(f"{report.input_tokens:,.0f}", report.input_tokens),
        Value(f"{report.output_tokens:,.0f}", report.output_tokens),
        Value(seconds(report.seconds), report.seconds),
        Value(seconds(report.slow_seconds), report.slow_seconds),
    ]


def _judges(found: Sequence[tuple[ReportRun, JudgeReport]]) -> list[Markup]:
    run, best = max(found, key=lambda one: one[1].verdicts.accuracy.share or 0.0)
    accuracy = best.verdicts.accuracy
    most = ", the most of the judges here" if len(found) > 1 else ""
    rows: list[list[Content]] = []
    variants: list[list[Content]] = []
    for one, report in found:
        verdicts = report.verdicts
        href = samples_href(one.slug)
        rows.append(
            [
                Value(one.name, one.name, href),
                f"{report.votes} votes" if report.method == "votes" else report.method,
                Value(f"{verdicts.judged:,}", verdicts.judged),
                _rate(verdicts.accuracy),
                _rate(verdicts.false_pass_rate),
                _rate(verdicts.false_fail_rate),
                Value(NONE, NOTHING) if verdicts.kappa is None else Value(f"{verdicts.kappa:.2f}", verdicts.kappa),
                Value(str(verdicts.invalid), verdicts.invalid, samples_href(one.slug, {"outcome": "invalid"})),
            ]
        )
        variants += [
            [Value(one.name, one.name, samples_href(one.slug, {"variant": name})), name, _rate(rate)]
            for name, rate in report.variants.items()
        ]
    headers = ["Judge", "Method", "Cases", "Right", "Failing work passed", "Passing work failed", "Cohen’s kappa"]
    return [
        heading("Judges beside the truth"),
        takeaway(
            Markup("{} is right about {} of {}{}.").format(
                strong(run.name), percent(accuracy.share), counted(accuracy.n, "case"), most
            )
        ),
        to_html(ShownTable("Accuracy of judges", [*headers, "No verdict"], rows)),
        to_html(ShownTable("Accuracy of judges by kind of work", ["Judge", "Work", "Right"], variants)),
        caveat("The truth is that of checks of the workplace’s state. Cases without a verdict are in no rate."),
    ]


def _corrected(report: Report, audits: Sequence[ReportRun]) -> list[Markup]:
    """Rates beside what is left of them once the judge's errors are taken out; none where no judge decided."""
    rows: list[list[Content]] = []
    for run in distinct(report):
        manifest = run.run.manifest
        if TrialIdentity.of(manifest).judge is None or not any("judge" in name for name in manifest.roles):
            continue
        told = [corrected_by_audit(run.run, audit.run) for audit in audits]
        one = next((correction for correction in told if correction.found is not None), told[0])
        name = Value(run.name, run.name, samples_href(run.slug, {"condition": one.condition}))
        if one.found is None:
            rows.append(
                [
                    name,
                    one.condition,
                    Value(NONE, NOTHING),
                    Value(NONE, NOTHING),
                    f"Not corrected: {one.why_not}",
                ]
            )
            continue
        raw = one.found.raw
        rows.append(
            [
                name,
                one.condition,
                share_cell(raw.value, raw.interval),
                share_cell(one.found.value, one.found.interval),
                one.basis,
            ]
        )
    if not rows:
        return []
    return [
        to_html(
            ShownTable(
                "Completion beside the same without the judge’s errors",
                ["Agent", "Condition", "As judged", "Corrected", "By"],
                rows,
            )
        ),
        caveat(
            "What share of the work is right, where the judge passes some that is wrong and fails some that is "
            "right (Rogan and Gladen, 1978; interval of Lang and Reiczigel, 2014, with the doubt about the audit "
            "in it). Of samples with a verdict. It stands beside the rate as judged, never in its place: it "
            "supposes that the judge errs as often on this work as on the audited. An audit of another judge, of "
            "other votes or another prompt corrects nothing."
        ),
    ]


def _rate(rate: Rate) -> Value:
    if rate.share is None:
        return Value(NONE, NOTHING)
    return share_cell(rate.share, rate.interval(), counts=f"{rate.successes} of {rate.n}")


def _simulator(run: ReportRun) -> tuple[ReportRun, SimulatorReport]:
    found = simulator_report(run.run.folder)
    return _named(run, f"{found.model} · {found.memory} memory, {found.prompt} prompt"), found


def _judge(run: ReportRun) -> tuple[ReportRun, JudgeReport]:
    found = judge_report(run.run.folder)
    return _named(run, found.model), found


def _named(run: ReportRun, label: str) -> ReportRun:
    """An audit under the name of what was audited; with its folder's, since there may be several of one model."""
    return replace(run, name=f"{label} [{run.slug}]")
