"""Set-up of a sample: the archive or part of it, with Python or without, and the texts that the agent is given."""

import asyncio
import os
import tempfile
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from worktrial.errors import InvalidReason, InvalidSample
from worktrial.language.templates import templates
from worktrial.outside.files import files_fingerprint
from worktrial.suites.documents.choices import Setup
from worktrial.suites.documents.files import DocumentFiles
from worktrial.suites.documents.question import DocumentQuestion
from worktrial.suites.documents.web_search import WithWeb
from worktrial.suites.documents.workplace import ArchiveSession, NoTools, Pictures, ToolSource, data_address

if TYPE_CHECKING:
    from worktrial.archive import Archive
    from worktrial.suites.documents.toolbox import PythonUse, SharedQueries
    from worktrial.suites.documents.web_search import WebSource


_PROMPTS = Path(__file__).parent / "prompts"


class ShownPage(NamedTuple):
    """A page that comes with the question."""

    document: str
    number: int
    text: str | None
    """Markdown; None where the picture is shown."""


def system_prompt(setup: Setup, *, has_tools: bool, python: bool, has_files: bool = False) -> str:
    """Text that comes before the question.

    Args:
        setup: What the agent is given.
        has_tools: Whether any tool is on offer.
        python: Whether it can compute with one.
        has_files: Whether the documents lie in its folder.
    """
    template = templates(_PROMPTS).get_template("system.j2")
    return template.render(setup=setup.value, has_tools=has_tools, python=python, has_files=has_files).strip()


def with_pages(question: str, pages: Sequence[ShownPage]) -> str:
    """Question with the pages below it."""
    return templates(_PROMPTS).get_template("pages.j2").render(question=question, pages=pages).strip()


def prompts_fingerprint() -> str:
    """SHA-256 over the texts that agents are given."""
    return files_fingerprint(_PROMPTS, (p for p in _PROMPTS.iterdir() if p.suffix in (".j2", ".yaml")))


# Parts of an archive that are kept open: each has its own index on disk.
_PARTS_KEPT = 32
# Pixels per point of a page's picture: figures of six points are then twelve pixels high.
_SCALE = 2.0


class PreparedSample(NamedTuple):
    """Everything that one sample is set up with."""

    session: ArchiveSession
    instruction: str
    pictures: Pictures
    workspace: Path | None = None
    """Folder with the documents, where the agent is given files."""


class SamplePreparer:
    """Set-up of samples over one archive."""

    def __init__(
        self,
        archive: "Archive | None",
        setup: Setup,
        *,
        python: "PythonUse" = "sandboxed",
        images: bool = False,
        web: "WebSource | None" = None,
        files: DocumentFiles | None = None,
        tools: Literal["ours", "none"] = "ours",
    ) -> None:
        """Choose the archive.

        Args:
            archive: Where the documents are; None for the set-up that needs none.
            setup: Part of it that the agent is given.
            python: Whether the agent can compute.
            images: Whether the agent sees: gold pages come as pictures, and pages can be looked at.
            web: What answers searches of the web, if any.
            files: Files of the documents, where the agent is given some.
            tools: The archive's tools beside them.
        """
        self._archive = archive
        self._setup = setup
        self._python = python
        self._images = images
        self._web = web
        self._files = files
        self._offers_tools = tools == "ours"
        self._queries: SharedQueries | None = None
        self._parts: OrderedDict[tuple[str, ...], Archive] = OrderedDict()

    @asynccontextmanager
    async def prepare(self, question: DocumentQuestion) -> AsyncIterator[PreparedSample]:
        """Session, instruction and pictures for one sample; closed when it is over.

        Raises:
            InvalidSample: the data does not say where the answer of this question stands.
            DataError: the archive lacks what it needs.
            SettingError: Python cannot be locked in on this machine.
        """
        pictures = Pictures()
        instruction = await asyncio.to_thread(self._instruction, question, pictures)
        async with AsyncExitStack() as stack:
            tools = await self._tools(question, stack)
            if self._web is not None:
                tools = WithWeb(tools, self._web)
            # Pictures mean nothing to a model that does not see, and its endpoint would refuse them.
            hidden = () if self._images else ("view_page",)
            session = ArchiveSession(tools, pictures, without=hidden)
            if self._files is None:
                yield PreparedSample(session, instruction, pictures)
                return
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="worktrial-documents-")))
            laid = await asyncio.to_thread(self._lay, self._files, question, folder)
            yield PreparedSample(session, instruction, pictures, folder)
            await asyncio.to_thread(self._files.check, laid)

    def _lay(self, files: DocumentFiles, question: DocumentQuestion, folder: Path) -> dict[Path, os.stat_result]:
        if self._setup is Setup.ORACLE_PAGES:
            files.lay_pages(folder, question.pages)
            return {}
        return files.lay(folder, question.documents if self._setup is Setup.ORACLE_DOCS else None)

    def _instruction(self, question: DocumentQuestion, pictures: Pictures) -> str:
        if self._setup is not Setup.ORACLE_PAGES:
            return question.text
        if not question.pages:
            raise _no_data("the data does not say on which pages the answer stands")
        pages = [self._shown(page.document, page.page, pictures) for page in question.pages]
        return with_pages(question.text, pages)

    def _shown(self, document: str, number: int, pictures: Pictures) -> ShownPage:
        assert self._archive is not None, "the set-up needs an archive, and the trial has checked that"
        if self._images:
            pictures.add(data_address(self._archive.image(document, number, _SCALE)))
            return ShownPage(document, number, None)
        text = self._archive.page(document, number).markdown
        # A page that could not be read is what this archive gives: the loss is the archive's, and counts.
        return ShownPage(document, number, text or "(Nothing could be read on this page.)")

    async def _tools(self, question: DocumentQuestion, stack: AsyncExitStack) -> ToolSource:
        if self._setup is Setup.CLOSED or not self._offers_tools:
            return NoTools()
        from worktrial.suites.documents.toolbox import SharedQueries, open_tools

        if self._setup is Setup.ARCHIVE:
            assert self._archive is not None, "the set-up needs an archive, and the trial has checked that"
            if self._queries is None:
                self._queries = SharedQueries(self._archive)
            return await open_tools(self._archive, self._python, stack, queries=self._queries)
        part = await asyncio.to_thread(self._part, question) if self._setup is Setup.ORACLE_DOCS else None
        return await open_tools(part, self._python, stack)

    def _part(self, question: DocumentQuestion) -> "Archive":
        if not question.documents:
            raise _no_data("the data does not say in which documents the answer stands")
        key = tuple(sorted(question.documents))
        if key in self._parts:
            self._parts.move_to_end(key)
            return self._parts[key]
        assert self._archive is not None, "the set-up needs an archive, and the trial has checked that"
        part = part_of(self._archive, key)
        self._parts[key] = part
        while len(self._parts) > _PARTS_KEPT:
            self._parts.popitem(last=False)
        return part


def part_of(archive: "Archive", documents: Sequence[str]) -> "Archive":
    """An archive of some documents of another; its index and tables are made for as long as it is open.

    Raises:
        DataError: there is no such document.
    """
    from worktrial.archive import Archive

    return Archive(archive.folder, [archive.document(name) for name in documents], archive.stored)


def _no_data(why: str) -> InvalidSample:
    return InvalidSample(InvalidReason.TASK_DATA, why)
