"""Small documents runs, written as the suite writes them."""

from pathlib import Path
from typing import Any

import msgspec

from worktrial.engine.manifest import Manifest
from worktrial.engine.record import SampleRecord
from worktrial.engine.stored import StoredRun, open_run
from worktrial.grading import Outcome


def store(
    folder: Path,
    passes: dict[str, Any],
    setup: str = "archive",
    measures: dict[str, dict[str, Any]] | None = None,
    data: str = "q",
    **settings: Any,
) -> StoredRun:
    """A run in `folder`.

    Args:
        folder: Is made.
        passes: Question to whether it passed, a list with one entry for each repeat, or None where it is invalid.
        setup: Of the run.
        measures: Question to what differs from measures that its outcome gives.
        data: Fingerprint of the questions.
        settings: What differs from one agent `a` under the published score.
    """
    records = [
        _record(question, repeat, outcome, setup, (measures or {}).get(question, {}))
        for question, told in passes.items()
        for repeat, outcome in enumerate(told if isinstance(told, list) else [told])
    ]
    settings = {"agent": "a", "setup": setup, "scorer": "published", "tolerance": 0.0, **settings}
    folder.mkdir(parents=True)
    manifest = Manifest(suite="documents", data={"fingerprint": data}, settings=settings, samples=len(records))
    (folder / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    (folder / "samples.jsonl").write_bytes(b"".join(msgspec.json.encode(r) + b"\n" for r in records))
    return open_run(folder)


def _record(question: str, repeat: int, passed: bool | None, setup: str, changed: dict[str, Any]) -> SampleRecord:
    if passed is None:
        return SampleRecord(
            suite="documents", sample=question, repeat=repeat, outcome=Outcome.INVALID, reason="task_data: none"
        )
    scores = dict.fromkeys(("0", "0.001", "0.01", "0.05"), float(passed))
    measures = {
        "setup": setup,
        "published": scores,
        "ours": scores,
        "published_why": "o",
        "ours_why": "s",
        "scorer": "published",
        "tolerance": 0.0,
        "scorer_version": "v",
        "data_revision": {"questions": "q"},
        "retrieval": {"gold_pages": [], "opened": [], "searches": 0},
        "diagnosis": None if passed else {"cause": "other", "why": "w", "ratio": 2.0},
        "failure": None if passed else {"kind": "unknown", "why": "no rule fits"},
        **changed,
    }
    outcome = Outcome.PASS if passed else Outcome.FAIL
    return SampleRecord(
        suite="documents", sample=question, repeat=repeat, outcome=outcome, reason="r", measures=measures
    )
