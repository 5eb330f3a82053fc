import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.sandbox.sessions import missing_sandbox, needs_sandbox
from tests.workplaces.executable.ledger import DRAW, STATE, TOOLS

from worktrial.errors import DataError, SettingError
from worktrial.workplaces.executable.code import CodeFailure, CodeWorkplace, ScriptedEpisode
from worktrial.workplaces.executable.runner import SandboxedRunner
from worktrial.workplaces.handbook import Handbook
from worktrial.workplaces.session import Origin
from worktrial.workplaces.tools import Tool


def made(modules: dict[str, str] | None = None, **given: Any) -> CodeWorkplace:
    given = {"system_prompt": "Rules.", "initial_state": STATE, **given}
    return CodeWorkplace.build("ledger", {"tools": TOOLS, "draw": DRAW} if modules is None else modules, **given)


@pytest.fixture(scope="module", params=["sandboxed", "trusted"])
def home(request: pytest.FixtureRequest) -> CodeWorkplace:
    if request.param == "sandboxed" and (why := missing_sandbox()) is not None:
        pytest.skip(why)
    return made(trust=request.param == "trusted")


@pytest.fixture(scope="module")
def locked_in() -> Iterator[CodeWorkplace]:
    if (why := missing_sandbox()) is not None:
        pytest.skip(why)
    yield made()


def test_tools_are_described_without_running_here(home: CodeWorkplace) -> None:
    artifact = home.artifact
    assert [tool.name for tool in artifact.tools] == ["get_claim", "decide", "misbehave"]
    tool = artifact.tool("get_claim")
    assert tool is not None and tool.writes is False
    assert tool.description == "Look a claim up."
    assert tool.parameters["required"] == ["claim_id"]
    assert tool.example_output == {"claim": {"status": "OPEN", "amount": 0.0}}
    assert artifact.initial_state["claims"]["K-1"] == {"status": "OPEN", "amount": 0.0}
    assert home.citations == {"tools.get_claim": ["C-01"]}


def test_a_call_made_again_is_held_against_its_schema_once(monkeypatch: pytest.MonkeyPatch) -> None:
    home, looked_at = made(trust=True), []
    monkeypatch.setattr(Tool, "problems", lambda tool, given: (looked_at.append(given), [])[1])
    for _ in range(2):
        asyncio.run(home.open().call("get_claim", {"claim_id": "K-1"}))
    assert looked_at == [{"claim_id": "K-1"}]


async def episode(home: CodeWorkplace) -> list[Any]:
    session = home.open()
    calls = [
        ("get_claim", {"claim_id": "K-2"}),
        ("get_claim", {"claim_id": "K-9"}),
        ("decide", {"claim_id": "K-2", "amount": 500}),
        ("decide", {"claim_id": "K-2", "amount": 50}),
        ("decide", {"claim_id": "K-2", "amount": 5.0}),
        ("decide", {"claim_id": "K-2"}),
        ("dance", {}),
    ]
    seen = [(await session.call(tool, given)) for tool, given in calls]
    return [[(o.content, o.origin) for o in seen], session.state]


def test_a_session_is_one_of_the_workplace(home: CodeWorkplace) -> None:
    seen, state = asyncio.run(episode(home))
    origins = [origin for _, origin in seen]
    assert origins == [Origin.EXECUTABLE] * 4 + [Origin.REFUSAL] * 3
    assert seen[1][0] == {"error": {"type": "unknown_claim", "message": "There is no claim K-9."}}
    # The write that failed half-way has left nothing behind.
    assert seen[2][0]["error"]["type"] == "too_much"
    assert state["claims"]["K-2"] == {"status": "DECIDED", "amount": 50.0}
    assert state["claims"]["K-1"] == {"status": "OPEN", "amount": 0.0}


@needs_sandbox
def test_both_ways_say_the_same() -> None:
    assert asyncio.run(episode(made())) == asyncio.run(episode(made(trust=True)))


def test_a_session_goes_on_in_another_state(home: CodeWorkplace) -> None:
    session = home.open()
    session.restore({"clock": "later", "claims": {}})
    assert session.state == {"clock": "later", "claims": {}}
    with pytest.raises(ValueError, match=r"ledger cannot be in this state: .*clock"):
        session.restore({"claims": {}})


def test_episodes_know_nothing_of_each_other(home: CodeWorkplace) -> None:
    state = home.artifact.initial_state
    write, look = ("decide", {"claim_id": "K-1", "amount": 7}), ("get_claim", {"claim_id": "K-1"})
    batch = [
        ScriptedEpisode(state, [look, write, look]),
        ScriptedEpisode(state, [look]),
        ScriptedEpisode(state, [("get_claim", {})]),
    ]
    first, second, third = asyncio.run(home.episodes(batch))
    assert [call.changed for call in first.calls] == [False, True, False]
    assert first.calls[0].state == state
    assert first.calls[1].state == first.state != state
    assert first.state["claims"] == {**state["claims"], "K-1": {"status": "DECIDED", "amount": 7.0}}
    assert first.calls[2].content["claim"]["status"] == "DECIDED"
    assert second.calls[0].content["claim"]["status"] == "OPEN" and second.state == state
    assert third.calls[0].error and third.calls[0].origin is Origin.REFUSAL


def test_what_an_episode_leaves_out_has_its_defaults_after_a_write(home: CodeWorkplace) -> None:
    (done,) = asyncio.run(home.episodes([ScriptedEpisode(STATE, [("decide", {"claim_id": "K-2", "amount": 1})])]))
    assert done.state["claims"]["K-1"] == {"status": "OPEN", "amount": 0.0}


def test_a_read_that_writes_is_told_and_undone(home: CodeWorkplace) -> None:
    state = {**home.artifact.initial_state, "clock": "touches"}
    (done,) = asyncio.run(home.episodes([ScriptedEpisode(state, [("misbehave", {}), ("misbehave", {})])]))
    assert [(call.touched, call.changed) for call in done.calls] == [(True, False)] * 2
    assert done.state == state


@pytest.mark.parametrize(
    ("clock", "kind", "detail"),
    [
        ("endless", "endless", r"ledger\.misbehave: tools\.py, line 5\d: took more than 2,000,000 steps"),
        ("stubborn", "endless", r"misbehave: tools\.py, line 5\d: took more than 2,000,000 steps"),
        ("deep", "raised", "RecursionError"),
        ("memory", "memory", "more memory"),
        ("output", "output", "more than 4,194,304 bytes"),
        ("no_json", "no_json", "no JSON form"),
        ("no_object", "no_json", "no JSON object"),
        ("remembers", "remembers", "tools.SEEN was changed"),
        ("divides", "raised", r"tools.py, line \d+: ZeroDivisionError: division by zero"),
    ],
)
def test_misbehaviour_ends_its_own_episode_only(
    locked_in: CodeWorkplace, clock: str, kind: str, detail: str
) -> None:
    state = locked_in.artifact.initial_state
    look = ("get_claim", {"claim_id": "K-1"})
    batch = [
        ScriptedEpisode(state, [look]),
        ScriptedEpisode({**state, "clock": clock}, [look, ("misbehave", {}), look]),
    ]
    before, bad, after = asyncio.run(
        locked_in.episodes([*batch, ScriptedEpisode(state, [look, ("misbehave", {})])])
    )
    assert before.failure is None and after.failure is None and len(after.calls) == 2
    assert bad.failure is not None and bad.failure.kind == kind
    assert len(bad.calls) == 1
    with pytest.raises(CodeFailure, match=detail):
        raise bad.failure


def test_a_session_says_what_went_wrong(locked_in: CodeWorkplace) -> None:
    session = locked_in.open({**locked_in.artifact.initial_state, "clock": "divides"})
    with pytest.raises(CodeFailure, match=r"raised: ledger\.misbehave: tools\.py, line"):
        asyncio.run(session.call("misbehave", {}))


def test_states_are_drawn_by_seed(home: CodeWorkplace) -> None:
    first, again, other = (asyncio.run(home.draw(seed)) for seed in (1, 1, 2))
    assert first == again != other
    assert len(first["claims"]) == 39


def test_functions_are_called(home: CodeWorkplace) -> None:
    assert asyncio.run(home.call_function("draw", "twice", 4)) == {"twice": 8}
    with pytest.raises(CodeFailure, match=r"raised: ledger: draw.py has no thrice"):
        asyncio.run(home.call_function("draw", "thrice", 4))
    with pytest.raises(CodeFailure, match=r"the workplace has no atoms.py"):
        asyncio.run(home.call_function("atoms", "late"))


@needs_sandbox
def test_many_episodes_side_by_side_share_two_processes() -> None:
    runner = SandboxedRunner()
    home = made(runner=runner)

    async def work() -> list[str]:
        async def one(number: int) -> str:
            session = home.open()
            await session.call("decide", {"claim_id": "K-1", "amount": number})
            observation = await session.call("get_claim", {"claim_id": "K-1"})
            return str(observation.content["claim"]["amount"])

        return await asyncio.gather(*(one(number) for number in range(64)))

    assert asyncio.run(work()) == [f"{number}.0" for number in range(64)]
    assert len(runner._processes) <= 2


@needs_sandbox
def test_a_process_that_is_brought_down_costs_one_call() -> None:
    # Counts in one go, where no bound of the process's own can stop it.
    tools = TOOLS.replace('        case "endless":\n            while True:\n                pass\n', COUNTS)
    home = made({"tools": tools}, runner=SandboxedRunner(patience=2))
    state = home.artifact.initial_state
    counts, look = {**state, "clock": "counts"}, ("misbehave", {})
    before, bad, after = asyncio.run(
        home.episodes(
            [ScriptedEpisode(state, [look]), ScriptedEpisode(counts, [look]), ScriptedEpisode(state, [look])]
        )
    )
    assert before.failure is None and after.failure is None
    assert bad.failure is not None and bad.failure.kind == "endless"


COUNTS = """        case "counts":
            return {"sum": sum(range(10**12))}
"""


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        ("import os\n", "tools.py: line 1: imports os"),
        ("x = (\n", "is no Python"),
        ("", "has no tools"),
        (TOOLS.replace("claim_id: str)", "claim_id)"), "'claim_id' has no type annotation"),
        (TOOLS.replace('@reads(claim_id="K-1")', '@reads(claim_id="K-9")'), "its example call fails"),
        (TOOLS.replace('@reads(claim_id="K-1")', "@reads(claim_id=9)"), "its example call does not fit|fails"),
        (TOOLS.replace("SEEN: dict[str, int] = {}", "SEEN = 1 / 0"), "tools.py, line 8: ZeroDivisionError"),
        (TOOLS.replace("clock: str", "clock: int"), "the initial state does not fit: .*clock"),
    ],
)
@needs_sandbox
def test_code_that_cannot_be_a_workplace(tools: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        made({"tools": tools})


def test_no_sandbox_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SettingError, match=r"bubblewrap is not installed.*apt-get install.*give trust\."):
        made(runner=SandboxedRunner())


FRONT = "---\nsection: '4.2'\ntitle: Deadlines\nissued: 2031-01-02\nkind: paper\n"
PAPER = FRONT + "{more}---\nA claim has {{{{ 7 }}}} days.\n"


@pytest.fixture
def papers(tmp_path: Path) -> Handbook:
    (tmp_path / "deadlines.md").write_text(PAPER.format(more=""), encoding="utf-8")
    hidden = PAPER.format(more="private: true\n").replace("4.2", "9").replace("Deadlines", "Margins")
    (tmp_path / "margins.md").write_text(hidden, encoding="utf-8")
    return Handbook(tmp_path, templates=False)


@pytest.mark.parametrize("trust", [pytest.param(False, marks=needs_sandbox), True])
def test_the_handbook_is_in_the_workplace(papers: Handbook, trust: bool) -> None:
    home = made(handbook=papers, trust=trust)
    assert [tool.name for tool in home.artifact.tools][-2:] == ["search_handbook", "read_section"]
    search = home.artifact.tool("search_handbook")
    assert search is not None and search.writes is False
    session, state = home.open(), home.artifact.initial_state

    async def read() -> list[Any]:
        found = await session.call("search_handbook", {"query": "claim days"})
        shown = await session.call("read_section", {"section": "4.2"})
        hidden = await session.call("read_section", {"section": "9"})
        return [found.content, shown.content, hidden.content]

    found, shown, hidden = asyncio.run(read())
    assert [hit["section"] for hit in found["hits"]] == ["4.2"]
    # Papers of somebody's own are no templates.
    assert shown["text"] == "A claim has {{ 7 }} days."
    assert hidden["error"]["type"] == "unknown_section"
    batch = [
        ScriptedEpisode(state, [("decide", {"claim_id": "K-1", "amount": 1}), ("read_section", {"section": "4.2"})])
    ]
    (done,) = asyncio.run(home.episodes(batch))
    assert [call.changed for call in done.calls] == [True, False]
    assert done.calls[1].state == done.state


@needs_sandbox
def test_a_tool_called_as_one_of_the_handbook_is_refused(papers: Handbook) -> None:
    tools = TOOLS.replace("def misbehave(", "def read_section(").replace("return misbehave", "return read_section")
    with pytest.raises(DataError, match="read_section is one that the handbook brings"):
        made({"tools": tools}, handbook=papers)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "\n\nSEEN",
            "\n\n@functools.cache\ndef fee() -> int:\n    return 1\n\n\nSEEN",
            "tools.fee keeps its answers",
        ),
        (
            "\n\nSEEN",
            "\n\nclass Desk:\n    @functools.lru_cache\n    def fee(self) -> int:\n        return 1\n\n\nSEEN",
            "tools.Desk.fee keeps",
        ),
        ("\n\nSEEN", "\n\nNUMBERS = itertools.count()\nSEEN", "tools.NUMBERS is used up"),
        ("\n\nSEEN", "\n\nCHANCE = Random(3)\nSEEN", "tools.CHANCE is used up"),
    ],
)
def test_what_lasts_by_its_nature_is_refused(old: str, new: str, said: str) -> None:
    assert TOOLS.count(old) == 1
    source = "import functools\nimport itertools\nfrom random import Random\n" + TOOLS.replace(old, new)
    with pytest.raises(DataError, match=f"remembers: {said}"):
        CodeWorkplace.build("ledger", {"tools": source}, system_prompt="", initial_state=STATE, trust=True)


def test_what_is_asked_in_one_turn_goes_together_and_each_has_its_own_answer(locked_in: CodeWorkplace) -> None:
    state = locked_in.artifact.initial_state
    sent: list[int] = []
    runner = locked_in.runner
    assert isinstance(runner, SandboxedRunner)
    sending = runner._answers

    async def counted(key: str, requests: Any, states: Any) -> Any:
        sent.append(len(requests))
        return await sending(key, requests, states)

    async def work() -> list[Any]:
        clocks = [{**state, "clock": clock} for clock in ("2031-05-20", "divides", "2031-05-22")]
        asked = [locked_in.episodes([ScriptedEpisode(one, [("misbehave", {})])]) for one in clocks]
        waiting = [asyncio.ensure_future(one) for one in asked]
        gone = asyncio.ensure_future(locked_in.episodes([ScriptedEpisode(state)]))
        await asyncio.sleep(0)
        gone.cancel()
        return await asyncio.gather(*waiting)

    runner._answers = counted  # type: ignore[method-assign]
    try:
        for _ in range(2):  # a second loop begins anew
            (one,), (bad,), (other,) = asyncio.run(work())
            assert [one.calls[0].content["clock"], other.calls[0].content["clock"]] == ["2031-05-20", "2031-05-22"]
            assert bad.failure is not None and bad.failure.kind == "raised"
    finally:
        del runner._answers
    assert sent == [4, 4]


def test_what_schemas_refuse_is_looked_at_once_for_a_workplace_and_its_mutants() -> None:
    home = made(trust=True)
    wrong = [ScriptedEpisode(home.artifact.initial_state, [("decide", {"claim_id": "K-1", "amount": 2.5})])]
    (first,) = asyncio.run(home.episodes(wrong))
    mutant = home.with_module("tools", TOOLS.replace("amount > 100", "amount >= 100"))
    (second,) = asyncio.run(mutant.episodes(wrong))
    assert first.calls[0].content == second.calls[0].content
    assert first.calls[0].origin is second.calls[0].origin is Origin.REFUSAL
    assert mutant._known is home._known
    other = home.with_module("tools", TOOLS.replace("amount: int", "amount: float"))
    assert other._known is not home._known
    (third,) = asyncio.run(other.episodes(wrong))
    assert third.calls[0].content == {"decided": "K-1"}
