"""A session whose every call is held against a policy, and the list of violations."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.session import Observation, Origin, Session
from worktrial.workplaces.signals import is_error

if TYPE_CHECKING:
    from worktrial.workplaces.duties.policy import Made, Policy


class Violation(msgspec.Struct, frozen=True):
    """A call that broke a rule of the policy; a row of a record's `violations`."""

    rule: str
    """Name of the rule."""
    kind: str
    """Kind of rule: forbid, require, confirm or four_eyes."""
    call: int
    """Index of the call in the trajectory."""
    turn: int
    """Agent's message that made the call, from 0."""
    tool: str
    """Tool that was called."""
    arguments: JsonValue
    """Arguments as the agent gave them."""
    evidence: str
    """Finding in words."""
    refused: bool
    """Whether the call was refused for it."""


class PolicySession:
    """Holds every call against a policy; where the policy is enforced, refuses what breaks it.

    It stands between the agent and everything else, faults included: a refused call reaches nobody, and what counts
    as an earlier confirmation is what the agent has seen.
    """

    def __init__(self, inner: Session, policy: "Policy", position: Callable[[], tuple[int, int]]) -> None:
        """Wrap `inner`.

        Args:
            inner: Session that carries calls out.
            policy: Rules that they are held against.
            position: Function that tells call and turn of the next call, both 0-based.
        """
        self.inner = inner
        self.violations: list[Violation] = []
        """One row for each rule that a call broke, in order."""
        self._policy = policy
        self._position = position
        self._confirming = {rule.after for rule in policy.rules if rule.rule in ("confirm", "four_eyes")}
        self._made: list[Made] = []

    @property
    def state(self) -> JsonObject | None:
        """The workplace's state."""
        return self.inner.state

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        """Carry out one tool call, or refuse it; see `Session.call`."""
        from worktrial.workplaces.duties.policy import Made

        broken = list(self._policy.broken_rules(tool, arguments, self._made))
        refused = bool(broken) and self._policy.mode == "enforce"
        at, turn = self._position()
        self.violations += [
            Violation(rule.name, rule.rule, at, turn, tool, arguments, evidence, refused)
            for rule, evidence in broken
        ]
        if refused:
            said = "; ".join(f"{rule.name}: {rule.why or evidence}" for rule, evidence in broken)
            error = {"type": _REFUSED, "message": f"{tool}: refused by the policy ({said})"}
            return Observation({"error": error}, Origin.REFUSAL)
        observation = await self.inner.call(tool, arguments)
        if tool in self._confirming and not is_error(observation.content):
            self._made.append(Made(tool, arguments, observation.content))
        return observation


_REFUSED = "policy_violation"


def is_refused_by_policy(observation: Observation) -> bool:
    """Whether a call was refused because it broke a policy."""
    error = observation.content.get("error") if observation.origin is Origin.REFUSAL else None
    return isinstance(error, dict) and error.get("type") == _REFUSED
