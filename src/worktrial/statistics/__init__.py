"""What the numbers of a run can and cannot say."""

from worktrial.statistics.agreement import Agreement, agreement
from worktrial.statistics.intervals import Interval, wilson
from worktrial.statistics.order import OrderAgreement, order_agreement
from worktrial.statistics.profile import Profile, mean_profile
from worktrial.statistics.rates import CompletionRate, Rate
from worktrial.statistics.robustness import Robustness, ZeroCleanRate, estimate_robustness, robustness

__all__ = [
    "Agreement",
    "CompletionRate",
    "Interval",
    "OrderAgreement",
    "Profile",
    "Rate",
    "Robustness",
    "ZeroCleanRate",
    "agreement",
    "estimate_robustness",
    "mean_profile",
    "order_agreement",
    "robustness",
    "wilson",
]
