"""The first page, as somebody uses it who has to decide whom to hire."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.support.browser import address, page, until
from tests.support.made_site import MadeSite

from worktrial.engine.record import SampleRecord
from worktrial.engine.stored import open_run
from worktrial.results import writing
from worktrial.results.completion import completion_of
from worktrial.results.conditions import tallies

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
    expect(opened.get_by_role("region", name="In short: occupations (2)").locator(".finding")).to_have_text(
        "Only one agent was tried"
    )
    expect(opened.get_by_text("Only reference agents worked on")).to_contain_text("orchestration, documents")
    brief.get_by_role("link", name="How this was measured").click()
    expect(opened.get_by_role("heading", name="Whom to hire")).to_be_in_viewport()
    contents = opened.get_by_role("navigation", name="Contents")
    expect(contents.locator("[aria-current]")).to_have_text("Whom to hire")
    contents.get_by_role("link", name="Overview").click()
    expect(opened).to_have_url(_ending("index.html"))


def test_the_leaderboard_is_whole_and_its_columns_are_the_readers(opened: Page) -> None:
    cut = "[...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth).length"
    columns = opened.locator("#leaderboard-columns")
    heads = opened.locator("table[data-board='0'] thead th:visible")
    for width in (1280, 1000, 760):
        opened.set_viewport_size({"width": width, "height": 900})
        until(opened, f"{cut} === 0")
    shown = heads.all_inner_texts()
    assert "Completion" in shown[1] and len(shown) < 9
    expect(columns.locator("summary")).to_contain_text("not shown")
    columns.locator("summary").click()
    columns.get_by_label("Cost per task").uncheck()
    columns.get_by_label("Of valid").check()
    opened.reload()
    text = " ".join(heads.all_inner_texts())
    assert "Of valid" in text and "Cost" not in text, "kept"


@pytest.mark.parametrize("rest", ["index", "section-hire", "section-funnel", "section-effort"])
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


def test_sorting_and_filtering_by_keyboard_alone(opened: Page) -> None:
    opened.keyboard.press("Tab")
    expect(opened.locator(":focus")).to_have_text("Skip to the content")
    opened.keyboard.press("Enter")
    board = opened.locator("table.board").first
    for _ in range(60):
        opened.keyboard.press("Tab")
        if opened.evaluate("document.activeElement.matches('table.board button.sort')"):
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
    select = opened.locator("select[name=condition]")
    select.focus()
    opened.keyboard.type("E2")
    expect(select).to_have_value("E2")
    expect(opened.locator("#leaderboard-status")).to_contain_text("condition E2")


def test_a_filter_computes_as_python_does(opened: Page, made: MadeSite) -> None:
    opened.locator("select[name=category]").select_option("Business & Enterprise")
    opened.locator("select[name=language]").select_option("en")
    opened.locator("select[name=condition]").select_option("E1")
    for slug in ("brook", "heron"):
        chosen = [
            r
            for r in _records(made, slug)
            if (r.condition, r.tags["category"], r.tags["language"]) == ("E1", "Business & Enterprise", "en")
        ]
        rate = completion_of(tallies({"": chosen})[""]).of_all
        cells = opened.locator(f"tr[data-run={slug}] td")
        assert rate is not None
        shown = writing.percent(rate.value) + writing.percents(rate.interval)
        expect(cells.nth(0)).to_have_text(shown)
        expect(cells.nth(7)).to_have_text(str(len(chosen)))
        assert _led_to(opened, cells.nth(7)) == len(chosen)
        opened.go_back()
        expect(opened.locator("select[name=category]")).to_have_value("Business & Enterprise")


def test_a_link_to_filtered_figures(chromium: Browser, made: MadeSite) -> None:
    with page(chromium) as one:
        one.goto(address(made.folder, "index.html#difficulty=3&condition=E3&suite=occupations"))
        hard = [r for r in _records(made, "heron") if r.condition == "E3" and r.tags["difficulty"] == 3]
        expect(one.locator("tr[data-run=heron] td").nth(7)).to_have_text(str(len(hard)))
        expect(one.locator("select[name=difficulty]")).to_have_value("3")
        assert one.locator("[data-board-of]:visible").count() == 2, "nothing but the suite that was asked for"
        one.get_by_role("button", name="Show all").click()
        expect(one.locator("tr[data-run=heron] td").nth(7)).to_have_text("40")


@pytest.mark.parametrize("slug", ["brook", "heron", "gold", "reference", "plan"])
def test_numbers_lead_to_as_many_samples(opened: Page, made: MadeSite, slug: str) -> None:
    clean = completion_of(tallies({"": [r for r in _records(made, slug) if r.condition == "E0"]})[""]).counts
    passed, invalid, all_of = clean.of_all.successes, clean.invalid, clean.of_all.n
    for place, wanted in ((0, passed), (1, passed), (6, invalid), (7, all_of)):
        cell = opened.locator(f"tr[data-run={slug}] td").nth(place)
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


def test_bars_under_faults_lead_to_their_samples(opened: Page, made: MadeSite) -> None:
    opened.goto(address(made.folder, "section-robustness.html"))
    bars = opened.locator("#robustness .chart").first.locator(".value a")
    assert bars.count() >= 8
    for n in (1, 2, 7):
        assert _led_to(opened, bars.nth(n)) == 40
        opened.go_back()


def test_no_number_of_ours_leads_nowhere(opened: Page, made: MadeSite) -> None:
    for name in (
        "index",
        *(f"section-{part}" for part in ("hire", "industries", "robustness", "funnel", "effort")),
    ):
        opened.goto(address(made.folder, f"{name}.html"))
        for href in set(opened.eval_on_selector_all("main a", "(all) => all.map((a) => a.getAttribute('href'))")):
            file, _, fragment = href.partition("#")
            assert (made.folder / file).is_file(), href
            asked = {key: values[0] for key, values in parse_qs(fragment).items()}
            if asked:
                assert asked.pop("run") in made.runs, href
                assert asked.keys() <= {"condition", "outcome", "category", "language", "stop_reason"}, href
        # The numbers of a chart are repeated with their links in the table beside it.
        bare = opened.evaluate(
            """[...document.querySelectorAll("section td.number")]
                .filter((cell) => !cell.closest("#leaderboard, details") && /[0-9]/.test(cell.textContent))
                .filter((cell) => !cell.querySelector("a")).map((cell) => cell.outerHTML)"""
        )
        assert bare == []
    opened.goto(address(made.folder, "index.html"))
    opened.locator("table[data-board='0'] tbody th a").first.click()
    expect(opened.locator("details.run[open]")).to_have_count(1)


def test_a_number_a_sample_a_call_and_all_the_way_back(opened: Page, made: MadeSite) -> None:
    opened.goto(address(made.folder, "section-funnel.html"))
    opened.locator("#funnel table tbody tr", has_text="E2").first.get_by_role("link").first.click()
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
    for ending in ("trajectory.html", "samples.html", "section-funnel.html"):
        while f"/{ending}" not in opened.url:
            opened.go_back()
    expect(opened.get_by_role("heading", name="Noticing and recovering")).to_be_attached()


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
