"""Samples as spans at a collector: what is told, what is kept back, and what a broken collector does to a run."""

import json
import socket
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import command
from tests.support.collector import CollectedSpan, Collector, collector
from tests.support.own_suite import OwnSuite
from tests.support.scripted_server import ScriptedServer

import worktrial as wt
from worktrial.errors import SettingError

TASKS = ["lab-01", "returns-01"]
CONTENT = ("gen_ai.input", "gen_ai.output", "gen_ai.tool.call", "gen_ai.evaluation.explanation", "fault.clean")


def run(out: Path, url: str, agent: Any = "plan", **options: Any) -> wt.Run:
    return wt.run("starter", agent, out=out, **{"tasks": TASKS, "otlp": url, **options})


def parts(kept: Collector, root: CollectedSpan) -> tuple[CollectedSpan, list[CollectedSpan]]:
    """The agent's span, and those of its calls and requests."""
    [agent] = [span for span in kept.children(root) if span.attributes["gen_ai.operation.name"] == "invoke_agent"]
    return agent, kept.children(agent)


def test_every_sample_is_a_trace_that_says_what_its_record_does(tmp_path: Path) -> None:
    with collector() as kept:
        ran = run(tmp_path / "run", kept.url, faults="E0,E2")
    assert {path for path, _ in kept.requests} == {"/v1/traces"}
    assert (kept.resource["service.name"], kept.resource["service.version"]) == ("worktrial", wt.__version__)
    records = ran.run.records
    roots = {
        tuple(root.attributes[f"worktrial.{n}"] for n in ("sample", "repeat", "condition")): root
        for root in kept.roots()
    }
    assert roots.keys() == {record.key for record in records}
    assert len({root.trace for root in roots.values()}) == len(records) == 4
    faults = 0
    for record in records:
        root = roots[record.key]
        assert root.name == f"sample {record.sample}"
        assert root.attributes["worktrial.outcome"] == record.outcome
        assert root.attributes["openinference.span.kind"] == "CHAIN"
        agent, inside = parts(kept, root)
        assert (agent.name, agent.attributes["gen_ai.agent.name"]) == ("invoke_agent plan", "plan")
        calls = ran.trajectory(*record.key)["calls"]
        assert [(span.name, span.attributes["gen_ai.operation.name"]) for span in inside] == [
            (f"execute_tool {call['tool']}", "execute_tool") for call in calls
        ]
        assert root.began <= agent.began <= inside[0].began
        assert inside[-1].ended <= agent.ended <= root.ended
        for before, after in pairwise(inside):
            assert before.began <= before.ended <= after.began
        [(name, at, verdict)] = agent.events
        assert (name, at) == ("gen_ai.evaluation.result", root.ended)
        assert verdict == {
            "gen_ai.evaluation.name": "verdict",
            "gen_ai.evaluation.score.label": record.outcome,
            "gen_ai.evaluation.score.value": float(record.outcome == "pass"),
        }
        for span, call in zip(inside, calls, strict=True):
            fault = call["observation"].get("fault")
            assert span.events == (
                [] if fault is None else [("worktrial.fault", span.ended, {"worktrial.fault.kind": fault})]
            )
            assert ("error.type" in span.attributes) == ("error" in call["observation"]["content"])
            faults += fault is not None
    assert faults == sum(len(record.fault_ledger) for record in records) > 0


def test_models_are_asked_in_spans_of_their_own(tmp_path: Path) -> None:
    own = OwnSuite().write(tmp_path / "own")
    with ScriptedServer() as server, collector() as kept:
        models = dict.fromkeys(("simulator", "judge"), "scripted")
        ran = wt.run(own, "scripted", out=tmp_path / "run", base_url=server.url, otlp=kept.url, votes=2, **models)
        asked = server.count()
    assert len(ran.run.records) == len(kept.roots()) == 2
    chats = [span for span in kept.spans if span.attributes.get("gen_ai.operation.name") == "chat"]
    assert len(chats) == asked == sum(record.requests for record in ran.run.records) >= 8
    names = {span.id: span.attributes.get("gen_ai.operation.name") for span in kept.spans}
    for chat in chats:
        role = chat.attributes["worktrial.role"]
        # An agent is asked at work, a simulator within a call, and a judge when the work is over.
        assert names[chat.parent] == {"agent": "invoke_agent", "simulator": "execute_tool", "judge": None}[role]
        assert (chat.name, chat.attributes["gen_ai.request.model"]) == ("chat scripted", "scripted")
        told = (chat.attributes["gen_ai.provider.name"], chat.attributes["server.address"])
        assert told == ("openai", "127.0.0.1")
        assert chat.ended > chat.began
    for name in ("input_tokens", "output_tokens"):
        total = sum(span.attributes[f"gen_ai.usage.{name}"] for span in chats)
        assert total == sum(getattr(record, name) for record in ran.run.records) > 0


def test_content_is_sent_only_where_it_is_asked_for(tmp_path: Path) -> None:
    with collector() as kept:
        run(tmp_path / "without", kept.url, faults="E2")
        for span in kept.spans:
            for attributes in (span.attributes, *(event[2] for event in span.events)):
                assert not [name for name in attributes if name.startswith(CONTENT)]
        said = b"".join(kept.bodies)
        line = wt.load(tmp_path / "without").trajectory("returns-01", 0, "E2")
        assert line["answer"].encode() not in said
        kept.spans.clear()
        run(tmp_path / "with", kept.url, faults="E2", trace_content=True)
        [root] = [root for root in kept.roots() if root.attributes["worktrial.sample"] == "returns-01"]
        agent, inside = parts(kept, root)
        told = [
            (
                json.loads(s.attributes["gen_ai.tool.call.arguments"]),
                json.loads(s.attributes["gen_ai.tool.call.result"]),
            )
            for s in inside
        ]
        assert told == [(call["arguments"], call["observation"]["content"]) for call in line["calls"]]
        assert (
            agent.events[0][2]["gen_ai.evaluation.explanation"] == wt.load(tmp_path / "with").run.records[1].reason
        )


def test_the_invalid_and_the_broken_are_told_as_such(tmp_path: Path) -> None:
    async def agent(assignment: Any) -> str:
        await assignment.call("get_sample", {"sample_id": "none"})
        raise RuntimeError("no key is \ud800 set")

    with collector() as kept:
        run(tmp_path / "run", kept.url, agent, tasks=["lab-01"], trace_content=True)
    [root] = kept.roots()
    agent_span, [call] = parts(kept, root)
    assert root.failed
    assert call.attributes["error.type"] == "unknown_sample"
    verdict = agent_span.events[0][2]
    assert (verdict["gen_ai.evaluation.score.label"], verdict["error.type"]) == ("invalid", "agent_crash")
    assert "gen_ai.evaluation.score.value" not in verdict
    assert "no key is ? set" in verdict["gen_ai.evaluation.explanation"]


@pytest.mark.parametrize("status", [400, 500])
def test_a_collector_that_refuses_harms_nothing_and_is_named_once(
    tmp_path: Path, status: int, capfd: pytest.CaptureFixture[str]
) -> None:
    with collector(status) as kept:
        ran = run(tmp_path / "run", f"{kept.url}/v1/traces", repeats=40)
    assert [record.outcome for record in ran.run.records] == ["pass"] * 80
    said = capfd.readouterr().err
    assert said.count("spans are lost") == 1, said
    assert "Traceback" not in said
    assert kept.requests


def test_no_collector_at_all(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://me:password-of-mine@127.0.0.1:{free.getsockname()[1]}"
        ran = run(tmp_path / "run", url)
    assert len(ran.run.records) == 2
    said = capfd.readouterr().err
    assert said.count("spans are lost") == 1, said
    assert "password-of-mine" not in said
    assert "password-of-mine" not in (tmp_path / "run" / "manifest.json").read_text()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"otlp": "localhost:4318"}, "no address of a collector"),
        ({"otlp": "http://"}, "no address of a collector"),
        ({"otlp": "http://host:port"}, "no address of a collector"),
        ({"otlp": "http://me:password-of-mine@host:port"}, "no address of a collector"),
        ({"otlp": None, "trace_content": True}, "is about spans"),
    ],
)
def test_what_is_no_collector(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingError, match=said) as refused:
        wt.run("starter", "plan", tasks=TASKS, out=tmp_path / "run", **options)
    assert "password-of-mine" not in str(refused.value)


def test_without_it_nothing_of_it_is_loaded(tmp_path: Path) -> None:
    code = (
        "import sys, worktrial as wt; wt.run('starter', 'plan', tasks=['lab-01'], out=sys.argv[1]); "
        "print([m for m in sys.modules if m.startswith('opentelemetry')])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "run")], check=True, capture_output=True, text=True
    )
    assert ran.stdout.strip() == "[]"


def test_the_command_line(tmp_path: Path) -> None:
    with collector() as kept:
        ran = command("run", "starter", "--agent", "plan", "--limit", 2, "--otlp", kept.url, "-o", tmp_path / "run")
    assert ran.code == 0, ran.err
    assert len(kept.roots()) == 2
