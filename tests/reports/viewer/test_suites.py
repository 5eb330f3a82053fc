"""Trajectories of every suite, as their runs really leave them, and of shapes that nobody knows."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect
from tests.results.runs import record, store
from tests.support.agent_behaviours import Calls
from tests.support.browser import address, page
from tests.support.cli import worktrial
from tests.support.run_files import set_work
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.tiny_archive import tiny_archive, write_questions

from worktrial.grading import Vote
from worktrial.reports.report import open_report
from worktrial.reports.site import write_site

NOBODY = ("--simulator", "none")

ODD: dict[str, dict[str, Any]] = {
    "nothing-known": {"colour": "red", "deep": {"a": [1, {"b": None}]}},
    "broken-messages": {"messages": [None, 3], "calls": [{"index": 0}]},
    "broken-turns": {"turns": [7], "calls": []},
    "own-agent": {
        "instruction": "Do it.",
        "messages": [],
        "calls": [
            {"index": 0, "turn": 0, "tool": "look", "arguments": {"at": 1}, "observation": {"content": {"seen": 1}}}
        ],
        "answer": "Done.",
    },
    "program": {
        "instruction": "Do it.",
        "calls": [],
        "own": [
            {
                "role": "assistant",
                "content": "First **the list**.",
                "reasoning_content": "Then each claim.",
                "tool_calls": [
                    {"id": "a", "function": {"name": "Bash", "arguments": '{"command": "grep \\"claim\\" *"}'}},
                    {"id": "b", "function": {"name": "Odd", "arguments": "cut off {"}},
                ],
            },
            {"role": "tool", "tool_call_id": "b", "content": "no <b>such</b> tool"},
            {"role": "tool", "tool_call_id": "gone", "content": "something"},
        ],
    },
    "audit": {
        "instruction": "Play.",
        "messages": [],
        "calls": [{"index": 0, "turn": 0, "tool": "get", "arguments": {}, "observation": {"content": {"n": 2}}}],
        "audit": [
            {
                "call": 0,
                "equal": 3,
                "wrong": 1,
                "differences": [{"at": "/n", "status": "wrong", "truth": 1, "simulated": 2}],
                "failures": ["invented"],
            }
        ],
    },
}


def _documents(folder: Path) -> Path:
    calls = [("search", {"query": "customs receipts"}), ("read_page", {"document": "nothing", "page": 1})]
    answers = Script(agent=Calls(calls, final_text="Found.\n<FINAL_ANSWER>4,385</FINAL_ANSWER>"))
    with ScriptedServer(answers) as server:
        whose = ["--agent", "agent-1", "--base-url", server.url, "-o", folder / "documents"]
        questions = ["--questions", write_questions(folder), "--archive", tiny_archive()]
        ran = worktrial("run", "documents", *questions, *whose)
    assert ran.code == 0, ran.err
    return folder / "documents"


def _odd(folder: Path) -> Path:
    store(folder, [record(name, votes=[Vote(None, problem="5")]) for name in [*ODD, "no-work"]])
    lines = [{"suite": "s", "sample": name, "repeat": 0, "condition": "E0", **line} for name, line in ODD.items()]
    set_work(folder, [*lines, None])
    return folder


@pytest.fixture(scope="module")
def suites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suites")
    runs = [_documents(folder), _odd(folder / "odd")]
    for name, words in {
        "steps": ["orchestration", "--agent", "gold"],
        "free": ["orchestration", "--agent", "gold", "--mode", "free", *NOBODY],
        "wrong": ["orchestration", "--agent", "always-call", "--tasks", "EN/1"],
        "wrong-free": ["orchestration", "--agent", "always-call", "--tasks", "EN/1", "--mode", "free", *NOBODY],
        "plan": ["starter", "--agent", "plan", "--faults", "E2", "--tasks", "1-8"],
    }.items():
        ran = worktrial("run", *words, "-o", folder / name)
        assert ran.code == 0, ran.err
        runs.append(folder / name)
    write_site(open_report(runs, "Suites"), folder / "site")
    return folder / "site"


@pytest.fixture
def opened(chromium: Browser) -> Iterator[Page]:
    with page(chromium) as one:
        yield one


def _go(opened: Page, site: Path, fragment: str) -> None:
    opened.goto(address(site, f"trajectory.html#{fragment}"))
    expect(opened.locator("#verdict")).to_be_visible()
    expect(opened.locator("#stored")).to_be_visible()


def test_documents(opened: Page, suites: Path) -> None:
    _go(opened, suites, "run=documents&sample=HB1")
    measures = opened.locator("#measures")
    for words in ("Gold answer", "thousands of florins", "harbor_bulletin_1951_03:2", "Searches", "0.1 %"):
        expect(measures).to_contain_text(words)
    expect(opened.locator("#work")).to_contain_text("unknown_document")
    expect(opened.locator("#answer")).to_contain_text("<FINAL_ANSWER>4,385</FINAL_ANSWER>")


def test_orchestration_turn_by_turn(opened: Page, suites: Path) -> None:
    _go(opened, suites, "run=steps&sample=EN%2F1")
    work = opened.locator("#work")
    expect(work.get_by_role("heading", name="Step 3: planner")).to_be_visible()
    expect(work.get_by_role("heading", name="Step 4: property_agent")).to_be_visible()
    expect(work).to_contain_text("Calls open_job")
    assert work.get_by_text("Right.", exact=True).count() == 6
    expect(opened.locator("#measures")).to_contain_text("turn by turn, on the recorded history")


def test_orchestration_running_free(opened: Page, suites: Path) -> None:
    _go(opened, suites, "run=free&sample=EN%2F2&call=3")
    work = opened.locator("#work")
    assert work.get_by_role("heading", name="of the user").count() == 3
    expect(work).to_contain_text("Which books on seed saving are in")
    expect(work).to_contain_text("workflow_1 · library_agent")
    expect(opened.locator("#call-3")).to_be_focused()
    expect(opened.get_by_role("table", name="Goals")).to_contain_text("workflow_4")


def test_a_wrong_plan_is_drawn_beside_the_gold_one(opened: Page, suites: Path) -> None:
    rows = msgspec.json.decode((suites.parent / "wrong" / "samples.jsonl").read_bytes())["measures"]["ours"]["rows"]
    wrong = [row["edits"] for row in rows["steps"] if row["kind"] == "plan"]
    _go(opened, suites, "run=wrong&sample=EN%2F1")
    assert opened.locator(".plan-edits").count() == len(wrong) == 2
    for edits, drawn in zip(wrong, opened.locator(".plan-edits").all(), strict=True):
        for fate in ("kept", "changed", "missing", "extra"):
            assert drawn.locator(f"g.{fate}").count() == [n["fate"] for n in edits["nodes"]].count(fate)
            assert drawn.locator(f"path.{fate}").count() == [edge[2] for edge in edits["edges"]].count(fate)
        said = drawn.locator(".edits li").all_inner_texts()
        assert len(said) == sum(one["fate"] != "kept" for one in edits["nodes"]) + sum(
            edge[2] != "kept" for edge in edits["edges"]
        )
        expect(drawn.get_by_role("img")).to_have_accessible_name(re.compile(rf"{len(said)} edits, listed below"))
        boxes = [one.bounding_box() for one in drawn.locator("rect").all()]
        corners = {(box["x"], box["y"]) for box in boxes if box is not None}
        assert len(corners) == len(edits["nodes"]), "no box lies upon another"
    _go(opened, suites, "run=wrong-free&sample=EN%2F1")
    expect(opened.locator(".turn .plan-edits").first).to_contain_text("The plan beside the gold one")
    _go(opened, suites, "run=steps&sample=EN%2F1")
    # A right plan has no edits.
    expect(opened.locator(".plan-edits")).to_have_count(0)
    drawn = opened.evaluate("""() => [
      {}, {nodes: [], edges: []}, {nodes: [7], edges: []},
      {nodes: [{kind: "step", fate: "kept", gold: ["a"]}], edges: [[0, 5, "kept"]]},
      {nodes: [{kind: "step", fate: "kept", gold: ["<b>"]}], edges: [[0, 0, "extra"]]},
    ].map((edits) => Worktrial.planEdits(edits)?.querySelector(".edits").textContent ?? null)""")
    assert drawn == [None, None, None, None, "Extra: <b> before <b>"], "what others stored is looked at first"


def test_what_a_call_changed_in_the_workplace_unfolds(opened: Page, suites: Path) -> None:
    """The calls of a run by code are done again for it; where that fails, the page says why."""
    _go(opened, suites, "run=plan&sample=lab-01&condition=E2")
    folded = opened.locator(".call summary", has_text="Changed in the state")
    expect(folded.first).to_be_visible()
    folded.first.click()
    table = opened.get_by_role("table", name=re.compile("^Changed in the state by call"))
    expect(table).to_have_count(1)
    path = table.locator("tbody td code").first.inner_text()
    assert path.startswith("/") and path in folded.first.inner_text()
    assert opened.evaluate("""() => {
      const changes = [{ path: "/<b>", before: "</pre><i>", after: null }, { path: "/x", after: [1] }];
      Worktrial.takeChanges({ calls: { 0: changes } });
      return Worktrial.stateChanges(1) === null && Worktrial.changesStopped() === null;
    }""")
    opened.evaluate("document.querySelector('.call').refill()")
    first = opened.locator(".call").first
    first.locator("summary", has_text="Changed in the state").click()
    rows = [one.split() for one in first.locator("tbody tr").all_inner_texts()]
    assert rows == [["/<b>", "</pre><i>", "null"], ["/x", "nothing", "[1]"]]
    # A call of the suite as it was then is not one of today's.
    _go(opened, suites, "run=plan&sample=lab-00&condition=E2")
    assert (
        opened.evaluate("""async () => {
      Worktrial.takeChanges({ calls: {}, stopped: "why <b>" });
      return Worktrial.changesStopped().textContent;
    }""")
        == "What calls changed in the state is not known, or not of all: why <b>."
    )


def test_degraded_fields_are_those_of_the_ledger(opened: Page, suites: Path) -> None:
    run = suites.parent / "plan"
    lines = [msgspec.json.decode(line) for line in (run / "samples.jsonl").read_bytes().splitlines()]
    some = [line for line in lines if any(row["kind"] == "fields_dropped" for row in line["fault_ledger"])]
    assert some
    for line in some[:4]:
        _go(opened, suites, f"run=plan&sample={line['sample']}&condition=E2")
        for row in line["fault_ledger"]:
            if row["kind"] != "fields_dropped":
                continue
            call = opened.locator(".call", has=opened.locator(f"#call-{row['call'] + 1}"))
            missing = call.locator(".note", has_text="missing")
            expect(missing).to_have_count(len(row["fields"]))
            seen = " ".join(call.locator(".line.touched.degraded mark").all_inner_texts())
            assert all(f'"{field.rsplit("/", 1)[-1]}"' in seen for field in row["fields"])


def test_what_a_program_tells_of_its_own_work(opened: Page, suites: Path) -> None:
    _go(opened, suites, "run=odd&sample=program")
    own = opened.locator("#own")
    expect(own.locator(".message")).to_have_count(0)
    own.get_by_text("Show its 3 messages").click()
    expect(own.locator(".label")).to_have_text(
        ["assistant", "Call of Bash", "Call of Odd", "Result of Odd", "Result of a call"]
    )
    expect(own.locator("strong")).to_have_text("the list")
    # Not as a text within a text, as it is stored.
    expect(own.locator(".json")).to_have_text("""{"command": "grep \\"claim\\" *"}""")
    expect(own).to_contain_text("cut off {")
    expect(own).to_contain_text("no <b>such</b> tool")
    own.get_by_text("Reasoning").click()
    expect(own).to_contain_text("Then each claim.")


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        ("nothing-known", "Trajectory (6 fields)"),
        ("broken-messages", "a shape that the page does not know"),
        ("broken-turns", "Turn 1 of the user"),
        ("own-agent", "Call 1: look"),
        ("audit", "Beside the truth: 3 equal · 1 wrong"),
        ("no-work", "Nothing is stored of this sample's work. It ended with: why"),
    ],
)
def test_shapes_of_all_kinds(opened: Page, suites: Path, sample: str, words: str) -> None:
    _go(opened, suites, f"run=odd&sample={sample}")
    expect(opened.locator("#work")).to_contain_text(words)
    opened.get_by_text("Record (", exact=False).first.click()
    expect(opened.locator("#stored")).to_contain_text("outcome")
