"""Identity of a trial: suite, data and settings that can change a result, and how two of them differ.

It says whether a command goes on with a stored run, whether shards are of one run, which runs compare, and whether
a pinned baseline is what it was.
"""

from collections.abc import Container, Iterator
from dataclasses import dataclass
from hashlib import sha256

import msgspec

from worktrial.engine.manifest import Manifest
from worktrial.engine.roles import Role
from worktrial.language import JsonObject, JsonValue
from worktrial.options import FaultOptions

# Keys of `Manifest.data` that are places or names, or say where code ran. What lay there has a fingerprint.
_PLACES = frozenset({"folder", "archive", "source_run", "trusted", "title", "kind"})
# What differences are named after; a setting that is in none of these is one of the trial.
_SIMULATION = (
    "memory",
    "expected_calls",
    "simulator_context",
    "simulator_prompt",
    "simulator_facts",
    "simulator_version",
    "clock",
)
_JUDGING = ("votes", "judge_method", "judge_record", "judge_prompt")
_AGENT = ("agent", "sub_agent", "limits", "context_tokens")
_SAMPLES = ("tasks", "repeats")
# Read one by one below, but for the last: votes that are asked for at once are the same votes.
_APART = ("roles", "carried_roles", "regraded", "faults", "options", "agent_prompt", "context", "parallel_votes")
_WORKERS = (Role.AGENT.value, Role.SUB_AGENT.value)
CODE = "code"
"""Value of the setting `decided_by` where code decides and a judge only says what it thinks."""

# Parts that say who worked on what; runs that differ in them compare.
_WHO_AND_WHAT = frozenset({"agent", "samples", "work", "shard"})
_CLEAN: JsonObject = {"conditions": {"E0": [{}]}, "prompted": False}


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing in which two identities differ."""

    what: str
    """Dotted path, such as `simulator.temperature`."""
    first: JsonValue
    """Value in the first; None where it has nothing of the kind."""
    second: JsonValue
    """Value in the second; likewise."""

    def __str__(self) -> str:
        because = " (other tasks, or another version of the suite)" if self.what == "data" else ""
        return f"{self.what}: {_short(self.first)} -> {_short(self.second)}{because}"


@dataclass(frozen=True, slots=True)
class TrialIdentity:
    """Everything in a manifest that can change a result."""

    own: bool
    """Whether the suite is a folder of one's own, which may be called otherwise and hold the same."""
    parts: JsonObject
    """Settings by what they are about: `suite`, `data`, `trial`, `simulator`, `faults`, `judge`, `roles` (other
    models), `agent` (who worked, within which limits), `samples` (tasks and repeats), `work` (that was judged
    again) and `shard`. A setting that nobody has heard of is one of `trial`."""

    @classmethod
    def of(cls, manifest: Manifest) -> "TrialIdentity":
        """Identity of a run, or of one that is about to begin."""
        settings, roles = manifest.settings, manifest.roles
        judges = {name: role for name, role in roles.items() if _is_judge(name)}
        others = {name: role for name, role in roles.items() if name not in _WORKERS and name not in judges}
        apart = {*_SIMULATION, *_JUDGING, *_AGENT, *_SAMPLES, *_APART}
        # Options that no setting has settled. Those about faults are settled as conditions.
        settled = {*settings, *apart, *FaultOptions.model_fields}
        options = {name: value for name, value in settings.get("options", {}).items() if name not in settled}
        # Whose work was judged again is a matter of who worked; by which rubrics is not.
        again = {k: v for k, v in (settings.get("regraded") or {}).items() if v is not None}
        work = {"source": again.pop("source")} if "source" in again else {}
        parts: JsonObject = {
            "suite": manifest.suite,
            "data": manifest.data.get("fingerprint"),
            **{f"data.{k}": v for k, v in manifest.data.items() if k != "fingerprint" and k not in _PLACES},
            "trial": {name: value for name, value in settings.items() if name not in apart} | options,
            "simulator": {**others.pop(Role.SIMULATOR.value, {}), **_some(settings, _SIMULATION)},
            "faults": _faults(settings.get("faults")),
            # Of an ensemble the others sit beside the first: judge-2, judge-3, …
            "judge": {**judges.pop(Role.JUDGE.value, {}), **_some(settings, _JUDGING), **judges, **again},
            "roles": others,
            "agent": {
                **_some(settings, _AGENT),
                **{name.replace("agent", "model"): roles[name] for name in _WORKERS if name in roles},
                **_told(settings, roles),
            },
            "samples": _some(settings, _SAMPLES),
            "work": work,
            **({} if manifest.shard is None else {"shard": str(manifest.shard)}),
        }
        # As JSON has it, so that a manifest just made and one that was read are the same.
        return cls("kind" in manifest.data, msgspec.json.decode(msgspec.json.encode(parts)))

    @property
    def judge(self) -> JsonObject | None:
        """Everything about the judge that a verdict depends on; None where code decides."""
        judge: JsonObject = self.parts["judge"]
        return None if not judge or self.parts["trial"].get("decided_by") == CODE else judge

    @property
    def digest(self) -> str:
        """SHA-256 of all of it."""
        return sha256(msgspec.json.encode(self.parts, order="sorted")).hexdigest()

    def is_same_suite(self, other: "TrialIdentity") -> bool:
        """Whether both are of one suite: that of a name; of folders of one's own those that hold the same."""
        one, two = self.parts, other.parts
        return one["suite"] == two["suite"] or (self.own and other.own and one["data"] == two["data"] is not None)

    def differences(self, other: "TrialIdentity", *, but: Container[str] = ()) -> list[Difference]:
        """Everything in which the two differ, each where it lies deepest; [] when they are of one run.

        Args:
            other: The second.
            but: Names of parts that do not count.
        """
        before, after = ({k: v for k, v in side.parts.items() if k not in but} for side in (self, other))
        if not self.is_same_suite(other):
            # What else differs between two suites says nothing.
            before, after = ({name: side.parts[name] for name in ("suite", "data")} for side in (self, other))
        else:
            after["suite"] = before["suite"]
        faults = before.get("faults", _CLEAN), after.get("faults", _CLEAN)
        if _CLEAN in faults and faults[0] != faults[1]:
            # What made the faults of one run is no difference to a run that had none.
            for side in (before, after):
                side["faults"] = {name: value for name, value in side["faults"].items() if name != "generator"}
        return list(tell_apart(before, after))

    def obstacles(self, other: "TrialIdentity") -> list[Difference]:
        """Reasons for which two runs are not comparable; [] when what differs is the agent's doing.

        All must be equal but who worked, as which models, within which limits and on which of the tasks. A fault
        mode that only one of them tried is no obstacle where they share another. Two exceptions: a judge does not
        count where code decides; and where both agents are models they must have been told the same, and kept their
        conversations alike.
        """
        left = {*_WHO_AND_WHAT} if self.judge is not None or other.judge is not None else {*_WHO_AND_WHAT, "judge"}
        found = self.differences(other, but=left)
        if not self.is_same_suite(other):
            return found
        modes = [side.parts["faults"]["conditions"].keys() for side in (self, other)]
        if modes[0] & modes[1]:
            alone = {f"faults.conditions.{mode}" for mode in modes[0] ^ modes[1]}
            found = [difference for difference in found if difference.what not in alone]
        one, two = self.parts["agent"], other.parts["agent"]
        both = [name for name in ("prompt", "context") if name in one and name in two]
        return found + list(tell_apart(_some(one, both), _some(two, both), "agent"))


def comparable(first: Manifest, second: Manifest) -> list[Difference]:
    """Reasons for which two runs are not comparable; see `TrialIdentity.obstacles`."""
    return TrialIdentity.of(first).obstacles(TrialIdentity.of(second))


def _told(settings: JsonObject, roles: JsonObject) -> JsonObject:
    """Prompt on record of an agent that is a model, and the rule by which it keeps its conversation."""
    prompt = settings.get("agent_prompt")
    context = {"context": settings.get("context") or {"keeping": "keep"}} if Role.AGENT.value in roles else {}
    return context if prompt is None else {**context, "prompt": prompt["sha256"]}


def _is_judge(role: str) -> bool:
    return role == Role.JUDGE.value or role.startswith(f"{Role.JUDGE.value}-")


def _faults(stored: JsonValue) -> JsonObject:
    """Settings of each mode; their order is only that of the samples."""
    if not stored:
        return _CLEAN
    modes: dict[str, list[JsonObject]] = {}
    for condition in stored["settings"]:
        settings = {} if condition["mode"] == "E0" else {k: v for k, v in condition.items() if k != "mode"}
        modes.setdefault(condition["mode"], []).append(settings)
    if modes.keys() == {"E0"}:
        return _CLEAN
    ordered = {
        mode: sorted(found, key=msgspec.json.Encoder(order="sorted").encode) for mode, found in modes.items()
    }
    return {"conditions": ordered, "prompted": stored.get("prompted"), "generator": stored.get("generator")}


def _some(settings: JsonObject, names: Container[str]) -> JsonObject:
    return {name: value for name, value in settings.items() if name in names}


def tell_apart(first: JsonValue, second: JsonValue, what: str = "") -> Iterator[Difference]:
    """Differences between two values, each where it lies deepest; `what` is the dotted path of both."""
    if isinstance(first, dict) and isinstance(second, dict):
        for key in first | second:
            yield from tell_apart(first.get(key), second.get(key), f"{what}.{key}" if what else key)
    elif first != second:
        yield Difference(what, first, second)


def _short(value: JsonValue) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 80 else f"{text[:77]}..."
