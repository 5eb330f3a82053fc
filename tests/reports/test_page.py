from pathlib import Path

from markupsafe import Markup
from tests.support.html_tree import parsed
from tests.support.made_runs import make_run

from worktrial.reports.links import HOME, SAMPLES
from worktrial.reports.page import POLICY, embedded, render_page, script_json
from worktrial.reports.report import Report, Section, open_report
from worktrial.reports.sections.runs import runs
from worktrial.reports.site import render_index

_HOSTILE = "</title><script>alert(1)</script>\"'&amp;"


def _report(tmp_path: Path, title: str = "Trial") -> Report:
    return open_report([make_run(tmp_path / "first", tasks=4)], title)


def test_a_page_has_landmarks_and_marks_where_one_is(tmp_path: Path) -> None:
    html = render_page(
        "Samples",
        Markup("<h1>S</h1>"),
        scripts=["a.js"],
        styles=["b.css"],
        current=SAMPLES,
        report=_report(tmp_path),
    )
    page = parsed(html.removeprefix("<!doctype html>"))
    assert page.one("html").attributes["lang"] == "en"
    assert page.one("title").text == "Samples · Trial"
    assert page.one("a", class_="skip").attributes["href"] == f"#{page.one('main').attributes['id']}"
    assert [a.attributes["href"] for a in page.one("nav").all("a", aria_current="page")] == [SAMPLES]
    assert page.one("main").one("h1").text == "S"
    assert {"assets/a.js", "assets/site.js"} <= {s.attributes["src"] for s in page.all("script")}
    assert {"assets/b.css", "assets/site.css"} <= {s.attributes["href"] for s in page.all("link", rel="stylesheet")}


def test_nothing_is_inline_and_nothing_comes_from_elsewhere(tmp_path: Path) -> None:
    report = _report(tmp_path)
    page = parsed(render_index(report, Markup(""), [runs(report)], None).removeprefix("<!doctype html>"))
    policy = page.one("meta", http_equiv="Content-Security-Policy")
    assert policy.attributes["content"] == POLICY
    assert "unsafe" not in POLICY and "default-src 'none'" in POLICY
    for element in page.all():
        assert not [a for a in element.attributes if a.startswith("on") or a == "style"]
        for address in (element.attributes.get("src"), element.attributes.get("href")):
            assert address is None or not address.startswith(("http:", "https:", "//", "data:", "javascript:"))
    assert all("src" in s.attributes or s.attributes["type"] == "application/json" for s in page.all("script"))


def test_hostile_titles_are_text(tmp_path: Path) -> None:
    report = _report(tmp_path, _HOSTILE)
    html = render_index(report, Markup(""), [Section("s", _HOSTILE, Markup("<p>x</p>"))], None)
    page = parsed(html.removeprefix("<!doctype html>"))
    assert page.one("title").text == _HOSTILE
    assert [h.text for h in (*page.all("h1"), *page.all("h2"))] == [_HOSTILE, _HOSTILE]
    assert [a.text for a in page.one("nav", class_="contents").all("a")] == ["Overview"]
    assert page.one("a", class_="brand").attributes["href"] == HOME


def test_data_within_a_page_cannot_end_its_element() -> None:
    value = {"</script><!--": "<script>&\u2028\u2029"}
    shown = script_json(value)
    assert not set(shown) & set("<>&\u2028\u2029")
    import json

    assert json.loads(shown) == value
    assert json.loads(parsed(embedded("d", value)).one("script", id="d").text) == value


def test_provenance_tells_where_figures_come_from(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "hostile", tasks=6, hostile=True, conditions=("E0", "E1"))
    report = open_report([folder], "t")
    section = parsed(runs(report).html)
    assert not list(section.all("script"))
    run = section.one(id=f"run-{report.runs[0].slug}")
    facts = dict(zip((t.text for t in run.all("dt")), (d.text for d in run.all("dd")), strict=True))
    manifest = report.runs[0].run.manifest
    assert facts["Data: fingerprint"] == manifest.data["fingerprint"]
    assert facts["Judge"].startswith(manifest.settings["roles"]["judge"]["model"])
    assert facts["Tasks"].startswith("6")
    assert run.one("pre", class_="command").text
    assert run.one("table").one("caption").text.startswith("Sessions of")


def test_an_unfinished_run_says_so(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", tasks=10)
    samples = folder / "samples.jsonl"
    samples.write_bytes(b"".join(samples.read_bytes().splitlines(keepends=True)[:7]))
    section = parsed(runs(open_report([folder], "t")).html)
    assert "3 of 10 samples are still to come" in section.one(class_="warning").text
