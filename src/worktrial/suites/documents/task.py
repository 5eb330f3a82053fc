"""Questions about documents in a trial: how the archive is opened for one, and the grading of its answer."""

import asyncio
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from worktrial.agents.assignment import Solution
from worktrial.agents.candidates import Candidate
from worktrial.engine.record import SampleResult
from worktrial.engine.trial import SampleContext
from worktrial.errors import SettingError, option
from worktrial.grading import Outcome
from worktrial.language import JsonObject
from worktrial.places import shown_place
from worktrial.suites.documents.answers import AnswerDiagnosis, AnswerPair, diagnose
from worktrial.suites.documents.choices import AnswerMode, Setup
from worktrial.suites.documents.failures import Evidence, FailureKind, candidates, failure, missing_figures
from worktrial.suites.documents.faults import document_transforms, needs_of
from worktrial.suites.documents.files import DocumentFiles, FileKind
from worktrial.suites.documents.load import QuestionSet
from worktrial.suites.documents.prepare import SamplePreparer, prompts_fingerprint, system_prompt
from worktrial.suites.documents.question import DocumentQuestion
from worktrial.suites.documents.scoring import (
    SCORES,
    ScoreSettings,
    answer_of,
    constant_measures,
    headline,
    score_answer,
    score_measures,
)
from worktrial.suites.documents.trace import retrieval_measures, trace_of
from worktrial.suites.documents.web_search import Contamination
from worktrial.suites.documents.workplace import as_recorded
from worktrial.trial.judging import Work
from worktrial.trial.trial import OpenWorkplace, Sample, ToolTrial
from worktrial.trial.work import WorkSettings
from worktrial.workplaces import Trajectory

if TYPE_CHECKING:
    from worktrial.archive import Archive
    from worktrial.suites.documents.toolbox import PythonUse
    from worktrial.suites.documents.web_search import WebSource


SUITE = "documents"
REFERENCE = "reference"
"""Agent that follows each question's plan, as one writes it after `--agent`."""


@dataclass(frozen=True, kw_only=True)
class DocumentsSettings(ScoreSettings, WorkSettings):
    """Settings of the suite's own that can change a result."""

    setup: Setup = Setup.ARCHIVE
    python: "PythonUse" = "sandboxed"
    images: bool = False
    """Whether the agent sees: gold pages as pictures, and `view_page`."""
    web: str | None = None
    """Name of what answers searches of the web; None where the tool is not on offer."""
    workspace: "FileKind | None" = None
    """Files of the documents that the agent is given; None for none."""
    tools: Literal["ours", "none"] = "ours"
    """The archive's tools beside those files."""

    def check(self, candidate: Candidate) -> None:
        """Refuse what cannot be had; see `WorkSettings`."""
        given = f"{option('setup')} {self.setup}"
        if _follows_plans(candidate) and not self.setup.has_archive_tools:
            raise SettingError(f"{option('agent')} {REFERENCE}: works with tools only, and {given} has none")
        if self.images and self.setup is Setup.CLOSED:
            raise SettingError(f"{option('images')}: closed book shows no pages")
        if self.setup is Setup.CLOSED and not self.faults.is_clean:
            raise SettingError(f"{option('faults')}: closed book makes no calls that could fail")
        WorkSettings.check(self, candidate)

    def on_record(self, candidate: Candidate) -> JsonObject:
        """Settings for the manifest; see `WorkSettings`. The agent is told prompts of the suite's own."""
        plain = WorkSettings.on_record(self, candidate)
        unsaid = {"agent_prompt"} | ({"web"} if self.web is None else set())
        unsaid |= {"workspace", "tools"} if self.workspace is None else set()
        told = {name: value for name, value in plain.items() if name not in unsaid}
        return {"prompts": prompts_fingerprint(), "scorer_version": SCORES, **told}


def documents_trial(
    questions: QuestionSet,
    chosen: Sequence[DocumentQuestion],
    archive: "Archive | None",
    agent: Candidate,
    settings: DocumentsSettings,
    *,
    options: JsonObject | None = None,
    notices: Sequence[str] = (),
    web: "WebSource | None" = None,
) -> ToolTrial[DocumentQuestion]:
    """Questions made ready to run. Scores are computed; no judge is asked.

    Args:
        questions: Where the questions are from.
        chosen: Those to run.
        archive: Where the documents are; may be None for the closed set-up.
        agent: Who answers.
        settings: What can change a result.
        options: Options that count when runs are compared, for the manifest.
        notices: What to say before the run: questions that are left out, doubtful gold.
        web: What answers searches of the web; None where the tool is not on offer.

    Raises:
        SettingError: the set-up lacks an archive, or faults or an agent that it cannot have.
    """
    if archive is None and settings.setup is not Setup.CLOSED:
        raise SettingError(
            f"{option('setup')} {settings.setup}: needs an archive. Name one with {option('archive')}"
        )
    without = [question.id for question in chosen if question.plan is None]
    if _follows_plans(agent) and without and settings.setup.has_archive_tools:
        raise SettingError(
            f"{option('agent')} {REFERENCE}: {len(without)} of {len(chosen)} questions have no plan ({without[0]}, "
            "for one). Add one to their lines, or choose another agent"
        )
    held = None if archive is None else archive.fingerprint
    work = DocumentsWork(archive, settings, web)
    grade = AnswerGrader(
        settings.setup,
        settings,
        archive,
        {"questions": questions.fingerprint, "archive": held},
        None if web is None else Contamination(questions.questions),
    )
    return ToolTrial(
        work.load,
        work.open,
        partial(_grade, grade, settings.workspace is not None),
        suite=SUITE,
        data={
            "folder": str(questions.path),
            "archive": None if archive is None else shown_place(archive.folder),
            "fingerprint": questions.fingerprint,
            "archive_fingerprint": held,
        },
        tasks=chosen,
        candidate=agent,
        settings=settings,
        options=options,
        notices=notices,
        sample_memory=_python_memory(settings),
    )


def _python_memory(settings: DocumentsSettings) -> int:
    """Bytes that a sample's Python session may take."""
    if settings.python == "none" or settings.setup is Setup.CLOSED:
        return 0
    # Imported here because a trial without Python needs no sandbox.
    from worktrial.sandbox import PythonLimits

    return PythonLimits().all_bytes


class DocumentsWork:
    """Work on questions about the documents of one archive."""

    def __init__(self, archive: "Archive | None", settings: DocumentsSettings, web: "WebSource | None") -> None:
        self._settings = settings
        self._transforms = document_transforms(archive)
        given = settings.workspace
        self._preparer = SamplePreparer(
            archive,
            settings.setup,
            python=settings.python,
            images=settings.images,
            web=web,
            files=None if given is None or archive is None else DocumentFiles(archive, given),
            tools=settings.tools,
        )

    def load(self, question: DocumentQuestion) -> DocumentQuestion:
        """The question, which is ready; see `worktrial.trial.trial.Load`."""
        return question

    async def open(self, question: DocumentQuestion, sample: Sample) -> OpenWorkplace:
        """Open the archive, or the part of it that the set-up gives, for one question."""
        here = await sample.stack.enter_async_context(self._preparer.prepare(question))
        tools = {tool.name for tool in here.session.workplace.tools}
        has_files = here.workspace is not None
        prompt = system_prompt(
            self._settings.setup, has_tools=bool(tools), python="python" in tools, has_files=has_files
        )
        return OpenWorkplace(
            session=here.session,
            workplace=here.session.workplace,
            instruction=here.instruction,
            solution=Solution(question.plan),
            system_prompt=prompt,
            workspace=here.workspace,
            take_pictures=here.pictures.take,
            needed=partial(needs_of, question),
            transforms=self._transforms,
            as_stored=as_recorded,
        )


async def _grade(
    grade: "AnswerGrader",
    has_files: bool,
    question: DocumentQuestion,
    work: Work,
    context: SampleContext,
    rubric: str | None,
) -> SampleResult:
    return await asyncio.to_thread(grade, question, work.trajectory, has_files=has_files)


def _follows_plans(agent: Candidate) -> bool:
    return agent.kind == "reference" and agent.spec == REFERENCE


_NEAR = 0.01


@dataclass(frozen=True, slots=True)
class AnswerGrader:
    """Grading of the answers of one run. It reads files, so call it off the event loop."""

    setup: Setup
    settings: ScoreSettings
    archive: "Archive | None"
    """Archive that is searched around the gold figures of a wrong answer; None where the run has none."""
    data_revision: JsonObject
    """Fingerprints of questions and archive."""
    contamination: Contamination | None = None
    """Questions that results of searches of the web are looked through for; None where the run searches no web."""

    def __call__(
        self, question: DocumentQuestion, trajectory: Trajectory, *, has_files: bool = False
    ) -> SampleResult:
        """Grade the work on one question, with everything that it was measured by.

        Args:
            question: What was asked.
            trajectory: What the agent did.
            has_files: Whether it had files: nobody knows what it read in them.
        """
        answer = answer_of(question, trajectory.answer)
        graded, trace = headline(answer, self.settings), trace_of(trajectory.calls)
        if has_files:
            trace = replace(trace, unrecorded=True)
        scores = score_measures(answer)
        measures: JsonObject = {
            "setup": self.setup.value,
            "gold": question.answer,
            "unit": answer.unit,
            **scores,
            "constant": constant_measures(question),
            "scorer": self.settings.scorer,
            "tolerance": self.settings.tolerance,
            "scorer_version": SCORES,
            "data_revision": self.data_revision,
            "retrieval": retrieval_measures(() if has_files else question.pages, trace),
            "diagnosis": None,
            "failure": None,
        }
        if self.contamination is not None:
            measures["web"] = self.contamination.measures(trajectory.calls)
        reason = f"{self.settings.scorer}: {graded.why}"
        if graded.score:
            return SampleResult(outcome=Outcome.PASS, reason=reason, measures=measures)
        diagnosis, unread = self._looked_around(question, answer)
        other = AnswerMode.OURS if self.settings.mode is AnswerMode.PUBLISHED else AnswerMode.PUBLISHED
        evidence = Evidence(
            question=question,
            setup=self.setup,
            stop_reason=trajectory.stop_reason,
            reply=trajectory.answer,
            other_scorer=bool(score_answer(answer, other, self.settings.tolerance).score),
            near=any(score_answer(answer, either, _NEAR).score for either in AnswerMode),
            why=graded.why,
            diagnosis=diagnosis,
            trace=trace,
            unread=unread,
        )
        kind, why = failure(evidence)
        measures["diagnosis"] = None if diagnosis is None else asdict(diagnosis)
        measures["failure"] = {"kind": kind.value, "why": why}
        if kind is not FailureKind.UNKNOWN:
            reason += f"; {kind}: {why}"
        return SampleResult(outcome=Outcome.FAIL, reason=reason, measures=measures)

    def _looked_around(
        self, question: DocumentQuestion, answer: AnswerPair
    ) -> tuple[AnswerDiagnosis | None, list[str]]:
        near: dict[str, float] = {}
        unread: list[str] = []
        if self.archive is not None and question.pages:
            with closing(self.archive.connection()) as connection:
                near = candidates(connection, question)
                unread = missing_figures(connection, question)
        return diagnose(answer.ground_truth, answer.predicted, unit=answer.unit, candidates=near), unread
