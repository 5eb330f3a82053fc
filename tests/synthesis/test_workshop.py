"""The steps on a suite folder: what a repair leaves, whenever it is killed."""

import asyncio
import contextlib
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.synthesis.any_drafts import task, workplace
from tests.synthesis.crashes import Killed, killed_before

from worktrial.synthesis import files
from worktrial.synthesis.artifacts import DraftFinding, JobSpec, Reference, SubTopic, TaskDraft, WorkplaceDraft
from worktrial.synthesis.calibration.runs import RunBook
from worktrial.synthesis.files import hash_of
from worktrial.synthesis.folder import ProvenanceLedger, SuiteFolder
from worktrial.synthesis.pipeline import slots_of
from worktrial.synthesis.sources import SourceLibrary
from worktrial.synthesis.workshop import SuiteWorkshop

SPEC = JobSpec(role="clerk", levels=[1], subtopics=1)
SUBTOPIC = SubTopic(id="returns", title="Returns", about="Taking goods back.")
[SLOT] = slots_of(SPEC, [SUBTOPIC])
REFERENCE = Reference(
    subtopic="returns", terminology=[], workflow=[], state_variables=[], edge_cases=[], constraints=[]
)


class ScriptedAuthor:
    """Answers by the kind that is asked for, always the same, as a model with cached answers does."""

    model = "scripted"

    def __init__(self, parts: dict[str, Any]) -> None:
        self.parts = parts

    async def write(
        self, prompt: str, kind: type[Any], *, salt: str, check: Callable[[Any], Sequence[str]] | None = None
    ) -> Any:
        assert prompt
        assert salt.startswith("repair/returns-1/1/")
        made = kind(**{name: self.parts[name] for name in kind.__struct_fields__})
        assert check is None or not check(made)
        return made


class Unchecked(SuiteWorkshop):
    """Without static checks, which these small drafts were not made for."""

    def check(self, workplace: WorkplaceDraft, task: TaskDraft) -> list[DraftFinding]:
        return []


def session(root: Path, parts: dict[str, Any]) -> SuiteWorkshop:
    folder = SuiteFolder(root)
    warned: list[str] = []
    return Unchecked(
        folder=folder,
        spec=SPEC,
        sources=SourceLibrary([], [], []),
        author=ScriptedAuthor(parts),
        judge=None,
        ledger=ProvenanceLedger(folder, warn=warned.append),
        book=RunBook(folder, "s"),
        runner_for=lambda slot, workplace, task: pytest.fail("nothing is run here"),
        runs_at_once=1,
    )


def drafted(root: Path, *, edited: bool) -> tuple[WorkplaceDraft, TaskDraft]:
    """A slot with drafts on disk, the task changed by hand or not."""
    shop = session(root, {})
    held = {**shop._of_slot(SLOT, REFERENCE)}
    shop.ledger.write(shop.folder.workplace(SLOT), files.WORKPLACE, workplace(), held, "scripted")
    shop.ledger.write(
        shop.folder.task(SLOT), files.TASK, task(), held | shop._of_workplace(SLOT, workplace()), "scripted"
    )
    if edited:
        files.TASK.write(shop.folder.task(SLOT), task(9))
    return asyncio.run(read(session(root, {})))


async def read(shop: SuiteWorkshop) -> tuple[WorkplaceDraft, TaskDraft]:
    place = await shop.workplace(SLOT, REFERENCE)
    return place, await shop.task(SLOT, REFERENCE, place)


PROBLEMS = {
    "tools": DraftFinding(check="c", artifact="tools", field="tools", what="wrong"),
    "plan": DraftFinding(check="c", artifact="plan", field="plan", what="wrong"),
    "rubric": DraftFinding(check="c", artifact="rubric", field="rubric", what="wrong"),
}
PARTS = {"tools": workplace(1).tools, "plan": [*task().plan, *task().plan], "rubric": "1. Another statement."}


async def mend(shop: SuiteWorkshop, artifact: str) -> tuple[WorkplaceDraft, TaskDraft]:
    place, work = await read(shop)
    if shop.rounds(SLOT, place, work):
        return place, work
    place, work, _ = await shop.repair(SLOT, place, work, [PROBLEMS[artifact]], [], 1)
    return place, work


@settings(max_examples=80, deadline=None)
@given(
    artifact=st.sampled_from(sorted(PROBLEMS)),
    kills=st.lists(st.integers(0, 45), min_size=1, max_size=3),
    edited=st.booleans(),
)
def test_a_killed_repair_is_finished_or_done_again(artifact: str, kills: list[int], edited: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        before = drafted(root, edited=edited)
        for kill in kills:
            with contextlib.suppress(Killed), killed_before(kill):
                asyncio.run(mend(session(root, PARTS), artifact))
        place, work = asyncio.run(mend(session(root, PARTS), artifact))
        wanted = {name: PARTS[name] for name in (artifact,)}
        of = before[0] if artifact == "tools" else before[1]
        expected = (hash_of({**{f: getattr(of, f) for f in of.__struct_fields__}, **wanted}), 1)
        assert hash_of(place if artifact == "tools" else work) == expected[0]
        assert (place if artifact != "tools" else work) == before[artifact == "tools"]
        # What lies there is what was returned, it is ours, and a further session makes nothing of it again.
        shop = session(root, {})
        assert asyncio.run(read(shop)) == (place, work)
        [repair] = shop._repairs
        assert (repair.artifact, shop.rounds(SLOT, place, work)) == (artifact, 1)
        record = shop.ledger.last(shop.folder.workplace(SLOT))
        assert record is not None
        assert not record.edited


def test_a_change_by_hand_after_a_repair_begins_anew(tmp_path: Path) -> None:
    drafted(tmp_path, edited=False)
    asyncio.run(mend(session(tmp_path, PARTS), "rubric"))
    shop = session(tmp_path, {})
    files.TASK.write(shop.folder.task(SLOT), task(5))
    place, work = asyncio.run(read(shop))
    assert work == task(5)
    assert shop.rounds(SLOT, place, work) == 0
