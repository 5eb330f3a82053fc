"""Answers from documents: how right they are, what was found, and where answers are lost."""

from collections.abc import Sequence

from markupsafe import Markup

from worktrial.errors import SettingError
from worktrial.language import JsonValue
from worktrial.reports.links import samples_href
from worktrial.reports.report import Report, ReportRun, Section
from worktrial.reports.sections.grouping import distinct
from worktrial.reports.sections.wording import (
    NOTHING,
    caveat,
    heading,
    joined,
    points,
    share_cell,
    strong,
    takeaway,
)
from worktrial.results.writing import NONE, Content, ShownTable, Value, amount, counted, percent, to_html
from worktrial.suites.documents.figures import DocumentFigures, document_figures
from worktrial.suites.documents.published import published_officeqa
from worktrial.suites.documents.stages import Stages, setup_of, stages

Found = Sequence[tuple[ReportRun, DocumentFigures]]

_PUBLISHED_SETTINGS = {
    "archive": ("agent_pdf", "agent_parsed"),
    "oracle-pages": ("pages_pdf", "pages_parsed", "pages_pdf_web"),
}
"""Set-ups, and the settings that were published of them."""


def documents(report: Report) -> Section | None:
    """Answers by tolerance, retrieval and stages; None without a run about documents."""
    found = [(run, figures) for run in distinct(report) if (figures := _figures(run)) is not None]
    if not found:
        return None
    parts = [takeaway(_takeaway(found)), *_by_tolerance(found), *_retrieval(found)]
    for runs in _of_one_agent([run for run, _ in found]):
        parts += _stages(runs)
    return Section("documents", "Answers from documents", joined(parts))


def _takeaway(found: Found) -> Markup:
    run, figures = max(found, key=lambda one: _at_ends(one[1])[1])
    exact, widest = _at_ends(figures)
    said = Markup("{} answers {} of {} exactly right, and {} {} by the {} score").format(
        strong(run.name),
        percent(exact),
        counted(figures.samples, "judged question"),
        percent(widest),
        _tolerance(max(figures.curve[0].shares)),
        figures.scorer,
    )
    return said + Markup("." if len(found) == 1 else ", the most of the runs here (set-up {}).").format(
        figures.setup
    )


def _at_ends(figures: DocumentFigures) -> tuple[float, float]:
    shares = next(row.shares for row in figures.curve if row.scorer == figures.scorer)
    return shares[min(shares)].value or 0.0, shares[max(shares)].value or 0.0


def _by_tolerance(found: Found) -> list[Markup]:
    tolerances = sorted(found[0][1].curve[0].shares)
    rows: list[list[Content]] = [
        [
            Value(_name(run, figures), run.name, samples_href(run.slug, {"condition": figures.condition})),
            f"{row.scorer}, decides" if row.scorer == figures.scorer else row.scorer,
            *(share_cell(row.shares[t].value, row.shares[t].interval) for t in tolerances),
            Value(str(figures.samples), figures.samples),
        ]
        for run, figures in found
        for row in figures.curve
    ]
    rows += [
        [
            Value(_name(run, figures), run.name),
            f"{row.scorer}, what a constant gets",
            *(share_cell(row.constant[t].value, row.constant[t].interval) for t in tolerances),
            Value(str(figures.samples), figures.samples),
        ]
        for run, figures in found
        for row in figures.curve
        if row.constant
    ]
    return [
        to_html(
            ShownTable(
                "Answers right by scorer and tolerance",
                ["Run", "Score", *map(_tolerance, tolerances), "Samples"],
                rows,
            )
        ),
        caveat(
            "Over samples with a verdict; those without one are left out here. A share that rises with the "
            "tolerance means figures that are nearly right, such as rounded ones; one that does not means wrong "
            "figures. A constant says of every question that it cannot be told, and lists the years it names."
        ),
    ]


def _retrieval(found: Found) -> list[Markup]:
    rows: list[list[Content]] = []
    depths = sorted({d for _, figures in found if figures.retrieval for d in figures.retrieval.search_recall})
    for run, figures in found:
        told = figures.retrieval
        if told is None:
            continue
        opened = told.ever_opened
        rows.append(
            [
                Value(_name(run, figures), run.name, samples_href(run.slug, {"condition": figures.condition})),
                share_cell(opened.value, opened.interval),
                Value(percent(told.page_recall), told.page_recall),
                Value(NONE, NOTHING)
                if told.first_open is None
                else Value(amount(told.first_open), told.first_open),
                *(share_cell(told.search_recall.get(depth)) for depth in depths),
                Value(str(told.samples), told.samples),
            ]
        )
    if not rows:
        return []
    headers = ["Run", "A gold page opened", "Gold pages opened", "First opened as no."]
    headers += [*(f"Found in top {depth}" for depth in depths), "Samples"]
    return [
        to_html(ShownTable("Finding the right pages", headers, rows)),
        caveat(
            "Over the samples whose gold pages are known. Top k: among the first k hits of one search or another."
        ),
    ]


def _of_one_agent(runs: Sequence[ReportRun]) -> list[list[ReportRun]]:
    """Runs of one agent on the same questions, one for each set-up; only sets with more than one set-up."""
    sets: list[tuple[list[JsonValue], dict[str, ReportRun]]] = []
    for run in runs:
        settings = run.run.manifest.settings
        same = [run.run.manifest.data.get("fingerprint"), settings.get("roles", {}).get("agent")]
        same += [settings.get(name) for name in ("agent", "scorer", "tolerance", "scorer_version")]
        by_setup = next((of_agent for key, of_agent in sets if key == same), None)
        if by_setup is None:
            by_setup = {}
            sets.append((same, by_setup))
        by_setup.setdefault(setup_of(run.run), run)
    return [list(by_setup.values()) for _, by_setup in sets if len(by_setup) > 1]


def _stages(runs: Sequence[ReportRun]) -> list[Markup]:
    try:
        found = stages([run.run for run in runs])
    except SettingError:
        # Their questions do not overlap, so that nothing can be told apart.
        return []
    agent = runs[0].run.manifest.settings.get("agent", runs[0].name)
    return [heading(f"Where {agent} loses answers"), takeaway(_lost(found)), _stage_table(found, runs, str(agent))]


def _lost(found: Stages) -> Markup:
    worst = max(found.losses, key=lambda loss: loss.value, default=None)
    if worst is None or worst.value <= 0:
        return Markup("No stage of the work costs answers on {}.").format(
            counted(found.questions, "common question")
        )
    return Markup("Most is lost by {}: {} on {}.").format(
        worst.by, points(worst.value, worst.interval), counted(found.questions, "common question")
    )


def _stage_table(found: Stages, runs: Sequence[ReportRun], agent: str) -> Markup:
    slugs = {str(run.run.folder): run.slug for run in runs}
    lost = {loss.second: loss for loss in found.losses}
    rows: list[list[Content]] = []
    for stage in found.stages:
        loss = lost.get(stage.setup)
        slug = slugs[stage.folder]
        rows.append(
            [
                Value(stage.setup, stage.setup, samples_href(slug)),
                share_cell(stage.passed.value, stage.passed.interval, counts=f"of {stage.passed.samples}"),
                Value(NONE, NOTHING) if loss is None else Value(points(loss.value, loss.interval), loss.value),
                NONE if loss is None else loss.by,
            ]
        )
    headers = ["Set-up", "Passed", "Lost", "By"]
    return to_html(
        ShownTable(f"The same questions with more and more work: {agent}", headers, rows), sortable=False
    )


def _name(run: ReportRun, figures: DocumentFigures) -> str:
    return f"{run.name} · {figures.setup}"


def _tolerance(tolerance: float) -> str:
    return "exact" if tolerance == 0 else f"within {100 * tolerance:g}%"


def beside_published(report: Report) -> list[Markup]:
    """Published figures of OfficeQA beside the runs of the set-ups that they are about; [] without such a run."""
    found = [(run, figures) for run in distinct(report) if (figures := _figures(run)) is not None]
    theirs = published_officeqa()
    parts: list[Markup] = []
    for setup, settings in _PUBLISHED_SETTINGS.items():
        mine = [(run, figures) for run, figures in found if figures.setup == setup]
        if not mine:
            continue
        tolerances = sorted(mine[0][1].curve[0].shares)
        rows: list[list[Content]] = []
        for run, figures in mine:
            shares = next(row.shares for row in figures.curve if row.scorer == "published")
            href = samples_href(run.slug, {"condition": figures.condition})
            cells = [share_cell(shares[t].value, shares[t].interval, href=href) for t in tolerances]
            samples = Value(str(figures.samples), figures.samples)
            rows.append([run.name, "run here", f"set-up {setup}", *cells, samples])
        rows += [
            [
                row.model,
                "published by OfficeQA, not run here",
                f"{row.questions.replace('_', ' ')}, {row.setting.replace('_', ' ')}",
                *(share_cell(row.shares.get(tolerance)) for tolerance in tolerances),
                Value(str(theirs.questions[row.questions]), theirs.questions[row.questions]),
            ]
            for row in theirs.rows
            if row.setting in settings
        ]
        headers = ["Agent", "Whose", "Questions", *map(_tolerance, tolerances), "Samples"]
        parts.append(to_html(ShownTable(f"OfficeQA: answers right, set-up {setup}", headers, rows), sortable=False))
    if not parts:
        return []
    said = (
        f"Published by the authors of OfficeQA ({theirs.source}; {theirs.licence}). One’s own rows are by the "
        "published score, over samples with a verdict; they mean the same only on the same questions."
    )
    return [heading("OfficeQA"), *parts, caveat(said)]


def _figures(run: ReportRun) -> DocumentFigures | None:
    return document_figures(run.run) if run.run.manifest.suite == "documents" else None
