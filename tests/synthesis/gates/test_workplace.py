"""Gates of a workplace: expectations, draws, chance, boundaries, parts of the state."""

import asyncio
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from tests.support.tool_hire.shop import entry, shop, with_tools, workplace

from worktrial.errors import DataError
from worktrial.language import JsonObject
from worktrial.synthesis.artifacts import ToolDraft
from worktrial.synthesis.authoring.expectations import ExpectationDraft
from worktrial.synthesis.authoring.expectations import _lacking as lacking_ways
from worktrial.synthesis.gates import Door, Gated, GateName, Probe, read_expectations, through_gates
from worktrial.synthesis.gates.calls import drawn
from worktrial.synthesis.gates.door import Undrawable
from worktrial.synthesis.gates.expectations import missing_ways


def found(subject: Gated, gate: GateName, mutate: int = 0) -> list[str]:
    report = asyncio.run(through_gates(subject, mutate=mutate))
    return [f"{one.field}: {one.what}" for one in report.findings if one.check == gate]


def expecting(tmp_path: Path, text: str) -> Gated:
    path = tmp_path / "expectations.yaml"
    path.write_text(text, "utf-8")
    return shop(entry("hire-01"), expectations=read_expectations(path))


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        ("expect: ok", "success was expected; it was refused"),
        ("expect: error, error: closed", "the error closed was expected, not not_back"),
        ("expect: error, leaves: {/hires/R-205/closed: true}", "leaves False at /hires/R-205/closed, not True"),
        ("expect: error, shows: {/error/type: closed}", "shows 'not_back' at /error/type, not 'closed'"),
        ("expect: error, shows: {/nowhere: 1}", "shows nothing at /nowhere, not 1"),
        ("expect: error, state: [{op: remove, path: /nowhere}]", "does not apply to the initial state"),
        ("expect: error, start: winter", "there is no state 'winter'"),
    ],
)
def test_expectations_that_do_not_hold(tmp_path: Path, rest: str, said: str) -> None:
    call = "call: close_hire, with: {hire_id: R-205, late_fee: 0, deposit_back: 120}"
    subject = expecting(tmp_path, f"- {{id: E-1, clauses: [C-03], {call}, {rest}}}")
    (line,) = found(subject, GateName.EXPECTATIONS)
    assert said in line
    assert line.startswith("E-1: ") and line.endswith("[C-03]")


def test_an_expectation_of_what_may_change(tmp_path: Path) -> None:
    call = (
        "{id: E-1, call: send_note, with: {hire_id: R-205, to: customer, text: Hello}, expect: ok, only: [/hires]}"
    )
    (line,) = found(expecting(tmp_path, f"- {call}"), GateName.EXPECTATIONS)
    assert "also changed /notes/1" in line


def test_an_earlier_call_that_fails_and_a_tool_that_is_not_there(tmp_path: Path) -> None:
    before = "before: [{call: get_hire, with: {hire_id: R-999}}]"
    text = f"""
- {{id: E-1, {before}, call: get_hire, with: {{hire_id: R-201}}, expect: ok}}
- {{id: E-2, call: burn_hire, expect: ok}}
"""
    one, two = sorted(found(expecting(tmp_path, text), GateName.EXPECTATIONS))
    assert "the earlier call of get_hire failed" in one
    assert "the workplace has no tool burn_hire" in two


def test_every_tool_is_expected_both_ways(tmp_path: Path) -> None:
    subject = expecting(tmp_path, "- {id: E-1, call: get_hire, with: {hire_id: R-201}, expect: ok}")
    lines = found(subject, GateName.BOTH_WAYS)
    assert "tools.get_hire: no call of it is expected to be refused" in lines
    assert "tools.send_note: no call of it is expected to succeed" in lines
    assert not any("get_hire" in line and "succeed" in line for line in lines)


@pytest.mark.parametrize(
    ("given", "searches"),
    [
        ("call: list_papers, with: {hire_id: R-999}, expect: ok, shows: {/notes: []}", True),
        ("call: list_papers, with: {hire_id: R-201}, expect: ok, shows: {/notes: []}", False),
        ("call: list_papers, with: {hire_id: R-999}, expect: ok, shows: {/notes: null}", False),
        ("call: send_note, with: {hire_id: R-999, to: me, text: x}, expect: ok, shows: {/notes: []}", False),
    ],
)
def test_a_search_that_has_to_find_nothing_need_refuse_nothing(tmp_path: Path, given: str, searches: bool) -> None:
    subject = expecting(tmp_path, f"- {{id: E-1, {given}}}")
    tool = given.removeprefix("call: ").partition(",")[0]
    home = subject.door.artifact
    missing = {f"{one.field}: {one.what}" for one in missing_ways(home, subject.expectations)}
    assert (f"tools.{tool}: no call of it is expected to be refused" not in missing) is searches
    # Whoever writes the expectations is asked for the same.
    (draft,) = msgspec.convert([dict(msgspec.yaml.decode(f"{{id: E-1, {given}}}"))], list[ExpectationDraft])
    (made,) = [
        ToolDraft(name=one.name, description="", parameters=one.parameters, example_output=None, writes=one.writes)
        for one in home.tools
        if one.name == tool
    ]
    faults = lacking_ways([draft], [made], home.initial_state)
    assert (f"no call of {tool} has to be refused" not in faults) is searches


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- {id: E-1, call: x, expect: maybe}", "0.expect"),
        ("- {id: E-1, call: x, expect: ok, unheard: 1}", "unheard"),
        ("- {id: E-1, call: x, expect: ok, shows: {state: 1}}", "shows"),
        ("- {id: E-1, call: x, expect: ok}\n- {id: E-1, call: x, expect: ok}", "taken twice"),
    ],
)
def test_expectations_that_cannot_be_read(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "expectations.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(DataError, match=said):
        read_expectations(path)


class Drawing(Door):
    """A door that also draws states, in some way."""

    def __init__(self, draw: Any) -> None:
        super().__init__(workplace())
        self._draw = draw

    async def draw(self, seed: int) -> JsonObject:
        return {**self.artifact.initial_state, "clock": f"2031-06-{self._draw(seed):02}"}


def test_states_that_are_drawn() -> None:
    chance = Random(5)

    def refused(seed: int) -> int:
        raise Undrawable("raised KeyError: 'H-1'")

    for draw, said in (
        (lambda seed: Random(seed).randint(1, 28), []),
        (lambda seed: chance.randint(1, 28), ["one seed gives two different states"]),
        (lambda seed: 12, ["every seed gives the same state"]),
        (refused, ["raised KeyError: 'H-1'"]),
    ):
        _, findings = asyncio.run(drawn(Drawing(draw)))
        assert [one.what for one in findings] == said


def test_a_crash_at_a_number_of_a_clause() -> None:
    old = "    if days < 1 or days > MOST_DAYS:"
    crashing = with_tools(lambda source: source.replace(old, f"    if days == 22:\n        1 / 0\n{old}"))
    (line,) = found(crashing, GateName.BOUNDARIES)
    assert line.startswith("tools.hire_out: raised: ") and "ZeroDivisionError" in line
    # Without the clause of 21 days nobody comes near.
    assert found(replace(crashing, clauses=()), GateName.BOUNDARIES) == []


def test_a_write_that_accepts_anybody() -> None:
    old = "    _hire(state, hire_id)\n    if not text.strip():"
    lax = with_tools(lambda source: source.replace(old, "    if not text.strip():"))
    lines = found(lax, GateName.BAD_CALLS)
    assert any(line.startswith("tools.send_note: accepts a record that is not there") for line in lines)


def test_a_write_that_writes_nothing() -> None:
    lazy = with_tools(lambda source: source.replace("    state.notes.append(note)\n", ""), "hire-01", "hire-09")
    assert found(lazy, GateName.WRITES) == [
        "tools.send_note: is declared as a write and changed nothing in any call that succeeded"
    ]


def test_a_number_that_stands_in_no_clause_and_a_clause_that_is_not_there() -> None:
    strange = with_tools(lambda source: source.replace("MOST_DAYS = 21", "MOST_DAYS = 25"))
    assert any("25" in line for line in found(strange, GateName.NUMBERS))
    few = shop(entry("hire-01"), clauses=[one for one in shop().clauses if one.id != "C-11"])
    assert any("C-11" in line for line in found(few, GateName.CLAUSES))


def test_calls_after_a_failed_one_begin_where_it_began() -> None:
    """A refused write leaves nothing behind."""
    old = "    if not text.strip():"
    half = with_tools(lambda source: source.replace(old, f"    state.notes.clear()\n{old}"))
    calls = [
        ("send_note", {"hire_id": "R-205", "to": "customer", "text": " "}),
        ("list_papers", {"hire_id": "R-206"}),
    ]
    (done,) = asyncio.run(half.door.probe([Probe(half.door.artifact.initial_state, calls)]))
    assert [call.error for call in done.calls] == [True, False]
    assert len(done.calls[1].content["notes"]) == 1


def test_a_field_that_few_records_have_and_a_read_shows_where_it_is_filled() -> None:
    def change(source: str) -> str:
        source = source.replace(
            "    certificate: bool\n", "    certificate: bool\n    remark: str = ''\n    shelf: str = 'A'\n"
        )
        old = "    card = msgspec.structs.asdict(state.customers[customer_id])\n"
        shown = "    if not card['remark']:\n        del card['remark']\n    del card['shelf']\n"
        return source.replace(old, f"{old}{shown}")

    home = with_tools(change).door.home
    state = home.artifact.initial_state
    more = {f"H-{number}": {**state["customers"]["H-101"]} for number in range(107, 140)}
    more["H-139"]["remark"] = "pays late"
    customers = {**state["customers"], **more}
    artifact = replace(home.artifact, initial_state={**state, "customers": customers})
    many = replace(home, artifact=artifact)
    assert found(shop(door=Door(many), tasks=()), GateName.REACH) == [
        "/customers/*/shelf: no tool shows it, heeds it or changes it"
    ]


@pytest.mark.parametrize(("filled", "shown"), [(False, True), (True, True), (True, False)])
def test_a_record_within_a_record_that_most_records_do_not_have(filled: bool, shown: bool) -> None:
    stamp = "class Stamp(Struct, kw_only=True, forbid_unknown_fields=True):\n    by: str\n\n\n"

    def change(source: str) -> str:
        source = source.replace("class Customer(", f"{stamp}class Customer(")
        source = source.replace(
            "    certificate: bool\n", "    certificate: bool\n    stamp: Stamp | None = None\n"
        )
        old = "    card = msgspec.structs.asdict(state.customers[customer_id])\n"
        kept = "    card['stamp'] = card['stamp'] and card['stamp'].by\n"
        return source.replace(old, old + (kept if shown else "    del card['stamp']\n"))

    home = with_tools(change).door.home
    state = home.artifact.initial_state
    customers = {id: {**card, "stamp": None} for id, card in state["customers"].items()}
    if filled:
        customers["H-102"]["stamp"] = {"by": "the lead"}
    home = replace(home, artifact=replace(home.artifact, initial_state={**state, "customers": customers}))
    places = [] if shown else ["/customers/*/stamp", "/customers/*/stamp/by"]
    assert found(shop(door=Door(home), tasks=()), GateName.REACH) == [
        f"{place}: no tool shows it, heeds it or changes it" for place in places
    ]
