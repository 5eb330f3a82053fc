"""The options of a trial that is started from Python: those of `worktrial run SUITE`, with underscores."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from worktrial.engine.role_values import ROLE_VALUES
from worktrial.errors import SettingError

_ROLE_PREFIXES = ("sub_agent_", "agent_", "simulator_", "judge_", "")


def _split(value: Any) -> Any:
    """`"a,b"` and `["a", "b"]` are the same."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return value


def _joined(value: Any) -> Any:
    """`2`, `[1, 2]` and `"1,2"` as on the command line."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(str(part) for part in value)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Names = Annotated[list[str], BeforeValidator(_split)]
Texts = Annotated[str | None, BeforeValidator(_joined)]
Count = Annotated[int, Field(ge=1)]
Amount = Annotated[float, Field(ge=0)]


class _Options(BaseModel):
    """What every suite has."""

    model_config = ConfigDict(extra="forbid", strict=False, arbitrary_types_allowed=True)

    limit: Count | None = None
    """At most so many tasks."""
    repeats: Count = 1
    """Samples of each task."""
    tasks: Names = []
    """Only these ids."""
    tool_mode: Literal["native", "json"] | None = None
    concurrency: Count | None = None
    """Samples in flight. Default: 16, or 1 with the embedded model."""
    cache: Path | None = None
    cache_only: bool = False
    retries: Count = 8
    retry_seconds: Amount = 300.0
    max_cost: Amount | None = None
    max_tokens: Count | None = None
    max_minutes: Amount | None = None


class _AtWork(_Options):
    """What suites have whose agents call tools."""

    max_turns: Count | None = None
    sample_tokens: Count | None = None
    sample_seconds: Amount | None = None
    sample_cost: Amount | None = None
    faults: Texts = "E0"
    fault_count: Texts = None
    fault_duration: Texts = None
    fault_seed: int | None = None
    fault_unit: Literal["call", "turn"] | None = None


class StarterOptions(_AtWork):
    """`worktrial run starter`."""

    category: Names = []
    judge: str | None = None
    votes: Count = 3
    parallel_votes: bool = False
    judge_method: Literal["votes", "logprob"] = "votes"
    judge_record: Annotated[int, Field(ge=1000)] | None = None


class OccupationsOptions(StarterOptions):
    """`worktrial run occupations`."""

    data: Path
    simulator: str
    judge: str
    with_plan: bool = False
    memory: Literal["history", "ledger"] = "history"
    simulator_prompt: Literal["full", "compact"] | None = None


class DocumentsOptions(_AtWork):
    """`worktrial run documents`."""

    questions: Path | None = None
    archive: Path | None = None
    setup: Literal["closed", "oracle-pages", "oracle-docs", "archive"] = "archive"
    difficulty: Names = []
    kind: Names = []
    images: bool = False
    python: Literal["sandboxed", "unsafe", "none"] = "sandboxed"
    """Whether the agent has a tool that runs Python, and how."""
    scorer: Literal["published", "ours", "official", "strict"] = "published"
    tolerance: Annotated[float, Field(ge=0, le=1)] = 0.0


class OrchestrationOptions(_Options):
    """`worktrial run orchestration`, turn by turn."""

    data: Path | None = None
    language: Literal["en", "ko", "both"] = "both"
    sub_agent: Any = None
    """Who plays the domain agents, if someone else: as the agent, a text or a function."""
    gold: Literal["released", "corrected"] = "released"
    cards: Literal["full", "compact"] | None = None
    bound: Annotated[float, Field(gt=0)] = 1.0


def read_options(kind: type[_Options], suite: str, given: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The suite's own options, and the values for its roles by the names that `settings_for` reads.

    Raises:
        SettingError: there is no such option, or a value is not of its kind.
    """
    roles = {name: value for name, value in given.items() if _role_value(name) is not None}
    try:
        options = kind(**{name: value for name, value in given.items() if name not in roles})
    except ValidationError as e:
        # Only places and messages: a value may hold what is nobody's business.
        said = [_said(kind, suite, error["loc"], error["type"], error["msg"]) for error in e.errors()]
        raise SettingError("; ".join(said)) from None
    texts = {name: _role_text(_role_value(name), value) for name, value in roles.items()}
    return options, {**texts, "tool_mode": options.tool_mode}


def _role_value(name: str) -> str | None:
    for prefix in _ROLE_PREFIXES:
        if name.startswith(prefix) and name.removeprefix(prefix) in ROLE_VALUES:
            return name.removeprefix(prefix)
    return None


def _role_text(name: str | None, value: Any) -> Any:
    if name == "price":
        return _joined(value)
    if name == "extra" and isinstance(value, Mapping):
        return json.dumps(value)
    return value


def _said(kind: type[_Options], suite: str, place: tuple[int | str, ...], error: str, message: str) -> str:
    name = ".".join(str(part) for part in place)
    if error == "extra_forbidden":
        return f"{name}: the suite {suite} has no such option. There is: {', '.join(sorted(kind.model_fields))}"
    if error == "missing":
        return f"{name}: the suite {suite} needs it"
    return f"{name}: {message}"
