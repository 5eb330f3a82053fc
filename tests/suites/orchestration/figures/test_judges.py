from typing import Any

import pytest
from tests.results.runs import record

from worktrial.engine.record import SampleRecord
from worktrial.statistics import agreement, pairwise_cohen
from worktrial.suites.orchestration.figures.turns import judge_agreement


def _value(key: str, *votes: bool | None, context: str = "") -> dict[str, Any]:
    real = [vote for vote in votes if vote is not None]
    return {
        "tool": "send",
        "key": key,
        "gold": ['"a"'],
        "predicted": ['"b"'],
        "context": context,
        "share": sum(real) / len(real),
        "votes": [
            {"judge": f"judge-{n}" if n > 1 else "judge", "same_meaning": vote} for n, vote in enumerate(votes, 1)
        ],
    }


def _record(sample: str, *values: dict[str, Any], language: str = "EN") -> SampleRecord:
    judging = {"asked": len(values), "trouble": None, "values": list(values)}
    return record(sample, measures={"language": language, "judging": judging})


BALLOTS = [(True, True, True), (True, False, True), (False, False, True), (False, False, False), (True, None, True)]


def test_both_kappas_are_those_of_the_votes() -> None:
    (found,) = judge_agreement([_record(str(n), _value(str(n), *votes)) for n, votes in enumerate(BALLOTS)])
    assert (found.language, found.values, found.without_vote) == ("EN", 5, 1)
    assert found.judges == ("judge", "judge-2", "judge-3")
    assert found.fleiss == agreement(BALLOTS)
    assert found.cohen == pairwise_cohen(BALLOTS)
    assert [(a, b) for a, b, _ in found.pairs] == [
        ("judge", "judge-2"),
        ("judge", "judge-3"),
        ("judge-2", "judge-3"),
    ]
    assert found.same == pytest.approx((1 + 2 / 3 + 1 / 3 + 0 + 1) / 5)


def test_a_question_counts_once_however_often_it_comes_up() -> None:
    yes, no = _value("text", True, True), _value("text", False, True, context="elsewhere")
    (found,) = judge_agreement([_record("1", yes, no), _record("2", yes)])
    assert found.values == 2
    assert found.fleiss.pairwise == 0.5


def test_languages_are_told_apart_and_one_judge_has_no_kappa() -> None:
    found = judge_agreement([_record("1", _value("a", True)), _record("2", _value("a", False), language="KO")])
    assert [(one.language, one.values, one.same) for one in found] == [("EN", 1, 1), ("KO", 1, 0)]
    assert all((one.fleiss.kappa, one.cohen.mean, one.pairs) == (None, None, []) for one in found)


def test_runs_without_judges_have_none() -> None:
    assert judge_agreement([]) == []
    assert judge_agreement([record("1", measures={"language": "EN"}), _record("2")]) == []
