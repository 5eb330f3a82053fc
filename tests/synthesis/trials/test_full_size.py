"""A full-size job with realistic failures: every filter and the repairs are seen at work."""

from collections import Counter
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.support.cli import Ran, lines_of, worktrial
from tests.support.request import ScriptedRequest, text_of
from tests.support.scripted_server import ScriptedServer
from tests.support.synthesis.asked import Wanted, wanted
from tests.support.synthesis.author import TWIN_TITLE
from tests.support.synthesis.command import words
from tests.support.synthesis.fates import FULL_SIZE, Slip
from tests.support.synthesis.office import office, purpose_of
from tests.support.synthesis.paid import Till
from tests.support.synthesis.topics import TOPICS

SLOTS = 48


class Done:
    """The session, and what the server saw of it."""

    def __init__(self, suite: Path) -> None:
        self.suite = suite
        with ScriptedServer(office("full-size")) as server:
            self.ran: Ran = worktrial(*words(server.url, suite, "--concurrency", 64))
            self.till = Till(server, suite)
            self.lost = self.till.close_session()
            self.requests: list[ScriptedRequest] = server.requests
            self.statuses: dict[str, int] = server.stats()["statuses"]
        self.purposes = Counter(purpose_of(r) for r in self.requests if r.status == 200)

    def lines(self, name: str) -> dict[str, dict[str, Any]]:
        """The last record of each slot in one of the suite's files."""
        return {record["slot"]: record for record in lines_of(self.suite / name)}


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Done:
    done = Done(tmp_path_factory.mktemp("full") / "customs")
    assert done.ran.code == 0, done.ran.err
    return done


@pytest.mark.timeout(300)
def test_every_slot_comes_to_the_end_that_it_deserves(done: Done) -> None:
    ends = {slot: c["verdict"] for slot, c in done.lines("calibration.jsonl").items()}
    undrafted = {slot for slot, r in done.lines("rejects.jsonl").items() if r["stage"] == "author"}
    assert len(ends) + len(undrafted) == SLOTS
    assert {slot for slot, end in ends.items() if end != "kept"} == {
        "tariff-code-rulings-1",
        "tariff-code-rulings-3",
        "road-transit-discharge-1",
        "road-transit-discharge-2",
        "overpaid-duty-refunds-1",
        "counterfeit-seizure-files-1",
        *(f"seasonal-quota-drawing-{level}" for level in (1, 2, 3)),
    }
    assert Counter(ends.values()) == {
        "kept": 34,
        "trivial": 4,
        "unsolvable": 2,
        "too_hard": 1,
        "invalid": 1,
        "undecided": 1,
    }
    assert undrafted == {
        "comprehensive-guarantee-accounts-1",
        "vessel-manifest-reconciliation-3",
        *(f"penalty-appeal-hearings-{level}" for level in (1, 2, 3)),
    }


def test_pass_rates_are_those_of_the_runs(done: Done) -> None:
    for slot, calibration in done.lines("calibration.jsonl").items():
        fate, free = FULL_SIZE.of(slot), calibration["free"]
        outcomes = list(islice(cycle(fate.free), free["n"] + free["invalid"]))
        assert (free["passed"], free["invalid"]) == (outcomes.count("1"), outcomes.count("x")), slot
        assert free["low"] <= free["passed"] / max(free["n"], 1) <= free["high"]
        rows = lines_of(done.suite / "work" / "runs" / f"{slot}.jsonl")
        assert all(len(r["votes"]) >= 2 for r in rows if r["outcome"] != "invalid")
        last = [r for r in rows if r["content"] == calibration["content"] and r["kind"] == "free"]
        assert sum(r["outcome"] == "pass" for r in last) == free["passed"]


def test_of_each_sub_topic_the_hardest_kept_level_is_selected(done: Done) -> None:
    tasks = {task["id"]: task for task in lines_of(done.suite / "tasks.jsonl")}
    calibrations, rejects = done.lines("calibration.jsonl"), done.lines("rejects.jsonl")
    assert tasks.keys() | rejects.keys() == calibrations.keys() | rejects.keys()
    assert len(tasks) + len(rejects) == SLOTS
    by_topic: dict[str, list[str]] = {}
    for slot, calibration in calibrations.items():
        if calibration["verdict"] == "kept":
            by_topic.setdefault(slot[:-2], []).append(slot)
    for topic, slots in by_topic.items():
        rates = {s: calibrations[s]["free"]["passed"] / calibrations[s]["free"]["n"] for s in slots}
        assert [s for s in tasks if s[:-2] == topic] == [min(slots, key=lambda s: (rates[s], -int(s[-1])))]
    assert {path.name for path in (done.suite / "workplaces").iterdir()} == tasks.keys()
    suite = yaml.safe_load((done.suite / "suite.yaml").read_text())
    assert (suite["kind"], suite["counts"]["slots"]) == ("suite", SLOTS)
    assert sum(suite["counts"]["removed"].values()) + len(tasks) == SLOTS
    assert suite["counts"]["removed"]["trivial"] == 4
    assert suite["counts"]["diverse"]["mean_distance"] > 0.5


def test_each_repair_changes_one_artifact_and_shows_how(done: Done) -> None:
    repairs = lines_of(done.suite / "repairs.jsonl")
    assert {(r["slot"], r["round"], r["artifact"]) for r in repairs} == {
        ("comprehensive-guarantee-accounts-2", 1, "tools"),
        ("royalty-and-assist-valuation-2", 1, "rubric"),
        ("royalty-and-assist-valuation-3", 1, "rubric"),
        ("preferential-origin-proofs-3", 1, "plan"),
        ("laboratory-sample-orders-3", 1, "rubric"),
        *(("road-transit-discharge-1", n, "plan") for n in (1, 2, 3)),
    }
    diffs = {(r["slot"], r["round"]): r["diff"] for r in repairs}
    ghost = diffs["royalty-and-assist-valuation-2", 1]
    assert "-4. The file was closed with `archive_valuation`" in ghost
    assert not [line for line in ghost.splitlines() if line.startswith("+") and not line.startswith("+++")]
    assert "+    status:" in diffs["preferential-origin-proofs-3", 1]
    # The first mended rubric named another ghost and was sent back; only the one that is right was taken.
    assert done.purposes["repair/royalty-and-assist-valuation-3"] == 2
    assert "shelve_valuation" not in diffs["royalty-and-assist-valuation-3", 1]
    calibrations = done.lines("calibration.jsonl")
    assert calibrations["preferential-origin-proofs-3"]["rounds"] == 1
    assert calibrations["road-transit-discharge-1"]["rounds"] == 3
    assert "finds no artifact at fault" in done.lines("rejects.jsonl")["road-transit-discharge-2"]["why"]
    # What a static check stops costs no run.
    for slot in ("royalty-and-assist-valuation-2", "comprehensive-guarantee-accounts-2"):
        rows = lines_of(done.suite / "work" / "runs" / f"{slot}.jsonl")
        assert {r["content"] for r in rows} == {calibrations[slot]["content"]}


def test_replies_of_no_use_are_asked_for_again_three_times_at_most(done: Done) -> None:
    slips = {f"reference/{topic}": slip for topic, slip in FULL_SIZE.references.items()}
    for slot, fate in FULL_SIZE.slots.items():
        slips |= {f"workplace/{slot}": fate.workplace, f"task/{slot}": fate.task}
    tries = {Slip.CORRECTED: 2, Slip.NEVER: 3}
    asked = {
        what: n for what, n in done.purposes.items() if what.partition("/")[0] in ("reference", "workplace", "task")
    }
    assert asked == {what: tries.get(slips.get(what, Slip.NONE), 1) for what in asked}
    assert done.lines("rejects.jsonl")["comprehensive-guarantee-accounts-1"]["why"].startswith("3 replies")
    corrections = [r for r in done.requests if r.role == "synthesizer" and r.turn]
    assert all(
        "missing required field" in text_of(r.messages[-1]) for r in corrections if wanted(r) != Wanted.REPAIR
    )


def test_sub_topics_that_overlap_are_replaced(done: Done) -> None:
    topics = yaml.safe_load((done.suite / "work" / "subtopics.yaml").read_text())
    assert len(topics) == len({topic["id"] for topic in topics}) == 16
    assert {topic["title"] for topic in topics} == {topic.title for topic in TOPICS[:16]}
    second = [r for r in done.requests if r.status == 200 and r.role == "synthesizer"][1]
    said = text_of(second.messages[0])
    assert "Name 2 areas" in said
    assert f"The {TOPICS[0].title} (same as: {TOPICS[0].title})" in said
    assert f"{TWIN_TITLE} (same as:" in said


def test_an_overloaded_endpoint_costs_requests_and_nothing_else(done: Done) -> None:
    failed = done.statuses["429"] + done.statuses["500"]
    assert done.statuses["429"] > 100 < done.statuses["500"]
    assert f"{failed} requests had to be sent again" in done.ran.said
    assert done.lost == []
    assert done.till.paid == len(lines_of(done.suite / "work" / "spend.jsonl")) == done.statuses["200"]


def test_it_says_what_it_will_cost_and_what_came_of_it(done: Done) -> None:
    assert done.ran.err.index("Estimate") < done.ran.err.index("48/48 slots done")
    for said in ("34 kept", "trivial", "unsolvable", "selected", "solvable:", "discriminative:", "diverse:"):
        assert said in done.ran.said
    page = done.suite / "work" / "review" / "index.html"
    assert "road-transit-discharge-1" in page.read_text()
