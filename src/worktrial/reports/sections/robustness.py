"""Faults: how much of the completion rate survives them, and what becomes of each."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from worktrial.engine.record import CLEAN
from worktrial.reports import charts
from worktrial.reports.charts import Bar, Stage, bars
from worktrial.reports.figures import NONE, percent
from worktrial.reports.html import Value, table
from worktrial.reports.links import samples_href
from worktrial.reports.report import Report, ReportRun, Section
from worktrial.reports.sections.grouping import Board, boards, distinct
from worktrial.reports.sections.wording import NOTHING, caveat, heading, joined, listed, strong, takeaway
from worktrial.results.boards import completion_estimate
from worktrial.results.conditions import by_condition, robustness_by_setting
from worktrial.results.fault_metrics import FaultMetrics, Funnel, excess_of, sample_faults, total
from worktrial.results.reasks import ExcessReask
from worktrial.statistics import Robustness, ZeroCleanRate

_MEANING = {
    "E0": "without faults",
    "E1": "open faults",
    "E2": "silent faults",
    "E3": "both kinds of faults",
}

_Found = tuple[ReportRun, str, Robustness | ZeroCleanRate]
"""A run, the setting of its faults, and what it kept."""


def robustness(report: Report) -> Section | None:
    """Rates by condition, and R; None where no run had faults."""
    found = [board for board in boards(report) if any(_has_faults(run) for run in board.runs)]
    parts: list[Markup] = []
    brief: list[Markup] = []
    for board in found:
        rows = _rows(board)
        said = _takeaway(rows)
        parts += [heading(board.title), *_board(board, rows, said)] if len(found) > 1 else _board(board, rows, said)
        if any(isinstance(value, Robustness) for _, _, value in rows):
            brief.append(Markup("{}: {}").format(board.title, said) if len(found) > 1 else said)
    return Section("robustness", "When tools fail", joined(parts), brief) if parts else None


def _has_faults(run: ReportRun) -> bool:
    return any(record.condition != CLEAN for record in run.run.records)


def _rows(board: Board) -> list[_Found]:
    return [
        (run, setting, value)
        for run in board.runs
        for setting, value in robustness_by_setting(by_condition(run.run.records)).items()
    ]


def _board(board: Board, rows: Sequence[_Found], said: Markup) -> list[Markup]:
    drawn = [
        Bar(
            _label(condition),
            (estimate := completion_estimate(records)).value,
            estimate.interval,
            samples_href(run.slug, {"condition": condition}),
            group=run.name,
        )
        for run in board.runs
        if _has_faults(run)
        for condition, records in by_condition(run.run.records).items()
    ]
    parts = [takeaway(said), bars(f"Completed under each condition: {board.title}", drawn)]
    if rows:
        headers = ["Agent", "R", "95% interval", "Worst under", "Tasks"]
        parts.append(table(f"Robustness: {board.title}", headers, [_row(*row) for row in rows]))
    parts.append(
        caveat(
            "R is the lowest completion under E1, E2 and E3, as a share of that under E0; 1 means that faults cost "
            "nothing. It is over the tasks with a verdict in all four conditions, so its rates can differ a little "
            "from the bars, in which a sample without a verdict counts as not completed. The lowest of three is on "
            "average too low: with few tasks R looks somewhat worse than it is."
        )
    )
    return parts


def _label(condition: str) -> str:
    mode, _, setting = condition.partition("/")
    meaning = _MEANING.get(mode)
    said = f"{condition} · {meaning}" if meaning else condition
    return f"{said}, {setting}" if setting else said


def _takeaway(rows: Sequence[_Found]) -> Markup:
    known = [(run, setting, value) for run, setting, value in rows if isinstance(value, Robustness)]
    if not known:
        return Markup(
            "No robustness score: that needs samples of the same tasks under all of E0 to E3, and passes in E0."
        )
    ordered = sorted(known, key=lambda row: -row[2].value)
    said = Markup("{} keeps {} of its completion in the worst case{}").format(*_kept(*ordered[0]))
    if len(ordered) > 1:
        said += Markup("; least is left of that of {}, {}{}").format(*_kept(*ordered[-1]))
    return said + Markup(".")


def _kept(run: ReportRun, setting: str, found: Robustness) -> tuple[Markup, str, str]:
    low, high = found.interval
    where = f", under {_condition(found.worst, setting)} (R between {low:.2f} and {high:.2f})"
    return strong(run.name), percent(found.value, 0), where


def _condition(mode: str, setting: str) -> str:
    return f"{mode}/{setting}" if setting else mode


def _row(run: ReportRun, setting: str, found: Robustness | ZeroCleanRate) -> list[Value | str | Markup]:
    name = f"{run.name} · {setting}" if setting else run.name
    href = samples_href(run.slug)
    if isinstance(found, ZeroCleanRate):
        return [
            Value(name, name, href),
            Value("no value: nothing passed without faults", NOTHING),
            NONE,
            NONE,
            Value(NONE, NOTHING),
        ]
    low, high = found.interval
    return [
        Value(name, name, href),
        Value(f"{found.value:.2f}", found.value),
        f"{low:.2f} to {high:.2f}".replace("inf", "∞"),
        Value(found.worst, found.worst, samples_href(run.slug, {"condition": _condition(found.worst, setting)})),
        Value(str(found.tasks), found.tasks),
    ]


_DRAWN = 4
"""Runs with funnels of their own; further ones are in the table."""

_KINDS = {
    "explicit": "open faults",
    "implicit": "silent faults",
    "visible": "of these, lists cut beside a true count",
    "silent": "of these, lists cut with nothing that tells",
}

Found = Mapping[str, tuple[FaultMetrics, ExcessReask | None]]
"""Condition to its faults, and the excess re-ask rate."""


def funnel(report: Report) -> Section | None:
    """Exposure, detection and recovery; None where no fault was planned."""
    by_run = [(run, metrics) for run in distinct(report) if (metrics := _metrics(run))]
    rows = [
        (run, condition, kind, found)
        for run, metrics in by_run
        for condition, (of_condition, _) in metrics.items()
        for kind, found in (
            ("explicit", of_condition.explicit),
            ("implicit", of_condition.implicit),
            ("visible", of_condition.visible_cuts),
            ("silent", of_condition.silent_cuts),
        )
        if found.planned or found.exposure
    ]
    excess = {
        (id(run), condition): found
        for run, metrics in by_run
        for condition, (_, found) in metrics.items()
        if found is not None
    }
    if not rows:
        return None
    drawn = [
        charts.funnel(f"{run.name}: {_KINDS[kind]} under {condition}", _stages(found))
        for run, condition, kind, found in rows
        if any(run is one for one, _ in by_run[:_DRAWN])
        and (kind, condition[:2]) in (("explicit", "E1"), ("implicit", "E2"))
    ]
    headers = [
        "Agent",
        "Condition",
        "Faults",
        "Events met",
        "Answers spoilt",
        "Asked again",
        "Recovered",
        "Calls later",
        "Excess re-ask rate",
    ]
    parts = [
        takeaway(_silent([(run, condition, found) for run, condition, kind, found in rows if kind == "implicit"])),
        Markup('<div class="pairs">\n{}\n</div>').format(joined(drawn)),
        table("From planned faults to recovered answers", headers, [_funnel_row(*row, excess) for row in rows]),
        caveat(
            "Open faults announce themselves (an error, a timeout); silent ones look like an answer. Asked again "
            "means: the same tool with the same arguments, after the spoilt answer was seen. An agent that checks "
            "in another way is not counted, so recovering is a lower bound. Calls later is the mean over the "
            "recovered answers. The excess re-ask rate is how much more often the question of a silently spoilt "
            "answer is asked again than that of a clean one, within ten calls, in points, with its 95% "
            "interval: an agent that goes round its tools without looking, or never asks twice, has about 0."
        ),
    ]
    return Section("funnel", "Noticing and recovering", joined(parts))


def _metrics(run: ReportRun) -> Found:
    metrics = sample_faults(run.run)
    found = {}
    for condition, records in by_condition(run.run.records).items():
        of_condition = [metrics[record.key] for record in records if record.key in metrics]
        if of_condition:
            found[condition] = total(of_condition), excess_of(records, metrics)
    return found


def _silent(silent: Sequence[tuple[ReportRun, str, Funnel]]) -> Markup:
    """About one condition; conditions are never mixed into one rate."""
    met = [(run, condition, found) for run, condition, found in silent if found.exposure]
    if not met:
        return Markup("No agent met a silent fault.")
    chosen = min((condition for _, condition, _ in met), key=lambda name: (not name.startswith("E2"), name))
    ranked = sorted(
        ((found.recovered / found.exposure, run, found) for run, condition, found in met if condition == chosen),
        key=lambda one: -one[0],
    )
    # With many agents, the best and the worst.
    told = ranked if len(ranked) <= 3 else [ranked[0], ranked[-1]]
    said = [
        Markup("{} put right {} ({} of {})").format(
            strong(run.name), percent(share, 0), found.recovered, found.exposure
        )
        for share, run, found in told
    ]
    rest = "" if len(told) == len(ranked) else "; the other agents are in between"
    return Markup("Of the silently spoilt answers under {}, {}{}.").format(chosen, listed(said), rest)


def _stages(found: Funnel) -> list[Stage]:
    return [
        Stage("Spoilt answers seen", found.exposure, found.exposure),
        Stage("Asked for again", found.asked_again, found.exposure),
        Stage("Put right", found.recovered, found.exposure),
    ]


def _funnel_row(
    run: ReportRun,
    condition: str,
    kind: str,
    found: Funnel,
    excess: Mapping[tuple[int, str], ExcessReask],
) -> list[Value | str | Markup]:
    later = found.mean_calls_to_recovery
    return [
        Value(run.name, run.name, samples_href(run.slug, {"condition": condition})),
        condition,
        _KINDS[kind],
        _part(found.reached, found.planned),
        Value(f"{found.exposure:,}", found.exposure),
        _part(found.asked_again, found.exposure),
        _part(found.recovered, found.exposure),
        Value(NONE, NOTHING) if later is None else Value(f"{later:.1f}", later),
        _excess(excess.get((id(run), condition)) if kind == "implicit" else None),
    ]


def _excess(found: ExcessReask | None) -> Value:
    if found is None:
        return Value(NONE, NOTHING)
    said = f"{100 * found.value:+.0f}"
    if found.interval is not None:
        said += f" ({100 * found.interval.low:+.0f} to {100 * found.interval.high:+.0f})"
    return Value(said, found.value)


def _part(part: int, whole: int) -> Value:
    if not whole:
        return Value(NONE, NOTHING)
    return Value(f"{part:,} of {whole:,} ({percent(part / whole, 0)})", part / whole)
