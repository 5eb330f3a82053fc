"""The orchestration suite: can a model plan and direct work over many domain agents, in English and Korean?"""

from worktrial.suites.orchestration.plugin import OrchestrationSuite

suite = OrchestrationSuite()

__all__ = ["suite"]
