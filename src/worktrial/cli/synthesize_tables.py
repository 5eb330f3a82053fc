"""What `worktrial synthesize` says before and after its work."""

import shlex
from collections import Counter

from rich.console import Console
from rich.table import Table

from worktrial.language.untrusted import printable
from worktrial.synthesis.estimate import CostEstimate
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.resources import ResourceSettings
from worktrial.synthesis.session import SessionEnd
from worktrial.synthesis.stages.report import SuiteReport, described

_STEPS = (
    ("author", "no usable draft could be written"),
    ("unchecked", "static checks still failed after the repairs"),
    ("unsolvable", "no way through with the plan"),
    ("invalid", "too few runs came to a verdict"),
    ("trivial", "free runs pass it nearly always"),
    ("too_hard", "free runs pass it never"),
    ("undecided", "still too near a border after the most runs"),
    ("execution", "could not be run"),
    ("selection", "another level of the sub-topic is harder, yet solvable"),
)
_SHOWN_REJECTS = 12
_REASON = 160


def print_estimate(expected: CostEstimate, resources: ResourceSettings) -> None:
    """Calls, tokens and dollars by stage, on standard error."""
    console = Console(stderr=True, highlight=False)
    if not expected.stages:
        console.print("Nothing is left to ask for.")
        return
    table = Table(title="Estimate of what is left: likely, and at most", title_justify="left", box=None)
    for head in ("stage", "role"):
        table.add_column(head)
    for head in ("calls", "tokens", "cost", "calls ≤", "cost ≤"):
        table.add_column(head, justify="right")
    for row in expected.stages:
        table.add_row(
            row.stage,
            row.role,
            f"{row.calls:,}",
            f"{row.tokens:,}",
            _money(row.dollars),
            f"{row.most_calls:,}",
            _money(row.most_dollars),
        )
    most_calls = sum(row.most_calls for row in expected.stages)
    table.add_row(
        "together",
        "",
        f"{expected.calls:,}",
        f"{expected.tokens:,}",
        _money(expected.dollars),
        f"{most_calls:,}",
        _money(expected.most_dollars),
    )
    console.print(table)
    console.print(f"The estimate {expected.assumptions}.", soft_wrap=True)
    budget = resources.budget
    if budget.cost is not None and expected.dollars is not None and expected.dollars > budget.cost:
        console.print(f"Likely more than --max-cost ${budget.cost:g} allows: it will stop on the way.")
    if budget.tokens is not None and expected.tokens > budget.tokens:
        console.print(f"Likely more than --max-tokens {budget.tokens:,} allows: it will stop on the way.")


def print_end(folder: SuiteFolder, end: SessionEnd) -> None:
    """What came of the session, and what to do next, on standard output."""
    console = Console(highlight=False)
    resume = f"worktrial synthesize -o {shlex.quote(str(folder.root))}"
    if end.report is not None:
        console.print(_filters(end.report))
        for line in described(end.report)[1:]:
            console.print(line, markup=False, soft_wrap=True)
    else:
        drafted = sum(e.task is not None for e in end.ends)
        console.print(f"{drafted} of {len(end.ends)} tasks are drafted; nothing has been run.")
    _print_rejects(console, end)
    _print_twins(console, end)
    spent = f"${end.cost:.4f}{' and what has no known price' if end.unpriced else ''}"
    console.print(f"Spent in all sessions: {spent}, {end.tokens:,} tokens.", soft_wrap=True)
    if end.retries:
        console.print(f"{end.retries} requests had to be sent again.")
    if end.page is not None:
        console.print(f"Review page: {end.page}", markup=False, soft_wrap=True)
    if end.stopped is not None:
        drafts = folder.work / "drafts"
        console.print(
            f"Change what you like in {drafts}, then go on with:\n  {resume}", markup=False, soft_wrap=True
        )
    elif end.selected:
        root = shlex.quote(str(folder.root if folder.root.is_absolute() else f"./{folder.root}"))
        console.print(
            f"The suite: {folder.root} ({len(end.selected)} tasks). Run it with:\n"
            f"  worktrial run {root} --agent MODEL --simulator MODEL --judge MODEL",
            markup=False,
            soft_wrap=True,
        )
    else:
        console.print(
            f"No task was selected, so there is no suite. What was wrong with each stands in {folder.rejects} and "
            f"on the review page; change drafts or settings and go on with:\n  {resume}",
            markup=False,
            soft_wrap=True,
        )


def _filters(found: SuiteReport) -> Table:
    table = Table(title="What became of the slots", title_justify="left", box=None, show_header=False)
    table.add_row(str(found.slots), "slots")
    removed = {str(step): number for step, number in found.removed.items()}
    for step, what in _STEPS:
        if number := removed.get(step):
            table.add_row(f"-{number}", f"{step.replace('_', ' ')}: {what}")
    chosen = found.selected
    share = f"{chosen.count / chosen.of:.0%}" if chosen.of else "-"
    table.add_row(str(chosen.count), f"selected: a yield of {share} ({chosen.low:.0%} to {chosen.high:.0%})")
    return table


def _print_rejects(console: Console, end: SessionEnd) -> None:
    # Tasks that were good enough need no explanation here.
    rejects = [reject for reject in end.rejects if reject.stage != "selection"]
    for reject in rejects[:_SHOWN_REJECTS]:
        why = printable(" ".join(reject.why.split()))
        shown = why if len(why) <= _REASON else f"{why[:_REASON]}…"
        console.print(f"  {printable(reject.slot)}: {shown}", markup=False, soft_wrap=True)
    if len(rejects) > _SHOWN_REJECTS:
        stages = Counter(reject.stage for reject in rejects[_SHOWN_REJECTS:])
        console.print(f"  … and {stages.total()} more ({', '.join(f'{n} {s}' for s, n in stages.items())})")


def _print_twins(console: Console, end: SessionEnd) -> None:
    if not end.twins:
        return
    kept = sum(twin.kept for twin in end.twins)
    console.print(f"Executable twins: {kept} of {len(end.twins)} kept.")
    for twin in end.twins[:_SHOWN_REJECTS]:
        why = printable(" ".join(twin.why.split()))
        console.print(f"  {printable(twin.slot)}: {why[:_REASON]}", markup=False, soft_wrap=True)
    if len(end.twins) > _SHOWN_REJECTS:
        console.print(f"  … and {len(end.twins) - _SHOWN_REJECTS} more; see the face.json of each workplace")


def _money(dollars: float | None) -> str:
    return "?" if dollars is None else f"${dollars:,.2f}"
