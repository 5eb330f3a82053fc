"""Whether two runs measured under the same conditions, so that what differs is the agent's doing."""

import msgspec

from worktrial.engine.manifest import NEUTRAL, NEUTRAL_DATA, Difference, Manifest, tell_apart
from worktrial.engine.roles import Role
from worktrial.language import JsonObject, JsonValue
from worktrial.options import FaultOptions
from worktrial.suite import Suite, suite_of

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
# Looked at one by one below.
_APART = frozenset({"roles", "carried_roles", "regraded", "faults", "options", "agent_prompt", "context"})
_WORKERS = (Role.AGENT.value, Role.SUB_AGENT.value)

# Where the suite writes its faults only when it matters.
_CLEAN: JsonObject = {"conditions": [{"mode": "E0"}], "prompted": False}


def comparable(first: Manifest, second: Manifest) -> list[Difference]:
    """Reasons for which two runs are not comparable; [] when they are.

    A manifest holds what can change a result, so all of it must be equal: suite, data, settings, measured options
    and the models of all roles. What need not be equal is said where it is defined: who worked, as which models,
    within which limits and on which of the tasks (`engine.manifest.NEUTRAL`), places (`NEUTRAL_DATA`), and options
    marked as neutral (`options.Flag`). A key that nobody has heard of counts. Two exceptions: how a judge was asked
    does not count where code decides; and where both agents are models they must have been told the same, and kept
    their conversations alike.
    """
    # As JSON has it, so that a manifest just made and one that was read are the same.
    both = first, second
    before, after = (msgspec.json.decode(msgspec.json.encode(_measure(manifest))) for manifest in both)
    if _CLEAN in (before["faults"], after["faults"]):
        # What made the faults of one run is no difference to a run that had none.
        for measure in (before, after):
            measure["faults"].pop("generator", None)
    for name, of_a_model in (("agent_prompt", _agent_prompt), ("context", _context)):
        kept = [of_a_model(manifest) for manifest in both]
        if None not in kept:
            before["trial"][name], after["trial"][name] = kept
    if first.same_suite(second):
        # Folders of one's own that hold the same may be called otherwise.
        after["suite"] = before["suite"]
    else:
        # What else differs between two suites says nothing.
        before, after = ({name: measure[name] for name in ("suite", "data")} for measure in (before, after))
    return list(tell_apart(before, after))


def in_words(difference: Difference) -> str:
    """A difference as it is to be read."""
    what = difference.what.partition(".")[0]
    return f"{difference} (other tasks, or another version of the suite)" if what == "data" else str(difference)


def _agent_prompt(manifest: Manifest) -> str | None:
    """SHA-256 of what the agent was told before its instruction; None where it was no model, or a suite's own text.

    Who works may differ between runs that compare. But what two models were told must not.
    """
    kept = manifest.settings.get("agent_prompt")
    return None if kept is None else str(kept["sha256"])


def _context(manifest: Manifest) -> JsonValue:
    """Rule by which the agent's conversation was kept; None where it was no model."""
    if Role.AGENT.value not in _roles(manifest.settings):
        return None
    return manifest.settings.get("context") or {"keeping": "keep"}


def _roles(settings: JsonObject) -> JsonObject:
    """Models by role; a run that judges stored work again names the roles of that work under `carried_roles`."""
    return {**settings.get("carried_roles", {}), **settings.get("roles", {})}


def _measure(manifest: Manifest) -> JsonObject:
    """Everything but the agent that a verdict depends on, by what it is about."""
    suite = suite_of(manifest)
    settings = manifest.settings if suite is None else suite.in_current_words(manifest.settings)
    others = {name: role for name, role in _roles(settings).items() if name not in _WORKERS and not _is_judge(name)}
    simulator = {**others.pop(Role.SIMULATOR.value, {}), **_some(settings, _SIMULATION)}
    held = {name: value for name, value in settings.items() if name not in {*NEUTRAL, *_APART}}
    trial = {name: value for name, value in held.items() if name not in (*_SIMULATION, *_JUDGING)}
    measure: JsonObject = {
        "suite": manifest.suite,
        "data": manifest.data.get("fingerprint"),
        **{f"data.{k}": v for k, v in manifest.data.items() if k != "fingerprint" and k not in NEUTRAL_DATA},
        "trial": trial | _options(manifest.settings, suite),
        "simulator": simulator,
        "faults": _faults(settings.get("faults")),
        "roles": others,
    }
    if (judge := judge_on_record(manifest)) is not None:
        measure["judge"] = judge
    return measure


def judge_on_record(manifest: Manifest) -> JsonObject | None:
    """Everything about the judge of a run that a verdict depends on; None where code decides."""
    suite = suite_of(manifest)
    if suite is not None and suite.decided_by_code:
        return None
    settings = manifest.settings if suite is None else suite.in_current_words(manifest.settings)
    roles = _roles(settings)
    # Of an ensemble the others sit beside the first: judge-2, judge-3, …
    others = {name: role for name, role in roles.items() if _is_judge(name) and name != Role.JUDGE.value}
    # Whose work was judged again is a matter of who worked; by which rubrics is not.
    again = {k: v for k, v in (settings.get("regraded") or {}).items() if k != "source" and v is not None}
    return {**roles.get(Role.JUDGE.value, {}), **_some(settings, _JUDGING), **others, **again}


def _is_judge(role: str) -> bool:
    return role == Role.JUDGE.value or role.startswith(f"{Role.JUDGE.value}-")


def _options(settings: JsonObject, suite: Suite | None) -> JsonObject:
    """Options that no setting has settled, but for neutral ones; those about faults are settled as conditions."""
    neutral: frozenset[str] = frozenset() if suite is None else suite.every_option.neutral()
    apart = {*settings, *_SIMULATION, *_JUDGING, *FaultOptions.model_fields, *neutral}
    return {name: value for name, value in settings.get("options", {}).items() if name not in apart}


def _faults(stored: JsonValue) -> JsonObject:
    if not stored:
        return _CLEAN
    conditions = [c if c["mode"] != "E0" else {"mode": "E0"} for c in stored["settings"]]
    if all(condition["mode"] == "E0" for condition in conditions):
        return _CLEAN
    # The order of conditions is only that of the samples.
    ordered = sorted(conditions, key=lambda c: msgspec.json.encode(c, order="sorted"))
    return {"conditions": ordered, "prompted": stored.get("prompted"), "generator": stored.get("generator")}


def _some(settings: JsonObject, names: tuple[str, ...]) -> JsonObject:
    return {name: settings[name] for name in names if name in settings}
