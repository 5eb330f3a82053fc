"""Usual sizes of the work of models, for estimates before anything was measured.

They are those of middling tasks: ten tools, a state of some sixty records, ten tool calls. A chatty or reasoning
model takes more; the cached part of prompts is not taken off.
"""

from worktrial.engine.roles import Role

TOOL_CALLS = 10
"""Tool calls of a sample."""
TOKENS_OF_A_REQUEST = {
    Role.AGENT: (5500, 150),
    Role.SUB_AGENT: (5500, 150),
    Role.SOLVER: (5500, 150),
    Role.SIMULATOR: (7500, 250),
    Role.JUDGE: (8500, 200),
}
"""Tokens in and out of one request, by role."""


def requests_of_a_sample(role: Role, calls: float, votes: int) -> float:
    """Requests to a role's model in a sample with so many tool calls, whose judge votes so often."""
    if role is Role.JUDGE:
        return votes
    return calls if role is Role.SIMULATOR else calls + 1
