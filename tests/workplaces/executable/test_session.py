import asyncio
import json
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Any

import msgspec
import pytest
from msgspec import Meta

from worktrial.errors import DataError, InvalidReason, InvalidSample
from worktrial.workplaces import Origin
from worktrial.workplaces.executable import ExecutableSession, ExecutableWorkplace, ToolError, reads, writes


class Till(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    balance: Decimal
    slips: list[str]


@reads()
def look(state: Till) -> dict[str, object]:
    """Look into the till."""
    state.slips.append("a read must not leave this")
    return {"balance": state.balance}


@writes(amount=1.5, slip="start")
def pay_out(state: Till, amount: Annotated[float, Meta(gt=0)], slip: str) -> dict[str, object]:
    """Pay out.

    Args:
        amount: Dollars.
        slip: What for.
    """
    state.slips.append(slip)
    if slip == "crash":
        raise KeyError(slip)
    state.balance -= Decimal(str(amount))
    if state.balance < 0:
        raise ToolError("short", "The till does not hold that much.")
    return {"balance": state.balance, "slips": len(state.slips)}


def till(**state: Any) -> ExecutableWorkplace:
    given = {"balance": 10.10, "slips": []} | state
    return ExecutableWorkplace.build("till", [look, pay_out], system_prompt="A till.", initial_state=given)


def call(session: ExecutableSession, tool: str, arguments: Any) -> tuple[Any, Origin]:
    observation = asyncio.run(session.call(tool, arguments))
    return observation.content, observation.origin


def test_writes_stay_and_cents_are_exact() -> None:
    workplace = till()
    session = workplace.open()
    assert call(session, "pay_out", {"amount": 0.1, "slip": "tea"}) == (
        {"balance": 10.00, "slips": 1},
        Origin.EXECUTABLE,
    )
    for _ in range(3):
        call(session, "pay_out", {"amount": 0.10, "slip": "tea"})
    assert session.state == {"balance": 9.70, "slips": ["tea"] * 4}
    assert workplace.open().state == workplace.artifact.initial_state


def test_a_failed_write_leaves_nothing_behind() -> None:
    session = till().open()
    before = session.state
    seen, origin = call(session, "pay_out", {"amount": 99, "slip": "car"})
    assert (seen["error"]["type"], origin, session.state) == ("short", Origin.EXECUTABLE, before)


def test_a_read_cannot_change_the_state() -> None:
    session = till().open()
    call(session, "look", {})
    assert session.state["slips"] == []


@reads()
def count(state: Till) -> int:
    """Count the slips."""
    return len(state.slips)


@reads(how="not at all")
def spoil(state: Till, how: str) -> int:
    """Leave in the till what a read must not leave there.

    Args:
        how: The way.
    """
    if how == "raises":
        state.slips.append("nor this")
        raise ToolError("locked", "The till is locked.")
    if how == "jams":
        state.slips.append(1j)  # type: ignore[arg-type]  # has no JSON form
    return 0


def test_a_state_is_read_once_for_calls_that_leave_it_as_it_was() -> None:
    workplace = ExecutableWorkplace.build(
        "till",
        [look, count, spoil, pay_out],
        system_prompt="A till.",
        initial_state={"balance": 9, "slips": []},
    )

    class Counting:
        times = 0

        def decode(self, state: bytes) -> Any:
            self.times += 1
            return decoder.decode(state)

    one, other = workplace.open(), workplace.open()
    decoder = one._decoder
    one._decoder = other._decoder = counting = Counting()  # type: ignore[assignment]
    # What a read leaves changed is not handed on, to no session and however it ends.
    for tool, arguments in (("count", {}), ("look", {}), ("spoil", {"how": "raises"}), ("spoil", {"how": "jams"})):
        call(one, tool, arguments)
        for session in (one, other, one):
            assert call(session, "count", {}) == (0, Origin.EXECUTABLE)
    assert counting.times == 4
    assert call(one, "pay_out", {"amount": 1, "slip": "tea"})[0]["slips"] == 1
    assert [call(session, "count", {})[0] for session in (one, one, other, one)] == [1, 1, 0, 1]
    assert counting.times == 4 + 1 + 1 + 2
    assert (one.state["slips"], other.state["slips"]) == (["tea"], [])


def test_state_is_a_copy() -> None:
    session = till().open()
    session.state["slips"].append("x")
    assert session.state["slips"] == []


@pytest.mark.parametrize(
    ("tool", "arguments", "kind"),
    [
        ("open_safe", {}, "unknown_tool"),
        ("pay_out", {"amount": 1}, "invalid_arguments"),
        ("pay_out", {"amount": -1, "slip": "a"}, "invalid_arguments"),
        ("pay_out", {"amount": 1, "slip": "a", "to": "me"}, "invalid_arguments"),
        ("pay_out", {"amount": json.loads("NaN"), "slip": "a"}, "invalid_arguments"),
        ("pay_out", {"amount": json.loads("1e999"), "slip": "a"}, "invalid_arguments"),
        ("pay_out", {"amount": 1, "slip": json.loads('"\\ud800"')}, "invalid_arguments"),
        ("pay_out", '{"amount": 1', "invalid_arguments"),
        ("look", [], "invalid_arguments"),
    ],
)
def test_calls_that_cannot_be_made_are_refused(tool: str, arguments: Any, kind: str) -> None:
    session = till().open()
    before = session.state
    seen, origin = call(session, tool, arguments)
    assert (seen["error"]["type"], origin, session.state) == (kind, Origin.REFUSAL, before)


def test_a_defect_of_the_workplace_is_no_failure_of_the_agent() -> None:
    session = till().open()
    with pytest.raises(InvalidSample, match=r"till\.pay_out.*KeyError") as caught:
        call(session, "pay_out", {"amount": 1, "slip": "crash"})
    assert caught.value.reason is InvalidReason.INTERNAL
    assert session.state["slips"] == []


def test_artifact_is_complete() -> None:
    artifact = till().artifact
    assert [(t.name, t.description, t.writes) for t in artifact.tools] == [
        ("look", "Look into the till.", False),
        ("pay_out", "Pay out.", True),
    ]
    assert [t.example_output for t in artifact.tools] == [{"balance": 10.1}, {"balance": 8.6, "slips": 1}]


class Drawer(msgspec.Struct):
    notes: list[str]
    locked: bool = False


@reads()
def peek(state: Drawer) -> dict[str, object]:
    """Look into the drawer."""
    return {"notes": len(state.notes)}


def test_a_state_stays_as_written_but_for_what_it_leaves_out() -> None:
    def drawer(**state: Any) -> ExecutableWorkplace:
        return ExecutableWorkplace.build("drawer", [peek], system_prompt="A drawer.", initial_state=state)

    short = drawer(notes=[])
    assert short.artifact.initial_state == short.open().state == {"notes": [], "locked": False}
    assert short.starting_from({"notes": ["a"]}).artifact.initial_state == {"notes": ["a"], "locked": False}
    # The order is the author's: models are shown the text.
    assert list(drawer(locked=True, notes=[]).artifact.initial_state) == ["locked", "notes"]


def test_another_initial_state() -> None:
    assert call(till().open({"balance": 2, "slips": []}), "look", {})[0] == {"balance": 2}
    assert till().starting_from({"balance": 3, "slips": []}).artifact.initial_state["balance"] == 3


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"balance": "much"}, r"Invalid decimal string - at `\$\.balance`"),
        ({"drawer": 1}, "unknown field `drawer`"),
        ({"balance": 1}, "pay_out: its example call fails in the initial state: short"),
    ],
)
def test_states_that_do_not_fit(state: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError, match=said):
        till(**state)


@reads()
def undocumented(state: Till) -> dict[str, object]:
    return {}


@reads()
def elsewhere(state: dict[str, int]) -> dict[str, object]:
    """Look elsewhere."""
    return {}


@reads(slip="x")
def wrong_example(state: Till) -> dict[str, object]:
    """Look again."""
    return {}


@pytest.mark.parametrize(
    ("functions", "said"),
    [
        ([], "has no tools"),
        ([undocumented], "undocumented: has no docstring"),
        ([look, elsewhere], "disagree on the type of the state"),
        ([wrong_example], "example call does not fit"),
    ],
)
def test_functions_that_make_no_workplace(functions: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        ExecutableWorkplace.build("till", functions, system_prompt="", initial_state={"balance": 1, "slips": []})


class Slip(msgspec.Struct):
    text: str
    more: "list[Slip]" = []


def test_a_type_that_loses_its_defaults_is_refused() -> None:
    def built(state_type: Any) -> ExecutableWorkplace:
        @reads()
        def look(state: Any) -> dict[str, object]:
            """Look."""
            return {}

        look.__annotations__["state"] = state_type
        return ExecutableWorkplace.build("till", [look], system_prompt="", initial_state={"balance": 1})

    @dataclass
    class Plain:
        balance: int
        currency: str = "EUR"

    @dataclass(slots=True)
    class Slotted:
        balance: int
        currency: str = "EUR"
        slips: list[Slip] = field(default_factory=list)

    @dataclass
    class Bare:
        balance: int
        slips: list[Slip] = field(default_factory=list)

    class Outer(msgspec.Struct):
        balance: int
        tills: dict[str, list[Plain]] = {}

    for state_type in (Plain, Outer, dict[str, int | Plain]):
        with pytest.raises(DataError, match=r"Plain would lose the default of currency.*slots=True"):
            built(state_type)
    assert built(Slotted).artifact.initial_state == {"balance": 1, "currency": "EUR", "slips": []}
    assert built(Bare).artifact.initial_state == {"balance": 1, "slips": []}


def test_an_annotation_that_cannot_be_read_is_named() -> None:
    class Hidden(msgspec.Struct):
        balance: int

    @reads()
    def look(state: "Hidden") -> dict[str, object]:
        """Look."""
        return {}

    with pytest.raises(DataError, match=r"tool look: an annotation cannot be read.*Hidden.*top of the module"):
        ExecutableWorkplace.build("till", [look], system_prompt="", initial_state={"balance": 1})
