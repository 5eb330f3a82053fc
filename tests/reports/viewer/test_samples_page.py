"""The list of samples, in a real browser from the disk."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.support.browser import address, page


@pytest.fixture
def opened(chromium: Browser) -> Iterator[Page]:
    with page(chromium) as one:
        yield one


def _go(opened: Page, site: Path, fragment: str = "") -> None:
    opened.goto(address(site, f"samples.html{fragment and '#'}{fragment}"))
    expect(opened.locator("#status")).not_to_be_empty()


def _column(opened: Page, number: int) -> list[str]:
    return opened.locator(f"#results tbody tr > :nth-child({number})").all_inner_texts()


def test_the_first_run_in_pages(opened: Page, site: Path) -> None:
    _go(opened, site)
    expect(opened.locator("h1")).to_have_text("Samples of agent-a")
    expect(opened.locator("#status")).to_have_text("240 samples, 1 to 100 shown.")
    assert opened.locator("#results tbody tr").count() == 100
    opened.get_by_role("link", name="Next").click()
    expect(opened.locator("#status")).to_contain_text("101 to 200")
    opened.get_by_role("link", name="Last").click()
    expect(opened.locator("#status")).to_contain_text("201 to 240")
    opened.go_back()
    expect(opened.locator("#status")).to_contain_text("101 to 200")
    assert "page=2" in opened.url


def test_filters_are_in_the_address_and_can_be_gone_back_from(opened: Page, site: Path) -> None:
    _go(opened, site, "run=plain")
    opened.get_by_label("Outcome").select_option("fail")
    expect(opened.locator("#status")).to_contain_text("of 240")
    assert set(_column(opened, 3)) == {"✗ failed"}
    opened.get_by_label("Industry").select_option("Technology & IT")
    expect(opened.locator("#results tbody td.wide").first).to_have_text("Technology & IT")
    assert set(opened.locator("#results td.wide").all_inner_texts()) == {"Technology & IT"}
    opened.get_by_label("contains").fill("TASK-1")
    expect(opened).to_have_url(
        address(site, "samples.html#run=plain&outcome=fail&category=Technology+%26+IT&q=TASK-1")
    )
    opened.go_back()
    expect(opened.get_by_label("Industry")).to_have_value("")
    assert set(_column(opened, 3)) == {"✗ failed"}
    opened.get_by_role("button", name="Clear").click()
    expect(opened.locator("#status")).to_contain_text("240 samples")
    expect(opened.get_by_label("Outcome")).to_have_value("")


def test_sorting_by_keyboard(opened: Page, site: Path) -> None:
    _go(opened, site, "run=plain&outcome=pass")
    header = opened.get_by_role("columnheader", name="Cost")
    header.get_by_role("button").focus()
    opened.keyboard.press("Enter")
    expect(header).to_have_attribute("aria-sort", "descending")
    place = opened.locator("#results thead th").all_inner_texts().index("Cost") + 1
    costs = [float(text.lstrip("$")) for text in _column(opened, place)]
    assert costs == sorted(costs, reverse=True) and len(set(costs)) > 50
    expect(header.get_by_role("button")).to_be_focused()
    opened.keyboard.press("Enter")
    expect(header).to_have_attribute("aria-sort", "ascending")
    assert "sort=cost" in opened.url


def test_a_deep_link_and_natural_order(opened: Page, site: Path) -> None:
    _go(opened, site, "run=plain&language=en&sort=-sample&page=2")
    names = _column(opened, 1)
    numbers = [int(name.removeprefix("task-")) for name in names]
    assert numbers == sorted(numbers, reverse=True)
    expect(opened.get_by_label("Language")).to_have_value("en")


def test_a_filter_that_has_no_field_of_its_own(opened: Page, site: Path) -> None:
    _go(opened, site, "run=plain&stop_reason=turn_limit")
    few = opened.locator("#results tbody tr").count()
    assert 0 < few < 60
    chip = opened.get_by_role("list", name="Further filters")
    expect(chip).to_contain_text("Ended by: turn_limit")
    chip.get_by_role("button").click()
    expect(opened.locator("#status")).to_contain_text("240 samples")


@pytest.mark.parametrize(
    ("fragment", "words"),
    [
        ("run=../../../secret", "no run “../../../secret”"),
        ("run=nobody", "agent-b"),
        ("run=plain&colour=red", "cannot be filtered by “colour”"),
        ("run=plain&category=Alchemy", "No sample is like this"),
        ("run=plain&page=-3&sort=nothing", "task-1"),
        ("run=plain&__proto__=1&constructor=2", "cannot be filtered by"),
    ],
)
def test_addresses_that_lead_nowhere(opened: Page, site: Path, fragment: str, words: str) -> None:
    opened.goto(address(site, f"samples.html#{fragment}"))
    expect(opened.locator("#viewer")).to_contain_text(words)


def test_every_sample_opens(opened: Page, site: Path) -> None:
    _go(opened, site, "run=faults&condition=E2")
    opened.get_by_role("link", name="task-5").click()
    expect(opened.locator("h1")).to_have_text("Sample task-5")
    assert opened.url.endswith("trajectory.html#run=faults&sample=task-5&condition=E2")
    opened.go_back()
    expect(opened.locator("#status")).to_contain_text("12 of 36")


def test_hostile_samples_on_a_phone(chromium: Browser, site: Path) -> None:
    with page(chromium, width=360, dark=True) as opened:
        opened.goto(address(site, "samples.html#run=hostile&condition=E2"))
        expect(opened.locator("#results tbody tr")).to_have_count(24)
        assert opened.evaluate("document.documentElement.scrollWidth") <= 360
        assert opened.locator("#viewer script, #viewer img, #viewer style, #viewer svg").count() == 0
        assert "⟨U+202E⟩" in opened.locator("#results").inner_text()
        hrefs = opened.eval_on_selector_all("#viewer a", "(all) => all.map((a) => a.getAttribute('href'))")
        assert all(href.startswith(("trajectory.html#", "#")) for href in hrefs)
        industry = opened.get_by_label("Industry")
        industry.select_option(index=1)
        expect(opened.locator("#status")).to_contain_text("of 72 samples")
