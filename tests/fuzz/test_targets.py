"""Any bytes, and any change of good ones, end in a value or in an error of ours; `make fuzz` looks for longer."""

import tempfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.fuzz.__main__ import in_a_child
from tests.fuzz.targets import TARGETS

WORDS = r"""[ { ] } " : , &a *a -_ ?_ <<: !!int \ud800 1e999 $ref --- null data: workflow_ </think> {{ }}"""
TOKENS = st.sampled_from(
    [*(word.replace("_", " ").encode() for word in WORDS.split()), b"\xff", b"\0", b"\n", b"\r\n", b"9" * 50]
)


@st.composite
def changed(draw: st.DrawFn, seeds: list[bytes]) -> bytes:
    """A seed, with pieces cut out, doubled and put in."""
    data = draw(st.sampled_from(seeds))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 12)))
        piece = draw(st.one_of(TOKENS, st.binary(max_size=4), st.just(data[start:end] * 2)))
        data = data[:start] + piece + data[end:]
    return data


@pytest.mark.parametrize("name", TARGETS)
def test_any_bytes_end_in_a_value_or_an_error_of_ours(name: str) -> None:
    target = TARGETS[name]
    for seed in target.seeds:
        target(seed)

    @settings(max_examples=60, suppress_health_check=list(HealthCheck))
    @given(st.one_of(changed(list(target.seeds)), st.lists(TOKENS, max_size=12).map(b"".join)))
    def reads(data: bytes) -> None:
        target(data)

    reads()


def test_what_escapes_is_told() -> None:
    with tempfile.TemporaryFile() as said:
        assert in_a_child(lambda: None, said)
        assert not in_a_child(lambda: int("no number") and None, said)
        said.seek(0)
        assert b"ValueError: invalid literal" in said.read()
