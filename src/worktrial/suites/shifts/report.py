"""Working days in a report: score and grade, harms, and where points were lost."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from worktrial.engine.record import SampleRecord
from worktrial.reports.links import samples_href
from worktrial.reports.report import Report, ReportRun, Section
from worktrial.reports.sections.grouping import distinct
from worktrial.reports.sections.wording import caveat, joined, share_cell, strong, takeaway
from worktrial.results.writing import Content, ShownTable, Value, cell_of, percent, to_html
from worktrial.suites.shifts.figures import (
    ShiftFigures,
    figures_of,
    groups,
    harms,
    judged,
    lost_points,
    words,
)

Found = Sequence[tuple[ReportRun, list[SampleRecord], ShiftFigures]]


def working_days(report: Report) -> Section | None:
    """Score, grade, on-time share, harms and lost points; None without a run of shifts."""
    found = [
        (run, records, figures)
        for run in distinct(report)
        if run.run.manifest.suite == "shifts" and (figures := figures_of(records := judged(run.run))) is not None
    ]
    if not found:
        return None
    parts = [takeaway(_takeaway(found)), _table(found), *_by_group(found), *_lost(found)]
    return Section("shifts", "Working days", joined(parts))


def _takeaway(found: Found) -> Markup:
    run, records, figures = max(found, key=lambda one: one[2].score.value or 0.0)
    said = Markup("{} earns {} of the points of {} shifts after the price of harm").format(
        strong(run.name), percent(figures.score.value, 0), figures.shifts
    )
    lost = lost_points(records)
    if lost:
        why, points = lost.most_common(1)[0]
        said += Markup("; most of what it loses, {}, is {}").format(percent(points / lost.total(), 0), words(why))
    return said + Markup(".")


def _table(found: Found) -> Markup:
    rows: list[list[Content]] = [
        [
            Value(run.name, run.name, samples_href(run.slug)),
            share_cell(figures.score.value, figures.score.interval),
            share_cell(figures.clean.value, figures.clean.interval),
            share_cell(figures.floor),
            _on_time(figures),
            share_cell(figures.harmed.value, figures.harmed.interval),
            _counted(harms(records)),
            Value(f"{figures.calls:.0f}", figures.calls),
            _cost_of_a_point(records),
            Value(str(figures.shifts), figures.shifts),
        ]
        for run, records, figures in found
    ]
    heads = [
        "Run",
        "Score",
        "Clean",
        "Without work",
        "On time",
        "With grave harm",
        "Harms",
        "Calls a shift",
        "Cost a point",
        "Shifts",
    ]
    return to_html(ShownTable("Score, grade, timeliness and harm", heads, rows))


def _on_time(figures: ShiftFigures) -> Value:
    found = figures.on_time
    return share_cell(None) if found is None else share_cell(found.value, found.interval)


def _cost_of_a_point(records: Sequence[SampleRecord]) -> Value:
    """Tokens, and dollars where all are known, for each point earned."""
    earned = sum(float(record.measures["points"]) for record in records)
    tokens = sum(record.input_tokens + record.output_tokens for record in records)
    if not earned or not tokens:
        return cell_of(None)
    said = f"{tokens / earned:,.0f} tokens"
    costs = [record.cost for record in records if record.cost is not None]
    if len(costs) == len(records):
        said += f", ${sum(costs) / earned:.4f}"
    return Value(said, tokens / earned)


def _by_group(found: Found) -> list[Markup]:
    scores: dict[str, dict[str, float]] = {}
    for run, records, _ in found:
        for _, name, own in groups(records):
            if (figures := figures_of(own)) is not None:
                scores.setdefault(name, {})[run.name] = figures.score.value or 0.0
    if not scores:
        return []
    rows: list[list[Content]] = [
        [run.name, *(share_cell(own.get(run.name)) for own in scores.values())] for run, *_ in found
    ]
    return [to_html(ShownTable("Score by length of the shift and by desk", ["Run", *scores], rows))]


def _lost(found: Found) -> list[Markup]:
    reasons = list(dict.fromkeys(why for _, records, _ in found for why, _ in lost_points(records).most_common()))
    if not reasons:
        return []
    rows: list[list[Content]] = []
    for run, records, _ in found:
        lost = lost_points(records)
        reachable = sum(int(record.measures["reachable"]) for record in records)
        shares = [lost[why] / reachable for why in reasons]
        rows.append([Value(run.name, run.name), *(share_cell(share) for share in shares)])
    heads = ["Run", *(words(why).capitalize() for why in reasons)]
    return [
        to_html(ShownTable("Points lost, as a share of all that could be had", heads, rows)),
        caveat(
            "Not noticed: nothing that names the matter was opened. Left undone: it was looked at, and nothing "
            "done. Not looked up: done wrongly, without opening the section that decides. Misread: done wrongly in "
            "spite of it. Without work: what the best clerk earns who reads nothing and answers everything alike."
        ),
    ]


def _counted(kinds: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {words(kind)}" for kind, count in sorted(kinds.items())) or "none"
