"""Code blocks of a page of the documentation, and running them as a reader would."""

import ast
import asyncio
import inspect
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.cli import command

_BLOCK = re.compile(
    r"(?P<note><!--(?P<said>(?:(?!-->).)*)-->\s*\n)?"
    r"^(?P<indent>[ ]*)```(?P<language>\w+)(?P<rest>[^\n]*)\n(?P<code>.*?)^(?P=indent)```",
    re.DOTALL | re.MULTILINE,
)
_SHELL = ("sh", "bash", "shell", "console")
_EXIT = re.compile(r"exits? with (\d+)")
# What a shell has to read: pipes, redirections, substitutions, variables, several commands in a line.
_NEEDS_SHELL = re.compile(r"[|<>`$;]|&&")


@dataclass(frozen=True)
class Snippet:
    """One code block."""

    page: str
    line: int
    language: str
    code: str
    title: str | None
    """File that the reader saves it as; None for code to be run."""
    skipped: str | None
    """Reason why it is not run, as the page says in a comment before it."""
    exit_code: int

    @property
    def is_shell(self) -> bool:
        """Whether it is commands."""
        return self.language in _SHELL

    @property
    def commands(self) -> Iterator[str]:
        """Commands one by one, without comments, lines that go on joined; a block with a loop is one command."""
        if re.search(r"^(for|while|if) ", self.code, re.MULTILINE):
            yield self.code
            return
        pending = ""
        for line in self.code.replace("\\\n", " ").split("\n"):
            pending = f"{pending}\n{line}" if pending else line
            try:
                words = shlex.split(pending, comments=True)
            except ValueError:
                continue  # a quotation that is still open
            if words:
                yield pending
            pending = ""
        assert not pending, f"{self.page}:{self.line}: a quotation is never closed"


def snippets(page: Path, root: Path) -> list[Snippet]:
    """Code blocks of `page`, those in languages that nobody runs left out."""
    text = page.read_text("utf-8")
    found = []
    for match in _BLOCK.finditer(text):
        said = (match["said"] or "").strip()
        indent = match["indent"]
        code = "\n".join(line.removeprefix(indent) for line in match["code"].split("\n"))
        title = re.search(r'title="([^"]+)"', match["rest"])
        exits = _EXIT.search(said)
        found.append(
            Snippet(
                page=str(page.relative_to(root)),
                line=text[: match.start("code")].count("\n") + 1,
                language=match["language"],
                code=code,
                title=title[1] if title else None,
                skipped=said.removeprefix("not run:").strip() if said.startswith("not run:") else None,
                exit_code=int(exits[1]) if exits else 0,
            )
        )
    return [s for s in found if s.is_shell or s.title or s.language == "python"]


class Reader:
    """Somebody who follows pages in one folder: saves files, types commands, runs Python."""

    def __init__(self, folder: Path, models: str) -> None:
        """Set the reader up.

        Args:
            folder: Where they work; the test's working directory.
            models: Base URL of the endpoint that stands for the one on the pages.
        """
        self.folder = folder
        self._models = models
        self._names: dict[str, Any] = {"__name__": "__main__"}

    def follow(self, snippet: Snippet) -> None:
        """Do what a snippet says.

        Raises:
            AssertionError: a command ends with another exit code than the page says.
        """
        if snippet.title is not None and (self.folder / snippet.title).exists():
            return  # one of the examples, which the page shows
        if snippet.title is not None:
            place = self.folder / snippet.title
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(self._here(snippet.code), "utf-8")
        elif snippet.is_shell:
            for words in snippet.commands:
                self._type(snippet, self._here(words))
        else:
            self._python(snippet)

    def _here(self, text: str) -> str:
        """`text` with the pages' endpoint and models replaced by the scripted ones."""
        for role in ("simulator", "judge", "synthesizer"):
            text = re.sub(rf"(--{role}[ =])(?!local|openai)[\w./-]+", rf"\g<1>{role}-1", text)
        text = text.replace("http://localhost:8000/v1", self._models)
        return text.replace(".venv/bin/worktrial", "worktrial")

    def _type(self, snippet: Snippet, words: str) -> None:
        where = f"{snippet.page}:{snippet.line}: {words}"
        parts = shlex.split(words, comments=True)
        if parts[0] == "export":
            for assigned in parts[1:]:
                name, _, value = assigned.partition("=")
                os.environ[name] = value
            return
        if parts[0] == "worktrial" and not _NEEDS_SHELL.search(re.sub(r"'[^']*'|\"[^\"$`]*\"", "", words)):
            done = command(*parts[1:])
            code, said = done.code, done.out + done.err
        else:
            python = shlex.quote(sys.executable)
            names = f'worktrial() {{ {python} -m worktrial "$@"; }}; python() {{ {python} "$@"; }}\n'
            bash = ["bash", "-c", names + words]
            ran = subprocess.run(bash, check=False, cwd=self.folder, capture_output=True, text=True, timeout=300)
            code, said = ran.returncode, ran.stdout + ran.stderr
        assert code == snippet.exit_code, f"{where}\nexit code {code}, not {snippet.exit_code}\n{said[-3000:]}"

    def _python(self, snippet: Snippet) -> None:
        where = f"{snippet.page}:{snippet.line}"
        code = compile(self._here(snippet.code), where, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        if code.co_flags & inspect.CO_COROUTINE:
            asyncio.run(eval(code, self._names))
        else:
            exec(code, self._names)
