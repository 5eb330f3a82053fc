"""Findings in a workplace: what keeps its suite or some tasks from being published, and what is waived."""

from collections.abc import Mapping, Sequence

import msgspec

from worktrial.errors import SettingError, option
from worktrial.finding import Finding
from worktrial.synthesis.authoring.reading import unsuitable
from worktrial.synthesis.clauses.typed import TYPED
from worktrial.synthesis.compose.telegraph import CHECK as TELEGRAPHED
from worktrial.synthesis.files import read_yaml_as, to_yaml, write_text
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.gates.expectations import Expectation
from worktrial.synthesis.gates.names import ADVICE, GateName

UNSUITABLE = "unsuitable-operation"
WAIVABLE = frozenset({*(gate.value for gate in GateName), TELEGRAPHED, TYPED, UNSUITABLE})
"""Names by which findings can be waived."""
_FILE = "findings.yaml"


class StandingFinding(msgspec.Struct, kw_only=True, frozen=True):
    """A finding in a workplace; an entry of `work/findings.yaml`."""

    gate: str
    subject: str
    where: str = ""
    """Part of it: a JSON Pointer into the state, a tool, an argument."""
    what: str
    fix: str = ""
    waived: bool = False
    """Whether the owner lets it pass; that is on record here and on the review page."""
    clauses: list[str] = []
    """Clauses whose tasks it keeps back; none where it keeps back the whole suite."""

    @property
    def blocks(self) -> bool:
        """Whether nothing can be published before it is mended or waived."""
        return not (self.waived or self.clauses)

    @property
    def told(self) -> str:
        """The finding in a line."""
        place = ": ".join(part for part in (self.subject, self.where) if part)
        return f"{self.gate}: {place}: {self.what}. {self.fix}".rstrip(". ")


def standing(
    findings: Sequence[Finding], expected: Sequence[Expectation], waived: Sequence[str]
) -> list[StandingFinding]:
    """The findings that count, each with whether it is waived.

    An acceptance test that fails keeps back the tasks that cite its clauses, since either the tool or the test has
    them wrong; one that cites none keeps back the suite.

    Args:
        findings: Findings of the gates.
        expected: Acceptance tests of the workplace.
        waived: Names of gates whose findings the owner lets pass.
    """
    clauses: Mapping[str, list[str]] = {one.id: list(one.clauses) for one in expected}
    return [
        StandingFinding(
            gate=one.check,
            subject=one.subject,
            where=one.field if one.field != one.subject else "",
            what=one.what,
            fix=one.fix,
            waived=one.check in waived,
            clauses=clauses.get(one.field, clauses.get(one.subject, [])) if _is_test(one) else [],
        )
        for one in findings
        if one.check not in ADVICE
    ]


def _is_test(finding: Finding) -> bool:
    return finding.check == GateName.EXPECTATIONS


def unsuitable_findings(tools: str) -> list[Finding]:
    """A finding for each of the owner's operations that an author could not write as code."""
    way = "Let a model play the workplace with --workplace simulated, or do without the operation"
    return [
        Finding(UNSUITABLE, name, "tools.py", name, f"the operation cannot be code: {why}", way)
        for name, why in unsuitable(tools).items()
    ]


def refuse_strange_waivers(names: Sequence[str]) -> None:
    """Refuse names of gates that there are not.

    Raises:
        SettingError: one is not known.
    """
    if strange := sorted(set(names) - WAIVABLE):
        known = ", ".join(sorted(WAIVABLE))
        raise SettingError(f"{option('waive')} {strange[0]}: there is no such gate; there are {known}")


def write_standing(folder: SuiteFolder, found: Sequence[StandingFinding]) -> None:
    """Put the findings on record."""
    write_text(folder.work / _FILE, to_yaml(list(found)))


def read_standing(folder: SuiteFolder) -> list[StandingFinding]:
    """The findings on record; [] where no workplace has been looked at."""
    path = folder.work / _FILE
    return read_yaml_as(path, list[StandingFinding]) if path.is_file() else []
