"""Workplaces of the kit: what an author shows, and all that follows from it."""

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import command

import worktrial as wt
from worktrial.engine.record import SampleRecord
from worktrial.errors import DataError, SettingError
from worktrial.suite import as_suite

CLAIMS = Path(__file__).with_name("kit_claims.py").read_text()
SHOP = (Path(__file__).parents[3] / "examples" / "fifth_suite" / "parcels.py").read_text()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the claims desk in it, in which commands run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "claims.py").write_text(CLAIMS)
    return tmp_path


def shop(**more: Any) -> wt.Workplace:
    """A shop of two parcels, with both of its tools and no task."""
    made = wt.Workplace("parcel shop", parcels={"P1": "here", "P2": "here"}, **more)

    @made.reads
    def look_up(state: Any, parcel: str) -> Any:
        """Status of a parcel."""
        return state.parcels[parcel]

    @made.writes
    def hand_over(state: Any, parcel: str, to: str = "") -> None:
        """Hand a parcel over."""
        if state.parcels[parcel] != "here":
            raise wt.Refused("It is gone.")
        state.parcels[parcel] = "gone"

    return made


def records(run: wt.Run) -> list[SampleRecord]:
    return list(run.run.records)


def tool(of: wt.Workplace, name: str) -> Callable[..., Any]:
    return next(function for function, _ in of.tools if function.__name__ == name)


def test_a_shop_runs_and_tells_work_from_idleness(here: Path) -> None:
    (here / "work.py").write_text(SHOP)
    ran = command("run", "work.py:shop", "--agent", "plan", "--agent", "idle", "-o", "runs/shop")
    assert ran.code == 0, ran.said
    assert [wt.load(f"runs/shop/{name}").completion for name in ("plan", "idle")] == [1.0, 0.0]
    assert command("validate", "work.py:shop").code == 0
    assert "collect" in command("list", "work.py:shop").said
    assert command("regrade", "runs/shop/plan").code == 0


def test_right_ends_reports_free_places_and_own_checks(here: Path) -> None:
    said = command("validate", "claims.py:desk")
    assert said.code == 0, said.said
    for agent, passed in (("plan", 1.0), ("greedy", 1.0), ("idle", 0.0), ("spam", 0.0)):
        assert wt.run("claims.py:desk", agent).completion == passed, agent


@pytest.mark.parametrize(
    ("task", "calls", "said"),
    [
        ("settle", [("pay", {"claim": "C-1", "amount": 80}), ("hand_in_report", {"paid": 80})], None),
        ("settle", [("pay", {"claim": "C-1", "amount": 80, "note": "x"}), ("hand_in_report", {"paid": 80})], None),
        ("settle", [("pay", {"claim": "C-1", "amount": 80}), ("hand_in_report", {"paid": 8})], "report: paid is"),
        ("settle", [("pay", {"claim": "C-1", "amount": 80})], "report: paid is"),
        ("settle", [("pay", {"claim": "C-2", "amount": 80}), ("hand_in_report", {"paid": 80})], "/claims/C-1/paid"),
        (
            "settle",
            [
                ("close", {"claim": "C-9"}),
                ("pay", {"claim": "C-1", "amount": 80}),
                ("hand_in_report", {"paid": 80}),
            ],
            "close never called",
        ),
        ("either", [("close", {"claim": "C-2"})], None),
        ("either", [("pay", {"claim": "C-2", "amount": 90})], None),
        ("either", [("pay", {"claim": "C-2", "amount": 91})], "ends in one of 2 right ways"),
        ("loose", [("pay", {"claim": "C-3", "amount": 1}), ("hand_in_report", {"who": "Cy"})], None),
        ("loose", [("pay", {"claim": "C-3", "amount": 1})], "the report names somebody else"),
    ],
)
def test_what_passes(here: Path, task: str, calls: list[tuple[str, dict[str, Any]]], said: str | None) -> None:
    def agent(assignment: wt.Assignment) -> str:
        for name, given in calls:
            assignment.call(name, given)  # type: ignore[unused-coroutine]
        return "Done."

    (record,) = records(wt.run("claims.py:desk", agent, tasks=task))
    assert record.outcome == ("pass" if said is None else "fail"), record.reason
    assert said is None or said in record.reason


def test_an_unknown_id_is_refused_with_those_near_and_a_typo_of_the_author_is_our_fault(here: Path) -> None:
    made = shop()

    @made.reads
    def broken(state: Any, parcel: str) -> Any:
        """Break."""
        return state.parcles[parcel]

    @made.task("Hand P2 over.")
    def collect(do: Any) -> None:
        do(tool(made, "hand_over"), parcel="P2")

    seen: list[Any] = []

    def agent(assignment: wt.Assignment) -> str:
        seen.append(assignment.call("look_up", {"parcel": "P3"}))
        assignment.call("broken", {"parcel": "P1"})  # type: ignore[unused-coroutine]
        return ""

    (record,) = records(wt.run(made, agent))
    assert seen == [{"error": {"type": "not_found", "message": "There is no P3. Near are: P2, P1."}}]
    assert record.outcome == "invalid" and "parcles" in record.reason


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "do(hand_over, parcel='P3')",
            r"test_kit.py:\d+ \(collect\): its own tool refuses hand_over: There is no",
        ),
        ("do(hand_over, parcel='P1'); do(hand_over, parcel='P1')", "refuses hand_over: It is gone"),
        ("do(hand_over, 'P1')", r"write do\(hand_over, name=value\)"),
        ("do(hand_over, parcle='P1')", "hand_over: .*parcle"),
        ("do(print)", "print is no tool of parcel-shop"),
        ("do(look_up, parcel='P1')", "doing nothing passes"),
        ("pass", "doing nothing passes"),
        ("1 / 0", "raises ZeroDivisionError"),
        ("do(hand_over, parcel='P1'); return 3", "returns 3"),
    ],
)
def test_what_cannot_be_shown_is_said_with_its_place(body: str, said: str) -> None:
    made = shop()
    known = {name: tool(made, name) for name in ("hand_over", "look_up")}
    exec(compile(f"def collect(do):\n    {body}\n", __file__, "exec"), known)
    made.task("Hand it over.")(known["collect"])
    with pytest.raises(DataError, match=f"(?i){said}"):
        as_suite(made).tasks(None)


def test_a_check_that_refuses_what_is_shown_or_passes_idleness_is_refused() -> None:
    def shown(do: Any) -> None:
        do(tool(made, "hand_over"), parcel="P2")

    def wrong(before: Any, after: Any, report: Any) -> None:
        assert after.parcels["P1"] == "gone", "P1 is still here"

    def lazy(before: Any, after: Any, report: Any) -> None:
        assert after.parcels["P1"] == "here"

    for check, said in ((wrong, "P1 is still here"), (lazy, "doing nothing passes its check lazy")):
        made = shop()
        made.task("Hand it over.", check=check)(shown)
        with pytest.raises(DataError, match=said):
            as_suite(made).tasks(None)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"parcels": {}}, r"dict\[str, Parcel\]"),
        ({"parcels": {"P1": 1, "P2": "x"}}, "several types"),
    ],
)
def test_a_state_without_a_type_is_refused(state: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError, match=said):
        wt.Workplace("shop", **state)


def test_a_workplace_without_tools_or_tasks_says_so() -> None:
    with pytest.raises(DataError, match="has no task"):
        as_suite(shop()).tasks(None)
    bare = wt.Workplace("shop", parcels={"P1": 1})
    bare.task("Do it.")(lambda do: None)
    with pytest.raises(DataError, match="has no tools"):
        as_suite(bare).tasks(None)


def test_a_file_that_runs_when_it_is_loaded_is_told_how(here: Path) -> None:
    (here / "work.py").write_text(SHOP.partition("if __name__")[0] + "wt.run(shop, agent='plan')\n")
    ran = command("run", "work.py:shop", "--agent", "plan")
    assert ran.code == 2 and "work.py: starts a trial when it is loaded" in ran.said and "__main__" in ran.said


def test_a_name_that_is_not_there_gets_those_near(here: Path) -> None:
    (here / "work.py").write_text(SHOP)
    assert "did you mean shop" in command("run", "work.py:shoop", "--agent", "plan").said
    assert "is no suite" in command("run", "work.py:look_up", "--agent", "plan").said
    with pytest.raises(SettingError, match="no such file"):
        wt.run("wrok.py:shop", "plan")


def test_a_changed_file_is_another_suite(here: Path) -> None:
    (here / "work.py").write_text(SHOP)
    assert command("run", "work.py:shop", "--agent", "plan", "-o", "runs/one").code == 0
    (here / "work.py").write_text(SHOP.replace("hand it over", "hand it out"))
    assert command("run", "work.py:shop", "--agent", "plan", "-o", "runs/one").code == 2


def test_gates_find_what_an_author_freed_too_far(here: Path) -> None:
    (here / "work.py").write_text(SHOP.replace('here: hand it over."', 'here: hand it over.", check=any_parcel'))
    text = (here / "work.py").read_text()
    check = textwrap.dedent("""
        def any_parcel(before, after, report):
            assert any(one.status == "handed over" for one in after.parcels.values()), "nothing is handed over"

    """)
    (here / "work.py").write_text(text.replace("@shop.task", f"{check}@shop.task"))
    ran = command("validate", "work.py:shop")
    assert ran.code == 1 and "passes with hand_over on P1 in place of P2" in ran.said
