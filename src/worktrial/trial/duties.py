"""Duties of an agent beside its task, for any suite with tools: a policy, a budget, and a human to ask."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from worktrial.agents.candidates import Candidate
from worktrial.engine.record import SampleResult
from worktrial.engine.roles import Role, RoleName, RoleSettings
from worktrial.engine.spend import Meter, price_for
from worktrial.errors import SettingError, StopRun, option
from worktrial.grading import Outcome
from worktrial.grading.check import WITHIN_BUDGET, CheckResult
from worktrial.language import JsonObject
from worktrial.workplaces import Session, Trajectory
from worktrial.workplaces.duties.human import REQUEST_HUMAN
from worktrial.workplaces.duties.session import PolicySession

if TYPE_CHECKING:
    from worktrial.workplaces.duties.policy import Policy


@dataclass(frozen=True, slots=True)
class Duties:
    """Duties that a run gives its agent; by default none."""

    policy: "Policy | None" = None
    human: bool = False
    """Whether the agent may ask a human."""

    @property
    def on_record(self) -> JsonObject:
        """Settings for the manifest; {} where there are none."""
        asked = {"request_human": True} if self.human else {}
        return asked if self.policy is None else {**asked, **self.policy.on_record}

    def check_tools(self, tools: Collection[str]) -> None:
        """Refuse what cannot work with these tools.

        Raises:
            SettingError: a rule names a tool that there is not, or a workplace has the tool for asking a human.
        """
        if self.human and REQUEST_HUMAN.name in tools:
            raise SettingError(f"{option('request_human')}: a workplace has a tool {REQUEST_HUMAN.name} of its own")
        if self.policy is None:
            return
        known = {*tools, REQUEST_HUMAN.name} if self.human else set(tools)
        if strange := self.policy.strangers(known):
            there = ", ".join(sorted(known)[:12])
            raise SettingError(f"{option('policy')}: {'; '.join(strange[:3])}. There is: {there}, …")

    def watch(self, session: Session, position: Callable[[], tuple[int, int]]) -> Session:
        """`session`, with every call held against the policy where there is one."""
        return session if self.policy is None else PolicySession(session, self.policy, position)

    def budget_checks(self, trajectory: Trajectory, meter: Meter) -> list[CheckResult]:
        """A check for each bound of the policy's budget, of the agent's work so far.

        Raises:
            StopRun: tokens are bounded, and the endpoint does not report them.
        """
        if self.policy is None:
            return []
        budget, used = self.policy.budget, meter.tokens(Role.AGENT)
        cost = meter.costs.get(Role.AGENT, 0.0)
        if (budget.tokens and not used and Role.AGENT in meter.usage) or (budget.cost and cost is None):
            raise StopRun(
                f"the endpoint does not report the tokens it uses, so the budget of {option('policy')} cannot be "
                "graded. Leave tokens and cost out of it"
            )
        bounds = (
            (budget.calls, len(trajectory.calls), "{:,} calls"),
            (budget.tokens, used, "{:,} tokens"),
            (budget.cost, cost or 0.0, "${:g}"),
        )
        return [
            CheckResult(f"{WITHIN_BUDGET}{words.format(bound)}", spent <= bound, f"it took {words.format(spent)}")
            for bound, spent, words in bounds
            if bound is not None
        ]


def with_budget(result: SampleResult, checks: Collection[CheckResult]) -> SampleResult:
    """`result` with checks of a budget: work that passes otherwise fails where it has not kept to it."""
    result.checks = [*result.checks, *checks]
    over = [check for check in checks if not check.passed]
    if over and result.outcome is Outcome.PASS:
        result.outcome = Outcome.FAIL
        result.reason = f"not {over[0].check} ({over[0].why})"
    return result


def duties_of(options: Any, candidate: Candidate, models: Mapping[RoleName, RoleSettings]) -> Duties:
    """Duties from the fields of `DutyOptions` and `HumanOptions`, as far as the suite has them.

    Raises:
        SettingError: the budget is one that cannot be graded for this agent.
        DataError: the policy cannot be used.
    """
    human, named = getattr(options, "request_human", False), getattr(options, "policy", None)
    if named is None:
        return Duties(human=human)
    from worktrial.workplaces.duties.policy import read_policy

    policy = read_policy(named)
    where, budget = f"{option('policy')} {named}: budget", policy.budget
    if candidate.kind == "python" and (budget.tokens or budget.cost):
        raise SettingError(f"{where}: what {candidate.spec} spends is not seen. Leave tokens and cost out")
    agent = models.get(Role.AGENT)
    if budget.cost and agent is not None and price_for(agent if agent.is_local else agent.resolved()) is None:
        raise SettingError(f"{where}.cost: nobody knows the price of {agent.model}. Give it with {option('price')}")
    return Duties(policy, human)
