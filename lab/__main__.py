"""`python -m lab`: make fictional archives, and score an archive against tables whose truth is known."""

import typer

from lab.cli_generate import generate
from lab.cli_score import score
from worktrial.errors import WorktrialError

app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="Measure how well archives are read. Not installed."
)
app.command("generate")(generate)
app.command("score")(score)

if __name__ == "__main__":
    try:
        app()
    except WorktrialError as e:
        typer.echo(f"lab: {e}", err=True)
        raise SystemExit(e.exit_code) from e
