"""Shards, and the run that they are together."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.engine.rig import TinyTrial, all_bytes
from tests.support.cli import Ran, command, count_lines, lines_of
from tests.support.run_files import records_in, store_work, work_of

from worktrial.engine.manifest import read_manifest
from worktrial.engine.record import SampleResult
from worktrial.engine.run import run_trial
from worktrial.engine.run_plan import RunSettings
from worktrial.engine.segments import segment_path
from worktrial.engine.shard import MOST_SHARDS, read_shard, shard_number
from worktrial.engine.trial import Job, SampleContext, ShardedTrial
from worktrial.errors import SettingError
from worktrial.grading import Outcome

FILES = ("samples.jsonl", "work")
STARTER = ("run", "starter", "--agent", "plan", "--limit", "24", "--repeats", "2", "--concurrency", "2")


def timeless(value: Any) -> Any:
    """`value` without the times in it."""
    if isinstance(value, dict):
        return {k: timeless(v) for k, v in value.items() if k not in ("seconds", "finished")}
    return [timeless(v) for v in value] if isinstance(value, list) else value


def key_of(line: dict[str, Any]) -> Any:
    return line["sample"], line["repeat"], line["condition"]


def read(folder: Path, name: str) -> list[dict[str, Any]]:
    """The records of a run without their places, or its work."""
    if name == FILES[1]:
        return work_of(folder)
    return [{k: v for k, v in line.items() if k not in ("work",)} for line in records_in(folder)]


def texts(folder: Path, name: str) -> list[str]:
    """The lines of a file without times, in their order."""
    return [json.dumps(timeless(line)) for line in read(folder, name)]


def by_key(folder: Path, name: str) -> list[str]:
    return [json.dumps(timeless(line)) for line in sorted(read(folder, name), key=key_of)]


def same_work(one: Path, other: Path) -> None:
    for name in FILES:
        assert by_key(one, name) == by_key(other, name)
    first, second = (read_manifest(run / "manifest.json") for run in (one, other))
    assert (first.suite, first.data, first.settings) == (second.suite, second.data, second.settings)
    assert (first.samples, first.shard) == (second.samples, second.shard)


def size_of(folder: Path) -> int:
    return read_manifest(folder / "manifest.json").samples


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--shard", "0/4", "-o", "x"], "--shard 0/4: there is no shard 0/4; K/N is 1/N to N/N"),
        (["--shard", "5/4", "-o", "x"], "--shard 5/4: there is no shard 5/4"),
        (["--shard", "half", "-o", "x"], "--shard half: is not K/N, such as 2/16"),
        (["--shard", "1/4"], "--shard 1/4: needs a folder of its own; name it with -o"),
        (["--shard", "1/4", "--agent", "idle"], "--shard: needs a folder of its own; name it with -o"),
    ],
)
def test_a_shard_that_cannot_be_is_refused(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = command(*STARTER, *words)
    assert (ran.code, [*tmp_path.iterdir()]) == (2, [])
    assert said in ran.err and "Traceback" not in ran.err


def test_shards_stay_the_same() -> None:
    keys = [("lab-01", 0, "E0"), ("lab-01", 1, "E0"), ("lab-01", 0, "E3/2x2"), ("작업", 0, "E0")]
    assert [shard_number(key, 16) for key in keys] == [11, 15, 7, 16]
    for of in (1, 2, 7, MOST_SHARDS):
        assert all(1 <= shard_number(key, of) <= of for key in keys)
        assert all(read_shard(f"{shard_number(key, of)}/{of}").holds(key) for key in keys)
    counts = [sum(shard_number((f"t{n}", 0, "E0"), 4) == k for n in range(4000)) for k in range(1, 5)]
    assert sum(counts) == 4000 and min(counts) > 900


async def work(job: Job, context: SampleContext) -> SampleResult:
    del context
    text = f"{job.sample} é {job.repeat}" * 3
    return SampleResult(outcome=Outcome.PASS, reason="so", trajectory={"text": text} if job.repeat < 2 else None)


def tiny(count: int = 12, repeats: int = 2, *, known: bool = True, does: Any = work, **more: Any) -> TinyTrial:
    class InOrder(TinyTrial):
        @property
        def jobs(self) -> list[Job]:
            return [Job(str(n), r, {}) for n in range(self.count) for r in range(self.repeats)]

    plan = {"tasks": [str(n) for n in range(count)], "repeats": repeats} if known else {}
    return InOrder(count, does, repeats, {"seed": 1, **plan, **more})


def run(folder: Path, trial: TinyTrial, shard: str | None = None) -> Path:
    whole = trial if shard is None else ShardedTrial(trial, read_shard(shard))
    run_trial(whole, {}, RunSettings(folder=folder, concurrency=1, command=(str(folder),)))
    return folder


def sharded(place: Path, trial: TinyTrial, of: int = 3) -> list[Path]:
    return [run(place / f"s{n}", trial, f"{n}/{of}") for n in range(1, of + 1)]


def merge(*words: object) -> Ran:
    return command("merge", *map(str, words))


@pytest.mark.parametrize("known", [True, False])
def test_what_is_merged_is_that_of_the_shards_one_after_the_other(known: bool, tmp_path: Path) -> None:
    one, shards = run(tmp_path / "one", tiny(known=known)), sharded(tmp_path, tiny(known=known), 5)
    assert merge(*shards, "-o", tmp_path / "all").code == 0
    for name in FILES:
        theirs = [line for shard in shards for line in texts(shard, name)]
        assert texts(tmp_path / "all", name) == theirs
        assert sorted(theirs) == sorted(texts(one, name))
    assert read_manifest(tmp_path / "all" / "manifest.json").samples == 24


def test_shards_that_grew_are_the_run_that_grew(tmp_path: Path) -> None:
    for trial in (tiny(4), tiny(6, 3)):
        one, shards = run(tmp_path / "one", trial), sharded(tmp_path, trial)
        assert merge(*shards, "-o", tmp_path / "all").code == 0
        for name in FILES:
            assert by_key(tmp_path / "all", name) == by_key(one, name)
    grown, alone = (read_manifest(tmp_path / name / "manifest.json") for name in ("all", "one"))
    assert grown.samples == alone.samples == 18
    assert grown.settings == alone.settings
    # One that did not grow with the others is not of their run.
    run(tmp_path / "s1", tiny(7, 3), "1/3")
    ran = merge(*shards, "-o", tmp_path / "all")
    assert (ran.code, 'samples.tasks: ["0","1"' in ran.err) == (2, True)


def test_the_last_line_of_a_sample_counts_and_torn_ones_do_not(tmp_path: Path) -> None:
    trial = tiny(6, 1)
    run(tmp_path / "one", trial)
    shards = sharded(tmp_path, trial, 2)
    lines = list(zip(records_in(shards[0]), work_of(shards[0]), strict=True))
    record, line = lines[0]
    again = {**record, "reason": "later"}, {**line, "text": line["text"].replace("é", "e")}
    store_work(shards[0], [*lines, again])
    for path in (shards[0] / FILES[0], segment_path(shards[0], 1)):
        with path.open("ab") as file:
            file.write(b'{"sample": "torn')
    # Killed between the trajectory and its sample, and never run again.
    own = [str(n) for n in range(6) if shard_number((str(n), 0, "E0"), 2) == 2]
    samples = (shards[1] / FILES[0]).read_bytes().splitlines(keepends=True)
    (shards[1] / FILES[0]).write_bytes(b"".join(line for line in samples if f'"{own[0]}"'.encode() not in line))
    said = merge(*shards, "-o", tmp_path / "all").err
    assert f"shard 2/2 lacks 1 of its {len(own)} samples: {own[0]} (repeat 0, E0)" in said
    assert "--partial merges what is there" in said
    assert merge(*shards, "-o", tmp_path / "all", "--partial").code == 0
    there = {line["sample"]: line for line in lines_of(tmp_path / "all" / FILES[0])}
    assert sorted(there) == sorted({*map(str, range(6))} - {own[0]})
    assert [line["reason"] for line in there.values()].count("later") == 1
    works = work_of(tmp_path / "all")
    assert {line["sample"] for line in works} == there.keys() and len(works) == 5
    [changed] = [line["sample"] for line in works if " e " in line["text"]]
    assert there[changed]["reason"] == "later"


def test_merging_again_changes_nothing_and_takes_what_came_meanwhile(tmp_path: Path) -> None:
    shards, out = sharded(tmp_path, tiny()), tmp_path / "all"
    assert merge(shards[2], shards[0], "--partial", "-o", out).code == 0
    fewer = count_lines(out / FILES[0])
    # What a merge that was killed leaves behind is nobody's run.
    left = tmp_path / ".all.merging"
    left.mkdir()
    (left / FILES[0]).write_bytes(b"half")
    assert merge(*shards, "-o", out).code == 0
    assert fewer < count_lines(out / FILES[0]) == 24 and not left.exists()
    before = all_bytes(out)
    assert merge(*reversed(shards), "-o", out).code == 0
    assert all_bytes(out) == before
    run(out, tiny(repeats=3))
    assert "has been worked on since" in merge(*shards, "-o", out).err
    assert count_lines(out / FILES[0]) == 36


def test_tracebacks_come_along(tmp_path: Path) -> None:
    shards = sharded(tmp_path, tiny(6, 1), 2)
    for n, shard in enumerate(shards):
        (shard / "tracebacks.txt").write_text(f"from {n}\n")
    assert merge(*shards, "-o", tmp_path / "all").code == 0
    assert (tmp_path / "all" / "tracebacks.txt").read_text() == "from 0\nfrom 1\n"


def _edit(folder: Path, **fields: Any) -> None:
    path = folder / "manifest.json"
    path.write_bytes(msgspec.json.encode({**json.loads(path.read_bytes()), **fields}))


def _other_version(folder: Path) -> None:
    sessions = json.loads((folder / "manifest.json").read_bytes())["sessions"]
    sessions[0]["versions"]["worktrial"] = "0.0.1"
    _edit(folder, sessions=sessions)


def _swap(folder: Path) -> None:
    """Records of the neighbour in this shard's folder."""
    shutil.copy(folder.with_name("s1") / FILES[0], folder / FILES[0])


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "another seed": (lambda s2: _edit(s2, settings={"seed": 2}), "trial.seed: 1 -> 2"),
    "other data": (lambda s2: _edit(s2, data={"fingerprint": "beef"}), 'not of one run: data: "f00d" -> "beef"'),
    "another suite": (lambda s2: _edit(s2, suite="other"), 'suite: "tiny" -> "other"'),
    "another version": (_other_version, "-> 0.0.1"),
    "another number of shards": (lambda s2: _edit(s2, shard={"number": 2, "of": 4}), "shard 1/3 and shard 2/4"),
    "twice": (lambda s2: _edit(s2, shard={"number": 3, "of": 3}), "are both shard 3/3; name each once"),
    "no shard": (lambda s2: _edit(s2, shard=None), "s2: is no shard of a run. Name folders that"),
    "no such shard": (lambda s2: _edit(s2, shard={"number": 7, "of": 3}), "there is no shard 7/3"),
    "no folder": (shutil.rmtree, "s2: no such folder"),
    "no run": (lambda s2: (s2 / "manifest.json").unlink(), "manifest.json: no such file"),
    "records of a neighbour": (_swap, "which is not of shard 2/3 of this run"),
    "damage": (lambda s2: (s2 / FILES[0]).write_bytes(b"{\n"), "samples.jsonl:1: damaged record"),
    "without samples": (lambda s2: (s2 / FILES[0]).unlink(), "shard 2/3 lacks 3 of its 3 samples: "),
    "a folder of something else": (lambda s2: (s2.with_name("all") / "x").mkdir(parents=True), "holds x"),
    "a run of its own": (lambda s2: run(s2.with_name("all"), tiny()), "was not merged from these shards"),
}


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    place = tmp_path_factory.mktemp("three")
    sharded(place, tiny(12, 1))
    return place


@pytest.mark.parametrize("bad", BAD)
def test_what_is_no_set_of_shards_is_refused(bad: str, three: Path, tmp_path: Path) -> None:
    spoil, said = BAD[bad]
    place = tmp_path / "place"
    shutil.copytree(three, place)
    spoil(place / "s2")
    before = all_bytes(place)
    ran = merge(place / "s1", place / "s2", place / "s3", "-o", place / "all")
    assert (ran.code, len(ran.err.splitlines())) == (2, 1)
    assert said in ran.err
    assert all_bytes(place) == before


def test_a_shard_is_not_replaced_by_the_run_and_one_may_be_all(three: Path, tmp_path: Path) -> None:
    ran = merge(three / "s1", three / "s2", three / "s3", "-o", three / "s3")
    assert (ran.code, "is one of the shards" in ran.err) == (2, True)
    alone = run(tmp_path / "s1", tiny(3, 1), "1/1")
    assert merge(alone, "-o", tmp_path / "all").code == 0
    assert texts(tmp_path / "all", FILES[0]) == texts(alone, FILES[0])


def test_a_shard_without_samples_is_a_shard(tmp_path: Path) -> None:
    shards = sharded(tmp_path, tiny(2, 1), 9)
    assert 0 in [size_of(shard) for shard in shards]
    assert merge(*shards, "-o", tmp_path / "all").code == 0
    assert count_lines(tmp_path / "all" / FILES[0]) == 2
    # The command says so, and ends well.
    number = shard_number(("lab-01", 0, "E0"), 2) % 2 + 1
    words = ("run", "starter", "--agent", "plan", "--tasks", "lab-01", "--shard", f"{number}/2")
    ran = command(*words, "-o", tmp_path / "empty")
    assert (ran.code, f"0 samples of shard {number}/2 · agent plan" in ran.err) == (0, True), ran.err


def test_shards_of_more_samples_than_can_be_are_refused(tmp_path: Path) -> None:
    alone = run(tmp_path / "s1", tiny(3, 1), "1/1")
    sessions = json.loads((alone / "manifest.json").read_bytes())["sessions"]
    sessions[0]["asked"]["repeats"] = 10**12
    _edit(alone, sessions=sessions)
    ran = merge(alone, "-o", tmp_path / "all")
    assert (ran.code, "more than 100,000,000 samples" in ran.err) == (2, True)


def test_words_that_are_no_shard() -> None:
    for words in ("1/99999", "1", "1/2/3", "-1/2", "1/0", "a/b", "1/1000000000000"):
        with pytest.raises(SettingError):
            read_shard(words)
