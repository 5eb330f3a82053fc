"""`worktrial run SUITE --agent human:NAME`: a person takes the trial, in a browser."""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from worktrial.engine.notices import say
from worktrial.errors import SettingError, extra

if TYPE_CHECKING:
    from worktrial.cli.options import WhereOptions


def sit_down(
    suite: Any,
    agents: Sequence[str],
    given: Mapping[str, Any],
    command: tuple[str, ...],
    where: "WhereOptions",
) -> None:
    """Open the desk of a run, and print what came of it.

    Args:
        suite: Whose samples.
        agents: Words after `--agent`; one of them names a person.
        given: Options of the suite.
        command: Words that started it, for the manifest.
        where: How the page is shown; a verdict that is hidden is kept from the person here as well.

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
    from worktrial.cli.carry_out import announce, say_before, say_how_to_resume, show_end
    from worktrial.engine.interruption import Interrupted
    from worktrial.interop.view.desk_server import person, seat
    from worktrial.trials import prepare

    episodes = person(agents[0])
    prepared = prepare(suite, episodes, given, command=command)
    say_before([prepared], given)
    announce(prepared.plan)

    def ready(address: str) -> None:
        say(address)
        sys.stdout.flush()
        if where.open:
            typer.launch(address)

    try:
        work = seat(prepared, episodes, where.port or 0, shows_verdict=not where.hide_verdict, ready=ready)
        done = asyncio.run(work)
    except (KeyboardInterrupt, asyncio.CancelledError):
        done = False
    if not done:
        stop = Interrupted("the desk was left before every sample was done")
        say_how_to_resume([prepared.plan], stop)
        raise stop
    if where.hide_verdict:
        say(f"done; the verdicts are in {prepared.settings.folder}: worktrial show")
    else:
        show_end(prepared)
