"""The campaign counts what it says that it counts."""

import json
import random
from pathlib import Path

from benchmarks.reliability import Row, _counted, _troubled
from tests.support.behaviours import Status


def test_what_is_lost_twice_or_blamed_is_counted(tmp_path: Path) -> None:
    outcomes = [("0", "invalid"), ("0", "pass"), ("1", "pass"), ("1", "pass"), ("2", "fail"), ("3", "invalid")]
    lines = [json.dumps({"sample": sample, "outcome": outcome}) for sample, outcome in outcomes]
    (tmp_path / "samples.jsonl").write_text("\n".join(lines) + "\n")
    assert _counted("x", tmp_path, 5) == Row("x", 1, lost=2, twice=1, blamed=1)
    assert not any(Row("x", 1, *figures).is_good for figures in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0, 1)))
    assert Row("x", 1, 0, 0, 0).is_good


def test_a_run_amid_trouble_loses_nothing() -> None:
    assert _troubled("anthropic", 0.5, Status(500), 6, random.Random(1)).is_good
