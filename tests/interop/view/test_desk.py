"""A person at the desk: trials that are taken by keyboard alone, left and taken up again."""

import json
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect
from tests.support.browser import page, until
from tests.support.cli import samples_of, worktrial
from tests.support.hostile import ALL, OURS
from tests.support.run_files import work_of
from tests.support.viewing import up

from worktrial.interop.view.desk_routes import desk_page, with_desk
from worktrial.reports.page import POLICY, PageFrame
from worktrial.reports.report import Report
from worktrial.reports.viewer.pages import assets

_FIELD = "document.activeElement.dataset.field ?? ''"
_WORDS = "document.activeElement.tagName + ' ' + document.activeElement.innerText"


def _tab_to(opened: Page, what: str, wanted: str) -> None:
    for _ in range(60):
        opened.keyboard.press("Tab")
        if opened.evaluate(what) == wanted:
            return
    raise AssertionError(f"no way to {wanted}")


def _fill(opened: Page, arguments: dict[str, Any]) -> None:
    order = opened.eval_on_selector_all("[data-field]", "(all) => all.map((one) => one.dataset.field)")
    for name in sorted(arguments, key=order.index):
        value = arguments[name]
        _tab_to(opened, _FIELD, name)
        # A list of choices takes the words of one, as any field does.
        words = {True: "yes", False: "no"}.get(value) if isinstance(value, bool) else value
        opened.keyboard.type(words if isinstance(words, str) else json.dumps(words))


def _call(opened: Page, number: int, tool: str, arguments: dict[str, Any]) -> None:
    opened.keyboard.press("t")
    opened.keyboard.type(tool)
    until(opened, f"document.querySelector('.desk-tool form button[type=submit]')?.innerText === 'Call {tool}'")
    _fill(opened, arguments)
    _tab_to(opened, _WORDS, f"BUTTON Call {tool}")
    opened.keyboard.press("Enter")
    expect(opened.locator(".calls h3").first).to_have_text(f"Call {number}: {tool}")
    until(opened, "document.activeElement.matches('.calls h3')")


def _hand_in(opened: Page, answer: str) -> None:
    opened.keyboard.press("a")
    opened.keyboard.type(answer)
    opened.keyboard.press("Tab")
    opened.keyboard.press("Enter")
    expect(opened.locator("#heading")).to_contain_text("is handed in")


def _begin(opened: Page, address: str) -> None:
    opened.goto(address)
    expect(opened.get_by_role("button", name="Begin")).to_be_focused()
    opened.keyboard.press("Enter")
    expect(opened.locator("#assignment")).to_be_visible()


def test_a_starter_task_is_left_taken_up_and_passed(tmp_path: Path, chromium: Browser) -> None:
    run = tmp_path / "mine"
    words = ["run", "starter", "--tasks", "lab-00", "--agent", "human:Ada", "-o", run]
    with (
        up(*words) as (address, process),
        page(chromium, of_site=address.rpartition("/")[0], bypass_csp=True) as one,
    ):
        _begin(one, address)
        expect(one.locator("#assignment")).to_contain_text("an absorbance reader")
        _call(one, 1, "list_instruments", {"kind": "absorbance_reader"})
        expect(one.get_by_role("table", name="instruments")).to_contain_text("2025-12-15")
        one.keyboard.press("n")
        one.keyboard.type("calibrated until 2025-12-15")
        one.keyboard.press("Escape")
        one.keyboard.press("a")
        one.keyboard.type("a draft")
        one.keyboard.press("Escape")
        one.keyboard.press("p")
        expect(one.get_by_role("button", name="Go on")).to_be_focused()
        expect(one.locator("main")).not_to_contain_text("AR-2")
        one.keyboard.press("Enter")
        expect(one.get_by_role("textbox", name="Notes")).to_have_value("calibrated until 2025-12-15")
        expect(one.get_by_role("textbox", name="Answer")).to_have_value("a draft")
        found = Axe().run(one)
        assert [(x["id"], x["nodes"][0]["html"]) for x in found.response["violations"]] == []
        one.keyboard.press("p")
        expect(one.get_by_role("button", name="Go on")).to_be_focused()
        one.keyboard.press("Tab")
        one.keyboard.press("Enter")
        expect(one.locator("#heading")).to_have_text("You have left the desk")
        assert process.wait(30) == 130 and process.stderr is not None
        assert f"--agent human:Ada -o {run}" in process.stderr.read()
    with up(*words) as (address, process), page(chromium, of_site=address.rpartition("/")[0]) as one:
        _begin(one, address)
        expect(one.locator(".warning")).to_have_text("You go on where you left.")
        expect(one.locator(".calls h3")).to_have_text("Call 1: list_instruments")
        booking = {
            "instrument_id": "AR-2",
            "start": "2025-11-12T13:00",
            "minutes": 60,
            "purpose": "test a plate washer",
        }
        _call(one, 2, "book_instrument", booking)
        expect(one.locator(".calls article").first.locator(".result")).to_contain_text("B-87")
        _hand_in(one, "Booking B-87; the calibration covers 2025-12-15.")
        expect(one.locator(".lead")).to_contain_text("passed")
        one.get_by_role("link", name="All of it").focus()
        one.keyboard.press("Enter")
        expect(one.locator("#call-2")).to_be_visible()
        one.goto(address)
        expect(one.get_by_role("button", name="Leave the desk")).to_be_focused()
        one.keyboard.press("Enter")
        expect(one.locator("#heading")).to_have_text("You have left the desk")
        assert process.wait(30) == 0
    manifest = json.loads((run / "manifest.json").read_text())
    (sample,) = samples_of(run)
    assert manifest["settings"]["agent"] == "human:Ada" and sample["outcome"] == "pass" and sample["calls"] == 2
    (line,) = work_of(run)
    assert line["notes"] == "calibrated until 2025-12-15" and not (run / "desk.json").exists()


def test_a_short_shift_is_worked_through(tmp_path: Path, chromium: Browser) -> None:
    shift = ["run", "shifts", "--tasks", "credit-desk-short-0"]
    worktrial(*shift, "--agent", "plan", "-o", tmp_path / "plan")
    (planned,) = work_of(tmp_path / "plan")
    run = tmp_path / "mine"
    with (
        up(*shift, "--agent", "human", "-o", run) as (address, process),
        page(chromium, of_site=address.rpartition("/")[0]) as one,
    ):
        _begin(one, address)
        for number, call in enumerate(planned["calls"], 1):
            _call(one, number, call["tool"], call["arguments"])
        _hand_in(one, planned["answer"])
        expect(one.locator(".lead")).to_contain_text("passed")
        expect(one.locator("#grade")).to_contain_text("Grade: clean")
        one.keyboard.press("Enter")
        assert process.wait(30) == 0
    (mine,), (sample,) = work_of(run), samples_of(run)
    assert [c["arguments"] for c in mine["calls"]] == [c["arguments"] for c in planned["calls"]]
    assert mine["final_state"] == planned["final_state"] and sample["measures"]["score"] == 1.0


_BASE = "http://desk.invalid/"
_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml", "html": "text/html"}


def _without_server(opened: Page, position: dict[str, Any]) -> list[dict[str, Any]]:
    """Let the page be answered from here; returns the bodies that it sends."""
    files = dict(assets())
    frame = with_desk(PageFrame(policy=POLICY.replace("form-action 'none'", "connect-src 'self'")))
    sent: list[dict[str, Any]] = []

    def answer(route: Route) -> None:
        name = route.request.url.removeprefix(_BASE)
        if name.startswith("desk/"):
            if route.request.method == "POST":
                sent.append(route.request.post_data_json)
            route.fulfill(json=position)
            return
        html = desk_page(Report(ALL, ()), frame)
        body = html if name == "desk.html" else files[name.removeprefix("assets/")]
        route.fulfill(body=body, content_type=_TYPES[name.rpartition(".")[2]])

    opened.route("**/*", answer)
    return sent


def _tool(name: str, parameters: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "description": ALL, "parameters": parameters}}


def test_hostile_text_in_every_field_of_forms_and_results(chromium: Browser) -> None:
    kinds: dict[str, Any] = {
        ALL: {"type": "string", "description": ALL, "pattern": ALL},
        "choice": {"enum": [ALL, 5, None], "description": ALL},
        "__proto__": {"type": "integer"},
        "sure": {"type": ["boolean", "null"]},
        "inner": {
            "type": "object",
            "description": ALL,
            "properties": {ALL: {"type": "number"}, "deep": {"$ref": "#/x"}},
        },
        "list": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
        "any": {"oneOf": [{"type": "string"}, {"type": "object"}]},
        "itself": {"$ref": "#/properties/itself"},
        "wrong": {"type": "string", "minimum": ALL, "description": {"not": "text"}},
    }
    schemas = [{"type": "object", "properties": kinds, "required": ["inner"]}, None, [], {"$ref": "#/nowhere"}]
    value = {
        ALL: ALL,
        "rows": [{ALL: ALL, "b": [1, {ALL: ALL}]}, {"c": None}],
        "list": [ALL],
        "deep": {"a": {"b": {"c": ALL}}},
    }
    calls = [
        {"tool": ALL, "arguments": {ALL: ALL}, "observation": seen, "is_error": True}
        for seen in (value, ALL, [ALL], None, 5, [], {}, [{str(n): ALL for n in range(30)}])
    ]
    result = {
        "outcome": ALL,
        "reason": ALL,
        "measures": {
            "grade": ALL,
            "failed_by": [ALL, None],
            "cases": [{"title": ALL, "parts": [{"name": ALL, "earned": 0, "points": 1, "lost": ALL}]}, None],
        },
        "checks": [{"check": ALL, "passed": False, "why": ALL}],
        "votes": [{"is_correct": None, "feedback": ALL, "raw": [ALL]}],
    }
    key = {"sample": ALL, "repeat": 1, "condition": ALL}
    sample = {
        **{"instruction": ALL, "clock": ALL, "tools": [_tool(ALL, one) for one in schemas], "calls": calls},
        **{"notes": ALL, "seconds": 61.0, "may_pause": True, "told": ALL},
    }
    around = {"suite": ALL, "run": ALL, "finished": 0, "samples": 2}
    working = {**around, "state": "working", "sample": key | sample, "last": None}
    with page(chromium, of_site=_BASE) as opened:
        sent = _without_server(opened, working)
        opened.goto(f"{_BASE}desk.html")
        expect(opened.locator(".calls article")).to_have_count(len(calls))
        for n in range(len(schemas)):
            opened.locator("#tool").select_option(index=n + 1)
            opened.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            assert opened.evaluate(OURS) == []
        opened.locator("#tool").select_option(index=1)
        fields = opened.locator("[data-field]")
        fields.nth(0).fill(ALL.replace("\x00", ""))
        fields.nth(1).select_option(index=1)
        fields.nth(2).fill("7")
        fields.nth(3).select_option("yes")
        fields.nth(4).fill("1.5")
        opened.get_by_label("list (optional)").fill("one\n\n two ")
        opened.get_by_label("any (optional)").fill("{broken")
        opened.locator(".desk-tool button[type=submit]").click()
        expect(opened.locator(".desk-tool .warning")).to_contain_text("any: no JSON")
        opened.get_by_label("any (optional)").fill('{"a": 1}')
        opened.locator(".desk-tool button[type=submit]").click()
        expect(opened.locator(".desk-tool .warning")).to_be_hidden()
        (asked,) = sent
        given = asked["arguments"]
        assert (
            asked["tool"] == ALL and given["choice"] == ALL and given["sure"] is True and given["any"] == {"a": 1}
        )
        assert given["inner"] == {ALL: 1.5} and given["list"] == ["one", "two"] and given["__proto__"] == 7
        opened.unroute_all()
        _without_server(opened, {**around, "state": "free", "last": key | {"seconds": 5.0, "result": result}})
        opened.reload()
        expect(opened.locator("#lost")).to_contain_text("0 of 1")
        assert opened.evaluate(OURS) == []
    with page(chromium, of_site=_BASE, java_script_enabled=False) as opened:
        _without_server(opened, working)
        opened.goto(f"{_BASE}desk.html")
        expect(opened.locator("noscript p")).to_be_visible()
