"""A workplace's own rules inside a prompt: with its data filled in, or as a ledger's prompt needs them."""

import re
from typing import NamedTuple

_PLACEHOLDER = re.compile(r"\{\{(initial_state|state_descriptions|action_set_definitions)\}\}")
_HEADING = re.compile(r"^#{1,6}[ \t]+(.*)$", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```[ \t]*$\n?", re.MULTILINE | re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.:!;])(?<!e\.g\.)\s+|\n+")
_BETWEEN_SENTENCES = re.compile(r"((?<=[.!;])(?<!e\.g\.)\s+|\n+)")

_SPOKEN = {
    "initial_state": "initial state",
    "state_descriptions": "state descriptions",
    "action_set_definitions": "action definitions",
}
# A ledger prompt shows state, actions and output form itself, so these sections would only repeat it.
_REPLACED = frozenset({"state initialization", "action space", "output assembly"})
# About the form of calls, which are checked before a model sees them; a business rule may hide among it.
_INPUT = "input parsing & program execution"
# What an answer looks like is for the prompt's own contract to say.
_FORM = re.compile(r"^[-*] +\*\*format(?::\*\*|\*\*:).*\n?", re.IGNORECASE | re.MULTILINE)
# "You only simulate", "hide the state": the contract says so too. Concrete matter stands in brackets or ticks.
_GENERIC = re.compile(
    r"^([-*] +\*\*(?:emphasis|encapsulation)(?::\*\*|\*\*:) *)(.*)\n?", re.IGNORECASE | re.MULTILINE
)
# Where a workplace says how its simulator is to remember, it means one whose memory is the conversation.
_IN_HISTORY = re.compile(
    r"\b(?:across|through(?:out)?|in|within|via|by|over|during|using|from)(?: your tracking of)? "
    r"(?:(?:the|your|this|our|its|all)[ \t]+)?(?:(?:entire|whole|full|ongoing|complete)[ \t]+)?"
    r"(?:(?:conversation|interaction|dialogue|session|chat|message)(?:al)?(?:'s)?[ \t]+"
    r"(?:history|context|log|memory)"
    r"|history of (?:the|this|our) (?:conversation|interactions?|dialogue|session|chat)|conversation)\b",
    re.IGNORECASE,
)
_HISTORY = re.compile(
    r"\b(?:all |the |your )*(?:(?:conversation(?:al)?|interaction|dialogue|chat) (?:history|context|memory))\b",
    re.IGNORECASE,
)
_OWN_MEMORY = re.compile(
    r"\b(?:your (?:own |internal |private )*|an? (?:consistent |persistent )*internal |internal |private )"
    r"(?:context ?/ ?)?memory\b(?: of (?:the|this|our) (?:conversation|history|interactions?))?",
    re.IGNORECASE,
)
_REMEMBER = re.compile(r"\b(must|should|will|to|and|shall) remember\b", re.IGNORECASE)
_UPKEEP = re.compile(
    r"^(?:the )?(?:internal )?state (?:maintenance|tracking|update|upkeep|management)s?\b.*"
    r"\b(?:implicit|internal|hidden|handled|managed|memory|history|your)",
    re.IGNORECASE,
)
_STATE_OUT = re.compile(
    r"new_state|updated state|internal state|state structure|state object|initial[_ ]state", re.IGNORECASE
)
_FORBIDS = re.compile(r"\b(?:not|never|hide|hidden|without)\b", re.IGNORECASE)
_REPLY = re.compile(
    r"\b(?:the|your)[ \t]+(?:final[ \t]+)?(?:output json|json output|outputs?|responses?|reply)\b", re.IGNORECASE
)
_RULE = re.compile(r"\b(?:if|unless|check\w*|ensur\w*|validat\w*|cannot|fails?|logic|limits?)\b", re.IGNORECASE)


class Filled(NamedTuple):
    """Rules with the workplace's data in place."""

    text: str
    missing: list[str]
    """Placeholders that the rules do not have; their data must be shown elsewhere."""


def filled_rules(system_prompt: str, data: dict[str, str]) -> Filled:
    """The rules with each placeholder's data standing in exactly one place.

    A placeholder on a line of its own gets the data, else its first mention; other mentions become words.

    Args:
        system_prompt: The rules, with literal `{{initial_state}}` and the like.
        data: Placeholder name to JSON text.
    """
    chosen: dict[str, int] = {}
    for match in _PLACEHOLDER.finditer(system_prompt):
        line_start = system_prompt.rfind("\n", 0, match.start()) + 1
        line_end = system_prompt.find("\n", match.end())
        line = system_prompt[line_start : line_end if line_end >= 0 else None]
        if line.strip() == match[0]:
            chosen.setdefault(match[1], match.start())
    for match in _PLACEHOLDER.finditer(system_prompt):
        chosen.setdefault(match[1], match.start())

    def value(match: re.Match[str]) -> str:
        return data[match[1]] if chosen[match[1]] == match.start() else _SPOKEN[match[1]]

    return Filled(_PLACEHOLDER.sub(value, system_prompt).strip(), [name for name in data if name not in chosen])


def lasting_rules(system_prompt: str) -> str:
    """The rules without what a ledger prompt says in its own way: state, actions, form of input and output."""
    headings = list(_HEADING.finditer(system_prompt))
    if not headings:
        return remembered_by_ledger(_spoken(system_prompt).strip())
    kept = [system_prompt[: headings[0].start()]]
    ends = [*(h.start() for h in headings[1:]), len(system_prompt)]
    for heading, end in zip(headings, ends, strict=True):
        title = heading[1].strip().lower()
        text = system_prompt[heading.end() : end]
        if title in _REPLACED:
            continue
        if title == _INPUT:
            # Without its heading: what is left are rules, not a description of the input.
            kept.append(" ".join(_rules_in(text)))
        elif text.strip():
            kept.append(heading[0] + _GENERIC.sub(_concrete, _FORM.sub("", text)))
    return remembered_by_ledger(_spoken("\n".join(part.strip() for part in kept if part.strip())))


def remembered_by_ledger(rules: str) -> str:
    """The rules without what says that the conversation, or the model, keeps the state.

    A ledger's model sees one call at a time and writes every effect down. So "across the conversation history"
    becomes "from call to call", a memory becomes a record, who must remember must keep, sentences on the upkeep of
    the state go, and what the output must not hold is said of the observation. The rest of a sentence stays: it
    may hold a rule of the workplace.
    """
    pieces = [*_BETWEEN_SENTENCES.split(rules), ""]
    kept = ((_neutral(sentence), gap) for sentence, gap in zip(pieces[::2], pieces[1::2], strict=True))
    # A sentence that goes takes the space behind it along, but not the end of its line.
    return "".join(sentence + gap for sentence, gap in kept if sentence or gap.strip(" ") or not gap)


def _neutral(sentence: str) -> str:
    if _UPKEEP.match(sentence):
        return ""
    if _STATE_OUT.search(sentence) and _FORBIDS.search(sentence):
        sentence = _REPLY.sub("the observation", sentence)
    sentence = _HISTORY.sub("the record", _IN_HISTORY.sub("from call to call", sentence))
    return _REMEMBER.sub(r"\1 keep", _OWN_MEMORY.sub("the record", sentence))


def _rules_in(text: str) -> list[str]:
    sentences = (s.strip() for s in _SENTENCE.split(_FENCE.sub("", text)))
    return [s for s in sentences if _RULE.search(s) and not s.startswith(("-", "*"))]


def _concrete(bullet: re.Match[str]) -> str:
    sentences = [s for s in _SENTENCE.split(bullet[2]) if "(" in s or "`" in s]
    return f"{bullet[1]}{' '.join(sentences)}\n" if sentences else ""


def _spoken(text: str) -> str:
    return _PLACEHOLDER.sub(lambda m: _SPOKEN[m[1]], text)
