"""The path of one sample of the documents suite, top to bottom."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from worktrial.agents.assignment import Assignment, Limits
from worktrial.engine.record import SampleResult
from worktrial.engine.roles import Role
from worktrial.engine.trial import Job, SampleContext
from worktrial.errors import SettingError, option
from worktrial.language import JsonObject
from worktrial.suites.documents.answerers import Answerer
from worktrial.suites.documents.faults import document_transforms
from worktrial.suites.documents.grade import Grader
from worktrial.suites.documents.load import QuestionSet
from worktrial.suites.documents.pictures import as_recorded
from worktrial.suites.documents.place import Place
from worktrial.suites.documents.prompting import prompts_fingerprint, system_prompt
from worktrial.suites.documents.question import Question
from worktrial.suites.documents.scoring import ScoreSettings, scorer_version
from worktrial.suites.documents.setups import Setup
from worktrial.suites.episode import episode
from worktrial.suites.faults import faulty, in_manifest, jobs_under
from worktrial.workplaces import Session, Trajectory
from worktrial.workplaces.faults import Conditions, FaultMode, FaultUnit

if TYPE_CHECKING:
    from worktrial.archive.store import Archive
    from worktrial.suites.documents.toolbox import PythonUse

SUITE = "documents"


@dataclass(frozen=True, kw_only=True)
class Settings(ScoreSettings):
    """What of the suite's own can change a result."""

    setup: Setup = Setup.ARCHIVE
    repeats: int = 1
    python: "PythonUse" = "sandboxed"
    images: bool = False
    """Whether the agent sees: gold pages as pictures, and `view_page`."""
    limits: Limits = field(default_factory=Limits)
    faults: Conditions = field(default_factory=Conditions)


class DocumentsTrial:
    """The suite made ready to run. Scores are computed; no judge is asked.

    Raises:
        SettingError: the set-up lacks an archive, or faults or an agent that it cannot have.
    """

    suite = SUITE

    def __init__(
        self,
        questions: QuestionSet,
        chosen: Sequence[Question],
        archive: "Archive | None",
        agent: Answerer,
        settings: Settings,
        *,
        measured: JsonObject | None = None,
    ) -> None:
        """Set up a trial.

        Args:
            questions: Where the questions are from.
            chosen: Those to run.
            archive: Where the documents are; may be None for the closed set-up.
            agent: Who answers.
            settings: What can change a result.
            measured: Options that count when runs are compared, for the manifest.
        """
        _check(archive, agent, settings)
        _check_hidden(questions, archive, settings)
        self._questions = {question.id: question for question in chosen}
        self._agent = agent
        self._settings = settings
        self._conditions = settings.faults.by_name
        self._transforms = document_transforms(archive)
        self._place = Place(archive, settings.setup, python=settings.python, images=settings.images)
        held = None if archive is None else archive.fingerprint
        revision: JsonObject = {"questions": questions.fingerprint, "archive": held}
        self._grade = Grader(settings.setup, settings, archive, revision)
        self.jobs = jobs_under(settings.faults, chosen, settings.repeats)
        self.data: JsonObject = {
            "folder": str(questions.path),
            "archive": None if archive is None else str(archive.folder),
            "fingerprint": questions.fingerprint,
            "archive_fingerprint": held,
        }
        self.settings: JsonObject = {
            "agent": agent.spec,
            "tasks": [question.id for question in chosen],
            "prompts": prompts_fingerprint(),
            "scorer_version": scorer_version(),
            **in_manifest(settings),
            **({} if measured is None else {"options": measured}),
        }

    async def run(self, job: Job, context: SampleContext) -> SampleResult:
        """Set up, work, score; see `worktrial.engine.trial.Trial`."""
        question, settings = self._questions[job.sample], self._settings
        faults = self._conditions[job.condition]
        trajectory = Trajectory()
        async with self._place.stay(question) as here:
            session: Session = here.session
            if faults.mode is not FaultMode.E0:
                workplace = here.session.workplace
                session = faulty(session, workplace, faults, question.id, trajectory, self._transforms)
            tools = here.session.specs
            offered = {tool["function"]["name"] for tool in tools}
            assignment = Assignment(
                instruction=here.instruction,
                clock="",
                tools=tools,
                session=session,
                limits=settings.limits,
                tokens=lambda: context.meter.tokens(Role.AGENT),
                cost=lambda: context.meter.known_cost,
                system_prompt=system_prompt(settings.setup, has_tools=bool(tools), python="python" in offered),
                take_pictures=here.pictures.take,
                trajectory=trajectory,
            )

            async def graded() -> SampleResult:
                return await asyncio.to_thread(self._grade, question, trajectory)

            result = await episode(self._agent.agent(context, question.text), assignment, graded)
        result.clock = None
        result.trajectory = as_recorded(result.trajectory)
        return result


def _check_hidden(questions: QuestionSet, archive: "Archive | None", settings: Settings) -> None:
    if archive is None or settings.setup is not Setup.ARCHIVE or settings.python == "none":
        return
    if questions.path.resolve().is_relative_to(archive.folder.resolve()):
        raise SettingError(
            f"{option('questions')} {questions.path}: lies inside the archive, where the agent's Python can read "
            f"the answers. Move it elsewhere, or use {option('no_python')}"
        )


def _check(archive: "Archive | None", agent: Answerer, settings: Settings) -> None:
    if archive is None and settings.setup is not Setup.CLOSED:
        raise SettingError(
            f"{option('setup')} {settings.setup}: needs an archive. Name one with {option('archive')}"
        )
    if agent.kind == "reference" and not settings.setup.has_archive_tools:
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
    if not agent.has_turns and any(s.unit is FaultUnit.TURN for s in faults.settings):
        raise SettingError(
            f"{option('fault_unit')} turn: the turns of {agent.spec} are not known. Use {option('fault_unit')} call"
        )
