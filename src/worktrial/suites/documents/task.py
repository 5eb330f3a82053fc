"""The path of one sample of the documents suite, top to bottom: set-up, work, grading."""

import asyncio
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from worktrial.agents.assignment import Agent, Assignment, Limits
from worktrial.agents.candidates import Candidate
from worktrial.agents.context import ContextKeeping
from worktrial.engine.record import SampleResult
from worktrial.engine.roles import Role
from worktrial.engine.trial import Job, SampleContext
from worktrial.errors import SettingError, option
from worktrial.grading import Outcome
from worktrial.language import JsonObject
from worktrial.places import shown_place
from worktrial.suites.documents.answers import AnswerDiagnosis, AnswerPair, AnswerScore, diagnose
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
from worktrial.suites.documents.trace import Trace, retrieval_measures, trace_of
from worktrial.suites.documents.web_search import Contamination
from worktrial.suites.documents.workplace import as_recorded
from worktrial.suites.episode import episode, faulty, in_manifest, jobs_under, position_in
from worktrial.workplaces import Session, Trajectory
from worktrial.workplaces.faults import Conditions, FaultMode, FaultUnit

if TYPE_CHECKING:
    from worktrial.archive import Archive
    from worktrial.suites.documents.toolbox import PythonUse
    from worktrial.suites.documents.web_search import WebSource


SUITE = "documents"


@dataclass(frozen=True, kw_only=True)
class DocumentsSettings(ScoreSettings):
    """Settings of the suite's own that can change a result."""

    setup: Setup = Setup.ARCHIVE
    repeats: int = 1
    python: "PythonUse" = "sandboxed"
    images: bool = False
    """Whether the agent sees: gold pages as pictures, and `view_page`."""
    limits: Limits = field(default_factory=Limits)
    context: ContextKeeping = field(default_factory=ContextKeeping)
    faults: Conditions = field(default_factory=Conditions)


class DocumentsTrial:
    """The documents suite made ready to run. Scores are computed; no judge is asked.

    Raises:
        SettingError: the set-up lacks an archive, or faults or an agent that it cannot have.
    """

    suite = SUITE

    def __init__(
        self,
        questions: QuestionSet,
        chosen: Sequence[DocumentQuestion],
        archive: "Archive | None",
        agent: Candidate,
        settings: DocumentsSettings,
        *,
        measured: JsonObject | None = None,
        notices: tuple[str, ...] = (),
        web: "WebSource | None" = None,
        workspace: "FileKind | None" = None,
        tools: Literal["ours", "none"] = "ours",
    ) -> None:
        """Set up a trial.

        Args:
            questions: Where the questions are from.
            chosen: Those to run.
            archive: Where the documents are; may be None for the closed set-up.
            agent: Who answers.
            settings: What can change a result.
            measured: Options that count when runs are compared, for the manifest.
            notices: What to say before the run: questions that are left out, doubtful gold.
            web: What answers searches of the web; None where the tool is not on offer.
            workspace: Files of the documents that the agent is given; None for none.
            tools: The archive's tools beside those files.
        """
        _check(archive, agent, settings)
        self._questions = {question.id: question for question in chosen}
        self._agent = agent
        self.notices = notices
        self._settings = settings
        self._conditions = settings.faults.by_name
        self._transforms = document_transforms(archive)
        self._preparer = SamplePreparer(
            archive,
            settings.setup,
            python=settings.python,
            images=settings.images,
            web=web,
            files=None if workspace is None or archive is None else DocumentFiles(archive, workspace),
            tools=tools,
        )
        held = None if archive is None else archive.fingerprint
        revision: JsonObject = {"questions": questions.fingerprint, "archive": held}
        held_questions = None if web is None else Contamination(questions.questions)
        self._grade = AnswerGrader(settings.setup, settings, archive, revision, held_questions)
        self.jobs = jobs_under(settings.faults, chosen, settings.repeats)
        self.data: JsonObject = {
            "folder": str(questions.path),
            "archive": None if archive is None else shown_place(archive.folder),
            "fingerprint": questions.fingerprint,
            "archive_fingerprint": held,
        }
        self.settings: JsonObject = {
            "agent": agent.spec,
            "tasks": [question.id for question in chosen],
            "prompts": prompts_fingerprint(),
            "scorer_version": SCORES,
            **in_manifest(settings),
            **({} if web is None else {"web": web.name}),
            **({} if workspace is None else {"workspace": workspace, "tools": tools}),
            **settings.context.on_record,
            **({} if measured is None else {"options": measured}),
        }

    @property
    def sample_memory(self) -> int:
        """Bytes that a sample's Python session may take; see `worktrial.engine.memory.HeavyTrial`."""
        if self._settings.python == "none" or self._settings.setup is Setup.CLOSED:
            return 0
        # Imported here because a trial without Python needs no sandbox.
        from worktrial.sandbox import PythonLimits

        return PythonLimits().all_bytes

    async def run(self, job: Job, context: SampleContext) -> SampleResult:
        """Set up, work, score; see `worktrial.engine.trial.Trial`."""
        question, settings = self._questions[job.sample], self._settings
        faults = self._conditions[job.condition]
        trajectory = Trajectory()
        async with self._preparer.prepare(question) as here:
            session: Session = here.session
            if faults.mode is not FaultMode.E0:
                workplace = here.session.workplace
                at, needed = position_in(trajectory), needs_of(question)
                session = faulty(session, workplace, faults, question.id, at, self._transforms, needed)
            tools = here.session.specs
            offered = {tool["function"]["name"] for tool in tools}
            assignment = Assignment(
                instruction=here.instruction,
                clock="",
                tools=tools,
                session=session,
                limits=settings.limits,
                context=settings.context,
                tokens=lambda: context.meter.tokens(Role.AGENT),
                cost=lambda: context.meter.known_cost,
                book=context.book,
                system_prompt=system_prompt(
                    settings.setup,
                    has_tools=bool(tools),
                    python="python" in offered,
                    has_files=here.workspace is not None,
                ),
                workspace=here.workspace,
                take_pictures=here.pictures.take,
                trajectory=trajectory,
            )

            async def graded() -> SampleResult:
                return await asyncio.to_thread(
                    self._grade, question, trajectory, has_files=here.workspace is not None
                )

            result = await episode(self._who(question, context), assignment, graded)
        result.clock = None
        result.trajectory = as_recorded(result.trajectory)
        return result

    def _who(self, question: DocumentQuestion, context: SampleContext) -> Agent:
        if _is_scripted(self._agent):
            # Imported here because most runs need no solver. It is told the question without what a set-up adds.
            from worktrial.suites.documents.reference import ScriptedSolver

            return ScriptedSolver(question.text)
        return self._agent.agent(context)


def _is_scripted(agent: Candidate) -> bool:
    return agent.kind == "reference" and agent.make is None


def _check(archive: "Archive | None", agent: Candidate, settings: DocumentsSettings) -> None:
    if archive is None and settings.setup is not Setup.CLOSED:
        raise SettingError(
            f"{option('setup')} {settings.setup}: needs an archive. Name one with {option('archive')}"
        )
    if _is_scripted(agent) and not settings.setup.has_archive_tools:
        raise SettingError(
            f"{option('agent')} reference: works with tools only, and {option('setup')} {settings.setup} has none"
        )
    if settings.images and settings.setup is Setup.CLOSED:
        raise SettingError(f"{option('images')}: closed book shows no pages")
    faults = settings.faults
    if faults.prompted:
        raise SettingError(
            f"{option('faults')} prompted: no model plays these tools. Use {option('faults')} E1, E2, E3 or all"
        )
    if faults.is_clean:
        return
    if settings.setup is Setup.CLOSED:
        raise SettingError(f"{option('faults')}: closed book makes no calls that could fail")
    faults.check(settings.limits.turns)
    if not agent.needs_model and any(s.unit is FaultUnit.TURN for s in faults.settings):
        raise SettingError(
            f"{option('fault_unit')} turn: the turns of {agent.spec} are not known. Use {option('fault_unit')} call"
        )


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
        kind, why = failure(self._evidence(question, answer, trajectory, trace, diagnosis, unread, graded))
        measures["diagnosis"] = None if diagnosis is None else _as_row(diagnosis)
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

    def _evidence(
        self,
        question: DocumentQuestion,
        answer: AnswerPair,
        trajectory: Trajectory,
        trace: Trace,
        diagnosis: AnswerDiagnosis | None,
        unread: list[str],
        graded: AnswerScore,
    ) -> Evidence:
        mode = self.settings.mode
        other = AnswerMode.OURS if mode is AnswerMode.PUBLISHED else AnswerMode.PUBLISHED
        return Evidence(
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


def _as_row(diagnosis: AnswerDiagnosis) -> JsonObject:
    return {
        "cause": diagnosis.cause.value,
        "why": diagnosis.why,
        "ratio": diagnosis.ratio,
        "opposite_sign": diagnosis.opposite_sign,
    }
