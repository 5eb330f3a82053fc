"""Gate of checks of the answer: another right wording of the plan's own answer passes as well."""

import re
from collections.abc import Callable, Iterator
from datetime import date, time

from worktrial.finding import Finding
from worktrial.grading.answer_checks import AnswerMentions
from worktrial.grading.written.dates import dates
from worktrial.grading.written.spelling import one_spelling
from worktrial.grading.written.times import times
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.synthesis.gates.facts import id_like, numbers_in
from worktrial.synthesis.gates.names import GateName, finding
from worktrial.synthesis.gates.work import CarriedOut, failed_check

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_ISO = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)(?!T?\d)")
_HOURS = re.compile(r"(?<![\d:T-])(\d\d):(\d\d)(?![:\d])")
_MANY = re.compile(r"(?<![\d.,\w-])(\d{1,3})(\d{3})(\.\d+)?(?![\d\w,-]|\.\d)")
_SINGLE = 3
"""Words from which on a phrase is one wording among many."""
_FIX = "Ask for the value with `answer_date`, `answer_money` or another typed check, or list more wordings"


def wording_findings(task: ExecutableTask, work: CarriedOut) -> list[Finding]:
    """Findings on a task whose checks refuse the plan's answer said otherwise, or accept one wording only."""
    for about, said in _said_otherwise(work.answer, korean=_is_korean(work.answer)):
        failed = failed_check(task, work.calls, work.outcomes, said, work.state)
        if failed is not None:
            what = f"the plan's answer with {about} fails the check that {failed.check}"
            return [finding(GateName.WORDING, task.id, "checks", what, _FIX)]
    return [
        finding(GateName.WORDING, task.id, f"checks[{index}]", narrow, _FIX)
        for index, check in enumerate(task.checks)
        if isinstance(check, AnswerMentions) and (narrow := _narrow(check)) is not None
    ]


def _narrow(check: AnswerMentions) -> str | None:
    """Reason why a check of words can hardly be met by another right answer; None where it can."""
    phrases = check.any_of
    for phrase in phrases:
        if reader := _typed(phrase):
            return f"asks for the words {phrase!r}, which is a {reader} and has many spellings"
    if len(phrases) == 1 and len(phrases[0].split()) >= _SINGLE:
        return f"accepts the words {phrases[0]!r} only"
    return None


def _typed(phrase: str) -> str | None:
    text = one_spelling(phrase)
    if id_like(text):
        return None  # written alike by everybody, but for case and hyphens, which the plan's answer is tried with
    for kind, read in (("date", dates), ("time", times)):
        if any(one.end - one.start >= len(text) - 1 for one in read(text)):
            return kind
    bare = re.sub(
        r"[\d.,\s$€£¥₩%()+-]|crowns?|euros?|dollars?|won|EUR|USD|원|유로|달러", "", text, flags=re.IGNORECASE
    )
    return "number" if not bare and numbers_in(text) else None


def _said_otherwise(answer: str, *, korean: bool) -> Iterator[tuple[str, str]]:
    """The answer in other wordings that say the same, each with what is other about it."""
    ways: list[tuple[str, re.Pattern[str], Callable[[re.Match[str]], str]]] = [
        ("dates written out", _ISO, lambda found: _day_in_words(found, korean=korean)),
        ("times of a twelve-hour clock", _HOURS, lambda found: _half_day(found, korean=korean)),
        ("digits in groups", _MANY, lambda found: f"{found[1]},{found[2]}{found[3] or ''}"),
    ]
    for about, pattern, other in ways:
        said = pattern.sub(other, answer)
        if said != answer:
            yield about, said
    yield (
        "every line in bold",
        "\n".join(f"**{line.strip()}**" if line.strip() else line for line in answer.splitlines()),
    )
    yield (
        "a word of courtesy",
        f"{answer}\n\n{'감사합니다.' if korean else 'Please let me know if anything else is needed.'}",
    )


def _day_in_words(found: re.Match[str], *, korean: bool) -> str:
    try:
        day = date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        return found[0]
    if korean:
        return f"{day.year}년 {day.month}월 {day.day}일"
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def _half_day(found: re.Match[str], *, korean: bool) -> str:
    try:
        at = time(int(found[1]), int(found[2]))
    except ValueError:
        return found[0]
    hour = at.hour % 12 or 12
    if korean:
        return f"{'오전' if at.hour < 12 else '오후'} {hour}시 {at.minute}분"
    return f"{hour}:{at.minute:02} {'a.m.' if at.hour < 12 else 'p.m.'}"


def _is_korean(text: str) -> bool:
    return any("가" <= letter <= "힣" for letter in text)
