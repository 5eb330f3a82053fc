"""What the memory of clean answers finds by name is what all of them say."""

import asyncio
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from worktrial.workplaces import Observation, Origin
from worktrial.workplaces.faults.memory import CleanMemory
from worktrial.workplaces.faults.transforms import Context, mistake_value, serve_stale
from worktrial.workplaces.tools import Tool

_TOOL = Tool("get_bed", "Gets a bed.", {"type": "object"})
_NAMES = st.sampled_from(["F1", "F2", 7, 'q"1', "b\\2", "True", "é-3", "line\n4", "\u2028-5"])
_VALUES = st.sampled_from(
    ["free", "A-12", "A-13", 'say "A-14"', "2025-01-02", "2025-02-01", 12, 21, 3.5, True, None]
)
_THINGS = st.fixed_dictionaries(
    {"bed_id": _NAMES}, optional={"state": _VALUES, "ward": _VALUES, 'a "b"': _VALUES, "F-9": _VALUES}
)
_ANSWERS = st.fixed_dictionaries(
    {"beds": st.lists(_THINGS, max_size=3)}, optional={"next": _THINGS, "total": _VALUES}
)


class _Told:
    """A session that answers with what it is told."""

    state = None

    def __init__(self, answers: list[Any]) -> None:
        self._answers = iter(answers)

    async def call(self, tool: str, arguments: Any) -> Observation:
        return Observation(next(self._answers), Origin.SIMULATOR)


@settings(max_examples=300)
@given(st.lists(_ANSWERS, min_size=1, max_size=5, unique_by=str), _ANSWERS, st.integers(0, 99))
def test_damage_is_that_of_reading_every_answer(answers: list[Any], initial: Any, seed: int) -> None:
    async def contexts() -> Context:
        memory = CleanMemory(_Told(answers), initial, [_TOOL])
        for number in range(len(answers)):
            answer = await memory.call(_TOOL, "get_bed", {"page": number})
        return memory.context(answer, _TOOL, {"page": number}, None, silent=False)

    found = asyncio.run(contexts())
    read = Context(arguments=found.arguments, documents=lambda: [initial, *answers[:-1]], tools=[_TOOL])
    for transform in (mistake_value, serve_stale):
        assert transform(answers[-1], Random(seed), found) == transform(answers[-1], Random(seed), read)
