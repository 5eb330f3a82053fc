"""Running a trial on a Ray cluster for a command: announce, run, show the table, choose the exit code."""

from worktrial.cli.carry_out import announce, refuse_invalid, say_retries, tell_how_to_resume
from worktrial.engine.interruption import Interrupted
from worktrial.engine.notices import say, tell_on_stderr
from worktrial.errors import StopRun
from worktrial.options import Options
from worktrial.scale.ray.cluster import Cluster
from worktrial.scale.ray.head import Errand, run_on_ray
from worktrial.scale.ray.worker import settled
from worktrial.trials import PreparedRun


def carry_out_on_ray(
    prepared: PreparedRun, errand: Errand, cluster: Cluster, *, beside: Options | None = None
) -> None:
    """Run `prepared` on a cluster and print what came of it.

    Args:
        prepared: What is run.
        errand: The same in words.
        cluster: Where it runs.
        beside: What it is shown beside, as the suite's `beside`.

    Raises:
        typer.Exit: with 3 when more samples are invalid than allowed.
        WorktrialError: the run could not start or go on.
    """
    announce(prepared.trial, prepared.models, prepared.settings)
    try:
        ends = run_on_ray(prepared, errand, cluster, tell_on_stderr)
    except KeyboardInterrupt:
        stop = Interrupted("interrupted")
        tell_how_to_resume([prepared.plan], stop)
        raise stop from None
    except (Interrupted, StopRun) as e:
        tell_how_to_resume([prepared.plan], e)
        raise
    from worktrial.cli.places import run_folder
    from worktrial.cli.summary import print_summary
    from worktrial.results.shown import tally_shown

    settings = prepared.settings
    print_summary(tally_shown(run_folder(settings.place)), beside=beside)
    retries, invalid = settled(ends)
    say_retries(retries)
    if settings.remote is None:
        say(f"{len(ends)} shards -> {settings.folder}", err=True)
    refuse_invalid(invalid, prepared.options.max_invalid, settings)
