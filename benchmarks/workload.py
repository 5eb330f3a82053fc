"""The work that is measured: real tasks, a fixed number of tool calls each, three votes."""

import json
import math
from dataclasses import dataclass
from pathlib import Path

VOTES = 3


@dataclass(frozen=True, slots=True)
class Workload:
    """So many tasks with so many tool calls, so many of them at a time."""

    data: str
    """Folder of the OccuBench release."""
    tasks: tuple[str, ...]
    calls: int
    """Tool calls of each task."""
    concurrency: int
    """Tasks in flight."""
    memory: str = "history"

    @property
    def requests(self) -> int:
        """An agent's message before and after each call, the simulator's answer to each, and the votes."""
        return len(self.tasks) * (self.calls + 1 + self.calls + VOTES)

    def ideal_seconds(self, latency: float) -> float:
        """Wall-clock time if nothing but the endpoint's latency took any, in seconds.

        Within a task each request needs the answer to the one before; only the votes are asked for together.
        """
        rounds = math.ceil(len(self.tasks) / self.concurrency)
        return rounds * (2 * self.calls + 2) * latency

    def options(self, url: str, run: Path) -> list[str]:
        """The command line of `worktrial` for this work at `url`, stored in `run`."""
        who = [word for role in ("agent", "simulator", "judge") for word in (f"--{role}", f"{role}-1")]
        return [
            *("run", "occupations", "--data", self.data, "--tasks", ",".join(self.tasks)),
            *("--base-url", url, *who, "--votes", str(VOTES), "--parallel-votes"),
            *("--memory", self.memory, "--concurrency", str(self.concurrency), "-o", str(run)),
        ]


def spread_tasks(data: str, count: int) -> tuple[str, ...]:
    """The ids of `count` tasks, evenly spread over the release.

    Raises:
        ValueError: the release has fewer.
    """
    with (Path(data) / "eval_benchmark_solvable.jsonl").open(encoding="utf-8") as file:
        ids = [str(json.loads(line)["task_id"]) for line in file if line.strip()]
    if not 0 < count <= len(ids):
        raise ValueError(f"the release in {data} has {len(ids)} tasks; {count} were asked for")
    return tuple(ids[i * len(ids) // count] for i in range(count))
