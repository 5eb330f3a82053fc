"""Scores of answers: equality with the recorded ones, speed, and the time that hostile answers take.

Exits with 1 when a recorded score differs or a hostile answer takes longer than the limit.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from time import process_time
from typing import Any, NamedTuple

from tests.support.data import missing_real_data, real_data_dir

from benchmarks.machine import load, machine
from worktrial.suites.documents.answers import AnswerPair
from worktrial.suites.documents.choices import AnswerMode
from worktrial.suites.documents.scoring import score_answer

LIMIT = 0.05
"""Seconds of CPU for the published score of one hostile answer."""
REPETITIONS = 3

HOSTILE = {
    "62 groups of digits as 30 numbers": ("[" + ", ".join(["0"] * 30) + "]", "[" + ",".join(["000"] * 62) + "]"),
    "159 characters, 39 groups as 20 numbers": (
        "[" + ", ".join(["100"] * 20) + "]",
        "[" + ",".join(["100"] * 39) + "]",
    ),
    "gold list of 2,000 numbers": ("[" + ", ".join(["123"] * 2000) + "]", "[" + ",".join(["123"] * 62) + "]"),
    "gold number of 2,500 groups": ("[" + ",".join(["000"] * 2500) + ", 0]", "[" + ",".join(["000"] * 62) + "]"),
    "10 kB of commas": ("[1, 2]", "," * 10_000),
    "10 kB of brackets": ("[1, 2]", "[" * 5000 + "]" * 5000),
    "10,000 digits": ("9" * 10_000, "9" * 10_000),
    "1,000 tags that open": ("5", "<FINAL_ANSWER>" * 1000 + " " * 10_000),
    "330 numbers joined by and": ("[1, 2]", " and ".join(["1"] * 330)),
    "200 labelled numbers": (
        "[" + ", ".join(f"S{i}, {i}" for i in range(200)) + "]",
        ", ".join(f"S{i}, {i}" for i in range(200)),
    ),
}


class Pair(NamedTuple):
    """A recorded score."""

    answer: AnswerPair
    tolerance: float
    score: float


def main() -> None:
    """Measure, print the tables, and exit with 1 when a limit is missed."""
    if problem := missing_real_data():
        sys.exit(problem)
    print(f"{machine()}; load {load():.1f} before\n")
    pairs = _pairs()
    differing = sum(score_answer(p.answer, AnswerMode.PUBLISHED, p.tolerance).score != p.score for p in pairs)
    print(f"{len(pairs)} recorded scores, published score: {differing} differ")
    for mode in AnswerMode:
        seconds = _least(partial(_all_scores, pairs, mode))
        print(f"{mode}: {1e6 * seconds / len(pairs):.0f} µs an answer")
    exact = [p.answer for p in pairs if p.tolerance == 0]
    told = Counter(tuple(score_answer(answer, mode).score for mode in AnswerMode) for answer in exact)
    print(
        f"tolerance 0, {len(exact)} answers: both right {told[1.0, 1.0]}, both wrong {told[0.0, 0.0]}, "
        f"only published {told[1.0, 0.0]}, only ours {told[0.0, 1.0]}\n"
    )
    print("| hostile answer | published, ms | ours, ms |\n|---|---|---|")
    late = [name for name, words in HOSTILE.items() if _hostile(name, words) > LIMIT]
    if differing or late:
        sys.exit(f"missed: {differing} scores differ; later than {LIMIT} s: {', '.join(late) or 'none'}")


def _all_scores(pairs: Sequence[Any], mode: AnswerMode) -> None:
    for p in pairs:
        score_answer(p.answer, mode, p.tolerance)


def _hostile(name: str, words: Sequence[str]) -> float:
    answer = AnswerPair(words[0], words[1])
    published, ours = (_least(partial(score_answer, answer, mode)) for mode in AnswerMode)
    print(f"| {name} | {1000 * published:.1f} | {1000 * ours:.1f} |")
    return published


def _least(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(REPETITIONS):
        began = process_time()
        work()
        taken.append(process_time() - began)
    return min(taken)


def _pairs() -> list[Pair]:
    text = (real_data_dir() / "oracles" / "answer_pairs.jsonl").read_text(encoding="utf-8")
    rows = (json.loads(line) for line in text.split("\n") if line)
    return [
        Pair(AnswerPair(row["ground_truth"] or "", row["predicted"] or ""), row["tolerance"], row["score"])
        for row in rows
    ]


if __name__ == "__main__":
    main()
