import asyncio

from hypothesis import given
from hypothesis import strategies as st

from worktrial.language import Completion, JsonObject, Message
from worktrial.synthesis.artifacts import SubTopic
from worktrial.synthesis.stages.subtopics import (
    ASKED_PER_SUBTOPIC,
    MOST_ALIKE,
    by_judge,
    by_words,
    jaccard,
    likeness,
)

WORDS = st.sets(st.sampled_from("abcdef"))
TOPICS = st.lists(
    st.builds(
        lambda n, words: SubTopic(id=f"t{n}", title=" ".join(words), about=" ".join(words)),
        st.integers(0, 99),
        st.lists(st.sampled_from(["refund", "truck", "shelf", "price", "bank", "label"]), min_size=1, max_size=4),
    ),
    max_size=8,
    unique_by=lambda topic: topic.id,
)


@given(WORDS, WORDS)
def test_jaccard(one: set[str], two: set[str]) -> None:
    share = jaccard(one, two)
    assert 0 <= share <= 1 and share == jaccard(two, one)
    assert (share == 1) == (one == two and bool(one))
    assert (share == 0) == (not one & two)


@given(TOPICS, TOPICS)
def test_none_that_is_let_in_is_too_much_like_another(kept: list[SubTopic], new: list[SubTopic]) -> None:
    added, dropped = by_words(kept, new)
    assert len(added) + len(dropped) == len(new)
    for number, topic in enumerate(added):
        assert all(likeness(other, topic) < MOST_ALIKE for other in (*kept, *added[:number]))
    assert all(likeness(overlap.kept, overlap.dropped) >= MOST_ALIKE for overlap in dropped)


def test_forms_of_a_word_and_function_words_do_not_matter() -> None:
    one = SubTopic(id="a", title="Paying refunds", about="Refunds are paid to the card.")
    two = SubTopic(id="b", title="The payment of a refund", about="A refund was paying for cards.")
    assert likeness(one, two) >= MOST_ALIKE


@given(TOPICS, st.randoms(use_true_random=False))
def test_of_what_a_judge_finds_the_same_the_first_stays(topics: list[SubTopic], chance: object) -> None:
    asked: dict[tuple[str, str], str | None] = {}
    calls = 0

    async def judge(messages: list[Message], *, schema: JsonObject, draw: int) -> Completion:
        nonlocal calls
        calls += 1
        return Completion({"content": '{"why": "so", "same": true}'})

    dropped = asyncio.run(by_judge(topics, judge, asked))  # type: ignore[arg-type]
    place = {topic.id: number for number, topic in enumerate(topics)}
    gone = {overlap.dropped.id for overlap in dropped}
    assert all(place[overlap.kept.id] < place[overlap.dropped.id] for overlap in dropped)
    assert calls == len(asked) <= ASKED_PER_SUBTOPIC * len(topics)
    # Every pair that is the same has lost one of the two.
    assert all(one in gone or two in gone for one, two in asked)
    assert asyncio.run(by_judge(topics, judge, asked)) == dropped and calls == len(asked)  # type: ignore[arg-type]
