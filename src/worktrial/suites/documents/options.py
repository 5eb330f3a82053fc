"""Options of a documents run, of its data, and of what a run can be shown beside."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from worktrial.options import (
    AgentOptions,
    ContextOptions,
    EndpointOptions,
    FaultOptions,
    Flag,
    LimitOptions,
    Names,
    Options,
    OwnAgentOptions,
    RunOptions,
    TaskOptions,
)
from worktrial.suites.documents.load import SCHEME

_WHAT = "Which tasks"
_GIVEN = "What the agent is given"
_SCORE = "Scoring (both scores are always measured)"


def _place(value: Any) -> Any:
    """Path of a file; an address on the hub stays a text, because a path would lose its slashes."""
    return Path(value) if isinstance(value, str) and not value.startswith(SCHEME) else value


ScoreName = Literal["published", "ours"]
"""Name of a score."""


class DocumentsData(Options):
    """Source of questions and documents."""

    questions: Annotated[
        Path | str | None, BeforeValidator(_place), Flag(_WHAT, common=True, neutral=True, metavar="FILE")
    ] = None
    """A .csv of OfficeQA as published, or a .jsonl in our form (see the documentation).
    hf://datasets/OWNER/NAME/FILE fetches one from the Hugging Face hub with your own token. Default: those of the
    archive that comes along."""
    archive: Annotated[Path | None, Flag(_GIVEN, common=True, neutral=True, metavar="DIR")] = None
    """Archive that `worktrial archive build` wrote: its folder, or its address in an object store. Default: the
    small fictional one that comes along."""


class DocumentsBeside(Options):
    """Runs that a documents run can be shown beside."""

    stage_run: Annotated[list[Path], Flag(neutral=True, metavar="RUN")] = Field([])
    """A run of the same agent under another set-up; repeat it: where the agent loses."""
    split_run: Annotated[list[Path], Flag(neutral=True, metavar="RUN")] = Field([])
    """Give it twice: questions that both of these runs solved are easy, the others hard."""
    closed_run: Annotated[Path | None, Flag(neutral=True, metavar="RUN")] = None
    """A closed-book run: which questions a model knows by heart."""


class DocumentsOptions(
    EndpointOptions,
    AgentOptions,
    ContextOptions,
    OwnAgentOptions,
    FaultOptions,
    LimitOptions,
    RunOptions,
    TaskOptions,
    DocumentsData,
):
    """Every option of a documents run."""

    difficulty: Annotated[Names, Flag(_WHAT, neutral=True)] = Field([])
    """Difficulties to keep, as the data names them: easy, hard. Default: all."""
    kind: Annotated[Names, Flag(_WHAT, neutral=True)] = Field([])
    """Kinds to keep, such as lookup, sum, revision. Default: all."""
    setup: Annotated[Literal["closed", "oracle-pages", "oracle-docs", "archive"], Flag(_GIVEN, common=True)] = (
        "archive"
    )
    """Documents beside the question. closed: none. oracle-pages: the pages that hold the answer. oracle-docs: tools
    over the documents that hold it. archive: tools over everything. Run all four to see where an agent loses."""
    images: Annotated[bool, Flag(_GIVEN)] = False
    """Show pictures to the agent: oracle pages come as pictures, and the tool view_page is offered. For models that
    take pictures only."""
    workspace: Annotated[Literal["pdf", "text", "both"] | None, Flag(_GIVEN, common=True)] = None
    """Files in the folder of an agent with its own tools, such as cli:codex: the originals, the archive's text and
    tables as Markdown and CSV, or both. What of the archive it gets, the set-up says."""
    tools: Annotated[Literal["ours", "none"], Flag(_GIVEN)] = "ours"
    """The archive's tools beside such files: ours, or none."""
    python: Annotated[Literal["sandboxed", "unsafe", "none"], Flag(_GIVEN)] = "sandboxed"
    """The tool that runs Python: locked in; unsafe, WITHOUT a sandbox and with all your rights, for machines
    without bubblewrap that hold nothing of value; or none."""
    web_search: Annotated[str | None, Flag(_GIVEN, neutral=True, metavar="URL|FILE|RUN")] = None
    """Offer the tool web_search beside the archive: the address of a SearXNG instance's search, an adapter file for
    another engine, or a run that searched before, whose answers are given again without a network."""
    scorer: Annotated[ScoreName | None, Flag(_SCORE, common=True)] = None
    """Score that decides whether an answer passes. published: as the published OfficeQA scorer does. ours: by typed
    values. Default: published for the published questions (.csv), ours for those in our form (.jsonl)."""
    tolerance: Annotated[float, Field(ge=0, le=1), Flag(_SCORE)] = 0.0
    """Relative error that still passes, 0 to 1."""
    closed_run: Annotated[Path | None, Flag(_SCORE, neutral=True, metavar="RUN")] = None
    """A closed-book run on the same questions: those it answered are shown apart, as known by heart."""
