"""Checks of what an agent reported: the answer is parsed, in English or Korean, and compared as a typed value.

A value counts where the answer asserts it. It does not where the answer denies it (`not 14:50`, `8이 아니라`), nor
where it leaves the choice open (`14:50 or 15:50`).

The readers are imported with the first answer: their patterns take 50 ms of CPU to compile.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from worktrial.grading.check import HALF_A_CENT, CheckResult, Claim, Facts, Tolerance, near
from worktrial.grading.written import DateOrder
from worktrial.grading.written.spelling import one_spelling
from worktrial.workplaces.trajectory import Trajectory
from worktrial.workplaces.values import leaves

if TYPE_CHECKING:
    from worktrial.grading.written.amounts import StatedNumber
    from worktrial.grading.written.dates import WrittenDate

READING = 5
"""Version of how answers are read. Verdicts of another version are not comparable: it is part of what identifies a
suite's data. 1 compared texts with listed spellings; 2 parses; 3 heeds denials of codes, and of phrases that
may not stand there; 4 reads Korean as offices write it, and leaves undecided what cannot be told; 5 takes no paste
of a tool's answer."""

LONGEST_ANSWER = 100_000
"""Characters of a text that are read."""

MOST_CHARACTERS = 2_000
"""Characters of an answer that may satisfy its checks; a longer one is a dump."""
MOST_VALUES = 3
"""Values that an answer may state for each that is asked for."""
MOST_ASIDE = 6
"""Values that it may state beside them, of kinds that are not asked for."""
IN_SHORT = {
    "en": f"Answer in your own words, in at most {MOST_CHARACTERS:,} characters and with at most {MOST_VALUES} "
    "times as many values as are asked for: not everything that you saw, and no paste of what a tool returned.",
    "ko": f"답변은 {MOST_CHARACTERS:,}자 이내로, 값은 요청한 수의 {MOST_VALUES}배 이내로 직접 써 주세요. "
    "조회한 내용 전체나 도구의 응답을 그대로 붙여 넣지 말고 요청한 내용만 적어 주세요.",
}
"""Words of a task for these bounds, by its language."""

Phrases = Annotated[tuple[Annotated[str, Field(pattern=r"\S")], ...], Field(min_length=1)]


def _time_of(value: object) -> object:
    if isinstance(value, datetime | time):
        return value
    if isinstance(value, int | float):
        raise ValueError(f"{value} is a number to YAML: put the time in quotes, '14:50'")  # noqa: TRY004
    for read in (time.fromisoformat, datetime.fromisoformat):
        try:
            found: datetime | time = read(str(value))
        except ValueError:
            continue
        if found.tzinfo is not None:
            raise ValueError(f"{value!r} has a time zone, which answers are not read for: write '2025-10-21T14:50'")
        if len(str(value)) > 4:
            return found
    raise ValueError(f"{value!r} is no time of day: write '14:50', or '2025-10-21T14:50' with its date")


def _date_of(value: object) -> object:
    try:
        return value if type(value) is date else date.fromisoformat(str(value))
    except ValueError:
        raise ValueError(f"{value!r} is no date: write 2025-05-19") from None


def _currency_of(value: str | None) -> str | None:
    if value is not None and not re.fullmatch(r"[A-Z]{3}", value):
        raise ValueError(f"{value!r} is no code of a currency: write EUR, USD or another of ISO 4217")
    return value


def _id_of(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9](?:[A-Za-z0-9._/ -]{0,62}[A-Za-z0-9])?", value):
        raise ValueError(
            f"{value!r} is no id that can be looked for: write it as the tools do, such as R-905, in Latin letters "
            "and digits; `answer_mentions` looks for words"
        )
    return value


class AnswerClaim(Claim):
    """Base of the checks that look for something in the answer."""

    def text(self, facts: Facts) -> str:
        """The answer in one spelling."""
        return plain(facts.trajectory.answer)


class AnswerTime(AnswerClaim):
    """The answer states this time of day; where it writes a date with it, that must be the right one."""

    check: Literal["answer_time"]
    value: Annotated[datetime | time, BeforeValidator(_time_of)]
    """ISO 8601, with its date where it has one: `'14:50'`, `2025-10-21T14:50`."""
    order: DateOrder | None = None
    """Order of month and day in dates such as 05/06/2025; without it, the answer must show which it is."""

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts; see `AnyCheck`."""
        from worktrial.grading.written.times import times

        text = self.text(facts)
        stated = times(text, self.order)
        at = self.value if isinstance(self.value, time) else self.value.time()
        day = self.value.date() if isinstance(self.value, datetime) else None
        right = [one.time == at and (day is None or one.date is None or _is_day(one.date, day)) for one in stated]
        asked = at.isoformat("auto" if at.second else "minutes")
        said = [f"{one.time:%H:%M}" + (f" of {_said(one.date)}" if day and one.date else "") for one in stated]
        spans = [(one.start, one.end) for one in stated]
        return _stated("time", f"{day} {asked}" if day else asked, text, spans, right, said)


class AnswerDate(AnswerClaim):
    """The answer states this date, with the right year or none."""

    check: Literal["answer_date"]
    value: Annotated[date, BeforeValidator(_date_of)]
    order: DateOrder | None = None
    """Order of month and day in dates such as 05/06/2025; without it, the answer must show which it is."""

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts; see `AnyCheck`."""
        from worktrial.grading.written.dates import dates

        text = self.text(facts)
        stated = dates(text, self.order)
        right = [_is_day(one, self.value) for one in stated]
        spans = [(one.start, one.end) for one in stated]
        result = _stated("date", str(self.value), text, spans, right, [_said(one) for one in stated])
        if not any(right) and any(reading.is_on(self.value) for one in stated for reading in one.readings):
            return CheckResult(result.check, None, result.why)
        return result


class AnswerNumber(AnswerClaim):
    """The answer states this number, however it is written."""

    check: Literal["answer_number"]
    value: float
    tolerance: Tolerance = HALF_A_CENT

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts; see `AnyCheck`."""
        from worktrial.grading.written.amounts import stated_numbers

        text = self.text(facts)
        return _number(f"{self.value} ± {self.tolerance}", text, stated_numbers(text), self.value, self.tolerance)


class AnswerMoney(AnswerClaim):
    """The answer states this amount of money; a percentage, or an amount in another currency, is another thing."""

    check: Literal["answer_money"]
    value: float
    currency: Annotated[str | None, AfterValidator(_currency_of)] = None
    """Code (ISO 4217) of the currency; an amount without one may be in any."""
    tolerance: Tolerance = HALF_A_CENT

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts; see `AnyCheck`."""
        from worktrial.grading.written.amounts import stated_amounts

        text = self.text(facts)
        asked = f"{self.value} {self.currency or ''}".strip() + f" ± {self.tolerance}"
        return _number(asked, text, stated_amounts(text, self.currency), self.value, self.tolerance)


class AnswerId(AnswerClaim):
    """The answer names this id. Case, and hyphens and spaces within it, do not matter; another id is not this one.

    `R-905` is also written `R 905`, `r905`; it is not in `R-9051`, `PR-905` or `R-905-B`.
    """

    check: Literal["answer_id"]
    value: Annotated[str, AfterValidator(_id_of)]
    names: tuple[str, ...] = ()
    """Other words for the same thing, such as `section B`."""

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts; see `AnyCheck`."""
        from worktrial.grading.written.claims import denied_name

        text = self.text(facts)
        exactly, alike = _id_patterns(self.value)
        own = {match.span() for pattern in exactly for match in pattern.finditer(text)}
        own |= {span for name in self.names for span in _mentions(name, text)}
        spans = sorted(own | {match.span() for match in alike.finditer(text)})
        said = [text[start:end] for start, end in spans]
        return _stated("id", self.value, text, spans, [span in own for span in spans], said, denied=denied_name)


class AnswerChoice(AnswerClaim):
    """The answer asserts one of several options, and none of the others.

    What is denied is not asserted: `did not pass` is no `pass`, and `통과하지 못했다` no `통과`.
    """

    check: Literal["answer_choice"]
    value: str
    """The right option: a key of `options`."""
    options: Annotated[dict[str, Phrases], Field(min_length=1)]
    """Words or phrases for each option, in the languages that answers may have."""

    @model_validator(mode="after")
    def _known(self) -> "AnswerChoice":
        if self.value not in self.options:
            raise ValueError(f"value: {self.value!r} is none of the options {', '.join(self.options)}")
        return self

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts; see `AnyCheck`."""
        text = self.text(facts)
        said = {name: _asserted(phrases, text) for name, phrases in self.options.items()}
        asserted = [name for name, is_said in said.items() if is_said]
        open = [name for name, is_said in said.items() if is_said is None]
        why = f"it asserts {' and '.join(asserted)}" if asserted else "it asserts none"
        asked = f"the answer asserts {self.value} of {', '.join(self.options)}"
        # What is asserted beside the right one decides, whatever the rest means.
        if open and said[self.value] is not False and asserted in ([], [self.value]):
            return CheckResult(asked, None, f"{why}; its words do not tell whether it asserts {' and '.join(open)}")
        return CheckResult(asked, asserted == [self.value], why)


class AnswerMentions(AnswerClaim):
    """The answer contains one of these words or phrases (whole words; case and spacing do not matter)."""

    check: Literal["answer_mentions"]
    any_of: Phrases

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts; see `AnyCheck`."""
        text = self.text(facts)
        hits = [phrase for phrase in self.any_of if _mentions(phrase, text)]
        asked = f"the answer mentions {' or '.join(map(repr, self.any_of))}"
        return CheckResult(asked, bool(hits), f"it mentions {hits[0]!r}" if hits else "it mentions none")


class AnswerLacks(Claim):
    """The answer contains none of these words or phrases, or only where it denies them or leaves them open."""

    check: Literal["answer_lacks"]
    any_of: Phrases

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts; see `AnyCheck`."""
        text = plain(facts.trajectory.answer)
        hits = [phrase for phrase in self.any_of if maintains(phrase, text)]
        asked = f"the answer does not mention {' or '.join(map(repr, self.any_of))}"
        return CheckResult(asked, not hits, f"it mentions {hits[0]!r}" if hits else "it mentions none")


def excess(checks: Sequence[object], trajectory: Trajectory, answer: str) -> str:
    """Fault of an answer that pastes, or has far more in it than its checks ask for; "" where it has none.

    Args:
        checks: All checks of the task.
        trajectory: The work, for what tools returned.
        answer: The answer.
    """
    from worktrial.grading.written.amounts import stated_numbers
    from worktrial.grading.written.dates import dates
    from worktrial.grading.written.times import times

    if len(answer) > MOST_CHARACTERS and any(isinstance(check, AnswerClaim) for check in checks):
        return f"it has {len(answer):,} characters; at most {MOST_CHARACTERS:,} may be"
    if any(isinstance(check, AnswerClaim) for check in checks) and (tool := _pasted(answer, trajectory)):
        return f"it pastes what {tool} returned: say what is asked for in your own words"
    asked = Counter(_KINDS[type(check)] for check in checks if type(check) in _KINDS)
    text = _GROUPS.sub("", plain(answer)) if asked else ""
    alike = {_id_patterns(check.value)[1] for check in checks if isinstance(check, AnswerId)}
    stated: dict[str, set[object]] = {
        "id": {found[0].casefold() for one in alike for found in one.finditer(text)},
        "number": {one.values[0] for one in stated_numbers(text)},
        "date": {one.readings for one in dates(text)},
        "time": {one.time for one in times(text)},
        "pasted": {*_PASTED.findall(text)},
    }
    most = MOST_VALUES * asked.total()
    of_kinds, every = sum(len(stated[kind]) for kind in asked), sum(map(len, stated.values()))
    if asked and (of_kinds > most or every > most + MOST_ASIDE):
        return f"it states {every} values, where {asked.total()} are asked for and at most {most} may be"
    return ""


_FIELDS = 4
"""Fields of a tool's answer from which on it is a paste to give all of them under their names."""


def _pasted(answer: str, trajectory: Trajectory) -> str:
    """Name of the tool whose answer is given whole, under its names or one value after the other; "" for none.

    Of a smaller answer only its JSON is known from a sentence.
    """
    said = f" {_bare(answer)} "
    least = 2 if "{" in answer else _FIELDS
    for call in trajectory.calls:
        told = [(at.split("/"), v) for at, v in leaves(call.observation.content) if v is not None and _bare(str(v))]
        fields = (f"{value}" if at[-1].isdigit() else f"{at[-1]} {value}" for at, value in told)
        in_order = _bare(" ".join(str(value) for _, value in told))
        if len(told) >= least and (f" {in_order} " in said or all(f" {_bare(field)} " in said for field in fields)):
            return call.tool
    return ""


def _bare(text: str) -> str:
    """The words and numbers of a text, without all that stands between them."""
    return " ".join(_WORDS.findall(text.casefold()))


Span = tuple[int, int]
_KINDS: dict[type, str] = {
    AnswerTime: "time",
    AnswerDate: "date",
    AnswerNumber: "number",
    AnswerMoney: "number",
    AnswerId: "id",
}
_GROUPS = re.compile(r"(?<=\d) (?=\d{3}\b)")
_WORDS = re.compile(r"[^\W_]+")
# Fields as tools return them, or a list of bare values.
_PASTED = re.compile(r'["\']\w+["\']:|(?:^|[,;\n])\s?[^\s,;|:]+(?=[,;\n]|$)')
_HEDGE = re.compile(r"[^\d.!?\n]{0,40}")
_EMPHASIS = re.compile(r"\*\*|`|(?<![\w*])[*_]{1,2}(?=\w)|(?<=\w)[*_]{1,2}(?![\w*])")


@lru_cache(maxsize=64)  # a task's checks all read one answer
def plain(answer: str) -> str:
    """`answer` in one spelling, without markdown's emphasis."""
    return _EMPHASIS.sub("", one_spelling(answer[:LONGEST_ANSWER]))


def _stated(
    kind: str,
    asked: str,
    text: str,
    spans: Sequence[Span],
    right: Sequence[bool],
    said: Sequence[str],
    *,
    denied: Callable[[str, int, int], bool] | None = None,
) -> CheckResult:
    """The result of looking for a value among those that `text` states."""
    from worktrial.grading.written.claims import alternatives, denied_value

    denied = denied or denied_value
    wanted = [i for i, is_right in enumerate(right) if is_right]
    why = f"it states {', '.join(dict.fromkeys(said))}" if said else f"it states no {kind}"
    passed = False
    for i in wanted:
        beside = [j for j in (i - 1, i + 1) if 0 <= j < len(spans) and not right[j]]
        if denied(text, *spans[i]):
            why = f"it denies it: {_around(text, *spans[i])}"
        elif any(alternatives(text, spans[min(i, j)][1], spans[max(i, j)][0]) for j in beside):
            why = f"it leaves it open: {_around(text, *spans[i])}"
        else:
            passed, why = True, f"it states {said[i]}"
            break
    return CheckResult(f"the answer states the {kind} {asked}", passed, why)


def _around(text: str, start: int, end: int) -> str:
    return repr(" ".join(text[max(0, start - 20) : end + 20].split()))


def _number(asked: str, text: str, stated: "Sequence[StatedNumber]", value: float, tolerance: float) -> CheckResult:
    def means(number: "StatedNumber", times: int = 1) -> bool:
        return any(near(float(one * times), value, tolerance) for one in number.values)

    # "8.41 % or 0.0841" is one number twice.
    stated = [number for number in stated if means(number) or not means(number, times=100)]
    said = [text[number.start : number.end] for number in stated]
    spans = [(number.start, number.end) for number in stated]
    return _stated("number", asked, text, spans, [means(number) for number in stated], said)


def _is_day(written: "WrittenDate", wanted: date) -> bool:
    return written.date is not None and written.date.is_on(wanted)


def _said(written: "WrittenDate") -> str:
    several = " or ".join(str(reading) for reading in written.readings)
    return several if written.date else f"a date that can be {several}"


_CHUNKS = re.compile(r"[A-Za-z]+|\d+|[^A-Za-z\d]+")
_COMPOUND = re.compile(r"[가-힣]{4,}")
_JOINTS = "-_ "


@lru_cache(maxsize=512)
def _id_patterns(value: str) -> tuple[tuple[re.Pattern[str], ...], re.Pattern[str]]:
    """Patterns of an id's own spellings, and of ids that look like it."""
    chunks = _CHUNKS.findall(value)
    prefix = re.escape(chunks[0])
    before = r"(?<![A-Za-z0-9_])(?<![A-Za-z]-)" + (r"[vV]?" if chunks[0].isdigit() and "." in value else "")
    after = rf"(?![A-Za-z0-9_]|\.\d)(?!-(?!{prefix}[-_ ]?\d)(?:[A-Z0-9]|[a-z]{{1,2}}(?![a-z])))"
    tight, loose, alike = "", "", ""
    last = ""
    for chunk in chunks:
        if not chunk.strip(_JOINTS):
            continue
        # Digits that follow digits, or letters letters, are held apart by something.
        often = "" if last.isdigit() == chunk.isdigit() else "?"
        joined = last.isalnum() and chunk.isalnum()
        tight += (f"[-_]{often}" if joined else "") + re.escape(chunk)
        loose += (f"[-_ ]{often}" if joined else "") + re.escape(chunk)
        alike += (f"[-_ ]{often}" if joined else "") + (r"\d+" if chunk.isdigit() else re.escape(chunk))
        last = chunk
    own = [re.compile(rf"{before}(?i:{tight}){after}")]
    if value[:2].rstrip(_JOINTS + "0123456789") not in ("A", "I", "a", "i"):  # "a 2 hour delay" is no A2
        own.append(re.compile(rf"{before}{loose}{after}"))
    return tuple(own), re.compile(rf"{before}(?i:{alike}){after}")


@lru_cache(maxsize=1024)
def mentions(phrase: str, text: str) -> bool:
    """Whether `text` has `phrase` as whole words, whatever the case and the white space."""
    return bool(_mentions(phrase, plain(text)))


@lru_cache(maxsize=1024)
def maintains(phrase: str, text: str) -> bool:
    """Whether `text` has `phrase` as whole words, and does not deny it or leave it open there."""
    from worktrial.grading.written.claims import denied_phrase

    read = plain(text)
    return any(not denied_phrase(read, *span) for span in _mentions(phrase, read))


def _mentions(phrase: str, text: str) -> tuple[Span, ...]:
    """Places of `phrase` in `text` as whole words, whatever the case and the white space."""
    # A Korean compound is one word or several: 안전소견, 안전 소견.
    words = [r"\s?".join(word) if _COMPOUND.fullmatch(word) else re.escape(word) for word in plain(phrase).split()]
    if not words:
        return ()
    # ASCII boundaries: "A2" is not in "A21", but a Korean particle may follow it directly.
    # Nor is "240" in "240.01".
    before, after = r"(?<![A-Za-z0-9_])(?<!\d[.,](?=\d))", r"(?![A-Za-z0-9_])(?!(?<=\d)[.,]\d)"
    pattern = re.compile(before + r"\s+".join(words) + after, re.IGNORECASE)
    return tuple(match.span() for match in pattern.finditer(text))


def _asserted(phrases: Sequence[str], text: str) -> bool | None:
    """Whether `text` asserts one of `phrases`; None where its words do not tell."""
    from worktrial.grading.written.claims import denied_word, doubtful_word

    everywhere = {span for phrase in phrases for span in _mentions(phrase, text)}
    denied = {span for span in everywhere if denied_word(text, *span)}
    # "done and not done" asserts neither.
    spans = [
        one
        for one in everywhere - denied
        if not any(_HEDGE.fullmatch(text, min(one[1], no[1]), max(one[0], no[0])) for no in denied)
    ]
    if all(doubtful_word(text, *span) for span in spans):
        return None if spans else False
    return True
