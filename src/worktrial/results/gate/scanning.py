"""A gate for code hosts: SARIF, which code scanning reads, and annotations of a job on GitHub."""

import json
from collections.abc import Iterator
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any
from urllib.parse import quote

from worktrial.engine.manifest import MANIFEST
from worktrial.errors import flag
from worktrial.results.gate.judging import Gate
from worktrial.results.gate.limits import Criterion
from worktrial.version import __version__

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_NOT_COMPARABLE = "not_comparable"
_ABOUT = {
    "min_completion": "The completion rate reaches its limit.",
    "max_regression": "The completion rate has not dropped below the baseline's by more than the margin.",
    "min_robustness": "Enough of the completion rate is left under faults.",
    "max_cost_per_task": "A sample costs no more than its limit.",
    "max_seconds": "A sample takes no longer than its limit.",
    "max_invalid": "The share of samples without a verdict keeps to its limit.",
    _NOT_COMPARABLE: "Run and baseline differ in nothing but the agent.",
}


def sarif(gate: Gate) -> bytes:
    """Log in SARIF 2.1.0 (OASIS, 2020): a rule for each criterion, a result for each that failed.

    What passed is no result, because code hosts make an alert of each. A baseline that is not comparable is a
    warning. The place of a result is the run's manifest.
    """
    names = [criterion.name for criterion in gate.criteria] + ([_NOT_COMPARABLE] if gate.label else [])
    results = [
        _result(gate, criterion.name, place, "error", _said(criterion), _figures(criterion))
        for place, criterion in enumerate(gate.criteria)
        if not criterion.passed
    ]
    if gate.label:
        results.append(_result(gate, _NOT_COMPARABLE, len(names) - 1, "warning", gate.label, {}))
    run = {
        "tool": {
            "driver": {
                "name": "Worktrial",
                "version": __version__,
                "rules": [_rule(name) for name in names],
            }
        },
        "invocations": [{"executionSuccessful": True, "exitCode": 0 if gate.passed else 1}],
        "results": results,
        "properties": {
            "run": gate.run,
            "baseline": gate.baseline,
            "condition": gate.condition,
            "level": gate.level,
            "passed": gate.passed,
        },
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    # Escaped, so that text which is no Unicode stays valid.
    return json.dumps(log, indent=2, allow_nan=False).encode() + b"\n"


def _rule(name: str) -> dict[str, Any]:
    about = _ABOUT.get(name, f"The run keeps to {flag(name)}.")
    return {
        "id": f"worktrial/{name}",
        "name": "".join(word.capitalize() for word in name.split("_")),
        "shortDescription": {"text": about},
        "defaultConfiguration": {"level": "warning" if name == _NOT_COMPARABLE else "error"},
    }


def _result(gate: Gate, name: str, place: int, level: str, text: str, properties: dict[str, Any]) -> dict[str, Any]:
    # The same gate on the next release is the same alert.
    mark = sha256(f"{name}\0{gate.condition}".encode()).hexdigest()
    return {
        "ruleId": f"worktrial/{name}",
        "ruleIndex": place,
        "kind": "fail",
        "level": level,
        "message": {"text": text},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(Path(gate.run) / MANIFEST)},
                    "region": {"startLine": 1},
                }
            }
        ],
        "partialFingerprints": {"worktrialGate/v1": mark},
        "properties": properties,
    }


def _uri(path: Path) -> str:
    """Relative paths stay so: they are those of the repository that the job has checked out."""
    return path.as_uri() if path.is_absolute() else quote(path.as_posix(), errors="replace")


def _said(criterion: Criterion) -> str:
    return f"{flag(criterion.name)} {criterion.limit:g}: {criterion.reason}"


def _figures(criterion: Criterion) -> dict[str, Any]:
    # JSON has no infinity; an end without bound is null, as in the machine output.
    ends = None if criterion.interval is None else [end if isfinite(end) else None for end in criterion.interval]
    return {"limit": criterion.limit, "observed": criterion.observed, "interval": ends}


def github_annotations(gate: Gate) -> Iterator[str]:
    """Workflow commands, a line each: an error for each criterion that failed, a warning on what differs."""
    if gate.label:
        yield f"::warning title={_property('Worktrial gate: not comparable')}::{_data(gate.label)}"
    for criterion in gate.criteria:
        if not criterion.passed:
            title = f"Worktrial gate: {flag(criterion.name)} {criterion.limit:g}"
            yield f"::error title={_property(title)}::{_data(f'{criterion.reason} ({gate.run}, {gate.condition})')}"


def _data(text: str) -> str:
    """Text as a command may carry it (GitHub, *Workflow commands*; escapes as in actions/toolkit)."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
