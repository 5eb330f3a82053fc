"""Stand-in for Ray that does its work in this process when it is waited for; a worker of it dies when told to."""

import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from types import ModuleType, SimpleNamespace
from typing import Any

from worktrial.scale.ray.page_work import PageOrder


class RayError(Exception):
    """As `ray.exceptions.RayError`."""


class RayTaskError(RayError):
    """As `ray.exceptions.RayTaskError`."""

    cause: Exception


class _Call:
    def __init__(self, do: Callable[[], Any]) -> None:
        self._do = do
        self._made: Future[Any] = Future()

    def future(self) -> "Future[Any]":
        if not self._made.done():
            try:
                self._made.set_result(self._do())
            except RayError as e:
                self._made.set_exception(e)
        return self._made


class _Actor:
    def __init__(self, object_: Any) -> None:
        self._object = object_

    def __getattr__(self, name: str) -> Any:
        def remote(*args: Any, **named: Any) -> _Call:
            return _Call(lambda: getattr(self._object, name)(*args, **named))

        return SimpleNamespace(remote=remote)


class StandIn(ModuleType):
    """The module `ray`, as far as a build asks for it.

    Args:
        dies: Whether a worker dies of this order.
    """

    def __init__(self, dies: Callable[[PageOrder], bool] = lambda order: False) -> None:
        super().__init__("ray")
        self.__version__ = "2.60.0"
        self.dies = dies
        self.orders: list[PageOrder] = []
        self.ends: list[Any] = []
        """Answers to them."""
        self.is_up = False
        self.exceptions = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError)
        strategies = SimpleNamespace(NodeAffinitySchedulingStrategy=lambda node, soft: None)
        self.util = SimpleNamespace(scheduling_strategies=strategies)

    def init(self, **named: Any) -> None:
        self.is_up = True

    def shutdown(self) -> None:
        self.is_up = False

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 2.0}

    def get_runtime_context(self) -> Any:
        return SimpleNamespace(get_node_id=lambda: "here")

    def nodes(self) -> list[dict[str, Any]]:
        return [{"NodeID": "here", "Alive": True}]

    def remote(self, what: Any) -> Any:
        def start(*args: Any) -> Any:
            return _Actor(what(*args)) if isinstance(what, type) else _Call(lambda: self._do(what, args))

        made = SimpleNamespace(remote=start)
        made.options = lambda **named: made
        return made

    def wait(self, calls: Sequence[_Call], timeout: float, num_returns: int = 1) -> tuple[list[_Call], list[_Call]]:
        if num_returns == len(calls):
            for call in calls:
                call.future()
        # The last first: answers come in no order.
        return [calls[-1]], [*calls[:-1]]

    def get(self, call: _Call) -> Any:
        return call.future().result()

    def cancel(self, call: _Call, *, force: bool) -> None:
        pass

    def _do(self, work: Any, args: tuple[Any, ...]) -> Any:
        if len(args) > 1:
            order = pickle.loads(args[1])
            if isinstance(order, PageOrder):
                self.orders.append(order)
                if self.dies(order):
                    raise RayError("The worker died\nunexpectedly.")
                self.ends.append(work(*args))
                return self.ends[-1]
        return work(*args)
