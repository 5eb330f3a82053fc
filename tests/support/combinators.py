"""When a behaviour applies: by request number, by turn, by conversation."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from tests.support.request import ScriptedRequest
from tests.support.script import Answer, Behaviour, Step


@dataclass(frozen=True)
class First(Behaviour):
    """`step`, for the first `times` requests that it answers."""

    step: Step

    def answer(self, request: ScriptedRequest) -> Answer:
        return self.step(request)


@dataclass(frozen=True)
class At(Behaviour):
    """`step`, only for the role's requests with these 0-based numbers."""

    numbers: Collection[int]
    step: Step

    def answer(self, request: ScriptedRequest) -> Answer:
        return self.step(request) if request.number_in_role in self.numbers else None


@dataclass(frozen=True)
class Every(Behaviour):
    """`step`, for every `n`-th request of the role, the first included."""

    n: int
    step: Step

    def answer(self, request: ScriptedRequest) -> Answer:
        return self.step(request) if request.number_in_role % self.n == 0 else None


@dataclass(frozen=True)
class OnTurn(Behaviour):
    """`step`, whenever the assistant message asked for is one of these 0-based turns of its conversation."""

    turns: Collection[int]
    step: Step

    def answer(self, request: ScriptedRequest) -> Answer:
        return self.step(request) if request.turn in self.turns else None


@dataclass(frozen=True)
class When(Behaviour):
    """`step`, for the requests that `wanted` picks."""

    wanted: Callable[[ScriptedRequest], bool]
    step: Step

    def answer(self, request: ScriptedRequest) -> Answer:
        return self.step(request) if self.wanted(request) else None


@dataclass(frozen=True)
class PerConversation(Behaviour):
    """The n-th request of each conversation gets the n-th of `steps`; later ones are left to the next step.

    Requests belong together when their messages agree up to the first of the user: the turns of a stay,
    the votes on one trajectory, an answer and its repair.
    """

    steps: Sequence[Step]
    key: Callable[[ScriptedRequest], object] = lambda request: request.opening

    def answer(self, request: ScriptedRequest) -> Answer:
        seen: Counter[object] = request.memory.setdefault((PerConversation, id(self)), Counter())
        key = self.key(request)
        n = seen[key]
        seen[key] += 1
        return self.steps[n](request) if n < len(self.steps) else None
