"""A tiny release in OccuBench's format, all ours, so that most tests need no real data."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TASKS = "eval_benchmark_solvable.jsonl"
SCENARIOS = "task_scenario_all_pool.jsonl"
WORKPLACES = "world_model_configs"

Row = dict[str, Any]


def _tool(name: str, description: str, properties: Row, required: list[str], **more: Any) -> Row:
    parameters = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "description": description, "parameters": parameters, **more}


_TEXT = {"type": "string"}
_RULES = "You run the {} desk. Answer every call from {{{{initial_state}}}}. Fields: {{{{state_descriptions}}}}."


def _workplace(name: str, subject: str, tools: list[Row], state: Any) -> Row:
    return {
        "environment_name": name,
        "world_model_system_prompt": _RULES.format(subject),
        "action_set_definitions": tools,
        "state_description": {"today": "the date on the wall"},
        "task_initial_state": state,
    }


def _task(task_id: int, scenario: str, workplace: str, instruction: str, difficulty: int = 1) -> Row:
    return {
        "task_id": task_id,
        "difficulty_level": difficulty,
        "task_scenario_name": scenario,
        "agent_instruction": instruction,
        "env_name": workplace,
        "verification_plan": f"Look whether this was done: {instruction}",
    }


def _tide() -> Row:
    return _workplace(
        "env_tide",
        "harbour",
        [
            _tool("list_berths", "All berths.", {}, [], example_output={"berths": [{"berth": "B1", "free": True}]}),
            _tool(
                "book_berth",
                "Book a berth for a vessel.",
                {"berth": _TEXT, "vessel": _TEXT, "hours": {"type": "integer", "minimum": 1}},
                ["berth", "vessel", "hours"],
                example_output={"booked": True},
            ),
            _tool("log_entry", "Write to the log.", {"entry": {"type": "object"}}, ["entry"], example_output=None),
        ],
        {"today": "2026-03-02", "berths": {"B1": {"free": True}, "B2": {"free": False}}, "log": []},
    )


def _vault() -> Row:
    return _workplace(
        "env_vault",
        "lending",
        [
            _tool("find_items", "Search the depot.", {"word": _TEXT}, ["word"], example_output=[{"item": "M-1"}]),
            _tool("lend_item", "Lend an item.", {"item": _TEXT, "to": _TEXT}, ["item", "to"]),
        ],
        json.dumps({"today": "2026-04-11", "items": [{"item": "M-1", "lent_to": None}]}),
    )


def _ward() -> Row:
    return _workplace(
        "env_ward",
        "ward",
        [
            _tool("beds", "Occupied beds.", {}, [], example_output={"beds": [3]}),
            _tool("move_patient", "Move.", {"patient": _TEXT, "bed": {"type": "integer"}}, ["patient", "bed"]),
        ],
        {"today": "2026-05-20", "beds": {"3": "P-9"}},
    )


@dataclass
class TinyRelease:
    """Four tasks in three industries. Change what a test is about, then `write` it."""

    tasks: list[Row] = field(
        default_factory=lambda: [
            _task(11, "Berth planning", "env_tide", "Find the Gannet a berth for six hours."),
            _task(42, "Item lending", "env_vault", "Lend the brass sextant to the town museum.", 2),
            _task(7, "Bed planning", "env_ward", "Move the patient of bed 3 to a free bed.", 3),
            _task(108, "Berth planning", "env_tide", "Free a berth for the evening ferry.", 2),
        ]
    )
    scenarios: list[Row] = field(
        default_factory=lambda: [
            {"category": "Harbour Trade", "domain": "Port", "task_scenario_name": "Berth planning"},
            {"category": "Heritage", "domain": "Museum", "task_scenario_name": "Item lending"},
            {"category": "Health", "domain": "Hospital", "task_scenario_name": "Bed planning"},
        ]
    )
    workplaces: dict[str, Row] = field(
        default_factory=lambda: {w["environment_name"]: w for w in (_tide(), _vault(), _ward())}
    )

    def task(self, task_id: int) -> Row:
        """The row of one task."""
        return next(row for row in self.tasks if row["task_id"] == task_id)

    def write(self, folder: Path, *, one_file: bool = False) -> Path:
        """Write the release into `folder`, the workplaces as files or as one `.jsonl`."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / TASKS).write_text(_jsonl(self.tasks))
        (folder / SCENARIOS).write_text(_jsonl(self.scenarios))
        if one_file:
            (folder / f"{WORKPLACES}.jsonl").write_text(_jsonl(list(self.workplaces.values())))
            return folder
        (folder / WORKPLACES).mkdir(exist_ok=True)
        for name, workplace in self.workplaces.items():
            (folder / WORKPLACES / f"{name}.json").write_text(json.dumps(workplace))
        return folder


def _jsonl(rows: list[Row]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)
