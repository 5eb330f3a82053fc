"""Parts of what runs show on a terminal, for the command line and for suites. All text in them is untrusted."""

from collections.abc import Iterator
from typing import Any, Protocol

import msgspec
from rich.text import Text

from worktrial.language import JsonObject
from worktrial.language.untrusted import printable
from worktrial.statistics import Interval, Rate

LONGEST = 2000
"""Characters of one text that are shown."""


class Estimated(Protocol):
    """A share that was estimated, 0-1; None where there is nothing to measure."""

    @property
    def value(self) -> float | None:
        """Share, 0-1."""
        ...

    @property
    def interval(self) -> Interval | None:
        """Interval in which it lies; None where that is not known."""
        ...


def plain(text: Any, style: str = "") -> Text:
    """`text` without control characters, and not endless: a model's output must not steer the terminal."""
    shown = printable(text)
    if len(shown) > LONGEST:
        shown = f"{shown[:LONGEST]} … ({len(shown) - LONGEST:,} more characters)"
    return Text(shown, style)


def share_cell(share: Estimated) -> str:
    """A share above its interval, in percent."""
    if share.value is None:
        return "-"
    if share.interval is None:
        return f"{share.value:.1%}"
    return f"{share.value:.1%}\n{share.interval.low:.1%} - {share.interval.high:.1%}"


def rate_cells(rate: Rate) -> tuple[str, str]:
    """Share in percent, and its 95 % interval."""
    interval = rate.interval()
    return "-" if rate.share is None else f"{rate.share:.1%}", f"{interval.low:.1%} - {interval.high:.1%}"


def call_lines(call: JsonObject) -> Iterator[Text]:
    """A call of a tool as trajectories store it, what came back, and what would have without a fault."""
    arguments = msgspec.json.encode(call["arguments"]).decode()
    observation = call["observation"]
    seen = msgspec.json.encode(observation["content"]).decode()
    yield Text.assemble((f"{call['index'] + 1:>3}  ", "dim"), plain(call["tool"], "bold"), " ", plain(arguments))
    fault = observation.get("fault")
    yield Text.assemble(
        ("     -> ", "dim"),
        plain(seen),
        plain(f"  [{observation['origin']}]", "dim"),
        plain(f" fault: {fault}" * bool(fault), "red"),
    )
    clean = observation.get("clean")
    if clean is not None:
        was = msgspec.json.encode(clean).decode()
        yield Text.assemble(("        really: ", "dim"), plain(was, "dim"))
