"""Operations of a correction on one step. Each says when the step is not what it was made for."""

import json
import re
from dataclasses import dataclass, replace
from typing import Protocol

from worktrial.outside.yaml_nodes import BadYaml
from worktrial.outside.yaml_text import load_yaml
from worktrial.suites.orchestration.planning.scenario import RefusalType, StepRecord

_INFO_KEYS = {
    RefusalType.AWAITING_USER_INPUT: "required_info",
    RefusalType.TOOL_CONSTRAINT_VIOLATION: "violation_message",
}
_INFO = re.compile(r"\A\s*status\s*:[^\n]*\n\s*(?:required_info|violation_message)\s*:")


class DoesNotFit(ValueError):
    """The step is not what the correction was made for; the message says how it differs."""


class Operation(Protocol):
    """One change to one step."""

    def __call__(self, record: StepRecord) -> StepRecord:
        """The step as it should be.

        Raises:
            DoesNotFit: the step is not what the correction was made for.
        """
        ...


@dataclass(frozen=True, slots=True)
class ReplaceText:
    """Put `new` in place of `old`, which is in the text exactly `times` times."""

    old: str
    new: str
    times: int = 1

    def __call__(self, record: StepRecord) -> StepRecord:
        """Mended step; see `Operation`."""
        text = _text(record)
        found = text.count(self.old)
        if found != self.times:
            raise DoesNotFit(f"{self.old!r} is there {found} times, not {self.times}")
        return replace(record, text=text.replace(self.old, self.new))


@dataclass(frozen=True, slots=True)
class ChangeAgent:
    """The step is `new`'s, not `old`'s."""

    old: str
    new: str

    def __call__(self, record: StepRecord) -> StepRecord:
        """Mended step; see `Operation`."""
        if record.agent != self.old:
            raise DoesNotFit(f"its agent is {record.agent!r}, not {self.old!r}")
        return replace(record, agent=self.new)


@dataclass(frozen=True, slots=True)
class ChangeWorkflow:
    """The step is done for workflow `new`, not `old`."""

    old: str
    new: str

    def __call__(self, record: StepRecord) -> StepRecord:
        """Mended step; see `Operation`."""
        if record.workflow != self.old:
            raise DoesNotFit(f"its workflow is {record.workflow!r}, not {self.old!r}")
        return replace(record, workflow=self.new)


@dataclass(frozen=True, slots=True)
class RenameKeys:
    """Give keys at the top of the text their usual name."""

    names: dict[str, str]

    def __call__(self, record: StepRecord) -> StepRecord:
        """Mended step; see `Operation`."""
        text = _text(record)
        for old, new in self.names.items():
            if re.search(rf"^{re.escape(new)}\s*:", text, re.MULTILINE):
                raise DoesNotFit(f"it has the key {new!r} already")
            text, found = re.subn(rf"^{re.escape(old)}(?=\s*:)", new, text, flags=re.MULTILINE)
            if found != 1:
                raise DoesNotFit(f"the key {old!r} is at its top {found} times, not once")
        return replace(record, text=text)


@dataclass(frozen=True, slots=True)
class Unlist:
    """Take the one call of a bare list out of the list."""

    def __call__(self, record: StepRecord) -> StepRecord:
        """Mended step; see `Operation`."""
        first, *rest = _text(record).split("\n")
        if not first.startswith("- ") or any(line.strip() and not line.startswith("  ") for line in rest):
            raise DoesNotFit("it is not a bare list of one call")
        return replace(record, text="\n".join([first[2:], *(line[2:] for line in rest)]))


@dataclass(frozen=True, slots=True)
class DropRepeats:
    """Drop keys at the top of the text that repeat an earlier one word for word."""

    def __call__(self, record: StepRecord) -> StepRecord:
        """Mended step; see `Operation`."""
        blocks = re.split(r"^(?=\S)", _text(record), flags=re.MULTILINE)
        kept = list(dict.fromkeys(blocks))
        if len(kept) == len(blocks):
            raise DoesNotFit("no key at its top is repeated word for word")
        return replace(record, text="".join(kept))


@dataclass(frozen=True, slots=True)
class WriteRefusal:
    """Put a refusal into its usual form: the status tag, then what is missing or not possible."""

    type: RefusalType

    def __call__(self, record: StepRecord) -> StepRecord:
        """Mended step; see `Operation`."""
        text = _text(record)
        try:
            value = load_yaml(text, where="content").value
        except BadYaml:
            value = None
        if isinstance(value, dict):
            raise DoesNotFit("it is a mapping already")
        info = _INFO.sub("", text, count=1).strip()
        # Some end in the name of the key once more.
        info = info.removesuffix(f"{_INFO_KEYS[self.type]}:").strip()
        line = f"{_INFO_KEYS[self.type]}: {json.dumps(info, ensure_ascii=False)}"
        return replace(record, text=f"status: {self.type.value}\n{line}")


@dataclass(frozen=True, slots=True)
class SupplyCall:
    """Put a call before a result that has none; the result repeats the arguments under `data`."""

    tool: str
    arguments: list[str]
    """Keys of the result's `data` that are the arguments."""

    def __call__(self, record: StepRecord) -> StepRecord:
        """Mended step; see `Operation`."""
        text = _text(record)
        try:
            value = load_yaml(text, where="content").value
        except BadYaml as e:
            raise DoesNotFit(f"it does not parse: {e.why}") from None
        if not isinstance(value, dict) or list(value) != ["tool_call_result"]:
            raise DoesNotFit("it is not a result alone")
        data = value["tool_call_result"].get("data") if isinstance(value["tool_call_result"], dict) else None
        if not isinstance(data, dict) or not all(key in data for key in self.arguments):
            raise DoesNotFit(f"its result does not repeat {', '.join(self.arguments)}")
        lines = [f"  {key}: {json.dumps(data[key], ensure_ascii=False)}" for key in self.arguments]
        return replace(record, text="\n".join([f"tool: {self.tool}", "arguments:", *lines, text]))


@dataclass(frozen=True, slots=True)
class LeaveOut:
    """Ask no model for the step."""

    starts: str
    """Beginning of the step's text."""

    def __call__(self, record: StepRecord) -> StepRecord:
        """Mended step; see `Operation`."""
        if not _text(record).startswith(self.starts):
            raise DoesNotFit(f"it does not begin with {self.starts!r}")
        return replace(record, left_out="left out")


def _text(record: StepRecord) -> str:
    if record.text is None:
        raise DoesNotFit("it holds no text")
    return record.text
