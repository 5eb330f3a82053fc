"""From Python options to a trial and its roles, suite by suite. `worktrial.cli` does the same for commands."""

import asyncio
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worktrial.agents.assignment import Limits
from worktrial.agents.own_callable import PREFIX, load_function
from worktrial.engine.role_values import settings_for
from worktrial.engine.roles import Role, RoleName, RoleSettings
from worktrial.engine.trial import Trial
from worktrial.errors import SettingError
from worktrial.interop.options import (
    DocumentsOptions,
    OrchestrationOptions,
    read_options,
)
from worktrial.suites.fault_values import fault_conditions
from worktrial.suites.selection import select
from worktrial.suites.usual import LOCAL_TURNS, USUAL_TURNS
from worktrial.trials import prepare

Roles = dict[RoleName, RoleSettings]


@dataclass(frozen=True, slots=True)
class Wired:
    """A trial with its roles, and the options as they were read."""

    trial: Trial
    roles: Roles
    options: Any


def _starter(agent: Any, base: Path, given: Mapping[str, Any]) -> Wired:
    prepared = prepare("starter", agent, given, base=base)
    return Wired(prepared.trial, dict(prepared.models), prepared.options)


def _occupations(agent: Any, base: Path, given: Mapping[str, Any]) -> Wired:
    prepared = prepare("occupations", agent, given, base=base)
    return Wired(prepared.trial, dict(prepared.models), prepared.options)


def _documents(agent: Any, base: Path, given: Mapping[str, Any]) -> Wired:
    from worktrial.agents.candidates import resolve_agent
    from worktrial.archive.store import Archive
    from worktrial.suites.documents import suite
    from worktrial.suites.documents.choices import AnswerMode, Setup
    from worktrial.suites.documents.example import example_archive, example_folder
    from worktrial.suites.documents.load import choose, load_questions, without_documents
    from worktrial.suites.documents.task import DocumentsSettings, DocumentsTrial
    from worktrial.suites.documents.toolbox import PythonUse, check_python

    options, values = read_options(DocumentsOptions, "documents", given)
    setup = Setup(options.setup)
    who = resolve_agent(agent, suite, base)
    roles = _roles({Role.AGENT: who.spec if who.needs_model else None}, values)
    if (options.questions is None) is not (options.archive is None) and setup is not Setup.CLOSED:
        raise SettingError("questions, archive: give both, or none for those that come along")
    bundled = options.questions is None
    questions = load_questions(example_folder() / "questions.jsonl" if bundled else base / options.questions)
    archive = None
    if setup is not Setup.CLOSED or options.archive is not None:
        archive = Archive.open(example_archive() if options.archive is None else base / options.archive)
    chosen = choose(questions, ids=options.tasks, difficulties=options.difficulty, kinds=options.kind)
    if archive is not None and setup is not Setup.CLOSED:
        absent = without_documents(chosen, {record.name for record in archive.documents if record.readable})
        chosen = [question for question in chosen if question.id not in absent]
        if not chosen:
            raise SettingError(f"archive {archive.folder}: holds the documents of none of these questions")
    # Nobody calls Python in these, so they run where it cannot be locked in.
    python: PythonUse = "none" if setup is Setup.CLOSED or who.kind == "reference" else options.python
    if python == "sandboxed":
        asyncio.run(check_python(python))
    settings = DocumentsSettings(
        setup=setup,
        python=python,
        images=options.images,
        scorer=AnswerMode(options.scorer).value,
        tolerance=options.tolerance,
        **_work(options, roles),
    )
    return Wired(DocumentsTrial(questions, chosen[: options.limit], archive, who, settings), roles, options)


def _orchestration(agent: Any, base: Path, given: Mapping[str, Any]) -> Wired:
    from worktrial.suites.orchestration.planning.scenario import Language
    from worktrial.suites.orchestration.run.agents import Member, member
    from worktrial.suites.orchestration.run.ground import Groundwork, load_tasks
    from worktrial.suites.orchestration.run.turns import OrchestrationTrial, Settings
    from worktrial.suites.orchestration.scoring.both import Bounds

    options, values = read_options(OrchestrationOptions, "orchestration", given)

    def whom(spec: Any, option: str) -> Member:
        own = _own(spec, base)
        return member(spec, option) if own is None else Member("python", *own)

    who = whom(agent, "--agent")
    sub = None if options.sub_agent is None else whom(options.sub_agent, "--sub-agent")
    sub_model = sub.spec if sub is not None and sub.needs_model else None
    roles = _roles({Role.AGENT: who.spec if who.needs_model else None, Role.SUB_AGENT: sub_model}, values)
    languages = [Language(x) for x in ("EN", "KO") if options.language in (x.lower(), "both")]
    data = None if options.data is None else base / options.data
    release, tasks = load_tasks(data, languages, corrected=options.gold == "corrected")
    tasks = select(tasks, options.tasks, limit=options.limit, source=str(data or "the worked example"))
    is_local = Role.AGENT in roles and roles[Role.AGENT].is_local
    settings = Settings(
        repeats=options.repeats,
        gold=options.gold,
        cards=options.cards or ("compact" if is_local else "full"),
        bounds=Bounds(ours=options.bound),
    )
    return Wired(OrchestrationTrial(Groundwork(release, tasks, who, sub, []), settings), roles, options)


SUITES: Mapping[str, Callable[[Any, Path, Mapping[str, Any]], Wired]] = {
    "starter": _starter,
    "documents": _documents,
    "orchestration": _orchestration,
    "occupations": _occupations,
}
"""Suite to what wires it: the agent, the folder that relative paths are relative to, and the options."""


def _own(agent: Any, base: Path) -> tuple[str, Callable[..., Any]] | None:
    """For the manifest, and the function itself; None where the agent is not the user's own."""
    if callable(agent):
        name = getattr(agent, "__qualname__", type(agent).__qualname__)
        return f"{PREFIX}{getattr(agent, '__module__', '?')}:{name}", agent
    if not isinstance(agent, str) or not agent:
        raise SettingError(
            "agent: write what stands after --agent on the command line, or give the function itself"
        )
    if not agent.startswith(PREFIX):
        return None
    place, _, name = agent.removeprefix(PREFIX).rpartition(":")
    if Path(place).suffix == ".py":
        return agent, load_function(f"{PREFIX}{base / place}:{name}", "agent")
    if str(base) not in sys.path:
        sys.path.insert(0, str(base))
    return agent, load_function(agent, "agent")


def _roles(models: Mapping[Role, str | None], values: Mapping[str, Any]) -> Roles:
    return {role: settings_for(role, model, values) for role, model in models.items() if model is not None}


def _work(options: Any, roles: Roles) -> dict[str, Any]:
    agent = roles.get(Role.AGENT)
    usual = LOCAL_TURNS if agent is not None and agent.is_local else USUAL_TURNS
    return {
        "repeats": options.repeats,
        "limits": Limits(
            options.max_turns or usual, options.sample_tokens, options.sample_seconds, options.sample_cost
        ),
        "faults": fault_conditions(
            {name: getattr(options, name) for name in type(options).model_fields if name.startswith("fault")}
        ),
    }
