"""`worktrial doctor`: what works on this machine."""

import re
import shutil
from typing import TYPE_CHECKING, Annotated

import typer

from worktrial.engine.notices import say
from worktrial.version import __version__

if TYPE_CHECKING:
    from packaging.requirements import Requirement

# In a line of the package's own metadata: `duckdb>=1.2; extra == 'analysis'`.
_EXTRA = re.compile(r"extra == ['\"]([\w-]+)['\"]")
_PROGRAMS = {
    "bwrap": "locks in agents' Python, and parsers; without it Python tools refuse to start (package bubblewrap)",
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

    say(f"worktrial {__version__} · Python {platform.python_version()} · {platform.platform()}")
    _packages()
    _programs()
    _local_models()
    if not base_url:
        say("no endpoint tried; name one with --base-url URL")
        return
    import asyncio

    from worktrial.engine.checkup import examine

    healthy = True
    for url in base_url:
        for finding in asyncio.run(examine(url, api_key_env, model, wire)):
            mark = "ok " if finding.good else "BAD" if finding.needed else "-  "
            say(f"  {mark} {finding.text}")
            healthy &= finding.good or not finding.needed
    if not healthy:
        raise typer.Exit(1)


def _packages() -> None:
    """Print the packages that Worktrial stands on, and of each extra whether it is whole, in tested versions."""
    from importlib.metadata import requires

    from packaging.requirements import Requirement

    extras: dict[str, list[Requirement]] = {}
    for line in requires("worktrial") or ():
        wanted = Requirement(line)
        if wanted.name != "worktrial":
            named = _EXTRA.search(str(wanted.marker or ""))
            extras.setdefault(named[1] if named else "", []).append(wanted)
    own = extras.pop("", [])
    say("  " + ", ".join(f"{one.name} {_version(one.name) or 'MISSING'}" for one in own))
    for one in own:
        if strange := _outside(one):
            say(f"  {strange}: pip install --upgrade worktrial")
    for extra, packages in sorted(extras.items()):
        missing = [one.name for one in packages if _version(one.name) is None]
        strange = "; ".join(filter(None, map(_outside, packages)))
        if missing:
            say(f"  extra {extra}: lacks {', '.join(missing)}: pip install 'worktrial[{extra}]'")
        elif strange:
            # Installers bring the newest version that everything else allows, without a word.
            say(f"  extra {extra}: {strange}. Give it an environment of its own: pip install 'worktrial[{extra}]'")
        else:
            say(f"  extra {extra}: installed")


def _outside(wanted: "Requirement") -> str:
    """Half a sentence on a version that is there and was never tried; "" where none is."""
    found = _version(wanted.name)
    if found is None or wanted.specifier.contains(found, prereleases=True):
        return ""
    return f"{wanted.name} {found} is outside the tested {wanted.specifier}"


def _programs() -> None:
    for program, use in _PROGRAMS.items():
        say(f"  {program}: " + ("found" if shutil.which(program) else f"not here; it {use}"))


def _version(name: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _local_models() -> None:
    from worktrial.engine.local.catalogue import CATALOGUE, is_present

    for entry in CATALOGUE:
        state = "present" if is_present(entry) else f"not here: worktrial model pull {entry.name}"
        say(f"  embedded model {entry.name}: {state}")
