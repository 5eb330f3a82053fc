"""The whole published benchmark under every mode, and a third of it by an agent that makes more calls."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import at, samples_of, worktrial
from tests.support.data import real_data_dir
from tests.support.run_files import work_of
from tests.support.scripted_process import ScriptedProcess

pytestmark = [pytest.mark.real_data, pytest.mark.slow]


def _run(folder: Path, calls: int, *words: Any) -> list[dict[str, Any]]:
    data = real_data_dir() / "occubench"
    with ScriptedProcess(script=["judge:HappyJudge(pass_share=0.6)"], tool_calls=calls) as server:
        options = ["--faults", "all", "--concurrency", 32, "-o", folder, *words]
        ran = worktrial("run", "occupations", "--data", data, *at(server.url), *options)
    assert ran.code == 0, ran.err
    return samples_of(folder)


def test_one_schedule_for_two_agents_and_a_row_for_every_degraded_call(tmp_path: Path) -> None:
    plans = []
    for name, made, tasks in (("short", 3, 382), ("long", 6, 128)):
        records = _run(tmp_path / name, made, "--limit", tasks)
        assert Counter(r["condition"] for r in records) == dict.fromkeys(("E0", "E1", "E2", "E3"), tasks)
        plans.append({(r["sample"], r["condition"]): r["fault_plan"] for r in records})
        ledgers = {(r["sample"], r["condition"]): r for r in records}
        for line in work_of(tmp_path / name):
            record = ledgers[line["sample"], line["condition"]]
            seen = {c["index"]: c["observation"]["fault"] for c in line["calls"] if c["observation"]["fault"]}
            assert seen == {row["call"]: row["kind"] for row in record["fault_ledger"]}
            spared = {row["call"] for row in record["fault_misses"] if "call" in row}
            planned = {e["first"] + n for e in record["fault_plan"] for n in range(e["length"])}
            assert planned & set(range(record["calls"])) == seen.keys() | spared
        degraded = Counter(r["condition"] for r in records for _ in r["fault_ledger"])
        assert degraded["E0"] == 0 and min(degraded[m] for m in ("E1", "E2", "E3")) > tasks
    assert plans[1].items() <= plans[0].items()
