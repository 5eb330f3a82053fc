"""The workplaces of a scripted job as they truly are: their records, their tools, and what solves their task."""

import copy
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tests.support.synthesis.topics import BY_PREFIX, Topic

Call = tuple[str, dict[str, Any]]

TODAY = "2026-03-02"
_CODE = re.compile(r"\b([A-Z]{2})([123])(?=\b|-\d{3}\b)")
_HOLDERS = ("Alder Freight", "Birch Trading", "Cedar Imports", "Dogwood Lines", "Elm Logistics")
_SPARE = 2
"""Records that the task leaves alone."""


@dataclass(frozen=True)
class Desk:
    """The desk of a topic at a level: as many open records as the level says, each to be settled by its measure."""

    topic: Topic
    level: int

    @property
    def code(self) -> str:
        """Stands in every text of its slot: `RU2`."""
        return f"{self.topic.prefix}{self.level}"

    @property
    def slot(self) -> str:
        return f"{self.topic.id}-{self.level}"

    @property
    def noun(self) -> str:
        return self.topic.noun

    @cached_property
    def open_ids(self) -> list[str]:
        return [f"{self.code}-{101 + n}" for n in range(self.level)]

    @cached_property
    def state(self) -> dict[str, Any]:
        """The initial state; every other open record is beyond the limit."""
        records = {}
        for n in range(self.level + _SPARE):
            key = f"{self.code}-{101 + n}"
            is_open = n < self.level
            over = self.topic.limit // 2 + 1 + n if n % 2 else -n
            value = max(0, self.topic.limit + over)
            records[key] = {
                "id": key,
                "holder": _HOLDERS[n],
                "status": "open" if is_open else self.topic.done,
                self.topic.measure: value,
                "notes": [],
            }
        return {"current_date": TODAY, "desk": f"{self.topic.title}, desk {self.code}", f"{self.noun}s": records}

    @cached_property
    def wanted(self) -> dict[str, str]:
        """Open record to the status it should get."""
        records = self.state[f"{self.noun}s"]
        topic = self.topic
        over = {key: records[key][topic.measure] > topic.limit for key in self.open_ids}
        return {key: topic.held if is_over else topic.done for key, is_over in over.items()}

    @cached_property
    def solution(self) -> list[Call]:
        """The calls that solve the task."""
        calls: list[Call] = [(f"get_{self.noun}", {"id": key}) for key in self.open_ids]
        calls += [(f"set_{self.noun}_status", {"id": key, "status": to}) for key, to in self.wanted.items()]
        return calls

    def other(self, status: str) -> str:
        """The wrong one of the two ways to settle a record."""
        return self.topic.done if status == self.topic.held else self.topic.held

    def answer(self, calls: list[Call]) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the last of `calls` returns, and the state after all of them."""
        state = copy.deepcopy(self.state)
        said: dict[str, Any] = {}
        for name, arguments in calls:
            said = self._carry_out(state[f"{self.noun}s"], name, arguments)
        return said, state

    def _carry_out(self, records: dict[str, Any], name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if name == f"list_{self.noun}s":
            shown = [{"id": r["id"], "status": r["status"]} for r in records.values()]
            return {f"{self.noun}s": [r for r in shown if arguments.get("status") in (None, r["status"])]}
        record = records.get(arguments.get("id", ""))
        if record is None:
            return {"error": f"no {self.noun} has the id {arguments.get('id')}"}
        if name == f"get_{self.noun}":
            return copy.deepcopy(record)
        if name == f"set_{self.noun}_status":
            record["status"] = arguments["status"]
            return {"id": record["id"], "status": record["status"]}
        if name == f"note_on_{self.noun}":
            record["notes"].append(arguments["text"])
            return {"id": record["id"], "notes": list(record["notes"])}
        return {"error": f"there is no {name} here"}


def desk_of(text: str) -> Desk:
    """The desk whose code stands first in `text`.

    Raises:
        LookupError: none does.
    """
    for prefix, level in _CODE.findall(text):
        if prefix in BY_PREFIX:
            return Desk(BY_PREFIX[prefix], int(level))
    raise LookupError(f"no desk is named in {text[:300]!r}")
