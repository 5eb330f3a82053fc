"""Runs through batch interfaces: what goes into them, results, trouble, interruption."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.engine.rig import KEY, QUICK, TinyTrial, all_bytes, role_settings, run_tiny
from tests.support.batches import Batching
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import completion, error_reply

from worktrial.engine.batch.ledger import ANSWERS
from worktrial.engine.batch.policy import BatchPolicy
from worktrial.engine.batch.providers import MAKERS
from worktrial.engine.manifest import read_manifest
from worktrial.engine.progress import Tally
from worktrial.engine.record import SampleResult
from worktrial.engine.roles import Role, RoleSettings
from worktrial.engine.run import run_trials, run_trials_async
from worktrial.engine.run_plan import RunPlan, RunSettings
from worktrial.engine.spend import price_for
from worktrial.engine.store import BATCHES
from worktrial.errors import SettingError, StopRun
from worktrial.grading import Outcome
from worktrial.language import Usage

SOON = BatchPolicy(agent=True, first_look=0.01, longest_wait=0.02, looks=200, quiet=0.15)
WIRES = [None, "anthropic", "responses", "gemini"]
every_wire = pytest.mark.parametrize("wire", WIRES)


def talk(turns: int = 3) -> Callable[[Any, Any], Awaitable[SampleResult]]:
    """A sample of several requests, each after the other's answer."""

    async def do(job: Any, context: Any) -> SampleResult:
        messages = [{"role": "user", "content": f"{job.sample}"}]
        for turn in range(turns):
            answer = await context.model(Role.AGENT)(messages)
            messages += [answer.message, {"role": "user", "content": f"go on after {turn}"}]
        return SampleResult(outcome=Outcome.PASS, reason=answer.text, trajectory={"messages": messages})

    return do


def batched(folder: Path, url: str, trial: TinyTrial | None = None, *, wire: str | None = None, **more: Any) -> Any:
    more.setdefault("batch", SOON)
    more.setdefault("concurrency", 100)
    role = more.pop("role", None) or role_settings(url, wire=wire)
    return run_tiny(folder, url, trial or TinyTrial(), role=role, **more)


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / BATCHES).read_text().splitlines()]


@every_wire
def test_what_is_asked_at_the_same_time_is_one_batch(tmp_path: Path, wire: str | None) -> None:
    with ScriptedServer() as server:
        end = batched(tmp_path / "batched", server.url, TinyTrial(7, talk()), wire=wire)
        assert server.batches.sizes == [7, 7, 7]
        assert server.refused == []
        alone = run_tiny(
            tmp_path / "alone", server.url, TinyTrial(7, talk()), role=role_settings(server.url, wire=wire)
        )
    assert {r.outcome for r in end.records.values()} == {Outcome.PASS}
    for key, record in end.records.items():
        assert (record.reason, record.usage) == (alone.records[key].reason, alone.records[key].usage)
    told = lines(tmp_path / "batched")
    assert [line.get("ended") for line in told] == [None, "came back, 0 of 7 without answer"] * 3
    # What was used is not kept.
    assert not (tmp_path / "batched" / ANSWERS).exists()


def test_what_is_sent_is_what_would_be_sent_alone(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        batched(tmp_path / "a", server.url, TinyTrial(1, talk()), role=role_settings(server.url, effort="high"))
        run_tiny(
            tmp_path / "b",
            server.url,
            TinyTrial(1, talk()),
            role=role_settings(server.url, effort="high", stream="off"),
        )
    sent = [r.sent for r in server.requests]
    assert sent[:3] == sent[3:]


async def work_and_vote(job: Any, context: Any) -> SampleResult:
    """A tool loop of two turns, and a vote on it."""
    done = await talk(2)(job, context)
    vote = await context.model(Role.JUDGE)([{"role": "user", "content": f"{job.sample}: {done.reason}"}])
    return SampleResult(outcome=Outcome.PASS, reason=vote.text)


def judged(folder: Path, url: str, **more: Any) -> RunPlan:
    roles: dict[str, RoleSettings] = {role: role_settings(url, role) for role in (Role.AGENT, Role.JUDGE)}
    policy = replace(SOON, agent=False)
    settings = RunSettings(folder=folder, retry=QUICK, batch=policy, **{"concurrency": 100, **more})
    return RunPlan(TinyTrial(4, work_and_vote), roles, settings)


def test_votes_wait_for_a_batch_and_turns_of_a_tool_loop_do_not(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        end = run_trials([judged(tmp_path, server.url)])[0]
        assert server.batches.sizes == [4]
        assert server.count() == 12
    assert {r.outcome for r in end.records.values()} == {Outcome.PASS}


def test_work_whose_votes_were_out_when_the_run_was_interrupted_is_not_done_again(tmp_path: Path) -> None:
    troubles: dict[int, Any] = {1: "endless"}
    with ScriptedServer(Script(batching=Batching(troubles=troubles))) as server:
        asyncio.run(_interrupted(judged(tmp_path, server.url), lambda: bool(server.batches.sizes)))
        troubles.clear()
        server.batches.batches["batch_1"].trouble = None
        end = run_trials([judged(tmp_path, server.url)])[0]
        assert server.batches.sizes == [4]
        assert server.count() == 12
    assert {r.outcome for r in end.records.values()} == {Outcome.PASS}
    sessions = read_manifest(tmp_path / "manifest.json").sessions
    spent = sum(u.input_tokens + u.output_tokens for r in end.records.values() for u in r.usage.values())
    assert sum(s.tokens for s in sessions) == spent


def test_a_batch_does_not_wait_long_for_a_sample_at_work(tmp_path: Path) -> None:
    async def slow(job: Any, context: Any) -> SampleResult:
        if job.sample == "0":
            while len(server.batches.sizes) < 1:
                await asyncio.sleep(0.01)
        return await talk(1)(job, context)

    with ScriptedServer() as server:
        batched(tmp_path, server.url, TinyTrial(4, slow), batch=SOON)
        assert server.batches.sizes == [3, 1]


def test_a_batch_is_as_large_as_the_provider_takes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worktrial.engine.batch.providers.OpenAIBatches.most", 3)
    with ScriptedServer() as server:
        batched(tmp_path, server.url, TinyTrial(8, talk(1)))
        assert sorted(server.batches.sizes) == [2, 3, 3]
    monkeypatch.setattr("worktrial.engine.batch.providers.OpenAIBatches.largest", 700)
    with ScriptedServer() as server:
        batched(tmp_path / "bytes", server.url, TinyTrial(8, talk(1)))
        assert sorted(server.batches.sizes) == [2, 2, 2, 2]


def test_two_roles_have_a_batch_each(tmp_path: Path) -> None:
    async def ask_both(job: Any, context: Any) -> SampleResult:
        both = [context.model(role)([{"role": "user", "content": job.sample}]) for role in (Role.AGENT, Role.JUDGE)]
        await asyncio.gather(*both)
        return SampleResult(outcome=Outcome.PASS, reason="")

    with ScriptedServer() as server:
        roles: dict[str, RoleSettings] = {
            Role.AGENT: role_settings(server.url),
            Role.JUDGE: role_settings(server.url, Role.JUDGE, wire="anthropic"),
        }
        settings = RunSettings(folder=tmp_path, retry=QUICK, batch=SOON, concurrency=9)
        run_trials([RunPlan(TinyTrial(4, ask_both), roles, settings)])
        assert server.batches.sizes == [4, 4]
        assert {name.partition("_")[0] for name in server.batches.batches} == {"batch", "msgbatch"}


@every_wire
@pytest.mark.parametrize(
    ("trouble", "sizes"), [("expired", [6, 3]), ("damaged", [6, 1]), ("unanswered", [6, 1]), ("stranger", [6])]
)
def test_what_comes_back_without_answer_is_asked_again(
    tmp_path: Path, wire: str | None, trouble: Any, sizes: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedServer(Script(batching=Batching(troubles={1: trouble}))) as server:
        end = batched(tmp_path, server.url, TinyTrial(6, talk(1)), wire=wire)
        assert server.batches.sizes == sizes
        assert server.count() == 6 + (sum(sizes) - 6) * (trouble != "expired")
    assert {r.outcome for r in end.records.values()} == {Outcome.PASS}
    said = capsys.readouterr().err
    assert ("2 results of batch" in said) == (trouble == "damaged")
    assert ("1 results of batch" in said and "did not hold" in said) == (trouble == "stranger")


@every_wire
def test_errors_of_single_requests_follow_the_usual_rules(tmp_path: Path, wire: str | None) -> None:
    def fails(request: Any) -> Any:
        said = request.messages[-1]["content"]
        if said == "1" and request.number < 4:
            return error_reply(500, "Out of order.")
        return error_reply(400, "maximum context length exceeded") if said == "2" else None

    with ScriptedServer(Script(agent=fails)) as server:
        end = batched(tmp_path, server.url, TinyTrial(4, talk(1)), wire=wire)
        assert server.batches.sizes == [4, 1]
    outcomes = [end.records[str(n), 0, "E0"] for n in range(4)]
    assert [r.outcome for r in outcomes] == [Outcome.PASS, Outcome.PASS, Outcome.INVALID, Outcome.PASS]
    assert "context" in outcomes[2].reason
    assert end.retries == 1


def test_a_schema_that_is_refused_is_given_up_for_all(tmp_path: Path) -> None:
    from tests.support.script import Endpoint

    async def with_schema(job: Any, context: Any) -> SampleResult:
        schema = {"type": "object", "properties": {"word": {"type": "string"}}}
        await context.model(Role.AGENT)([{"role": "user", "content": job.sample}], schema=schema)
        return SampleResult(outcome=Outcome.PASS, reason="")

    with ScriptedServer(Script(endpoint=Endpoint(supports_json_schema=False))) as server:
        end = batched(tmp_path, server.url, TinyTrial(3, with_schema))
    assert {r.outcome for r in end.records.values()} == {Outcome.PASS}


@every_wire
def test_a_cancelled_batch_ends_the_run_and_its_answers_are_kept(tmp_path: Path, wire: str | None) -> None:
    with ScriptedServer(Script(batching=Batching(troubles={1: "cancelled"}))) as server:
        with pytest.raises(StopRun, match=r"was cancelled at the provider. What came back is kept"):
            batched(tmp_path, server.url, TinyTrial(6, talk(1)), wire=wire)
        end = batched(tmp_path, server.url, TinyTrial(6, talk(1)), wire=wire)
        assert server.batches.sizes == [6, 3]
        assert server.count() == 6
    assert {r.outcome for r in end.records.values()} == {Outcome.PASS}


@pytest.mark.parametrize(("wire", "name"), [(None, "batch_1"), ("gemini", "batches/1")])
def test_a_refused_batch_ends_the_run_with_the_providers_words(tmp_path: Path, wire: str | None, name: str) -> None:
    with ScriptedServer(Script(batching=Batching(troubles={1: "failed"}))) as server:
        with pytest.raises(StopRun, match=rf"batch {name} was refused: Enqueued token limit"):
            batched(tmp_path, server.url, wire=wire)
        batched(tmp_path, server.url, wire=wire)
        assert server.batches.sizes == [4, 4]


@every_wire
def test_an_endpoint_without_batches_says_so_in_one_sentence(tmp_path: Path, wire: str | None) -> None:
    with ScriptedServer(Script(batching=Batching(supported=False))) as server:
        with pytest.raises(StopRun, match=r"has no batch interface \(404\)\. Leave out batch"):
            batched(tmp_path / "run", server.url, wire=wire)
        assert server.count() == 0
    assert not (tmp_path / "run").exists()


async def _interrupted(plan: RunPlan, ready: Any) -> None:
    task = asyncio.ensure_future(run_trials_async([plan]))
    while not ready():
        await asyncio.sleep(0.005)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@every_wire
@pytest.mark.parametrize("after", [1, 2, 3])
def test_an_interrupted_run_goes_on_with_the_batch_in_flight(tmp_path: Path, wire: str | None, after: int) -> None:
    trial = TinyTrial(5, talk(3))
    troubles: dict[int, Any] = {after: "endless"}
    price = (1.0, 10.0)
    with ScriptedServer(Script(batching=Batching(troubles=troubles))) as server:
        role = role_settings(server.url, wire=wire, price=price)
        plan = RunPlan(
            trial, {Role.AGENT: role}, RunSettings(folder=tmp_path, retry=QUICK, batch=SOON, concurrency=9)
        )
        asyncio.run(_interrupted(plan, lambda: len(server.batches.sizes) == after))
        assert len(lines(tmp_path)) == 2 * after - 1
        troubles.clear()
        server.batches.batches[[*server.batches.batches][-1]].trouble = None
        with pytest.raises(SettingError, match="1 batches of this run are in flight"):
            batched(tmp_path, server.url, trial, role=role, batch=None)
        end = batched(tmp_path, server.url, trial, role=role)
        assert server.batches.sizes == [5, 5, 5]
        assert server.count() == 15
    assert {r.outcome for r in end.records.values()} == {Outcome.PASS}
    # Each sample has the cost of all its requests, and the run paid each once.
    sessions = read_manifest(tmp_path / "manifest.json").sessions
    assert sum(s.tokens for s in sessions) == sum(r.input_tokens + r.output_tokens for r in end.records.values())
    assert sum(s.cost for s in sessions) == pytest.approx(sum(r.cost or 0 for r in end.records.values()))


def test_interrupted_while_a_batch_is_created(tmp_path: Path) -> None:
    """Its creation is seen to the end, so that it is on record."""
    with ScriptedServer() as server:
        plan = RunPlan(
            TinyTrial(3, talk(1)),
            {Role.AGENT: role_settings(server.url)},
            RunSettings(folder=tmp_path, retry=QUICK, batch=replace(SOON, first_look=60), concurrency=9),
        )
        asyncio.run(_interrupted(plan, lambda: bool(server.batches.calls)))
        assert server.batches.sizes == [3]
        assert [line["batch"] for line in lines(tmp_path)] == ["batch_1"]
        batched(tmp_path, server.url, TinyTrial(3, talk(1)))
        assert server.batches.sizes == [3]


def test_a_creation_without_an_answer_is_not_made_twice(tmp_path: Path) -> None:
    for wire in ("anthropic", None):
        with ScriptedServer(Script(batching=Batching(troubles={1: "dropped"}))) as server:
            with pytest.raises(StopRun, match="may have taken it in all the same"):
                batched(tmp_path / str(wire), server.url, wire=wire)
            assert server.batches.sizes == [4]


def test_a_batch_that_never_ends_is_left_in_flight(tmp_path: Path) -> None:
    with ScriptedServer(Script(batching=Batching(troubles={1: "endless"}))) as server:
        with pytest.raises(StopRun, match=r"has not ended after 5 looks. It stays in flight"):
            batched(tmp_path, server.url, batch=replace(SOON, looks=5))
        server.batches.batches["batch_1"].trouble = None
        batched(tmp_path, server.url)
        assert server.batches.sizes == [4]


def test_an_invalid_sample_is_asked_anew_when_the_run_is_resumed(tmp_path: Path) -> None:
    said = iter([error_reply(400, "content_filter"), None])
    with ScriptedServer(Script(agent=lambda request: next(said, None))) as server:
        end = batched(tmp_path, server.url, TinyTrial(1, talk(1)))
        assert [r.outcome for r in end.records.values()] == [Outcome.INVALID]
        end = batched(tmp_path, server.url, TinyTrial(1, talk(1)))
        assert [r.outcome for r in end.records.values()] == [Outcome.PASS]
        assert server.batches.sizes == [1, 1]


@every_wire
def test_keys_are_in_no_file(tmp_path: Path, wire: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED", KEY)
    with ScriptedServer(Script(agent=lambda request: completion(f"I know {KEY}."))) as server:
        role = role_settings(server.url, wire=wire, api_key_env="PLANTED")
        batched(tmp_path, server.url, TinyTrial(2, talk(2)), role=role)
    assert KEY.encode() not in all_bytes(tmp_path)


def test_a_wrong_key_is_said_without_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED", KEY)
    with ScriptedServer() as server:

        async def refuses(http: Any) -> Any:
            return error_reply(401, f"{http.headers['Authorization']} is wrong") if "files" in http.path else None

        server.batches.handle = refuses  # type: ignore[method-assign]
        with pytest.raises(StopRun, match=r"\[key\] is wrong") as caught:
            batched(tmp_path, server.url, role=role_settings(server.url, api_key_env="PLANTED"))
    assert "PLANTED" in str(caught.value)


def test_calls_of_the_interface_are_tried_again(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        handle, seen = server.batches.handle, []

        async def busy(http: Any) -> Any:
            seen.append(http.path)
            if http.path.startswith(("/v1/files", "/v1/batches")) and len(seen) % 3 == 1:
                return error_reply(503, "Busy.")
            return await handle(http)

        server.batches.handle = busy  # type: ignore[method-assign]
        end = batched(tmp_path, server.url)
        assert server.batches.sizes == [4]
    assert {r.outcome for r in end.records.values()} == {Outcome.PASS}


@pytest.mark.parametrize(
    ("role", "said"),
    [
        (RoleSettings(role=Role.SIMULATOR, model="m", base_url="http://localhost:9/v1"), "can wait a day"),
        (RoleSettings(role=Role.AGENT, model="local"), "agent local has no batches"),
        (RoleSettings(role=Role.JUDGE, model="m", base_url="http://localhost:9", stream="on"), "judge_stream on"),
    ],
)
def test_roles_without_batches_are_refused_in_one_sentence(tmp_path: Path, role: RoleSettings, said: str) -> None:
    settings = RunSettings(folder=tmp_path / "run", batch=SOON)
    with pytest.raises(SettingError, match=said):
        run_trials([RunPlan(TinyTrial(), {role.role: role}, settings)])
    assert not (tmp_path / "run").exists()


def test_a_wire_without_batches_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(MAKERS, "gemini")
    role = RoleSettings(role=Role.AGENT, model="m", base_url="http://localhost:9", wire="gemini")
    test_roles_without_batches_are_refused_in_one_sentence(tmp_path, role, "none for gemini")


def test_progress_tells_how_many_are_back(tmp_path: Path) -> None:
    shown: list[str] = []

    def watch(tally: Tally) -> None:
        shown.append(tally.line())

    with ScriptedServer(Script(batching=Batching(looks=3))) as server:
        plan = RunPlan(
            TinyTrial(6, talk(1)),
            {Role.AGENT: role_settings(server.url)},
            RunSettings(folder=tmp_path, retry=QUICK, batch=SOON, concurrency=9),
        )
        run_trials([plan], progress=watch)
    batch = [re.sub(r".* · ", "", line) for line in shown if "batch" in line]
    assert batch[0] == "batch 1: sending 6"
    assert "batch 1: 3 of 6 back" in batch
    assert "batch" not in shown[-1]


def test_batches_have_the_price_that_the_list_says() -> None:
    usage = Usage(1, 100_000, 10_000, 20_000, 10_000)
    for model, share in (("anthropic/claude-sonnet-5", 0.5), ("openai/gpt-5", 0.5)):
        role = RoleSettings(role=Role.AGENT, model=model).resolved()
        alone, batch = price_for(role), price_for(replace(role, batch=True))
        assert alone is not None and batch is not None
        assert batch(usage) == pytest.approx(share * (alone(usage) or 0))
    # What the user says is paid is what is paid.
    given = price_for(replace(role, batch=True, price=(1.0, 2.0)))
    assert given is not None
    assert given(usage) == pytest.approx(0.12)
