"""Authoring of the tool library's desk by an author that knows it, or errs where a test has it err."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.folder_author import LIBRARY, WrittenFolder, answer_of, step_of
from tests.support.in_process import TOOL_LIBRARY
from tests.synthesis.scripted_author import Model, author

from worktrial.synthesis.artifacts import JobSpec, ToolDraft
from worktrial.synthesis.authoring.asking import AuthoringStep
from worktrial.synthesis.authoring.brief import AuthorBrief
from worktrial.synthesis.authoring.workplace import WorkplaceAuthoring, WrittenWorkplace
from worktrial.synthesis.clauses import Clause, read_clauses
from worktrial.synthesis.folder import ProvenanceLedger, SuiteFolder
from worktrial.workplaces.executable.code import CodeWorkplace
from worktrial.workplaces.executable.report_form import REPORT_TOOL
from worktrial.workplaces.executable.runner import SandboxedRunner

CLAUSES = read_clauses(TOOL_LIBRARY / "clauses.yaml")
SPEC = JobSpec(role="clerk at a tool library", languages=["en", "ko"])
RUNNER = SandboxedRunner()

Slip = Callable[[str, str, int], str | None]
"""Reply to the prompt of a step for the nth time, or None for the right one."""


def operations(written: WrittenFolder = LIBRARY) -> list[ToolDraft]:
    """The desk's tools as an owner's interface would give them."""
    return [
        ToolDraft(
            name=tool.name,
            description=tool.description,
            parameters=tool.parameters,
            example_output=tool.example_output,
            writes=bool(tool.writes),
        )
        for tool in CodeWorkplace.read(written.workplace, runner=RUNNER).artifact.tools
        if tool.name != REPORT_TOOL
    ]


@dataclass
class Writing:
    """One suite folder, and what its author was asked."""

    root: Path
    slip: Slip = lambda step, prompt, count: None
    clauses: Sequence[Clause] = field(default_factory=lambda: CLAUSES)
    written: WrittenFolder = LIBRARY
    """The folder that the author knows."""
    interface: Sequence[ToolDraft] | None = None
    """The owner's operations; None for the desk's own."""
    asked: list[str] = field(default_factory=list)
    """The step of each request."""
    steps: list[AuthoringStep] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)

    @property
    def place(self) -> Path:
        return self.root / "workplaces" / self.written.workplace.name

    def write(self, context: int = 32_000) -> WrittenWorkplace:
        """Write the workplace, or what is missing of it."""
        folder = SuiteFolder(self.root)
        scripted = author(Model(self._reply))
        authoring = WorkplaceAuthoring(
            brief=AuthorBrief(SPEC, self.clauses, self.interface or operations(self.written), context),
            author=scripted,
            other=scripted,
            ledger=ProvenanceLedger(folder, warn=self.warnings.append),
            parts=folder.work / "authoring",
            place=self.place,
            runner=RUNNER,
            on_step=self.steps.append,
        )
        return asyncio.run(authoring.write())

    def _reply(self, prompt: str, count: int) -> str:
        step = step_of(prompt) or "?"
        self.asked.append(step)
        self.prompts.append(prompt)
        right = answer_of(self.written, prompt) or ""
        said = self.slip(step, right, self.asked.count(step))
        return right if said is None else said
