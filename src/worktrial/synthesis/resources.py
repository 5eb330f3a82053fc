"""Resources of a session: the folder for itself alone, bound models, one budget over all sessions."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
from filelock import FileLock, Timeout

from worktrial.engine.client import BoundModel, Client
from worktrial.engine.connect import Wiring, connect
from worktrial.engine.defects import Outage
from worktrial.engine.lines import cut_torn_tail, read_lines
from worktrial.engine.request_cache import RequestCache
from worktrial.engine.retry import RetryPolicy
from worktrial.engine.roles import RoleName, RoleSettings
from worktrial.engine.run import refuse_unpriced
from worktrial.engine.spend import Budget, BudgetSpent, Meter, Spend
from worktrial.errors import DataError, InvalidSample, SettingError
from worktrial.language import Complete, Completion, Message, Usage
from worktrial.secrets import Redactor
from worktrial.synthesis.artifacts import PaidAnswer
from worktrial.synthesis.author import Author
from worktrial.synthesis.files import append_line
from worktrial.synthesis.folder import SuiteFolder

LOCK = ".lock"


@contextmanager
def locked(folder: SuiteFolder) -> Iterator[None]:
    """Hold a suite folder, which is made where there is none, for this process.

    Raises:
        SettingError: another process works on it.
        DataError: it is something else, or cannot be written.
    """
    root = folder.root
    if root.exists() and not root.is_dir():
        raise DataError(root, "is a file", "Name a folder for the suite with -o")
    if root.is_dir() and not folder.spec.exists():
        strangers = sorted({p.name for p in root.iterdir()} - {LOCK, folder.work.name})
        if strangers:
            what = f"is not the folder of a suite in the making (it holds {strangers[0]}, and no {folder.spec})"
            raise DataError(root, what, "Name a new or empty folder with -o")
    lock = FileLock(root / LOCK)
    try:
        folder.work.mkdir(parents=True, exist_ok=True)
        lock.acquire(blocking=False)
    except Timeout:
        raise SettingError(f"{root}: another process is working on this suite") from None
    except OSError as e:
        raise DataError(root, f"cannot be written ({e.strerror})", "Name another with -o") from None
    try:
        yield
    finally:
        lock.release()


@dataclass(frozen=True, kw_only=True)
class ResourceSettings:
    """Models of a session, how they are reached, and how far it may go."""

    roles: Mapping[RoleName, RoleSettings]
    requests: int
    """Requests in flight, of all roles together."""
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    budget: Budget = field(default_factory=Budget)

    def resolved(self, redactor: Redactor) -> "ResourceSettings":
        """The same settings with every endpoint filled in, and the keys known to `redactor`.

        Raises:
            SettingError: an endpoint or a key is missing.
        """
        roles = {role_name: settings.resolved() for role_name, settings in self.roles.items()}
        for settings in roles.values():
            settings.hide(redactor, needs_key=True)
        return replace(self, roles=roles)


class Halted(BudgetSpent):
    """A person has asked for the end. What was in flight has come to its own, as with a spent budget."""


class BookedSpend(Spend):
    """Spend of all sessions on a folder: each answer is on disk, so that a kill loses no count."""

    def __init__(self, path: Path, budget: Budget) -> None:
        cut_torn_tail(path)
        cost, tokens = 0.0, 0
        for paid in read_lines(path, PaidAnswer):
            cost += paid.cost or 0.0
            tokens += paid.tokens
        super().__init__(budget, cost=cost, tokens=tokens)
        self._path = path
        self.before = (cost, tokens)
        """Dollars and tokens of earlier sessions."""
        self.answers = 0
        """Number of answers that came in this session."""
        self._is_halted = False
        self.unpriced = False

    def halt(self) -> None:
        """Let nothing more be requested; what is in flight comes to its end."""
        self._is_halted = True

    def check(self) -> None:
        """Stop before a request; as `Spend.check`, and once somebody has asked for it.

        Raises:
            Halted: nothing more is to be requested.
            BudgetSpent: nothing more may be.
        """
        if self._is_halted:
            raise Halted("interrupted; what was in flight is kept")
        super().check()

    def add(self, usage: Usage, cost: float | None) -> None:
        """Book one answer; as `Spend.add`, and on disk."""
        self.answers += 1
        self.unpriced |= cost is None
        append_line(self._path, msgspec.json.encode(PaidAnswer(tokens=usage.tokens, cost=cost)))
        super().add(usage, cost)


@dataclass(frozen=True, slots=True)
class RedactedModel:
    """A line whose answers hold no key, whatever the endpoint repeats; what is cached holds none either."""

    model: BoundModel
    redactor: Redactor
    outage: Outage

    async def __call__(self, messages: Sequence[Message], **options: Any) -> Completion:
        """Answer `messages`; see `worktrial.language.Complete`."""
        try:
            completion = await self.model(messages, **options)
        except InvalidSample as e:
            self.outage.saw(str(e))
            raise
        self.outage.saw("")
        said = msgspec.json.encode(completion.message)
        clean = self.redactor.bytes(said)
        return completion if clean == said else replace(completion, message=msgspec.json.decode(clean))


@dataclass(frozen=True)
class SessionResources:
    """The models of a session."""

    roles: Mapping[RoleName, RoleSettings]
    clients: Mapping[RoleName, Client]
    spend: BookedSpend
    redactor: Redactor
    outage: Outage
    meter: Meter = field(default_factory=Meter)
    """Consumption of the author in this session, replayed answers included."""

    def model(self, role_name: RoleName, salt: str) -> Complete:
        """The `Complete` of `role_name`; `salt` names stage, slot and attempt."""
        return RedactedModel(self.clients[role_name].model(self.meter, salt), self.redactor, self.outage)

    def author_in(self, role_name: RoleName) -> Author:
        """Author that is the model in a role."""
        return Author(self.roles[role_name].model, lambda salt: self.model(role_name, salt))

    def waiting(self) -> dict[str, int]:
        """Number of requests in flight by the role that has to answer them."""
        return {str(role): client.waiting for role, client in self.clients.items() if client.waiting}

    @property
    def retries(self) -> int:
        """Requests that had to be sent again."""
        return sum(client.retries for client in self.clients.values())


@asynccontextmanager
async def open_resources(folder: SuiteFolder, settings: ResourceSettings) -> AsyncIterator[SessionResources]:
    """The models, lined up; everything is closed at the end.

    Raises:
        SettingError: an endpoint, a key or a price is missing.
        StopRun: an endpoint does not answer, or the budget is spent already.
    """
    redactor = Redactor()
    settings = settings.resolved(redactor)
    spend = BookedSpend(folder.work / "spend.jsonl", settings.budget)
    spend.check()
    cache = RequestCache(folder.cache, redactor)
    wiring = Wiring(settings.requests, settings.retry, cache)
    async with connect(settings.roles, wiring, spend=spend, redactor=redactor) as clients:
        if settings.budget.cost is not None:
            refuse_unpriced(clients)
        yield SessionResources(settings.roles, clients, spend, redactor, Outage("requests"))
