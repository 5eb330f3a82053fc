"""The side of a session that runs within the sandbox. It stands alone: nothing else of Worktrial is there."""
