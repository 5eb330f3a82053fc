"""`worktrial serve SUITE`: a suite's samples for agents that live elsewhere."""

import asyncio
import os
import sys
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from worktrial.cli.run import SuiteGroup, about_suite
from worktrial.engine.notices import say
from worktrial.errors import SettingError, extra

if TYPE_CHECKING:
    from worktrial.agents.episodes import Episodes
    from worktrial.trials import PreparedRun

_DOORS = "Doors"
_NONE = "none"
_REWARDS = "outcome|checks|shaped"
_T = TypeVar("_T")


class ServedSuites(SuiteGroup):
    """A command for every suite: serve it."""

    def command(self, suite: Any, word: str) -> Any:
        """Command that serves `suite`."""
        return _command(suite, word)


app = typer.Typer(
    cls=ServedSuites,
    no_args_is_help=True,
    subcommand_metavar="SUITE|FOLDER [ARGS]...",
    help="Serve a suite's samples to agents that live elsewhere, over HTTP and MCP.\n\n"
    "Example: worktrial serve starter --limit 5 -o runs/mine",
)


def _option(words: str, help: str, **more: Any) -> Any:
    return typer.Option(words, help=help, rich_help_panel=_DOORS, **more)


def _command(suite: Any, word: str) -> Any:
    from worktrial.cli.options import command_of, takes

    @takes(lambda: suite.every_option)
    def serve(
        agent: Annotated[
            str,
            typer.Option(help="Name of the agent that comes, for the run.", rich_help_panel="Who takes part"),
        ] = "driven",
        host: Annotated[str, _option("--host", "Address to listen on.")] = "127.0.0.1",
        port: Annotated[int, _option("--port", "Port to listen on; 0 takes a free one.", min=0, max=65535)] = 0,
        host_name: Annotated[
            list[str] | None,
            _option("--host-name", "Further name under which agents reach this machine; repeat it for several."),
        ] = None,
        token_env: Annotated[
            str | None,
            _option(
                "--token-env",
                "Environment variable that holds the token. Default: a random one, printed after the address.",
                metavar="NAME",
            ),
        ] = None,
        episodes: Annotated[int, _option("--episodes", "Episodes that may be open at once.", min=1)] = 1000,
        idle_seconds: Annotated[
            float,
            _option("--idle-seconds", "Seconds without a call after which an episode counts as abandoned.", min=1),
        ] = 600.0,
        finish_tool: Annotated[
            str,
            _option(
                "--finish-tool",
                "Name of the tool by which an agent hands in its answer; none offers none.",
                metavar="NAME|none",
            ),
        ] = "finish_work",
        show_checks: Annotated[
            bool, _option("--show-checks", "Show checks and votes with each verdict: they are the answer key.")
        ] = False,
        sample: Annotated[
            str | None,
            _option("--sample", "With --at: id of the task. Default: the next open one.", metavar="ID"),
        ] = None,
        at: Annotated[
            str | None,
            _option(
                "--at",
                "Open one sample at once, at /episodes/NAME: whoever reaches this server may then drive it.",
                metavar="NAME",
            ),
        ] = None,
        openenv: Annotated[
            bool,
            _option("--openenv", "Serve an environment of OpenEnv instead: reset, step, reward."),
        ] = False,
        reward: Annotated[
            str | None,
            _option("--reward", "With --openenv: what a verdict is worth. Default: outcome.", metavar=_REWARDS),
        ] = None,
        **given: Any,
    ) -> None:
        if openenv:
            with extra("openenv", "An environment of OpenEnv"):
                import openenv as _  # noqa: F401 - what it is made of
        else:
            with extra("serve", "Serving"):
                import mcp  # noqa: F401 - what the doors are made of
                import uvicorn  # noqa: F401
        from worktrial.agents.episodes import Episodes
        from worktrial.cli.carry_out import say_before
        from worktrial.grading.reward import RewardKind
        from worktrial.interop.serve.settings import ServerSettings
        from worktrial.trials import prepare

        if reward is not None and not openenv:
            raise SettingError("--reward is for --openenv; over HTTP and MCP there are verdicts")
        if reward not in (None, *RewardKind):
            raise SettingError(f"--reward {reward}: there is {', '.join(RewardKind)}")
        if at is not None and openenv:
            raise SettingError("--at is an address over HTTP and MCP; leave out --openenv")
        if sample is not None and at is None:
            raise SettingError("--sample names the sample of --at; else every episode names its own")
        token = None if token_env is None else os.environ.get(token_env)
        if token_env is not None and not token:
            raise SettingError(f"--token-env: the environment variable {token_env} is not set")

        settings = ServerSettings(
            host=host,
            port=port,
            token=token,
            names=host_name or (),
            # An environment takes the answer as an action.
            finish_tool=None if openenv or finish_tool == _NONE else finish_tool,
            shows_checks=show_checks,
            address=at,
            sample=sample,
        )
        driven = Episodes(agent, idle_seconds=idle_seconds, most=episodes)
        prepared = prepare(suite, driven, given, command=("worktrial", *sys.argv[1:]))
        say_before([prepared], given)
        if openenv:
            from worktrial.interop.openenv import environment_app

            kind = RewardKind(reward or RewardKind.OUTCOME)
            _serve(prepared, driven, settings, environment_app(kind, episodes), shows_token=False)
        else:
            from worktrial.interop.serve.doors import http_and_mcp

            _serve(prepared, driven, settings, http_and_mcp, shows_token=token is None)

    return command_of(serve, word, path="serve", help=f"{about_suite(suite)} Served to agents that live elsewhere.")


def _serve(prepared: "PreparedRun", episodes: "Episodes", settings: Any, app_of: Any, *, shows_token: bool) -> None:
    from worktrial.cli.carry_out import announce, refuse_invalid, say_how_to_resume
    from worktrial.engine.interruption import Interrupted
    from worktrial.engine.stored import open_run
    from worktrial.interop.serve.server import Served, serve

    announce(prepared.trial, prepared.models, prepared.settings)

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
    from worktrial.cli.summary import print_summary
    from worktrial.results.summary import RunTally

    stored = open_run(prepared.settings.folder)
    print_summary(RunTally.of(stored), beside=None)
    invalid = sum(record.outcome == "invalid" for record in stored.records)
    refuse_invalid(invalid / max(1, len(stored.records)), prepared.options.max_invalid, prepared.settings)


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
