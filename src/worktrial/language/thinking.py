"""Thinking inside a text, told from what is said."""

import re
from typing import NamedTuple

from worktrial.language.surroundings import Surroundings

THINKING_MARKS = ("think>", "thinking>", "thought>", "THINK]", "think▷", "<|channel|>", "assistantfinal")
"""Words of which every text with thinking in it has one; quick to look for."""
_TAG = re.compile(r"[<\[◁](?P<closes>/?)(?P<name>thinking|think|thought|seed:think|THINK)[>\]▷]")
# Closing tags in code that are passed over before the first of them is taken after all.
_MOST_PASSED = 32


class Utterance(NamedTuple):
    """A text taken apart."""

    thinking: str
    """Everything that was thought aloud; "" where nothing was."""
    text: str
    """Everything that was said; as it came where nothing was thought aloud."""
    addressed: tuple[tuple[str, str], ...] = ()
    """Harmony messages to tools: the tool's name, and its arguments as they were written."""


def apart(content: str, *, has_thought: bool = False) -> Utterance:
    """Tell thinking from speech in the text of one reply, in time linear in the text.

    Three spellings of thinking are known:

    - a block `<think>…</think>` (also `<thinking>`, `<thought>`, `<seed:think>`, `[THINK]`, `◁think▷`), which goes
      to the end of the text where nothing closes it;
    - a block that the prompt opened, so that only its end comes back: `…</think>`. The first closing tag ends it,
      so who quotes the tag while thinking makes a reply unclear, and never another reply;
    - harmony channels: `<|channel|>analysis<|message|>…<|end|><|start|>assistant<|channel|>final<|message|>…`.

    A tag in code, in a JSON value, in quotation marks or in the flow of a sentence is a word like any other.

    Args:
        content: Text as the endpoint sent it.
        has_thought: Whether the endpoint gave the thinking apart from the text. A lone closing tag is then a word.
    """
    for mark in THINKING_MARKS:
        if mark in content:
            return _channels(content) or _blocks(content, has_thought)
    return Utterance("", content)


def _blocks(content: str, has_thought: bool) -> Utterance:
    tags = list(_TAG.finditer(content))
    last_close = {tag["name"]: number for number, tag in enumerate(tags) if tag["closes"]}
    surroundings = Surroundings(content)
    first = len(content) - len(content.lstrip())
    said: list[str] = []
    thought: list[str] = []
    at = number = mentioned_until = 0
    while number < len(tags):
        tag = tags[number]
        number += 1
        if tag["closes"]:
            may_end = not thought and not has_thought and tag.start() >= mentioned_until
            if may_end and not _is_lone_mention(tag, surroundings):
                thought.append(content[: tag.start()])
                at = tag.end()
            continue
        leads = tag.start() == first
        if not leads and _is_mention(tag, at, surroundings):
            # Whoever names the one tag names the other beside it.
            mentioned_until = surroundings.line_end(tag.end())
            continue
        close = _closing(tags, number, last_close.get(tag["name"], -1), surroundings)
        if close is None and not leads and surroundings.sentence_goes_on(tag.end()):
            continue
        said.append(content[at : tag.start()])
        if close is None:
            thought.append(content[tag.end() :])
            at = len(content)
            break
        thought.append(content[tag.end() : tags[close].start()])
        at, number = tags[close].end(), close + 1
    if not thought:
        return Utterance("", content)
    said.append(content[at:])
    return Utterance("\n".join(part.strip() for part in thought), "".join(said).strip())


def _is_mention(tag: re.Match[str], since: int, surroundings: Surroundings) -> bool:
    return surroundings.is_in_a_sentence(tag.start()) or surroundings.is_quoted(tag.start(), since)


def _is_lone_mention(tag: re.Match[str], surroundings: Surroundings) -> bool:
    start, end = tag.span()
    in_a_sentence = surroundings.is_in_a_sentence(start) and surroundings.sentence_goes_on(end)
    return in_a_sentence or surroundings.is_quoted(start)


def _closing(tags: list[re.Match[str]], number: int, last: int, surroundings: Surroundings) -> int | None:
    """Number of the tag that ends the block opened by the tag before `number`: the first outside code, else any."""
    opening = tags[number - 1]
    passed: list[int] = []
    for other in range(number, last + 1):
        if tags[other]["closes"] and tags[other]["name"] == opening["name"]:
            if not surroundings.is_code(tags[other].start(), since=opening.end()):
                return other
            passed.append(other)
            if len(passed) == _MOST_PASSED:
                break
    return passed[0] if passed else None


_HARMONY_START = re.compile(r"\s*<\|(?:start|channel)\|>")
_HARMONY_SWITCH = "<|start|>assistant<|channel|>"
_HARMONY_HEAD = re.compile(
    r"(?:<\|start\|>(?P<role>[^<]*))?<\|channel\|>(?P<channel>[^<]*)(?:<\|constrain\|>[^<]*)?<\|message\|>"
)
_HARMONY_END = re.compile(r"<\|(?:end|return|call|start|channel)\|>")
_RECIPIENT = re.compile(r"\bto=(?:functions\.)?([^\s<]+)")


def _channels(content: str) -> Utterance | None:
    """A text in harmony's channels; None where it is in none."""
    if not _HARMONY_START.match(content):
        switch = content.find(_HARMONY_SWITCH)
        if switch < 0 or Surroundings(content).is_quoted(switch):
            return _spelled_channels(content)
    heads = list(_HARMONY_HEAD.finditer(content))
    if not heads:
        return None
    # What stands before the first head belongs to a channel that the prompt opened.
    parts: dict[str, list[str]] = {"analysis": [_body(content, 0, heads[0].start())], "final": [], "commentary": []}
    addressed = []
    for head, following in zip(heads, [*heads[1:], None], strict=True):
        body = _body(content, head.end(), len(content) if following is None else following.start())
        recipient = _RECIPIENT.search(f"{head['role'] or ''} {head['channel']}")
        if recipient is not None:
            addressed.append((recipient[1], body))
        else:
            name, *_ = head["channel"].split() or ["final"]
            parts.get(name, parts["analysis"]).append(body)
    said = parts["final"] or parts["commentary"]
    return Utterance("\n".join(filter(None, parts["analysis"])), "\n".join(said), tuple(addressed))


def _body(content: str, start: int, stop: int) -> str:
    end = _HARMONY_END.search(content, start, stop)
    return content[start : stop if end is None else end.start()].strip()


def _spelled_channels(content: str) -> Utterance | None:
    """The same where the endpoint left the special tokens out: `analysis…assistantfinal…`."""
    begun = content.lstrip()
    if not begun.startswith("analysis") or begun[8:9].isspace():
        return None
    thinking, switch, text = begun[8:].partition("assistantfinal")
    return Utterance(thinking.strip(), text.strip()) if switch else None
