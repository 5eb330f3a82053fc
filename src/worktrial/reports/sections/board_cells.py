"""What the cells of the leaderboard show, for one run under one condition."""

from dataclasses import dataclass

from worktrial.reports.figures import NONE, dollars, known, number, percent, percent_interval, seconds
from worktrial.reports.links import samples_href
from worktrial.results.boards import Row
from worktrial.statistics import Interval, Robustness

COLUMNS = (
    "Completion",
    "Of valid",
    "Robustness",
    "pass^k",
    "Cost per task",
    "Latency",
    "Invalid",
    "Samples",
)
"""Of the figures, after the agent's name. The page's script knows them by their place."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure as it stands in a cell."""

    text: str
    sort: float | None
    note: str = ""
    """Below the figure, smaller."""
    href: str | None = None
    bar: tuple[float, Interval | None] | None = None


def cells_of(row: Row, slug: str) -> list[Shown]:
    """One figure for each of `COLUMNS`. What is unknown leads nowhere."""
    return [shown if shown.text != NONE else Shown(NONE, None) for shown in _all(row, slug)]


def _all(row: Row, slug: str) -> list[Shown]:
    under = {"condition": row.condition}
    here = samples_href(slug, under)
    passed = samples_href(slug, {**under, "outcome": "pass"})
    share = row.of_all.value
    return [
        Shown(
            percent(share),
            share,
            percent_interval(row.of_all.interval),
            passed,
            None if share is None else (share, row.of_all.interval),
        ),
        Shown(percent(row.of_valid.value), row.of_valid.value, percent_interval(row.of_valid.interval), passed),
        _robustness(row, slug),
        _every_time(row, here),
        Shown(dollars(row.cost.value), row.cost.value, _agent_alone(row), here),
        Shown(seconds(row.seconds), row.seconds, "", here),
        Shown(
            percent(row.invalid_share) if row.n else NONE,
            row.invalid_share if row.n else None,
            "",
            samples_href(slug, {**under, "outcome": "invalid"}),
        ),
        Shown(number(row.n), float(row.n), "", here),
    ]


def _robustness(row: Row, slug: str) -> Shown:
    found = {name: r for name, r in row.robustness.items() if isinstance(r, Robustness)}
    if not found:
        return Shown(NONE, None)
    # Of a sweep, what the hardest setting leaves.
    setting, worst = min(found.items(), key=lambda item: item[1].value)
    low, high = worst.interval
    note = f"{low:.2f}–{high:.2f}" + (f" at {setting}" if len(found) > 1 else "")
    return Shown(f"{worst.value:.2f}", worst.value, note, samples_href(slug))


def _every_time(row: Row, href: str) -> Shown:
    if row.repeats is None:
        return Shown(NONE, None)
    interval = percent_interval(row.repeats.every_time_interval)
    value = row.repeats.every_time
    return Shown(percent(value), value, f"{interval}, {row.repeats.k} tries", href)


def _agent_alone(row: Row) -> str:
    value = known(row.agent_cost.value)
    return "" if value is None or value == known(row.cost.value) else f"agent alone {dollars(value)}"
