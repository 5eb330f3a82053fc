"""Inference: limits of what the numbers of a run can say."""

from worktrial.statistics.agreement import Agreement, PairwiseCohen, agreement, cohen, pairwise_cohen
from worktrial.statistics.bootstrap import bootstrap, bootstrap_difference
from worktrial.statistics.design import Design, design_effect, discordant_share
from worktrial.statistics.order import OrderAgreement, order_agreement
from worktrial.statistics.outlook import Prospect, prospect
from worktrial.statistics.paired import holm, mcnemar, sign_flip
from worktrial.statistics.power import (
    half_width,
    minimum_detectable_effect,
    paired_power,
    power_of,
    sample_size,
    sample_size_for_half_width,
)
from worktrial.statistics.rates import (
    CompletionRate,
    Interval,
    Rate,
    clopper_pearson,
    wilson,
)
from worktrial.statistics.repeats import Repeats, over_tasks, pass_at_k, pass_hat_k
from worktrial.statistics.robustness import Robustness, ZeroCleanRate, estimate_robustness, robustness
from worktrial.statistics.sequential import Band, Side, confidence_sequence

__all__ = [
    "Agreement",
    "Band",
    "CompletionRate",
    "Design",
    "Interval",
    "OrderAgreement",
    "PairwiseCohen",
    "Prospect",
    "Rate",
    "Repeats",
    "Robustness",
    "Side",
    "ZeroCleanRate",
    "agreement",
    "bootstrap",
    "bootstrap_difference",
    "clopper_pearson",
    "cohen",
    "confidence_sequence",
    "design_effect",
    "discordant_share",
    "estimate_robustness",
    "half_width",
    "holm",
    "mcnemar",
    "minimum_detectable_effect",
    "order_agreement",
    "over_tasks",
    "paired_power",
    "pairwise_cohen",
    "pass_at_k",
    "pass_hat_k",
    "power_of",
    "prospect",
    "robustness",
    "sample_size",
    "sample_size_for_half_width",
    "sign_flip",
    "wilson",
]
