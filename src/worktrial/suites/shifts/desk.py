"""A desk read from its folder: what it is, how its days are drawn, and what is right on them.

A folder holds `desk.yaml`, `handbook/`, and modules: `state.py` (`State`), `tools.py` (functions marked `@reads` or
`@writes`), `draw.py` (`draw`), `rules.py` (`desk`, the rules on the kit) and, where the desk has any, `events.py`
(`HAPPENINGS`), `people.py` (`decide`) and `clerks.py` (`careful`).
"""

import gc
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Annotated, Any

import msgspec
from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import SandboxedEnvironment
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from worktrial.errors import DataError
from worktrial.outside.files import read_bytes, refuse_links_out
from worktrial.outside.yaml_files import read_yaml
from worktrial.suites.shifts.cases import PRICES, Case, Move, Score, Work
from worktrial.suites.shifts.clerks import play
from worktrial.suites.shifts.conditions import conditions
from worktrial.suites.shifts.derived import DerivedDay
from worktrial.suites.shifts.scoring import score
from worktrial.suites.shifts.spam import SPAM, Habit
from worktrial.workplaces.desk import DeskSession, DeskState, DeskWorkplace
from worktrial.workplaces.executable.declare import declaration
from worktrial.workplaces.executable.describe import encode
from worktrial.workplaces.handbook import Handbook
from worktrial.workplaces.kit.desk import Desk as Rules
from worktrial.workplaces.kit.desk import Matter

DESK_FILE = "desk.yaml"
LENGTHS = ("short", "half", "full")
# Variant of a day that no run is about.
_ANOTHER_DAY = 999_999
_SPAM_DAYS = 5
_DRAWS = 20
_REFUSED_MOST = 0.16
"""Largest share of a day's points that refusing everything may seem to earn; it earns half of that in truth."""

_Text = Annotated[str, Field(min_length=1)]


class _DeskFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    title: _Text
    category: _Text
    domain: _Text
    language: _Text = "en"
    role: _Text
    """First text for the agent: a Jinja2 template over the day's figures, `begins` and `ends`."""
    grave: dict[_Text, Annotated[list[_Text], Field(min_length=1)]] = {}
    """Words for each kind of grave matter to the cases that they name; the assignment states them."""
    minutes: dict[str, int] = {}
    lengths: Annotated[dict[str, Annotated[int, Field(ge=10, le=1440)]], Field(min_length=1)]
    """Length of a shift to its minutes."""
    spam: dict[str, float] = {}
    """Length to the score of the best clerk that does no work, over variants 0-49; `validate` measures it."""


class DeskFolder:
    """One desk: everything that a shift at it needs."""

    def __init__(self, folder: Path, package: str | None = None) -> None:
        """Read a desk.

        Args:
            folder: Holds `desk.yaml`.
            package: Its name as a Python package; None for a desk of one's own, outside of any.

        Raises:
            DataError: a file or a field cannot be used.
        """
        refuse_links_out(folder)
        self.folder = folder
        self.name = folder.name
        path = folder / DESK_FILE
        if not path.is_file():
            raise DataError(folder, f"has no {DESK_FILE}")
        try:
            self.file = _DeskFile.model_validate(read_yaml(path))
        except ValidationError as e:
            said = "; ".join(f"{'.'.join(map(str, error['loc']))}: {error['msg']}" for error in e.errors())
            raise DataError(path, said) from e
        if unknown := self.file.lengths.keys() - set(LENGTHS):
            raise DataError(path, f"lengths: {min(unknown)!r} is none of {', '.join(LENGTHS)}")
        self.package = package
        self._package = package or _own_package(folder)
        self.handbook = Handbook(folder / "handbook")
        self._spam: dict[str, str] = {}
        self._day: DerivedDay | None = None
        self._other_days: dict[str, Sequence[tuple[int, Move]]] = {}

    @property
    def lengths(self) -> Sequence[str]:
        """Lengths of shifts that there are, shortest first."""
        return [length for length in LENGTHS if length in self.file.lengths]

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the files (names and contents)."""
        digest = sha256()
        for path in sorted(p for p in self.folder.rglob("*") if p.suffix in (".yaml", ".py", ".md")):
            digest.update(f"{path.relative_to(self.folder).as_posix()}\0".encode())
            digest.update(sha256(read_bytes(path, within=self.folder)).digest())
        return digest.hexdigest()

    @cached_property
    def workplace(self) -> DeskWorkplace:
        """Tools, handbook and rules.

        Raises:
            DataError: they cannot be put together.
        """
        module = self._module("tools")
        functions = [f for f in vars(module).values() if callable(f) and declaration(f) is not None]
        return DeskWorkplace.build(
            self.name,
            [f for f in functions if f.__module__ == module.__name__],
            self.handbook,
            self.draw(self.lengths[0], 0),
            minutes=self.file.minutes,
            happenings=self._optional("events", "HAPPENINGS", {}),
            decide=self._optional("people", "decide", None),
            source=str(self.folder),
        )

    def draw(self, length: str, variant: int) -> DeskState:
        """State in which a shift begins, its future in it. Drawn anew each time.

        Of days on which nearly everything is to be refused the next is taken.

        Args:
            length: One of `lengths`.
            variant: Number of the variant, from 0.

        Raises:
            DataError: an event would happen after the end.
        """
        seed = f"{self.name}/{length}/{variant}"
        draw, random = self._function("draw", "draw"), Random(seed)
        with _without_collections():
            for _ in range(_DRAWS):
                state: DeskState = draw(length, self.file.lengths[length], random)
                if _refused(self.cases(state)) <= _REFUSED_MOST:
                    break
        state.seed = seed
        state.language = self.file.language
        late = [event for event in state.time.waiting if event.due > state.time.ends]
        if late:
            raise DataError(
                self.folder / "draw.py", f"{seed}: {late[0].kind} at minute {late[0].due} is after the end"
            )
        return state

    def instruction(self, state: DeskState) -> str:
        """First text for the agent: its role on this day, and the conditions of passing it.

        Raises:
            DataError: the role is no template over the day's figures.
        """
        time = state.time
        try:
            role = SandboxedEnvironment(undefined=StrictUndefined).from_string(self.file.role)
            told = role.render(**state.figures, begins=time.at(0), ends=time.at(time.ends)).strip()
        except TemplateError as e:
            raise DataError(self.folder / DESK_FILE, f"role: {e}") from e
        return f"{told}\n\n{conditions(self.file.grave, self.file.language)}"

    @cached_property
    def rules(self) -> Rules:
        """Rules, from which all else follows.

        Raises:
            DataError: there are none.
        """
        rules: Any = self._function("rules", "desk")
        if not isinstance(rules, Rules):
            raise DataError(self.folder / "rules.py", "desk: is no wt.Desk", "Write desk = wt.Desk()")
        return rules

    def _derived(self, start: DeskState) -> DerivedDay:
        """Derivations from the rules on a day; kept for the day that was asked for last."""
        if self._day is None or self._day.start is not start:
            self._day = DerivedDay(self.rules, lambda: self.workplace, start)
        return self._day

    @property
    def clerks(self) -> Sequence[str]:
        """Reference agents beside *idle*."""
        own = ("careful",) if (self.folder / "clerks.py").is_file() else ()
        return ("plan", "greedy", "stale", *own)

    def cases(self, start: DeskState) -> list[Case]:
        """Cases of a day: its matters, and what points are given for.

        Args:
            start: The day's first state, untouched.
        """
        return self._derived(start).cases

    def matters(self, start: DeskState) -> Sequence[Matter]:
        """Matters of a day, with their right ends.

        Args:
            start: The day's first state, untouched.
        """
        return self._derived(start).matters

    def score(self, start: DeskState, end: DeskState) -> Score:
        """Points and harms of a day's work.

        Args:
            start: The day's first state, untouched.
            end: Its last.
        """
        return score(self.cases(start), self._derived(start).harms(end), end)

    def clerk(self, name: str, start: DeskState) -> Work:
        """Work of a reference clerk.

        Args:
            name: One of `clerks`, `spam` or one of `SPAM`; `spam` is whichever of these earns most.
            start: The day's first state, untouched.
        """
        if name == "spam":
            name = self._best_spam(start)
        if name in SPAM:
            home = self.workplace.home
            acts = {
                tool.name: tool.parameters
                for tool in home.artifact.tools
                if home.functions[tool.name].writes and tool.name not in ("send_message", "read_message")
            }
            return SPAM[name](Habit(acts, start.time, self._another_day(start)))
        if name == "careful":
            made: Work = self._function("clerks", name)(start)
            return made
        derived = self._derived(start)
        return {"plan": derived.plan, "greedy": derived.greedy, "stale": derived.stale}[name]()

    def played(self, work: Work, start: DeskState) -> Score:
        """Score of some work on a day.

        Args:
            work: A clerk's.
            start: The day's first state, untouched.
        """
        session = DeskSession(self.workplace, self._copy(start))
        play(work, session)
        return self.score(start, session.live)

    def _copy(self, state: DeskState) -> DeskState:
        copy: DeskState = msgspec.json.decode(encode(state), type=self.workplace.home.state_type)
        return copy

    def _another_day(self, start: DeskState) -> Sequence[tuple[int, Move]]:
        """Plan of another day of this length: as much as who does no work can know of this one."""
        length = _length(start)
        if length not in self._other_days:
            other = self.draw(length, _ANOTHER_DAY)
            session = DeskSession(self.workplace, self._copy(other))
            self._other_days[length] = play(self.clerk("plan", other), session)
        return self._other_days[length]

    def _best_spam(self, start: DeskState) -> str:
        """Clerk without work who earns most on other days of this length."""
        length = _length(start)
        if length not in self._spam:
            days = [self.draw(length, _ANOTHER_DAY - 1 - number) for number in range(_SPAM_DAYS)]
            earned = {one: sum(self.played(self.clerk(one, day), day).share for day in days) for one in SPAM}
            self._spam[length] = max(SPAM, key=lambda one: earned[one])
        return self._spam[length]

    def _module(self, name: str) -> ModuleType:
        return import_module(f"{self._package}.{name}")

    def _function(self, module: str, name: str) -> Callable[..., Any]:
        try:
            function: Callable[..., Any] = getattr(self._module(module), name)
        except ModuleNotFoundError as e:
            raise DataError(self.folder, f"has no {module}.py that can be imported: {e}") from e
        except AttributeError:
            raise DataError(self.folder / f"{module}.py", f"has no function {name}") from None
        return function

    def _optional(self, module: str, name: str, default: Any) -> Any:
        if not (self.folder / f"{module}.py").is_file():
            return default
        return self._function(module, name)


def desks_in(folder: Path, package: str | None = None) -> Mapping[str, DeskFolder]:
    """Desks below a folder, by name.

    Args:
        folder: Holds a folder for each desk.
        package: Its name as a Python package; None where it is in none.

    Raises:
        DataError: there is none, or one cannot be read.
    """
    paths = sorted(path.parent for path in folder.glob(f"*/{DESK_FILE}"))
    if not paths:
        raise DataError(folder, f"holds no desk: no */{DESK_FILE}")
    return {path.name: DeskFolder(path, None if package is None else f"{package}.{path.name}") for path in paths}


@contextmanager
def _without_collections() -> Iterator[None]:
    """No search for cycles of objects meanwhile: a day is thousands of new records, none in a cycle."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _refused(cases: Sequence[Case]) -> float:
    """Share of a day's points that are for what is to be refused, less the price of refusing all the rest."""
    answers = [(case.answer.grants, case.reachable) for case in cases if case.answer is not None]
    points = sum(-PRICES["false_word"] if grants else reachable for grants, reachable in answers)
    return points / sum(case.reachable for case in cases)


def _length(state: DeskState) -> str:
    """Length of the shift that a state was drawn for."""
    return state.seed.split("/")[1]


def _own_package(folder: Path) -> str:
    """Name under which the modules of a folder outside of any package can be imported."""
    name = f"worktrial_desk_{sha256(str(folder.resolve()).encode()).hexdigest()[:12]}"
    if name not in sys.modules:
        init = folder / "__init__.py"
        spec = spec_from_file_location(name, init, submodule_search_locations=[str(folder)])
        if not init.is_file() or spec is None or spec.loader is None:
            raise DataError(folder, "has no __init__.py, by which its modules import each other", "Make one")
        module = module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return name
