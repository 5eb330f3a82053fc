"""An author whose model says what a test wants, and good drafts to begin with."""

import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from worktrial.language import Completion, JsonObject, Message
from worktrial.synthesis.artifacts import JobSpec, Reference, Slot, Statement, SubTopic, ToolDraft, WorkplaceDraft
from worktrial.synthesis.author import ModelAuthor

Json = dict[str, Any]
SPEC = JobSpec(role="returns clerk", industry="Commerce", domain="Online retail", subtopics=2)
TOPIC = SubTopic(id="refunds", title="Paying refunds", about="Checks returned goods and pays back what is due.")


@dataclass
class Model:
    """Answers with each reply in turn, the last one for good; remembers what it was asked."""

    replies: Sequence[Any] | Callable[[str, int], Any]
    prompts: list[str] = field(default_factory=list)
    corrections: list[str] = field(default_factory=list)
    """What was wrong, as the author was told."""
    salts: list[str] = field(default_factory=list)

    async def __call__(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[JsonObject] = (),
        schema: JsonObject | None = None,
        draw: int = 0,
        top_logprobs: int = 0,
        max_tokens: int | None = None,
    ) -> Completion:
        count = len(self.prompts)
        self.prompts.append(messages[0]["content"])
        self.corrections += [messages[-1]["content"]] if len(messages) > 1 else []
        if callable(self.replies):
            reply = self.replies(messages[0]["content"], count)
        else:
            reply = self.replies[min(count, len(self.replies) - 1)]
        text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
        return Completion({"role": "assistant", "content": text})


def author(model: Model) -> ModelAuthor:
    """The author that this model is."""

    def line(salt: str) -> Model:
        model.salts.append(salt)
        return model

    return ModelAuthor("scripted", line)


def slot(level: int = 2, language: str = "en") -> Slot:
    return Slot(subtopic=TOPIC, level=level, language=language)


def said(*texts: str, **citation: str) -> list[Json]:
    return [{"text": text, "citations": [citation] if citation else []} for text in texts]


def reference_draft(**citation: str) -> Json:
    return {
        "subtopic": "refunds",
        "terminology": said("A return is goods that came back.", "A refund is money paid back."),
        "workflow": said("Look the return up.", "Check the days.", "Pay or refuse.", **citation),
        "state_variables": said("status: open, paid or refused.", "days: since delivery."),
        "edge_cases": said("Day 30 is still in time.", "Opened hygiene goods are refused."),
        "constraints": said("Above 500 euros two people agree.", "A refund goes to the card that was charged."),
    }


REFERENCE = Reference(
    subtopic="refunds",
    terminology=[Statement(text="A return is goods that came back.")],
    workflow=[Statement(text="Look the return up."), Statement(text="Pay or refuse.")],
    state_variables=[Statement(text="status: open, paid or refused.")],
    edge_cases=[Statement(text="Day 30 is still in time.")],
    constraints=[Statement(text="Above 500 euros two people agree.")],
)


def by_id(**more: Json) -> Json:
    properties = {"return_id": {"type": "string", "description": "Id of the return."}, **more}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


_STATUS = {"type": "string", "enum": ["paid", "refused"], "description": "What becomes of it."}


def workplace_draft(**changed: Any) -> Json:
    return deepcopy(
        {
            "name": "Returns desk",
            "purpose": "The system of the returns desk of a shop.",
            "rules": ["A return is settled once.", "Up to 30 days are in time."],
            "errors": ['An unknown id is answered with {"error": "not_found"}.'],
            "output": ["Dates as 2026-03-02."],
            "initial_state": {
                "today": "2026-03-02",
                "returns": [
                    {"return_id": "R-1", "status": "open", "days": 30},
                    {"return_id": "R-2", "status": "open", "days": 31},
                ],
            },
            "state_description": {
                "today": "The day of the work.",
                "returns": "return_id; status: open, paid or refused; days since delivery.",
            },
            "tools": [
                {
                    "name": "get_return",
                    "description": "Look a return up.",
                    "parameters": by_id(),
                    "example_output": {"return_id": "R-1", "status": "open", "days": 30},
                    "writes": False,
                },
                {
                    "name": "settle_return",
                    "description": "Pay or refuse a return.",
                    "parameters": by_id(status=_STATUS),
                    "example_output": {"return_id": "R-1", "status": "paid"},
                    "writes": True,
                },
            ],
            **changed,
        }
    )


WORKPLACE = WorkplaceDraft(
    name="returns_desk",
    system_prompt="The system of the returns desk.",
    tools=[ToolDraft(**tool) for tool in workplace_draft()["tools"]],
    initial_state=workplace_draft()["initial_state"],
    state_description=workplace_draft()["state_description"],
)


def task_draft(**changed: Any) -> Json:
    def call(tool: str, **arguments: str) -> Json:
        return {"tool": tool, "arguments": arguments, "why": "It is next."}

    plan = [
        call("get_return", return_id="R-1"),
        call("get_return", return_id="R-2"),
        call("settle_return", return_id="R-1", status="paid"),
        call("settle_return", return_id="R-2", status="refused"),
    ]
    return {
        "instruction": "Two returns came in, R-1 and R-2. Settle both by our rules and say what became of them.",
        "plan": plan,
        "rubric": ["1. R-1 is paid.", "2. R-2 is refused.", "- The report says so."],
        **changed,
    }
