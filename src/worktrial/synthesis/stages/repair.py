"""Repair of a task: one artifact is found to be at fault, and only that one is written anew."""

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from worktrial.grading import JudgeCase, Vote
from worktrial.grading.evidence import LEAST_LIMIT, evidence
from worktrial.language import JsonObject
from worktrial.language.untrusted import encodable
from worktrial.synthesis.artifacts import (
    Artifact,
    DraftFinding,
    JobSpec,
    PlannedCall,
    RepairRow,
    Slot,
    SlotRun,
    TaskDraft,
    Text,
    ToolDraft,
    WorkplaceDraft,
)
from worktrial.synthesis.author import Author, UnusableReplies
from worktrial.synthesis.files import content_hash, hash_of, to_yaml
from worktrial.synthesis.prompting import compact, fenced, language_name, render, tools_text
from worktrial.workplaces import ToolCall, Trajectory

MOST_RUNS = 2
MOST_FEEDBACK = 600
"""Characters of one vote."""


@dataclass(frozen=True, slots=True)
class FailedRun:
    """A run with the plan that did not pass."""

    number: int
    outcome: str
    reason: str
    record: str
    """Record of what the agent did and saw, a line of JSON each; "" where it is not kept."""
    feedback: list[str]
    """The grounds of the votes against it."""


def failures(runs: Sequence[SlotRun], content: str) -> list[FailedRun]:
    """The first few runs with the plan that failed on `content`.

    Runs without a verdict are not among them: they are nobody's fault.
    """
    failed = [run for run in runs if run.kind == "plan" and run.outcome == "fail" and run.content == content]
    return [_failure(run) for run in sorted(failed, key=lambda run: run.number)[:MOST_RUNS]]


def _failure(run: SlotRun) -> FailedRun:
    return FailedRun(run.number, run.outcome, run.reason, _record(run.trajectory), _feedback(run.votes))


def _feedback(votes: Sequence[Vote]) -> list[str]:
    against = [vote.feedback for vote in votes if vote.is_correct is False]
    return [_cut(text) for text in against if text and text.strip()]


def _cut(text: str) -> str:
    return text if len(text) <= MOST_FEEDBACK else f"{text[:MOST_FEEDBACK]} …"


def _record(line: JsonObject | None) -> str:
    if line is None:
        return ""
    try:
        trajectory = Trajectory(
            messages=msgspec.convert(line.get("messages", []), list[JsonObject]),
            calls=msgspec.convert(line.get("calls", []), list[ToolCall]),
            answer=msgspec.convert(line.get("answer", ""), str),
        )
    except msgspec.ValidationError as e:
        return f"(the record of this run cannot be read: {e})"
    case = JudgeCase("", "", {}, {}, "", "", trajectory, final_state=line.get("final_state"))
    return evidence(case, LEAST_LIMIT)


Check = Callable[[WorkplaceDraft, TaskDraft], Sequence[DraftFinding]]

_TOOLS = 2000
"""Tokens of the tools in a prompt that does not ask for them."""


class RepairDiagnosis(msgspec.Struct, kw_only=True, frozen=True):
    """Diagnosis of the artifact that is at fault."""

    why: Text
    """First, so that a model reasons before it decides."""
    artifact: Literal["workplace", "tools", "instruction", "plan", "rubric", "none"]
    what: str = ""
    """Its fault, and how to change it."""


class _Workplace(msgspec.Struct, kw_only=True, frozen=True):
    system_prompt: Text
    initial_state: JsonObject
    state_description: JsonObject


class _Tools(msgspec.Struct, kw_only=True, frozen=True):
    tools: list[ToolDraft]


class _Instruction(msgspec.Struct, kw_only=True, frozen=True):
    instruction: Text


class _Plan(msgspec.Struct, kw_only=True, frozen=True):
    plan: list[PlannedCall]


class _Rubric(msgspec.Struct, kw_only=True, frozen=True):
    rubric: Text


@dataclass(frozen=True, slots=True)
class _Part:
    """Place of an artifact, and what a new one is read as; its fields are named as in the draft."""

    of: Literal["workplace", "task"]
    reply: type[Any]

    def fields(self, workplace: WorkplaceDraft, task: TaskDraft) -> dict[str, Any]:
        draft = workplace if self.of == "workplace" else task
        return {name: getattr(draft, name) for name in self.reply.__struct_fields__}

    def changed(
        self, workplace: WorkplaceDraft, task: TaskDraft, new: Mapping[str, Any]
    ) -> tuple[WorkplaceDraft, TaskDraft]:
        if self.of == "workplace":
            return msgspec.structs.replace(workplace, **new), task
        return workplace, msgspec.structs.replace(task, **new)


# In this order: what comes later is made for what comes before it.
_PARTS: dict[Artifact, _Part] = {
    "workplace": _Part("workplace", _Workplace),
    "tools": _Part("workplace", _Tools),
    "instruction": _Part("task", _Instruction),
    "plan": _Part("task", _Plan),
    "rubric": _Part("task", _Rubric),
}


async def repair(
    spec: JobSpec,
    slot: Slot,
    workplace: WorkplaceDraft,
    task: TaskDraft,
    problems: Sequence[DraftFinding],
    runs: Sequence[SlotRun],
    author: Author,
    round: int,
    *,
    check: Check | None = None,
) -> tuple[WorkplaceDraft, TaskDraft, RepairRow]:
    """Rewrite the one artifact that is at fault, by its author; everything else stays as it is.

    What static checks found names its artifact. Else the author says which one it is, from failed runs with the
    plan.

    Args:
        spec: The job.
        slot: Which place of the suite.
        workplace: As it is.
        task: As it is.
        problems: What static checks found.
        runs: Runs on this very content, with their trajectories.
        author: Diagnoses and rewrites.
        round: 1-based.
        check: Static checks; with them, a new artifact that still has problems of its own is sent back.

    Raises:
        UnusableReplies: the author finds nothing at fault, or has no usable repair.
        InvalidSample: the author cannot be reached.
    """
    content = content_hash(workplace, task)
    salt = f"repair/{slot.id}/{round}/{content}"
    failed = failures(runs, content)
    if problems:
        artifact: Artifact = next(name for name in _PARTS if any(p.artifact == name for p in problems))
        named = [problem for problem in problems if problem.artifact == artifact]
    else:
        if not failed:
            raise UnusableReplies("neither a problem nor a failed run says what to repair")
        data = _data(slot, workplace, task, failed, [])
        prompt = render("repair_diagnose", spec=spec, slot=slot, data=data)
        diagnosis = await author.write(prompt, RepairDiagnosis, salt=f"{salt}/diagnose")
        if diagnosis.artifact == "none":
            raise UnusableReplies(f"its author finds no artifact at fault: {diagnosis.why}")
        artifact = diagnosis.artifact
        what = diagnosis.what or diagnosis.why
        named = [DraftFinding(check="runs", artifact=artifact, field=artifact, what=what)]
    part = _PARTS[artifact]

    def wrong(reply: Any) -> list[str]:
        new = msgspec.structs.asdict(reply)
        after = part.changed(workplace, task, new)
        if content_hash(*after) == content:
            return ["it is the same as before"]
        left = [p for p in check(*after) if p.artifact == artifact] if check is not None else []
        return [f"{p.field}: {p.what}" for p in left]

    prompt = render(
        "repair",
        spec=spec,
        slot=slot,
        language=language_name(slot.language),
        artifact=artifact,
        fields=list(part.reply.__struct_fields__),
        data=_data(slot, workplace, task, failed, named, artifact),
    )
    reply = await author.write(prompt, part.reply, salt=f"{salt}/rewrite", check=wrong)
    new_workplace, new_task = part.changed(workplace, task, msgspec.structs.asdict(reply))
    _only(artifact, (workplace, task), (new_workplace, new_task))
    row = RepairRow(
        slot=slot.id,
        round=round,
        problems=list(named),
        artifact=artifact,
        diff=_diff(artifact, part.fields(workplace, task), part.fields(new_workplace, new_task)),
        before=content,
        after=content_hash(new_workplace, new_task),
    )
    return new_workplace, new_task, row


def changed_artifacts(
    before: tuple[WorkplaceDraft, TaskDraft], after: tuple[WorkplaceDraft, TaskDraft]
) -> list[str]:
    """The artifacts in which two versions of a slot differ; a field that is none of them by its own name."""
    found: list[str] = [
        name for name, part in _PARTS.items() if hash_of(part.fields(*before)) != hash_of(part.fields(*after))
    ]
    known = {"workplace": set[str](), "task": set[str]()}
    for part in _PARTS.values():
        known[part.of].update(part.reply.__struct_fields__)
    for kind, old, new in (("workplace", before[0], after[0]), ("task", before[1], after[1])):
        found += [
            f"{kind}.{name}"
            for name in old.__struct_fields__
            if name not in known[kind] and getattr(old, name) != getattr(new, name)
        ]
    return found


def _only(
    artifact: Artifact, before: tuple[WorkplaceDraft, TaskDraft], after: tuple[WorkplaceDraft, TaskDraft]
) -> None:
    changed = changed_artifacts(before, after)
    if changed != [artifact]:
        raise AssertionError(f"a repair of the {artifact} changed {', '.join(changed) or 'nothing'}")


def _shown(fields: Mapping[str, Any]) -> str:
    """An artifact as text: prose as it is, anything else as YAML."""
    if len(fields) == 1:
        (value,) = fields.values()
        return value if isinstance(value, str) else to_yaml(value)
    return to_yaml(dict(fields))


def _diff(artifact: Artifact, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    old, new = (_shown(fields).splitlines() for fields in (before, after))
    lines = difflib.unified_diff(old, new, f"before/{artifact}", f"after/{artifact}", lineterm="")
    return "\n".join(lines)


def _data(
    slot: Slot,
    workplace: WorkplaceDraft,
    task: TaskDraft,
    failed: Sequence[FailedRun],
    problems: Sequence[DraftFinding],
    artifact: Artifact | None = None,
) -> str:
    """All that a model or a document wrote, behind a fence; tools in full only where they are to be rewritten."""
    in_full = artifact == "tools"
    every = msgspec.to_builtins(workplace.tools)
    text = render(
        "repair_data",
        slot=slot,
        workplace=workplace,
        task=task,
        initial_state=compact(workplace.initial_state),
        state_description=compact(workplace.state_description),
        tools="\n".join(compact(tool) for tool in every) if in_full else tools_text(workplace.tools, _TOOLS),
        plan="\n".join(compact(msgspec.to_builtins(step)) for step in task.plan),
        failed=failed,
        problems=problems,
    )
    return fenced(encodable(text))
