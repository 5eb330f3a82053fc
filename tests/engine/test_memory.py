"""How many samples the machine's memory admits, and how much of it there is."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.engine.rig import TinyTrial

from worktrial.engine import memory
from worktrial.engine.memory import admission, machine_memory

GIB = 2**30


@dataclass
class Heavy(TinyTrial):
    """Samples of 2.25 GiB each."""

    sample_memory: int = 9 * GIB // 4


def test_as_many_as_fit_into_the_share_and_at_least_one(monkeypatch: pytest.MonkeyPatch) -> None:
    there: list[int | None] = [24 * GIB]
    monkeypatch.setattr(memory, "machine_memory", lambda: there[0])
    found = admission(Heavy(), 0.8)
    assert found is not None
    assert found.samples == 8
    assert "2.25 GiB" in found.reason and "0.8 of the 24 GiB" in found.reason and "memory_share" in found.reason
    for share, samples in ((0.75, 8), (0.7499, 7), (4, 42), (0.01, 1)):
        assert (found := admission(Heavy(), share)) is not None
        assert found.samples == samples
    # Whoever says nothing takes nothing that counts.
    assert admission(TinyTrial(), 0.8) is None
    assert admission(Heavy(sample_memory=0), 0.8) is None
    there[0] = None
    assert admission(Heavy(), 0.8) is None


def test_a_cgroup_bounds_what_there_is(tmp_path: Path) -> None:
    membership, mount = tmp_path / "cgroup", tmp_path / "mounted"

    def limited(lines: str, **files: str) -> int | None:
        membership.write_text(lines)
        for place, text in files.items():
            path = mount.joinpath(*place.split("__"))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return machine_memory(membership, mount)

    whole = machine_memory(tmp_path / "none", mount)
    assert whole is not None
    assert limited("0::/one/two\n") == whole
    named = {"one__memory.max": "700\n", "one__two__memory.max": "max\n"}
    assert limited("0::/one/two\n", **named) == 700
    assert limited("0::/one/two\n", **{"one__two__memory.max": "600\n"}) == 600
    assert limited("0::/elsewhere\n") == whole
    # The host's path, seen from a container that sees its own cgroup only; and the first version of cgroups.
    assert limited("0::/host/path\n", **{"memory.max": "500\n"}) == 500
    older = {"memory__memory.limit_in_bytes": "9223372036854771712\n", "memory__a__memory.limit_in_bytes": "400\n"}
    assert limited("4:cpu,memory:/a\n3:cpuset:/\nno line of these\n", **older) == 400
    assert limited("4:memory:/b\n") == whole
