"""Inference: limits of what the numbers of a run can say."""

from worktrial.statistics.agreement import Agreement, PairwiseCohen, agreement, cohen, pairwise_cohen
from worktrial.statistics.decision import MARGIN, Conclusion, check_margin, conclude, tasks_needed
from worktrial.statistics.design import Design, design_effect, discordant_share
from worktrial.statistics.estimates import Estimand, Estimate, TaskTries, difference, rate, ratio
from worktrial.statistics.figure import Change, Figure, Unit
from worktrial.statistics.jackknife import (
    MeanChange,
    change_intervals,
    difference_intervals,
    mean_change,
    mean_interval,
    quotient,
    score_intervals,
)
from worktrial.statistics.judge_error import CorrectedRate, corrected_rate, prediction_powered
from worktrial.statistics.multiple import holm
from worktrial.statistics.order import OrderAgreement, order_agreement
from worktrial.statistics.outlook import Prospect, prospect, smallest_shift
from worktrial.statistics.power import (
    half_width,
    minimum_detectable_effect,
    paired_power,
    power_of,
    sample_size,
    sample_size_for_half_width,
)
from worktrial.statistics.raters import AgreementFigure, RaterAgreement, rater_agreement
from worktrial.statistics.rates import (
    CompletionRate,
    Interval,
    Rate,
    agresti_coull,
)
from worktrial.statistics.repeats import Repeats, over_tasks, pass_at_k, pass_hat_k
from worktrial.statistics.robustness import Robustness, ZeroCleanRate, estimate_robustness, robustness
from worktrial.statistics.robustness_change import RobustnessChange, robustness_change
from worktrial.statistics.sequential import Band, Side, confidence_sequence

__all__ = [
    "MARGIN",
    "Agreement",
    "AgreementFigure",
    "Band",
    "Change",
    "CompletionRate",
    "Conclusion",
    "CorrectedRate",
    "Design",
    "Estimand",
    "Estimate",
    "Figure",
    "Interval",
    "MeanChange",
    "OrderAgreement",
    "PairwiseCohen",
    "Prospect",
    "Rate",
    "RaterAgreement",
    "Repeats",
    "Robustness",
    "RobustnessChange",
    "Side",
    "TaskTries",
    "Unit",
    "ZeroCleanRate",
    "agreement",
    "agresti_coull",
    "change_intervals",
    "check_margin",
    "cohen",
    "conclude",
    "confidence_sequence",
    "corrected_rate",
    "design_effect",
    "difference",
    "difference_intervals",
    "discordant_share",
    "estimate_robustness",
    "half_width",
    "holm",
    "mean_change",
    "mean_interval",
    "minimum_detectable_effect",
    "order_agreement",
    "over_tasks",
    "paired_power",
    "pairwise_cohen",
    "pass_at_k",
    "pass_hat_k",
    "power_of",
    "prediction_powered",
    "prospect",
    "quotient",
    "rate",
    "rater_agreement",
    "ratio",
    "robustness",
    "robustness_change",
    "sample_size",
    "sample_size_for_half_width",
    "score_intervals",
    "smallest_shift",
    "tasks_needed",
]
