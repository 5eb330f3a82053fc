"""An ensemble of judges for argument values that are neither equal to the gold ones nor plainly wrong."""

from worktrial.suites.orchestration.toolcalls.judges.ensemble import ValueJudges
from worktrial.suites.orchestration.toolcalls.judges.shared import SharedVerdicts
from worktrial.suites.orchestration.toolcalls.judges.votes import CaseVotes, JudgedValues, ValueVote

__all__ = ["CaseVotes", "JudgedValues", "SharedVerdicts", "ValueJudges", "ValueVote"]
