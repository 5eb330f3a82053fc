"""Plugin of verifiers, under the name by which it is asked for: `vf-eval worktrial_vf`."""

from worktrial.interop.verifiers import WorkplaceTaskset

__all__ = ["WorkplaceTaskset"]
