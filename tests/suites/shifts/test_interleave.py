"""Many matters at once: the one that is due first, waits, and nothing forgotten."""

from datetime import datetime
from itertools import permutations
from random import Random

from worktrial.suites.shifts.cases import Move
from worktrial.suites.shifts.clerks import FirstWords, Until, interleave
from worktrial.suites.shifts.pace import Chore, lateness
from worktrial.workplaces.time import Timeline


def _matter(name, wait=None):
    seen = yield Move("look", {"at": name})
    assert seen["at"] == name
    if wait is not None:
        yield Until(wait)
    seen = yield Move("act", {"at": name})
    assert seen["at"] == name


def _carry_out(matters):
    time = Timeline(begins=datetime(2026, 1, 5, 8), ends=100)
    clock = Timeline(begins=time.begins, ends=100)
    work = interleave(matters, time)
    done = []
    try:
        move = next(work)
        while True:
            clock.minute = (
                clock.minute_of(move.arguments["time"]) if move.tool == "wait_until" else clock.minute + 2
            )
            done.append((clock.minute, move.tool, move.arguments.get("at")))
            move = work.send({**move.arguments, "time": clock.now})
    except StopIteration:
        return done


def test_what_is_due_first_is_done_first_and_waits_are_used():
    done = _carry_out([(0, 90, _matter("a", wait=30)), (0, 50, _matter("b")), (10, 20, _matter("c"))])
    assert [(tool, at) for _, tool, at in done] == [
        ("look", "b"),
        ("act", "b"),
        ("look", "a"),
        ("wait_until", None),
        ("look", "c"),
        ("act", "c"),
        ("wait_until", None),
        ("act", "a"),
    ]
    assert [minute for minute, tool, _ in done if tool == "wait_until"] == [10, 30]


def test_a_more_pressing_matter_comes_between_two_moves():
    done = _carry_out([(0, 90, _matter("a")), (1, 20, _matter("b"))])
    assert [at for _, _, at in done] == ["a", "b", "b", "a"]


def _relaxed(name, due):
    yield Move("act", {"at": name})
    yield Until(0, due)
    yield Move("answer", {"at": name})


def test_the_rest_of_a_matter_may_be_due_later():
    done = _carry_out([(0, 20, _relaxed("a", 90)), (0, 50, _matter("b"))])
    assert [(tool, at) for _, tool, at in done] == [("act", "a"), ("look", "b"), ("act", "b"), ("answer", "a")]


def _worst(order):
    now, worst = 0, -1000
    for chore in order:
        now += chore.minutes
        worst = max(worst, now - chore.due)
    return worst


def test_lateness_is_that_of_the_best_of_all_orders():
    random = Random(3)
    for _ in range(50):
        chores = [Chore(0, random.randint(1, 30), random.randint(1, 9)) for _ in range(5)]
        assert lateness(chores) == min(map(_worst, permutations(chores)))


def test_lateness_counts_what_comes_in_later_and_may_interrupt():
    assert lateness([Chore(0, 20, 10), Chore(5, 8, 3)]) == 0
    assert lateness([Chore(30, 40, 5)]) == -5


def test_what_is_ready_only_after_the_end_is_left():
    assert _carry_out([(200, 300, _matter("a"))]) == []


def _answered(words, minutes):
    yield from _busy(minutes)
    yield from words.before_answer("R-1", 0, 60)
    yield Move("act", {"at": "answer"})


def _busy(minutes):
    for _ in range(minutes // 2):
        yield Move("look", {"at": "record"})


def test_a_first_word_is_said_where_the_answer_takes_long_and_the_answer_keeps_away_from_it():
    def order(minutes, at_once=False):
        words = FirstWords(30)
        word = words.say("R-1", 0, Move("act", {"at": "word"}), at_once=at_once)
        return [
            (at, minute)
            for minute, tool, at in _carry_out([(0, 60, _answered(words, minutes)), word])
            if at and tool == "act"
        ]

    assert order(10) == [("answer", 12)]
    assert order(24) == [("word", 20), ("answer", 33)]
    assert order(10, at_once=True) == [("word", 2), ("answer", 33)]
