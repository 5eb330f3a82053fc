"""`worktrial run SUITE --agent human:NAME`: a person takes the trial, in a browser."""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import typer

from worktrial.engine.notices import say
from worktrial.errors import SettingError, extra


def sit_down(
    suite: Any,
    agents: Sequence[str],
    given: Mapping[str, Any],
    command: tuple[str, ...],
    port: int,
    *,
    open_browser: bool,
    hide: bool,
) -> None:
    """Open the desk of a run, and print what came of it.

    Args:
        suite: Whose samples.
        agents: Words after `--agent`; one of them names a person.
        given: Options of the suite.
        command: Words that started it, for the manifest.
        port: Port to listen on; 0 takes a free one.
        open_browser: Whether to open the page.
        hide: Whether verdicts are kept from the person, here as well.

    Raises:
        SettingError: a person is named beside another agent.
        Interrupted: the person left before every sample was done.
        typer.Exit: with 3 when more samples are invalid than allowed.
    """
    if len(agents) > 1:
        raise SettingError("--agent human: a person works alone; run the other agents by a command of their own")
    with extra("view", "A person at the desk"):
        import starlette as _  # noqa: F401 - what the pages are answered with
        import uvicorn  # noqa: F401
    from worktrial.cli.carry_out import announce, refuse_invalid, say_before, say_how_to_resume
    from worktrial.engine.interruption import Interrupted
    from worktrial.engine.stored import open_run
    from worktrial.interop.view.desk_server import person, seat
    from worktrial.trials import prepare

    episodes = person(agents[0])
    prepared = prepare(suite, episodes, given, command=command)
    say_before([prepared], given)
    announce(prepared.trial, prepared.models, prepared.settings)

    def ready(address: str) -> None:
        say(address)
        sys.stdout.flush()
        if open_browser:
            typer.launch(address)

    try:
        done = asyncio.run(seat(prepared, episodes, port, shows_verdict=not hide, ready=ready))
    except (KeyboardInterrupt, asyncio.CancelledError):
        done = False
    if not done:
        stop = Interrupted("the desk was left before every sample was done")
        say_how_to_resume([prepared.plan], stop)
        raise stop
    if hide:
        say(f"done; the verdicts are in {prepared.settings.folder}: worktrial show")
        return
    from worktrial.cli.summary import print_summary
    from worktrial.results.summary import RunTally

    stored = open_run(prepared.settings.folder)
    options = prepared.options.shared_with(suite.beside)
    print_summary(RunTally.of(stored), beside=suite.beside.read(options, suite=suite.name))
    invalid = sum(record.outcome == "invalid" for record in stored.records)
    refuse_invalid(invalid / max(1, len(stored.records)), prepared.options.max_invalid, prepared.settings)
