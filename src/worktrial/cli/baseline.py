"""`worktrial baseline`: runs that gates compare with, under names."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from worktrial.cli.lazy import CommandRow, fixed_group
from worktrial.engine.notices import say
from worktrial.errors import DataError
from worktrial.results.writing import counted

if TYPE_CHECKING:
    from worktrial.results.gate import Pin


app = fixed_group(
    "baseline",
    "Pin runs that gates compare with. Held against the last run, a release that is a little worse every time "
    "always passes; held against a pinned one, it does not.",
    {
        "set": CommandRow("Pin a run under a name.", "baseline:set_baseline"),
        "list": CommandRow("List what is pinned.", "baseline:list_baselines"),
        "show": CommandRow("Show one, and whether its run is still the same.", "baseline:show_baseline"),
        "remove": CommandRow("Forget a name; the run stays.", "baseline:remove_baseline"),
    },
)
Name = Annotated[str, typer.Argument(help="Name of the baseline, such as main.", metavar="NAME")]
Store = Annotated[
    Path, typer.Option("--store", help="Folder of pinned baselines and rows of looks.", metavar="FOLDER")
]
_STORE = Path("runs/gates")


def set_baseline(
    name: Name,
    run: Annotated[Path, typer.Argument(help="Folder of a finished run; it stays where it is.", metavar="RUN")],
    replace: Annotated[bool, typer.Option("--replace", help="Put it in the place of the one pinned now.")] = False,
    store: Store = _STORE,
) -> None:
    """Pin a run: its place, with fingerprints of settings and results that tell a change.

    A baseline is drawn once, and its luck stays in every look at it. So give it repeats, five tries of each task or
    more.

    Example: worktrial baseline set main runs/release-1
    """
    from worktrial.engine.stored import open_run
    from worktrial.results.gate import pin

    pinned = pin(name, open_run(run), store=store, replace=replace)
    say(f"{_line(pinned)}\nGate against it: worktrial gate RUN --baseline {name} --max-regression 0.05")


def list_baselines(store: Store = _STORE) -> None:
    """List pinned baselines, and which of them are gone or changed."""
    from worktrial.results.gate import pins

    found = pins(store)
    if not found:
        say(f"nothing is pinned in {store}; pin a run: worktrial baseline set NAME RUN")
    for pin in found:
        try:
            pin.open()
            say(_line(pin))
        except DataError as e:
            say(f"{_line(pin)} · {e}")


def show_baseline(name: Name, store: Store = _STORE) -> None:
    """Show a pinned baseline; exits with 2 when its run is gone or has changed."""
    from worktrial.results.gate import read_pin

    pin = read_pin(name, store)
    prints = pin.baseline.fingerprint
    say(f"{_line(pin)}\nsettings {prints.settings}\nresults {prints.results}")
    pin.open()
    say("the run is as it was pinned")


def remove_baseline(name: Name, store: Store = _STORE) -> None:
    """Forget a pinned baseline. Its run stays, and so do rows of looks at it."""
    from worktrial.results.gate import unpin

    unpin(name, store)
    say(f"{name} is no baseline any more")


def _line(pin: "Pin") -> str:
    kept = pin.baseline
    about = f"agent {kept.agent} · {counted(kept.samples, 'sample')} · pinned {kept.pinned}"
    return f"{pin.name}: {pin.folder} · {kept.suite} · {about}"
