"""Findings of lints, checks and audits: one form for all of them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, or misleads, and how to mend it."""

    check: str
    """Name of the check that found it, in kebab case."""
    subject: str
    """Id of the task, or name of the workplace, document or agent that it is about."""
    file: str
    """File that holds it; "" where the subject lies in no file."""
    field: str
    """Field that holds it, as the file calls it: a dotted path, a JSON Pointer, a step."""
    what: str
    """Statement of what is wrong."""
    fix: str = ""
    """Change that mends it; "" where the finding says it."""


@dataclass(frozen=True, slots=True)
class Findings:
    """Outcome of looking at something with a set of checks."""

    checks: Sequence[str]
    """Names of the checks that were made, in the order in which they are shown."""
    findings: Sequence[Finding]
    looked_at: Mapping[str, int] = field(default_factory=dict)
    """Number of things of each kind that were looked at, such as `{"tasks": 53, "workplaces": 10}`."""
    unread: Sequence[str] = ()
    """Things that could not be read and so were not looked at, each with the reason."""
    about: Mapping[str, str] = field(default_factory=dict)
    """Check to what it finds, in half a sentence; checks whose name says it may be missing."""
    counted: Collection[str] = ()
    """Checks that find too much to be read one by one: shown as a number unless asked for by name."""

    def count(self, check: str) -> int:
        """Number of subjects in which `check` found something."""
        return len({finding.subject for finding in self.findings if finding.check == check})

    def only(self, checks: Collection[str]) -> "Findings":
        """Same outcome restricted to some checks."""
        return replace(
            self,
            checks=[check for check in self.checks if check in checks],
            findings=[finding for finding in self.findings if finding.check in checks],
        )
