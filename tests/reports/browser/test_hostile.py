"""Whatever a model, a data set or an address says stays text: on no page does any of it become markup or script."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.support.browser import address, page
from tests.support.hostile import ATTACKS, INJECTED, OURS
from tests.support.made_site import MadeSite

# The first test waits until the report is made.
pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def opened(chromium: Browser) -> Iterator[Page]:
    """Fails at its end when a script ran, a dialog opened, the console spoke, or the network was asked."""
    with page(chromium) as one:
        yield one


def test_the_first_page(opened: Page, made: MadeSite) -> None:
    opened.goto(address(made.folder, "index.html"))
    opened.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert opened.evaluate(OURS) == []
    text = opened.locator("main").inner_text()
    assert "<script>" in text
    opened.evaluate("document.querySelectorAll('button.sort').forEach((one) => one.click())")
    assert opened.evaluate(OURS) == []


def test_the_pages_of_sections(opened: Page, made: MadeSite) -> None:
    names = [path.name for path in made.folder.glob("section-*.html")]
    assert len(names) > 7
    for name in names:
        opened.goto(address(made.folder, name))
        assert opened.evaluate(OURS) == []


def test_the_list_of_samples(opened: Page, made: MadeSite) -> None:
    opened.goto(address(made.folder, "samples.html#run=hostile"))
    expect(opened.locator("#results tbody tr")).to_have_count(96)
    assert opened.evaluate(OURS) == []
    for name in ("category", "difficulty", "language"):
        for value in opened.locator(f"select[name={name}] option").all_text_contents()[1:]:
            opened.locator(f"select[name={name}]").select_option(label=value)
            expect(opened.locator("#status")).to_contain_text("of 96")
            assert opened.evaluate(OURS) == []
        opened.get_by_role("button", name="Clear").click()


def test_trajectories_of_every_condition(opened: Page, made: MadeSite) -> None:
    opened.goto(address(made.folder, "samples.html#run=hostile"))
    expect(opened.locator("#results tbody tr")).to_have_count(96)
    hrefs = opened.eval_on_selector_all("#results tbody a", "(all) => all.map((a) => a.getAttribute('href'))")
    # Which attack a text carries goes by its number: twelve in a row have them all.
    for href in hrefs[0:6] + hrefs[30:33] + hrefs[54:57] + hrefs[80:83]:
        opened.goto(address(made.folder, href))
        expect(opened.locator("#verdict")).to_be_visible()
        opened.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert opened.evaluate(OURS) == [], href
        assert INJECTED in opened.locator("#viewer").inner_text(), "the attack is there to be read"


@pytest.mark.parametrize("place", ["index.html#{}", "index.html#category={}", "samples.html#run={}&q={}&sort={}"])
def test_addresses(opened: Page, made: MadeSite, place: str) -> None:
    for attack in ATTACKS:
        for text in (attack, attack.replace(" ", "%20").replace("<", "%3C").replace("&", "%26")):
            opened.goto(address(made.folder, place.replace("{}", text.replace("\x00", ""))))
            assert opened.evaluate(OURS) == []


def test_the_policy_would_stop_what_got_through(chromium: Browser, made: MadeSite) -> None:
    context = chromium.new_context()
    try:
        opened = context.new_page()
        said: list[str] = []
        opened.on("console", lambda message: said.append(message.text))
        for name in ("index.html", "samples.html", "trajectory.html"):
            opened.goto(address(made.folder, name))
            opened.evaluate(
                """(name) => {
                  document.body.insertAdjacentHTML("beforeend", `<img src=x onerror="window.${name}=1">`);
                  const script = document.createElement("script");
                  script.textContent = `window.${name}=2`;
                  document.body.append(script);
                  const other = document.createElement("script");
                  other.src = "https://example.invalid/x.js";
                  document.body.append(other);
                }""",
                INJECTED,
            )
            opened.wait_for_timeout(100)
            assert opened.evaluate(f"window.{INJECTED}") is None
        assert sum("Content Security Policy" in text for text in said) >= 6
    finally:
        context.close()
