"""Effect of a tool's call on its workplace: whether an answer may be given again from memory.

The rules read a tool's name, description and parameters. They err to one side: what they call a read is one, and
what they are not sure of is `UNKNOWN`, which costs a request but never an answer that is out of date.
"""

import re
from enum import StrEnum

from worktrial.language import JsonObject, JsonValue

_LOOKS = (
    "get|fetch|list|read|view|show|retrieve|query|lookup|look|search|find|describe|inspect|browse|compare|count|"
    "check|scan|locate|identify|observe|trace|calculate|compute|estimate|forecast|explain"
)
_CHANGES = (
    "accept|activate|add|adjust|administer|advance|allocate|amend|append|apply|approve|archive|assign|authorize|"
    "block|book|calibrate|cancel|change|charge|clean|clear|close|commit|complete|configure|consolidate|create|"
    "deactivate|decommission|delete|deliver|deploy|disable|discharge|dispatch|dispense|drop|edit|enable|enroll|"
    "enter|equip|escalate|finalize|flag|flush|freeze|grant|harvest|implement|increment|initialize|initiate|insert|"
    "install|isolate|issue|launch|liquidate|load|lock|log|mark|merge|migrate|modify|move|order|override|park|patch|"
    "pay|pick|pickup|place|post|prescribe|promote|provision|publish|purchase|purge|push|reallocate|realign|reboot|"
    "recharge|record|redact|refill|refund|refuel|register|reject|release|remediate|remove|rename|renew|reorganize|"
    "repair|replace|reschedule|reserve|reset|resolve|restart|restore|revoke|rollback|save|schedule|seat|send|set|"
    "ship|shutdown|sign|skip|stabilize|stage|start|step|stop|store|submit|suspend|sync|synchronize|terminate|toggle|"
    "transfer|transition|transport|trigger|undo|unload|unlock|update|upgrade|upload|use|vent|void|wait|withdraw|write"
)
_READING = re.compile(rf"(?:{_LOOKS})(?:_|$)")
_WRITING = re.compile(rf"(?:{_CHANGES})(?:_|$)")
# Descriptions are read in lower case, which is quicker than patterns that ignore case.
_SAYS_READING = re.compile(
    r"(?:retrieve|fetch|return|list|get|show|display|view|look|query|queries|read|search|find|inspect|provide|check|"
    r"scan|locate|identifie|identify|calculate|compute|estimate|describe|browse|compare|count|forecast|explain|"
    r"access|quantifie|determine|filter)(?:s|es)?\b"
)
# A reading tool whose description speaks of these may do something besides.
_SIDE_EFFECT = re.compile(
    r"\b(?:updat|modif|increment|decrement|consum|deduct|trigger|refresh|re-?calculates?|acknowledg|deplet|transition"
    r"|populat|simulat(?:es?|ing) (?!time|clock|date)|resolves?\b|replac|redact|"
    r"(?:and|then|also) (?:log|mark|lock|reserv|set|sav|stor|generat|creat|appl|assign|advanc|record|flag|clear|"
    r"notif|send)|is logged|marks\b|locks\b|unlocks?\b|reserves\b|advances\b|spends?\b|submits?\b|assigns\b|"
    r"creates\b|saves\b|stores (?:the|it|a)\b|commits\b|writes\b|applies\b|executes\b|costs? \d|takes \d|"
    r"first call|each call|next (?:item|event|page)|into (?:the|a) \w*(?:buffer|cache|set|session)\b)"
)
# Answers of these may differ from one moment to the next without any call in between.
_MOVING = re.compile(
    r"real[- ]?time|\blive\b|telemetr|sensor|\bpoll|\bclock\b|random|\bstream|\bprogress\b|instantaneous|"
    r"\breadings?\b|heartbeat|\bmonitor|\blatest\b|\bmost recent\b|\bso far\b|\btime elapsed\b|\belapsed|"
    r"\b(?:current|simulation|simulated|system|mission|game|world)[ _](?:\w+ )?(?:time|date|timestamp)\b|"
    r"\bnew (?:messages|events|alerts|emails)\b|\b(?:job|task|build|deployment|sync\w*)[ _]status"
)


# A look needs no such argument.
_WRITING_ARGUMENT = re.compile(
    r"(?:new|updated?)_\w+|content|body|message|command|commands|operation|action|value|payload|patch|note|notes|"
    r"comment|comments|reason|justification|decision|sql|script|code"
)


class ToolEffect(StrEnum):
    """Effect of a tool's call on the workplace."""

    READ = "read"  # only looks: the same call shows the same until something is written
    WRITE = "write"  # changes something, or may
    VOLATILE = "volatile"  # looks at what changes by itself: polls, clocks, sensors, random draws
    UNKNOWN = "unknown"  # nobody said, and the rules cannot tell


def effect_by_rules(name: str, description: str, parameters: JsonObject) -> ToolEffect:
    """Effect of a tool as far as its name, description and arguments settle it.

    Args:
        name: The tool's name; its first word is its verb.
        description: What the workplace says of it.
        parameters: The argument schema.
    """
    verb = name.lower()
    if _WRITING.match(verb):
        return ToolEffect.WRITE
    said = description.lower()
    if not _READING.match(verb) or not _SAYS_READING.match(said.strip() or "get"):
        return ToolEffect.UNKNOWN
    if _MOVING.search(f"{verb.replace('_', ' ')} {said}"):
        return ToolEffect.VOLATILE
    arguments = parameters.get("properties", {})
    if _SIDE_EFFECT.search(said) or any(_WRITING_ARGUMENT.fullmatch(argument) for argument in arguments):
        return ToolEffect.UNKNOWN
    return ToolEffect.READ


# Arguments of a tool that looks and writes, by which a call says what it does; and words of shells for looking.
_DEED = frozenset({"operation", "action", "command", "cmd", "mode", "subcommand", "sql"})
_LOOKING = re.compile(rf"(?!check_(?:in|out)\b)(?:{_LOOKS}|cat|ls|head|tail|grep|ps|df|stat|select)(?:[_\s]|$)")
_REDIRECTION = re.compile(r"[>;&]|\btee\b|\bxargs\b")


def only_looks(arguments: JsonValue) -> bool:
    """Whether a call of a tool that may write says itself that it only looks: `{"operation": "read", …}`."""
    given = arguments if isinstance(arguments, dict) else {}
    deeds = [value for name, value in given.items() if name in _DEED and isinstance(value, str)]
    return bool(deeds) and all(_LOOKING.match(d.lower()) and not _REDIRECTION.search(d) for d in deeds)


def names_a_look(tool: str) -> bool:
    """Whether a tool's name speaks of looking: less than certainty, which `effect_by_rules` asks for."""
    return _READING.match(tool.lower()) is not None
