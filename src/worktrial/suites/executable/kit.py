"""The suite that a workplace of the kit is: tasks, plans and checks follow from what its author has shown."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Literal

import msgspec
from pydantic import Field, InstanceOf, SerializeAsAny

from worktrial.agents.plan import Plan, Step
from worktrial.errors import DataError, InvalidReason, InvalidSample, SettingError
from worktrial.grading.check import CheckResult, Claim, Facts
from worktrial.grading.facts import ABSENT, at, changed_pointers, matches, under
from worktrial.grading.state_checks import NeverCalled, OnlyChanged, StateAbsent, StateEquals
from worktrial.language import JsonObject, JsonValue
from worktrial.suite import Proof
from worktrial.suites.executable.suite import ExecutableSuite
from worktrial.suites.executable.tasks import ExecutableTask, TaskLibrary
from worktrial.workplaces.executable import ExecutableWorkplace
from worktrial.workplaces.executable.report_form import REPORT_TOOL
from worktrial.workplaces.kit import Recording, TaskShown, Workplace
from worktrial.workplaces.signals import is_error
from worktrial.workplaces.trajectory import Trajectory
from worktrial.workplaces.values import below

KIND = "kit"
"""Name under which this kind of suite is registered."""


class ReportIs(Claim):
    """The last report holds exactly these values."""

    check: Literal["report_is"] = "report_is"
    fields: dict[str, JsonValue]

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts; see `AnyCheck`."""
        said = reported(facts.trajectory)
        wrong = {name: said.get(name) for name, value in self.fields.items() if not matches(said.get(name), value)}
        asked = "report: " + ", ".join(f"{name} is {value!r}" for name, value in self.fields.items())
        told = ", ".join(f"{name} is {value!r}" for name, value in wrong.items())
        return CheckResult(asked, not wrong, (told or "as asked") if said else "nothing was reported")


class OneOfEnds(Claim):
    """The work ends in one of several ways that are right."""

    check: Literal["one_of_ends"] = "one_of_ends"
    ends: tuple[tuple[SerializeAsAny[InstanceOf[Claim]], ...], ...]

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts; see `AnyCheck`."""
        results = [[one.run(facts) for one in end] for end in self.ends]
        failed = [[one for one in end if not one.passed] for end in results]
        # The end that is nearest says most about what is missing.
        nearest = min(failed, key=len)
        why = "; ".join(f"{one.check}: {one.why}" for one in nearest) or "as shown"
        return CheckResult(f"ends in one of {len(self.ends)} right ways", not nearest, why)


class ByCode(Claim):
    """A function of the author's own finds nothing wrong."""

    check: Literal["by_code"] = "by_code"
    name: str
    function: Callable[[Any, Any, JsonObject], None] = Field(exclude=True)
    state_type: Any = Field(exclude=True)

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts; see `AnyCheck`.

        Raises:
            InvalidSample: the function raises something else than a failed `assert`.
        """
        before, after = (msgspec.convert(s, self.state_type) for s in (facts.initial_state, facts.final_state))
        try:
            self.function(before, after, reported(facts.trajectory))
        except AssertionError as e:
            return CheckResult(self.name, False, str(e) or "its assert failed, and gives no reason")
        except Exception as e:
            said = f"the check {self.name} raised {type(e).__name__}: {e}"
            raise InvalidSample(InvalidReason.TASK_DATA, said) from e
        return CheckResult(self.name, True, "nothing is wrong")


def reported(trajectory: Trajectory) -> JsonObject:
    """Fields of the last report; {} where nothing was reported."""
    for call in reversed(trajectory.calls):
        if call.tool == REPORT_TOOL and not is_error(call.observation.content):
            said: JsonObject = call.arguments
            return said
    return {}


class KitSuite(ExecutableSuite):
    """A workplace of the kit as a suite. Its runs are kept under its name."""

    marker: ClassVar[str] = ""
    """Pattern of the files that mark a folder; none is of this kind."""
    needs: ClassVar[str] = "nothing"
    example: ClassVar[str] = "--agent plan"

    def __init__(self, workplace: Workplace | None, name: str, place: str = "") -> None:
        """Take a workplace.

        Args:
            workplace: What its author wrote; None to show stored runs of it alone.
            name: Name of the suite.
            place: `FILE.py:NAME` by which it was named; "" for one that was given as an object.
        """
        self._workplace = workplace
        self.name = name  # type: ignore[misc]
        self.about = workplace.title if workplace else name  # type: ignore[misc]
        self._place = place

    @classmethod
    def read(cls, folder: Path) -> "KitSuite":
        """Nothing: no folder is of this kind; see `SuiteKind.read`."""
        raise SettingError(f"{folder}: name the file and the workplace in it, such as work.py:shop")

    @classmethod
    def of_object(cls, found: object, place: str) -> "KitSuite | None":
        """The suite that a workplace of the kit is; see `SuiteKind.of_object`."""
        return cls(found, found.name, place) if isinstance(found, Workplace) else None

    @classmethod
    def of_runs(cls, name: str) -> "KitSuite":
        """The suite as its runs need it; see `SuiteKind.of_runs`."""
        return cls(None, name)

    @property
    def workplace(self) -> Workplace:
        """Workplace as its author wrote it.

        Raises:
            SettingError: only its stored runs are here.
        """
        if self._workplace is None:
            raise SettingError(f"{self.name}: name its file, such as work.py:{self.name.replace('-', '_')}")
        return self._workplace

    @cached_property
    def library(self) -> "_KitLibrary":
        """The workplace and its tasks."""
        return _KitLibrary(self.workplace)

    @property
    def source(self) -> JsonObject:
        """Origin of the tasks for manifests: `title`, `kind`, `folder` and `fingerprint`."""
        place = self._place or self.workplace.where
        return {
            "title": self.workplace.title,
            "kind": KIND,
            "folder": place,
            "fingerprint": self.library.fingerprint,
        }

    def fingerprint(self, data: Any) -> str:
        """Fingerprint of its source; see `Suite.fingerprint`."""
        return str(self.on_record(data)["fingerprint"])

    def proof(self, given: Mapping[str, Any]) -> Proof:
        """Prove that right work passes and wrong work does not; see `Suite.proof`."""
        from worktrial.suites.executable.kit_gates import proof_of
        from worktrial.suites.validate import validate_suite

        options = {name: value for name, value in given.items() if value is not None}
        library, file = self.library, self.workplace.where.rpartition(":")[0]
        return proof_of(self.title, library.tasks, library.shown, validate_suite(self, options), file)


class _KitLibrary(TaskLibrary):
    """A workplace of the kit and its tasks, as an executable suite reads them."""

    def __init__(self, workplace: Workplace) -> None:
        file = Path(workplace.where.rpartition(":")[0])
        super().__init__(file.parent, lambda folder: self._made[0], title=workplace.title)
        self._workplace = workplace

    @cached_property
    def _made(self) -> tuple[ExecutableWorkplace, Mapping[str, Sequence[Recording]]]:
        return self._workplace.recordings()

    @property
    def shown(self) -> Mapping[str, Sequence[Recording]]:
        """Right ends of each task, as they were shown."""
        return self._made[1]

    @property
    def names(self) -> list[str]:
        """Name of the workplace."""
        return [self._workplace.name]

    def workplace(self, name: str) -> ExecutableWorkplace:
        """The workplace."""
        return self._made[0]

    @cached_property
    def tasks(self) -> tuple[ExecutableTask, ...]:
        """All tasks; see `TaskLibrary.tasks`."""
        home, shown = self._made
        return tuple(_task(self._workplace, home, task, shown[task.name]) for task in self._workplace.tasks)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the files that hold its functions, and what it begins with."""
        shown = [one for task in self._workplace.tasks for one in task.shown]
        functions = [*shown, *(function for function, _ in self._workplace.tools)]
        files = sorted({file for one in functions if (file := inspect.getsourcefile(inspect.unwrap(one)))})
        digest = sha256(msgspec.json.encode(self._made[0].artifact.initial_state))
        for file in files:
            digest.update(Path(file).read_bytes())
        return digest.hexdigest()


def _task(
    workplace: Workplace, home: ExecutableWorkplace, shown: TaskShown, ends: Sequence[Recording]
) -> ExecutableTask:
    start = ends[0].start
    checks: list[Claim] = []
    if shown.check is not None:
        checks = [_by_code(workplace, shown, shown.check, ends)]
    else:
        right = [tuple(_checks_of(one, shown)) for one in ends]
        checks = [*right[0]] if len(right) == 1 else [OneOfEnds(ends=tuple(right))]
    checks += [NeverCalled(check="never_called", tool=tool) for tool in shown.never]
    told = f"{workplace.rules}\n\n" if workplace.rules else ""
    return ExecutableTask.model_validate(
        {
            "id": shown.name,
            "workplace": workplace.name,
            "home": home,
            "scenario": workplace.name,
            "category": workplace.industry,
            "domain": workplace.industry,
            "language": "en",
            "difficulty": 1,
            "instruction": told + shown.wordings[0],
            "wordings": [told + one for one in shown.wordings[1:]],
            "clock": start["clock"],
            "initial_state": start,
            "plan": plan_of(ends[0], shown.wordings[0]),
            "checks": checks,
            "rubric": "The work ends as its author has shown.",
            "clauses": shown.clauses,
        }
    )


def _checks_of(end: Recording, shown: TaskShown) -> Iterator[Claim]:
    """Checks of one right end.

    Raises:
        DataError: it changes nothing and reports nothing.
    """
    changed = [
        pointer
        for pointer in changed_pointers(end.start, end.end)
        if not any(under(pointer, place) for place in shown.free)
    ]
    if not changed and end.report is None:
        what = "changes nothing and reports nothing, so that doing nothing passes"
        raise DataError(shown.where, what, 'Return a report, such as {"answer": 12}')
    for pointer in changed:
        value = at(end.end, pointer)
        if value is ABSENT:
            yield StateAbsent(check="state_absent", at=pointer)
        else:
            yield StateEquals(check="state_equals", at=pointer, value=value)
    yield OnlyChanged(check="only_changed", at=tuple(changed), open=shown.free)
    if end.report is not None:
        yield ReportIs(fields=end.report)


def _by_code(
    workplace: Workplace, shown: TaskShown, function: Callable[..., Any], ends: Sequence[Recording]
) -> ByCode:
    """The author's own check, held against what was shown and against idleness.

    Raises:
        DataError: it refuses what is shown, passes doing nothing, or raises.
    """
    check = ByCode(name=function.__name__, function=function, state_type=workplace.state_type)
    try:
        for end in ends:
            found = check.run(Facts(end.start, end.end, _reporting(end.report)))
            if not found.passed:
                raise DataError(shown.where, f"does not pass its own check {check.name}: {found.why}")
        if check.run(Facts(ends[0].start, ends[0].start, Trajectory())).passed:
            raise DataError(
                shown.where, f"doing nothing passes its check {check.name}", "Assert what has to change"
            )
    except InvalidSample as e:
        raise DataError(shown.where, e.detail) from e
    return check


def _reporting(report: JsonObject | None) -> Trajectory:
    from worktrial.workplaces import Observation, Origin, ToolCall

    done = Trajectory()
    if report is not None:
        done.calls.append(ToolCall(0, 0, REPORT_TOOL, report, Observation({"reported": True}, Origin.EXECUTABLE)))
    return done


def plan_of(end: Recording, told: str) -> Plan:
    """The calls that were shown as a plan.

    An argument that the instruction does not hold, and an earlier look-up has shown, refers to that look-up: so a
    follower that believes what it sees meets what faults do to it.
    """
    calls = [(call.tool, call.arguments) for call in end.calls]
    if end.report is not None:
        calls.append((REPORT_TOOL, end.report))
    names: dict[int, str] = {}
    given = [_referring(arguments, end, number, told, names) for number, (_, arguments) in enumerate(calls)]
    steps = [
        Step.model_validate({"call": tool, "with": arguments, "as": names.get(number)})
        for number, ((tool, _), arguments) in enumerate(zip(calls, given, strict=True))
    ]
    return Plan(steps=tuple(steps), answer="Done.")


def _referring(
    arguments: JsonObject, end: Recording, number: int, told: str, names: dict[int, str]
) -> dict[str, JsonValue]:
    """Arguments of a call, those that a look-up has shown as references to it; `names` gets the look-ups' names."""
    given: dict[str, JsonValue] = {}
    for name, value in arguments.items():
        source = None if _is_told(value, told) else _shown_at(value, end, number)
        if source is not None:
            names[source[0]] = f"seen_{source[0] + 1}"
            value = {"from": names[source[0]], "at": source[1]}
        given[name] = value
    return given


def _is_told(value: JsonValue, told: str) -> bool:
    return isinstance(value, bool | None) or str(value) in told


def _shown_at(value: JsonValue, end: Recording, before: int) -> tuple[int, str] | None:
    """Number of the last look-up before a call that has shown a value, and where it stood there."""
    for number in reversed(range(before)):
        call = end.calls[number]
        if not call.writes and (pointer := _find(call.content, value)) is not None:
            return number, pointer
    return None


def _find(shown: JsonValue, value: JsonValue, pointer: str = "") -> str | None:
    if pointer and type(shown) is type(value) and shown == value:
        return pointer
    inside: Mapping[Any, JsonValue] = (
        shown if isinstance(shown, dict) else dict(enumerate(shown)) if isinstance(shown, list) else {}
    )
    return next((there for key, one in inside.items() if (there := _find(one, value, below(pointer, key)))), None)
