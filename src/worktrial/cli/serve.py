"""`worktrial serve SUITE`: a suite's samples for agents that live elsewhere."""

import asyncio
import os
import sys
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from pydantic import Field

from worktrial.cli.lazy import about_suite, suite_group
from worktrial.cli.options import command_of, takes, together
from worktrial.engine.notices import say
from worktrial.errors import SettingError, extra
from worktrial.grading.reward import RewardKind
from worktrial.options import Count, Flag, Options

if TYPE_CHECKING:
    from worktrial.agents.episodes import Episodes
    from worktrial.interop.serve.settings import ServerSettings
    from worktrial.trials import PreparedRun

_DOORS = "Doors"
_NONE = "none"
_T = TypeVar("_T")


class DoorOptions(Options):
    """Doors by which agents come in."""

    host: Annotated[str, Flag(_DOORS, common=True)] = "127.0.0.1"
    """Address to listen on."""
    port: Annotated[Annotated[int, Field(ge=0, le=65535)], Flag(_DOORS, common=True)] = 0
    """Port to listen on; 0 takes a free one."""
    host_name: Annotated[list[str], Flag(_DOORS, common=True)] = Field([])
    """Further name under which agents reach this machine; repeat it for several."""
    token_env: Annotated[str | None, Flag(_DOORS, common=True, metavar="NAME")] = None
    """Environment variable that holds the token. Default: a random one, printed after the address."""
    episodes: Annotated[Count, Flag(_DOORS, common=True)] = 1000
    """Episodes that may be open at once."""
    idle_seconds: Annotated[Annotated[float, Field(ge=1)], Flag(_DOORS, common=True)] = 600.0
    """Seconds without a call after which an episode counts as abandoned."""
    finish_tool: Annotated[str, Flag(_DOORS, common=True, metavar="NAME|none")] = "finish_work"
    """Name of the tool by which an agent hands in its answer; none offers none."""
    show_checks: Annotated[bool, Flag(_DOORS, common=True)] = False
    """Show checks and votes with each verdict: they are the answer key."""
    sample: Annotated[str | None, Flag(_DOORS, common=True, metavar="ID")] = None
    """With --at: id of the task. Default: the next open one."""
    at: Annotated[str | None, Flag(_DOORS, common=True, metavar="NAME")] = None
    """Open one sample at once, at /episodes/NAME: whoever reaches this server may then drive it."""
    openenv: Annotated[bool, Flag(_DOORS, common=True)] = False
    """Serve an environment of OpenEnv instead: reset, step, reward."""
    reward: Annotated[RewardKind | None, Flag(_DOORS, common=True, metavar="|".join(RewardKind))] = None
    """With --openenv: what a verdict is worth. Default: outcome."""


def _command(suite: Any, word: str) -> Any:
    @takes(lambda: together(DoorOptions, suite.every_option))
    def serve(
        agent: Annotated[
            str, typer.Option(help="Name of the agent that comes, for the run.", rich_help_panel="Who takes part")
        ] = "driven",
        **given: Any,
    ) -> None:
        from worktrial.agents.episodes import Episodes
        from worktrial.cli.carry_out import say_before
        from worktrial.trials import prepare

        doors = DoorOptions.read({name: given.pop(name) for name in DoorOptions.model_fields}, suite="serve")
        settings = _settings(doors)
        driven = Episodes(agent, idle_seconds=doors.idle_seconds, most=doors.episodes)
        prepared = prepare(suite, driven, given, command=("worktrial", *sys.argv[1:]))
        say_before([prepared], given)
        if doors.openenv:
            from worktrial.interop.openenv import environment_app

            kind = doors.reward or RewardKind.OUTCOME
            _serve(prepared, driven, settings, environment_app(kind, doors.episodes), shows_token=False)
        else:
            from worktrial.interop.serve.doors import http_and_mcp

            _serve(prepared, driven, settings, http_and_mcp, shows_token=settings.token is None)

    return command_of(serve, word, path="serve", help=f"{about_suite(suite)} Served to agents that live elsewhere.")


app = suite_group(
    "Serve a suite's samples to agents that live elsewhere, over HTTP and MCP.\n\n"
    "Example: worktrial serve starter --limit 5 -o runs/mine",
    _command,
)


def _settings(doors: DoorOptions) -> "ServerSettings":
    """Settings of the server.

    Raises:
        SettingError: the options do not go together.
        MissingExtra: a library is not installed.
    """
    if doors.openenv:
        with extra("openenv", "An environment of OpenEnv"):
            import openenv as _  # noqa: F401 - what it is made of
    else:
        with extra("serve", "Serving"):
            import mcp  # noqa: F401 - what the doors are made of
            import uvicorn  # noqa: F401
    from worktrial.interop.serve.settings import ServerSettings

    if doors.reward is not None and not doors.openenv:
        raise SettingError("--reward is for --openenv; over HTTP and MCP there are verdicts")
    if doors.at is not None and doors.openenv:
        raise SettingError("--at is an address over HTTP and MCP; leave out --openenv")
    if doors.sample is not None and doors.at is None:
        raise SettingError("--sample names the sample of --at; else every episode names its own")
    token = None if doors.token_env is None else os.environ.get(doors.token_env)
    if doors.token_env is not None and not token:
        raise SettingError(f"--token-env: the environment variable {doors.token_env} is not set")
    return ServerSettings(
        host=doors.host,
        port=doors.port,
        token=token,
        names=doors.host_name,
        # An environment takes the answer as an action.
        finish_tool=None if doors.openenv or doors.finish_tool == _NONE else doors.finish_tool,
        shows_checks=doors.show_checks,
        address=doors.at,
        sample=doors.sample,
    )


def _serve(prepared: "PreparedRun", episodes: "Episodes", settings: Any, app_of: Any, *, shows_token: bool) -> None:
    from worktrial.cli.carry_out import announce, say_how_to_resume, show_end
    from worktrial.engine.interruption import Interrupted
    from worktrial.interop.serve.server import Served, serve

    announce(prepared.plan)

    def ready(served: Served) -> None:
        say(served.url)
        if shows_token:
            say(f"token {served.token}")
        sys.stdout.flush()

    def tell(line: str) -> None:
        say(line, err=True)

    if not _to_its_end(serve(prepared, episodes, settings, app_of, ready=ready, tell=tell)):
        stop = Interrupted("stopped before every sample was done")
        say_how_to_resume([prepared.plan], stop)
        raise stop
    show_end(prepared)


def _to_its_end(work: "Coroutine[Any, Any, _T]") -> _T:
    """Carry `work` out on a loop of its own.

    Raises:
        Interrupted: Ctrl-C or SIGTERM.
    """
    from worktrial.engine.interruption import Interrupted

    try:
        return asyncio.run(work)
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise Interrupted("interrupted") from None
