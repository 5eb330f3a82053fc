"""Logs of Inspect: members of the archive have the reader's form, and come back as they were.

The reader itself checks them in `make test-interop`; here its fields are written down as far as we fill them.
"""

import io
import json
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.support.cli import command
from tests.support.made_runs import make_run
from tests.support.odd_work import odd_run
from tests.support.same_run import says_the_same, work

from worktrial.engine.stored import open_run

DATA = Path(__file__).parents[2] / "data"
# Fields that inspect-ai 0.3.285 requires, and the kinds of its events and messages.
NEEDED = {
    "sample": {"id", "epoch", "input", "target"},
    "model": {"event", "timestamp", "working_start", "model", "input", "tools", "tool_choice", "config", "output"},
    "tool": {"event", "timestamp", "working_start", "id", "function", "arguments", "result"},
    "info": {"event", "timestamp", "working_start", "data"},
    "score": {"event", "timestamp", "working_start", "score"},
    "error": {"event", "timestamp", "working_start", "error"},
}


def members(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name: json.loads(archive.read(name)) for name in archive.namelist()}


def check(path: Path) -> list[dict[str, Any]]:
    found = members(path)
    header = found.pop("header.json")
    start = found.pop("_journal/start.json")
    assert (header["version"], header["status"]) == (2, "success")
    assert start["eval"] == header["eval"]
    assert {"created", "task", "dataset", "model", "config"} <= header["eval"].keys()
    summaries = found.pop("summaries.json")
    assert {f"samples/{s['id']}_epoch_{s['epoch']}.json" for s in summaries} == found.keys()
    for sample in found.values():
        assert sample.keys() >= NEEDED["sample"]
        pool = sample["events_data"]["messages"]
        assert pool == sample["messages"]
        assert len({m["id"] for m in pool}) == len(pool)
        for message in pool:
            assert message["role"] in ("system", "user", "assistant", "tool")
        for event in sample["events"]:
            assert event.keys() >= NEEDED[event["event"]]
            for first, end in event.get("input_refs", []):
                assert 0 <= first <= end <= len(pool)
        assert bool(sample["scores"]) != ("error" in sample)
    return [*found.values()]


def runs(folder: Path) -> list[Path]:
    return [
        odd_run(folder / "odd"),
        make_run(
            folder / "hostile", tasks=6, hostile=True, seed=2, conditions=("E0", "E2"), invalid=0.3, repeats=2
        ),
        DATA / "runs" / "starter",
        DATA / "runs" / "occupations",
        DATA / "runs" / "documents",
    ]


def test_every_kind_of_run_has_the_form_and_comes_back_as_it_was(tmp_path: Path) -> None:
    for run in runs(tmp_path / "runs"):
        out, back = tmp_path / "out" / run.name, tmp_path / "back" / run.name
        ran = command("export", run, "--format", "inspect", "-o", out)
        assert ran.code == 0, ran.err
        records = open_run(run).records
        logs = sorted(out.iterdir())
        assert {log.name for log in logs} == {f"{run.name}.{r.condition.replace('/', '-')}.eval" for r in records}
        assert sum(len(check(log)) for log in logs) == len(records)
        again = command("import", out, "-o", back)
        assert again.code == 0, again.err
        says_the_same(run, back)


def test_conditions_are_never_mixed_and_figures_have_their_interval(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", tasks=12, conditions=("E0", "E2/3x1"), invalid=0.2, seed=5)
    command("export", run, "--format", "inspect", "-o", tmp_path / "out")
    for log in (tmp_path / "out").iterdir():
        header = members(log)["header.json"]
        condition = header["eval"]["metadata"]["condition"]
        records = [r for r in open_run(run).records if r.condition == condition]
        [score] = header["results"]["scores"]
        figures = {name: metric["value"] for name, metric in score["metrics"].items()}
        assert figures["accuracy"] == sum(r.outcome == "pass" for r in records) / len(records)
        assert figures["interval_low"] < figures["accuracy"] < figures["interval_high"]
        assert figures["invalid"] == sum(r.outcome == "invalid" for r in records) > 0
        assert header["results"]["total_samples"] == len(records)


def test_no_log_is_taken_for_a_retry_of_another(tmp_path: Path) -> None:
    two = [make_run(tmp_path / name, agent=name, tasks=2, conditions=("E0", "E2")) for name in ("one", "other")]
    command("export", *two, "--format", "inspect", "-o", tmp_path / "out")
    found = [members(log)["header.json"]["eval"]["task_id"] for log in (tmp_path / "out").iterdir()]
    assert len(set(found)) == len(found) == 4


def test_a_fault_is_an_event_after_the_call_it_spoilt(tmp_path: Path) -> None:
    odd_run(tmp_path / "run")
    command("export", tmp_path / "run", "--format", "inspect", "-o", tmp_path / "out")
    sample = members(tmp_path / "out" / "run.E2-3x2.eval")["samples/faulted_epoch_1.json"]
    assert [event["event"] for event in sample["events"]] == ["model", "tool", "info", "model", "score"]
    fault = sample["events"][2]["data"]
    assert (fault["fault"], fault["clean"], fault["call"]) == ("http_500", {"ok": 0}, sample["events"][1]["id"])


def zstd_archive(files: dict[str, Any]) -> bytes:
    """An archive as Inspect itself writes it: compression 93."""
    whole, directory = io.BytesIO(), b""
    for name, value in files.items():
        plain = json.dumps(value).encode()
        data = pa.Codec("zstd").compress(plain, asbytes=True)
        crc, place = zlib.crc32(plain), whole.tell()
        common = struct.pack("<HHHHHIIIHH", 63, 0, 93, 0, 0x21, crc, len(data), len(plain), len(name), 0)
        whole.write(b"PK\x03\x04" + common + name.encode() + data)
        directory += b"PK\x01\x02" + struct.pack("<H", 63) + common
        directory += struct.pack("<HHHII", 0, 0, 0, 0, place) + name.encode()
    place = whole.tell()
    whole.write(directory)
    whole.write(b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, len(files), len(files), len(directory), place, 0))
    return whole.getvalue()


FOREIGN = {
    "header.json": {"version": 2, "eval": {"model": "m", "task": "t"}},
    "samples/returns-00_epoch_2.json": {
        "id": "returns-00",
        "epoch": 2,
        "scores": {"match": {"value": "C"}},
        "messages": [
            {"role": "user", "content": "Take it back."},
            {
                "role": "assistant",
                "content": [{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": "Looking."}],
                "tool_calls": [
                    {"id": "1", "function": "get_order", "arguments": {"id": "O-1"}, "type": "function"}
                ],
            },
            {"role": "tool", "content": '{"order": 1}', "tool_call_id": "1"},
            {"role": "assistant", "content": "It is done."},
        ],
    },
}


def test_a_log_of_another_task_has_no_verdict_of_ours(tmp_path: Path) -> None:
    path = tmp_path / "other.eval"
    path.write_bytes(zstd_archive(FOREIGN))
    assert command("import", path, "--suite", "starter", "-o", tmp_path / "back").code == 0
    [(found, line)] = work(tmp_path / "back").values()
    assert (found.sample, found.repeat, found.outcome, found.invalid_reason) == (
        "returns-00",
        1,
        "invalid",
        "unjudged",
    )
    assert [(made["tool"], made["observation"]["content"]) for made in line["calls"]] == [
        ("get_order", {"order": 1})
    ]
    assert line["messages"][1]["reasoning_content"] == "Hm."
    assert (line["instruction"], line["answer"]) == ("Take it back.", "It is done.")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "File is not a zip file"),
        (b"PK\x03\x04 and no more", "File is not a zip file"),
        (zstd_archive({"x": 1}), "no log of Inspect: it has no header.json"),
        (zstd_archive({"header.json": {"eval": 1}}), "Expected `object`"),
        (zstd_archive({**FOREIGN, "samples/x.json": {"id": "x"}}), "missing required field `epoch`"),
        (zstd_archive(FOREIGN).replace(b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfe"), "damaged"),
        (zstd_archive({"header.json": {"eval": {"metadata": {"worktrial": {"format": 9}}}}}), "format 9"),
    ],
)
def test_a_damaged_log_is_named_and_nothing_is_left_behind(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "bad.eval"
    path.write_bytes(data)
    ran = command("import", path, "-o", tmp_path / "back")
    assert ran.code == 2 and str(path) in ran.err and said in ran.err, ran.err
    assert not (tmp_path / "back").exists()


def test_a_log_that_is_cut_anywhere_is_refused(tmp_path: Path) -> None:
    odd_run(tmp_path / "run")
    command("export", tmp_path / "run", "--format", "inspect", "-o", tmp_path / "out")
    [path] = (tmp_path / "out").iterdir()
    whole = path.read_bytes()
    for cut in range(0, len(whole), len(whole) // 20):
        path.write_bytes(whole[:cut])
        ran = command("import", path, "-o", tmp_path / "back")
        assert ran.code == 2 and str(path) in ran.err
    # Bytes that are wrong in the middle of a sample.
    path.write_bytes(whole[:2000] + b"\x00" * 40 + whole[2040:])
    assert command("import", path, "-o", tmp_path / "back").code == 2
