"""A person at the desk: trials that are taken by keyboard alone, left and taken up again."""

import json
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect
from tests.support.browser import page
from tests.support.cli import lines_of, samples_of, worktrial
from tests.support.hostile import ALL
from tests.support.viewing import up

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
    opened.wait_for_function(f"document.querySelector('.desk-tool form button[type=submit]')?.innerText === 'Call {tool}'")
    _fill(opened, arguments)
    _tab_to(opened, _WORDS, f"BUTTON Call {tool}")
    opened.keyboard.press("Enter")
    expect(opened.locator(".calls h3").first).to_have_text(f"Call {number}: {tool}")
    opened.wait_for_function("document.activeElement.matches('.calls h3')")


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
    with up(*words) as (address, process), page(chromium, of_site=address.rpartition("/")[0], bypass_csp=True) as one:
        _begin(one, address)
        expect(one.locator("#assignment")).to_contain_text("absorbance reader AR-2")
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
        booking = {"instrument_id": "AR-2", "start": "2025-11-12T13:00", "minutes": 60, "purpose": "test a plate washer"}
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
    (line,) = lines_of(run / "trajectories.jsonl")
    assert line["notes"] == "calibrated until 2025-12-15" and not (run / "desk.json").exists()


def test_a_short_shift_is_worked_through(tmp_path: Path, chromium: Browser) -> None:
    shift = ["run", "shifts", "--tasks", "credit-desk-short-0"]
    worktrial(*shift, "--agent", "plan", "-o", tmp_path / "plan")
    (planned,) = lines_of(tmp_path / "plan" / "trajectories.jsonl")
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
        one.keyboard.press("Enter")
        assert process.wait(30) == 0
    (mine,), (sample,) = lines_of(run / "trajectories.jsonl"), samples_of(run)
    assert [c["arguments"] for c in mine["calls"]] == [c["arguments"] for c in planned["calls"]]
    assert mine["final_state"] == planned["final_state"] and sample["measures"]["score"] == 1.0
