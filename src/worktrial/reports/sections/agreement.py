"""Agreement of simulators about agents."""

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from worktrial.engine.stored import StoredRun
from worktrial.errors import SettingError
from worktrial.reports.report import Report, Section
from worktrial.reports.sections.grouping import distinct
from worktrial.reports.sections.wording import (
    NOTHING,
    caveat,
    heading,
    joined,
    share_cell,
    strong,
    takeaway,
)
from worktrial.results.agreement import AgreementReport, agreement_report
from worktrial.results.writing import NONE, Content, ShownTable, Value, counted, to_html
from worktrial.suite import is_audit


def simulators_agree(report: Report) -> Section | None:
    """Section about whether simulators put agents in one order; None where no runs are a full cross of both."""
    parts = [part for found in _agreements([run.run for run in distinct(report)]) for part in _agreement(found)]
    return Section("agreement", "Agreement of simulators", joined(parts)) if parts else None


def _agreements(runs: Sequence[StoredRun]) -> Iterable[AgreementReport]:
    """One for each suite whose runs are a full cross of two or more simulators and agents."""
    by_suite: dict[str, list[StoredRun]] = {}
    for run in runs:
        if not is_audit(run.manifest):
            by_suite.setdefault(run.manifest.suite, []).append(run)
    for own in by_suite.values():
        played = {str(run.manifest.settings.get("roles", {}).get("simulator")) for run in own}
        if len(played) < 2:
            continue
        try:
            yield agreement_report([run.folder for run in own])
        except SettingError:
            # Not a full cross, as in most reports: then nothing can be said about simulators.
            continue


def _agreement(found: AgreementReport) -> list[Markup]:
    rates: list[list[Content]] = [
        [agent, *(share_cell(found.rates[simulator, agent]) for simulator in found.simulators)]
        for agent in found.agents
    ]
    pairs: list[list[Content]] = []
    for pair in found.pairs:
        tau = pair.order.tau_b
        pairs.append(
            [
                f"{pair.first} / {pair.second}",
                Value(f"{pair.order.agreed} of {pair.order.pairs}", pair.order.share),
                Value(NONE, NOTHING) if tau is None else Value(f"{tau:.2f}", tau),
                Value(f"{pair.flipped} of {pair.compared}", pair.flipped),
                Value(str(len(pair.flips)), len(pair.flips)),
            ]
        )
    worst = min(found.pairs, key=lambda pair: pair.order.share or 0.0)
    headers = [
        "Simulators",
        "Pairs of agents in the same order",
        "Kendall’s tau-b",
        "Samples that flip",
        "Tasks that flip",
    ]
    return [
        heading("Do simulators agree about agents?"),
        takeaway(
            Markup("{} and {} put {} of {} in the same order.").format(
                strong(worst.first), strong(worst.second), worst.order.agreed, counted(worst.order.pairs, "pair")
            )
        ),
        to_html(
            ShownTable(
                f"Completed under each simulator, of {found.samples} samples", ["Agent", *found.simulators], rates
            )
        ),
        to_html(ShownTable("Agreement of simulators", headers, pairs)),
        caveat(
            "A tie under one simulator but not under the other counts as disagreement. "
            + (f"{counted(found.left_out, 'sample')} not in all runs left out." if found.left_out else "")
        ),
    ]
