"""Order in which one process takes the samples of a run, so that its shards can be put into it."""

from array import array
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt

from worktrial.engine.growth import AskedOrder
from worktrial.engine.manifest import Asked, Manifest
from worktrial.engine.record import Key
from worktrial.engine.shard import shard_number
from worktrial.errors import SettingError

MOST_SAMPLES = 100_000_000


class JobOrder:
    """Ranks of the samples that a run was asked for: task by task, its repeats, their conditions.

    Args:
        manifests: Of the run's shards; there may be fewer than it has.

    Raises:
        SettingError: more samples were asked for than a run can have.
    """

    def __init__(self, manifests: Sequence[Manifest]) -> None:
        asks: list[Asked] = []
        for session in (session for manifest in manifests for session in manifest.sessions):
            asked = session.asked
            if asked is not None and not any(_same(asked, other) for other in asks):
                asks.append(asked)
        self.slots = 0
        """Number of ranks; those that no sample has are none's."""
        self._asks: list[tuple[int, AskedOrder]] = []
        for asked in asks:
            self._asks.append((self.slots, AskedOrder(asked)))
            self.slots += self._asks[-1][1].size
        if self.slots > MOST_SAMPLES:
            raise SettingError(
                f"the run was asked for more than {MOST_SAMPLES:,} samples, which is more than can be"
            )

    @property
    def is_known(self) -> bool:
        """Whether the sessions say which samples they asked for; else the shards keep their own order."""
        return bool(self._asks)

    def rank(self, key: Key) -> int | None:
        """Rank of a sample; None where nobody asked for it."""
        for first, order in self._asks:
            if (found := order.rank(key)) is not None:
                return first + found
        return None

    def keys(self) -> Iterator[Key | None]:
        """Samples by rank; None where the sample has an earlier one, too."""
        for number, (_, order) in enumerate(self._asks):
            earlier = [other for _, other in self._asks[:number]]
            for key in order.samples():
                yield None if any(other.rank(key) is not None for other in earlier) else key

    def owners(self, of: int) -> npt.NDArray[np.uint16]:
        """Number of the shard of every rank; 0 where a rank is none's.

        Args:
            of: Number of shards.
        """
        numbers = array("H", (0 if key is None else shard_number(key, of) for key in self.keys()))
        return np.frombuffer(numbers, dtype=np.uint16) if numbers else np.zeros(0, np.uint16)

    def named(self, ranks: Sequence[int]) -> list[Key]:
        """Samples of `ranks`, which ascend."""
        found: list[Key] = []
        keys, at = self.keys(), 0
        for rank in ranks:
            key = next(islice(keys, rank - at, None))
            at = rank + 1
            assert key is not None  # a rank of somebody's
            found.append(key)
        return found


def _same(one: Asked, other: Asked) -> bool:
    return (one.tasks, one.repeats, one.conditions) == (other.tasks, other.repeats, other.conditions)
