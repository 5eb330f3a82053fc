"""`worktrial doctor`: what works on this machine."""

from typing import Annotated

import typer

from worktrial import __version__
from worktrial.cli.untrusted import printable

_PACKAGES = (
    "aiohttp",
    "anyio",
    "jinja2",
    "jsonschema",
    "jsonpatch",
    "msgspec",
    "pydantic",
    "rich",
    "typer",
)
_OPTIONAL = {
    "xllamacpp": "the embedded model: pip install 'worktrial[local]'",
    "huggingface_hub": "worktrial model pull: pip install 'worktrial[local]'",
}


def doctor(
    base_url: Annotated[
        list[str] | None, typer.Option(help="An endpoint to try; repeatable.", metavar="URL")
    ] = None,
    api_key_env: Annotated[
        str | None, typer.Option(help="Environment variable with the key for these endpoints.", metavar="NAME")
    ] = None,
    model: Annotated[str | None, typer.Option(help="Also ask this model for one word at each endpoint.")] = None,
) -> None:
    """Report what is installed, which embedded models are present, and which endpoints answer.

    Exits with 1 when a named endpoint does not answer as it should.

    Example: worktrial doctor --base-url http://localhost:8000/v1 --model my-model
    """
    import platform

    typer.echo(f"worktrial {__version__} · Python {platform.python_version()} · {platform.platform()}")
    for name in _PACKAGES:
        typer.echo(f"  {name} {_version(name) or 'MISSING'}")
    for name, use in _OPTIONAL.items():
        found = _version(name)
        typer.echo(f"  {name} {found}" if found else f"  {name} not installed ({use})")
    _local_models()
    if not base_url:
        typer.echo("no endpoint tried; name one with --base-url URL")
        return
    import asyncio

    from worktrial.engine.checkup import examine

    healthy = True
    for url in base_url:
        for finding in asyncio.run(examine(url, api_key_env, model)):
            mark = "ok " if finding.good else "BAD" if finding.needed else "-  "
            typer.echo(f"  {mark} {printable(finding.text)}")
            healthy &= finding.good or not finding.needed
    if not healthy:
        raise typer.Exit(1)


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
