"""The desk without its page: time, pauses, journals, and what may be wrong with them."""

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import command, samples_of
from tests.support.run_files import work_of
from tests.support.viewing import up

import worktrial as wt
from worktrial.agents.episode import EpisodeOver
from worktrial.errors import DataError, SettingError
from worktrial.interop.episodes import drive
from worktrial.interop.serve.reception import Reception
from worktrial.interop.view import desk as desk_module
from worktrial.interop.view.desk import JOURNAL, DeskPaused, HumanDesk
from worktrial.interop.view.desk_server import person
from worktrial.trials import prepare


@asynccontextmanager
async def _seated(folder: Path, *, shows_verdict: bool = True, **options: Any) -> AsyncIterator[HumanDesk]:
    episodes = person("human:Ada")
    given = {"tasks": ["lab-00"], "output": folder, **options}
    async with drive(prepare("starter", episodes, given), episodes):
        reception = Reception(episodes, finish_tool=None)
        yield HumanDesk(
            reception, "starter", lambda: (0, 1), folder, shows_verdict=shows_verdict, leave=lambda: None
        )


class _Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> _Clock:
    made = _Clock()
    monkeypatch.setattr(desk_module, "time", made)
    return made


def _sample(desk: HumanDesk) -> desk_module.DeskSample:
    found = desk.position().sample
    assert found is not None
    return found


def test_time_stands_still_in_a_pause_and_goes_on_in_the_next_session(tmp_path: Path, clock: _Clock) -> None:
    left_out: list[float] = []

    async def first() -> None:
        async with _seated(tmp_path / "run") as desk:
            assert desk.position().state == "free"
            await desk.open()
            assert desk._guest is not None
            desk._guest.episode.leave_out = left_out.append
            clock.now += 10
            await desk.call("get_sop", {"topic": "booking"})
            desk.pause()
            desk.pause()
            clock.now += 500
            assert desk.position().state == "paused" and _sample(desk).seconds == 10
            for refused in (desk.call("get_sop", {"topic": "booking"}), desk.finish("x")):
                with pytest.raises(DeskPaused):
                    await refused
            desk.resume()
            desk.resume()
            clock.now += 7
            desk.note("so far")
            assert _sample(desk).seconds == 17 and left_out == [500]
            clock.now += 2
            desk.keep()

    async def second() -> None:
        async with _seated(tmp_path / "run") as desk:
            await desk.open()
            found = _sample(desk)
            assert (found.seconds, found.notes, found.told) == (19, "so far", "You go on where you left.")
            assert [call.tool for call in found.calls] == ["get_sop"]
            clock.now += 3
            await desk.finish("nothing done")
            last = desk.position().last
            assert last is not None and last.seconds == 22 and last.result is not None
            assert last.result["outcome"] == "fail" and last.result["checks"]
            assert desk.position().state == "done"

    asyncio.run(first())
    assert not (tmp_path / "run" / "samples.jsonl").read_bytes()
    asyncio.run(second())
    (record,), (line,) = samples_of(tmp_path / "run"), work_of(tmp_path / "run")
    assert record["seconds"] >= 19 and line["notes"] == "so far" and not (tmp_path / "run" / JOURNAL).exists()


def _left(folder: Path) -> Path:
    """A run whose only sample is open, after one call."""

    async def work() -> None:
        async with _seated(folder) as desk:
            await desk.open()
            await desk.call("get_sop", {"topic": "booking"})

    asyncio.run(work())
    return folder / JOURNAL


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda journal: journal["calls"][0].update(seen="0"), "Call 1 is answered otherwise than before"),
        (lambda journal: journal.update(sample="lab-99"), ""),
    ],
)
def test_a_journal_of_other_work(tmp_path: Path, spoil: Callable[[Any], None], told: str) -> None:
    journal = _left(tmp_path / "run")
    content = json.loads(journal.read_text())
    spoil(content)
    journal.write_text(json.dumps(content))

    async def work() -> None:
        async with _seated(tmp_path / "run") as desk:
            await desk.open()
            assert _sample(desk).told.startswith(told) and bool(_sample(desk).told) is bool(told)
            await desk.give_up()

    asyncio.run(work())
    assert samples_of(tmp_path / "run")[0]["reason"].startswith("abandoned: given up by the person")


@pytest.mark.parametrize("text", ["{", '{"sample": 5}', "[" * 100_000, '"\\ud800"'])
def test_a_damaged_journal_is_named(tmp_path: Path, text: str) -> None:
    journal = _left(tmp_path / "run")
    journal.write_text(text)

    async def work() -> None:
        async with _seated(tmp_path / "run") as desk:
            with pytest.raises(DataError, match=r"desk\.json: is no journal .*Remove it"):
                await desk.open()
            journal.unlink()
            await desk.open()

    asyncio.run(work())


def test_what_is_no_work_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    async def work() -> None:
        async with _seated(tmp_path / "run", shows_verdict=False) as desk:
            for early in (desk.call("get_sop", {}), desk.finish("x"), desk.give_up()):
                with pytest.raises(EpisodeOver):
                    await early
            for act in (desk.pause, desk.resume, lambda: desk.note("x")):
                with pytest.raises(EpisodeOver):
                    act()
            await desk.open()
            await desk.open()
            with pytest.raises(ValueError):
                await desk.finish("\ud800")
            with pytest.raises(ValueError):
                desk.note("\ud800")
            await desk.call("no_such_tool", ["odd"])
            assert _sample(desk).calls[0].is_error and desk.position().state == "working"
            await desk.finish("")
            last = desk.position().last
            assert last is not None and last.result is None

    asyncio.run(work())
    assert samples_of(tmp_path / "run")[0]["stop_reason"] == "empty_answer"


def test_words_that_make_no_sense(tmp_path: Path) -> None:
    for words, said in (
        (["--agent", "human:Ada", "--agent", "plan"], "a person works alone"),
        (["--agent", "plan", "--port", "0"], "--port is for a person at the desk"),
        (["--agent", "plan", "--hide-verdict"], "--hide-verdict is for a person"),
    ):
        ran = command("run", "starter", *words, "-o", tmp_path / "run")
        assert ran.code == 2 and said in ran.said
    with pytest.raises(SettingError, match="worktrial run SUITE --agent human:NAME"):
        wt.run("starter", "human:Ada", limit=1, output=tmp_path / "other")


def test_a_verdict_that_is_hidden_is_nowhere_to_be_seen(tmp_path: Path) -> None:
    run = tmp_path / "mine"
    words = ["run", "starter", "--tasks", "lab-00", "--agent", "human", "--hide-verdict", "-o", run]
    with up(*words) as (address, process):
        base = address.removesuffix("desk.html")

        def ask(rest: str, body: Any = None, kind: str = "application/json") -> str:
            data = None if body is None else json.dumps(body).encode()
            request = urllib.request.Request(base + rest, data, {"Content-Type": kind})
            with urllib.request.urlopen(request, timeout=30) as answer:
                return str(answer.read().decode())

        ask("desk/open", {})
        for rest, body, kind, status in (
            ("desk/finish", {"answer": "x"}, "text/plain", 415),
            ("desk/finish", {"answer": 5}, "application/json", 422),
            ("desk/calls", {"tool": "get_sop", "more": 1}, "application/json", 422),
            ("desk/nothing", {}, "application/json", 404),
        ):
            with pytest.raises(urllib.error.HTTPError) as refused:
                ask(rest, body, kind)
            assert refused.value.code == status
            refused.value.close()
        last = json.loads(ask("desk/finish", {"answer": "x"}))["last"]
        assert last["sample"] == "lab-00" and last["result"] is None
        assert "There is no run here yet" in ask("index.html") and json.loads(ask("desk/state"))["state"] == "done"
        ask("desk/leave", {})
        assert process.wait(30) == 0 and process.stdout is not None
        said = process.stdout.read()
    assert "the verdicts are in" in said and "fail" not in said and samples_of(run)[0]["outcome"] == "fail"
