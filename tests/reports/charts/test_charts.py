"""What must hold for every chart: valid markup, text stays text, nothing outside of its axes."""

import re
from collections.abc import Callable
from math import inf, nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import Markup
from tests.support.html_tree import Element, parsed

from worktrial.reports.charts import (
    Bar,
    ChartLine,
    Point,
    bars,
    lines,
    scatter,
)
from worktrial.statistics import Interval

_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30)
_NUMBER = st.floats(-1e12, 1e12) | st.sampled_from([nan, inf, -inf, 0.0, 1e-9])
_INTERVAL = st.none() | st.tuples(_NUMBER, _NUMBER).map(lambda ends: Interval(*ends))
_HOSTILE = "</title><script>alert(1)</script>\"'&amp;"

Make = Callable[[str, list[float]], Markup]

# Each makes its chart with one label and a list of numbers, which is the y or the count of its entries.
CHARTS: dict[str, Make] = {
    "bars": lambda label, ys: bars(label, [Bar(label, y, href="#x", group=label) for y in ys]),
    "lines": lambda label, ys: lines(
        label, [ChartLine(label, [(float(x), y, None) for x, y in enumerate(ys)])], x_label=label, y_label=label
    ),
    "scatter": lambda label, ys: scatter(
        label,
        [Point(label, float(x), y, href="#x", frontier=True) for x, y in enumerate(ys)],
        x_label="x",
        y_label="y",
    ),
}


@pytest.fixture(params=CHARTS)
def chart(request: pytest.FixtureRequest) -> Make:
    return CHARTS[request.param]


@pytest.mark.parametrize("values", [[], [0.5], [nan], [0.2, nan, 0.9], [n / 100 for n in range(100)], [0.0] * 3])
def test_a_chart_of_any_size_is_a_figure(chart: Make, values: list[float]) -> None:
    made = parsed(chart("Title", values))
    assert "Title" in made.one("figure", class_="chart").one("figcaption").text
    assert not [e for e in made.all() if "style" in e.attributes or any(a.startswith("on") for a in e.attributes)]


def test_hostile_labels_stay_text(chart: Make) -> None:
    made = parsed(chart(_HOSTILE, [0.1, 0.5, 0.9]))
    assert made.one("figcaption").text == _HOSTILE
    assert not list(made.all("script"))


@pytest.mark.parametrize("kind", ["lines", "scatter"])
def test_pictures_have_a_name_and_a_description(kind: str) -> None:
    made = parsed(CHARTS[kind]("Name", [0.1, 0.5, 0.9]))
    picture = made.one("svg", role="img")
    assert picture.one("title").text == "Name"
    assert picture.one("desc").text
    assert "50.0%" in made.one("table").text
    assert not list(picture.all("a"))


@given(_TEXT, _TEXT)
def test_any_label_appears_escaped(title: str, label: str) -> None:
    made = parsed(bars(title, [Bar(label, 0.5, Interval(0.4, 0.6), group=title)]))
    assert made.one("figcaption").text == title
    assert made.one(class_="label").text == label
    assert made.one(class_="group").text == title


@settings(max_examples=60)
@given(st.lists(st.tuples(_NUMBER, _INTERVAL), min_size=1, max_size=8))
def test_bars_and_intervals_stay_within_the_axes(entries: list[tuple[float, Interval | None]]) -> None:
    _check_within(parsed(bars("t", [Bar("b", value, interval) for value, interval in entries])))


@settings(max_examples=60)
@given(st.lists(st.tuples(_NUMBER, _NUMBER, _INTERVAL), min_size=1, max_size=8))
def test_lines_and_points_stay_within_the_axes(points: list[tuple[float, float, Interval | None]]) -> None:
    _check_within(parsed(lines("t", [ChartLine("n", points)], x_label="x", y_label="y")))
    drawn = [Point("p", x, y, interval) for x, y, interval in points]
    _check_within(parsed(scatter("t", drawn, x_label="x", y_label="y")))


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


def _check_within(made: Element) -> None:
    for element in made.all():
        for name in ("x", "x1", "x2", "cx", "y", "y1", "y2", "cy", "width", "height"):
            given = element.attributes.get(name, "0")
            assert re.fullmatch(r"-?\d+(\.\d+)?(e-\d+)?%?", given), (element.name, name, given)
            share = float(given.rstrip("%"))
            if given.endswith("%"):
                assert -0.01 <= share <= 100.01, (element.name, name, given)
