"""Runs to report on. A process of its own: `python -m benchmarks.report_runs ORDER`.

Prints, as a JSON list, the folders.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import msgspec
from tests.support.made_runs import make_run


@dataclass(frozen=True, slots=True)
class Order:
    """What to make."""

    into: str
    runs: int
    tasks: int
    calls: int
    """Of a sample; each makes a trajectory longer by about a kilobyte and a half."""
    trajectories: bool = True
    conditions: tuple[str, ...] = ("E0",)
    repeats: int = 1
    scenarios: bool = True
    """Whether tasks have one; without, each task varies on its own."""


def make(order: Order) -> list[str]:
    """The folders of the runs, each of another agent."""
    return [
        str(
            make_run(
                Path(order.into) / f"agent-{n}",
                agent=f"agent-{n}",
                tasks=order.tasks,
                calls=order.calls,
                skill=0.45 + 0.4 * n / max(1, order.runs),
                trajectories=order.trajectories,
                conditions=order.conditions,
                repeats=order.repeats,
                scenarios=order.scenarios,
            )
        )
        for n in range(order.runs)
    ]


if __name__ == "__main__":
    print(msgspec.json.encode(make(msgspec.json.decode(sys.argv[1], type=Order))).decode())
