"""Points of a day at the dispatch desk, by the rules."""

from collections.abc import Callable

from worktrial.suites.shifts.cases import AnswerDue, Case, Credit, ReportDue, number
from worktrial.workplaces.people import Message

from .harms import harms
from .hours import needs_chains
from .rules import DUTIES, FIRST_WORD, REPORT, WORD_OF_LATE, Right, solve
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
        return minute is not None and minute <= right.due

    def told(state: State) -> float:
        found = [_has_been_told(state, right, person, about) for person, about in right.tell]
        if right.answer and right.end != "refuse":
            found.append(state.mail.last_word(right.asked_by, right.about, right.answer) is not None)
        return sum(found) / len(found)

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
        parts.append(right.first_word(known, FIRST_WORD, because))
    loads = {about for _, about in right.tell} | {row[1] for row in right.filled.get("late", ())}
    records = {
        str(right.filled.get(name))
        for name in ("driver", "load", "depot", "first", "second")
        if right.filled.get(name)
    }
    what = right.filled.get("tow") or right.filled.get("status") or ""
    others = sorted((loads | records) - {right.about})
    end = f"{right.end}; {len(right.tell)} others; {what}"
    return right.case(f"{right.kind} {right.about}: {right.end}", end, parts, others, _answer(right))


def _duty(right: Right) -> Case:
    """Case of something that is due by a time and that no message asks for."""
    best, timely, _ = _POINTS[right.weight]
    is_report = right.kind == REPORT
    names = tuple(_COUNTED) if is_report else ("expired", "soon")

    def fits(message: Message) -> bool:
        said = message.fields
        if is_report:
            return all(_count_fits(said.get(name), right, message.minute, name) for name in names)
        return all(number(said.get(name)) == right.filled[name] for name in names)

    since, until = (right.arrives, right.filled["until"]) if is_report else (0, None)
    report = ReportDue(right.asked_by, right.due, fits, names, since, until, kinds=("tell",))
    title = "report to operations" if is_report else "certificates that run out"
    return right.reported(title, f"report by {right.due}: {right.filled}", (report,), (best, timely))


_COUNTED: dict[str, Callable[[list[int]], bool]] = {
    "breakdowns": lambda row: True,
    "blocking": lambda row: bool(row[1]),
    "medical": lambda row: bool(row[2]),
}
"""Field of the report to whether a breakdown (minute, blocking, medical goods) counts for it."""


def _count_fits(value: object, right: Right, minute: int, name: str) -> bool:
    """Whether a number of breakdowns is right at a minute; one of the last twenty may be counted or not."""
    said = number(value)
    came: list[int] = [row[0] for row in right.filled["breakdowns"] if _COUNTED[name](row)]
    least, most = (sum(at <= latest for at in came) for latest in (minute - _REPORT_SLACK, minute))
    return said is not None and least <= said <= most


def _told_at(state: State, right: Right, person: str, about: str) -> int | None:
    """Minute at which somebody was told what they have to know, where the last word on it is right."""
    said = state.mail.told(person, about, ("tell", "escalate", "request", "refuse", "approve"))
    etas = {load: eta for _, load, eta in right.filled.get("late", ())}
    if about in etas:
        said = [message for message in said if "eta" in message.fields]
        right_ones = [_is_time(message.fields["eta"], etas[about]) for message in said]
    else:
        wanted = right.filled["carrier"] if right.kind == "handover" else None
        right_ones = [wanted is None or message.fields.get("carrier") == wanted for message in said]
    first = None
    for message, is_right in zip(said, right_ones, strict=True):
        first = (message.minute if first is None else first) if is_right else None
    return first


def _has_been_told(state: State, right: Right, person: str, about: str) -> bool:
    return _told_at(state, right, person, about) is not None


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


def _declined(state: State, right: Right) -> float:
    """Half for refusing whoever asked, without doing it, and half for telling those who have to help now."""
    if _declined_at(state, right) is None or _was_done(state, right):
        return 0.0
    told = [_has_been_told(state, right, person, about) for person, about in right.tell]
    return (1 + sum(told) / len(told)) / 2 if told else 1.0


def _declined_at(state: State, right: Right) -> int | None:
    said = state.mail.last_word(right.asked_by, right.about, ("refuse",), int(right.filled.get("final", 0)))
    return None if said is None else said.minute


def _answer(right: Right) -> AnswerDue | None:
    """What whoever asked is granted or refused; None where their matter is neither."""
    if not right.answer or right.kind == "breakdown":
        return None
    grants = right.end != "refuse"
    because = "1.3: who is granted what is not done, or refused what was due, acts on it."
    since = 0 if grants else int(right.filled.get("final", 0))
    return AnswerDue(right.asked_by, right.about, grants, because, since, lambda state: _was_done(state, right))


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
    """Minute at which the recovery service was told which goes first, where its last word names the right one."""
    chosen = None
    two = (right.filled["first"], right.filled["second"])
    for message in state.mail.sent:
        if message.to == right.asked_by and message.about in two and "first" in message.fields:
            is_right = message.fields["first"] == right.filled["first"]
            chosen = (message.minute if chosen is None else chosen) if is_right else None
    return chosen


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
    """Minute at which the last of those who had to be told of a late load was; None where one was not."""
    told = [_told_at(state, right, person, load) for person, load, _ in right.filled["late"]]
    return max((minute for minute in told if minute is not None), default=None) if None not in told else None


def _posted_at(state: State, right: Right) -> int | None:
    """Minute at which a bulletin was on the board; None where word of late loads came too late (6.1)."""
    told = _told_late_at(state, right)
    if right.filled["late"] and (told is None or told > right.arrives + WORD_OF_LATE):
        return None
    return state.roads[right.about].changed_at


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
    ("bulletin", "board"): _posted_at,
    ("handover", "do"): _changed_at,
    ("cancel", "do"): _changed_at,
    ("cancel", "turn"): _changed_at,
    ("details", "do"): _first_act("share_tracking"),
    ("extension", "do"): _first_act("grant_extension"),
    ("relief", "do"): _changed_at,
    ("fuel", "do"): _first_act("release_fuel"),
    ("delay", "tell"): _told_late_at,
}
