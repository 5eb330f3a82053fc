"""A small suite of somebody's own whose workplace is code, to be written to a folder and spoilt."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from tests.workplaces.executable.ledger import DRAW, STATE, TOOLS

SUITE = {"format": 1, "kind": "suite", "name": "ledger-trial", "title": "A ledger", "category": "Claims"}
WORKPLACE = {
    "name": "ledger",
    "system_prompt": "Errors: unknown_claim, too_much.",
    "state_description": {"clock": "The date.", "claims": "Claims by number."},
}
PAPER = "---\nsection: '1'\ntitle: Amounts\nissued: 2031-01-02\nkind: paper\n---\nA claim is worth its weight.\n"
TASKS = {
    "scenario": "A ledger of claims",
    "tasks": [
        {
            "id": "ledger-01",
            "difficulty": 1,
            "clauses": ["C-01"],
            "instruction": "Decide K-2 with 50 crowns, and say so.",
            "plan": {
                "steps": [
                    {"call": "read_section", "with": {"section": "1"}},
                    {"call": "get_claim", "with": {"claim_id": "K-2"}},
                    {"call": "decide", "with": {"claim_id": "K-2", "amount": 50}},
                ],
                "answer": "K-2 has 50.",
            },
            "checks": [
                {"check": "state_number", "at": "/claims/K-2/amount", "value": 50, "clauses": ["C-01"]},
                {"check": "only_changed", "at": ["/claims/K-2"]},
            ],
            "rubric": "`decide` gave K-2 50.",
        },
        {
            "id": "ledger-02",
            "difficulty": 2,
            "start": "busy",
            "state": [{"op": "add", "path": "/claims/K-8", "value": {"status": "OPEN"}}],
            "instruction": "Decide K-8 with 7 crowns, and say so.",
            "plan": {
                "steps": [{"call": "decide", "with": {"claim_id": "K-8", "amount": 7}}],
                "answer": "K-8 has 7.",
            },
            "checks": [
                {"check": "state_number", "at": "/claims/K-8/amount", "value": 7},
                {"check": "only_changed", "at": ["/claims/K-8"]},
            ],
            "rubric": "`decide` gave K-8 7.",
        },
    ],
}
BUSY = '{"clock": "2031-05-21", "claims": {"K-7": {"status": "OPEN", "amount": 1}}}'


def write_files(folder: Path, files: Mapping[str, Any]) -> None:
    """Write files by their paths, as YAML what is no text."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False), "utf-8")


def write_suite(folder: Path) -> Path:
    """Write the suite, whole and sound."""
    write_files(folder, {"suite.yaml": SUITE, "handbook/amounts.md": PAPER})
    parts = {"workplace.yaml": WORKPLACE, "initial_state.yaml": STATE, "tasks.yaml": TASKS}
    code = {"tools.py": TOOLS, "draw.py": DRAW, "states/busy.json": BUSY}
    write_files(folder / "workplaces" / "ledger", {**parts, **code})
    return folder


REPORT = {"outcomes": {"PAID": "decided and paid", "REFUSED": "decided, nothing is paid", "OPEN": "not decided"}}


def write_reporting_suite(folder: Path) -> Path:
    """The same suite with a report form: plans hand a report in, and checks read it."""
    place = write_suite(folder) / "workplaces" / "ledger"
    tasks = yaml.safe_load(yaml.safe_dump(TASKS))
    for task, case, amount in zip(tasks["tasks"], ("K-2", "K-8"), (50, 7), strict=True):
        line = {"case": case, "outcome": "PAID", "amount": amount}
        task["plan"]["steps"].append({"call": "hand_in_report", "with": {"cases": [line]}})
        task["checks"] += [{"check": "report_line", **line}, {"check": "report_lines", "cases": [case]}]
    write_files(place, {"workplace.yaml": {**WORKPLACE, "report": REPORT}, "tasks.yaml": tasks})
    return folder
