"""A verdict from log-probabilities: P(yes) on each statement of the rubric.

A small model says yes to nearly every holistic question, yet its probabilities on single statements still
order good work above bad. So it is asked one token for each statement, and the numbers decide.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import exp

from msgspec.structs import replace

from worktrial.errors import InvalidReason, InvalidSample, SettingError, StopRun, option
from worktrial.grading.ballot import in_parallel
from worktrial.grading.evidence import JudgeCase
from worktrial.grading.prompt import statement_again, statement_messages
from worktrial.grading.verdict import Outcome, Verdict, Vote
from worktrial.language import Complete, Message
from worktrial.language.untrusted import encodable

LONGEST = 600
"""No statement has more characters than this."""
_WHOLE = 240  # an item up to this length stays one statement
_SHORT = 40  # a sentence shorter than this joins the one before it
_CONTEXT = 240  # most characters of the heading or lead-in that goes with a statement

_ITEM = re.compile(r"([ \t]*)(?:(\(?\d{1,2}[.)])|(\(?[a-z][.)])|[-*•–+]|#{1,6})[ \t]+(.*)", re.DOTALL)
_INLINE = re.compile(r"(?:(?<=\s)|(?<=:))\(?(\d{1,2})[.)]\s+(?=[^\s\d])")
_BOLD_TITLE = re.compile(r"\*\*(.+?)\*\*[ \t]*:?[ \t]*")
_PLAIN_TITLE = re.compile(r"([A-Z][^.:!?*`]{2,60}): (?=[A-Z])")
_SENTENCE_END = re.compile(r"[.!?。]['\")\]*]*\s+(?=\S)")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|cf|vs|approx|etc|no|nr|fig|sec|dr|mr|mrs|ms|st|[A-Za-z]))\.$", re.I)
_CONCRETE = re.compile(r"\d|_|`|\B['\"]\w")  # numbers, identifiers and quoted names
_EMPHASIS = re.compile(r"\*\*|__(?=\w)|(?<=\w)__")

_PARAGRAPH, _HEADING = (-1, 0), (-1, 1)


@dataclass(frozen=True, slots=True)
class _Block:
    """A list item, a heading or a paragraph."""

    depth: tuple[int, int]
    """Depth of nesting; children compare greater than their parents."""
    text: str


def statements(rubric: str) -> tuple[str, ...]:
    """The statements of `rubric` in reading order, without repetitions; () only when it is blank.

    Works on what rubrics look like, not on what they say: numbered and bulleted lists, also numbers within
    running text, and sentences. An item is one statement, a long one as many as it has sentences, each with
    the item's bold title. A lead-in that ends in a colon goes with each of the items below it, since it may
    turn their meaning round ("must not:"). The sentence that introduces the whole list is left out when it
    names nothing: no number, identifier or quotation.
    """
    blocks = list(_blocks(rubric))
    if len(blocks) > 1 and blocks[0].depth == _PARAGRAPH < blocks[1].depth:
        blocks[0] = _Block(_PARAGRAPH, _introduction(blocks[0].text))
    found: list[str] = []
    above: list[tuple[tuple[int, int], str]] = []
    for block, following in zip_longest(blocks, blocks[1:]):
        while above and above[-1][0] >= block.depth:
            above.pop()
        context = above[-1][1] if above else ""
        title, body = (block.text.rstrip(":."), "") if block.depth == _HEADING else _titled(block.text)
        sentences = _sentences(body)
        leads = following is not None and following.depth > block.depth
        if leads and (not sentences or sentences[-1].endswith(":")):
            lead_in = " ".join([f"{title}:" if title else "", *sentences[-1:]]).strip()
            above.append((block.depth, lead_in or context))
            sentences = sentences[:-1]
        found += [_fit(context, title, s) for s in _grouped(sentences)]
    pieces = [piece for statement in found for piece in _bounded(statement)]
    if not pieces and rubric.strip():
        pieces = list(_bounded(" ".join(rubric.split())))
    return tuple(dict.fromkeys(pieces))


def _introduction(text: str) -> str:
    """Statement that the paragraph before a list makes by itself."""
    *before, last = _sentences(text) or [""]
    announces = last.endswith(":") or not before
    if announces and not _CONCRETE.search(last):
        return " ".join(before)
    # As a statement of its own it must not be taken for the lead-in of every item.
    return " ".join([*before, last.removesuffix(":")])


def _blocks(rubric: str) -> Iterator[_Block]:
    depth, lines = _PARAGRAPH, list[str]()
    for line in _numbers_on_lines(rubric).split("\n"):
        item = _ITEM.match(line)
        starts = item is not None or (not line[:1].isspace() and depth != _PARAGRAPH)
        if (starts or not line.strip()) and lines:
            yield _Block(depth, " ".join(lines))
            lines = []
        if item is not None:
            # Bullets under a number are its children even where they are not indented.
            rank = 0 if item[2] else 1 if item[3] else 2
            heading = line.lstrip().startswith("#")
            depth = _HEADING if heading else (len(item[1].expandtabs(4)), rank)
        elif starts and line.strip():
            depth = _PARAGRAPH
        text = item[4].strip() if item is not None else line.strip()
        if text:
            lines.append(text)
    if lines:
        yield _Block(depth, " ".join(lines))


def _numbers_on_lines(rubric: str) -> str:
    """`rubric` with each number of an enumeration in running text at the beginning of a line."""
    lines = []
    for line in rubric.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        marks = [(int(m[1]), m.start()) for m in _INLINE.finditer(line)]
        cuts = [0]
        wanted = int(opening[1]) + 1 if (opening := re.match(r"\s*\(?(\d{1,2})[.)]\s", line)) else 1
        for at, (number, start) in enumerate(marks):
            goes_on = number > 1 or any(n == 2 for n, _ in marks[at + 1 :])
            if number == wanted and goes_on:
                cuts.append(start)
                wanted += 1
        lines += [line[a:b].rstrip() for a, b in zip(cuts, [*cuts[1:], len(line)], strict=True)]
    return "\n".join(lines)


def _titled(text: str) -> tuple[str, str]:
    """The title at the beginning of an item, and the rest: "**Fee.** It was paid" or "Fee check: It was paid"."""
    bold = _BOLD_TITLE.match(text)
    # A bold phrase is a title only when it stands apart; "**Fee** was paid" is a sentence.
    if bold and (bold.end() == len(text) or bold[0].rstrip("* \t").endswith((":", "."))):
        return bold[1].strip().rstrip(":.").strip(), text[bold.end() :].strip()
    plain = _PLAIN_TITLE.match(text)
    return (plain[1], text[plain.end() :]) if plain else ("", text)


def _sentences(text: str) -> list[str]:
    text = " ".join(_EMPHASIS.sub("", text).split())
    found, start = [], 0
    for end in _SENTENCE_END.finditer(text):
        if text[end.end()].islower() or _ABBREVIATION.search(text, start, end.start() + 1):
            continue
        found.append(text[start : end.end()].strip())
        start = end.end()
    return [*found, text[start:]] if text[start:] else found


def _grouped(sentences: list[str]) -> list[str]:
    whole = " ".join(sentences)
    if len(whole) <= _WHOLE:
        return [whole] if whole else []
    groups: list[str] = []
    for sentence in sentences:
        if groups and len(sentence) < _SHORT:
            groups[-1] += f" {sentence}"
        else:
            groups.append(sentence)
    return groups


def _fit(context: str, title: str, sentence: str) -> str:
    lead = " ".join(part for part in (context, f"{title}:" if title else "") if part)
    if len(lead) > _CONTEXT:
        lead = "… " + lead[-_CONTEXT:].partition(" ")[2]
    return f"{lead} {sentence}".strip()


def _bounded(statement: str) -> Iterator[str]:
    """`statement` in pieces of at most `LONGEST` characters, cut after a clause or at least between words."""
    while len(statement) > LONGEST:
        window = statement[:LONGEST]
        at = max(window.rfind("; ") + 1, window.rfind(", ") + 1)
        if at < LONGEST // 2:
            at = window.rfind(" ")
        if at <= 0:
            at = LONGEST
        yield statement[:at].strip()
        statement = statement[at:].strip()
    if statement:
        yield statement


MEAN_AT_LEAST = 0.5
"""A case passes when P(yes), averaged over its statements, is at least this …"""
EACH_AT_LEAST = 0.2
"""… and no statement is less likely than this: one clear failure is not made up for by many easy points."""

TOP_LOGPROBS = 20
_AROUND = " \t\r\n\"'`*.,:;!▁ĠĊ"  # blanks, marks, and how two common tokenizers spell a blank and a line break


async def assess(complete: Complete, case: JudgeCase, record: str, early_stop: bool, parallel: bool) -> Verdict:
    """The verdict by log-probabilities; one vote for each statement of the rubric, in reading order.

    Args:
        complete: The judge's model.
        case: What to judge.
        record: The record of the work, as `evidence` gives it.
        early_stop: Stop at the first statement that alone makes the case fail.
        parallel: Ask about all statements at once; `early_stop` is then without effect.

    Raises:
        SettingError: the endpoint gives no log-probabilities.
        StopRun: the endpoint says that no request of this run can succeed.
    """
    asked = statements(case.rubric)
    prompts = statement_messages(case, record, asked)

    async def ask(number: int) -> Vote:
        vote = await _ask(complete, prompts[number], asked[number])
        if vote.is_correct is not None or vote.reason is not None:
            return vote
        again = await _ask(complete, statement_again(prompts[number], asked[number]), asked[number])
        return replace(again, attempts=2, raw=vote.raw + again.raw)

    votes: list[Vote] = []
    if parallel:
        votes = await in_parallel(ask, len(asked))
    else:
        for number in range(len(asked)):
            votes.append(await ask(number))
            if early_stop and _refuted(votes[-1]):
                break
    return verdict_of_statements(votes)


def p_yes(first_token: Mapping[str, float]) -> float | None:
    """P(yes) / (P(yes) + P(no)) over all spellings among the likeliest first tokens; None when there is neither.

    Args:
        first_token: Natural log-probabilities by token.
    """
    mass = {"yes": 0.0, "no": 0.0}
    for token, logprob in first_token.items():
        word = token.strip(_AROUND).casefold()
        # Written so that NaN, which some servers send for impossible tokens, counts as impossible.
        if word in mass and logprob > -700:
            mass[word] += exp(min(logprob, 0.0))
    total = mass["yes"] + mass["no"]
    return mass["yes"] / total if total else None


async def _ask(complete: Complete, messages: list[Message], statement: str) -> Vote:
    try:
        reply = await complete(messages, top_logprobs=TOP_LOGPROBS, max_tokens=1)
    except StopRun:
        raise
    except InvalidSample as e:
        return Vote(None, statement, problem=e.detail, reason=e.reason)
    if not reply.first_token:
        raise SettingError(
            f"{option('judge_method')} logprob: the judge's endpoint gives no log-probabilities; use "
            f"{option('judge_method')} votes"
        )
    raw = (encodable(reply.reply.content),)
    probability = p_yes(reply.first_token)
    if probability is None:
        likeliest = encodable(max(reply.first_token, key=reply.first_token.__getitem__))
        problem = f"neither yes nor no is among the likeliest first tokens; the likeliest is {likeliest!r}"
        return Vote(None, statement, raw=raw, problem=problem)
    return Vote(probability >= MEAN_AT_LEAST, statement, raw=raw, probability=probability)


def _refuted(vote: Vote) -> bool:
    return vote.probability is not None and vote.probability < EACH_AT_LEAST


def verdict_of_statements(votes: Sequence[Vote]) -> Verdict:
    """Verdict by votes on statements.

    A refuted statement makes the case fail whatever the others say; otherwise all of them must be answered.
    """
    refuted = next((v for v in votes if _refuted(v)), None)
    if refuted is not None:
        detail = f"P(yes) is {refuted.probability:.2f} for: {refuted.feedback}"
        return Verdict(Outcome.FAIL, tuple(votes), detail=detail)
    missing = [v for v in votes if v.probability is None]
    if missing:
        blamed = next((v for v in missing if v.reason), missing[0])
        detail = f"{len(missing)} of {len(votes)} statements without an answer; {blamed.problem}"
        return Verdict(Outcome.INVALID, tuple(votes), blamed.reason or InvalidReason.NO_MAJORITY, detail)
    mean = sum(v.probability for v in votes if v.probability is not None) / len(votes)
    outcome = Outcome.PASS if mean >= MEAN_AT_LEAST else Outcome.FAIL
    return Verdict(outcome, tuple(votes), detail=f"mean P(yes) over {len(votes)} statements is {mean:.2f}")
