"""What the starter's workplaces can suffer, as the page about faults says."""

import asyncio

from benchmarks.fault_kinds import calls_that_allow, of_starter

from worktrial.workplaces.faults import FaultKind


def test_rare_kinds_need_more_than_a_tool_that_looks_or_writes() -> None:
    works = [work for work in asyncio.run(of_starter()) if not work.corpus.endswith("unseen")]

    def of(kind: FaultKind, *places: str) -> tuple[int, int]:
        chosen = [work for work in works if not places or work.task.rsplit("-", 1)[0] in places]
        return asyncio.run(calls_that_allow(chosen, kind))

    # As in docs/explanation/faults.md.
    assert of(FaultKind.STALE) == (35, 378)
    assert of(FaultKind.STALE, "lab", "terminal") == (0, 80)
    assert of(FaultKind.PARTIAL_WRITE) == (36, 124)
    assert of(FaultKind.PARTIAL_WRITE, "irrigation", "covenant", "returns") == (0, 33)
