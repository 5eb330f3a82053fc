"""Trials that are started from Python; what `import worktrial` offers as functions."""

import asyncio
import contextlib
import threading
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from worktrial.engine.interruption import Interrupted
from worktrial.engine.progress import Progress, display
from worktrial.engine.run import run_trials, run_trials_async
from worktrial.interop.run import Run
from worktrial.places import address_of
from worktrial.suite import Suite, TaskRow, as_suite, find_suite
from worktrial.trials import Agent, PreparedRun, prepare, prepare_all

if TYPE_CHECKING:
    from worktrial.results.comparison import Comparison
    from worktrial.workplaces.kit import Workplace

    SuiteGiven = str | Path | Suite | Workplace

_T = TypeVar("_T")


@overload
def run(
    suite: "SuiteGiven",
    agent: Agent,
    *,
    out: str | Path | None = None,
    progress: Progress | bool | None = None,
    base: Path | None = None,
    command: tuple[str, ...] = (),
    **options: Any,
) -> Run: ...


@overload
def run(
    suite: "SuiteGiven",
    agent: list[Agent],
    *,
    out: str | Path | None = None,
    progress: Progress | bool | None = None,
    base: Path | None = None,
    command: tuple[str, ...] = (),
    **options: Any,
) -> list[Run]: ...


def run(
    suite: "SuiteGiven",
    agent: Agent | list[Agent],
    *,
    out: str | Path | None = None,
    progress: Progress | bool | None = None,
    base: Path | None = None,
    command: tuple[str, ...] = (),
    **options: Any,
) -> Run | list[Run]:
    """Run a suite to its end, or from where an earlier run in the same folder left it.

    Works inside a running event loop, too, as notebooks have one: the run then has a thread of its own.

    Args:
        suite: Name of a suite, folder of one's own, `FILE.py:NAME`, or the suite or workplace itself.
        agent: Who takes the trial: what one writes after `--agent`, or the function itself, async or not. Of a list
            each has a run of its own, side by side, in a folder inside `out` that is named after it.
        out: Folder of the run, which is resumed if it holds one; None for a new one, `runs/SUITE-N`.
        progress: Told how the run is going; True shows it on standard error.
        base: Folder that relative paths start at; None for the working directory.
        command: Words that started it, for the manifest; by default those of this call.
        **options: Options of the suite, as `worktrial run SUITE --help-all` lists them, with underscores:
            `limit=5`, `faults="all"`, `base_url="http://…"`.

    Returns:
        The run; of several agents their runs, in the same order.

    Raises:
        SettingError: an option is unknown, missing or makes no sense.
        WorktrialError: the trial could not start or go on.
        Interrupted: Ctrl-C; finished samples are stored.
    """
    if _in_loop():
        return _in_thread(
            _run_async(suite, agent, out=out, progress=progress, base=base, command=command, options=options)
        )
    prepared = _prepared(suite, agent, {**options, "output": out}, base, command)
    with _shown(progress) as tell:
        run_trials([one.plan for one in prepared], progress=tell)
    return _runs(agent, prepared, base)


@overload
async def run_async(
    suite: "SuiteGiven",
    agent: Agent,
    *,
    out: str | Path | None = None,
    progress: Progress | bool | None = None,
    base: Path | None = None,
    command: tuple[str, ...] = (),
    **options: Any,
) -> Run: ...


@overload
async def run_async(
    suite: "SuiteGiven",
    agent: list[Agent],
    *,
    out: str | Path | None = None,
    progress: Progress | bool | None = None,
    base: Path | None = None,
    command: tuple[str, ...] = (),
    **options: Any,
) -> list[Run]: ...


async def run_async(
    suite: "SuiteGiven",
    agent: Agent | list[Agent],
    *,
    out: str | Path | None = None,
    progress: Progress | bool | None = None,
    base: Path | None = None,
    command: tuple[str, ...] = (),
    **options: Any,
) -> Run | list[Run]:
    """Run a suite on the caller's event loop; see `run`.

    Several runs may share a loop, each with a folder of its own. A run that is
    cancelled stops cleanly: finished samples are stored, and the same call resumes it.

    Raises:
        SettingError: an option is unknown, missing or makes no sense.
        WorktrialError: the trial could not start or go on.
        CancelledError: the task was cancelled.
    """
    return await _run_async(suite, agent, out=out, progress=progress, base=base, command=command, options=options)


async def _run_async(
    suite: "SuiteGiven",
    agent: Agent | list[Agent],
    *,
    out: str | Path | None,
    progress: Progress | bool | None,
    base: Path | None,
    command: tuple[str, ...],
    options: Mapping[str, Any],
) -> Run | list[Run]:
    # Reading data takes its time, and may use a loop of its own.
    prepared = await asyncio.to_thread(_prepared, suite, agent, {**options, "output": out}, base, command)
    with _shown(progress) as tell:
        await run_trials_async([one.plan for one in prepared], progress=tell)
    return _runs(agent, prepared, base)


def _prepared(
    suite: "SuiteGiven",
    agent: Agent | list[Agent],
    given: Mapping[str, Any],
    base: Path | None,
    command: tuple[str, ...],
) -> list[PreparedRun]:
    words = command or _said(suite, agent)
    if isinstance(agent, list):
        return prepare_all(suite, agent, given, base=base, command=words)
    return [prepare(suite, agent, given, base=base, command=words)]


def _runs(agent: Agent | list[Agent], prepared: Sequence[PreparedRun], base: Path | None) -> Run | list[Run]:
    runs = [Run.at(one.settings.folder, base) for one in prepared]
    return runs if isinstance(agent, list) else runs[0]


def tasks(suite: "SuiteGiven", **data: Any) -> Sequence[TaskRow]:
    """All tasks of a suite, in their own order.

    Args:
        suite: Name of a suite, folder of one's own, or the suite itself.
        **data: Options that say where tasks come from, as `worktrial list --help` shows them, with underscores.

    Raises:
        SettingError: there is no such suite or option, or one is missing.
        DataError: the data cannot be read.
    """
    found = find_suite(suite) if isinstance(suite, str | Path) else as_suite(suite)
    return found.tasks(found.data.read(data, suite=f"the suite {found.name}", needs=found.needs))


def load(folder: str | Path) -> Run:
    """Run that is stored in `folder`, finished or not; an address in an object store is brought here first.

    Raises:
        DataError: it holds no run, or a damaged one.
    """
    place = Path(folder)
    if address_of(place) is not None:
        from worktrial.scale.objects import local_run

        place = local_run(place)
    return Run.at(place)


def compare(
    first: Run | str | Path,
    second: Run | str | Path,
    *,
    condition: str | None = None,
    level: float = 0.05,
    force: bool = False,
) -> "Comparison":
    """Comparison of two runs, task by task; differences are second minus first.

    Args:
        first: Run or its folder, for instance the baseline.
        second: Run or its folder.
        condition: Fault condition that the verdict is about; None for E0, or their first.
        level: A difference is significant below this p value; intervals fit to it.
        force: Compare runs that are not comparable, too; the result's `label` says what differs.

    Raises:
        SettingError: more than the agents differs, or the runs share no sample.
        DataError: a folder holds no run, or a damaged one, or an outcome contradicts what it rests on.
    """
    a, b = (run if isinstance(run, Run) else load(run) for run in (first, second))
    from worktrial.results.comparison import compare_runs
    from worktrial.results.contradictions import refuse_contradictions

    for run in (a, b):
        refuse_contradictions(run.folder)
    found = compare_runs(a.run, b.run, confidence=1 - level, condition=condition)
    if not force:
        found.check_fair()
    found.check_shared(condition)
    return found


def _in_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _in_thread(whole: Coroutine[Any, Any, _T]) -> _T:
    """Carry `whole` out on a loop in a thread, and wait; Ctrl-C stops it cleanly.

    Raises:
        Interrupted: Ctrl-C.
    """
    ended: list[_T | BaseException] = []
    loop = asyncio.new_event_loop()
    task = loop.create_task(whole)

    def carry_out() -> None:
        try:
            ended.append(loop.run_until_complete(task))
        except BaseException as e:  # noqa: BLE001 - raised again where the run was started
            ended.append(e)
        finally:
            loop.close()

    thread = threading.Thread(target=carry_out, name="worktrial-run")
    thread.start()
    try:
        thread.join()
    except KeyboardInterrupt:
        with contextlib.suppress(RuntimeError):  # it has ended meanwhile
            loop.call_soon_threadsafe(task.cancel)
        thread.join()
        raise Interrupted("interrupted") from None
    (outcome,) = ended
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


def _shown(progress: Progress | bool | None) -> AbstractContextManager[Progress | None]:
    if progress is True:
        return display()
    return contextlib.nullcontext(progress or None)


def _said(suite: "SuiteGiven", agent: Agent | list[Agent]) -> tuple[str, ...]:
    name = str(suite) if isinstance(suite, str | Path) else suite.name
    agents = agent if isinstance(agent, list) else [agent]
    return (
        "worktrial.run",
        name,
        *(one if isinstance(one, str) else getattr(one, "__qualname__", "agent") for one in agents),
    )
