"""Gates of a workplace's tools: bad calls, boundary values, reads that write, writes that do not, and chance."""

from collections.abc import Iterator, Sequence, Set
from datetime import datetime, timedelta
from decimal import Decimal

from worktrial.finding import Finding
from worktrial.language import JsonObject, JsonValue
from worktrial.synthesis.clauses import Clause
from worktrial.synthesis.gates.catalogue import (
    KnownCall,
    few_of_each,
    id_places,
    records_of,
    replaced,
    value_at,
)
from worktrial.synthesis.gates.door import Door, Probe, Probed, Undrawable
from worktrial.synthesis.gates.names import GateName, finding
from worktrial.synthesis.gates.work import Call

_STRANGE: tuple[JsonValue, ...] = (
    *(None, True, 0, -1, 1.5, 10**12, "", " ", "☃", "x" * 5_000, "-1", "2024-02-30", "9999-12-31"),
    *([], {}, [None]),
)
_DAYS = ("day", "일")
MOST_NUMBERS = 40
"""Numbers of clauses whose boundaries are tried."""


BadCalls = Sequence[tuple[KnownCall, list[Call], int]]
"""Known calls, each with bad ones made of it, and how many of these name an unknown record; they come first."""


async def bad_calls(door: Door, tried: BadCalls) -> tuple[int, list[Finding]]:
    """Try calls that nobody should make: each is answered, and no write accepts an id that nobody has.

    Returns:
        Number of calls that were tried, and what is wrong.
    """
    writers = {tool.name for tool in door.artifact.tools if tool.writes}
    probed = await door.probe([call.probe(calls) for call, calls, _ in tried if calls])
    found: dict[str, Finding] = {}
    for (call, calls, unknown_ids), outcome in zip([one for one in tried if one[1]], probed, strict=True):
        found |= _crashes(door, GateName.BAD_CALLS, calls, outcome, len(call.before))
        for (tool, given), answer in zip(calls[:unknown_ids], outcome.calls[len(call.before) :], strict=False):
            if tool in writers and not answer.error and answer.changed:
                said = f"accepts a record that is not there: {_short(given)}"
                fix = "Refuse an unknown id with a ToolError"
                place = f"tools.{tool}"
                found.setdefault(
                    place + said[:20], finding(GateName.BAD_CALLS, door.artifact.name, place, said, fix)
                )
    return sum(len(calls) for _, calls, _ in tried), list(found.values())


def made_badly(known: Sequence[KnownCall]) -> BadCalls:
    """Calls that nobody should make, from calls that make sense."""
    tried: list[tuple[KnownCall, list[Call], int]] = []
    for call in few_of_each(known):
        records = records_of(call.state)
        unknown: list[Call] = [
            (call.tool, replaced(call.arguments, path, _unknown(str(value_at(call.arguments, path)), records.ids)))
            for path in id_places(call.arguments, records.ids)
        ]
        strange: list[Call] = [(call.tool, given) for given in _misshapen(call.arguments)]
        tried.append((call, [*unknown, *strange], len(unknown)))
    return tried


async def boundaries(
    door: Door, known: Sequence[KnownCall], clauses: Sequence[Clause]
) -> tuple[int, list[Finding]]:
    """Try calls at each number of a clause and just beside it, in arguments and as days from today.

    Returns:
        Number of calls that were tried, and what is wrong.
    """
    numbers = list(dict.fromkeys(number.value for clause in clauses for number in clause.numbers))[:MOST_NUMBERS]
    days = {
        number.value
        for clause in clauses
        for number in clause.numbers
        if any(word in number.unit.casefold() for word in _DAYS)
    }
    probes: list[tuple[KnownCall, Probe, list[Call]]] = []
    for call in few_of_each(known):
        tool = door.artifact.tool(call.tool)
        if tool is None:
            continue
        calls: list[Call] = []
        for name, value in call.arguments.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                values = _beside(numbers, whole=isinstance(value, int))
            else:
                # Days are counted from what is given as well as from today.
                values = _days_beside(value, days)
                today = _days_beside(call.state.get("clock"), days) if values else []
                values += [one[: len(value)] for one in today]
            calls += [(call.tool, {**call.arguments, name: one}) for one in values]
        # A write that succeeds may be why the next is refused: each has a state to itself.
        apart = [[one] for one in calls] if tool.writes else [calls] if calls else []
        probes += [(call, call.probe(some), some) for some in apart]
        probes += [
            (call, Probe({**call.state, "clock": clock}, [*call.before, (call.tool, call.arguments)]), [])
            for clock in _days_beside(call.state.get("clock"), days)
        ]
    probed = await door.probe([probe for _, probe, _ in probes])
    found: dict[str, Finding] = {}
    for (call, _, calls), outcome in zip(probes, probed, strict=True):
        made: list[Call] = calls or [(call.tool, call.arguments)]
        found |= _crashes(door, GateName.BOUNDARIES, made, outcome, len(call.before))
    return sum(len(calls) or 1 for _, _, calls in probes), list(found.values())


async def reads_and_writes(door: Door, known: Sequence[KnownCall]) -> list[Finding]:
    """Findings on reads that change something, writes that never do, and answers that differ the second time."""
    first = await door.probe([call.probe() for call in known])
    again = await door.probe([call.probe() for call in reversed(known)])
    name = door.artifact.name
    found: dict[str, Finding] = {}
    succeeded: dict[str, bool] = {}
    for call, one, other in zip(known, first, reversed(again), strict=True):
        last, place = one.calls[-1], f"tools.{call.tool}"
        if any(answer.touched for answer in one.calls):
            reader = next(t for (t, _), a in zip(call.probe().calls, one.calls, strict=True) if a.touched)
            said = "is declared as a read and changes the state"
            found[f"{reader} reads"] = finding(
                GateName.READS, name, f"tools.{reader}", said, "Declare it with @writes, or change nothing"
            )
        if [c.content for c in one.calls] != [c.content for c in other.calls] or one.state != other.state:
            said = f"answers the same call differently the second time: {_short(call.arguments)}"
            fix = "Take time from the state's clock and chance from nowhere; keep nothing outside the state"
            found.setdefault(f"{call.tool} same", finding(GateName.DETERMINISM, name, place, said, fix))
        if not last.error:
            succeeded[call.tool] = succeeded.get(call.tool, False) or last.changed
    for tool in door.artifact.tools:
        if tool.writes and succeeded.get(tool.name) is False:
            said = "is declared as a write and changed nothing in any call that succeeded"
            fix = "Let it change the state, or declare it with @reads"
            found[f"{tool.name} writes"] = finding(GateName.WRITES, name, f"tools.{tool.name}", said, fix)
    return list(found.values())


async def drawn(door: Door, seeds: Sequence[int] = (1, 1, 2, 3)) -> tuple[int, list[Finding]]:
    """Draw initial states: one seed gives one state, and not all seeds the same.

    Returns:
        Number of states that were drawn, and what is wrong.
    """
    name = door.artifact.name
    try:
        states = [await door.draw(seed) for seed in seeds]
    except Undrawable as e:
        fix = "Draw a state of the workplace's own type from the Random that is given"
        return 1, [finding(GateName.DRAW, name, "draw", str(e), fix)]
    if states[0] is None:
        return 0, []
    found = []
    if states[0] != states[1]:
        fix = "Draw everything from the Random that is given, and from nothing else"
        found.append(finding(GateName.DRAW, name, "draw", "one seed gives two different states", fix))
    elif all(state == states[0] for state in states):
        fix = "Draw from the Random that is given"
        found.append(finding(GateName.DRAW, name, "draw", "every seed gives the same state", fix))
    return len(states), found


def _crashes(
    door: Door, gate: GateName, calls: Sequence[Call], outcome: Probed, earlier: int
) -> Iterator[tuple[str, Finding]]:
    """Findings on calls that failed in a way that no rule knows, one for each tool and kind of failure."""
    name = door.artifact.name
    for (tool, given), answer in zip(calls, outcome.calls[earlier:], strict=False):
        if answer.crash:
            said = f"{answer.crash} on {_short(given)}"
            fix = "Answer with a result, or refuse with a ToolError"
            kind = answer.crash.split(":")[0]
            yield f"{tool} {kind}", finding(gate, name, f"tools.{tool}", said, fix)


def _misshapen(arguments: JsonObject) -> Iterator[JsonObject]:
    for name in arguments:
        yield {key: value for key, value in arguments.items() if key != name}
        yield from ({**arguments, name: strange} for strange in _STRANGE)
    yield {**arguments, "unheard_of": 1}


def _unknown(id: str, ids: Set[str]) -> str:
    """An id of the same form that nobody has."""
    unknown = f"{id}9"
    while unknown in ids:
        unknown += "9"
    return unknown


def _beside(numbers: Sequence[str], *, whole: bool) -> list[JsonValue]:
    step = Decimal(1) if whole else Decimal("0.01")
    values = [Decimal(text) + shift for text in numbers for shift in (-1, -step, 0, step, 1)]
    kept = dict.fromkeys(value for value in values if not whole or value == value.to_integral_value())
    return [int(value) if value == value.to_integral_value() else float(value) for value in kept]


def _days_beside(value: JsonValue, days: set[str]) -> list[JsonValue]:
    """A date or time, shifted by each number of days and one more or less, forwards and backwards."""
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) and len(value) >= 10 else None
    except ValueError:
        return []
    if moment is None:
        return []
    shifts = {0, *(int(Decimal(number)) for number in days)}
    found: list[JsonValue] = []
    for shift in sorted({sign * shift + one for shift in shifts for sign in (1, -1) for one in (-1, 0, 1)}):
        try:
            moved = moment + timedelta(days=shift)
        except OverflowError:
            continue
        # As it was written: a date stays one.
        found.append(moved.isoformat()[: len(str(value))])
    return found


def _short(value: JsonValue) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:117]}…"
