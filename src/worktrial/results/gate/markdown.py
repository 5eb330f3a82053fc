"""A gate as Markdown, for the summary of a step on GitHub and the like."""

import re

from worktrial.results.gate.judging import Gate
from worktrial.results.gate.limits import option

# Everything that means something in Markdown, in HTML, or to GitHub (mathematics, mentions, issues, addresses).
_SPECIAL = re.compile(r"[\\`*_{}\[\]<>()#+!|~&\"'$:@^=\-]|(?<=[Ww]{3})\.")


def gate_markdown(gate: Gate) -> str:
    """A heading with the verdict, and a table with one row for each criterion."""
    verdict = "passed" if gate.passed else "failed"
    about = [("run", gate.run), ("baseline", gate.baseline), ("condition", gate.condition)]
    told = " · ".join(f"{name} {plain(value)}" for name, value in about if value)
    rows = [
        f"| {'passed' if c.passed else '**failed**'} | `{option(c.name)} {c.limit:g}` | {plain(c.reason)} |"
        for c in gate.criteria
    ]
    lines = [f"### Worktrial gate: {verdict}", "", told, "", "| | criterion | why |", "|---|---|---|", *rows, ""]
    return "\n".join(lines) + "\n"


def plain(text: str) -> str:
    """`text` so that it is shown as it is, on one line, whatever is in it."""
    one_line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return _SPECIAL.sub(lambda found: f"&#{ord(found.group())};", one_line)
