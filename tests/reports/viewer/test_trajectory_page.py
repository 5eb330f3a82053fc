"""One sample, in a real browser from the disk."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.support.browser import address, page
from tests.support.made_runs import make_run
from tests.support.run_files import set_work, work_of

from worktrial.engine.stored import open_run
from worktrial.reports.links import samples_href
from worktrial.reports.report import open_report
from worktrial.reports.site import write_site


@pytest.fixture
def opened(chromium: Browser) -> Iterator[Page]:
    with page(chromium) as one:
        yield one


def _go(opened: Page, site: Path, fragment: str) -> None:
    opened.goto(address(site, f"trajectory.html#{fragment}"))
    expect(opened.locator("#verdict")).to_be_visible()


# Open everything, and what that brings, until nothing is folded any more.
_UNFOLD = """async () => {
  for (;;) {
    const folded = document.querySelectorAll("section:not(#stored) :is(details:not([open]), button.unfold)");
    if (!folded.length) return;
    for (const one of folded) one.tagName === "DETAILS" ? (one.open = true) : one.click();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}"""


def _sides(call: Locator) -> tuple[Locator, Locator]:
    seen = call.locator(".part", has_text="What the agent saw")
    return seen, call.locator(".part", has_text="What really was the answer")


def test_everything_about_a_sample(opened: Page, site: Path) -> None:
    _go(opened, site, "run=plain&sample=task-2")
    titles = opened.locator("h2").all_inner_texts()
    assert titles == ["Verdict", "Votes", "Assignment", "Work", "Answer", "Time, tokens, cost", "As stored"]
    for words in ("Business & Enterprise", "occupations", "en", "answered"):
        expect(opened.locator("#verdict")).to_contain_text(words)
    expect(opened.locator("#votes")).to_contain_text("Every point of the rubric is met.")
    expect(opened.locator("#assignment")).to_contain_text("settle what is open by our procedures")
    expect(opened.locator("#spent")).to_contain_text("simulator")
    first = opened.locator(".turn").first
    expect(first).to_contain_text("The procedure asks for the owner first")
    expect(first.locator("h4")).to_contain_text("Call 1: list_cases")
    expect(first).to_contain_text('{"case_id": "task-2-1", "page": 1}')
    expect(first).to_contain_text("Ines Aldana")
    reasoning = opened.locator("details", has_text="Reasoning").first
    expect(reasoning.locator("pre")).to_have_count(0)
    reasoning.locator("summary").click()
    expect(reasoning.locator("pre")).to_contain_text("The procedure asks for the owner first")


def test_degraded_fields_beside_the_clean_ones(opened: Page, site: Path) -> None:
    opened.goto(address(site, "samples.html#run=faults&condition=E2"))
    marks, missing = 0, 0
    for number in range(1, 13):
        _go(opened, site, f"run=faults&sample=task-{number}&condition=E2")
        for call in opened.locator(".call.faulty").all():
            seen, clean = _sides(call)
            assert clean.locator("mark").count() > 0
            assert seen.locator("mark").count() > 0
            # What a fault has not touched is marked on neither side.
            assert not any(
                '"owner"' in text for text in seen.locator("mark").all_inner_texts() if "cases" not in text
            )
            marks += clean.locator("mark").count()
            missing += seen.locator(".note", has_text="missing").count()
    assert marks > 20 and missing > 5


def test_open_faults_and_the_plan(opened: Page, site: Path) -> None:
    _go(opened, site, "run=faults&sample=task-4&condition=E1")
    plan = opened.locator("#faults")
    expect(plan).to_contain_text("open (E1)")
    link = plan.get_by_role("link").first
    number = link.inner_text().removeprefix("call ")
    link.click()
    expect(opened.locator(f"#call-{number}")).to_be_focused()
    assert opened.url.endswith(f"&call={number}")
    expect(opened.locator(".call.wanted")).to_contain_text("Fault: ")
    expect(opened.locator(".call.wanted")).not_to_contain_text("What really was the answer")


def test_checks_of_the_starter_suite(opened: Page, site: Path) -> None:
    opened.goto(address(site, "samples.html#run=starter&outcome=fail"))
    opened.locator("#results tbody a").first.click()
    rows = opened.locator("#checks tbody tr")
    # What failed comes first.
    expect(rows.first).to_contain_text("✗ failed")
    expect(rows.last).to_contain_text("✓ passed")
    assert opened.locator("#votes").count() == 0
    opened.get_by_text("Show the state").click()
    expect(opened.locator("#state")).to_contain_text("settled")


def test_a_deep_link_to_a_call(opened: Page, site: Path) -> None:
    _go(opened, site, "run=plain&sample=task-9&repeat=1&call=4")
    expect(opened.locator("#call-4")).to_be_focused()
    expect(opened.locator("#call-4")).to_be_in_viewport()
    opened.evaluate("location.hash = location.hash.replace('call=4', 'call=99')")
    expect(opened.locator("#status")).to_have_text("This sample has no call 99.")


def test_neighbours_and_going_back(opened: Page, site: Path) -> None:
    _go(opened, site, "run=plain&sample=task-1")
    above = opened.get_by_role("navigation", name="above")
    assert above.get_by_role("link", name="Previous").count() == 0
    above.get_by_role("link", name="Next sample").click()
    expect(opened.locator("h1")).to_be_focused()
    expect(opened.locator("#status")).to_contain_text("Sample task-1")
    assert opened.url.endswith("sample=task-1&repeat=1")
    opened.get_by_role("navigation", name="below").get_by_role("link", name="Next sample").click()
    expect(opened.locator("h1")).to_have_text("Sample task-2")
    opened.go_back()
    expect(opened.locator("h1")).to_have_text("Sample task-1")
    assert "task-1" in opened.title()


@pytest.mark.parametrize(
    ("fragment", "words"),
    [
        ("", "names no run"),
        ("run=plain", "names no sample"),
        ("run=..%2F..%2Fplain&sample=task-1", "no run"),
        ("run=plain&sample=task-999", "no sample “task-999”, repeat 0, condition E0"),
        ("run=plain&sample=task-1&repeat=7", "repeat 7"),
        ("run=plain&sample=%3Cimg%20src%3Dx%3E", "no sample “<img src=x>”"),
        ("run=plain&sample=__proto__", "no sample “__proto__”"),
    ],
)
def test_addresses_that_lead_nowhere(opened: Page, site: Path, fragment: str, words: str) -> None:
    opened.goto(address(site, f"trajectory.html#{fragment}"))
    expect(opened.get_by_role("alert")).to_contain_text(words)
    opened.locator("#viewer a").first.click()
    expect(opened.locator("h1")).to_contain_text("Samples of")


def test_hostile_samples_are_only_text(chromium: Browser, site: Path) -> None:
    with page(chromium, width=360, dark=True) as opened:
        opened.goto(address(site, "samples.html#run=hostile&condition=E2"))
        expect(opened.locator("#results tbody tr")).to_have_count(24)
        hrefs = opened.eval_on_selector_all("#results tbody a", "(all) => all.map((a) => a.getAttribute('href'))")
        for href in hrefs[:12]:
            opened.goto(address(site, href))
            expect(opened.locator("#verdict")).to_be_visible()
            opened.evaluate(_UNFOLD)
            assert opened.evaluate("document.documentElement.scrollWidth") <= 360
            inside = "#viewer :is(script, img, style, svg, iframe, object, link, meta, base, form, input)"
            assert opened.locator(inside).count() == 0
            assert opened.evaluate(
                """[...document.querySelectorAll("#viewer *")].flatMap((one) => [...one.attributes]).every((a) =>
                  !a.name.startsWith("on") && (a.name !== "href" || /^(#|[a-z]+[.]html#)/.test(a.value)))"""
            )
            text = opened.locator("#viewer").inner_text()
            assert "<script>" in text and "⟨U+202E⟩" in text and "javascript:" in text


def test_long_texts_are_folded(opened: Page, site: Path) -> None:
    opened.goto(address(site, "samples.html#run=hostile"))
    opened.locator("#results tbody a").first.click()
    call = opened.locator(".call").first
    more = call.get_by_text("in full").first
    more.click()
    button = call.get_by_role("button", name="Show all").first
    before = len(call.inner_text())
    button.focus()
    opened.keyboard.press("Enter")
    assert len(call.inner_text()) > before + 1000
    # Whoever pressed the button stays where it was.
    assert opened.evaluate("document.activeElement.tagName") == "PRE"


def test_links_of_the_first_page_arrive_whatever_is_in_them(opened: Page, site: Path) -> None:
    run = open_run(site.parent / "hostile")
    for record in run.records[:12]:
        asked = {"run": "hostile", "sample": record.sample, "repeat": record.repeat, "condition": record.condition}
        opened.goto(address(site, f"trajectory.html#{urlencode(asked)}"))
        expect(opened.locator("#verdict")).to_be_visible()
        assert opened.evaluate("Worktrial.asked().sample") == record.sample
    for category in {str(record.tags["category"]) for record in run.records}:
        opened.goto(address(site, samples_href("hostile", {"category": category, "condition": "E1"})))
        same = [r for r in run.records if r.tags["category"] == category and r.condition == "E1"]
        expect(opened.locator("#status")).to_have_text(f"{len(same)} of 72 samples.")


def test_thoughts_in_a_text_are_shown_apart_from_it(opened: Page, tmp_path: Path) -> None:
    run = make_run(tmp_path / "thinks", tasks=1)
    lines = work_of(run)
    first = next(m for m in lines[-1]["messages"] if m["role"] == "assistant")
    first.pop("reasoning_content", None)
    first["content"] = "<think>Is it the owner?</think>I look at the cases."
    set_work(run, lines)
    write_site(open_report([run], "Thoughts"), tmp_path / "site")
    _go(opened, tmp_path / "site", "run=thinks&sample=task-1")
    turn = opened.locator(".turn").first
    expect(turn.locator(".speech").first).to_have_text("I look at the cases.")
    turn.locator("details", has_text="Reasoning").locator("summary").click()
    expect(turn.locator("details pre").first).to_have_text("Is it the owner?")
