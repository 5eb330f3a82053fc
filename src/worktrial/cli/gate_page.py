"""What a gate found, for the terminal."""

from rich.console import Console
from rich.text import Text

from worktrial.cli.untrusted import printable
from worktrial.results.comparison import unfair_lines
from worktrial.results.gate import Gate, option


def print_gate(gate: Gate, console: Console | None = None) -> None:
    """A line for each criterion with what was observed, then the verdict."""
    console = console or Console(highlight=False)
    for line in () if gate.comparison is None else unfair_lines(gate.comparison):
        console.print(Text.assemble(("not comparable: ", "yellow"), printable(line)), soft_wrap=True)
    for criterion in gate.criteria:
        word, style = ("passed", "green") if criterion.passed else ("FAILED", "bold red")
        rest = f"  {option(criterion.name)} {criterion.limit:g}: {criterion.reason}"
        console.print(Text.assemble((word, style), printable(rest)), soft_wrap=True)
    failed = sum(not criterion.passed for criterion in gate.criteria)
    about = f"{gate.run}, {gate.condition}"
    if gate.baseline is not None:
        about += f", baseline {gate.baseline}"
    verdict = "passed" if gate.passed else f"failed ({failed} of {len(gate.criteria)} criteria)"
    console.print(Text(printable(f"gate {verdict}: {about}"), style="bold"), soft_wrap=True)
