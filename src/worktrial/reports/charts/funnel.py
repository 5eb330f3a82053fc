"""A funnel: how many of those at one stage got to the next."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from worktrial.reports.charts.bars import draw_bar
from worktrial.reports.charts.figure import figure, nothing
from worktrial.reports.charts.scale import Scale
from worktrial.reports.figures import percent


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a funnel."""

    label: str
    count: int
    of: int
    """What `count` is a part of."""


def funnel(title: str, stages: Sequence[Stage]) -> Markup:
    """Stages from top to bottom, each with its count, what that is a part of, and the share."""
    if not stages:
        return nothing(title, kind="funnel")
    # As long as the figure is wide: funnels of other counts are read beside each other.
    whole = max(1, *(stage.count for stage in stages), *(stage.of for stage in stages))
    scale = Scale(0.0, float(whole), whole / 4)
    parts = any(stage.of != whole for stage in stages)
    rows = [
        Markup(
            '<li><span class="label">{}</span> <span class="value">{:,} of {:,}</span>'
            ' <span class="interval">{}</span>{}</li>'
        ).format(
            stage.label,
            stage.count,
            stage.of,
            percent(stage.count / stage.of if stage.of else None),
            # Counts, not shares: a stage's bar must not be longer than that of the stage before.
            draw_bar(stage.count, None, scale, reference=stage.of if parts else None),
        )
        for stage in stages
    ]
    key = Markup('<p class="key"><span class="dash" aria-hidden="true"></span>so many there were</p>' * parts)
    return figure(
        title, Markup('<ol class="rows">\n{}\n</ol>\n{}').format(Markup("\n").join(rows), key), kind="funnel"
    )
