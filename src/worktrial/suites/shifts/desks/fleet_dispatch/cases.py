"""Points of a day at the dispatch desk, by the rules."""

from collections.abc import Callable

from worktrial.suites.shifts.cases import Case, Credit
from worktrial.workplaces.people import Kind

from .harms import harms
from .hours import needs_chains
from .rules import DUTIES, FIRST_WORD, REPORT, Right, solve
from .state import State

__all__ = ["cases", "harms"]

_POINTS = {"grave": (9, 3, 2), "usual": (6, 2, 2), "small": (3, 1, 1)}
"""Class of a matter to its points for the outcome, being in time, and telling who has to know (section 1.7)."""
_REPORT_SLACK = 20  # minutes in which a new breakdown may or may not be in a report yet


def cases(start: State) -> list[Case]:
    """All matters of the day."""
    return [_duty(right) if right.kind in DUTIES else _case(right) for right in solve(start)]


def _case(right: Right) -> Case:
    done = _ENDS.get((right.kind, right.end), _declined)
    when = _WHEN.get((right.kind, right.end), _declined_at)

    def outcome(state: State) -> float:
        return done(state, right) if was_asked(state, right) else 0.0

    def in_time(state: State) -> bool:
        minute = when(state, right)
        return outcome(state) > 0 and minute is not None and minute <= right.due

    def told(state: State) -> float:
        found = [_has_been_told(state, right, person, about) for person, about in right.tell]
        if right.answer and right.end != "refuse":
            found.append(bool(state.mail.told(right.asked_by, right.about, right.answer)))
        return sum(found) / len(found)

    def heard(state: State) -> bool:
        return bool(state.mail.told(right.asked_by, right.about, by=right.arrives + FIRST_WORD))

    best, timely, known = _POINTS[right.weight]
    parts = [
        Credit("outcome", best, outcome, right.because, right.section),
        Credit("in_time", timely, in_time, f"1.2: by the time of its kind; {right.because}", "1.2"),
    ]
    if right.tell or (right.answer and right.end != "refuse"):
        because = f"1.3: who asked is answered, and others told; {right.because}"
        parts.append(Credit("told", known, told, because, right.section if right.tell else "1.3"))
    if right.needs_word:
        because = "1.3: whoever asks for something hears of the desk within thirty minutes."
        parts.append(Credit("in_time", known, heard, because, "1.3"))
    loads = {about for _, about in right.tell} | {row[1] for row in right.filled.get("late", ())}
    records = {
        str(right.filled.get(name))
        for name in ("driver", "load", "depot", "first", "second")
        if right.filled.get(name)
    }
    what = right.filled.get("tow") or right.filled.get("status") or ""
    return Case(
        id=right.slot,
        title=f"{right.kind} {right.about}: {right.end}",
        pattern=right.pattern,
        right=f"{right.end}; {len(right.tell)} others; {what}",
        about=(right.about, *sorted((loads | records) - {right.about})),
        parts=tuple(parts),
        arrives=right.arrives,
        critical=right.critical,
        unasked=right.unasked,
    )


def _duty(right: Right) -> Case:
    """Case of something that is due by a time and that no message asks for."""
    done = _reported if right.kind == REPORT else _counted
    best, timely, _ = _POINTS[right.weight]
    because = right.because
    return Case(
        id=right.slot,
        title="report to operations" if right.kind == REPORT else "certificates that run out",
        pattern=right.pattern,
        right=f"report by {right.due}: {right.filled}",
        about=(right.about, right.asked_by),
        parts=(
            Credit("outcome", best, lambda state: done(state, right, state.time.ends), because, right.section),
            Credit("in_time", timely, lambda state: done(state, right, right.due), because, right.section),
        ),
        arrives=right.arrives,
        critical=right.critical,
        unasked=True,
    )


def _reported(state: State, right: Right, by: int) -> bool:
    return any(
        message.to == right.asked_by
        and message.kind == "tell"
        and right.arrives <= message.minute <= by
        and all(_count_fits(message.fields.get(name), right, message.minute, name) for name in _COUNTED)
        for message in state.mail.sent
    )


def _counted(state: State, right: Right, by: int) -> bool:
    return any(
        message.to == right.asked_by
        and message.kind == "tell"
        and message.minute <= by
        and all(_number(message.fields.get(name)) == right.filled[name] for name in ("expired", "soon"))
        for message in state.mail.sent
    )


_COUNTED: dict[str, Callable[[list[int]], bool]] = {
    "breakdowns": lambda row: True,
    "blocking": lambda row: bool(row[1]),
    "medical": lambda row: bool(row[2]),
}
"""Field of the report to whether a breakdown (minute, blocking, medical goods) counts for it."""


def _count_fits(value: object, right: Right, minute: int, name: str) -> bool:
    """Whether a number of breakdowns is right at a minute; one of the last twenty may be counted or not."""
    number = _number(value)
    came: list[int] = [row[0] for row in right.filled["breakdowns"] if _COUNTED[name](row)]
    least, most = (sum(at <= latest for at in came) for latest in (minute - _REPORT_SLACK, minute))
    return number is not None and least <= number <= most


def _number(value: object) -> float | None:
    try:
        return float(str(value))
    except ValueError:
        return None


def _has_been_told(state: State, right: Right, person: str, about: str) -> bool:
    etas = {load: eta for _, load, eta in right.filled.get("late", ())}
    said = state.mail.told(person, about, ("tell", "escalate", "request", "refuse", "approve"))
    if about in etas:
        return any(_is_time(message.fields.get("eta"), etas[about]) for message in said)
    if right.kind == "handover":
        return any(message.fields.get("carrier") == right.filled["carrier"] for message in said)
    return bool(said)


def _is_time(value: object, clock: str) -> bool:
    """Whether a field says a time of day, with its date or without."""
    return str(value).strip()[-5:] == clock


def was_asked(state: State, right: Right, by: int | None = None) -> bool:
    """Whether somebody whose word decides has given it.

    Args:
        state: The last.
        right: The matter; True where nobody has to be asked.
        by: Only a word given up to this minute.
    """
    if right.kind == "relief":
        answered = {
            m.sender
            for m in state.mail.inbox
            if m.about == right.about and m.kind in ("approve", "refuse") and (by is None or m.minute <= by)
        }
        return answered.issuperset(right.filled["ask"])
    if not right.filled.get("asks"):
        return True
    person = "road_authority" if right.kind == "closure" else right.filled["customer"]
    return any(
        m.sender == person
        and m.about == right.about
        and m.answers is not None
        and m.kind != "ask"
        and (by is None or m.minute <= by)
        for m in state.mail.inbox
    )


def _declined(state: State, right: Right) -> bool:
    """Whether whoever asked was refused, and what they asked for was not done."""
    return _declined_at(state, right) is not None and not _was_done(state, right)


def _declined_at(state: State, right: Right) -> int | None:
    final = int(right.filled.get("final", 0))
    said = [m.minute for m in state.mail.told(right.asked_by, right.about, ("refuse",)) if m.minute >= final]
    return min(said, default=None)


def _was_done(state: State, right: Right) -> bool:
    filled = right.filled
    if right.kind == "dock":
        return any(slot.load == right.about for slot in state.docks.values())
    if right.kind == "closure":
        return state.roads[right.about].status == "closed"
    if right.kind == "details":
        shared = state.acts("share_tracking", about=right.about)
        return any(act.arguments["person_id"] == right.asked_by for act in shared)
    if right.kind == "extension":
        return state.drivers[filled["driver"]].extended_at is not None
    if right.kind == "fuel":
        return state.trucks[filled["truck"]].adblue_released > 0
    load = state.loads[right.about]
    if right.kind == "assign":
        return load.driver == str(filled["driver"])
    if right.kind == "handover":
        return load.status == "handed over"
    return right.kind == "cancel" and load.status in ("cancelled", "turned back")


def _assigned(state: State, right: Right) -> bool:
    load = state.loads[right.about]
    if load.driver != right.filled["driver"] or load.route not in right.filled["routes"]:
        return False
    return not needs_chains(state, str(load.route)) or state.trucks[str(load.truck)].chains


def _relieved(state: State, right: Right) -> bool:
    load = state.loads[right.about]
    return load.driver == right.filled["driver"] and load.route in right.filled["routes"]


def _docked(state: State, right: Right) -> bool:
    first, last = right.filled["between"]
    begins = [state.time.minute_of(slot.begins) for slot in state.docks.values() if slot.load == right.about]
    return any(first <= minute <= last for minute in begins)


def _towed(state: State, right: Right) -> bool:
    return state.breakdowns[right.about].tow == str(right.filled["tow"])


def _chosen_at(state: State, right: Right) -> int | None:
    """Minute at which the recovery service was told the one that goes first; None if it was told both, or none."""
    kinds: tuple[Kind, ...] = ("approve", "tell", "request")
    if state.mail.told(right.asked_by, right.filled["second"], kinds):
        return None
    return min((m.minute for m in state.mail.told(right.asked_by, right.filled["first"], kinds)), default=None)


def _same(state: State, right: Right) -> bool:
    return state.breakdowns[right.about].same_as == str(right.filled["same_as"])


def _closed(state: State, right: Right) -> float:
    """Half for the board, half for the loads that were planned on the road."""
    moved = [state.loads[load].route in routes for load, _, routes in right.filled["rows"]]
    return ((state.roads[right.about].status == "closed") + sum(moved) / len(moved)) / 2


def _posted(state: State, right: Right) -> float:
    """Half for the board, and half for every consignee who had to be told."""
    board = state.roads[right.about].status == right.filled["status"]
    late = right.filled["late"]
    told = [_has_been_told(state, right, person, load) for person, load, _ in late]
    return float(board) if not late else (board + sum(told) / len(told)) / 2


def _told_late(state: State, right: Right) -> bool:
    return all(_has_been_told(state, right, person, load) for person, load, _ in right.filled["late"])


def _told_late_at(state: State, right: Right) -> int | None:
    said = [
        m.minute
        for person, load, eta in right.filled["late"]
        for m in state.mail.told(person, load)
        if _is_time(m.fields.get("eta"), eta)
    ]
    return min(said, default=None)


def _changed_at(state: State, right: Right) -> int | None:
    return state.loads[right.about].changed_at


def _first_act(tool: str) -> Callable[[State, Right], int | None]:
    def when(state: State, right: Right) -> int | None:
        name = str(right.filled["driver"] if tool == "grant_extension" else right.filled.get("truck", right.about))
        return min((act.minute for act in state.acts(tool, about=name)), default=None)

    return when


_ENDS: dict[tuple[str, str], Callable[[State, Right], float]] = {
    ("assign", "do"): _assigned,
    ("dock", "do"): _docked,
    ("breakdown", "tow"): _towed,
    ("breakdown", "same"): _same,
    ("recovery", "first"): lambda state, right: _chosen_at(state, right) is not None,
    ("closure", "do"): _closed,
    ("bulletin", "board"): _posted,
    ("handover", "do"): lambda state, right: state.loads[right.about].carrier == right.filled["carrier"],
    ("cancel", "do"): lambda state, right: state.loads[right.about].status == "cancelled",
    ("cancel", "turn"): lambda state, right: state.loads[right.about].status == "turned back",
    ("details", "do"): _was_done,
    ("extension", "do"): _was_done,
    ("relief", "do"): _relieved,
    ("fuel", "do"): _was_done,
    ("delay", "tell"): _told_late,
}
_WHEN: dict[tuple[str, str], Callable[[State, Right], int | None]] = {
    ("assign", "do"): _changed_at,
    ("dock", "do"): _changed_at,
    ("breakdown", "tow"): lambda state, right: state.breakdowns[right.about].changed_at,
    ("breakdown", "same"): lambda state, right: state.breakdowns[right.about].changed_at,
    ("recovery", "first"): _chosen_at,
    ("closure", "do"): lambda state, right: state.roads[right.about].changed_at,
    ("bulletin", "board"): lambda state, right: state.roads[right.about].changed_at,
    ("handover", "do"): _changed_at,
    ("cancel", "do"): _changed_at,
    ("cancel", "turn"): _changed_at,
    ("details", "do"): _first_act("share_tracking"),
    ("extension", "do"): _first_act("grant_extension"),
    ("relief", "do"): _changed_at,
    ("fuel", "do"): _first_act("release_fuel"),
    ("delay", "tell"): _told_late_at,
}
