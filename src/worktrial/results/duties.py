"""Duties of agents counted: violations of a policy, budgets that were kept to, requests for a human."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from worktrial.engine.manifest import Manifest
from worktrial.engine.record import SampleRecord
from worktrial.engine.stored import StoredRun
from worktrial.grading.check import WITHIN_BUDGET


@dataclass(frozen=True, slots=True)
class DutyCounts:
    """Counts of how a run's agent kept to its duties, over all conditions."""

    policy: str | None
    """Name of the policy; None without one."""
    mode: str | None
    """`watch` or `enforce`; None without a policy."""
    samples: int
    """Samples that finished."""
    broken_in: int
    """Samples with a violation."""
    rules: Mapping[str, int]
    """Rule of the policy to its violations, the most frequent first; only rules that were broken."""
    refused: int
    """Violations that were refused."""
    budgeted: int
    """Samples with a budget that came to an end."""
    within: int
    """Samples among them that kept to all of it."""
    human_requests: int | None
    """Requests for a human; None where none could be asked."""


def has_duties(manifest: Manifest) -> bool:
    """Whether a run's agent had duties beside its tasks."""
    return bool(manifest.settings.get("policy") or manifest.settings.get("request_human"))


def duty_counts(run: StoredRun) -> DutyCounts | None:
    """Counts for `run`; None where its agent had no duties beside its tasks."""
    settings = run.manifest.settings
    policy, human = settings.get("policy"), settings.get("request_human", False)
    if not has_duties(run.manifest):
        return None
    records = run.records
    broken = [violation for record in records for violation in record.violations]
    budgets = [kept for record in records if (kept := _kept(record)) is not None]
    return DutyCounts(
        policy=policy["name"] if policy else None,
        mode=policy["mode"] if policy else None,
        samples=len(records),
        broken_in=sum(bool(record.violations) for record in records),
        rules=dict(Counter(violation.rule for violation in broken).most_common()),
        refused=sum(violation.refused for violation in broken),
        budgeted=len(budgets),
        within=sum(budgets),
        human_requests=sum(record.measures.get("human_requests", 0) for record in records) if human else None,
    )


def _kept(record: SampleRecord) -> bool | None:
    checks = [check.passed for check in record.checks if check.check.startswith(WITHIN_BUDGET)]
    return all(checks) if checks else None
