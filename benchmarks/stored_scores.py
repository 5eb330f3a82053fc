"""What scoring a stored run takes. A process of its own: `python -m benchmarks.stored_scores ORDER`.

The clock starts when the libraries are loaded and the data is read; the run itself is read within it.
"""

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import msgspec
from tests.support.stored_sums import score_stored

from worktrial.suites.orchestration.figures.published import stored_figures
from worktrial.suites.orchestration.options import SEARCH_NODES, Scoring
from worktrial.suites.orchestration.planning.release import load_release
from worktrial.suites.orchestration.planning.scenario import Language
from worktrial.suites.orchestration.scoring.stored import score_stored_run

LIBRARIES = ("jsonschema", "networkx", "numpy", "scipy.optimize", "yaml")


@dataclass(frozen=True, slots=True)
class Order:
    """What to score."""

    data: str
    """Folder of the OrchestrationBench release."""
    run: str
    language: str


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds of CPU."""

    both: float
    """Both modes, as `worktrial score orchestration` scores."""
    figures: float
    """Figures and intervals from the scores."""
    published: float
    """The published mode alone."""
    scenarios: int


def score(order: Order) -> Took:
    """Score the run in both modes, then again in the published one."""
    for library in LIBRARIES:
        __import__(library)
    language = Language(order.language)
    release = load_release(Path(order.data), [language])
    began = time.process_time()
    scores = score_stored_run(Path(order.run), release, language, SEARCH_NODES)
    scored = time.process_time()
    stored_figures(scores)
    summed = time.process_time()
    score_stored(Path(order.run), release.teams[language])
    return Took(scored - began, summed - scored, time.process_time() - summed, len(scores.sums[Scoring.PUBLISHED]))


if __name__ == "__main__":
    print(msgspec.json.encode(score(msgspec.json.decode(sys.argv[1], type=Order))).decode())
