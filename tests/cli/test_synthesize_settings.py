"""What `worktrial synthesize` refuses before anything is asked for."""

from pathlib import Path

import pytest
from tests.support.cli import Word, command

NOWHERE = ("--base-url", "http://127.0.0.1:9/v1")
MODELS = (*NOWHERE, "--synthesizer", "m", "--workplace", "simulated")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "holds no job yet"),
        (["--job", "clerk"], "--model MODEL"),
        (["--job", "clerk", "--workplace", "simulated", "--synthesizer", "m"], "no endpoint for this model"),
        (["--job", " ", *MODELS], "role"),
        (["--job", "clerk", *MODELS, "--languages", "en,en"], "none twice"),
        (["--job", "clerk", *MODELS, "--languages", ","], "--languages"),
        (["--job", "clerk", *MODELS, "--most-runs", 1, "--free-runs", 1], "most_runs"),
        (["--job", "clerk", "--spec", "job.yaml", *MODELS], "give one of them"),
        (["--spec", "nowhere.yaml", *MODELS], "nowhere.yaml: no such file"),
        (["--job", "clerk", *MODELS, "--api-key-env", "NOT_SET_ANYWHERE"], "NOT_SET_ANYWHERE"),
        (["--job", "clerk", *MODELS, "--document", "nowhere.pdf"], "nowhere.pdf"),
    ],
)
def test_what_is_wrong_is_said_before_the_first_call(words: list[Word], said: str, tmp_path: Path) -> None:
    ran = command("synthesize", *words, "-o", tmp_path / "suite")
    assert ran.code == 2, ran.said
    assert said in ran.said
    assert not (tmp_path / "suite" / "work" / "spec.yaml").exists()


def test_an_unknown_field_of_a_spec_is_named(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text("role: clerk\nsub_topics: 3\n")
    ran = command("synthesize", "--spec", tmp_path / "job.yaml", *MODELS, "-o", tmp_path / "suite")
    assert (ran.code, "sub_topics" in ran.said) == (2, True), ran.said


def test_an_endpoint_that_is_not_there_costs_only_the_estimate(tmp_path: Path) -> None:
    suite = tmp_path / "suite"
    ran = command("synthesize", "--job", "clerk", *MODELS, "--price", "1,2", "-o", suite)
    assert ran.code == 2
    assert "Estimate of what is left" in ran.err
    assert "does not answer" in ran.said
    assert (suite / "work" / "estimate.yaml").exists()
    # The folder knows the job and the models from now on.
    again = command("synthesize", "-o", suite)
    assert "does not answer" in again.said
    assert "Changed" not in again.said
    changed = command("synthesize", "-o", suite, "--tasks", 4, "--judge", "another")
    assert "tasks: 20 -> 4" in changed.said
    assert "judge: (none) -> another" in changed.said


def test_an_address_with_a_password_is_not_stored(tmp_path: Path) -> None:
    url = "http://me:pass-word-1234@127.0.0.1:9/v1"
    words = ("--base-url", url, "--synthesizer", "m", "--workplace", "simulated")
    ran = command("synthesize", "--job", "clerk", *words, "-o", tmp_path / "suite")
    assert "pass-word-1234" not in ran.said
    for path in (tmp_path / "suite").rglob("*"):
        assert not path.is_file() or b"pass-word-1234" not in path.read_bytes()
