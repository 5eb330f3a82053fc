import pytest
from tests.support.votes import with_code

from worktrial.errors import InvalidReason
from worktrial.grading.ballot import Unreadable, read_ballot, vote_code
from worktrial.grading.rubric import Ballot
from worktrial.language import Completion
from worktrial.language.untrusted import mark

CODE = "0a1b2c3d"


def coded(text: str | None) -> str | None:
    """`text` with the code in the objects that could be votes."""
    return text if text is None else with_code(text, [{"content": f'"code": "{CODE}"'}])


def reply(text: str | None, stop_reason: str = "stop") -> Completion:
    return Completion({"role": "assistant", "content": text}, stop_reason=stop_reason)


@pytest.mark.parametrize(
    ("text", "ballot"),
    [
        ('{"is_correct": true, "feedback": "fine"}', Ballot(True, "fine")),
        ('{"is_correct": false, "feedback": null}', Ballot(False, None)),
        ('{"is_correct": true}', Ballot(True, None)),
        ('{"is_correct": true, "feedback": "", "points": [1]}', Ballot(True, "")),
        ('```json\n{"feedback": "no", "is_correct": false}\n```', Ballot(False, "no")),
        # Thoughts are no vote, whether or not the prompt held their opening tag.
        ('<think>{"is_correct": false}?</think>{"is_correct": true}', Ballot(True, None)),
        ('{"is_correct": false}?\n</think>\n\n{"is_correct": true}', Ballot(True, None)),
        (
            '<|channel|>analysis<|message|>{"is_correct": false}?<|end|>'
            '<|start|>assistant<|channel|>final<|message|>{"is_correct": true}',
            Ballot(True, None),
        ),
    ],
)
def test_reads(text: str, ballot: Ballot) -> None:
    assert read_ballot(reply(coded(text)), Ballot, CODE) == ballot


@pytest.mark.parametrize(
    ("given", "known"),
    [('"0A1B2C3D "', True), ('"0a1b2c3e"', False), ("null", False), ('""', False), ('["0a1b2c3d"]', False)],
)
def test_a_vote_gives_back_its_code(given: str, known: bool) -> None:
    text = f'{{"code": {given}, "is_correct": true}}'
    if known:
        assert read_ballot(reply(text), Ballot, CODE) == Ballot(True, None)
        return
    with pytest.raises(Unreadable, match="not the code of this vote"):
        read_ballot(reply(text), Ballot, CODE)


def test_a_code_is_unlike_any_other_and_nowhere_in_what_is_judged() -> None:
    def code(text: str, draw: int) -> str:
        return vote_code([{"role": "user", "content": text}], draw)

    codes = [code(text, draw) for text in ("a", "b") for draw in range(6)]
    assert len(set(codes)) == 12
    assert codes == [code(text, draw) for text in ("a", "b") for draw in range(6)]
    # Whoever writes down every code but one has not written down this one.
    assert mark(short := " ".join(f"{n:02x}" for n in range(255)), digits=2) not in short


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"is_correct": "false", "feedback": "x"}', "Expected `bool`, got `str`"),
        ('{"is_correct": 1}', "Expected `bool`, got `int`"),
        ('{"is_correct": null}', "Expected `bool`"),
        ('{"feedback": "fine"}', "missing required field `is_correct`"),
        ('{"is_correct": true, "feedback": ["a"]}', "feedback"),
        ('{"is_correct": true} but {"is_correct": false}', "2 different JSON objects"),
        ('[{"is_correct": true}]', "JSON list"),
        ('{"is_correct": true, "feedb\\ud800k": "a"}', "surrogates not allowed"),
        ("It is correct.", "no complete JSON object"),
        ('{"is_correct": false}?</think>It is correct.', "no complete JSON object"),
        ('<think>{"is_correct": false}', "nothing but thinking"),
        # Amid prose it may be a quotation.
        ('I think so.\n{"is_correct": true}\nThat is all.', "more than the one JSON object"),
        ('{"is_correct": true} again {"is_correct": true}', "more than the one JSON object"),
        ('So: ```json\n{"is_correct": true}\n```', "more than the one JSON object"),
        ("9" * 5_000 + ' {"is_correct": true}', "more than the one JSON object"),
        ('[{"a": ' + '{"a": ' * 900 + "1" + "}" * 901 + '] {"is_correct": true}', "more than|nested too deeply"),
        ('{"is_correct": false, "feedback": "x", "is_correct": true}', "a key twice"),
        ('{"is_correct": true, "points": [{"a": 1, "a": 1}]}', "a key twice"),
        ('{"is_correct": true, "n": ' + "[" * 40 + "]" * 40 + "}", "nested too deeply"),
        ("true", "JSON boolean"),
        ("", "empty"),
        (None, "empty"),
        ("[" * 50_000, "nested too deeply"),
        ('{"is_correct": true, "n": ' + "9" * 5_000 + "}", "no complete JSON object"),
    ],
)
def test_refuses(text: str | None, problem: str) -> None:
    with pytest.raises(Unreadable, match=problem):
        read_ballot(reply(coded(text)), Ballot, CODE)


@pytest.mark.parametrize(
    ("message", "stop_reason", "problem", "reason"),
    [
        ({"content": None}, "content_filter", "provider filtered", InvalidReason.CONTENT_FILTER),
        ({"content": '{"is_corr'}, "content_filter", "provider filtered", InvalidReason.CONTENT_FILTER),
        ({"content": None, "refusal": "I can't\nsay."}, "stop", "refused: I can't say.", InvalidReason.REFUSED),
        ({"content": None}, "stop", "empty", None),
    ],
)
def test_tells_a_vote_that_the_provider_kept_from_one_that_is_empty(
    message: dict[str, str | None], stop_reason: str, problem: str, reason: InvalidReason | None
) -> None:
    with pytest.raises(Unreadable, match=problem) as unreadable:
        read_ballot(Completion(message, stop_reason=stop_reason), Ballot, CODE)
    assert unreadable.value.reason is reason


def test_says_when_the_reply_was_cut_off() -> None:
    with pytest.raises(Unreadable, match="cut off at the output limit"):
        read_ballot(reply('{"feedback": "long', "length"), Ballot, CODE)
