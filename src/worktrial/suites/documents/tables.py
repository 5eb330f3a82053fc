"""Tables of a documents run for the terminal."""

from collections.abc import Iterator, Mapping, Sequence

from rich.table import Table

from worktrial.engine.stored import StoredRun
from worktrial.errors import SettingError, option
from worktrial.statistics import Interval
from worktrial.suites.documents.figures import DocumentFigures, Retrieval, WebUse, document_figures
from worktrial.suites.documents.stages import QuestionPart, Stages, by_closed_book, by_two_agents, stages
from worktrial.terminal import share_cell, table_of

# More lines than this are for the run folder, not for a terminal.
_SHOWN = 5


def document_tables(
    run: StoredRun,
    *,
    stage_runs: Sequence[StoredRun] = (),
    split: Sequence[StoredRun] = (),
    closed: StoredRun | None = None,
) -> Iterator[Table | str]:
    """Tables and remarks of a documents run, for beside its completion rate.

    Args:
        run: The run.
        stage_runs: Runs of the same agent under other set-ups.
        split: Two runs that tell easy questions from hard ones.
        closed: A closed-book run, for questions that a model knows by heart.

    Raises:
        SettingError: the other runs do not fit to this one.
    """
    if split and len(split) != 2:
        raise SettingError(f"{option('split_run')}: give it twice, once for each of two reference agents")
    figures = document_figures(run)
    if figures is not None:
        yield _curve(figures)
        yield from _remarks(figures)
        if figures.retrieval is not None:
            yield _retrieval(figures.retrieval)
    if stage_runs:
        yield _stages(stages([run, *stage_runs]))
    if split:
        yield _parts("solved by both reference runs, or not", by_two_agents(run, *split))
    if closed is not None:
        yield _parts(f"closed book: {closed.folder}", by_closed_book(run, closed))


def _curve(figures: DocumentFigures) -> Table:
    title = f"set-up {figures.setup} · answers right within a tolerance · {figures.samples} samples"
    within = ("exact" if at == 0 else f"within {100 * at:g} %" for at in figures.curve[0].shares)
    table = table_of(["scorer"], within, title=title)
    for row in figures.curve:
        style = "bold" if row.scorer == figures.scorer else ""
        table.add_row(row.scorer, *(share_cell(share) for share in row.shares.values()), style=style)
    for row in (row for row in figures.curve if row.constant):
        table.add_row(f"{row.scorer}: a constant", *map(share_cell, row.constant.values()), style="dim")
    return table


def _remarks(figures: DocumentFigures) -> Iterator[str]:
    within = f" within {figures.tolerance:g}" if figures.tolerance else ""
    yield f"passed means: right by the {figures.scorer} score{within} (scorer {figures.scorer_version})"
    if figures.web is not None:
        yield _web_line(figures.web)
    if figures.failures:
        yield f"wrong because of: {_listed(figures.failures)}"
    if figures.causes:
        yield f"what wrong numbers look like: {_listed(figures.causes)}"
    if figures.ratios:
        bins = ", ".join(f"{bin_.label}: {bin_.count}" for bin_ in figures.ratios)
        yield f"wrong over gold number: {bins}"
    if figures.disagreements:
        yield f"the scorers disagree on {len(figures.disagreements)} of {figures.samples} samples:"
    for one in figures.disagreements[:_SHOWN]:
        line = f"  {one.sample}/{one.repeat}: only {one.accepted_by} accepts it; {one.why}"
        yield line
    if len(figures.disagreements) > _SHOWN:
        yield f"  … and {len(figures.disagreements) - _SHOWN} more, in samples.jsonl"


def _web_line(web: WebUse) -> str:
    told = f"searches of the web: {web.searches} in {web.samples} samples, {web.failed} of them failed"
    if not web.contaminated:
        return f"{told}; no result held a question of the benchmark"
    pages = ", ".join(web.addresses[:_SHOWN])
    return f"{told}; CONTAMINATED: {web.contaminated} samples were shown pages that hold questions ({pages})"


def _retrieval(retrieval: Retrieval) -> Table:
    title = f"gold pages · {retrieval.samples} samples · top k: among the first k hits of some search"
    depths = (f"top {depth}" for depth in retrieval.search_recall)
    table = table_of((), ("any opened", "recall", "first opened as no.", *depths), title=title)
    first = "-" if retrieval.first_open is None else f"{retrieval.first_open:g}"
    recalls = (f"{recall:.1%}" for recall in retrieval.search_recall.values())
    table.add_row(share_cell(retrieval.ever_opened), f"{retrieval.page_recall:.1%}", first, *recalls)
    return table


def _stages(found: Stages) -> Table:
    title = f"where answers are lost · {found.questions} questions with a verdict in every run"
    table = table_of(["set-up"], ("passed", "lost", "by"), title=title)
    lost = {loss.second: loss for loss in found.losses}
    for stage in found.stages:
        loss = lost.get(stage.setup)
        cells = ("-", "") if loss is None else (_points(loss.value, loss.interval), loss.by)
        table.add_row(stage.setup, share_cell(stage.passed), *cells)
    return table


def _parts(title: str, parts: Sequence[QuestionPart]) -> Table:
    table = table_of(["questions"], ("number", "passed"), title=title)
    for part in parts:
        table.add_row(part.name, str(len(part.questions)), share_cell(part.passed))
    return table


def _points(value: float, interval: Interval | None) -> str:
    text = f"{100 * value:+.1f}"
    return text if interval is None else f"{text}\n{100 * interval.low:+.1f} to {100 * interval.high:+.1f}"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {n}" for name, n in counts.items())
