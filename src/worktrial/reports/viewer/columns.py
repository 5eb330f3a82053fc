"""Columns of a run's samples: figures, and places in lists of the values that they are grouped and filtered by."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from worktrial.engine.record import SampleRecord, total_tokens
from worktrial.results.spending import OfRun, spent_in

_MOST_VALUES = 1000  # of a tag that samples can be filtered by
_REASON = 240  # characters

Values = Mapping[str, Sequence[str]]
"""Tags that samples are grouped by, to the values there are, sorted."""


def values_of(records: Sequence[SampleRecord]) -> Values:
    """Everything that samples can be filtered by: outcome, condition, stop reason, and the tags.

    A tag that nearly names the sample, with thousands of values, groups nothing and is left out.
    """
    found: dict[str, set[str]] = {}
    for record in records:
        for name, value in _grouped(record):
            values = found.setdefault(name, set())
            if len(values) <= _MOST_VALUES:
                values.add(value)
    return {name: sorted(values) for name, values in found.items() if len(values) <= _MOST_VALUES}


def columns_of(run: OfRun, records: Sequence[SampleRecord], values: Values) -> dict[str, Any]:
    """Columns of some samples of a run, in their order.

    `groups` holds, for each name of `values`, the place of the sample's value in that list, or -1.
    """
    places = {name: {value: n for n, value in enumerate(listed)} for name, listed in values.items()}
    groups: dict[str, list[int]] = {name: [-1] * len(records) for name in places}
    for row, record in enumerate(records):
        for name, value in _grouped(record):
            if name in places:
                groups[name][row] = places[name][value]
    spent = [*map(spent_in(run), records)]
    reasons: dict[str, int] = {}
    reason = [reasons.setdefault(_short(record.reason), len(reasons)) for record in records]
    return {
        "sample": [record.sample for record in records],
        "repeat": [record.repeat for record in records],
        "cost": [one.cost for one in spent],
        "seconds": [one.seconds for one in spent],
        "calls": [record.calls for record in records],
        "tokens": [total_tokens(record.usage) for record in records],
        "reasons": list(reasons),
        "reason": reason,
        "groups": groups,
    }


def _grouped(record: SampleRecord) -> Iterator[tuple[str, str]]:
    # A tag of one of these names would be another thing: the record's own fields come last.
    for name, value in record.tags.items():
        if value is not None and name not in _OWN:
            yield str(name), str(value)
    yield "outcome", record.outcome.value
    yield "condition", record.condition
    if record.stop_reason is not None:
        yield "stop_reason", record.stop_reason


# Also what the page's address uses for itself.
_OWN = frozenset({"outcome", "condition", "stop_reason", "run", "q", "sort", "page"})


def _short(reason: str) -> str:
    return reason if len(reason) <= _REASON else f"{reason[:_REASON]}…"
