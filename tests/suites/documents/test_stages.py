"""What several runs say together: stages, easy and hard, known by heart."""

from pathlib import Path

import pytest
from tests.suites.documents.runs import store

from worktrial.errors import SettingError
from worktrial.suites.documents.stages import by_closed_book, by_two_agents, stages

ALL = [f"Q{n}" for n in range(10)]


def _first(count: int) -> dict[str, bool | None]:
    """The first `count` questions pass, the others fail."""
    return {question: n < count for n, question in enumerate(ALL)}


def test_where_answers_are_lost(tmp_path: Path) -> None:
    runs = [
        store(tmp_path / "archive", _first(4), "archive"),
        store(tmp_path / "closed", _first(1), "closed"),
        store(tmp_path / "pages", _first(9), "oracle-pages"),
        store(tmp_path / "docs", {**_first(7), "Q9": None}, "oracle-docs"),
    ]
    found = stages(runs)
    # Q9 has no verdict in one run, so it counts in none.
    assert found.questions == 9
    assert [(s.setup, s.passed.value) for s in found.stages] == [
        ("closed", 1 / 9),
        ("oracle-pages", 1.0),
        ("oracle-docs", 7 / 9),
        ("archive", 4 / 9),
    ]
    losses = {loss.by: loss for loss in found.losses}
    assert list(losses) == ["reading and computing", "finding the page", "finding the document"]
    assert losses["reading and computing"].value == 0
    page, document = losses["finding the page"], losses["finding the document"]
    assert page.value == pytest.approx(2 / 9) and document.value == pytest.approx(3 / 9)
    # Three questions of nine, all lost and none won: by McNemar's test p is .25, so the interval holds 0.
    assert document.interval is not None and document.interval.low < 0 < 3 / 9 < document.interval.high
    assert stages(runs[:3]).losses[-1].by == "finding document and page"


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"setup": "archive"}, "are both runs of set-up archive"),
        ({"setup": "closed", "data": "others"}, "fingerprint of the questions"),
        ({"setup": "closed", "agent": "b"}, "setting agent"),
        ({"setup": "closed", "tolerance": 0.01}, "setting tolerance"),
        ({"setup": "closed", "roles": {"agent": {"model": "m"}}}, "agent's model"),
    ],
)
def test_runs_that_do_not_fit_together(other: dict[str, object], words: str, tmp_path: Path) -> None:
    first = store(tmp_path / "a", _first(4))
    second = store(tmp_path / "b", _first(4), **other)  # type: ignore[arg-type]  # settings of several types
    with pytest.raises(SettingError, match=words):
        stages([first, second])


def test_stages_need_something_in_common(tmp_path: Path) -> None:
    first = store(tmp_path / "a", {"A": True})
    with pytest.raises(SettingError, match="at least two set-ups"):
        stages([first])
    with pytest.raises(SettingError, match="no question in common"):
        stages([first, store(tmp_path / "b", {"B": True}, "closed")])


def test_easy_is_what_both_reference_agents_solve(tmp_path: Path) -> None:
    one = store(tmp_path / "one", {"A": [True, True, False], "B": True, "C": True, "D": None})
    two = store(tmp_path / "two", {"A": True, "B": False, "C": True, "D": True}, agent="b")
    run = store(tmp_path / "run", {"A": True, "B": False, "C": False, "D": True}, agent="c")
    easy, hard = by_two_agents(run, one, two)
    assert (easy.questions, easy.passed.value) == (("A", "C"), 0.5)
    assert (hard.questions, hard.passed.value) == (("B",), 0.0)


def test_what_a_model_knows_by_heart(tmp_path: Path) -> None:
    closed = store(tmp_path / "closed", {"A": [False, True], "B": False, "C": None}, "closed")
    run = store(tmp_path / "run", {"A": True, "B": False, "C": True})
    unknown, known = by_closed_book(run, closed)
    assert (known.questions, known.passed.value) == (("A",), 1.0)
    assert (unknown.questions, unknown.passed.value) == (("B",), 0.0)
    with pytest.raises(SettingError, match="is a run of set-up archive, not closed"):
        by_closed_book(run, run)
    with pytest.raises(SettingError, match="not about the same questions"):
        by_closed_book(run, store(tmp_path / "x", {"A": True}, "closed", data="x"))
