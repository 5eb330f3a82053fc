"""Long work: only what is in view is in the page, and everything can be got at."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.support.browser import address, page, until
from tests.support.long_work import long_run

from worktrial.reports.report import open_report
from worktrial.reports.site import write_site

CALLS = 5000
WRITTEN = """# Outcome

The case is **settled**, see `C-7` and [the rule](javascript:alert(1)):

1. first
2. <img src=x onerror=alert(1)>

| a | b |
|---|---|
| 1 | 2 |

![picture](https://evil.example/x.png)
"""


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("long")
    runs = [
        long_run(folder / "long", calls=CALLS),
        long_run(folder / "short", calls=12, desk=True, answer=WRITTEN),
        long_run(folder / "large", calls=4, large=20_000_000),
        long_run(folder / "wide", calls=300, wide=5000, desk=True),
    ]
    write_site(open_report(runs, "Long"), folder / "site")
    return folder / "site"


@pytest.fixture
def opened(chromium: Browser) -> Iterator[Page]:
    with page(chromium) as one:
        yield one


def _go(opened: Page, sites: Path, run: str, more: str = "") -> None:
    opened.goto(address(sites, f"trajectory.html#run={run}&sample=task-1{more}"))
    expect(opened.locator("#verdict")).to_be_visible()


def test_thousands_of_calls_of_which_few_are_in_the_page(opened: Page, sites: Path) -> None:
    _go(opened, sites, "long")
    assert 0 < opened.locator(".call").count() < 60
    assert opened.locator(".outline a").count() < 120
    _go(opened, sites, "long", "&call=4321")
    expect(opened.locator("#call-4321")).to_be_focused()
    expect(opened.locator("#call-4321")).to_be_in_viewport()
    wanted = opened.locator(".call.wanted")
    # Folded otherwise, as they are many.
    expect(wanted).to_contain_text('"case": "C-4320"')
    expect(opened.locator(".call.folded-call").first).to_be_visible()
    expect(opened.locator('.outline a[aria-current="true"]')).to_contain_text("4321 get_case")
    expect(opened.locator('.outline a[aria-current="true"]')).to_be_in_viewport()
    opened.evaluate("location.hash += '0'")
    expect(opened.locator("#status")).to_have_text("This sample has no call 43210.")


def test_by_keyboard_alone(opened: Page, sites: Path) -> None:
    _go(opened, sites, "long", "&call=99")
    for key, number in (("j", 100), ("ArrowDown", 101), ("k", 100), ("ArrowUp", 99)):
        opened.keyboard.press(key)
        expect(opened.locator(f"#call-{number}")).to_be_focused()
    call = opened.locator(".call", has=opened.locator("#call-99"))
    opened.keyboard.press("ArrowLeft")
    expect(call).not_to_contain_text("Observation")
    expect(opened.locator("#call-99")).to_be_focused()
    opened.keyboard.press("ArrowRight")
    expect(call).to_contain_text("Observation")
    opened.keyboard.press("?")
    expect(opened.get_by_role("dialog", name="Keys")).to_be_visible()
    opened.keyboard.press("Escape")
    expect(opened.get_by_role("dialog")).to_have_count(0)
    opened.keyboard.press("]")
    expect(opened.locator("h1")).to_have_text("Sample task-2")
    opened.keyboard.press("[")
    expect(opened.locator("h1")).to_have_text("Sample task-1")


def test_search_within_a_sample(opened: Page, sites: Path) -> None:
    _go(opened, sites, "long")
    opened.keyboard.press("/")
    opened.keyboard.type("MARKER-4")
    bar = opened.locator("#bar")
    expect(bar).to_contain_text("11 parts")
    opened.keyboard.press("Enter")
    expect(bar).to_contain_text("1 of 11 parts")
    expect(opened.get_by_text('"note": "marker-400"')).to_be_in_viewport()
    until(opened, "[...CSS.highlights.get('found')].some((one) => one.toString() === 'marker-4')")
    opened.keyboard.press("Enter")
    expect(opened.get_by_text('"note": "marker-4000"')).to_be_in_viewport()
    opened.keyboard.press("Shift+Enter")
    expect(opened.get_by_text('"note": "marker-400"')).to_be_in_viewport()
    opened.keyboard.press("Escape")
    expect(bar).not_to_contain_text("parts")
    opened.keyboard.press("/")
    opened.keyboard.type("not to be found")
    expect(bar).to_contain_text("0 parts")


def test_outline_of_a_short_one(opened: Page, sites: Path) -> None:
    _go(opened, sites, "short")
    outline = opened.get_by_role("navigation", name="Outline")
    labels = outline.get_by_role("link").all_inner_texts()
    assert labels[:6] == ["Verdict", "Votes", "Assignment", "Work", "Turn 1", "1 get_case 07:00"]
    assert "3 get_case 07:02 error" in labels and labels[-1] == "As stored"
    assert labels[labels.index("Turn 6") - 2 :][:2] == ["5 get_case 07:04", "Notice 1"]
    outline.get_by_role("link", name="Notice 1").click()
    expect(opened.locator("#notice-1")).to_be_focused()
    expect(opened.locator(".turn", has=opened.locator("#notice-1"))).to_contain_text("Little of your context")
    outline.get_by_role("link", name="Turn 7").click()
    expect(opened.locator("#turn-7")).to_be_focused()
    outline.get_by_role("link", name="Answer").click()
    expect(opened.locator("#answer")).to_be_focused()
    outline.get_by_role("link", name="3 get_case 07:02 error").click()
    expect(opened.locator("#call-3")).to_be_focused()
    raw = opened.locator(".turn").first.locator("details", has_text="As sent and received")
    raw.locator("summary").click()
    expect(raw).to_contain_text('"tool_call_id": "c0"')


def test_markdown_is_shown_and_nothing_of_it_acts(opened: Page, sites: Path) -> None:
    _go(opened, sites, "short")
    answer = opened.locator("#answer")
    expect(answer.locator("strong")).to_have_text("settled")
    expect(answer.locator("ol li")).to_have_count(2)
    expect(answer.locator("table td")).to_have_text(["1", "2"])
    expect(answer).to_contain_text("<img src=x onerror=alert(1)>")
    expect(answer).to_contain_text("[picture: picture https://evil.example/x.png]")
    assert answer.locator("a, img").count() == 0
    answer.get_by_role("button", name="As written").click()
    expect(answer.locator("pre")).to_contain_text("The case is **settled**")
    answer.get_by_role("button", name="As Markdown").click()
    expect(answer.locator("strong")).to_have_text("settled")


def test_observations_of_20_megabytes(opened: Page, sites: Path) -> None:
    opened.set_default_navigation_timeout(120_000)
    _go(opened, sites, "large")
    assert opened.evaluate("document.getElementById('viewer').innerText.length") < 200_000
    first = opened.locator(".call").first
    first.get_by_text("/text in full").click()
    first.get_by_role("button", name="Show the next 200,000").click()
    assert 200_000 < len(first.inner_text()) < 250_000
    second = opened.locator(".call").nth(1)
    expect(second).to_contain_text("These are its first 3,000 lines.")
    second.get_by_text("As a tree, with paths").click()
    second.get_by_text("rows (200000 items)").click()
    second.get_by_text("199 (2 fields)").click()
    expect(second).to_contain_text("/rows/199")
    opened.keyboard.press("/")
    opened.keyboard.type('"row":150001,')
    expect(opened.locator("#bar")).to_contain_text("1 part")


def test_long_work_comes_in_slices(opened: Page, sites: Path) -> None:
    """What a folded call shows is there at once; the rest comes when it is unfolded, searched or shown whole."""
    asked: list[str] = []
    opened.on("request", lambda one: asked.append(one.url.rpartition("/")[2]))
    _go(opened, sites, "wide")
    expect(opened.locator(".call .in-brief").first).to_contain_text('{"case":"C-0","status":"open"')
    expect(opened.locator('.outline a:has-text("3 get_case")').first).to_have_text("3 get_case 07:02 error")
    assert not [name for name in asked if name.startswith("p")]
    _go(opened, sites, "wide", "&call=250")
    call = opened.locator(".call.wanted")
    expect(call).to_contain_text("word249 word249")
    expect(call.get_by_role("button", name="Copy as JSON")).to_be_visible()
    assert len([name for name in asked if name.startswith("p")]) == 1
    turn = opened.locator(".turn", has=opened.locator("#call-250"))
    turn.locator("summary", has_text="As sent and received").click()
    expect(turn).to_contain_text('"tool_call_id": "c249"')
    assert 1 < len([name for name in asked if name.startswith("p")]) < 4
    opened.keyboard.press("/")
    opened.keyboard.type("word299 word299")
    expect(opened.locator("#bar")).to_contain_text("1 part")
    opened.keyboard.press("Enter")
    expect(opened.locator("#call-300")).to_be_in_viewport()
    parts = [name for name in asked if name.startswith("p")]
    assert len(parts) == len(set(parts)) > 9, "each slice is read once"
    opened.locator("#stored summary", has_text="Trajectory, whole").click()
    for name in ("Trajectory (", "calls (300 items)", "199 (", "observation (", "content ("):
        opened.locator("#stored summary").get_by_text(name).last.click()
    expect(opened.locator("#stored")).to_contain_text("word199 word199")
    # The search over all tasks looks into the slices, too.
    found = opened.evaluate("""async () => {
      const head = await Worktrial.head("wide");
      const texts = [];
      await Worktrial.stored(head, 0, (some, n) => n === 0 && texts.push(...some));
      return texts.join("").includes("word299 word299");
    }""")
    assert found


def test_a_call_is_copied(chromium: Browser, sites: Path) -> None:
    with page(chromium, permissions=["clipboard-read", "clipboard-write"]) as opened:
        _go(opened, sites, "short", "&call=2")
        opened.locator(".call.wanted").get_by_role("button", name="Copy as JSON").click()
        expect(opened.locator("#status")).to_have_text("Call 2 is copied.")
        assert '"case_id": "C-1"' in opened.evaluate("navigator.clipboard.readText()")


def test_on_a_phone_the_outline_waits(chromium: Browser, sites: Path) -> None:
    with page(chromium, width=390, dark=True) as opened:
        _go(opened, sites, "long", "&call=40")
        expect(opened.locator("#call-40")).to_be_in_viewport()
        assert opened.evaluate("document.documentElement.scrollWidth") <= 390
        expect(opened.get_by_role("navigation", name="Outline")).to_be_hidden()
