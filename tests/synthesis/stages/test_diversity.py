import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.synthesis.drafts import slot, task

from worktrial.synthesis.artifacts import PlannedCall, TaskDraft
from worktrial.synthesis.stages.report import diversity


def other(instruction: str, *tools: str, name: str = "letters-1") -> TaskDraft:
    plan = [PlannedCall(tool=tool) for tool in tools]
    return msgspec.structs.replace(task(), slot=name, instruction=instruction, plan=plan)


def distance(one: TaskDraft, two: TaskDraft) -> float:
    found = diversity([one, two])
    assert found.least_distance is not None
    assert found.least_distance == found.mean_distance
    return found.least_distance


def test_counts_and_distances() -> None:
    tasks = [
        task(slot(1)),
        task(slot(2), "Ana Ruiz is here for parcel P-2. Hand it to her."),
        other("Weigh every letter that arrived today and sort the heavy ones out.", "weigh", "sort", "sort"),
    ]
    found = diversity(tasks)
    assert (found.tasks, found.tools, found.sequences) == (3, 4, 2)
    assert (found.shortest_plan, found.longest_plan) == (2, 3)
    assert found.closest == ["parcels-1", "parcels-2"]
    assert found.least_distance is not None
    assert found.least_distance < 0.5
    assert found.mean_distance == pytest.approx((found.least_distance + 2) / 3, abs=1e-9)


def test_equal_tasks_have_no_distance_and_tools_are_no_words() -> None:
    assert distance(task(), task()) == 0
    assert distance(other("Please weigh letters", "get"), other("Please weigh letters", "set")) > 0
    assert distance(other("weigh"), other("unlike", "weigh")) == 1


def test_fewer_than_two() -> None:
    assert diversity([]).mean_distance is None
    assert (diversity([task()]).closest, diversity([task()]).mean_distance) == ([], None)


def test_scripts_without_spaces_have_words_too() -> None:
    parcel, letter = other("소포를 보내세요", "a"), other("편지를 보내세요", "a")
    assert 0 < distance(parcel, letter) < 1


texts = st.text(max_size=80)


@given(texts, texts, texts)
def test_a_distance_is_a_distance(a: str, b: str, c: str) -> None:
    one, two, three = other(a or "x", "t"), other(b or "x", "t"), other(c or "x", "u")
    assert 0 <= distance(one, two) == distance(two, one) <= 1
    assert distance(one, one) == 0
    assert distance(one, three) <= distance(one, two) + distance(two, three) + 1e-12
