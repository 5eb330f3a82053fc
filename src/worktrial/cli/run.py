"""`worktrial run SUITE`: put an agent to work."""

import sys
from typing import Annotated, Any

import typer

from worktrial.cli.lazy import about_suite, suite_group
from worktrial.cli.options import WhereOptions, command_of, takes, together
from worktrial.engine.notices import tell_on_stderr
from worktrial.errors import SettingError, flag


def _command(suite: Any, word: str) -> Any:
    agents = ", ".join(f"{name} ({agent.about})" for name, agent in suite.reference_agents.items())
    said = (
        "Who takes the trial; repeat it for several, side by side: a model's name at --base-url, openai/NAME, "
        "local (the embedded model), "
        f"{agents + ', ' if agents else ''}python:MODULE:FUNCTION (your own), or human:NAME (you, in a browser). "
        "(required)"
    )

    @takes(lambda: together(WhereOptions, suite.every_option))
    def run(
        agent: Annotated[list[str] | None, typer.Option(help=said, rich_help_panel="Who takes part")] = None,
        **given: Any,
    ) -> None:
        from worktrial.agents.candidates import is_person
        from worktrial.cli.carry_out import carry_out, carry_out_all, say_before
        from worktrial.trials import prepare, prepare_all

        command = ("worktrial", *sys.argv[1:])
        where = WhereOptions.read({name: given.pop(name) for name in WhereOptions.model_fields}, suite="run")
        person = any(map(is_person, agent or ()))
        if where.ray is None and (where.shards is not None or where.ray_wait is not None):
            raise SettingError("--shards and --ray-wait are for a run on a cluster: add --ray ADDRESS")
        if where.ray is not None and (len(agent or ()) > 1 or person):
            raise SettingError("--ray: takes one --agent at a time, and no person")
        if person:
            from worktrial.cli.desk import sit_down

            sit_down(suite, agent or (), given, command, where)
            return
        if used := [name for name in ("port", "open", "hide_verdict") if name in where.model_fields_set]:
            raise SettingError(f"{flag(used[0])} is for a person at the desk: --agent human:NAME")
        if agent is not None and len(agent) > 1:
            prepared = prepare_all(suite, agent, given, command=command)
        else:
            prepared = [prepare(suite, agent[0] if agent else None, given, command=command)]
        say_before(prepared, given)
        if len(prepared) > 1:
            carry_out_all(prepared)
        elif where.ray is None:
            carry_out(prepared[0])
        else:
            from worktrial.scale.ray.head import Cluster, run_on_ray
            from worktrial.scale.ray.worker import Errand

            errand = Errand(word, agent[0] if agent else None, given, command)
            cluster = Cluster(where.ray, where.shards, where.ray_wait)
            carry_out(prepared[0], lambda: run_on_ray(prepared[0], errand, cluster, tell_on_stderr))

    needs = "Needs nothing but an agent." if suite.needs == "nothing" else f"Needs {suite.needs}."
    example = f"Example: worktrial run {word} {suite.example}" if suite.example else ""
    parts = filter(None, (about_suite(suite), needs, example))
    return command_of(run, word, path="run", help="\n\n".join(parts))


app = suite_group(
    "Put an agent to work on a suite: one of those below, or one of your own, by its folder.\n\n"
    "Example: worktrial run ./my-suite --base-url http://localhost:8000/v1 --agent my-model "
    "--simulator my-model --judge my-model",
    _command,
)
