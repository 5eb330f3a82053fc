"""Whether two runs measured under the same conditions, so that what differs is the agent's doing."""

import msgspec

from worktrial.agents.prompting import EARLIER_PROMPT
from worktrial.engine.manifest import Difference, Manifest, tell_apart
from worktrial.language import JsonObject, JsonValue
from worktrial.suite import suite_of

_SIMULATION = (
    "memory",
    "expected_calls",
    "simulator_context",
    "simulator_prompt",
    "simulator_facts",
    "simulator_version",
    "clock",
)
_JUDGING = ("votes", "judge_method", "judge_record")
_FAULTS = ("faults", "fault_count", "fault_duration", "fault_seed", "fault_unit")
# Choices among what the agent is given to do and how that is scored, in runs that do not name their options.
_TRIAL = ("with_plan", "setup", "scorer", "tolerance", "mode", "gold", "cards", "prompts")

# In runs from before there was the setting, and where the suite writes it only when it matters.
_CLEAN: JsonObject = {"conditions": [{"mode": "E0"}], "prompted": False}


def comparable(first: Manifest, second: Manifest) -> list[Difference]:
    """Reasons for which two runs are not comparable; [] when they are.

    Reasons are another suite, other data (by its fingerprint), another trial of the same data (what the agent is
    given, what scores it), another simulator (its model with its settings, its memory and prompt, the clock of
    tasks without a date), another way to the verdict (the judge with its
    settings, the number of votes and the method, replaced rubrics), and other faults (modes, counts, durations,
    seed, unit, prompted or scheduled, the version of what makes them); and, where both agents are models, another
    prompt. Who worked, with which limits, on which
    of the tasks, and whether votes were cast in parallel does not count.
    """
    # As JSON has it, so that a manifest just made and one that was read are the same.
    both = first, second
    named = all("options" in manifest.settings for manifest in both)
    before, after = (msgspec.json.decode(msgspec.json.encode(_measure(m, by_options=named))) for m in both)
    if _CLEAN in (before["faults"], after["faults"]):
        # What made the faults of one run is no difference to a run that had none.
        for measure in (before, after):
            measure["faults"].pop("generator", None)
    told = [_agent_prompt(manifest) for manifest in both]
    if None not in told:
        before["trial"]["agent_prompt"], after["trial"]["agent_prompt"] = told
    return list(tell_apart(before, after))


def _agent_prompt(manifest: Manifest) -> str | None:
    """SHA-256 of what the agent was told before its instruction; None where it was no model, or a suite's own text.

    Who works may differ between runs that compare. But what two models were told must not.
    """
    if kept := manifest.settings.get("agent_prompt"):
        return str(kept["sha256"])
    suite = suite_of(manifest.suite)
    roles = {**manifest.settings.get("carried_roles", {}), **manifest.settings.get("roles", {})}
    has_prompt = suite is not None and "agent_prompt" in suite.options.model_fields
    return EARLIER_PROMPT if has_prompt and "agent" in roles else None


def _measure(manifest: Manifest, *, by_options: bool) -> JsonObject:
    """Everything but the agent that a verdict depends on.

    Args:
        manifest: Of a run.
        by_options: Whether the run names the options that can change a result; else they are known by a list.
    """
    suite = suite_of(manifest.suite)
    settings = manifest.settings if suite is None else suite.in_current_words(manifest.settings)
    # A run that judges stored work again names the roles of that work under `carried_roles`.
    roles = {**settings.get("carried_roles", {}), **settings.get("roles", {})}
    measure: JsonObject = {
        "suite": manifest.suite,
        "data": manifest.data.get("fingerprint"),
        "trial": _trial(settings, by_options=by_options),
        "simulator": {**roles.get("simulator", {}), **_some(settings, _SIMULATION)},
        "faults": _faults(settings.get("faults")),
    }
    if suite is None or not suite.decided_by_code:
        rubrics = (settings.get("regraded") or {}).get("rubrics")
        judge = {**roles.get("judge", {}), **_some(settings, _JUDGING)}
        # Of an ensemble the others sit beside the first: judge-2, judge-3, …
        others = {name: role for name, role in roles.items() if name.startswith("judge-")}
        measure["judge"] = {**judge, **others, **({"rubrics": rubrics} if rubrics else {})}
    return measure


def _trial(settings: JsonObject, *, by_options: bool) -> JsonObject:
    if by_options:
        # The others are compared by what came of them: as roles, judge and fault conditions.
        apart = {*_SIMULATION, *_JUDGING, *_FAULTS}
        trial = {name: value for name, value in settings["options"].items() if name not in apart}
        trial |= _some(settings, ("prompts",))
    else:
        # In runs from before there was the setting, no plan was shown.
        trial = {"with_plan": False, **_some(settings, _TRIAL)}
    if version := settings.get("scorer_version"):
        # A release of ours with the same scorers scores the same.
        trial["scorers"] = str(version).rpartition("+")[2]
    return trial


def _faults(stored: JsonValue) -> JsonObject:
    if not stored:
        return _CLEAN
    conditions = [c if c["mode"] != "E0" else {"mode": "E0"} for c in stored["settings"]]
    if all(condition["mode"] == "E0" for condition in conditions):
        return _CLEAN
    # The order of conditions is only that of the samples.
    ordered = sorted(conditions, key=lambda c: msgspec.json.encode(c, order="sorted"))
    # Runs from before there was a number were made by the first version.
    return {
        "conditions": ordered,
        "prompted": stored.get("prompted", False),
        "generator": stored.get("generator", 1),
    }


def _some(settings: JsonObject, names: tuple[str, ...]) -> JsonObject:
    return {name: settings[name] for name in names if name in settings}
