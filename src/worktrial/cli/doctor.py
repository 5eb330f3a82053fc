"""`worktrial doctor`: what works on this machine."""

import re
import shutil
from typing import Annotated

import typer

from worktrial import __version__
from worktrial.language.untrusted import printable

# A line of the package's own metadata: `aiohttp>=3.12`, or `duckdb>=1.2; extra == 'analysis'`.
_NEEDED = re.compile(r"^([\w.-]+)[^;]*(?:;.*extra == ['\"]([\w-]+)['\"])?")
_PROGRAMS = {
    "bwrap": "locks in the Python that agents run; without it those tools refuse to start (package bubblewrap)",
    "tesseract": "reads scans a second time; without it doubtful numbers stay marked as doubtful (tesseract-ocr)",
}


def doctor(
    base_url: Annotated[
        list[str] | None, typer.Option(help="An endpoint to try; repeatable.", metavar="URL")
    ] = None,
    api_key_env: Annotated[
        str | None, typer.Option(help="Environment variable with the key for these endpoints.", metavar="NAME")
    ] = None,
    wire: Annotated[
        str | None, typer.Option(help="Wire of these endpoints, such as anthropic.", metavar="NAME")
    ] = None,
    model: Annotated[str | None, typer.Option(help="Also ask this model for one word at each endpoint.")] = None,
) -> None:
    """Report what is installed and what is not, with what it is for, and which endpoints answer.

    Exits with 1 when a named endpoint does not answer as it should.

    Example: worktrial doctor --base-url http://localhost:8000/v1 --model my-model
    """
    import platform

    typer.echo(f"worktrial {__version__} · Python {platform.python_version()} · {platform.platform()}")
    _packages()
    _programs()
    _local_models()
    if not base_url:
        typer.echo("no endpoint tried; name one with --base-url URL")
        return
    import asyncio

    from worktrial.engine.checkup import examine

    healthy = True
    for url in base_url:
        for finding in asyncio.run(examine(url, api_key_env, model, wire)):
            mark = "ok " if finding.good else "BAD" if finding.needed else "-  "
            typer.echo(f"  {mark} {printable(finding.text)}")
            healthy &= finding.good or not finding.needed
    if not healthy:
        raise typer.Exit(1)


def _packages() -> None:
    """Print the packages that Worktrial stands on, and for each extra whether it is whole."""
    from importlib.metadata import requires

    extras: dict[str, list[str]] = {}
    for line in requires("worktrial") or ():
        name, extra = _NEEDED.findall(line)[0]
        if name != "worktrial":
            extras.setdefault(extra, []).append(name)
    typer.echo("  " + ", ".join(f"{name} {_version(name) or 'MISSING'}" for name in extras.pop("", [])))
    for extra, names in sorted(extras.items()):
        missing = [name for name in names if _version(name) is None]
        state = f"lacks {', '.join(missing)}: pip install 'worktrial[{extra}]'" if missing else "installed"
        typer.echo(f"  extra {extra}: {state}")


def _programs() -> None:
    for program, use in _PROGRAMS.items():
        typer.echo(f"  {program}: " + ("found" if shutil.which(program) else f"not here; it {use}"))


def _version(name: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _local_models() -> None:
    from worktrial.engine.local import CATALOGUE, is_present

    for entry in CATALOGUE:
        state = "present" if is_present(entry) else f"not here: worktrial model pull {entry.name}"
        typer.echo(f"  embedded model {entry.name}: {state}")
