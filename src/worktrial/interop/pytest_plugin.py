"""Trials among a project's tests: the fixture `worktrial` and the marker of the same name.

pytest loads this module at every start in an environment that has Worktrial, so it imports nothing heavy: what runs
a trial is imported when the first one starts.
"""

import datetime as dt
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from worktrial.interop.run import Run
    from worktrial.results.corrections import JudgeCorrection
    from worktrial.results.gate import Gate
    from worktrial.statistics import CompletionRate, Figure, Interval

_MARKER = "worktrial"
_USUAL_FOLDER = ".worktrial"
_HELP = "Folder for the runs of trials among the tests"
# Of one marker on a module or class there is one trial, which all of its tests share.
_Shared = dict[tuple[int, ...], "tuple[tuple[pytest.Mark, ...], Run | str]"]
_shared = pytest.StashKey[_Shared]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option, and the same as a setting."""
    group = parser.getgroup("worktrial", "trials of AI agents")
    group.addoption(
        "--worktrial-runs", metavar="DIR", help=f"{_HELP} (default: {_USUAL_FOLDER} in the root folder)"
    )
    parser.addini("worktrial_runs", f"{_HELP}, relative to the root folder", default=_USUAL_FOLDER)


def pytest_configure(config: pytest.Config) -> None:
    """The marker, also for `--strict-markers`."""
    config.addinivalue_line(
        "markers",
        "worktrial(suite, agent=..., **options): the trial behind the fixture `worktrial`; options as in "
        "`worktrial run SUITE`, with underscores. On a class or module: one trial for all its tests.",
    )


@pytest.fixture
def worktrial(request: pytest.FixtureRequest) -> "Worktrial":
    """Trials of AI agents: the one of the test's marker, and `run` for more."""
    return Worktrial(request.node)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """A line for each trial, whichever process ran it."""
    reports = [report for some in terminalreporter.stats.values() for report in some]
    # Properties of a test travel from parallel processes to the one that reports.
    properties = [p for report in reports for p in getattr(report, "user_properties", ())]
    lines = dict.fromkeys(str(value) for name, value in properties if name == _MARKER)
    if lines:
        terminalreporter.write_sep("=", "work trials")
        for line in lines:
            terminalreporter.write_line(line)


class Worktrial:
    """Finished run of a test's marker; it starts when something about it is first asked."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item
        self._marked: Run | None = None

    @property
    def marked(self) -> "Run":
        """The finished run of the test's marker."""
        __tracebackhide__ = True
        if self._marked is None:
            self._marked = self._run_marked()
        return self._marked

    @property
    def completion(self) -> float:
        """The share of passes among all samples, 0-1; an invalid one counts as not passed."""
        __tracebackhide__ = True
        return self.marked.completion

    @property
    def interval(self) -> "Interval | None":
        """Interval of `completion`, at 95 %."""
        __tracebackhide__ = True
        return self.marked.interval

    @property
    def rate(self) -> "CompletionRate":
        """Counts of passed, failed and invalid samples."""
        __tracebackhide__ = True
        return self.marked.rate

    def corrected(
        self, *, judge_audit: str | Path | None = None, labels: str | Path | None = None
    ) -> "JudgeCorrection":
        """The completion of valid samples without the judge's errors, also in the report; see `Run.corrected`."""
        __tracebackhide__ = True
        run = self.marked
        with _plain_errors():
            found = run.corrected(judge_audit=judge_audit, labels=labels)
        self._item.user_properties.append((_MARKER, f"{run.folder.name}: {found.line}"))
        return found

    def figure(self, name: str, *, condition: str | None = None, group: str = "") -> "Figure":
        """One figure, such as `pass^3`, `seconds` or `score`; see `Run.figure`."""
        __tracebackhide__ = True
        return self.marked.figure(name, condition=condition, group=group)

    @property
    def robustness(self) -> float:
        """R: what the worst kind of faults leaves of the rate without; needs `faults="all"`."""
        __tracebackhide__ = True
        run = self.marked
        with _plain_errors():
            return run.robustness

    @property
    def cost_per_task(self) -> float | None:
        """US dollars, mean of the samples with a verdict; None where it is not known."""
        __tracebackhide__ = True
        return self.marked.cost_per_task

    @property
    def folder(self) -> Path:
        """Folder in which the run is stored."""
        __tracebackhide__ = True
        return self.marked.folder

    def gate(self, **limits: Any) -> "Gate":
        """Hold the run against limits; see `Run.gate`.

        Raises:
            AssertionError: it does not keep to one.
        """
        __tracebackhide__ = True
        run = self.marked
        with _plain_errors():
            return run.gate(**limits)

    def run(self, suite: str, agent: str | Callable[..., Any], **options: Any) -> "Run":
        """Run a trial now; see `worktrial.run` for the options."""
        __tracebackhide__ = True
        with _plain_errors():
            found = _carry_out(self._item, {"suite": suite, "agent": agent, **options})
        self._tell(found)
        return found

    def open(self, folder: str | Path) -> "Run":
        """A run that is stored already; a relative path starts at pytest's root folder."""
        __tracebackhide__ = True
        from worktrial.interop.run import Run

        with _plain_errors():
            return Run.at(self._item.config.rootpath / folder, self._item.config.rootpath)

    def _run_marked(self) -> "Run":
        __tracebackhide__ = True
        marks = tuple(self._item.iter_markers(_MARKER))
        if not marks:
            pytest.fail(
                "worktrial: the test has no @pytest.mark.worktrial(suite=…, agent=…); or call worktrial.run(…)",
                pytrace=False,
            )
        shared = self._item.config.stash.setdefault(_shared, {})
        # The marks are kept, so their ids stay theirs.
        key = tuple(id(mark) for mark in marks)
        if key not in shared:
            try:
                with _plain_errors():
                    shared[key] = marks, _carry_out(self._item, _options(marks))
            except pytest.fail.Exception as e:
                shared[key] = marks, str(e)
        found = shared[key][1]
        if isinstance(found, str):
            pytest.fail(found, pytrace=False)
        self._tell(found)
        return found

    def _tell(self, run: "Run") -> None:
        self._item.user_properties.append((_MARKER, run.line()))
        self._item.add_report_section("call", _MARKER, "\n".join(run.lines()))

    def __repr__(self) -> str:
        return "<worktrial>" if self._marked is None else repr(self._marked)


def _options(marks: tuple[pytest.Mark, ...]) -> dict[str, Any]:
    """The marker's options; those nearer to the test come first and win over the class's and the module's."""
    options: dict[str, Any] = {}
    for mark in reversed(marks):
        if len(mark.args) > 1:
            _refuse("the marker takes the suite, and everything else by name")
        options |= {**({"suite": mark.args[0]} if mark.args else {}), **mark.kwargs}
    for name in ("suite", "agent"):
        if name not in options:
            _refuse(f"the marker needs {name}=…")
    return options


def _refuse(why: str) -> NoReturn:
    pytest.fail(f"worktrial: {why}", pytrace=False)


def _carry_out(item: pytest.Item, options: dict[str, Any]) -> "Run":
    __tracebackhide__ = True
    from worktrial.engine.interruption import Interrupted
    from worktrial.interop.python import run

    root = item.config.rootpath
    if ours := options.keys() & {"out", "output", "folder", "base", "command", "progress"}:
        _refuse(f"there is no option {', '.join(sorted(ours))}; say with --worktrial-runs where runs are kept")
    if isinstance(options.get("agent"), list):
        _refuse("a trial among tests has one agent; call worktrial.run(…) once for each")
    folder = _new_folder(_runs_folder(item.config), item)
    try:
        found: Run = run(**options, out=folder, base=root, command=("pytest", item.nodeid))
        return found
    except Interrupted:
        raise KeyboardInterrupt from None
    finally:
        if folder.is_dir() and not any(folder.iterdir()):
            # Refused before it began.
            folder.rmdir()


def _runs_folder(config: pytest.Config) -> Path:
    given = config.getoption("--worktrial-runs")
    # As everywhere in pytest: the command line's paths start here, the settings' at the root folder.
    place: Path = config.rootpath / config.getini("worktrial_runs")
    if given:
        place = config.invocation_params.dir / given
    if not place.exists():
        place.mkdir(parents=True, exist_ok=True)
        (place / ".gitignore").write_text("*\n")
    return place


def _new_folder(place: Path, item: pytest.Item) -> Path:
    """A folder that no other process has, named by time and test."""
    name = re.sub(r"[^\w.-]+", "-", item.name).strip("-.")[:60]
    stem = f"{dt.datetime.now():%Y%m%d-%H%M%S}-{name}"
    number = 1
    while True:
        folder = place / (stem if number == 1 else f"{stem}-{number}")
        try:
            folder.mkdir()
        except FileExistsError:
            number += 1
        else:
            return folder


@contextmanager
def _plain_errors() -> Iterator[None]:
    """Errors of ours fail the test with their message alone: no frames, so no values of ours in a report."""
    __tracebackhide__ = True
    from worktrial.errors import WorktrialError
    from worktrial.language.untrusted import printable

    try:
        yield
    except WorktrialError as e:
        raise pytest.fail.Exception(f"worktrial: {printable(e)}", pytrace=False) from None
