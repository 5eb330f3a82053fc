"""What must hold for the chart: valid markup, text stays text, nothing outside of its axes."""

import re
from math import inf, nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import Markup
from tests.support.html_tree import Element, parsed

from worktrial.reports.chart import Bar, Scale, bars, scale_of
from worktrial.statistics import Interval

_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30)
_NUMBER = st.floats(-1e12, 1e12) | st.sampled_from([nan, inf, -inf, 0.0, 1e-9])
_INTERVAL = st.none() | st.tuples(_NUMBER, _NUMBER).map(lambda ends: Interval(*ends))
_HOSTILE = "</title><script>alert(1)</script>\"'&amp;"


def _chart(label: str, values: list[float]) -> Markup:
    return bars(label, [Bar(label, value, href="#x", group=label) for value in values])


@pytest.mark.parametrize("values", [[], [0.5], [nan], [0.2, nan, 0.9], [n / 100 for n in range(100)], [0.0] * 3])
def test_a_chart_of_any_size_is_a_figure(values: list[float]) -> None:
    made = parsed(_chart("Title", values))
    assert "Title" in made.one("figure", class_="chart").one("figcaption").text
    assert not [e for e in made.all() if "style" in e.attributes or any(a.startswith("on") for a in e.attributes)]


def test_hostile_labels_stay_text() -> None:
    made = parsed(_chart(_HOSTILE, [0.1, 0.5, 0.9]))
    assert made.one("figcaption").text == _HOSTILE
    assert not list(made.all("script"))


@given(_TEXT, _TEXT)
def test_any_label_appears_escaped(title: str, label: str) -> None:
    made = parsed(bars(title, [Bar(label, 0.5, Interval(0.4, 0.6), group=title)]))
    assert made.one("figcaption").text == title
    assert made.one(class_="label").text == label
    assert made.one(class_="group").text == title


@settings(max_examples=60)
@given(st.lists(st.tuples(_NUMBER, _INTERVAL), min_size=1, max_size=8))
def test_bars_and_intervals_stay_within_the_axes(entries: list[tuple[float, Interval | None]]) -> None:
    _check_within(parsed(bars("t", [Bar("b", value, interval, mark=value) for value, interval in entries])))


def test_a_known_bar_is_where_it_should_be() -> None:
    row = parsed(bars("t", [Bar("b", 0.25, Interval(0.1, 0.5), "samples.html#run=a")])).one("svg", class_="row")
    bar = row.one("rect")
    assert (bar.attributes["x"], bar.attributes["width"]) == ("0.00%", "25.00%")
    span = next(row.all("line", class_="whisker"))
    assert (span.attributes["x1"], span.attributes["x2"]) == ("10.00%", "50.00%")


def test_a_bar_below_zero_starts_at_zero() -> None:
    made = parsed(bars("t", [Bar("b", -0.5), Bar("c", 1.0)]))
    first, second = made.all("rect")
    ends = [float(e.attributes[a].rstrip("%")) for e in (first, second) for a in ("x", "width")]
    assert ends[0] + ends[1] == pytest.approx(ends[2], abs=0.02)


def test_what_is_unknown_says_so_and_is_not_drawn() -> None:
    made = parsed(bars("t", [Bar("b", None), Bar("c", nan, Interval(nan, 1.0))]))
    assert [v.text for v in made.all(class_="value")] == ["–", "–"]
    assert not list(made.all("rect")) and not list(made.all(class_="whisker"))


def test_a_mark_stands_where_its_value_is() -> None:
    row = parsed(bars("t", [Bar("b", 0.8, mark=0.4)])).one("svg", class_="row")
    assert row.one("line", class_="mark").attributes["x1"] == "40.00%"
    assert not list(parsed(bars("t", [Bar("b", 0.8)])).all("line", class_="mark"))


@given(st.lists(st.none() | st.floats(-1e9, 1e9) | st.sampled_from([nan, inf]), max_size=20))
def test_every_value_is_on_its_scale(values: list[float | None]) -> None:
    scale = scale_of(values)
    slack = (scale.high - scale.low) * 1e-6
    for value in values:
        if value is not None and abs(value) < inf:
            assert scale.low - slack <= value <= scale.high + slack
    assert 2 <= len(scale.ticks) <= 12
    assert abs(scale.ticks[-1] - scale.high) <= slack


def test_shares_have_the_whole_range_and_round_ticks() -> None:
    assert scale_of([0.2, 0.4]) == scale_of([]) == Scale(0.0, 1.0, 0.25)
    assert scale_of([0.2, 1.3]).ticks == [0, 0.5, 1.0, 1.5]
    assert scale_of([-0.34, 0.5]).ticks == [-0.5, 0.0, 0.5, 1.0]


def _check_within(made: Element) -> None:
    for element in made.all():
        for name in ("x", "x1", "x2", "cx", "y", "y1", "y2", "cy", "width", "height"):
            given = element.attributes.get(name, "0")
            assert re.fullmatch(r"-?\d+(\.\d+)?(e-\d+)?%?", given), (element.name, name, given)
            share = float(given.rstrip("%"))
            if given.endswith("%"):
                assert -0.01 <= share <= 100.01, (element.name, name, given)
