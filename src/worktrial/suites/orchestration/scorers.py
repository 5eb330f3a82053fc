"""Scores for what other programs produced: plans, tool calls, and whole stored runs."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from worktrial.errors import BadRow
from worktrial.language import JsonObject
from worktrial.options import Count, Flag, Options
from worktrial.scorer import RunScorer, RunScores, Scorer
from worktrial.suites.orchestration.options import SEARCH_NODES, Gold, Scoring


class ScoringOptions(Options):
    """Choice between the ways of scoring."""

    mode: Annotated[Scoring, Flag(common=True, metavar="ours|published")] = Scoring.OURS
    """published: as the published program does. ours: exact and without its defects."""


class PlanOptions(ScoringOptions):
    """Options for comparing plans."""

    search_nodes: Annotated[Count, Flag(common=True)] = SEARCH_NODES
    """Nodes that the search for one edit distance may expand."""


class CallOptions(ScoringOptions):
    """Options for scoring tool calls."""

    data: Annotated[Path | None, Flag(common=True, metavar="DIR")] = None
    """The data that was run: a folder with EN/ and KO/. Default: the worked example."""


class StoredRunOptions(Options):
    """Options for scoring a stored run."""

    language: Annotated[Literal["en", "ko"], Flag(common=True)]
    """Language of the run."""
    data: Annotated[Path | None, Flag(common=True, metavar="DIR")] = None
    """The data that was run: a folder with EN/ and KO/. Default: the worked example."""
    gold: Annotated[Gold, Flag(common=True)] = "released"
    """Gold steps of our scoring: as released, or with the corrections that we ship."""
    search_nodes: Annotated[Count, Flag(common=True)] = SEARCH_NODES
    """Nodes that the search for one edit distance may expand."""


def _workflow(options: PlanOptions) -> Callable[[JsonObject], JsonObject]:
    from worktrial.suites.orchestration.scoring.rows import score_workflow

    return lambda row: score_workflow(row, options.mode, nodes=options.search_nodes).row()


def _toolcalls(options: CallOptions) -> Callable[[JsonObject], JsonObject]:
    from worktrial.suites.orchestration.example import example_folder
    from worktrial.suites.orchestration.planning.cards import Team, load_team
    from worktrial.suites.orchestration.planning.scenario import Language
    from worktrial.suites.orchestration.scoring.rows import score_toolcalls

    @cache
    def team(language: Language) -> Team:
        return load_team(options.data or example_folder(), language)

    def score(row: JsonObject) -> JsonObject:
        said = row.get("lang", Language.EN)
        if said not in list(Language):
            raise BadRow(f"lang: {said!r} is none of {', '.join(Language)}")
        return score_toolcalls(row, team(Language(said)), options.mode)

    return score


def _stored_run(place: Path, options: StoredRunOptions) -> RunScores:
    from worktrial.results.writing import counted, to_rich
    from worktrial.suites.orchestration.example import example_folder
    from worktrial.suites.orchestration.figures.published import as_json, stored_figures
    from worktrial.suites.orchestration.planning.release import load_release
    from worktrial.suites.orchestration.planning.scenario import Language
    from worktrial.suites.orchestration.scoring.stored import score_stored_run
    from worktrial.suites.orchestration.tables import stored_table

    language = Language(options.language.upper())
    release = load_release(options.data or example_folder(), [language], corrected=options.gold == "corrected")
    scores = score_stored_run(place, release, language, options.search_nodes)
    figures = stored_figures(scores)
    notes = []
    for what, ids in (("not in the run", scores.missing), ("not in the data", scores.unknown)):
        if ids:
            some = f"{', '.join(ids[:12])}{', …' if len(ids) > 12 else ''}"
            notes.append(f"{counted(len(ids), 'scenario')} {what}: {some}")
    title = f"{language} · {counted(len(scores.sums[Scoring.PUBLISHED]), 'scenario')}"
    return RunScores([to_rich(stored_table(figures, title=title))], notes, as_json(figures, scores))


workflow = Scorer(
    about="""Score predicted plans against gold ones.

A row has gold_workflow and predicted_workflow (objects), or gold_text and predicted_text (strings, to be parsed).
Each becomes one row, in order: score, structure, components (similarities, 0-1), exact (whether no search was
given up), error (null, or why there is no score).""",
    options=PlanOptions,
    score=_workflow,
    nothing={"score": None, "structure": None, "components": None, "exact": True},
)
toolcalls = Scorer(
    about="""Score domain agents' answers against gold calls and refusals, without judges.

A row has label (gold messages by step id, as a stored run of the published program has them), step (the answer:
step_id, content, tool_calls) and lang (EN or KO; EN where it is missing). Each becomes one row, in order: score
(the mean of name, key and value; null where there is no call to score), decision, name, key, value, open (the
arguments that only a judge can compare; they count as wrong), error.""",
    options=CallOptions,
    score=_toolcalls,
    nothing={**dict.fromkeys(("score", "decision", "name", "key", "value")), "open": []},
)
stored_run = RunScorer(
    about="""Score a stored run of the published program both ways, with intervals over scenarios, without judges.

A run is a folder (or .tar.gz) of N_out.json files.""",
    options=StoredRunOptions,
    score=_stored_run,
)
