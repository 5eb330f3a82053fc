"""Rollouts: the tokens that a model drew, from the endpoint to the trainer's file."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import Ran, command
from tests.support.happy import HappyAgent
from tests.support.odd_work import odd_run
from tests.support.script import Behaviour, Script
from tests.support.scripted_server import ScriptedServer
from tests.support.token_server import TokenAgent, prompt_of, spelled

from worktrial.engine.stored import open_run
from worktrial.interop.exchange.rollouts import sequences
from worktrial.language import TurnTokens

TASKS = "lab-00,registry-01"


def ran(agent: Behaviour, run: Path, *words: Any) -> tuple[Ran, ScriptedServer]:
    with ScriptedServer(Script(agent=agent)) as server:
        common = ("--agent", "agent-1", "--base-url", server.url, "--tasks", TASKS, "-o", run, "--retries", 1)
        return command("run", "starter", *common, *words), server


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_sequence_is_what_the_model_was_told_and_drew(tmp_path: Path) -> None:
    run, out = tmp_path / "run", tmp_path / "r.jsonl"
    done, server = ran(TokenAgent(), run, "--keep-tokens", "--repeats", 2, "--faults", "E0,E1")
    assert done.code == 0, done.err
    exported = command("export", run, "--format", "rollouts", "-o", out)
    assert exported.code == 0, exported.err
    assert "8 samples" in exported.err and "run: Condition E1: " in exported.err
    records = {r.key: r for r in open_run(run).records}
    found = lines(out)
    assert {(line["sample"], line["repeat"], line["condition"]) for line in found} == records.keys()
    offered = {request.body["tools"][0]["function"]["name"] for request in server.requests}
    for line in found:
        record = records[line["sample"], line["repeat"], line["condition"]]
        assert line["group"] == f"{record.sample}/{record.condition}"
        assert line["policy_version"] == "agent-1"
        assert line["reward"] == float(record.outcome == "pass")
        assert line["tools"][0]["function"]["name"] in offered
        assert [m["role"] for m in line["prompt"]] == ["system", "user"]
        assert line["breaks"] == [] and line["segments"] is None
        ids, mask, logprobs = line["token_ids"], line["mask"], line["logprobs"]
        assert len(ids) == len(mask) == len(logprobs)
        # All that the template makes of the conversation, and nothing twice.
        last = line["messages"][-1]
        assert bytes(ids).decode() == prompt_of(line["messages"][:-1]) + spelled(last)
        drawn = bytes(id for id, own in zip(ids, mask, strict=True) if own).decode()
        assert drawn == "".join(spelled(m) for m in line["messages"] if m["role"] == "assistant")
        assert [p for p, own in zip(logprobs, mask, strict=True) if not own] == [None] * mask.count(0)
        assert all(p == -id / 1000 for id, own, p in zip(ids, mask, logprobs, strict=True) if own)


def test_a_template_that_forgets_breaks_the_sequence_and_the_line_says_so(tmp_path: Path) -> None:
    run, out = tmp_path / "run", tmp_path / "r.jsonl"
    assert ran(TokenAgent(forgets=True), run, "--keep-tokens")[0].code == 0
    exported = command("export", run, "--format", "rollouts", "-o", out)
    assert "2 rollouts are no single sequence of tokens" in exported.err
    for line in lines(out):
        turns = sum(m["role"] == "assistant" for m in line["messages"])
        assert (line["token_ids"], line["mask"], line["logprobs"]) == (None, None, None)
        assert len(line["segments"]) == turns and len(line["breaks"]) == turns - 1
        assert line["breaks"][0].startswith("turn 1: its prompt has other tokens from ")
        for segment in line["segments"]:
            assert len(segment["token_ids"]) == len(segment["mask"]) == len(segment["logprobs"])


def test_an_endpoint_without_tokens_stops_the_run_with_the_reason(tmp_path: Path) -> None:
    done, server = ran(HappyAgent(), tmp_path / "run", "--keep-tokens", "--concurrency", 1)
    assert done.code == 2 and server.count() == 1
    assert "gave no token ids and log-probabilities with its answer" in done.said
    assert "Leave --keep-tokens out" in done.said
    # Without a sample nothing is left behind, so the same folder can be run without it.
    assert ran(HappyAgent(), tmp_path / "run")[0].code == 0


def test_half_of_the_tokens_are_none(tmp_path: Path) -> None:
    run = tmp_path / "run"
    done, _ = ran(TokenAgent(swallows=4), run, "--keep-tokens", "--concurrency", 1)
    assert done.code == 3
    [broken] = [r for r in open_run(run).records if r.outcome == "invalid"]
    assert broken.reason.startswith("bad_reply: ") and "gave no token ids" in broken.reason
    exported = command("export", run, "--format", "rollouts", "-o", tmp_path / "r.jsonl")
    assert "1 invalid samples have no reward and are left out" in exported.err
    assert len(lines(tmp_path / "r.jsonl")) == 1
    # It runs again, and the later attempt counts.
    assert ran(TokenAgent(), run, "--keep-tokens")[0].code == 0
    command("export", run, "--format", "rollouts", "-o", tmp_path / "again.jsonl")
    assert len(lines(tmp_path / "again.jsonl")) == 2


def test_rewards_of_other_kinds(tmp_path: Path) -> None:
    run = tmp_path / "run"
    # The same call without arguments that fit is refused every time.
    assert ran(TokenAgent(), run, "--keep-tokens")[0].code == 0
    records = {r.sample: r for r in open_run(run).records}
    worth = {}
    for kind in ("outcome", "checks", "shaped"):
        out = tmp_path / f"{kind}.jsonl"
        assert command("export", run, "--format", "rollouts", "--reward", kind, "-o", out).code == 0
        worth[kind] = {line["sample"]: line["reward"] for line in lines(out)}
    for name, record in records.items():
        assert worth["checks"][name] == sum(c.passed for c in record.checks) / len(record.checks)
        assert worth["shaped"][name] <= worth["outcome"][name]
    wrong = command("export", run, "--format", "rollouts", "--reward", "most", "-o", tmp_path / "x")
    assert wrong.code == 2 and "there is outcome, checks, shaped" in wrong.err
    other = command("export", run, "--format", "atif", "--reward", "checks", "-o", tmp_path / "x")
    assert other.code == 2 and "--reward: is for rollouts, not for atif" in other.err


def test_a_run_that_kept_none_has_no_rollouts(tmp_path: Path) -> None:
    run = odd_run(tmp_path / "run")
    exported = command("export", run, "--format", "rollouts", "-o", tmp_path / "r.jsonl")
    assert exported.code == 2 and "kept no tokens to train on. Run with --keep-tokens" in exported.err
    assert not (tmp_path / "r.jsonl").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--agent", "plan"), "is for an agent that is a model; plan has no tokens"),
        (("--agent", "local"), "the embedded model gives no token ids"),
        (("--agent", "m", "--base-url", "http://127.0.0.1:9/v1", "--wire", "anthropic"), "endpoints of anthropic"),
        (("--agent", "m", "--base-url", "http://127.0.0.1:9/v1", "--stream", "on"), "streamed answers lose tokens"),
    ],
)
def test_agents_that_cannot_give_tokens_are_refused_before_the_first_sample(
    tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = command("run", "starter", "--keep-tokens", *words, "--limit", 1, "-o", tmp_path / "run")
    assert done.code == 2 and said in done.said
    assert not (tmp_path / "run").exists()


def test_prompts_that_go_on_are_one_sequence() -> None:
    def turn(prompt: str, drawn: str) -> TurnTokens:
        return TurnTokens([*prompt.encode()], [*drawn.encode()], [-0.5] * len(drawn))

    [one], breaks = sequences([turn("ab", "C"), turn("abCd", "EF"), turn("abCdEFg", "H")])
    assert (bytes(one.token_ids), one.mask, breaks) == (b"abCdEFgH", [0, 0, 1, 0, 1, 1, 0, 1], [])
    two, breaks = sequences([turn("ab", "C"), turn("abX", "Y"), turn("abXYz", "")])
    assert [bytes(s.token_ids) for s in two] == [b"abC", b"abXYz"]
    assert breaks == ["turn 1: its prompt has other tokens from 2 of 3 on"]
    cut, breaks = sequences([turn("abc", "D"), turn("ab", "E")])
    assert [bytes(s.token_ids) for s in cut] == [b"abcD", b"abE"]
    assert breaks == ["turn 1: its prompt has other tokens from 2 of 4 on"]
    assert sequences([]) == ([], [])
