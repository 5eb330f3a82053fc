"""`worktrial run documents`: have an agent answer questions from an archive of documents."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

import typer

from worktrial.cli.fault_options import fault_conditions, fault_options
from worktrial.cli.option_table import Option, with_options
from worktrial.cli.role_options import role_options, settings_for, shared_options, tool_mode_option
from worktrial.cli.run_options import (
    agent_limits,
    check_share,
    limit_options,
    output_options,
    run_settings,
    split_names,
)
from worktrial.engine.roles import Role, RoleName
from worktrial.errors import SettingError


class SetupChoice(StrEnum):
    """What the agent is given beside the question."""

    CLOSED = "closed"
    ORACLE_PAGES = "oracle-pages"
    ORACLE_DOCS = "oracle-docs"
    ARCHIVE = "archive"


class Scorer(StrEnum):
    """Which score decides."""

    PUBLISHED = "published"
    OURS = "ours"


_WHO = "Who takes part"
_WHAT = "Which questions"
_GIVEN = "What the agent is given"
_SCORE = "Scoring (both scores are always measured)"
_NAMED = 8

_OPTIONS = [
    Option(
        "--agent",
        str,
        "Who answers: a model's name at --base-url, openai/NAME, local (the embedded model), "
        "python:MODULE:FUNCTION (your own), reference (a scripted solver, no model), or idle (says nothing).",
        ...,
        _WHO,
    ),
    Option(
        "--questions",
        str | None,
        "A .csv of OfficeQA as published, or a .jsonl in our form (see the documentation). "
        "hf://datasets/OWNER/NAME/FILE fetches one from the Hugging Face hub with your own token. "
        "Default: those of the archive that comes along.",
        panel=_WHAT,
        metavar="FILE",
    ),
    Option("--difficulty", list[str] | None, "Only these, as the data names them: easy, hard.", panel=_WHAT),
    Option("--kind", list[str] | None, "Only these kinds, such as lookup, sum, revision.", panel=_WHAT),
    Option("--tasks", list[str] | None, "Only these question ids; comma-separated or repeated.", panel=_WHAT),
    Option("--limit", int | None, "At most so many questions.", panel=_WHAT, minimum=1),
    Option("--repeats", int, "Samples of each question.", 1, _WHAT, minimum=1),
    Option(
        "--setup",
        SetupChoice,
        "closed: the question alone. oracle-pages: with the pages that hold the answer. oracle-docs: tools over "
        "the documents that hold it. archive: tools over everything. Run all four to see where an agent loses.",
        SetupChoice.ARCHIVE,
        _GIVEN,
    ),
    Option(
        "--archive",
        Path | None,
        "Folder that `worktrial archive build` wrote. Default: the small fictional one that comes along.",
        panel=_GIVEN,
        metavar="DIR",
    ),
    Option(
        "--images",
        bool,
        "The agent sees: oracle pages come as pictures, and the tool view_page is offered. For models that take "
        "pictures only.",
        False,
        _GIVEN,
    ),
    Option("--no-python", bool, "Without the tool that runs Python.", False, _GIVEN),
    Option(
        "--unsafe-python",
        bool,
        "Run the agent's Python WITHOUT a sandbox, with all your rights: for machines without bubblewrap that hold "
        "nothing of value.",
        False,
        _GIVEN,
    ),
    Option("--scorer", Scorer, "Which score decides whether an answer passes.", Scorer.PUBLISHED, _SCORE),
    Option("--tolerance", float, "Relative error that still passes, 0 to 1.", 0.0, _SCORE, minimum=0),
    Option(
        "--closed-run",
        Path | None,
        "A closed-book run on the same questions: those it answered are shown apart, as known by heart.",
        panel=_SCORE,
        metavar="RUN",
    ),
]


@with_options(
    [
        *_OPTIONS,
        *fault_options(),
        *output_options(),
        *limit_options(),
        *shared_options(),
        tool_mode_option(),
        *role_options(Role.AGENT),
    ]
)
def documents(**given: Any) -> None:
    """Find, read and compute from an archive of documents: search, tables, SQL, Python; scored without a judge.

    Needs nothing but an agent: a small fictional archive with questions comes along.

    Example: worktrial run documents --agent reference

    Example: worktrial run documents --questions officeqa_pro.csv --archive bulletins.archive --setup archive
    --agent my-model --base-url http://localhost:8000/v1 -o runs/first
    """
    from worktrial.agents.candidates import resolve_agent
    from worktrial.cli.carry_out import carry_out
    from worktrial.suites.documents import suite
    from worktrial.suites.documents.choices import Setup
    from worktrial.suites.documents.task import DocumentsSettings, DocumentsTrial

    check_share(given)
    if given["tolerance"] > 1:
        raise SettingError(f"--tolerance {given['tolerance']:g}: a relative error from 0 to 1, such as 0.01")
    faults = fault_conditions(given)
    agent = resolve_agent(given["agent"], suite)
    roles: dict[RoleName, Any] = {}
    if agent.needs_model:
        roles[Role.AGENT] = settings_for(Role.AGENT, agent.spec, given)
    setup = Setup(given["setup"].value)
    python = _python(given, setup)
    questions, archive = _data(given, setup)
    chosen = _chosen(questions, archive, setup, given)
    settings = DocumentsSettings(
        setup=setup,
        repeats=given["repeats"],
        python=python,
        images=given["images"],
        scorer=given["scorer"].value,
        tolerance=given["tolerance"],
        limits=agent_limits(given, roles.get(Role.AGENT)),
        faults=faults,
    )
    trial = DocumentsTrial(questions, chosen, archive, agent, settings)
    if given["closed_run"] is not None:
        _check_closed_run(given["closed_run"], questions.fingerprint)
    if python == "sandboxed":
        # Imported here because `worktrial --help` needs neither.
        import asyncio

        from worktrial.suites.documents.toolbox import check_python

        asyncio.run(check_python(python))
    carry_out(trial, roles, run_settings(given, "documents", roles), given)


def _python(given: Mapping[str, Any], setup: Any) -> Any:
    if given["no_python"] and given["unsafe_python"]:
        raise SettingError("--no-python and --unsafe-python: choose one")
    if given["no_python"] or setup == SetupChoice.CLOSED.value:
        return "none"
    # The scripted solver and the idle agent call no Python, so they run where it cannot be locked in.
    if given["agent"] in ("reference", "idle"):
        return "none"
    if given["unsafe_python"]:
        typer.secho(
            "WARNING: --unsafe-python: code that the agent writes runs WITHOUT a sandbox. It can read, change and "
            "send away everything that you can.",
            err=True,
            bold=True,
        )
        return "unsafe"
    return "sandboxed"


def _data(given: Mapping[str, Any], setup: Any) -> tuple[Any, Any]:
    """Questions and archive; each of them the one that comes along where none is named."""
    from worktrial.suites.documents.load import load_questions

    folder, file = given["archive"], given["questions"]
    needs_archive = setup != SetupChoice.CLOSED.value
    if file is not None and folder is None and needs_archive:
        raise SettingError("--questions: name the archive that they are about with --archive DIR")
    if folder is not None and file is None:
        raise SettingError("--archive: name the questions about it with --questions FILE")
    if file is not None:
        questions = load_questions(_questions_file(file))
    else:
        from worktrial.suites.documents.example import example_folder

        questions = load_questions(example_folder() / "questions.jsonl")
    if folder is None and (file is not None or not needs_archive):
        return questions, None
    from worktrial.archive.store import Archive

    if folder is None:
        from worktrial.suites.documents.example import example_archive

        folder = example_archive()
    return questions, Archive.open(folder)


def _questions_file(named: str) -> Path:
    from worktrial.suites.documents.load import SCHEME, fetch_questions

    return fetch_questions(named) if named.startswith(SCHEME) else Path(named)


def _chosen(questions: Any, archive: Any, setup: Any, given: Mapping[str, Any]) -> Any:
    from worktrial.suites.documents.load import choose, without_documents

    chosen = choose(
        questions,
        ids=split_names(given["tasks"], "--tasks", "question"),
        difficulties=split_names(given["difficulty"], "--difficulty", "difficulty"),
        kinds=split_names(given["kind"], "--kind", "kind"),
    )
    if archive is not None and setup != SetupChoice.CLOSED.value:
        held = {record.name for record in archive.documents if record.readable}
        absent = without_documents(chosen, held)
        if absent:
            names = list(dict.fromkeys(name for missing in absent.values() for name in missing))
            more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            typer.echo(
                f"{len(absent)} of {len(chosen)} questions are left out: {archive.folder} lacks "
                f"{', '.join(names[:_NAMED])}{more}",
                err=True,
            )
        chosen = [question for question in chosen if question.id not in absent]
        if not chosen:
            raise SettingError(
                f"--archive {archive.folder}: holds the documents of none of these questions, so nothing is left"
            )
    return chosen[: given["limit"]]


def _check_closed_run(folder: Path, fingerprint: str) -> None:
    """Before hours of work, not after them."""
    from worktrial.engine.stored import open_run

    manifest = open_run(folder).manifest
    if manifest.suite != "documents" or manifest.settings.get("setup") != SetupChoice.CLOSED.value:
        raise SettingError(f"--closed-run {folder}: is no closed-book run of the documents suite")
    if manifest.data["fingerprint"] != fingerprint:
        raise SettingError(f"--closed-run {folder}: is about other questions")
