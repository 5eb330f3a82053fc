"""Sums in letters: a wrong one in place of the right one, or beside it, has to be noticed."""

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from worktrial.grading.state_checks import StateItems
from worktrial.grading.written.spelling import one_spelling
from worktrial.grading.written.sums import sums_in
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.synthesis.clauses import Clause
from worktrial.synthesis.gates.acts import Variant, filled_otherwise, names_act
from worktrial.synthesis.gates.catalogue import replaced
from worktrial.synthesis.gates.names import GateName
from worktrial.synthesis.gates.texts import OutcomeText, outcome_texts
from worktrial.synthesis.gates.work import CarriedOut

_NEAR = 2
"""Sums beside the right one that are told as paid in its place."""
_OFF = Decimal("1.01")
_NO_SUM = "155.55"
_FIGURE = re.compile(r"\d[\d,. ]*\d|\d")


def second_sums(
    task: ExecutableTask, work: CarriedOut, others: Iterable[OutcomeText], clauses: Sequence[Clause]
) -> Iterator[Variant]:
    """The plan with a text that tells a wrong sum as paid, or states one beside the right one or where none is due.

    A text without sums is one where some are expected if another of its kind states one.
    """
    if not task.clauses:
        return
    others = list(others)
    calls = list(work.calls)
    for place, own in outcome_texts(task.home.artifact, [calls[index] for index in work.writes]):
        index = work.writes[place]
        parts = [part for part in own.path if isinstance(part, str)]
        if not any(names_act(clause.quote, calls[index], parts) for clause in clauses):
            continue
        text = one_spelling(own.text)
        stated = sums_in(text)
        for other_text, how in _told(task, text):
            yield _of_text(task, work, own, index, other_text, how)
        if not stated and not any(_is_alike(own, other) and sums_in(one_spelling(other.text)) for other in others):
            continue
        for other_text, how in _with_other_sums(text):
            yield _of_text(task, work, own, index, other_text, how)


def _of_text(task: ExecutableTask, work: CarriedOut, own: OutcomeText, index: int, text: str, how: str) -> Variant:
    """The plan with another text in one of its steps."""
    given = replaced(work.calls[index][1], own.path, text)
    return filled_otherwise(GateName.SUMS, task, work, index, own.path, given, how, closed=True)


def _told(task: ExecutableTask, text: str) -> Iterator[tuple[str, str]]:
    """The text told otherwise by sums that checks of texts let stand beside the right one."""
    checks = [one for one in task.checks if isinstance(one, StateItems)]
    beside = {value for check in checks for value in check.beside if value}
    paying = list(dict.fromkeys(word for check in checks for word in check.paying))
    is_due = any(not check.pending and any(sum(check.stating.values(), ())) for check in checks)
    return _mistold(text, sorted(beside), paying, is_due=is_due)


def _mistold(
    text: str, beside: Sequence[float], paying: Sequence[str], *, is_due: bool
) -> Iterator[tuple[str, str]]:
    """The text with another sum told as paid, with payment denied, or promised where none is due."""
    stated = [one for one in sums_in(text) if one[2]]
    for start, end, value in stated[:1] if is_due else ():
        written = text[start:end]
        others = [one for one in beside if abs(one - float(value)) >= 1]
        ends = _line_of(text, start)[1]
        near = sorted(others, key=lambda one: abs(one - float(value)))[:_NEAR]
        for other in near:
            instead = _FIGURE.sub(f"{other:.2f}", written, count=1)
            told = f"{text[:start]}{instead}{text[end:ends]} The file says {written}.{text[ends:]}"
            yield told, f"says {instead!r} is paid, and names {written!r}, which is"
        if others and (denied := _denied(text, paying, start)) is not None:
            yield denied, f"says that {written!r} is not paid"
    if not is_due and (word := next((one for one in paying if one.isascii()), None)):
        yield f"{text} We will {word} you soon.", f"promises to {word}, where nothing is due"


def _denied(text: str, paying: Sequence[str], at: int) -> str | None:
    """The text with `not` before the word of paying that is nearest to the sum at `at`, those before it first.

    None where its line has none that English denies so.
    """
    words = "|".join(re.escape(word) for word in paying if word.isascii())
    begins, ends = _line_of(text, at)
    found = [*re.finditer(rf"(?<![A-Za-z])(?:{words})(?![A-Za-z])", text[begins:ends], re.I)] if words else []
    if not found:
        return None
    nearest = (
        begins + max(found, key=lambda one: (begins + one.start() < at, -abs(begins + one.start() - at))).start()
    )
    return f"{text[:nearest]}not {text[nearest:]}"


def _line_of(text: str, at: int) -> tuple[int, int]:
    """Places at which the line that `at` stands in begins and ends."""
    return text.rfind("\n", 0, at) + 1, at + len(text[at:].partition("\n")[0])


def _is_alike(own: OutcomeText, other: OutcomeText) -> bool:
    """Whether two texts are of one kind: the same place, and the same choices beside it."""
    if (own.tool, own.path) != (other.tool, other.path):
        return False
    mine = {place: values for place, values in own.choices.items() if place[0] == own.tool}
    return all(other.choices.get(place) == values for place, values in mine.items())


def _with_other_sums(text: str) -> Iterator[tuple[str, str]]:
    """The text with each sum replaced and with another beside it, with what is told of it."""
    stated = sums_in(text)
    for start, end, value in stated:
        if not value:
            continue
        written = text[start:end]
        other = _other(written)
        yield text[:start] + other + text[end:], f"says {other!r} for {written!r}"
        yield _beside(text, start, end, other), f"says {other!r} beside {written!r}"
    if not any(value for _, _, value in stated):
        yield f"{text} {_NO_SUM}.", f"says {_NO_SUM!r} as well, where no sum is due"


def _other(written: str) -> str:
    """Another sum in the same spelling."""

    def off(found: re.Match[str]) -> str:
        figure = found[0].replace(",", "").replace(" ", "")
        places = max(2, len(figure.partition(".")[2])) if "." in figure else 0
        return f"{Decimal(figure) + (_OFF if places else 11):.{places}f}"

    return _FIGURE.sub(off, written, count=1)


def _beside(text: str, start: int, end: int, other: str) -> str:
    """The text with its sentence about a sum said again, with another sum, right after it."""
    begins = max(
        (text.rfind(mark, 0, start) + len(mark) for mark in (". ", "\n", ": ") if mark in text[:start]), default=0
    )
    ends = min((at for mark in (". ", "\n") if (at := text.find(mark, end)) >= 0), default=len(text))
    ends += text[ends : ends + 1] == "."
    return f"{text[:ends]} {(text[begins:start] + other + text[end:ends]).strip()}{text[ends:]}"
