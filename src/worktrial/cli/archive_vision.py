"""`--producer vision:MODEL`: a model at an endpoint as the second reader of pages, its answers kept for replays."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from worktrial.archive.pages import PageContent
from worktrial.archive.producers.vision import second_reading
from worktrial.engine.connect import Wiring, connect
from worktrial.engine.request_cache import RequestCache
from worktrial.engine.retry import RetryPolicy
from worktrial.engine.roles import Role, RoleSettings
from worktrial.engine.spend import Budget, Meter, Spend
from worktrial.errors import SettingError
from worktrial.language import Complete, Usage
from worktrial.secrets import Redactor

_T = TypeVar("_T")
PREFIX = "vision:"


class VisionReader:
    """A second reader whose model answers on another thread.

    Args:
        model: Its name, which decides whether stored pages are good.
        complete: The model.
        loop: Where its requests run.
        meter: Books what it consumes.
    """

    def __init__(self, model: str, complete: Complete, loop: asyncio.AbstractEventLoop, meter: Meter) -> None:
        self.name = f"{PREFIX}{model}"
        self._model = model
        self._complete = complete
        self._loop = loop
        self._meter = meter

    @property
    def consumption(self) -> str:
        """Requests, tokens and money so far, in a line."""
        role = Role.AGENT.value
        usage, cost = self._meter.usage.get(role, Usage()), self._meter.costs.get(role, 0.0)
        replayed = self._meter.replays.get(role, 0)
        money = "at an unknown price" if cost is None else f"${cost:.2f}"
        told = f"{usage.requests:,} requests ({replayed:,} from {self.name}'s kept answers)"
        return f"{self.name}: {told}, {usage.tokens:,} tokens, {money}"

    def read(self, page: PageContent, picture: bytes) -> PageContent:
        """The page with the model's tables; see `second_reading`."""
        return _result(second_reading(self._complete, self._model, page, picture), self._loop)


@contextmanager
def vision_reader(
    producer: str, cache: Path, *, base_url: str | None, api_key_env: str | None, most_cost: float | None
) -> Iterator[VisionReader]:
    """The reader that `--producer` names; closed at the end.

    Args:
        producer: `vision:MODEL`.
        cache: Folder of its answers, by which a build is repeated without a network.
        base_url: Address of the endpoint; None for that of a known provider.
        api_key_env: Variable with the key.
        most_cost: US dollars that may be spent; None for no bound.

    Raises:
        SettingError: there is no such producer, or an endpoint, a key or a price is missing.
        StopRun: the endpoint does not answer, or the money is spent.
    """
    model = producer.removeprefix(PREFIX)
    if not model:
        raise SettingError(f"--producer {producer}: must be vision:MODEL")
    redactor = Redactor()
    settings = RoleSettings(role=Role.AGENT, model=model, base_url=base_url, api_key_env=api_key_env).resolved()
    settings.hide(redactor, needs_key=True)
    spend = Spend(Budget(cost=most_cost))
    wiring = Wiring(1, RetryPolicy(), RequestCache(cache, redactor))
    loop = asyncio.new_event_loop()
    # A thread of its own: a build waits for processes, and Ctrl-C ends it there.
    thread = threading.Thread(target=loop.run_forever, name="worktrial-vision", daemon=True)
    thread.start()
    stack = AsyncExitStack()
    try:
        roles = {Role.AGENT.value: settings}
        clients = _result(stack.enter_async_context(connect(roles, wiring, spend=spend, redactor=redactor)), loop)
        client = clients[Role.AGENT.value]
        if most_cost is not None and not client.is_priced:
            raise SettingError(f"--max-cost: nobody knows the price of {model}, so no bound can be kept")
        meter = Meter()
        yield VisionReader(model, client.model(meter), loop, meter)
    finally:
        _result(stack.aclose(), loop)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def _result(work: "Coroutine[Any, Any, _T]", loop: asyncio.AbstractEventLoop) -> _T:
    return asyncio.run_coroutine_threadsafe(work, loop).result()
