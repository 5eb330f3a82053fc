import asyncio
import math
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.grading.cases import case

from worktrial.errors import InvalidReason, InvalidSample, SettingError
from worktrial.grading import Outcome, RubricJudge, Verdict
from worktrial.grading.logprob import p_yes
from worktrial.language import Completion, Message

RUBRIC = "- Alpha is done.\n- Beta is done.\n- Gamma is done."
Said = float | Exception | Mapping[str, float] | None


class Judge:
    """P(yes) for each statement by the word that it contains."""

    def __init__(self, said: dict[str, Said]) -> None:
        self.said = said
        self.asked: list[str] = []

    async def __call__(self, messages: Sequence[Message], *, draw: int = 0, **options: Any) -> Completion:
        assert options == {"top_logprobs": 20, "max_tokens": 1}
        question = messages[-1]["content"].rpartition("## One criterion")[2]
        (word,) = [w for w in self.said if w in question]
        self.asked.append(word)
        said = self.said[word]
        if isinstance(said, Exception):
            raise said
        if isinstance(said, float):
            said = {" Yes": math.log(said), " No": math.log(1 - said)}
        return Completion({"role": "assistant", "content": "Yes"}, stop_reason="length", first_token=said)


def judged(said: dict[str, Said], **settings: Any) -> tuple[Verdict, Judge]:
    judge = Judge(said)
    return asyncio.run(RubricJudge(judge, method="logprob", **settings).judge(case(rubric=RUBRIC))), judge


def test_one_vote_for_each_statement() -> None:
    verdict, judge = judged({"Alpha": 0.9, "Beta": 0.4, "Gamma": 0.7})
    assert verdict.outcome is Outcome.PASS
    assert judge.asked == ["Alpha", "Beta", "Gamma"]
    assert [v.probability for v in verdict.votes] == pytest.approx([0.9, 0.4, 0.7])
    assert [v.is_correct for v in verdict.votes] == [True, False, True]
    assert [v.feedback for v in verdict.votes] == ["Alpha is done.", "Beta is done.", "Gamma is done."]
    assert verdict.detail == "mean P(yes) over 3 statements is 0.67"


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("early_stop", [False, True])
def test_rule(parallel: bool, early_stop: bool) -> None:
    def outcome(a: Said, b: Said, c: Said) -> tuple[Outcome, InvalidReason | None]:
        verdict, _ = judged({"Alpha": a, "Beta": b, "Gamma": c}, parallel=parallel, early_stop=early_stop)
        return verdict.outcome, verdict.reason

    down = InvalidSample(InvalidReason.ENDPOINT_UNAVAILABLE, "503")
    assert outcome(0.9, 0.21, 0.9) == (Outcome.PASS, None)
    assert outcome(0.99, 0.19, 0.99) == (Outcome.FAIL, None)  # one point clearly missed
    assert outcome(0.4, 0.45, 0.5) == (Outcome.FAIL, None)  # unlikely on the whole
    assert outcome(down, 0.9, 0.1) == (Outcome.FAIL, None)  # fails whatever the missing answer
    assert outcome(0.9, down, 0.9) == (Outcome.INVALID, InvalidReason.ENDPOINT_UNAVAILABLE)
    assert outcome({"Maybe": -0.1}, 0.9, 0.9) == (Outcome.INVALID, InvalidReason.NO_MAJORITY)


def test_stops_at_the_first_refuted_statement() -> None:
    verdict, judge = judged({"Alpha": 0.1, "Beta": 0.9, "Gamma": 0.9})
    assert judge.asked == ["Alpha"]
    assert verdict.detail == "P(yes) is 0.10 for: Alpha is done."


@pytest.mark.parametrize("none", [None, {}])
def test_endpoint_without_log_probabilities(none: Said) -> None:
    with pytest.raises(SettingError, match="use judge_method votes"):
        judged({"Alpha": none, "Beta": none, "Gamma": none})
    with pytest.raises(SettingError, match="use judge_method votes"):
        judged({"Alpha": none, "Beta": none, "Gamma": none}, parallel=True)


def test_spellings() -> None:
    tokens = {"Yes": 0.2, " yes": 0.1, "▁YES": 0.1, "No": 0.05, "ĠNo": 0.1, '"no': 0.05, "Not": 0.3, "": 0.1}
    assert p_yes({t: math.log(p) for t, p in tokens.items()}) == pytest.approx(0.4 / 0.6)
    assert p_yes({"Yes": -0.1}) == 1.0
    assert p_yes({"no": -0.1}) == 0.0
    assert p_yes({"Hm": -0.1}) is None
    assert p_yes({"Yes": -9999.0, "No": -math.inf, "no": math.nan}) is None
    assert p_yes({"Yes": -0.5, "No": -9999.0}) == 1.0


@given(st.dictionaries(st.sampled_from(["Yes", " yes", "No", "no.", "x"]), st.floats(max_value=0)))
def test_a_probability_or_nothing(first_token: dict[str, float]) -> None:
    p = p_yes(first_token)
    assert p is None or 0 <= p <= 1
