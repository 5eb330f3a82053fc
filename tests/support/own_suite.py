"""A small suite of one's own: sound, so that a test only has to break what it is about."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import yaml

from worktrial.synthesis.artifacts import TaskDraft, WorkplaceDraft

Row = dict[str, Any]


def _tool(name: str, description: str, example: Any, *, writes: bool = False, **arguments: Row) -> Row:
    parameters = {
        "type": "object",
        "properties": arguments,
        "required": list(arguments),
        "additionalProperties": False,
    }
    shown = {"description": description, "parameters": parameters, "example_output": example}
    return {"name": name, **shown, "writes": writes}


def workplace() -> Row:
    """A harbour's desk, as the fields of its folder."""
    berth = {"type": "string", "description": "The berth's id, such as B-1."}
    vessel = {"type": "string", "description": "The vessel's id, such as V-7."}
    hours = {"type": "integer", "minimum": 1, "description": "How long it stays, in hours."}
    return {
        "name": "Harbour desk",
        "system_prompt": "You run the harbour desk.\nA berth takes a vessel that is no longer than the berth.\n"
        "An answer to an unknown id is an error.\n",
        "tools": [
            _tool(
                "list_berths",
                "All berths with length, price and whether they are free.",
                {"berths": [{"berth_id": "B-1", "length_m": 80, "free": True, "price_per_hour": 45.5}]},
            ),
            _tool(
                "get_vessel",
                "One vessel.",
                {"vessel_id": "V-7", "name": "Gannet", "length_m": 62},
                vessel_id=vessel,
            ),
            _tool(
                "book_berth",
                "Book a berth for a vessel from now on.",
                {"booking_id": "K-1", "berth_id": "B-1", "total": 182.0},
                writes=True,
                berth_id=berth,
                vessel_id=vessel,
                hours=hours,
            ),
        ],
        "initial_state": {
            "current_date": "2026-03-02",
            "berths": [
                {"berth_id": "B-1", "length_m": 80, "free": True, "price_per_hour": 45.5},
                {"berth_id": "B-2", "length_m": 55, "free": True, "price_per_hour": 30},
                {"berth_id": "B-3", "length_m": 120, "free": False, "price_per_hour": 71.25},
            ],
            "vessels": [
                {"vessel_id": "V-7", "name": "Gannet", "length_m": 62, "arrives": "2026-03-02"},
                {"vessel_id": "V-9", "name": "Plover", "length_m": 40, "arrives": "2026-03-05"},
            ],
            "bookings": [],
        },
        "state_description": {
            "current_date": "What day it is.",
            "berths": "Every berth; booking it makes it no longer free.",
            "vessels": "Vessels that are expected.",
            "bookings": "What has been booked.",
        },
    }


def task(task_id: str, home: str, **more: Any) -> Row:
    """A row of the task file."""
    return {
        "id": task_id,
        "category": "Harbour Trade",
        "domain": "Port",
        "scenario": "Berth planning",
        "difficulty": 2,
        "language": "en",
        "instruction": "Find the Gannet a berth for six hours from now and tell the master what it costs.",
        "rubric": "1. The Gannet (V-7) has a booking of berth B-1 for 6 hours.\n"
        "2. The answer says that this costs 6 * 45.50 = 273.00.\n3. No other berth was booked.",
        "plan": [
            {"tool": "list_berths", "arguments": {}, "why": "Which are free"},
            {"tool": "get_vessel", "arguments": {"vessel_id": "V-7"}, "why": ""},
            {"tool": "book_berth", "arguments": {"berth_id": "B-1", "vessel_id": "V-7", "hours": 6}, "why": ""},
        ],
        "workplace": home,
        **more,
    }


def slot() -> tuple[Row, Row]:
    """Workplace and task draft of one slot, as plain data for a test to break."""
    row = task("berths-2", "berths-2")
    kept = {name: row[name] for name in ("language", "instruction", "plan", "rubric")}
    return json.loads(json.dumps(workplace())), {
        "id": row["id"],
        "level": row["difficulty"],
        **kept,
    }


def drafts(home: Row, work: Row) -> tuple[WorkplaceDraft, TaskDraft]:
    """The two as an author writes them."""
    rest = {name: value for name, value in work.items() if name not in ("language", "instruction")}
    task = {**rest, "instructions": {work["language"]: work["instruction"]}}
    return msgspec.convert(home, WorkplaceDraft), msgspec.convert(task, TaskDraft)


@dataclass
class OwnSuite:
    """Two tasks in two workplaces. Change what a test is about, then `write` it."""

    suite: Row = field(
        default_factory=lambda: {
            "format": 1,
            "kind": "suite",
            "name": "harbour-trial",
            "role": "harbour clerk",
            "industry": "Harbour Trade",
            "domain": "Port",
            "tasks": "tasks.jsonl",
            "created_by": "worktrial 0",
            "counts": {"slots": 2},
        }
    )
    tasks: list[Row] = field(
        default_factory=lambda: [
            task("berths-2", "berths-2"),
            task(
                "berths-2-ko",
                "berths-2-ko",
                language="ko",
                instruction="Gannet호에 6시간 동안 정박지를 잡아 주세요.",
            ),
        ]
    )
    workplaces: dict[str, Row] = field(
        default_factory=lambda: {n: workplace() for n in ("berths-2", "berths-2-ko")}
    )

    def write(self, folder: Path) -> Path:
        """Write the suite into `folder`, with a `work/` beside it that is no part of it."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "suite.yaml").write_text(yaml.safe_dump(self.suite, sort_keys=False))
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in self.tasks)
        (folder / "tasks.jsonl").write_text("".join(lines))
        for name, home in self.workplaces.items():
            place = folder / "workplaces" / name
            place.mkdir(parents=True, exist_ok=True)
            (place / "workplace.yaml").write_text(yaml.safe_dump({"name": home["name"]}))
            (place / "system_prompt.md").write_text(home["system_prompt"])
            for part in ("tools", "initial_state", "state_description"):
                text = yaml.safe_dump(home[part], sort_keys=False, allow_unicode=True)
                (place / f"{part}.yaml").write_text(text)
        (folder / "work").mkdir(exist_ok=True)
        (folder / "work" / "spec.yaml").write_text("role: harbour clerk\n")
        return folder
