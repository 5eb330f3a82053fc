"""An issue of the bulletin, and the issues of an archive of a given size."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from lab.generate.calendar import Period, PeriodKind, all_issues, is_quarterly, month, month_year, year_of
from lab.generate.catalogue import Measure, TimeTable, catalogue
from lab.generate.columns import Terms, sum_of
from lab.generate.printed import Block, Chart, ChartKind, Contents, Page, PrintedTable, Prose, rounded
from lab.generate.prose import definitions, review
from lab.generate.provinces import by_province, provincial
from lab.generate.statement import loans_outstanding, statement
from lab.generate.style import Style, style_of
from lab.generate.time_table import Reported, figures_of, time_table
from lab.generate.world import World, vocabulary
from worktrial.errors import SettingError

SHORTEST = 5
"""Pages of the smallest issue."""
LONGEST = 300

FEWEST, MOST = 3 * SHORTEST, 200_000
"""Pages of an archive."""
_FEW = 9
"""Issues below which clusters are pairs."""


@dataclass(frozen=True, slots=True)
class Issue:
    """One issue, as content."""

    document: str
    """Its file name without the ending."""
    name: str
    """Name that questions call it by: `the March 1952 issue`."""
    reported: Reported
    style: Style
    pages: tuple[Page, ...]
    running_head: str
    """Text above every page but the first."""


@dataclass(frozen=True, slots=True)
class Outline:
    """The place of an issue among its neighbours, and its length."""

    reported: Reported
    pages: int
    turn: int = 0
    """Short issues hold only some of the tables; this decides which."""


def document_name(issue: int) -> str:
    """`halvern_bulletin_1952_03`."""
    stem = vocabulary().bulletin.lower().replace(" ", "_")
    return f"{stem}_{year_of(issue)}_{issue % 12 + 1:02d}"


def make_issue(world: World, outline: Outline) -> Issue:
    """Everything that is printed in an issue."""
    reported = outline.reported
    maker = _Maker(world, reported, style_of(world, reported.issue))
    pages = maker.pages(outline.pages, outline.turn)
    when = month_year(reported.issue)
    return Issue(
        document_name(reported.issue),
        f"the {when} issue",
        reported,
        maker.style,
        pages,
        running_head=f"{vocabulary().bulletin}, {when}",
    )


Blocks = Callable[[], tuple[Block, ...]]


class _Maker:
    def __init__(self, world: World, reported: Reported, style: Style) -> None:
        self._world, self._reported, self.style = world, reported, style

    def pages(self, count: int, turn: int) -> tuple[Page, ...]:
        """Contents, tables in their order, provinces, notes."""
        always: list[tuple[float, Blocks]] = [
            (10, lambda: self._over_time("summary")),
            (11, lambda: self._over_time("by_source")),
        ]
        others: list[tuple[float, Blocks]] = [
            (12, self._bars),
            (13, lambda: self._in_two_parts("by_function", 2)),
            (40, lambda: (by_province(self._world, self._reported, self.style),)),
            (90, lambda: (definitions(self._world, self._reported.issue),)),
            (14, lambda: (statement(self._world, self._reported, self.style),)),
            (20, lambda: self._over_time("debt")),
            (30, lambda: self._over_time("customs")),
            (21, lambda: self._over_time("coin", "interest")),
            (5, lambda: self._remarks(0)),
            (22, lambda: (loans_outstanding(self._world, self._reported, self.style),)),
            (31, self._line),
            (15, tuple),
        ]
        room = count - 1 - len(always)
        turned = [others[(i + 4 * turn) % len(others)] for i in range(len(others))]
        chosen = [*always, *turned[:room], *islice(self._endless(), max(0, room - len(others)))]
        bodies = [make() for _, make in sorted(chosen, key=lambda place: place[0])]
        body = tuple(Page(blocks, folio=str(n) if blocks else "") for n, blocks in enumerate(bodies, 1))
        return (self._front(body), *body)

    def _over_time(self, *names: str) -> tuple[PrintedTable, ...]:
        return self._printed(*(catalogue()[name] for name in names))

    def _printed(self, *tables: TimeTable) -> tuple[PrintedTable, ...]:
        return tuple(time_table(self._world, table, self._reported, self.style) for table in tables)

    def _in_two_parts(self, name: str, after: int) -> tuple[Block, ...]:
        return self._over_time(name)[0].parts(after)

    def _endless(self) -> Iterator[tuple[float, Blocks]]:
        """Provinces by subject, and every so often a page of prose or a blank one."""
        words = vocabulary()
        subjects = ((s, n, p) for s in range(len(words.subjects)) for n, p in enumerate(words.provinces, 1))
        for i, (subject, number, province) in enumerate(subjects):
            place = 50 + i / 1000
            if i % 13 == 12:
                yield place - 0.0005, tuple
            if i % 10 == 9:
                yield place - 0.0004, partial(self._remarks, i)
            yield place, partial(self._of_province, subject, number, province)

    def _remarks(self, number: int) -> tuple[Block, ...]:
        return (review(self._world, self._reported, number),)

    def _of_province(self, subject: int, number: int, province: str) -> tuple[Block, ...]:
        return self._printed(*provincial(subject, province, number))

    def _bars(self) -> tuple[Block, ...]:
        years = [p for p in self._ending_by(9) if p.kind is PeriodKind.FISCAL]
        drawn = (
            ("Letters Carried by the Posts", "Millions", "volume.letters"),
            ("Timber Cut in Crown Forests", "Thousands of loads", "volume.timber"),
        )
        return tuple(self._chart(ChartKind.BARS, title, unit, ((key, 1),), years) for title, unit, key in drawn)

    def _line(self) -> tuple[Block, ...]:
        last = self._reported.last
        months = [Period(PeriodKind.MONTH, when, when) for when in range(last - 35, last + 1)]
        title, unit = "Customs Duties by Month", "Millions of florins"
        return (self._chart(ChartKind.LINE, title, unit, sum_of(catalogue()["customs"].columns), months),)

    def _ending_by(self, count: int) -> tuple[Period, ...]:
        return self._world.calendar.ending_by(self._reported.last, count)

    def _chart(self, kind: ChartKind, title: str, unit: str, terms: Terms, periods: Sequence[Period]) -> Chart:
        values = figures_of(self._world, terms, periods, Measure.FLOW, self._reported.issue)
        labels = (str(p.year) if p.kind is PeriodKind.FISCAL else month_year(p.last) for p in periods)
        printed = tuple(rounded(value, 1000, 0) for value, _ in values)
        return Chart(kind, title, unit, tuple(labels), printed)

    def _front(self, body: Sequence[Page]) -> Page:
        words = vocabulary()
        entries: dict[str, str] = {}
        for page in body:
            for title in _titles(page):
                entries.setdefault(title, page.folio)
        often = "Quarterly" if is_quarterly(self._reported.issue) else "Monthly"
        masthead = (words.state, words.office, words.bulletin, f"{often} issue", month_year(self._reported.issue))
        return Page((Contents(masthead, tuple(entries.items())),))


def _titles(page: Page) -> Iterator[str]:
    """Titles of a page for the contents; of a table in many parts only where it begins."""
    for block in page.blocks:
        if isinstance(block, Prose):
            yield block.heading.partition(", Part")[0]
        elif isinstance(block, PrintedTable) and block.province:
            if block.province == vocabulary().provinces[0]:
                yield f"{block.title}, and other provinces"
        elif not isinstance(block, Contents) and not block.title.endswith("Continued"):
            yield block.title


def outlines(world: World, pages: int) -> tuple[Outline, ...]:
    """Issues with exactly so many pages together, in order of time.

    A small archive leaps through the decades in clusters of neighbouring issues, so that revisions can be seen;
    one cluster lies just after the change of the fiscal year. A large one holds every issue.

    Raises:
        SettingError: too few pages for three issues, or more than the longest issues hold.
    """
    if not FEWEST <= pages <= MOST:
        raise SettingError(f"--pages must be from {FEWEST} to {MOST:,}, and is {pages:,}")
    months = all_issues()
    length = min(125, max(6, math.isqrt(pages)))
    count = min(len(months), max(3, pages // length))
    chosen = sorted(months[i] for i in _indices(world, months, count))
    shortest, longer = divmod(pages, count)
    assert SHORTEST <= shortest < LONGEST
    return tuple(
        Outline(Reported(issue, chosen[i - 1] if i else None), shortest + (i < longer), turn=i // _cluster(count))
        for i, issue in enumerate(chosen)
    )


def _indices(world: World, months: tuple[int, ...], count: int) -> set[int]:
    if count > len(months) // 3:
        # Nearly all: no leaps, the oldest are left out.
        return set(range(len(months) - count, len(months)))
    dice = world.dice("timeline", count)
    size = _cluster(count)
    clusters = math.ceil(count / size)
    stretch = len(months) / clusters
    starts = [int(i * stretch + dice.uniform(0.1, 0.6) * stretch) for i in range(clusters)]
    after_change = next(i for i, when in enumerate(months) if when > month(world.calendar.change + 1, 12))
    nearest = min(range(clusters), key=lambda i: abs(starts[i] - after_change))
    starts[nearest] = after_change
    indices: set[int] = set()
    for start in starts:
        step = 1 if start + 2 * size >= len(months) else int(dice.integers(1, 3))
        for i in range(size):
            if len(indices) < count:
                indices.add(min(start + i * step, len(months) - 1))
    free = (i for i in range(len(months) - 1, -1, -1) if i not in indices)
    while len(indices) < count:
        indices.add(next(free))
    return indices


def _cluster(count: int) -> int:
    """Issues that follow each other before the next leap in time, where not all are held."""
    return 2 if count < _FEW else 3
