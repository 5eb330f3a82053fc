"""The published OfficeQA score, row for row, in polynomial time.

The rules, as the published scorer applies them:

1. The answer is what the last `<FINAL_ANSWER>` pair holds, otherwise the whole text.
2. It must be a direct answer: one line of text, at most 250 characters; as many numbers as the gold answer once
   probable years are left out (or splittable into a list of that length), and no markup. Where the gold answer has
   no number, the answer has none and is the same text, apart from case, quotes around it and parentheses.
3. Numbers are compared as they are written. A scale word (million …) must not contradict the gold one, but never
   scales. The tolerance is relative to the gold number.
4. A bracketed gold list is compared in order; other gold answers with several numbers need each of them somewhere.
   Outside bracketed lists, the remaining words of the one text must contain those of the other.
"""

import re
from collections.abc import Sequence

from worktrial.suites.documents.answers.graded import AnswerScore
from worktrial.suites.documents.answers.published_reading import (
    AnswerSegments,
    ReadFigure,
    bare_text,
    figures,
    gold_list,
    residue,
    without_years,
    words_agree,
)

_TAG = re.compile(r"<(?P<close>/?)FINAL_ANSWER>", re.IGNORECASE)
_MARKUP = re.compile(r"<[^>]*>")
LONGEST_ANSWER = 250
_GIVEN_UP = "unable to determine"


def published_score(ground_truth: str, predicted: str, tolerance: float = 0.0) -> AnswerScore:
    """Score an answer as the published OfficeQA scorer does.

    Args:
        ground_truth: The gold answer.
        predicted: The whole text of the answer.
        tolerance: Allowed relative error, 0 to 1. Outside of that nothing is right, as published.
    """
    if not ground_truth:
        return AnswerScore.wrong("there is no gold answer")
    if not 0 <= tolerance <= 1:
        return AnswerScore.wrong(f"a tolerance of {tolerance} is not between 0 and 1")
    answer = final_answer(predicted).strip()
    if not answer:
        return AnswerScore.wrong("the answer is empty")
    if len([line for line in answer.splitlines() if line.strip()]) > 1:
        return AnswerScore.wrong("not a direct answer: more than one line")
    if len(answer) > LONGEST_ANSWER:
        return AnswerScore.wrong(f"not a direct answer: more than {LONGEST_ANSWER} characters")
    if _GIVEN_UP in answer.lower():
        return AnswerScore.wrong(f'the answer says "{_GIVEN_UP}"')
    gold, found = figures(ground_truth), figures(answer)
    if not gold:
        return _text(ground_truth, answer, found)
    return _numbers(ground_truth, answer, gold, found, tolerance)


def final_answer(text: str) -> str:
    """Text within the last `<FINAL_ANSWER>` pair in `text`, otherwise all of it."""
    answer, opened = text, None
    for tag in _TAG.finditer(text):
        if not tag["close"]:
            # Of two opening tags before one closing tag the first counts.
            opened = tag.end() if opened is None else opened
        elif opened is not None:
            answer, opened = text[opened : tag.start()], None
    return answer


def _text(gold_text: str, answer: str, found: Sequence[ReadFigure]) -> AnswerScore:
    if found:
        return AnswerScore.wrong("not a direct answer: it has a number, the gold answer has none")
    if bare_text(gold_text) != bare_text(answer):
        return AnswerScore.wrong("the text differs from the gold text")
    return AnswerScore.right("the same text")


def _numbers(
    gold_text: str, answer: str, gold: Sequence[ReadFigure], found: Sequence[ReadFigure], tolerance: float
) -> AnswerScore:
    kept = without_years(found, gold, gold_text)
    ordered = gold_list(gold_text, gold)
    segments = AnswerSegments(answer, len(gold)) if ordered else None
    if len(kept) != len(gold) and not (segments and segments.exist()):
        return AnswerScore.wrong(
            f"not a direct answer: {_count(kept)} besides probable years, {len(gold)} in the gold answer"
        )
    if _MARKUP.search(answer):
        return AnswerScore.wrong("not a direct answer: it has markup")
    if segments is not None:
        return _in_order(gold, kept, segments, tolerance)
    if len(gold) > 1:
        return _each(gold_text, answer, gold, kept, tolerance)
    return _one(gold_text, answer, gold[0], kept[0], tolerance)


def _in_order(
    gold: Sequence[ReadFigure], kept: Sequence[ReadFigure], segments: AnswerSegments, tolerance: float
) -> AnswerScore:
    if segments.fit(lambda item, value: _near_in_list(gold[item].value, value, tolerance)):
        return AnswerScore.right("the list, split at its commas, is the gold list")
    if len(gold) == len(kept) and all(
        _scales_agree(wanted, given) and _near_in_list(wanted.value, given.value, tolerance)
        for wanted, given in zip(gold, kept, strict=True)
    ):
        return AnswerScore.right("the numbers are those of the gold list, in order")
    return AnswerScore.wrong("no way to read the list gives the gold numbers in order")


def _each(
    gold_text: str, answer: str, gold: Sequence[ReadFigure], kept: Sequence[ReadFigure], tolerance: float
) -> AnswerScore:
    missing = [wanted.value for wanted in gold if not any(_match(wanted, given, tolerance) for given in kept)]
    if missing:
        return AnswerScore.wrong(f"not found: {', '.join(f'{value:g}' for value in missing[:5])}")
    return _if_words_agree(gold_text, answer, f"all {len(gold)} numbers are there")


def _one(gold_text: str, answer: str, gold: ReadFigure, given: ReadFigure, tolerance: float) -> AnswerScore:
    if not _scales_agree(gold, given):
        return AnswerScore.wrong(f"{given.scale} where the gold answer has {gold.scale}")
    if not _near(gold.value, given.value, tolerance):
        return AnswerScore.wrong(f"{given.value:.15g} is not {gold.value:.15g}")
    return _if_words_agree(gold_text, answer, _as_good(given.value, gold.value))


def _as_good(given: float, gold: float) -> str:
    return f"{gold:.15g} is there" if given == gold else f"{given:.15g} is within the tolerance of {gold:.15g}"


def _if_words_agree(gold_text: str, answer: str, why: str) -> AnswerScore:
    if words_agree(gold_text, answer):
        return AnswerScore.right(why)
    return AnswerScore.wrong(f'{why}, but the words "{residue(answer)}" are not "{residue(gold_text)}"')


def _match(gold: ReadFigure, given: ReadFigure, tolerance: float) -> bool:
    return _scales_agree(gold, given) and _near(gold.value, given.value, tolerance)


def _scales_agree(gold: ReadFigure, given: ReadFigure) -> bool:
    return gold.scale is None or given.scale is None or gold.scale == given.scale


def _near(gold: float, given: float, tolerance: float) -> bool:
    if gold == 0:
        return given == 0
    return abs(gold - given) / abs(gold) <= tolerance


def _near_in_list(gold: float, given: float, tolerance: float) -> bool:
    # Not `_near`: two numbers too large for a double differ by NaN, which the published list comparison lets pass.
    if gold == 0:
        return given == 0
    return not abs(gold - given) / abs(gold) > tolerance


def _count(found: Sequence[ReadFigure]) -> str:
    return "1 number" if len(found) == 1 else f"{len(found)} numbers"
