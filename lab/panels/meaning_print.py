"""Print what the panel of meaning found."""

from collections import Counter
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lab.panels.meaning import MeaningLookUp
from worktrial.language.untrusted import printable


def print_meanings(pages: Mapping[str, Sequence[MeaningLookUp]], show: bool = False) -> None:
    """Print a line for each page and the sums, with what was not found where that is asked for."""
    console = Console(highlight=False)
    for name, found in pages.items() if show else ():
        for line in _misses(found):
            console.print(Text(printable(f"{name}: {line}")), soft_wrap=True)
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("page", overflow="fold")
    headings = ("asked", "found", "wrong", "am-\nbiguous", "missing", "unit\nunknown", "wrong", "period\nunknown")
    for name in (*headings, "wrong"):
        table.add_column(name, justify="right", vertical="bottom")
    every = [one for found in pages.values() for one in found]
    tables = sum(len({one.table for one in found}) for found in pages.values())
    for name, found in (*pages.items(), (f"{len(pages)} pages, {tables} tables", every)):
        outcomes = Counter(one.outcome.value for one in found)
        right = [one for one in found if one.outcome == "right"]
        told = [Counter(getattr(one, what)[0] for one in right) for what in _TOLD]
        counts = (len(found), *(outcomes[name] for name in ("right", "wrong", "ambiguous", "missing")))
        table.add_row(
            Text(printable(name)), *map(str, counts), *(str(t[how]) for t in told for how in ("unknown", "wrong"))
        )
    console.print(table)
    share = sum(one.outcome == "right" for one in every) / len(every) if every else 0.0
    console.print(f"value found {share:.3f}")


_TOLD = ("unit", "period")


def _misses(found: Sequence[MeaningLookUp]) -> list[str]:
    """Figures that were not found, and each kind of wrong or unknown unit and period with its number."""

    def path(one: MeaningLookUp) -> str:
        return f"{' > '.join(one.row)} | {' > '.join(one.column)}"

    lines = [f"{one.outcome}: {path(one)}: {', '.join(one.got)}" for one in found if one.outcome != "right"]
    for what in _TOLD:
        told = [getattr(one, what) for one in found if one.outcome == "right"]
        counts = Counter(one for one in told if one[0] != "right")
        lines += [f"{n} x {what} {verdict}: {true!r}, not {ours!r}" for (verdict, true, ours), n in counts.items()]
    return lines
