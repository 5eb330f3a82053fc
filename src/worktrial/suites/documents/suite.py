"""The documents suite as the rest of Worktrial knows it: options, tasks, trials, and what its runs show."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any, ClassVar

from worktrial.engine.roles import RoleName, RoleSettings
from worktrial.errors import SettingError, option
from worktrial.grading import Outcome
from worktrial.places import shown_place
from worktrial.suite import ReferenceAgent, Suite, TaskRow
from worktrial.suites.documents.options import DocumentsBeside, DocumentsData, DocumentsOptions, ScoreName
from worktrial.suites.reference import idle_agent, plan_agent, spam_agent
from worktrial.trial.settings import work_fields

if TYPE_CHECKING:
    from rich.console import RenderableType

    from worktrial.agents.candidates import Candidate
    from worktrial.archive import Archive
    from worktrial.engine.pairing import SamplePair
    from worktrial.engine.record import SampleRecord
    from worktrial.engine.run_plan import RunSettings
    from worktrial.engine.stored import StoredRun
    from worktrial.reports.report import Report, Section
    from worktrial.statistics import Change, Figure
    from worktrial.suites.documents.load import QuestionSet
    from worktrial.suites.documents.page_pictures import PageAlbum
    from worktrial.suites.documents.question import DocumentQuestion
    from worktrial.suites.documents.toolbox import PythonUse
    from worktrial.suites.documents.web_search import WebSource
    from worktrial.trial.trial import ToolTrial

_SCENARIO = 80
"""Characters of a question in a list."""
_NAMED = 8
"""Documents that are named where an archive lacks some."""
_PACKAGES = ("duckdb", "pypdfium2", "tantivy")


class DocumentsSuite(Suite):
    """Finding, reading and computing over an archive of documents; answers are scored in code, by no judge.

    Needs nothing but an agent: a small fictional archive with questions comes along.
    """

    name = "documents"
    about = (
        "finding, reading and computing over an archive of documents: OfficeQA's questions, your own, or ours on a "
        "fictional archive"
    )
    needs = "nothing; for other questions a file of them and an archive built from their documents"
    example = "--agent reference"
    options = DocumentsOptions
    data = DocumentsData
    beside = DocumentsBeside
    viewer = (Path(__file__).parent / "viewer" / "documents.js",)
    reference_agents: ClassVar[Mapping[str, ReferenceAgent]] = {
        "reference": replace(plan_agent(), about="follows each question's stored plan of searches and queries"),
        "idle": idle_agent("says nothing", must=Outcome.FAIL),
        "spam": spam_agent(),
    }
    on_card: ClassVar[Mapping[str, str]] = {
        "oracle": "not measured: no agent is given the gold answers; the reference solver's rate stands under cost",
        "state": "does not apply: the answer is the work, and code scores it",
        "ends": "nothing can be changed; which spellings of an answer pass is the scorer's rule",
        "truth": "not measured here: --setup closed tells what an agent knows without the archive",
        "judge": "does not apply: code scores every answer",
        "simulator": "does not apply: tools read the archive itself",
        "held_out": "nothing of the example, which is public; questions of your own as far as you keep them",
        "harm": "does not apply: nothing can be changed",
        "flaws": "not measured: a run names questions whose gold is doubtful when it starts",
    }

    def tasks(self, data: DocumentsData) -> Sequence[TaskRow]:
        """Questions of a file; see `Suite.tasks`."""
        return [
            TaskRow(q.id, q.difficulty or "-", q.kind or "-", shorten(q.text, _SCENARIO, placeholder="…"))
            for q in _questions(data).questions
        ]

    def trial(
        self, options: DocumentsOptions, agent: "Candidate", models: Mapping[RoleName, RoleSettings]
    ) -> "ToolTrial[DocumentQuestion]":
        """Questions, archive and agent made ready to run; see `Suite.trial`."""
        from worktrial.suites.documents.choices import Setup
        from worktrial.suites.documents.load import doubtful_gold
        from worktrial.suites.documents.task import DocumentsSettings, documents_trial

        setup = Setup(options.setup)
        python = _python(options, agent)
        _check_workspace(options, agent)
        questions, archive = _questions_and_archive(options)
        usual_scorer: ScoreName = "published" if questions.path.suffix.lower() == ".csv" else "ours"
        scorer = options.scorer or usual_scorer
        options = options.model_copy(update={"scorer": scorer})
        chosen, left_out = _chosen(questions, archive, options)
        pages = {} if archive is None else {record.name: record.pages for record in archive.documents}
        web = _web(options)
        settings = DocumentsSettings(
            **work_fields(options, agent, models),
            setup=setup,
            python=python,
            images=options.images,
            scorer=scorer,
            tolerance=options.tolerance,
            web=None if web is None else web.name,
            workspace=options.workspace,
            tools=options.tools,
        )
        trial = documents_trial(
            questions,
            chosen,
            archive,
            agent,
            settings,
            options=options.measured(),
            notices=(*([left_out] if left_out else ()), *doubtful_gold(chosen, pages)),
            web=web,
        )
        if options.closed_run is not None:
            _check_closed_run(options.closed_run, questions.fingerprint)
        if python == "sandboxed":
            _check_sandbox()
        return trial

    def notices(self, options: DocumentsOptions, trial: "ToolTrial[DocumentQuestion]") -> Iterable[str]:  # type: ignore[override]
        """Questions left out, doubtful gold, and a warning before unsafe Python; see `Suite.notices`."""
        yield from trial.notices
        if trial.settings["python"] == "unsafe":
            yield (
                f"WARNING: {option('python')} unsafe: code that the agent writes runs WITHOUT a sandbox. It can "
                "read, change and send away everything that you can."
            )

    def tables(self, run: "StoredRun", beside: DocumentsBeside) -> "Iterable[RenderableType]":
        """Both scores by tolerance, gold pages, stages and parts of the questions; see `Suite.tables`."""
        from worktrial.engine.stored import open_run
        from worktrial.suites.documents.tables import document_tables

        return document_tables(
            run,
            stage_runs=[open_run(folder) for folder in beside.stage_run],
            split=[open_run(folder) for folder in beside.split_run],
            closed=None if beside.closed_run is None else open_run(beside.closed_run),
        )

    def outcome_of(self, record: "SampleRecord") -> Outcome | None:
        """Outcome by the score that decides; see `Suite`."""
        if not record.measures:
            return None
        scores = record.measures[record.measures["scorer"]]
        at = f"{record.measures['tolerance']:g}"
        return None if at not in scores else Outcome.PASS if scores[at] else Outcome.FAIL

    def figures(self, run: "StoredRun") -> "Sequence[Figure]":
        """Shares right by scorer and tolerance, and what was found and opened; see `Suite.figures`."""
        from worktrial.suites.documents.figures import run_figures

        return run_figures(run)

    def changes(self, pairs: "Sequence[SamplePair]", *, confidence: float) -> "Iterable[Change]":
        """Change of both scores, exact and within one percent; see `Suite.changes`."""
        from worktrial.suites.documents.figures import score_changes

        return score_changes(pairs, confidence=confidence)

    def report_sections(self, report: "Report") -> "Iterable[Section]":
        """Section about answers, retrieval and stages; see `Suite.report_sections`."""
        from worktrial.suites.documents.report import documents

        section = documents(report)
        return () if section is None else (section,)

    def published(self, report: "Report") -> Iterable[Any]:
        """Published figures of OfficeQA beside the runs; see `Suite.published`."""
        from worktrial.suites.documents.report import beside_published

        return beside_published(report)

    def album(self, run: "StoredRun") -> "PageAlbum | None":
        """Pages that calls read, with the cells that they cited or got marked; see `Suite.album`."""
        from worktrial.suites.documents.page_pictures import PageAlbum

        return PageAlbum.of_run(run.manifest, run.folder)

    def pace(self, options: DocumentsOptions, trial: Any, settings: "RunSettings") -> "RunSettings":
        """Questions of the closed set-up are asked once, so that they can go into batches; see `Suite.pace`."""
        if settings.batch is None or options.setup != "closed":
            return settings
        return replace(settings, batch=replace(settings.batch, agent=True))


suite = DocumentsSuite()
"""The suite as it is registered."""


def _python(options: DocumentsOptions, agent: "Candidate") -> "PythonUse":
    # Plans and the idle agent call no Python, so they run where it cannot be locked in.
    if options.setup == "closed" or agent.kind == "reference" or options.tools == "none":
        return "none"
    return options.python


def _check_workspace(options: DocumentsOptions, agent: "Candidate") -> None:
    if options.workspace is None:
        if options.tools == "none":
            raise SettingError(f"{option('tools')} none: goes with {option('workspace')} pdf, text or both")
        return
    given = f"{option('workspace')} {options.workspace}"
    if agent.kind != "python" or agent.driven is not None:
        raise SettingError(f"{given}: is for agents with tools of their own, such as {option('agent')} cli:codex")
    if agent.function is not None and agent.far is not None:
        raise SettingError(f"{given}: an agent in a box sees no such folder. Leave {option('isolate')} out")
    if options.setup == "closed":
        raise SettingError(f"{given}: closed book has no documents")
    if options.setup == "oracle-pages" and options.workspace != "text":
        raise SettingError(f"{given}: single pages are there as text; use {option('workspace')} text")
    if options.faults != "E0":
        raise SettingError(f"{given}: files have no faults. Leave {option('faults')} out")


def _web(options: DocumentsOptions) -> "WebSource | None":
    if options.web_search is None:
        return None
    if options.setup != "archive":
        raise SettingError(f"{option('web_search')}: goes with {option('setup')} archive, not {options.setup}")
    from worktrial.suites.documents.web_search import open_web

    return open_web(options.web_search)


def _check_sandbox() -> None:
    """Start Python in its sandbox once.

    Raises:
        SandboxUnavailable: it cannot be locked in on this machine; the message says why and how to mend it.
    """
    from worktrial.suites.documents.toolbox import check_python

    # In a thread of its own: a loop may be running in this one.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, check_python("sandboxed")).result()


def _questions(data: DocumentsData | DocumentsOptions) -> "QuestionSet":
    from worktrial.suites.documents.load import fetch_questions, load_questions

    if data.questions is None:
        from worktrial.suites.documents.example import example_folder

        return load_questions(example_folder() / "questions.jsonl")
    return load_questions(fetch_questions(data.questions) if isinstance(data.questions, str) else data.questions)


def _questions_and_archive(options: DocumentsOptions) -> "tuple[QuestionSet, Archive | None]":
    """Questions and archive; each of them the one that comes along where none is named."""
    file, folder = options.questions, options.archive
    needs_archive = options.setup != "closed"
    if file is not None and folder is None and needs_archive:
        raise SettingError(f"{option('questions')}: name the archive that they are about with {option('archive')}")
    if folder is not None and file is None:
        raise SettingError(f"{option('archive')}: name the questions about it with {option('questions')}")
    questions = _questions(options)
    if folder is None and not needs_archive:
        return questions, None
    _check_packages()
    from worktrial.stores.archives import open_archive

    if folder is None:
        from worktrial.suites.documents.example import example_archive

        folder = example_archive()
    return questions, open_archive(folder)


def _check_packages() -> None:
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        raise SettingError(
            f"the suite documents needs packages that are not installed ({', '.join(missing)}): "
            "pip install 'worktrial[documents]'"
        )


def _chosen(
    questions: "QuestionSet", archive: "Archive | None", options: DocumentsOptions
) -> "tuple[Sequence[DocumentQuestion], str]":
    """Questions to run, and in words those whose documents the archive lacks."""
    from worktrial.suites.documents.load import choose, without_documents
    from worktrial.suites.selection import sample

    left_out = ""
    chosen = choose(questions, ids=options.tasks, difficulties=options.difficulty, kinds=options.kind)
    if archive is not None and options.setup != "closed":
        held = {record.name for record in archive.documents if record.readable}
        absent = without_documents(chosen, held)
        if absent:
            names = list(dict.fromkeys(name for missing in absent.values() for name in missing))
            more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            left_out = (
                f"{len(absent)} of {len(chosen)} questions are left out: {shown_place(archive.folder)} lacks "
                f"{', '.join(names[:_NAMED])}{more}"
            )
        chosen = [question for question in chosen if question.id not in absent]
        if not chosen:
            raise SettingError(
                f"{option('archive')} {shown_place(archive.folder)}: holds the documents of none of these "
                "questions, so nothing is left"
            )
    return sample(chosen, options), left_out


def _check_closed_run(folder: Path, fingerprint: str) -> None:
    """Refuse a run that is no closed-book run on these questions: before hours of work, not after them."""
    from worktrial.engine.stored import open_run

    manifest = open_run(folder).manifest
    if manifest.suite != DocumentsSuite.name or manifest.settings.get("setup") != "closed":
        raise SettingError(f"{option('closed_run')} {folder}: is no closed-book run of the documents suite")
    if manifest.data["fingerprint"] != fingerprint:
        raise SettingError(f"{option('closed_run')} {folder}: is about other questions")
