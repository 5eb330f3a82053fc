"""Labels in the viewer: given by keyboard, by two readers, blind, over runs whose every text is hostile."""

import http.client
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect
from tests.support.browser import page
from tests.support.cli import command, samples_of
from tests.support.hostile import ALL
from tests.support.made_runs import make_run
from tests.support.viewing import viewing


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("labelled") / "runs"
    make_run(folder / "first", agent="brook", suite="starter", tasks=12, invalid=0.2)
    make_run(folder / "hostile", agent="mal", tasks=6, hostile=True, invalid=0)
    return folder


@pytest.fixture(scope="module")
def address(runs: Path) -> Iterator[str]:
    with viewing(runs) as printed:
        yield printed


def _ask(address: str, method: str, rest: str, body: Any = None, **headers: str) -> tuple[int, Any]:
    parts = urlsplit(address)
    asked = http.client.HTTPConnection("127.0.0.1", parts.port or 0, timeout=30)
    sent = body if isinstance(body, str | bytes) or body is None else json.dumps(body)
    headers = {"Content-Type": "application/json"} | {k.replace("_", "-"): v for k, v in headers.items()}
    asked.request(method, parts.path + rest, sent, headers)
    answer = asked.getresponse()
    read = answer.read().decode()
    return answer.status, json.loads(read) if read.startswith("{") else read


def _of(sample: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"sample": sample["sample"], "repeat": 0, "reader": "Ada", "verdict": "pass"} | more


def test_what_is_stored_and_what_is_refused(address: str, runs: Path) -> None:
    judged, invalid = (
        next(one for one in samples_of(runs / "first") if (one["outcome"] == "invalid") is bad)
        for bad in (False, True)
    )
    status, label = _ask(address, "POST", "labels?run=first", _of(judged, reason=ALL))
    assert status == 201 and label["reason"] == ALL and label["run"] == "first"
    assert _ask(address, "GET", "labels?run=first")[1]["labels"] == [label]
    before = (runs / "labels.jsonl").read_bytes()
    for given, status, said in (
        (_of(judged, verdict="maybe"), 422, "Invalid enum value 'maybe'"),
        (_of(judged, call=judged["calls"]), 422, "none with the index"),
        (_of(judged, reader=""), 422, "reader"),
        (_of(judged, more=1), 422, "more"),
        (_of(judged) | {"sample": "nobody"}, 422, "no verdict of 'nobody'"),
        (_of(invalid), 422, "no verdict of"),
        ("{", 422, "cannot be used"),
        (b"\xff", 422, "cannot be used"),
    ):
        answered, refused = _ask(address, "POST", "labels?run=first", given)
        assert answered == status and said in refused["error"]
    assert _ask(address, "POST", "labels?run=nobody", _of(judged))[0] == 404
    assert _ask(address, "POST", "labels?run=first", "x", Content_Type="text/plain")[0] == 415
    assert _ask(address, "POST", "labels?run=first", _of(judged), Origin="https://evil.example")[0] == 403
    assert _ask(address, "POST", "/labels?run=first", _of(judged))[0] == 404
    assert (runs / "labels.jsonl").read_bytes() == before
    (runs / "labels.jsonl").write_bytes(before.replace(b'"pass"', b'"perhaps"'))
    status, said = _ask(address, "GET", "labels?run=first")
    assert status == 409 and "labels.jsonl:1" in said["error"]
    assert "labels.jsonl:1" in _ask(address, "GET", "labels.html")[1]
    (runs / "labels.jsonl").write_bytes(b"")


def _label(opened: Page, verdict: str, reader: str = "", reason: str = "") -> None:
    if reader:
        opened.get_by_label("Your name").fill(reader)
    opened.get_by_role("radio", name=verdict).focus()
    opened.keyboard.press("Space")
    opened.get_by_label("Reason").fill(reason)
    opened.keyboard.press("Tab")
    opened.keyboard.type("1")
    opened.get_by_role("button", name="my verdict").focus()
    opened.keyboard.press("Enter")
    expect(opened.locator("#status")).to_contain_text("Your verdict is stored")


def test_two_readers_label_one_sample_and_the_disagreement_is_a_queue(
    address: str, runs: Path, chromium: Browser
) -> None:
    sample = next(one for one in samples_of(runs / "first") if one["outcome"] == "fail" and one["calls"])
    link = f"{address}trajectory.html#{urlencode({'run': 'first', 'sample': sample['sample']})}"
    with page(chromium, of_site=address, bypass_csp=True) as ada, page(chromium, of_site=address) as ben:
        for opened in (ada, ben):
            opened.goto(link)
            expect(opened.locator("#label")).to_be_visible()
        ben.get_by_label("Hide the verdict").check()
        for part in ("#verdict", "#checks", "#stored"):
            expect(ben.locator(part)).to_be_hidden()
        _label(ada, "Pass", "Ada", "It is all there.")
        expect(ben.locator("#label")).not_to_contain_text("Ada")
        _label(ben, "Fail", "Ben", "No letter was sent.")
        expect(ben.locator("#verdict")).to_be_visible()
        expect(ben.locator(".labels")).to_contain_text("Ada: Pass")
        expect(ben.locator(".labels")).to_contain_text("Ben: Fail, blind, call 1")
        # Asked once: the next sample knows the name, and hides the verdict again.
        ben.locator("a[rel=next], a[rel=prev]").first.click()
        expect(ben.locator("#label summary")).to_have_text("You are Ben")
        expect(ben.locator("#verdict")).to_be_hidden()
        expect(ben.locator("#status")).not_to_contain_text("pass")
        found = Axe().run(ada)
        assert [(one["id"], one["nodes"][0]["html"]) for one in found.response["violations"]] == []
        ada.get_by_role("link", name="Labels").click()
        row = ada.get_by_role("table", name="To look at again, brook").locator("tbody tr")
        expect(row).to_contain_text("Ada: pass (It is all there.); Ben: fail (No letter was sent.)")
        row.get_by_role("link").first.click()
        expect(ada.locator("#heading")).to_contain_text(sample["sample"])
    lines = [json.loads(line) for line in (runs / "labels.jsonl").read_text().splitlines()]
    assert [(one["reader"], one["blind"], one["call"]) for one in lines] == [("Ada", False, 0), ("Ben", True, 0)]
    ran = command("audit", "labels", runs / "first")
    assert ran.code == 0 and "Ada / Ben" in ran.out


def test_hostile_runs_and_hostile_readers(address: str, runs: Path, chromium: Browser) -> None:
    sample = samples_of(runs / "hostile")[0]
    given = _of(sample, reader="<img src=x onerror=alert(1)>", verdict="unclear", reason=ALL, line=ALL)
    assert _ask(address, "POST", "labels?run=hostile", given)[0] == 201
    with page(chromium, of_site=address) as opened:
        opened.goto(f"{address}trajectory.html#{urlencode({'run': 'hostile', 'sample': sample['sample']})}")
        expect(opened.locator(".labels")).to_contain_text("<img src=x onerror=alert(1)>: Unclear")
        _label(opened, "Fail", "Mal", ALL)
        expect(opened.locator(".labels li")).to_have_count(2)
        assert opened.locator("#label img, #label script, #label iframe").count() == 0
    with page(chromium, of_site=address, java_script_enabled=False) as opened:
        opened.goto(f"{address}labels.html")
        expect(opened.locator("main")).to_contain_text("</script><script>")
        assert opened.locator("main img, main script").count() == 0
        opened.goto(f"{address}trajectory.html")
        expect(opened.locator("noscript p")).to_be_visible()
