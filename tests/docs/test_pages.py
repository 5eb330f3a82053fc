"""Every page of the documentation is followed as it stands: all snippets, in order, in one folder."""

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from tests.docs.snippets import Reader, snippets
from tests.support.data import real_data_dir
from tests.support.library_clerk import Library
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

ROOT = Path(__file__).parents[2]


def pages() -> list[Path]:
    """The README, then the pages in the order of the navigation; those made from code have no file."""
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8").replace("!!python/name:", ""))
    named = [ROOT / "docs" / place for place in _places(config["nav"])]
    return [ROOT / "README.md", *(page for page in named if page.exists())]


def _places(nav: object) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    for inner in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
        yield from _places(inner)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """One reader for all pages."""
    folder = tmp_path_factory.mktemp("reader")
    before, environment = Path.cwd(), dict(os.environ)
    (folder / "examples").symlink_to(ROOT / "examples")
    os.chdir(folder)
    os.environ["XDG_STATE_HOME"] = str(folder / "state")
    try:
        with ScriptedServer(Script(agent=Library())) as server:
            yield Reader(folder, server.url)
    finally:
        os.chdir(before)
        os.environ.clear()
        os.environ.update(environment)


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_snippet_of_a_page_does_what_it_says(page: Path, reader: Reader) -> None:
    data = reader.folder / "occubench"
    if not data.exists():
        data.symlink_to(real_data_dir() / "occubench")
    for snippet in snippets(page, ROOT):
        if snippet.skipped is None:
            reader.follow(snippet)


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_a_snippet_that_is_not_run_says_why(page: Path) -> None:
    assert all(snippet.skipped for snippet in snippets(page, ROOT) if snippet.skipped is not None)


def test_the_korean_readme_has_the_commands_and_code_of_the_english_one() -> None:
    def of(name: str) -> list[list[str]]:
        blocks = snippets(ROOT / name, ROOT)
        return [[*block.commands] if block.is_shell else [block.code] for block in blocks]

    def links(name: str) -> list[str]:
        return re.findall(r"\]\(([^)]+)\)", (ROOT / name).read_text("utf-8"))[1:]

    def words(blocks: list[list[str]]) -> list[list[list[str]]]:
        return [[shlex.split(words, comments=True) for words in block] for block in blocks]

    assert words(of("README.md")) == words(of("README.ko.md"))
    assert links("README.md") == links("README.ko.md")


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_an_example_on_a_page_is_the_file_of_that_name(page: Path) -> None:
    for snippet in snippets(page, ROOT):
        if snippet.title is not None and snippet.title.startswith("examples/"):
            assert snippet.code.strip() == (ROOT / snippet.title).read_text("utf-8").strip(), snippet.title
