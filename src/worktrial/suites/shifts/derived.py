"""Derivations from a desk's rules: cases, harms, and the agents *plan*, *greedy* and *stale*."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any, NamedTuple, cast, get_args, get_type_hints

import msgspec

from worktrial.language import JsonObject, JsonValue
from worktrial.suites.shifts.cases import (
    AnswerDue,
    Case,
    Credit,
    CreditName,
    Harm,
    HarmKind,
    Move,
    ReportDue,
    Work,
    send,
)
from worktrial.suites.shifts.clerks import Inbox, Part, Until, call_at_once, in_order, interleave
from worktrial.suites.shifts.clerks import Matter as Job
from worktrial.workplaces.desk import Act, DeskSession, DeskState, DeskWorkplace
from worktrial.workplaces.desk.tools import WAITS
from worktrial.workplaces.executable import ToolError
from worktrial.workplaces.executable.describe import encode, to_json
from worktrial.workplaces.kit.desk import Day, Desk, Look, Matter
from worktrial.workplaces.kit.right import AnswerNeeded, DueStep, Figured, Right, Tell, section_of
from worktrial.workplaces.people import Message

_WEIGHTS = {"light": 1, "usual": 2, "heavy": 3}
_FIRST_WORD = 2
"""Points of a first word."""
_SET_GOING = 10
"""Minutes within which the plan sets going what others have to do for it."""
_LAST_WORDS = 10
"""Minutes before the end by which the plan aims to have said what has no other time."""
_ANSWERED = ("approve", "refuse")
_CLOSING = 10
"""Minutes before a tool closes at which the plan turns to what needs it."""
_SETTING_OUT = 15
"""Minutes that are left, beside the longest wait for an answer, where somebody has to be asked."""
_HALF_A_CENT = 0.005
_TIME_OF_DAY = re.compile(r"\d\d:\d\d")


class _Place(NamedTuple):
    """A field of a record, and how it ends."""

    collection: str
    id: str
    field: str
    value: JsonValue


@dataclass
class DerivedDay:
    """A day at a desk that is written on the kit, with all that follows from its rules."""

    desk: Desk
    find_workplace: Callable[[], DeskWorkplace]
    """Finds its tools, which are not there yet while its first day is drawn."""
    start: DeskState
    """The day's first state, untouched."""

    @cached_property
    def workplace(self) -> DeskWorkplace:
        """Tools of the desk."""
        return self.find_workplace()

    @cached_property
    def first_word(self) -> int:
        """Minutes within which whoever asks has a first word; 0 where none is asked for."""
        within = self.desk.first_word
        return within(self.start) if callable(within) else within or 0

    @cached_property
    def matters(self) -> list[Matter]:
        """Matters of the day, with their right ends."""
        return self.desk.matters(self.start)

    @cached_property
    def cases(self) -> list[Case]:
        """Cases of the day."""
        return [self._case(matter) for matter in self.matters]

    def harms(self, end: DeskState) -> Iterator[Harm]:
        """Harms by the law of the desk's tools."""
        day = Day(self.start, self.matters)
        for law in self.desk.laws:
            for call in end.acts(*law.tools):
                if (what := law.law(day, call, end)) is not None:
                    yield Harm(cast("HarmKind", law.kind), what, law.because, call.minute)
        for neglect in self.desk.neglects:
            for what in neglect.law(day, end):
                yield Harm(cast("HarmKind", neglect.kind), what, neglect.because, end.time.ends)
        for matter in self.matters:
            yield from self._done_wrongly(matter, end)

    def _done_wrongly(self, matter: Matter, end: DeskState) -> Iterator[Harm]:
        """Harms of the naive call, and of steps that came too early or without what they need."""
        right = self._as_it_went(matter, end).right
        naive = right.naive
        if naive is not None and right.naive_harm and self._is_naive(right, end):
            minute = _done_at(naive, end) or 0
            what = f"{naive.tool} on {matter.request.about}"
            yield Harm(cast("HarmKind", right.naive_harm), what, right.because, minute)
        # What follows from a decision made too early is part of the same mistake.
        for step in right.ends[:1] if right.else_harm else ():
            minute_done = _done_at(step, end)
            if minute_done is None or not self._lasts(step, end):
                continue
            without = not all(self._was_asked(asked, minute_done, end) for asked in right.asks)
            without = without or not _left_by_ways(right, minute_done, end)
            if minute_done < step.earliest or without:
                said = "without what it needs" if without else "too early"
                what = f"{step.tool} on {matter.request.about} {said}"
                yield Harm(cast("HarmKind", right.else_harm), what, right.because, minute_done)

    def plan(self) -> Work:
        """Work of a clerk who knows the rules."""
        return self._worked(self.matters)

    def stale(self) -> Work:
        """Work by the rules without circulars, contracts and exceptions."""
        if self.desk.without_exceptions is None:
            return self.plan()
        other = self._copy()
        self.desk.without_exceptions(other)
        return self._worked(self.desk.matters(other))

    def greedy(self) -> Work:
        """Work of a clerk who does what is asked, in order of arrival, and looks nothing up."""
        asked = {(one.request.about, one.request.sender): one for one in self.matters if one.request.sender}

        def take(message: JsonObject) -> Work:
            matter = asked.pop((message["about"], message["from"]), None)
            if matter is None:
                return ""
            naive = matter.right.naive
            refused = False
            for step in (naive,) if naive else matter.right.steps:
                seen = yield Move(step.tool, step.arguments)
                refused = "error" in seen
            kind = "refuse" if refused else "approve"
            yield send(message["from"], kind, message["about"], "No." if refused else "Done.")
            return ""

        return in_order(self.start.time, take)

    def _copy(self) -> DeskState:
        copy: DeskState = msgspec.json.decode(encode(self.start), type=self.workplace.home.state_type)
        return copy

    # The plan

    def _worked(self, matters: Sequence[Matter]) -> Work:
        made: list[Act] = []
        work = interleave(self._jobs(matters, made), self.start.time)
        try:
            move = next(work)
            while True:
                seen = yield move
                if "error" not in seen:
                    minute = self.start.time.minute_of(str(seen["time"]))
                    made.append(Act(minute, move.tool, dict(move.arguments), writes=True))
                move = work.send(seen)
        except StopIteration as e:
            return str(e.value)

    def _jobs(self, matters: Sequence[Matter], made: Sequence[Act]) -> list[tuple[int, int, Job]]:
        inbox = Inbox(self.first_word)
        jobs = []
        for matter in matters:
            request, right = matter.request, matter.right
            by = right.by or 0
            first = self._longest(matter) + _SETTING_OUT if right.asks else 0
            others = any(step.wait for step in right.steps)
            calls = [*right.steps, *(asked.call for asked in right.asks if asked.call is not None)]
            closing = [step.latest - _CLOSING for step in calls if step.latest is not None]
            due = request.at + _SET_GOING if others else min([by - first, *closing])
            jobs.append((request.at, due, self._job(matter, inbox, made)))
            if not self._has_first_word(matter):
                continue
            called, asked = _by_call(right.asks)
            if not called and any(one.person == request.sender for one in asked):
                inbox.words.note(request.about)  # a question is a word, too
                continue
            word = send(request.sender, "tell", request.about, "It is in hand.")
            slow = others or bool(right.asks) or matter.earliest > request.at + self.first_word - 12
            jobs.append(inbox.words.say(request.about, request.at, word, at_once=slow))
        return jobs

    def _has_first_word(self, matter: Matter) -> bool:
        return bool(self.first_word and matter.request.sender and matter.right.first_word)

    def _longest(self, matter: Matter) -> int:
        called, asked = _by_call(matter.right.asks)
        return max((one.minutes for one in called), default=0) + 2 * max(
            (self.start.people[one.person].delay[1] for one in asked), default=0
        )

    def _job(self, matter: Matter, inbox: Inbox, made: Sequence[Act]) -> Job:
        request, right = matter.request, matter.right
        if request.sender:
            yield from inbox.open(request.about, matter.slot)
        for look in matter.looks:
            if (found := self._read_of(look)) is not None:
                yield found
        # What is asked often hangs on what a call has brought.
        for asks in filter(None, _by_call(right.asks)):
            yield from self._ask(asks)
            yield Until(0, None if any(step.wait for step in right.steps) else right.by)
            for about in dict.fromkeys(asked.about for asked in asks):
                yield from inbox.read(about)
        if right.since:
            yield Until(right.since + 1)
            yield from inbox.read(request.about)
        now = 0
        for step in right.steps:
            if step.earliest:
                yield Until(step.earliest)
            if step.wait:
                # Nobody waits for us for long.
                yield Until(now + step.wait, now + step.wait if step.by is None else step.by)
                yield from inbox.read(request.about)
            seen = yield Move(step.tool, step.arguments)
            now = self.start.time.minute_of(str(seen["time"]))
        yield from self._told(matter, inbox, made)

    def _ask(self, asks: Sequence[AnswerNeeded]) -> Job:
        """Ask everybody at once, and again those who have forgotten; wait until all have answered."""
        minute, people = 0, self.start.people
        longest = max(asked.minutes if asked.call else people[asked.person].delay[1] for asked in asks)
        forgot = [asked for asked in asks if not asked.call and asked.about in people[asked.person].forgets]
        for again, some in ((False, asks), (True, forgot)):
            for asked in some:
                if asked.call is not None:
                    seen = yield Move(asked.call.tool, asked.call.arguments)
                else:
                    kind = "remind" if again else "ask" if "topic" in asked.fields else "request"
                    text = f"Your word on {asked.about}?"
                    seen = yield send(asked.person, kind, asked.about, text, **asked.fields)
                minute = self.start.time.minute_of(str(seen["time"]))
            if some:
                yield Until(minute + longest + 1)

    def _told(self, matter: Matter, inbox: Inbox, made: Sequence[Act]) -> Part:
        request, right = matter.request, matter.right
        seen: JsonObject = {}
        last = self.start.time.ends - _LAST_WORDS if right.ends else right.by or 0
        words = sorted(right.tell, key=lambda one: (not one.deed, one.since, one.by or last))
        for place, due in enumerate(words):
            by = min(one.by or last for one in words[place:])  # what is said after it has its time, too
            if due is self._answer_due(matter) and self._has_first_word(matter):
                yield from inbox.words.before_answer(request.about, request.at, by)
            else:
                yield Until(due.since, by)
            now = made[-1].minute if made else 0
            seen = yield send(due.person, due.kinds[0], request.about, right.because, **due.carried(made, now))
        return seen

    def _read_of(self, look: Look) -> Move | None:
        """The call that shows a record: of the tools that only look, that which answers for its id."""
        home = self.workplace.home
        for tool in home.artifact.tools:
            function = home.functions[tool.name]
            required = tool.parameters.get("required", [])
            if function.writes or tool.name in WAITS or len(required) != 1:
                continue
            if not required[0].startswith(look.collection.rstrip("s")[:4]):
                continue
            try:
                shown = to_json(function.run(self.start, **{required[0]: look.id}))
            except ToolError:
                continue
            if isinstance(shown, dict) and "error" not in shown:
                return Move(tool.name, {required[0]: look.id})
        return None

    # What is right at the end

    @cached_property
    def _ends(self) -> dict[int, list[_Place]]:
        """Fields that each right step changes, by the step's `id`, with their values at the end of the plan."""
        state = self._copy()
        session = DeskSession(self.workplace, state)
        steps = {id(step.arguments): step for matter in self.matters for step in matter.right.steps}
        touched: dict[int, list[tuple[str, str, str]]] = {}
        work = self.plan()
        try:
            move = next(work)
            while True:
                step = steps.get(id(move.arguments))
                before = _records_named(state, step) if step is not None else {}
                seen = call_at_once(session, move)
                if step is not None:
                    after = _records_named(state, step)
                    touched[id(step)] = [
                        (*place, name)
                        for place, record in after.items()
                        for name, value in record.items()
                        if before.get(place, {}).get(name) != value
                    ]
                move = work.send(seen)
        except StopIteration:
            session.finish()
        return {key: [_Place(*place, _field(state, *place)) for place in places] for key, places in touched.items()}

    def _as_it_went(self, matter: Matter, end: DeskState) -> Matter:
        """The matter with its right end after what has happened."""
        went = matter.right.as_it_went(end) if matter.right.as_it_went else None
        if went is None:
            return matter
        last = self.start.time.ends - 1
        return replace(matter, right=replace(went, by=min(went.by or last, last)))

    def _outcome(self, matter: Matter, end: DeskState) -> float:
        right = matter.right
        done = [minute for step in right.ends if (minute := _done_at(step, end)) is not None]
        first = min(done, default=end.time.ends)
        if not all(self._was_asked(asked, first, end) for asked in right.asks):
            return 0.0
        if self._is_naive(right, end):
            return 0.0
        left = _left_by_ways(right, first, end)
        whole = sum(step.share for step in right.ends) + sum(one.share for one in right.standing)
        if not whole:
            handed = _handed_at(matter, end)
            entered = any(self._stands(step, end, early=False) for step in right.entries)
            return left * (entered or self._is_answered(matter, end) if handed is None else handed <= end.time.ends)
        # A step that came too early, and is a harm for it, is charged once.
        stands = [self._stands(step, end, early=right.else_harm is not None) for step in right.ends]
        earned = 0.0
        for step, stand in zip(right.ends, stands, strict=True):
            # What follows from a decision counts where the decision stands; the same act on others is its own.
            if stands[0] or step.tool == right.ends[0].tool:
                earned += step.share * stand
        if not stands or stands[0]:
            earned += sum(
                one.share * (_field(end, one.collection, one.id, one.field) == one.value) for one in right.standing
            )
        return left * earned / whole

    def _stands(self, step: DueStep, end: DeskState, *, early: bool) -> float:
        minute = _done_at(step, end)
        if not early and minute is not None and minute < step.earliest:
            return 0.0
        if step.judge is not None:
            return float(step.judge(end))
        places = self._ends.get(id(step), [])
        wrong = [place.field for place in places if _field(end, *place[:3]) != place.value]
        if not places or any(name not in step.half for name in wrong):
            return 0.0
        return 0.5 if wrong else 1.0

    def _lasts(self, step: DueStep, end: DeskState) -> bool:
        """Whether a call was made on the record that it names first, and nothing has taken it back since."""
        key, value = next(iter(step.arguments.items()))
        made = [call.minute for call in end.acts(step.tool) if call.arguments.get(key) == value]
        if not made or not self.desk.takes_back:
            return bool(made)
        return all(call.minute < made[-1] for call in end.acts(*self.desk.takes_back, about=str(value)))

    def _is_naive(self, right: Right, end: DeskState) -> bool:
        """Whether what a request asks for wrongly was done."""
        naive = right.naive
        if naive is None or any(step.tool == naive.tool for step in right.steps):
            return False
        return self._lasts(naive, end) and (naive.judge is None or bool(naive.judge(end)))

    def _was_asked(self, asked: AnswerNeeded, by: int, end: DeskState) -> bool:
        return any(
            message.sender == asked.person and message.about == asked.about and message.minute <= by
            for message in end.mail.inbox
            if message.kind in ("approve", "refuse", "tell")
            and _holds(message, asked.fields)
            and (asked.call is None or message.answers is None)
        )

    def _dealt_with(self, matter: Matter, end: DeskState) -> int | None:
        """Minute at which a matter was dealt with: its last step, or the answer where it has none."""
        minutes = [_done_at(step, end) for step in matter.right.ends or matter.right.entries]
        if minutes:
            return None if None in minutes else max(minute for minute in minutes if minute is not None)
        if (handed := _handed_at(matter, end)) is not None:
            return handed
        if self._answer_due(matter) is not None:
            answers = self._answers(matter, end)
            return answers[0].minute if answers else None
        told = [_words_to(one, matter, end) for one in matter.right.tell]
        return max(words[0].minute for words in told) if told and all(told) else None

    def _answers(self, matter: Matter, end: DeskState) -> list[Message]:
        """Last words to whoever asked, from the first with which nothing else came after."""
        due = self._answer_due(matter)
        if due is None:
            return []
        # What is told before the decision was that it is in hand.
        ends = matter.right.ends or matter.right.entries
        dealt = _done_at(ends[0], end) if ends else _handed_at(matter, end) or 0
        said = [
            message
            for message in end.mail.sent
            if message.to == due.person
            and message.about in matter.references
            and message.kind in (*due.kinds, *_ANSWERED)
            and message.minute >= matter.right.since
            and (message.kind != "tell" or (dealt is not None and message.minute >= dealt))
            # Where the answer is all that is due, it is the figures that make it one.
            and (message.kind != "tell" or ends or not due.fields or message.fields.keys() & due.fields.keys())
        ]
        right: list[Message] = []
        for message in said:
            right = [*right, message] if message.kind in due.kinds else []
        return right

    def _answer_due(self, matter: Matter) -> Tell | None:
        tell = matter.right.tell
        return tell[0] if tell and tell[0].person == matter.request.sender else None

    def _is_answered(self, matter: Matter, end: DeskState) -> bool:
        due = self._answer_due(matter)
        if due is None:
            return all(_is_told(one, matter, end) for one in matter.right.tell)
        said = self._answers(matter, end)
        return bool(said) and _carries(said, due, end)

    def _told_share(self, matter: Matter, end: DeskState) -> float:
        due = self._answer_due(matter)
        shares = [] if due is None else [self._is_answered(matter, end)]
        if due is not None and due.fields:
            shares.append(bool(self._answers(matter, end)))
        shares += [_is_told(one, matter, end) for one in matter.right.tell if one is not due]
        shares += [bool(self._stands(step, end, early=False)) for step in matter.right.entries]
        return sum(shares) / len(shares) if shares else 1.0

    def _case(self, matter: Matter) -> Case:
        request, right = matter.request, matter.right
        weight = _WEIGHTS[right.weight]
        ends = ", ".join(step.tool for step in right.steps) or "nothing is done"
        words = ", ".join(f"{one.kinds[0]} {one.person}" for one in right.tell)

        def credit(name: CreditName, points: int, earned: Callable[[DeskState], float]) -> Credit:
            because = self.desk.because.get(name, right.because)
            return Credit(name, points, earned, because, section_of(because))

        def is_in_time(end: DeskState) -> float:
            went = self._as_it_went(matter, end)
            minute = self._dealt_with(went, end)
            return minute is not None and minute <= (went.right.by or 0)

        def is_heard(end: DeskState) -> float:
            last = request.at + self.first_word
            said = (one for one in end.mail.sent if one.to == request.sender and one.about in matter.references)
            return any(request.at <= one.minute <= last for one in said)

        reports: tuple[ReportDue, ...] = ()
        if right.report:
            reports = tuple(self._report(one, matter) for one in right.tell)

            def is_right(end: DeskState) -> float:
                return all(one.is_right(end.mail) for one in _held(reports, right, end))

            def is_right_in_time(end: DeskState) -> float:
                return all(one.is_right_in_time(end.mail) for one in _held(reports, right, end))

            parts = [credit("outcome", 3 * weight, is_right), credit("in_time", weight, is_right_in_time)]
        else:
            parts = [
                credit("outcome", 3 * weight, lambda end: self._outcome(self._as_it_went(matter, end), end)),
                credit("in_time", weight, is_in_time),
            ]
            if right.tell:
                parts.append(
                    credit("told", weight, lambda end: self._told_share(self._as_it_went(matter, end), end))
                )
        if self._has_first_word(matter):
            parts.append(credit("first_word", _FIRST_WORD, is_heard))
        return Case(
            id=matter.slot,
            title=f"{matter.name}: {request.about}",
            pattern=right.pattern,
            right=f"{matter.name}: {ends}; {words}",
            about=matter.references,
            parts=tuple(parts),
            arrives=max(0, request.at),
            earliest=matter.earliest,
            due=right.by,
            critical=right.critical,
            unasked=right.unasked,
            answer=self._answer(matter),
            reports=reports,
        )

    def _report(self, due: Tell, matter: Matter) -> ReportDue:
        def fits(message: Message) -> bool:
            return _holds(message, due.fields)

        names, since = tuple(due.carried((), 0)), max(0, matter.request.at)
        about = matter.references if matter.right.about else ()
        return ReportDue(
            due.person, matter.right.by or 0, fits, names, since, matter.right.until, about=about, kinds=due.kinds
        )

    def _answer(self, matter: Matter) -> AnswerDue | None:
        right, due = matter.right, self._answer_due(matter)
        if due is None:
            return None
        if right.grants is None and due.kinds[0] not in _ANSWERED:
            return None
        grants = due.kinds[0] == "approve" if right.grants is None else right.grants

        def was_done(end: DeskState) -> bool:
            if not grants:
                return self._is_naive(right, end)
            if not right.ends and due.fields:
                return any(one.fields.keys() & due.fields.keys() for one in self._answers(matter, end))
            return any(self._lasts(deed, end) for deed in [*right.ends[:1], right.naive] if deed is not None)

        because = self.desk.because.get(
            "false_word", "Who is granted what is not done, or refused what was due, acts."
        )
        about = matter.request.about
        recorded = self.desk.recorded or (lambda end, about: None)
        return AnswerDue(
            due.person, about, grants, because, right.since, was_done=was_done, even_wrong=True,
            recorded=lambda end: recorded(end, about),
        )  # fmt: skip


def _records_named(state: DeskState, step: DueStep) -> dict[tuple[str, str], JsonObject]:
    """Records that a step's arguments name, by collection and id: their fields, bookkeeping left out."""
    found = {}
    for collection, records in msgspec.structs.asdict(state).items():
        if not isinstance(records, dict):
            continue
        for value in step.arguments.values():
            record = records.get(value) if isinstance(value, str) else None
            if isinstance(record, msgspec.Struct):
                kept = _kept(type(record))
                found[collection, str(value)] = {name: to_json(getattr(record, name)) for name in kept}
    return found


@cache
def _kept(kind: type) -> list[str]:
    """Fields of a record's type on which a right end may depend."""
    hints = get_type_hints(kind, include_extras=True)
    return [name for name in kind.__struct_fields__ if not _is_bookkeeping(hints[name])]  # type: ignore[attr-defined]


def _is_bookkeeping(hint: Any) -> bool:
    metas = [one for one in get_args(hint) if isinstance(one, msgspec.Meta)]
    inside = [one for one in get_args(hint) if not isinstance(one, msgspec.Meta | str | int)]
    return any((meta.extra or {}).get("bookkeeping") for meta in metas) or any(map(_is_bookkeeping, inside))


def _field(state: DeskState, collection: str, id: str, name: str) -> JsonValue:
    record = getattr(state, collection).get(id)
    return None if record is None else to_json(getattr(record, name))


def _done_at(step: DueStep, end: DeskState) -> int | None:
    """Minute from which on a step's record stood as its last call left it: a call that says the same is none."""
    if step.tool == "send_message":
        fields = step.arguments.get("fields") or {}
        said = end.mail.told(str(step.arguments["to"]), str(step.arguments["about"]))
        return next((one.minute for one in said if not fields or one.fields.keys() & fields.keys()), None)
    key, value = next(iter(step.arguments.items()))
    calls = [call for call in end.acts(step.tool) if call.arguments.get(key) == value]
    minute = calls[-1].minute if calls else None
    for call in reversed(calls):
        if call.arguments != calls[-1].arguments:
            break
        minute = call.minute
    return minute


def _by_call(asks: Sequence[AnswerNeeded]) -> tuple[list[AnswerNeeded], list[AnswerNeeded]]:
    """Answers that a call brings, and those that somebody is asked for."""
    return [one for one in asks if one.call is not None], [one for one in asks if one.call is None]


def _handed_at(matter: Matter, end: DeskState) -> int | None:
    """Minute at which a matter was handed to whoever decides it, past the end where it was not; None if undue."""
    words = [_words_to(one, matter, end) for one in matter.right.tell if one.deed]
    return max((said[0].minute if said else end.time.ends + 1 for said in words), default=None)


def _held(reports: Sequence[ReportDue], right: Right, end: DeskState) -> list[ReportDue]:
    """Reports of a matter, whose figures are held against what was so when they were sent."""
    acts = end.acts()

    def as_of_sending(figures: Figured, message: Message) -> bool:
        minutes = range(message.minute - figures.slack, message.minute + 1)
        return any(_holds(message, figures.function(acts, minute)) for minute in minutes)

    return [
        replace(one, fits=partial(as_of_sending, due.figured)) if due.figured else one
        for one, due in zip(reports, right.tell, strict=True)
    ]


def _left_by_ways(right: Right, minute: int, end: DeskState) -> float:
    """Share of an outcome that is left, by the calls that lead to it and were made up to a minute."""
    left = 1.0
    for step in right.steps:
        if step.without is None or step.without == 1:
            continue
        calls = [call for call in end.acts(step.tool) if call.arguments == step.arguments and call.minute <= minute]
        if not (calls if step.judge is None else step.judge(end)):
            left = min(left, step.without)
    return left


def _is_told(due: Tell, matter: Matter, end: DeskState) -> bool:
    said = _words_to(due, matter, end)
    return bool(said) and _carries(said, due, end)


def _words_to(due: Tell, matter: Matter, end: DeskState) -> list[Message]:
    """Messages by which somebody is told of a matter."""
    return [
        message
        for message in end.mail.sent
        if message.to == due.person and message.about in matter.references and message.kind in due.kinds
        if due.since <= message.minute and (due.by is None or message.minute <= due.by)
    ]


def _carries(said: Sequence[Message], due: Tell, end: DeskState) -> bool:
    """Whether the last message that has any of the fields holds them all."""
    fields = due.carried(end.acts(), end.time.ends)
    if not fields:
        return True
    having = [message for message in said if message.fields.keys() & fields.keys()]
    return bool(having) and _holds(having[-1], fields)


def _holds(message: Message, fields: Mapping[str, JsonValue]) -> bool:
    return all(_same(message.fields.get(name), value) for name, value in fields.items())


def _same(given: JsonValue, due: JsonValue) -> bool:
    if isinstance(due, bool) or not isinstance(due, int | float):
        said, wanted = str(given).strip().casefold(), str(due).casefold()
        # A time of day may carry its date.
        return said == wanted or (bool(_TIME_OF_DAY.fullmatch(wanted)) and said.endswith(f" {wanted}"))
    try:
        return abs(float(str(given).replace(",", "")) - due) < _HALF_A_CENT
    except ValueError:
        return False
