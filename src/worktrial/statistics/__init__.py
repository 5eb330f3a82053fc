"""What the numbers of a run can and cannot say."""

from worktrial.statistics.agreement import Agreement, PairwiseCohen, agreement, cohen, pairwise_cohen
from worktrial.statistics.bootstrap import bootstrap, bootstrap_difference
from worktrial.statistics.intervals import Interval, wilson
from worktrial.statistics.order import OrderAgreement, order_agreement
from worktrial.statistics.profile import Profile, mean_profile
from worktrial.statistics.rates import CompletionRate, Rate
from worktrial.statistics.robustness import Robustness, ZeroCleanRate, estimate_robustness, robustness
from worktrial.statistics.sequential import Band, Side, confidence_sequence

__all__ = [
    "Agreement",
    "Band",
    "CompletionRate",
    "Interval",
    "OrderAgreement",
    "PairwiseCohen",
    "Profile",
    "Rate",
    "Robustness",
    "Side",
    "ZeroCleanRate",
    "agreement",
    "bootstrap",
    "bootstrap_difference",
    "cohen",
    "confidence_sequence",
    "estimate_robustness",
    "mean_profile",
    "order_agreement",
    "pairwise_cohen",
    "robustness",
    "wilson",
]
