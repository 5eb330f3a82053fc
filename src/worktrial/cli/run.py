"""`worktrial run SUITE`: put an agent to work."""

import sys
from typing import Annotated, Any

import typer
import typer.core

from worktrial.cli.lazy import stub
from worktrial.errors import SettingError, WorktrialError


class SuiteGroup(typer.core.TyperGroup):
    """A command for every suite that is installed, and for the folder of every suite of one's own."""

    _listing = False

    # Typer has moved the classes of these from one release to the next.
    def list_commands(self, ctx: Any) -> list[str]:
        """Names of the suites that are installed."""
        from worktrial.suite import suites

        return suites.names

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Command that runs the suite of that name, or in that folder.

        Raises:
            SettingError: there is no such suite.
            DataError: it is a folder that holds none.
        """
        from worktrial.suite import find_suite

        if not self._listing:
            return self.command(find_suite(cmd_name), cmd_name)
        try:
            about = find_suite(cmd_name).about
        except WorktrialError as e:
            about = str(e)
        return stub(cmd_name, about)

    def command(self, suite: Any, word: str) -> Any:
        """Command for `suite`, to be called `word`."""
        return _command(suite, word)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help page; a suite that cannot be loaded says so there."""
        self._listing = True
        super().format_help(ctx, formatter)


app = typer.Typer(
    cls=SuiteGroup,
    no_args_is_help=True,
    subcommand_metavar="SUITE|FOLDER [ARGS]...",
    help="Put an agent to work on a suite: one of those below, or one of your own, by its folder.\n\n"
    "Example: worktrial run ./my-suite --base-url http://localhost:8000/v1 --agent my-model "
    "--simulator my-model --judge my-model",
)


@app.callback()
def _group() -> None:
    """Options of `worktrial run` itself: none."""


def _command(suite: Any, word: str) -> Any:
    from worktrial.cli.options import command_of, takes

    agents = ", ".join(f"{name} ({agent.about})" for name, agent in suite.reference_agents.items())
    said = (
        "Who takes the trial; repeat it for several, side by side: a model's name at --base-url, openai/NAME, "
        "local (the embedded model), "
        f"{agents + ', ' if agents else ''}python:MODULE:FUNCTION (your own), or human:NAME (you, in a browser). "
        "(required)"
    )

    @takes(lambda: suite.every_option)
    def run(
        agent: Annotated[list[str] | None, typer.Option(help=said, rich_help_panel="Who takes part")] = None,
        port: Annotated[
            int | None,
            _at_desk("--port", "Port of the page; default: a free one.", min=0, max=65535, metavar="PORT"),
        ] = None,
        open_browser: Annotated[bool, _at_desk("--open", "Open the page in a browser.")] = False,
        hide_verdict: Annotated[
            bool, _at_desk("--hide-verdict", "Do not show the person what came of the work.")
        ] = False,
        ray: Annotated[
            str | None,
            _on_ray(
                "--ray",
                "Run in shards on a Ray cluster: `local` (one of this command's own), `auto` (the one that this "
                "machine is in), or HOST:PORT of its head. Budgets and paces hold for all shards together.",
                metavar="ADDRESS",
            ),
        ] = None,
        shards: Annotated[
            int | None,
            _on_ray("--shards", "Number of shards. Default: one for each CPU, or as many as there are.", min=1),
        ] = None,
        ray_wait: Annotated[
            float | None,
            _on_ray("--ray-wait", "Seconds in which the cluster has to be there. Default: 120.", min=0),
        ] = None,
        **given: Any,
    ) -> None:
        from worktrial.agents.candidates import is_person
        from worktrial.cli.carry_out import carry_out, carry_out_all, say_before
        from worktrial.trials import prepare, prepare_all

        command = ("worktrial", *sys.argv[1:])
        if ray is None and (shards is not None or ray_wait is not None):
            raise SettingError("--shards and --ray-wait are for a run on a cluster: add --ray ADDRESS")
        if ray is not None and (len(agent or ()) > 1 or any(map(is_person, agent or ()))):
            raise SettingError("--ray: takes one --agent at a time, and no person")
        if any(map(is_person, agent or ())):
            from worktrial.cli.desk import sit_down

            sit_down(suite, agent or (), given, command, port or 0, open_browser=open_browser, hide=hide_verdict)
            return
        for flag_given, words in (
            (port is not None, "--port"),
            (open_browser, "--open"),
            (hide_verdict, "--hide-verdict"),
        ):
            if flag_given:
                raise SettingError(f"{words} is for a person at the desk: --agent human:NAME")
        if agent is not None and len(agent) > 1:
            prepared = prepare_all(suite, agent, given, command=command)
        else:
            prepared = [prepare(suite, agent[0] if agent else None, given, command=command)]
        say_before(prepared, given)
        if ray is not None:
            from worktrial.cli.on_ray import carry_out_on_ray
            from worktrial.scale.ray.cluster import Cluster
            from worktrial.scale.ray.head import Errand

            errand = Errand(word, agent[0] if agent else None, given, command)
            cluster = Cluster(ray, shards, ray_wait)
            options = prepared[0].options.shared_with(suite.beside)
            carry_out_on_ray(prepared[0], errand, cluster, beside=suite.beside.read(options, suite=suite.name))
        elif len(prepared) > 1:
            carry_out_all(prepared)
        else:
            options = prepared[0].options.shared_with(suite.beside)
            carry_out(prepared[0], beside=suite.beside.read(options, suite=suite.name))

    about = about_suite(suite)
    needs = "Needs nothing but an agent." if suite.needs == "nothing" else f"Needs {suite.needs}."
    example = f"Example: worktrial run {word} {suite.example}" if suite.example else ""
    return command_of(run, word, path="run", help="\n\n".join(part for part in (about, needs, example) if part))


def _at_desk(words: str, help: str, **more: Any) -> Any:
    return typer.Option(words, help=help, rich_help_panel="A person at the desk", **more)


def _on_ray(words: str, help: str, **more: Any) -> Any:
    return typer.Option(words, help=help, rich_help_panel="A Ray cluster", **more)


def about_suite(suite: Any) -> str:
    """Sentence on what `suite` is about."""
    return f"{suite.about[:1].upper()}{suite.about[1:]}."
