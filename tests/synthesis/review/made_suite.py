"""Suite folders at any stage, without a model."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
from tests.synthesis import drafts

from worktrial.grading import Vote
from worktrial.synthesis import files
from worktrial.synthesis.artifacts import (
    Calibration,
    Citation,
    DraftFinding,
    JobSpec,
    PassRate,
    Reference,
    Reject,
    RepairRow,
    Slot,
    SlotRun,
    Statement,
    SubTopic,
    TaskDraft,
    WorkplaceDraft,
)
from worktrial.synthesis.files import append_line, content_hash, to_yaml, write_lines, write_text
from worktrial.synthesis.folder import ProvenanceLedger, SuiteFolder
from worktrial.synthesis.pipeline import slots_of
from worktrial.synthesis.sources import Passage, SourceDocument, SourceLibrary

PASSAGE = "A parcel is handed out to its holder only. The holder shows a document with a picture."
SOURCES = SourceLibrary(
    [
        SourceDocument(
            id="rules", name="rules.md", kind="markdown", hash="ab" * 32, notes=["Two pictures were left out."]
        )
    ],
    [Passage(source="rules", id="p1", heading=["Counter", "Handing out"], text=PASSAGE)],
)
Spoil = Callable[[str], str]


def as_it_is(text: str) -> str:
    """Spoils nothing."""
    return text


class MadeSuite:
    """A suite folder that grows as it is told to.

    Args:
        root: The folder.
        subtopics: How many.
        levels: Of each.
        spoil: Makes texts hostile, or leaves them.
    """

    def __init__(
        self, root: Path, subtopics: int = 1, levels: Sequence[int] = (1, 2), spoil: Spoil = as_it_is
    ) -> None:
        self.folder = SuiteFolder(root)
        self.spoil = spoil
        self.spec = JobSpec(role=spoil("parcel clerk"), subtopics=subtopics, levels=list(levels), about=spoil("A."))
        topics = [
            SubTopic(id=f"parcels-{n}", title=spoil(f"Parcels {n}"), about=spoil("Finding parcels."))
            for n in range(1, subtopics + 1)
        ]
        self.slots = slots_of(self.spec, topics)
        self.topics = topics
        self.ledger = ProvenanceLedger(self.folder, warn=lambda text: None)
        write_text(self.folder.spec, to_yaml(self.spec))

    def listed(self) -> "MadeSuite":
        """Documents and sub-topics are there."""
        SOURCES.write(self.folder.sources)
        self.ledger.write(self.folder.subtopics, files.SUBTOPICS, self.topics, {"job": "1"}, "writer")
        return self

    def drafted(self) -> "MadeSuite":
        """References, workplaces and tasks are there."""
        self.listed()
        for topic in self.topics:
            made_from = {"job": "1", "document rules.md": "2"}
            self.ledger.write(
                self.folder.reference(topic), files.REFERENCE, self.reference(topic), made_from, "writer"
            )
        for slot in self.slots:
            self.draft(slot)
        return self

    def draft(self, slot: Slot, change: Callable[[TaskDraft], TaskDraft] = lambda task: task) -> None:
        """One slot's workplace and task."""
        file = self.folder.workplace(slot)
        self.ledger.write(file, files.WORKPLACE, self.workplace(), {"slot": "3"}, "writer")
        self.ledger.write(self.folder.task(slot), files.TASK, change(self.task(slot)), {"slot": "3"}, "writer")

    def reference(self, topic: SubTopic) -> Reference:
        s = self.spoil
        cited = [
            Citation(source="rules", passage="p1", quote="handed out to its holder only"),
            Citation(source="rules", passage="p1", quote=s("handed out to anybody")),
            Citation(source="rules", passage=s("p9"), quote="lost"),
        ]
        return Reference(
            subtopic=topic.id,
            terminology=[Statement(text=s("A holder is whom a parcel is for."))],
            workflow=[Statement(text=s("Look, then hand out."), citations=cited)],
            state_variables=[],
            edge_cases=[],
            constraints=[],
        )

    def workplace(self) -> WorkplaceDraft:
        made, s = drafts.workplace(), self.spoil
        tools = [msgspec.structs.replace(tool, description=s(tool.description)) for tool in made.tools]
        return msgspec.structs.replace(
            made,
            system_prompt=s(made.system_prompt.strip()),
            tools=tools,
            initial_state={**made.initial_state, "note": s("closed on Sunday")},
            state_description={**made.state_description, "note": s("A note."), "gone": "Not in the state."},
        )

    def task(self, slot: Slot) -> TaskDraft:
        made, s = drafts.task(slot), self.spoil
        plan = [msgspec.structs.replace(step, why=s(step.why or "so")) for step in made.plan]
        return msgspec.structs.replace(
            made, instruction=s(made.instruction), rubric=s(made.rubric.strip()), plan=plan
        )

    def content(self, slot: Slot) -> str:
        """Hash of what is on disk."""
        return content_hash(
            files.read_workplace(self.folder.workplace(slot)), files.TASK.read(self.folder.task(slot))
        )

    def run(
        self, slot: Slot, kind: Literal["plan", "free"], outcomes: str, content: str | None = None, **of: Any
    ) -> None:
        """Runs: `p` passes, `f` fails, `i` has no verdict; numbered from `first`."""
        first, calls = of.get("first", 0), of.get("calls", 2)
        for number, outcome in enumerate(outcomes, first):
            row = self.row(slot, kind, number, outcome, content or self.content(slot), calls)
            append_line(self.folder.runs(slot.id), msgspec.json.encode(row))

    def row(self, slot: Slot, kind: Any, number: int, outcome: str, content: str, calls: int) -> SlotRun:
        s = self.spoil
        correct = {"p": True, "f": False, "i": None}[outcome]
        votes = [Vote(correct, s(f"Vote {n} on {kind} {number}.")) for n in range(3)]
        turns = [{"role": "assistant", "content": s(f"Now call {n}.")} for n in range(calls)]
        seen = {"status": s("shelved"), "text": "word " * 40}
        trajectory = {
            "messages": [{"role": "user", "content": "go"}, *turns, {"role": "assistant", "content": s("Done.")}],
            "calls": [
                {
                    "index": n,
                    "turn": n,
                    "tool": s("get_parcel"),
                    "arguments": {"id": n},
                    "observation": {"content": seen},
                }
                for n in range(calls)
            ],
            "answer": s("Done."),
        }
        return SlotRun(
            slot=slot.id,
            kind=kind,
            number=number,
            content=content,
            settings="s",
            outcome={"p": "pass", "f": "fail", "i": "invalid"}[outcome],  # type: ignore[arg-type]
            reason=s("3 of 3 votes"),
            calls=calls,
            seconds=1.5,
            cost=0.01,
            tokens=1234,
            votes=votes,
            trajectory=trajectory,
        )

    def calibration(self, slot: Slot, verdict: Any, plan: tuple[int, int], free: tuple[int, int]) -> Calibration:
        rates = [
            PassRate(passed=p, n=n, invalid=0, low=0.3, high=0.9, decision="inside" if n else "undecided")
            for p, n in (plan, free)
        ]
        why = self.spoil(f"It is {verdict}.")
        return Calibration(
            slot=slot.id, content=self.content(slot), plan=rates[0], free=rates[1], verdict=verdict, why=why
        )

    def finished(self) -> "MadeSuite":
        """Every slot has its verdict: the first of a sub-topic is selected, the others are trivial."""
        calibrations, rejects = [], []
        for slot in self.slots:
            self.run(slot, "plan", "pppf")
            first = slot.level == self.spec.levels[0]
            self.run(slot, "free", "pfpfifpp" if first else "pppppppp")
            verdict = "kept" if first else "trivial"
            calibrations.append(self.calibration(slot, verdict, (3, 4), (4, 7) if first else (8, 8)))
            if not first:
                rejects.append(Reject(slot=slot.id, stage="filter", why=self.spoil("trivial: 8 of 8")))
        write_lines(self.folder.calibration, calibrations)
        write_lines(self.folder.rejects, rejects)
        write_text(self.folder.suite, "kind: suite\n")
        return self

    def repaired(self, slot: Slot) -> None:
        """A repair that led to what is on disk."""
        s = self.spoil
        diff = (
            "--- before/rubric\n+++ after/rubric\n@@ -1,2 +1,2 @@\n 1. Same.\n-2. "
            + s("Old").replace("\n", " ")
            + "\n+2. New.\n---- a line of dashes\n"
        )
        problem = DraftFinding(check="runs", artifact="rubric", field="rubric", what=s("It asks too much."))
        write_lines(
            self.folder.repairs,
            [
                RepairRow(
                    slot=slot.id,
                    round=1,
                    problems=[problem],
                    artifact="rubric",
                    diff=diff,
                    before="b" * 64,
                    after=self.content(slot),
                )
            ],
        )

    def spent(self) -> None:
        """What it cost."""
        for cost in (0.25, 0.5, None):
            append_line(self.folder.work / "spend.jsonl", msgspec.json.encode({"tokens": 1000, "cost": cost}))
        session = {
            "started": "2026-03-04T05:06:07+00:00",
            "ended": "2026-03-04T06:06:07+00:00",
            "end": self.spoil("done"),
            "roles": {"synthesizer": self.spoil("writer")},
            "answers": 3,
            "tokens": 3000,
            "cost": 0.75,
        }
        append_line(self.folder.work / "sessions.jsonl", msgspec.json.encode(session))
