"""Options of a suite as one pydantic model: command-line flags, Python keywords, reference page, comparability.

A suite's options are a class that inherits from the groups here and adds fields of its own. A field's docstring is
its help text on every face; `Flag` says the rest.
"""

import ast
import inspect
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model
from pydantic.fields import FieldInfo

from worktrial.class_sources import class_source
from worktrial.errors import SettingError, option
from worktrial.places import below


@dataclass(frozen=True, slots=True)
class Flag:
    """Presentation of a field of `Options`, and whether it counts when runs are compared."""

    panel: str = "Options"
    """Heading that it stands under in help texts and on the reference page."""
    common: bool = False
    """Whether `--help` shows it; `--help-all` shows every option."""
    neutral: bool = False
    """Whether runs that differ in it compare: it cannot change a result (where a run is stored, how fast it goes,
    when it gives up), or what it changes stands in the manifest under another key. Who does not say so counts."""
    metavar: str | None = None
    """Word that stands for the value in help texts, such as `DIR`."""
    short: str | None = None
    """One-letter flag, such as `-o`."""
    default: str | None = None
    """Meaning of None in words, where the default depends on something else."""
    late: bool = False
    """Whether it stands after everything else."""
    told_as: str | None = None
    """Name of another option whose help text it shares."""


_WHO = "Who takes part"
_WHAT = "Which tasks"
_RUN = "Run"
_BUDGET = "Budgets of the run (it stops cleanly and can be resumed)"
_LIMITS = "Limits of one sample (the agent's work ends there and is judged)"
_FAULTS = "Faults"
_JUDGING = "Judging"
_AGENT = "Agent"
_DUTIES = "Duties"
_ENDPOINT = "Every role"
_FIRST = (_WHO, _WHAT)
_LAST = (_FAULTS, _DUTIES, _JUDGING, _RUN, _BUDGET, _LIMITS, _AGENT, _ENDPOINT)


def _rank(flag: Flag) -> int:
    """Place of the flag's panel: those of a suite's own stand between the two groups."""
    if flag.late:
        return len(_FIRST) + len(_LAST) + 1
    if flag.panel in _FIRST:
        return _FIRST.index(flag.panel)
    return len(_FIRST) + (_LAST.index(flag.panel) + 1 if flag.panel in _LAST else 0)


class OptionRow(NamedTuple):
    """One option with everything that a face needs to offer it."""

    name: str
    """Python keyword; the flag is `--` and the name with hyphens."""
    field: FieldInfo
    flag: Flag
    options: type[BaseModel]
    """Class that has it."""

    @property
    def about(self) -> str:
        """Help text: what the field says of itself, or its docstring."""
        return self.field.description or _documented(self.options, self.flag.told_as or self.name)


def _documented(options: type[BaseModel], name: str) -> str:
    """Docstring of a field; "" where it has none."""
    # Not by pydantic's `use_attribute_docstrings`: that reads the sources whenever the class is made.
    home = next((base for base in options.__mro__ if name in inspect.get_annotations(base)), None)
    return "" if home is None else _docstrings(home).get(name, "")


@cache
def _docstrings(options: type) -> dict[str, str]:
    found = class_source(options)
    return {
        field.target.id: inspect.cleandoc(said.value.value)
        for field, said in pairwise([] if found is None else found.body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(said, ast.Expr) and isinstance(said.value, ast.Constant) and isinstance(said.value.value, str)
    }


def _split(value: Any) -> Any:
    """List of names from `"a,b"`, `["a,b", "c"]` or `["a", "b"]`."""
    if value is None:
        return []
    parts = [value] if isinstance(value, str) else value
    if not isinstance(parts, Iterable):
        return value
    return [
        name.strip()
        for part in parts
        for name in (part.split(",") if isinstance(part, str) else [part])
        if str(name).strip()
    ]


def _joined(value: Any) -> Any:
    """Text `"1,2"` from `2`, `[1, 2]` or `"1,2"`, as on the command line."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(str(part) for part in value)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _json(value: Any) -> Any:
    """JSON text of a mapping; a text as it is."""
    return json.dumps(value) if isinstance(value, Mapping) else value


def _below(base: Path, value: Any) -> Any:
    """Paths in `value` below `base`, where they are not absolute."""
    if isinstance(value, list):
        return [_below(base, one) for one in value]
    return below(base, value) if isinstance(value, Path) else value


Names = Annotated[list[str], BeforeValidator(_split)]
"""Several names, comma-separated or repeated."""
Numbers = Annotated[str | None, BeforeValidator(_joined)]
"""One number, or several as in `1,2,4`."""
Count = Annotated[int, Field(ge=1)]
Amount = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]


class Options(BaseModel):
    """Base of every suite's options. Fields are keyword arguments in Python and flags on the command line."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        arbitrary_types_allowed=True,
        # Most groups are only inherited from.
        defer_build=True,
    )

    @classmethod
    def rows(cls) -> Iterator[OptionRow]:
        """Every option, in the order of the panels that they stand in and of their declaration."""
        rows = []
        for name, info in cls.model_fields.items():
            flag = next((said for said in info.metadata if isinstance(said, Flag)), Flag())
            rows.append(OptionRow(name, info, flag, cls))
        return iter(sorted(rows, key=lambda row: _rank(row.flag)))

    @classmethod
    def read(
        cls,
        given: Mapping[str, Any],
        *,
        suite: str,
        needs: str = "",
        lacks: Sequence[str] = (),
        base: Path | None = None,
    ) -> Self:
        """Options from a user's values; None is not given.

        Args:
            given: Values by field name.
            suite: Name of the suite, or of the command, for messages.
            needs: What has to be given, in words, and where to get it; for messages.
            lacks: What else is missing, beside options, such as `agent`.
            base: Folder that relative paths start at; None for the working directory.

        Raises:
            SettingError: there is no such option, one is missing, or a value is not of its kind.
        """
        try:
            read = cls(**{name: value for name, value in given.items() if value is not None})
        except ValidationError as e:
            # Only places and messages: a value may hold what is nobody's business.
            raise SettingError("; ".join(cls._said(suite, needs, lacks, e.errors()))) from None
        if lacks:
            raise SettingError("; ".join(cls._said(suite, needs, lacks, [])))
        if base is None:
            return read
        # Only what changes: which fields a user gave stays known.
        below = {name: (value, _below(base, value)) for name, value in read}
        return read.model_copy(update={name: new for name, (old, new) in below.items() if new != old})

    @classmethod
    def _said(cls, suite: str, needs: str, lacks: Sequence[str], errors: Sequence[Any]) -> Iterator[str]:
        missing = [*lacks, *(str(error["loc"][0]) for error in errors if error["type"] == "missing")]
        if missing:
            said = f"missing: {', '.join(option(name) for name in missing)}"
            yield f"{said}. Beside an agent, {suite} needs {needs}" if needs else said
        for error in errors:
            name = str(error["loc"][0]) if error["loc"] else "options"
            if error["type"] == "extra_forbidden":
                yield f"{option(name)}: {suite} has no such option{cls._meant(name)}"
            elif error["type"] != "missing":
                yield f"{option(name)}: {error['msg'].removeprefix('Value error, ')}"

    @classmethod
    def _meant(cls, name: str) -> str:
        near = get_close_matches(name, cls.model_fields, n=3)
        return f". Did you mean {' or '.join(option(n) for n in near)}?" if near else ""

    def shared_with(self, other: "type[Options]") -> dict[str, Any]:
        """Values of the options that `other` has, too."""
        return {name: getattr(self, name) for name in other.model_fields if hasattr(self, name)}

    def measured(self) -> dict[str, Any]:
        """Values of the options that can change a result, as JSON; for the manifest and for comparisons."""
        return self.model_dump(mode="json", exclude=set(self.neutral()))

    @classmethod
    def neutral(cls) -> frozenset[str]:
        """Names of the options in which runs that are compared may differ."""
        return frozenset(row.name for row in cls.rows() if row.flag.neutral)


class ChoiceOptions(Options):
    """Choice among a suite's tasks. None of it changes what a sample is, only which samples there are."""

    tasks: Annotated[Names, Flag(_WHAT, common=True, neutral=True, metavar="IDS")] = []
    """Tasks to take, by id or range (1-40, lab-01-05), as `worktrial list` shows them; comma-separated or
    repeated."""
    limit: Annotated[Count | None, Flag(_WHAT, common=True, neutral=True)] = None
    """Largest number of tasks: a sample in which categories and difficulties have their shares. The same each time,
    and part of every larger one."""
    shuffle: Annotated[int | None, Flag(_WHAT, neutral=True, metavar="SEED")] = None
    """Run tasks in a drawn order in which every beginning is such a sample; limit draws with this seed, too.
    Default: their own order, and seed 0."""


class TaskOptions(ChoiceOptions):
    """Choice among a suite's tasks, and how often each is done."""

    repeats: Annotated[Count, Flag(_WHAT, common=True, neutral=True)] = 1
    """Samples of each task."""


class CategoryOptions(TaskOptions):
    """Choice among tasks that have an industry."""

    category: Annotated[Names, Flag(_WHAT, neutral=True, metavar="NAMES")] = []
    """Industries to take (names, or their beginnings); comma-separated or repeated."""


class RunOptions(Options):
    """Place of the results, pace and bounds of the run. None of it can change a result."""

    output: Annotated[Path | None, Flag(_RUN, common=True, neutral=True, short="-o", metavar="DIR")] = None
    """Folder of the run, or its address in an object store (s3://BUCKET/RUN, gs://, az://, file://; needs the extra
    store); the same command with it resumes. Default: a new folder, runs/SUITE-N."""
    take_over: Annotated[bool, Flag(_RUN, neutral=True)] = False
    """Go on with a run in an object store that another machine has not let go, because it died."""
    shard: Annotated[str | None, Flag(_RUN, neutral=True, metavar="K/N")] = None
    """Take only the K-th of N shards of the samples, into a folder of its own; `worktrial merge` puts the shards
    together. Budgets and paces are those of a shard."""
    concurrency: Annotated[Count | None, Flag(_RUN, common=True, neutral=True)] = None
    """Samples in flight. Default: 16; 1 with the embedded model; 1000 with batches."""
    memory_share: Annotated[Annotated[float, Field(gt=0, le=1000)], Flag(_RUN, neutral=True, metavar="SHARE")] = 0.8
    """Part of the machine's memory that samples in flight may take together, each at its own limit; fewer run side
    by side where there is less. Over 1 trusts that few reach their limit."""
    batch: Annotated[bool, Flag(_RUN, common=True, neutral=True)] = False
    """Send what can wait a day through the provider's batch interface, at about half the price: judges' votes, and
    questions that an agent answers without tools. Ctrl-C leaves a batch in flight, and the same command goes on
    waiting for it."""
    again: Annotated[Literal["invalid"] | None, Flag(_RUN, neutral=True)] = None
    """invalid: run again the samples of a stored run that have no verdict, and no others; what broke them is said
    first."""
    max_invalid: Annotated[float, Field(ge=0, le=1), Flag(_RUN, neutral=True)] = 0.0
    """Share of invalid samples that still counts as success."""
    cache: Annotated[Path | None, Flag(_RUN, neutral=True, metavar="DIR")] = None
    """Keep every answer in this folder and use it again."""
    cache_only: Annotated[bool, Flag(_RUN, neutral=True)] = False
    """Never reach a network: answer from the cache or stop."""
    durable: Annotated[bool, Flag(_RUN, neutral=True)] = False
    """Bring each sample to the disk before it counts as stored: a power cut costs no finished sample. Without it,
    it may cost the last 16."""
    retries: Annotated[Count, Flag(_RUN, neutral=True)] = 8
    """Tries of one request that fails."""
    retry_seconds: Annotated[Amount, Flag(_RUN, neutral=True)] = 300.0
    """Waiting between the tries of one request."""
    otlp: Annotated[str | None, Flag(_RUN, neutral=True, metavar="URL")] = None
    """Send spans of every sample to this collector of OpenTelemetry, over HTTP; needs the extra otlp."""
    trace_content: Annotated[bool, Flag(_RUN, neutral=True)] = False
    """Let these spans hold messages, arguments, results and reasons, not only names, times and counts."""
    max_cost: Annotated[Amount | None, Flag(_BUDGET, common=True, neutral=True)] = None
    """US dollars."""
    max_tokens: Annotated[Count | None, Flag(_BUDGET, neutral=True)] = None
    """Tokens in and out of all roles."""
    max_minutes: Annotated[Amount | None, Flag(_BUDGET, neutral=True)] = None
    """Wall-clock minutes."""


class LimitOptions(Options):
    """Bounds of an agent's work on one sample. Part of the agent, so neutral for comparisons."""

    max_turns: Annotated[Count | None, Flag(_LIMITS, common=True, neutral=True)] = None
    """Assistant messages of the agent. Default: 60; 16 for the embedded model."""
    sample_tokens: Annotated[Count | None, Flag(_LIMITS, neutral=True)] = None
    """Tokens of the agent."""
    sample_seconds: Annotated[Amount | None, Flag(_LIMITS, neutral=True)] = None
    """Seconds of the agent's work."""
    sample_cost: Annotated[Amount | None, Flag(_LIMITS, neutral=True)] = None
    """US dollars, all roles."""


class FaultOptions(Options):
    """Faults that are injected on purpose: their kind, number and length."""

    faults: Annotated[str, BeforeValidator(_joined), Flag(_FAULTS, common=True, metavar="MODES")] = "E0"
    """E0 none; E1 calls that fail with an error; E2 answers and effects that are silently wrong; E3 half and
    half; all; or several, as E0,E2: each runs every task. prompted: ask the simulator's model to degrade
    (alone: all modes; or with modes, as prompted,E2)."""
    fault_count: Annotated[Numbers, Flag(_FAULTS, metavar="N")] = None
    """Events of a sample; 1,2,4 sweeps. Default: 2."""
    fault_duration: Annotated[Numbers, Flag(_FAULTS, metavar="N")] = None
    """Calls in a row that an event lasts; 1,2,4 sweeps. Default: 2."""
    fault_seed: Annotated[int | None, Flag(_FAULTS)] = None
    """Draws another schedule. Default: 0."""
    fault_unit: Annotated[Literal["call", "turn"] | None, Flag(_FAULTS)] = None
    """Counts events in calls, or in turns: all calls of a message. Default: call."""


class WordingOptions(Options):
    """The same work, said otherwise."""

    wordings: Annotated[bool, Flag(_FAULTS, common=True, neutral=True)] = False
    """Ask for each task a second time in other words (condition W), to see what the wording costs. Repeats take
    further wordings, where a task has more."""


class JudgingOptions(Options):
    """Way in which a judge decides."""

    votes: Annotated[Count, Flag(_JUDGING)] = 3
    """Votes of the judge on each sample; the majority decides."""
    parallel_votes: Annotated[bool, Flag(_JUDGING, neutral=True)] = False
    """Ask for all votes at once: faster, and a third dearer."""
    judge_method: Annotated[Literal["votes", "logprob"], Flag(_JUDGING)] = "votes"
    """Majority of votes, or logprob: the probability of yes on each statement of the rubric (for small models)."""
    judge_record: Annotated[Annotated[int, Field(ge=1000)] | None, Flag(_JUDGING)] = None
    """Characters of a trajectory that the judge is shown; long observations are cut in the middle. Default: 120000;
    12000 for the embedded model."""


class AgentOptions(Options):
    """Way in which an agent that is a model is offered its tools."""

    tool_mode: Annotated[Literal["native", "json"] | None, Flag(_AGENT, neutral=True)] = None
    """Native tool calls, or json: tools as a JSON Schema, for endpoints and small models without native tools.
    Default: native; json for the embedded model."""


class OwnAgentOptions(Options):
    """Surroundings of an agent of the user's own. Part of the agent, so neutral for comparisons."""

    isolate: Annotated[bool, Flag(_AGENT, neutral=True)] = False
    """Give each sample of an agent in Python a process of its own, which is killed with all that it has started
    when the sample ends: after an hour at the latest, unless there is another limit of seconds."""
    agent_memory: Annotated[Annotated[int, Field(ge=64)], Flag(_AGENT, neutral=True, metavar="MB")] = 4096
    """Megabytes that such a process may hold; Linux only."""
    answer: Annotated[str | None, Flag(_AGENT, neutral=True, metavar="text|json:FIELD")] = None
    """Place of a program's answer in what it prints: all of it, or a field of the JSON that it is."""
    agent_env: Annotated[Names, Flag(_AGENT, neutral=True, metavar="NAMES")] = []
    """Environment variables that an agent which is a program, or has a process of its own, is given beside the
    usual ones; comma-separated. A program has a home of its own, unless it is given HOME."""
    agent_file: Annotated[Names, Flag(_AGENT, neutral=True, metavar="NAME=PATH")] = []
    """Files that are copied into the home of an agent that is a program, such as .codex/config.toml=my.toml;
    comma-separated."""


class PromptOptions(Options):
    """Prompt of an agent that is a model. Neutral here, because a run's manifest keeps the text itself."""

    agent_prompt: Annotated[Path | None, Flag(_AGENT, neutral=True, metavar="FILE")] = None
    """Text that the agent is told before its instruction, in place of the standard prompt; {{ clock }} in it is the
    date and time in the workplace. The text is kept in the run, and runs with another one do not compare."""


class ContextOptions(Options):
    """Memory of an agent that is a model. Neutral here, because a run's manifest keeps what was chosen."""

    context: Annotated[Literal["keep", "trim", "summarise"], Flag(_AGENT, neutral=True)] = "keep"
    """keep: every request holds the whole conversation. trim: where it nears the bound, the oldest results of tools
    give way to a stub that names the call. summarise: as trim, and the model keeps notes of its own with a tool;
    they are shown again after each trim. Runs that differ in it do not compare."""
    context_tokens: Annotated[Annotated[int, Field(ge=1000)] | None, Flag(_AGENT, neutral=True, metavar="N")] = None
    """Bound for trim and summarise: tokens of conversation and answer together. Default: what the price list says
    that the model holds; 8192 for the embedded one; 32000 where it is unknown."""


class DutyOptions(Options):
    """Duties of an agent beside its task. Neutral here, because a run's manifest keeps what was chosen."""

    policy: Annotated[Path | None, Flag(_DUTIES, neutral=True, metavar="FILE")] = None
    """Rules that every call is held against, and a budget for each task; see the page *Duties and policies*.
    Violations are recorded, and where the policy says so refused. Runs under other policies do not compare."""


class HumanOptions(DutyOptions):
    """Duties, and a human to ask."""

    request_human: Annotated[bool, Flag(_DUTIES, neutral=True)] = False
    """Offer a tool that asks a human, and check whether one was asked where a task says that one must, or must not,
    be. Runs with and without it do not compare."""


class EndpointOptions(Options):
    """Addresses, keys and pace of models. Once for all roles, and once for each as `judge_base_url` (`with_roles`).

    Neutral here, because a run's manifest keeps what of it can change a result role by role.
    """

    base_url: Annotated[str | None, Flag(_ENDPOINT, common=True, neutral=True, metavar="URL")] = None
    """Address of an endpoint, OpenAI-compatible unless another wire is named, e.g. http://localhost:8000/v1."""
    wire: Annotated[str | None, Flag(_ENDPOINT, neutral=True, metavar="NAME")] = None
    """Wire that the endpoint at that address speaks: anthropic, gemini, responses. Default: chat completions."""
    api_key_env: Annotated[str | None, Flag(_ENDPOINT, common=True, neutral=True, metavar="NAME")] = None
    """Environment variable that holds the key. The key itself is never stored."""
    temperature: Annotated[Amount | None, Flag(_ENDPOINT, neutral=True)] = None
    """Sampling temperature."""
    effort: Annotated[str | None, Flag(_ENDPOINT, neutral=True, metavar="LEVEL")] = None
    """Reasoning effort, in the provider's words (e.g. low, medium, high)."""
    output_tokens: Annotated[Count | None, Flag(_ENDPOINT, neutral=True)] = None
    """Output tokens of one request."""
    token_parameter: Annotated[
        Literal["max_tokens", "max_completion_tokens"] | None, Flag(_ENDPOINT, neutral=True)
    ] = None
    """Name by which the endpoint knows that limit."""
    structured: Annotated[Literal["auto", "schema", "off"] | None, Flag(_ENDPOINT, neutral=True)] = None
    """JSON Schema output: auto gives it up where the endpoint answers only without it."""
    stream: Annotated[Literal["auto", "on", "off"] | None, Flag(_ENDPOINT, neutral=True)] = None
    """Streamed answers: auto streams where long thinking is asked for (effort high or more), or where the endpoint
    serves nothing else."""
    timeout: Annotated[Annotated[float, Field(ge=1)] | None, Flag(_ENDPOINT, neutral=True)] = None
    """Seconds to wait for one answer; of a streamed one, for its next piece. Default: 600."""
    max_reply: Annotated[Annotated[float, Field(gt=0)] | None, Flag(_ENDPOINT, neutral=True, metavar="MB")] = None
    """Megabytes of one answer; a larger one is refused. Default: 16."""
    requests: Annotated[Count | None, Flag(_ENDPOINT, neutral=True)] = None
    """Requests in flight."""
    rpm: Annotated[Annotated[float, Field(ge=0.01)] | None, Flag(_ENDPOINT, neutral=True)] = None
    """Requests per minute."""
    tpm: Annotated[Count | None, Flag(_ENDPOINT, neutral=True)] = None
    """Tokens per minute, in and out."""
    price: Annotated[Numbers, Flag(_ENDPOINT, neutral=True, metavar="IN,OUT")] = None
    """US dollars per million input and output tokens, for a model off the price list; then of input that the
    provider had cached and of input that it caches (IN,OUT,READ,WRITTEN)."""
    extra: Annotated[str | None, BeforeValidator(_json), Flag(_ENDPOINT, neutral=True, metavar="JSON")] = None
    """Further fields of the request body, as JSON."""


_Kind = TypeVar("_Kind", bound=Options)


def with_roles(options: type[_Kind], roles: Sequence[str]) -> type[_Kind]:
    """`options` and, for each of `roles`, every field of `EndpointOptions`, its name after the role's.

    Args:
        options: Options of a suite, `EndpointOptions` among their bases.
        roles: Names of roles, such as `sub-agent`; in field names with underscores.
    """
    fields: dict[str, Any] = {}
    for role in roles:
        for row in EndpointOptions.rows():
            flag = replace(row.flag, panel=f"Only the {role}", common=False, late=True, told_as=row.name)
            annotation: Any = row.field.annotation
            for said in (*_but_flag(row.field.metadata), flag):
                annotation = Annotated[annotation, said]
            fields[f"{role.replace('-', '_')}_{row.name}"] = (annotation, None)
    return create_model(options.__name__, __base__=options, __module__=options.__module__, **fields)


def _but_flag(metadata: Sequence[Any]) -> list[Any]:
    return [said for said in metadata if not isinstance(said, Flag)]
