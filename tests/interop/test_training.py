"""Splits of a run's tasks, for training."""

from worktrial.engine.trial import Job
from worktrial.interop.training import Catalogue


def test_splits_share_no_scenario() -> None:
    jobs = [Job(f"t{n}", repeat, {"scenario": f"s{n // 3}"}) for n in range(60) for repeat in range(2)]
    catalogue = Catalogue.of(jobs)
    train, test = (catalogue.tasks(split) for split in ("train", "test"))
    assert len(train) + len(test) == 60
    assert 0 < len(test) < len(train)
    assert {task.tags["scenario"] for task in train}.isdisjoint({task.tags["scenario"] for task in test})
    alone = Catalogue.of(jobs[:6])
    assert [len(alone.tasks(split)) for split in ("train", "test")] in ([3, 0], [0, 3])
