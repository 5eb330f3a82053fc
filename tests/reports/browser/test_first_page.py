"""The first page, as somebody uses it who has to decide whom to hire."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.support.browser import address, page
from tests.support.made_site import MadeSite

from worktrial.engine.record import SampleRecord
from worktrial.engine.stored import open_run
from worktrial.results.completion import completion

# The first test waits until the report is made.
pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def opened(chromium: Browser, made: MadeSite) -> Iterator[Page]:
    with page(chromium) as one:
        one.goto(address(made.folder, "index.html"))
        yield one


def _records(made: MadeSite, slug: str) -> list[SampleRecord]:
    return list(open_run(made.runs[slug]).records)


def test_the_answer_comes_first(opened: Page, made: MadeSite) -> None:
    brief = opened.get_by_role("region", name="In short: occupations (1)")
    expect(brief.locator(".finding")).to_have_text("Better")
    expect(brief.locator(".answer")).to_contain_text("brook completes ")
    assert brief.locator(".rows li").count() == 3
    for shown in (brief.locator(".answer"), brief.locator(".rows"), brief.get_by_text("What breaks it:")):
        expect(shown).to_be_in_viewport(ratio=1)
    lost = brief.get_by_role("row", name="When tools fail silently (E2)")
    expect(lost).to_contain_text("left")
    alone = opened.get_by_role("region", name="In short: occupations (2)")
    expect(alone.locator(".answer")).to_contain_text("Only one agent was tried.")
    assert alone.locator(".finding").count() == 0, "it is said once"
    expect(opened.get_by_text("Only reference agents worked on")).to_contain_text("orchestration, documents")
    brief.get_by_text("How this was measured").click()
    expect(brief.get_by_role("row", name="heron").first).to_be_visible()
    contents = opened.get_by_role("navigation", name="Contents")
    contents.get_by_role("link", name="When tools fail").click()
    expect(contents.locator("[aria-current]")).to_have_text("When tools fail")
    contents.get_by_role("link", name="Overview").click()
    expect(opened).to_have_url(_ending("index.html"))


def test_no_table_of_the_first_page_is_cut_off(opened: Page) -> None:
    cut = opened.evaluate(
        "[...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth)"
        ".map((one) => [one.getAttribute('aria-label'), one.scrollWidth, one.clientWidth])"
    )
    assert cut == []


@pytest.mark.parametrize("rest", ["index", "section-industries", "section-robustness", "section-effort"])
def test_every_table_sorts_by_every_column(opened: Page, made: MadeSite, rest: str) -> None:
    opened.goto(address(made.folder, f"{rest}.html"))
    tables = opened.locator("table[data-sortable]")
    assert tables.count() > 0
    wrong = opened.evaluate(
        """async () => {
          const wrong = [];
          const key = (cell) => {
            const text = cell.dataset.sort ?? cell.textContent.trim();
            if (text === "") return null;
            return cell.dataset.sort !== undefined && !isNaN(text) ? Number(text) : text;
          };
          for (const table of document.querySelectorAll("table[data-sortable]")) {
            [...table.tHead.rows[0].cells].forEach((header, n) => {
              if (header.hidden) return;
              for (let time = 0; time < 2; time += 1) {
                header.querySelector("button").click();
                const direction = header.getAttribute("aria-sort");
                const all = [...table.tBodies[0].rows].map((row) => key(row.cells[n]));
                const keys = all.filter((one) => one !== null);
                const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
                const numbers = (a, b) => typeof a === "number" && typeof b === "number";
                const order = (a, b) => (numbers(a, b) ? a - b : collator.compare(a, b));
                const sign = direction === "ascending" ? 1 : -1;
                const sorted = keys.every((one, n) => n === 0 || sign * order(keys[n - 1], one) <= 0);
                const last = all.slice(keys.length).every((one) => one === null);
                const alone = table.querySelectorAll("[aria-sort]").length === 1;
                if (sorted && last && alone && direction) continue;
                wrong.push([table.caption.textContent, n, direction, all]);
              }
            });
          }
          return wrong;
        }"""
    )
    assert wrong == []


def test_sorting_by_keyboard_alone(opened: Page) -> None:
    opened.keyboard.press("Tab")
    expect(opened.locator(":focus")).to_have_text("Skip to the content")
    opened.keyboard.press("Enter")
    board = opened.locator("#leaderboard table").first
    for _ in range(60):
        opened.keyboard.press("Tab")
        if opened.evaluate("document.activeElement.matches('#leaderboard button.sort')"):
            break
    expect(opened.locator(":focus")).to_have_text("Agent")
    ring = opened.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert ring == "solid", "the focus is seen"
    opened.keyboard.press("Enter")
    expect(board.locator("th[aria-sort]")).to_have_text("Agent")
    assert _agents(board) == sorted(_agents(board), key=str.lower)
    opened.keyboard.press("Space")
    assert _agents(board) == sorted(_agents(board), key=str.lower, reverse=True)
    expect(opened.locator("main > [role=status]")).to_contain_text("sorted by Agent, descending")


@pytest.mark.parametrize("slug", ["brook", "heron", "gold", "reference", "plan"])
def test_numbers_lead_to_as_many_samples(opened: Page, made: MadeSite, slug: str) -> None:
    clean = completion([r for r in _records(made, slug) if r.condition == "E0"]).counts
    passed, invalid, all_of = clean.of_all.successes, clean.invalid, clean.of_all.n
    row = opened.locator("#leaderboard tr", has=opened.locator(f"a[href$='#run-{slug}']"))
    heads = row.locator("xpath=ancestor::table").locator("thead th").all_inner_texts()
    for name, wanted in (("Completion", passed), ("Of valid", passed), ("Invalid", invalid), ("Samples", all_of)):
        if name == "Of valid" and not invalid:
            continue
        cell = row.locator("td").nth([head.split("\u00a0")[0] for head in heads].index(name) - 1)
        # Of a number that counts none, all samples are shown: no page is empty.
        assert _led_to(opened, cell) == (wanted or all_of)
        opened.go_back()


def test_shares_by_industry_lead_to_their_samples(opened: Page, made: MadeSite) -> None:
    opened.goto(address(made.folder, "section-industries.html"))
    cells = opened.locator("#industries table").first.locator("tbody td a")
    assert cells.count() >= 20
    for n in range(0, cells.count(), 7):
        share, _, of = cells.nth(n).inner_text().partition(" of ")
        assert _led_to(opened, cells.nth(n)) == int(of)
        opened.get_by_label("Outcome").select_option("pass")
        passed = opened.locator("#results tbody tr")
        expect(opened).to_have_url(_ending("outcome=pass"))
        expect(passed).to_have_count(round(int(of) * float(share.rstrip("%")) / 100))
        opened.go_back()
        opened.go_back()


def test_rates_under_faults_lead_to_their_samples(opened: Page, made: MadeSite) -> None:
    opened.goto(address(made.folder, "section-robustness.html"))
    cells = opened.locator("#robustness table").first.locator("tbody td a")
    assert cells.count() >= 8
    for n in (1, 2):
        assert _led_to(opened, cells.nth(n)) == 40
        opened.go_back()


def test_no_number_of_ours_leads_nowhere(opened: Page, made: MadeSite) -> None:
    for name in (
        "index",
        *(f"section-{part}" for part in ("industries", "robustness", "effort")),
    ):
        opened.goto(address(made.folder, f"{name}.html"))
        for href in set(opened.eval_on_selector_all("main a", "(all) => all.map((a) => a.getAttribute('href'))")):
            file, _, fragment = href.partition("#")
            assert (made.folder / file).is_file(), href
            asked = {key: values[0] for key, values in parse_qs(fragment).items()}
            if asked:
                assert asked.pop("run") in made.runs, href
                assert asked.keys() <= {
                    "condition",
                    "outcome",
                    "category",
                    "difficulty",
                    "language",
                    "stop_reason",
                }, href
        # The numbers of a chart are repeated with their links in the table beside it.
        bare = opened.evaluate(
            """[...document.querySelectorAll("section td.number")]
                .filter((cell) => !cell.closest("details") && /[0-9]/.test(cell.textContent))
                .filter((cell) => !cell.querySelector("a")).map((cell) => cell.outerHTML)"""
        )
        assert bare == []
    opened.goto(address(made.folder, "index.html"))
    opened.locator("#leaderboard tbody th a").first.click()
    expect(opened.locator("details.run[open]")).to_have_count(1)


def test_a_number_a_sample_a_call_and_all_the_way_back(opened: Page, made: MadeSite) -> None:
    opened.goto(address(made.folder, "section-robustness.html"))
    opened.locator("#robustness table").last.locator("tbody tr", has_text="E2").first.get_by_role(
        "link"
    ).first.click()
    expect(opened).to_have_url(_ending("samples.html#run=brook&condition=E2"))
    opened.locator("#results tbody a").nth(3).click()
    expect(opened.locator("#verdict")).to_be_visible()
    call = opened.locator("#faults a", has_text="call").first
    number = call.inner_text().removeprefix("call ")
    call.click()
    expect(opened.locator(f"#call-{number}")).to_be_focused()
    linked = opened.url
    opened.reload()
    expect(opened.locator(f"#call-{number}")).to_be_in_viewport()
    assert opened.url == linked
    for ending in ("trajectory.html", "samples.html", "section-robustness.html"):
        while f"/{ending}" not in opened.url:
            opened.go_back()
    expect(opened.get_by_role("heading", name="Noticing and recovering").first).to_be_attached()


def _agents(board: Locator) -> list[str]:
    return board.locator("tbody th").all_inner_texts()


def _led_to(opened: Page, cell: Locator) -> int:
    """How many samples the list says it has that the cell's link leads to."""
    link = cell if cell.evaluate("(one) => one.tagName") == "A" else cell.get_by_role("link")
    link.click()
    expect(opened.locator("#status")).to_contain_text("samples")
    return int((opened.locator("#status").text_content() or "").split()[0].replace(",", ""))


def _ending(text: str) -> re.Pattern[str]:
    return re.compile(re.escape(text) + "$")
