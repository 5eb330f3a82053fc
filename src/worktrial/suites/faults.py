"""Former place of what `worktrial.suites.episode` holds."""

from worktrial.suites.episode import check_conditions, faulty, finished, in_manifest, jobs_under, note_faults

__all__ = ["check_conditions", "faulty", "finished", "in_manifest", "jobs_under", "note_faults"]
