"""Agreement of those who judge the same samples, as figures: votes of a judge, verdicts, people."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from worktrial.engine.record import SampleRecord
from worktrial.engine.stored import StoredRun
from worktrial.grading import Outcome, majority
from worktrial.results.conditions import cluster_by
from worktrial.results.labels import LabelBook, calls_of, majorities
from worktrial.statistics import AgreementFigure, Figure, Unit, rater_agreement


class Agreements(NamedTuple):
    """Agreement of some who judge the same samples; unknown where no sample has two opinions."""

    agree: Figure
    """Share of equal pairs of opinions."""
    kappa: Figure
    """Cohen's kappa of two, Fleiss' of more; 0 is what chance gives."""
    ac1: Figure
    """Gwet's AC1, which does not fall where nearly all opinions are the same."""


def agreement_figures(samples: Iterable[tuple[str, Sequence[bool | None]]], group: str = "") -> Agreements:
    """Agreement of raters, with intervals over what varies together.

    Args:
        samples: Cluster, and one opinion of each rater, always in the same order; None is no opinion.
        group: Names of the raters.
    """
    found = rater_agreement(samples)

    def figure(name: str, part: AgreementFigure | None, unit: Unit) -> Figure:
        if found is None or part is None:
            return Figure(name=name, value=None, unit=unit, group=group, unknown="nothing was judged twice")
        low, high = part.interval or (None, None)
        why = "" if part.value is not None else "chance alone gives full agreement"
        return Figure(
            name=name,
            value=part.value,
            low=low,
            high=high,
            n=found.samples,
            clusters=found.clusters,
            unit=unit,
            group=group,
            unknown=why,
        )

    return Agreements(
        figure("agree", None if found is None else found.observed, Unit.SHARE),
        figure("kappa", None if found is None else found.kappa, Unit.RATIO),
        figure("ac1", None if found is None else found.ac1, Unit.RATIO),
    )


def votes_agree(run: StoredRun, cluster_of: Callable[[SampleRecord], str] | None = None) -> Figure:
    """Share of pairs of a judge's votes that agree.

    Votes up to the majority are always cast; later ones only where those differ, which would bias it.

    Args:
        run: Run whose samples were voted on.
        cluster_of: Function from a record to what it varies together with; None for its scenario.
    """
    first = majority(run.manifest.settings.get("votes", 1))
    voted = [record for record in run.records if record.votes]
    cluster = cluster_by(voted) if cluster_of is None else cluster_of
    cast = ((record, [vote.is_correct for vote in record.votes][:first]) for record in voted)
    pairs = [(cluster(record), (own + [None] * first)[:first]) for record, own in cast]
    return replace(agreement_figures(pairs if first > 1 else []).agree, name="votes_agree")


def with_people(run: StoredRun) -> Figure:
    """Share of the verdicts of a run with which most of the people agree who labelled its samples.

    Raises:
        DataError: a label is damaged, or is of something else.
    """
    labels = LabelBook(run.folder, run.manifest).read(calls_of(run.records))
    said = majorities(labels)
    judged = [one for one in run.records if one.key in said and one.outcome is not Outcome.INVALID]
    cluster_of = cluster_by(judged)
    pairs = ((cluster_of(one), (one.outcome is Outcome.PASS, said[one.key])) for one in judged)
    return replace(agreement_figures(pairs).agree, name="people_agree")
