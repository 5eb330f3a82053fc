"""The job that a user asks for, and the artifacts that the stages hand to each other.

Each is a file that a person can read, change and hand back.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import msgspec

from worktrial.grading import Vote
from worktrial.grading.check import CheckResult
from worktrial.language import JsonObject, JsonValue

Text = Annotated[str, msgspec.Meta(min_length=1)]
Level = Annotated[int, msgspec.Meta(ge=1, le=3)]
RunKind = Literal["plan", "free", "fresh", "solver"]
"""Kind of a run: with the plan in the agent's instruction, without, without and after the task was chosen, or by
the solver."""


class ToolDraft(msgspec.Struct, kw_only=True, frozen=True):
    """A tool of a workplace."""

    name: Text
    description: Text
    parameters: JsonObject
    """JSON Schema 2020-12 of the arguments."""
    example_output: JsonValue
    writes: bool
    """Whether it can change the state."""


class WorkplaceDraft(msgspec.Struct, kw_only=True, frozen=True):
    """A workplace as it is written, to be played by a model."""

    name: Text
    system_prompt: Text
    tools: list[ToolDraft]
    initial_state: JsonObject
    state_description: JsonObject


class PlannedCall(msgspec.Struct, kw_only=True, frozen=True):
    """One tool call of a solution."""

    tool: Text
    arguments: JsonObject = {}
    why: str = ""


class TaskDraft(msgspec.Struct, kw_only=True, frozen=True):
    """A task in a simulated workplace, in all its languages."""

    id: Text
    level: Level
    instructions: Annotated[dict[str, Text], msgspec.Meta(min_length=1)]
    """Instruction by language; the first names the task."""
    plan: list[PlannedCall]
    rubric: Text
    """Numbered statements about the outcome that a judge can check, in prose."""
    clauses: list[str] = []
    """Ids of the clauses that decide it."""

    @property
    def instruction(self) -> str:
        """Instruction in the first language."""
        return self.instructions[self.languages[0]]

    @property
    def languages(self) -> list[str]:
        """Codes of its languages; the first names the task."""
        return list(self.instructions)

    @property
    def tools(self) -> list[str]:
        """Tools of its plan, each once."""
        return list(dict.fromkeys(step.tool for step in self.plan))

    # It is composed of nothing, and never made harder or easier.
    atoms: ClassVar[list[str]] = []
    round: ClassVar[int] = 0


class SlotRun(msgspec.Struct, kw_only=True, frozen=True):
    """One calibration run of a task; a line of `work/runs/<task>.jsonl`."""

    slot: Text
    kind: RunKind
    number: int
    """0-based, within task, kind and content."""
    content: Text
    """Hash of the workplace and the task that it ran on; rows of other contents do not count."""
    settings: str = ""
    """Hash of what else a run depends on (models, votes, limits); rows of other settings do not count."""
    outcome: Literal["pass", "fail", "invalid"]
    reason: str
    calls: int
    seconds: float
    cost: float | None
    tokens: int
    votes: list[Vote] = []
    checks: list[CheckResult] = []
    """Outcome of each check, where the task has some."""
    trajectory: JsonObject | None = None
    work: str = ""
    """Hash of its calls and its answer; runs in which they are the same are one run, stored several times."""


class PassRate(msgspec.Struct, kw_only=True, frozen=True):
    """Passes of one kind of run, with what is known of the true rate."""

    passed: int
    n: int
    """Runs with a verdict, copies of an earlier one left out."""
    invalid: int
    low: float
    high: float
    decision: Literal["inside", "outside", "undecided"]
    """Position of the true rate beside the band that is kept, as far as is known."""
    copies: int = 0
    """Runs that repeat an earlier one of their kind, call for call and word for word."""


class PaidAnswer(msgspec.Struct, kw_only=True, frozen=True):
    """One answer that was paid for; a line of `work/spend.jsonl`."""

    tokens: int = 0
    cost: float | None = None
    """US dollars; None where the model has no known price."""


class SessionRow(msgspec.Struct, kw_only=True, frozen=True):
    """One session; a line of `work/sessions.jsonl`."""

    started: str = ""
    """ISO 8601 in UTC."""
    ended: str = ""
    end: str = ""
    """The end it came to, in a few words."""
    roles: dict[str, str] = {}
    """Role to its model."""
    answers: int = 0
    """Number of answers that were paid for."""
    tokens: int = 0
    cost: float = 0.0
    """US dollars."""


class Provenance(msgspec.Struct, kw_only=True, frozen=True):
    """Origin of an artifact; a line of `provenance.jsonl`, the last of each file counts."""

    file: Text
    """Path below the suite folder."""
    hash: Text
    """SHA-256 of the content that is about to be written; another on disk means that a person changed it."""
    made_from: dict[str, str]
    """File, document or setting to its hash."""
    model: str
    written: str
    """ISO 8601 in UTC."""
    edited: bool = False
    """A person changed it; it is not made again."""
    repair: int = 0
    """The round of repair that wrote it; 0 for its author."""


class JobSpec(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """The job, and how large a trial is wanted. Read from YAML, or made of `--job` and options."""

    role: Text
    """Person who does the job: `customs declarant`."""
    industry: Text = "Business & Enterprise"
    domain: str = ""
    about: str = ""
    """Anything else that the author should know."""
    operations: list[Text] = []
    """Operations of the owner's interface that become tools; none for all, or for those that are proposed."""
    languages: list[Text] = msgspec.field(default_factory=lambda: ["en"])
    free_runs: Annotated[int, msgspec.Meta(ge=1)] = 4
    """Runs of a task before its band is looked at."""
    most_runs: Annotated[int, msgspec.Meta(ge=1)] = 12
    """Most such runs of a task, when the decision is near the border."""
    repairs: Annotated[int, msgspec.Meta(ge=0)] = 3
    """Times that a composed task is made harder or easier at most."""
    votes: Annotated[int, msgspec.Meta(ge=1)] = 3
    """Votes of the judge on a run in a simulated workplace."""
    workplace: Literal["code", "simulated"] = "code"
    """Whether the one workplace is code, or played by a model."""
    tasks: Annotated[int, msgspec.Meta(ge=1, le=2000)] = 20
    """Sound tasks that are wanted."""
    keep: Literal["sound", "band"] = "sound"
    """Tasks that count: sound ones, however easy or hard for the agent, or only those it passes now and then."""
    fresh_runs: Annotated[int, msgspec.Meta(ge=1)] = 4
    """Runs of each of them for the rate that is published, made after it was chosen."""
    seed: int = 0
    """All that is drawn for them follows from it."""


@dataclass(frozen=True, slots=True)
class LevelScale:
    """Length of a plan at one level of a simulated workplace's tasks, and what the level demands."""

    steps: tuple[int, int]
    """Tool calls of a solution that wastes none."""
    demands: str


SCALES = {
    1: LevelScale(
        (2, 4),
        "One straight line of work on one subject. What has to be known stands in the assignment or in the first "
        "thing that is looked up. No step depends on weighing one rule against another.",
    ),
    2: LevelScale(
        (4, 7),
        "At least one fork: which step is right depends on what an earlier one brought to light. One exception of "
        "the trade applies, and the assignment does not point it out. Two records have to be brought together.",
    ),
    3: LevelScale(
        (6, 12),
        "Several subjects with different outcomes. Two demands conflict, and the rules decide which one yields. "
        "The most obvious action is wrong because of something that only careful looking up reveals.",
    ),
}
