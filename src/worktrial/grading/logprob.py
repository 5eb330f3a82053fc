"""A verdict from log-probabilities: P(yes) on each statement of the rubric.

A small model says yes to nearly every holistic question, yet its probabilities on single statements still
order good work above bad. So it is asked one token for each statement, and the numbers decide.
"""

from collections.abc import Mapping, Sequence
from math import exp

from worktrial.errors import InvalidReason, InvalidSample, SettingError, StopRun
from worktrial.grading.case import JudgeCase
from worktrial.grading.characters import encodable
from worktrial.grading.parallel import in_parallel
from worktrial.grading.prompt import statement_messages
from worktrial.grading.statements import statements
from worktrial.grading.verdict import Outcome, Verdict, Vote
from worktrial.language import Complete, Message

MEAN_AT_LEAST = 0.5
"""A case passes when P(yes), averaged over its statements, is at least this …"""
EACH_AT_LEAST = 0.2
"""… and no statement is less likely than this: one clear failure is not made up for by many easy points."""

TOP_LOGPROBS = 20
_AROUND = " \t\r\n\"'`*.,:;!▁ĠĊ"  # blanks, marks, and how two common tokenizers spell a blank and a line break


async def assess(complete: Complete, case: JudgeCase, limit: int, early_stop: bool, parallel: bool) -> Verdict:
    """The verdict by log-probabilities; one vote for each statement of the rubric, in reading order.

    Args:
        complete: The judge's model.
        case: What to judge.
        limit: Most characters of the record in the prompt.
        early_stop: Stop at the first statement that alone makes the case fail.
        parallel: Ask about all statements at once; `early_stop` is then without effect.

    Raises:
        SettingError: the endpoint gives no log-probabilities.
        StopRun: the endpoint says that no request of this run can succeed.
    """
    asked = statements(case.rubric)
    prompts = statement_messages(case, limit, asked)

    async def ask(number: int) -> Vote:
        return await _ask(complete, prompts[number], asked[number])

    votes: list[Vote] = []
    if parallel:
        votes = await in_parallel(ask, len(asked))
    else:
        for number in range(len(asked)):
            votes.append(await ask(number))
            if early_stop and _refuted(votes[-1]):
                break
    return _verdict(votes)


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
            "--judge-method logprob: the judge's endpoint gives no log-probabilities; use --judge-method votes"
        )
    raw = (encodable(reply.text),)
    probability = p_yes(reply.first_token)
    if probability is None:
        likeliest = encodable(max(reply.first_token, key=reply.first_token.__getitem__))
        problem = f"neither yes nor no is among the likeliest first tokens; the likeliest is {likeliest!r}"
        return Vote(None, statement, raw=raw, problem=problem)
    return Vote(probability >= MEAN_AT_LEAST, statement, raw=raw, probability=probability)


def _refuted(vote: Vote) -> bool:
    return vote.probability is not None and vote.probability < EACH_AT_LEAST


def _verdict(votes: Sequence[Vote]) -> Verdict:
    """A refuted statement makes the case fail whatever the others say; otherwise all of them must be answered."""
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
