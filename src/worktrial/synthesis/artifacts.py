"""The job that a user asks for, and the artifacts that the stages hand to each other.

Each is a file that a person can read, change and hand back.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec

from worktrial.grading import Vote
from worktrial.grading.check import CheckResult
from worktrial.language import JsonObject, JsonValue

Text = Annotated[str, msgspec.Meta(min_length=1)]
Level = Annotated[int, msgspec.Meta(ge=1, le=3)]
Artifact = Literal["workplace", "tools", "instruction", "plan", "rubric"]
"""Part of a slot that a finding is about, and that a repair writes anew."""
SlotVerdict = Literal["kept", "trivial", "too_hard", "unsolvable", "invalid", "undecided", "unchecked"]
RunKind = Literal["plan", "free", "fresh", "solver"]
"""Kind of a run: with the plan in the agent's instruction, without, without and after the task was chosen, or by
the solver."""


class SubTopic(msgspec.Struct, kw_only=True, frozen=True):
    """One part of the job that shares nothing essential with the others."""

    id: Text
    """Lower-case letters, digits and hyphens; unique within the suite."""
    title: Text
    about: Text
    """Two or three sentences: what is done here, and what is not."""


class Citation(msgspec.Struct, kw_only=True, frozen=True):
    """Place in the user's documents where something stands."""

    source: Text
    """The source's id."""
    passage: Text
    """The passage's id within it."""
    quote: str = ""
    """Words found there, exactly."""


class Statement(msgspec.Struct, kw_only=True, frozen=True):
    """One fact of a reference document."""

    text: Text
    citations: list[Citation] = []
    """Empty: the author's own knowledge, not from the user's documents."""


class Reference(msgspec.Struct, kw_only=True, frozen=True):
    """Knowledge that the work of a sub-topic takes."""

    subtopic: Text
    terminology: list[Statement]
    workflow: list[Statement]
    """The steps in order."""
    state_variables: list[Statement]
    edge_cases: list[Statement]
    constraints: list[Statement]

    @property
    def parts(self) -> dict[str, list[Statement]]:
        """Statements of every part, by the part's name."""
        return {name: getattr(self, name) for name in self.__struct_fields__ if name != "subtopic"}


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
    """A workplace as it is written; on disk a folder of our own format (`workplaces/loading/folder.py`)."""

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
    """One task in its workplace."""

    slot: Text
    """Place of the suite that it fills: `subtopic-1` … `subtopic-3`, with `-ko` and the like after it where the
    suite has several languages."""
    subtopic: Text
    level: Level
    language: Text = "en"
    instruction: Text
    plan: list[PlannedCall]
    rubric: Text
    """Numbered statements about the outcome that a judge can check, in prose."""


class Slot(msgspec.Struct, kw_only=True, frozen=True):
    """A place of the suite: one sub-topic at one level in one language.

    It has a workplace of its own, so that a repair touches no other slot.
    """

    subtopic: SubTopic
    level: Level
    language: str = "en"
    several_languages: bool = False

    @property
    def id(self) -> str:
        """Names its files."""
        base = f"{self.subtopic.id}-{self.level}"
        return f"{base}-{self.language}" if self.several_languages else base


class DraftFinding(msgspec.Struct, kw_only=True, frozen=True):
    """Fault of one artifact of a slot, found by a static check or shown by its runs."""

    check: Text
    """Name of the check, as in `worktrial lint`; `runs` for what runs have shown."""
    artifact: Artifact
    """The one thing to change."""
    field: str
    what: Text
    fix: str = ""


class SlotRun(msgspec.Struct, kw_only=True, frozen=True):
    """One calibration run of a slot; a line of `work/runs/<slot>.jsonl`."""

    slot: Text
    kind: RunKind
    number: int
    """0-based, within slot, kind and content."""
    content: Text
    """Hash of workplace and task that it ran on; rows of other contents do not count."""
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


class PassRate(msgspec.Struct, kw_only=True, frozen=True):
    """Passes of one kind of run, with what is known of the true rate."""

    passed: int
    n: int
    """Runs with a verdict."""
    invalid: int
    low: float
    high: float
    decision: Literal["inside", "outside", "undecided"]
    """Position of the true rate beside the band that is kept, as far as is known."""


class Calibration(msgspec.Struct, kw_only=True, frozen=True):
    """Pass rates and verdict of a slot; a line of `calibration.jsonl`."""

    slot: Text
    content: Text
    plan: PassRate
    free: PassRate
    verdict: SlotVerdict
    """`unchecked`: static checks failed, so nothing was run. `too_hard`: solvable with its plan, never without."""
    why: str
    rounds: int = 0
    """Repairs that it took."""


class RepairRow(msgspec.Struct, kw_only=True, frozen=True):
    """One round of repair; a line of `repairs.jsonl`."""

    slot: Text
    round: int
    """1-based."""
    problems: list[DraftFinding]
    artifact: Artifact
    diff: str
    """Unified diff of the one artifact."""
    before: Text
    after: Text
    """Content hashes of the slot."""


class Reject(msgspec.Struct, kw_only=True, frozen=True):
    """A slot that is not in the suite; a line of `rejects.jsonl`."""

    slot: Text
    stage: Literal["author", "checks", "execution", "filter", "selection"]
    why: Text


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
    subtopics: Annotated[int, msgspec.Meta(ge=1, le=200)] = 16
    levels: list[Level] = msgspec.field(default_factory=lambda: [1, 2, 3])
    languages: list[Text] = msgspec.field(default_factory=lambda: ["en"])
    plan_runs: Annotated[int, msgspec.Meta(ge=1)] = 4
    """Runs with the plan before a decision is made."""
    free_runs: Annotated[int, msgspec.Meta(ge=1)] = 8
    """Runs without it."""
    most_runs: Annotated[int, msgspec.Meta(ge=1)] = 24
    """Most runs of one kind for one slot, when the decision is near the border."""
    sampling: Literal["sequential", "published"] = "sequential"
    """`sequential`: run until it is clear whether a task is kept. `published`: a fixed number of runs; drop what no
    run with the plan passes, and what all free runs pass."""
    repairs: Annotated[int, msgspec.Meta(ge=0)] = 3
    """Most rounds of repair of a slot."""
    votes: Annotated[int, msgspec.Meta(ge=1)] = 3
    workplace: Literal["code", "simulated"] = "code"
    """`code`: one workplace of code, and tasks composed for it. `simulated`: a workplace for each task, played by a
    model."""
    tasks: Annotated[int, msgspec.Meta(ge=1, le=2000)] = 20
    """Sound tasks that are wanted of a workplace of code."""
    fresh_runs: Annotated[int, msgspec.Meta(ge=1)] = 4
    """Runs of each of them for the rate that is published, made after it was chosen."""
    seed: int = 0
    """All that is drawn for them follows from it."""


@dataclass(frozen=True, slots=True)
class LevelScale:
    """Size of a workplace and of a plan at one level, and what the level demands."""

    tools: tuple[int, int]
    collections: str
    records: str
    steps: tuple[int, int]
    """Tool calls of a solution that wastes none."""
    demands: str


SCALES = {
    1: LevelScale(
        tools=(2, 5),
        collections="1 or 2",
        records="3 to 6",
        steps=(2, 4),
        demands="One straight line of work on one subject. What has to be known stands in the assignment or in the "
        "first thing that is looked up. No step depends on weighing one rule against another.",
    ),
    2: LevelScale(
        tools=(4, 7),
        collections="2 or 3",
        records="4 to 8",
        steps=(4, 7),
        demands="At least one fork: which step is right depends on what an earlier one brought to light. One "
        "exception of the trade applies, and the assignment does not point it out. Two records have to be brought "
        "together.",
    ),
    3: LevelScale(
        tools=(5, 10),
        collections="3 to 5",
        records="5 to 10",
        steps=(6, 12),
        demands="Several subjects with different outcomes. Two demands conflict, and the rules decide which one "
        "yields. The most obvious action is wrong because of something that only careful looking up reveals. The "
        "order of some steps matters.",
    ),
}
