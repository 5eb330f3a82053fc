"""Which part of a reply is its answer, for our score.

In this order:

1. what the last `<FINAL_ANSWER>` pair holds. After a tag that is opened later and never closed there is no answer:
   it was cut off;
2. what follows the last line that starts with "Answer:", "Final answer:" or "The answer is": the rest of that line,
   or, when it has none, the lines up to the next empty one;
3. the last line, or, when that is an item of a bulleted or numbered list, the whole list.

Emphasis, code marks, quotes around the whole and a full stop at the end are no part of an answer.
"""

import re

from worktrial.suites.documents.answers.official import final_answer

_TAG = re.compile(r"<(?P<close>/?)FINAL_ANSWER>", re.IGNORECASE)
_MARKER = re.compile(
    r"^[ \t>#*_]*(?:the[ \t]+)?(?:final[ \t]+)?answer[ \t*_]*(?:\bis\b[ \t]*:?|[:=])[ \t*_]*",
    re.IGNORECASE | re.MULTILINE,
)
_BULLET = re.compile(r"^\s*(?:[-*•‣◦]|\d{1,3}[.)])\s+")
_BOXED = re.compile(r"^\$*\\boxed\{([^{}]*)\}\$*$")
_QUOTES = (('"', '"'), ("'", "'"), ("“", "”"), ("‘", "’"))
_MARKS = ("**", "__", "`", "*")


def our_final_answer(reply: str) -> str | None:
    """The answer in `reply`; None when its final tag is never closed, and "" when it has none."""
    tags = list(_TAG.finditer(reply))
    if tags and not tags[-1]["close"]:
        return None
    if any(not tag["close"] for tag in tags):
        return unwrapped(final_answer(reply))
    markers = list(_MARKER.finditer(reply))
    if markers:
        return unwrapped(_after_marker(reply[markers[-1].end() :]))
    return unwrapped(_last_line(reply))


def without_bullet(line: str) -> str:
    """A line of a list without its bullet or number."""
    return _BULLET.sub("", line, count=1)


def unwrapped(answer: str) -> str:
    """`answer` without emphasis, code marks, a box, quotes around the whole, and a full stop at the end."""
    if answer.isalnum():
        return answer
    before = None
    while before != answer:
        before = answer
        answer = answer.strip().replace("\\$", "$").replace("\\%", "%")
        answer = _BOXED.sub(r"\1", answer)
        # Not "No." of "No. 5", nor "U.S.": a full stop after a letter and a full stop stays.
        if answer.endswith(".") and "." not in answer[-3:-1]:
            answer = answer[:-1].rstrip()
        for mark in _MARKS:
            answer = _inside(answer, mark, mark)
        for left, right in _QUOTES:
            answer = _inside(answer, left, right)
    return answer


def _inside(answer: str, left: str, right: str) -> str:
    wrapped = len(answer) > len(left) + len(right) and answer.startswith(left) and answer.endswith(right)
    inner = answer[len(left) : -len(right)] if wrapped else answer
    # "a" and "b": these are two quotations, not one around the whole.
    return answer if left in inner or right in inner else inner


def _after_marker(rest: str) -> str:
    line, _, below = rest.partition("\n")
    return line if line.strip(" \t*_") else re.split(r"\n[ \t]*\n", below.lstrip("\n"), maxsplit=1)[0]


def _last_line(reply: str) -> str:
    lines = reply.strip().splitlines()
    if not lines:
        return ""
    first = len(lines) - 1
    while first > 0 and _BULLET.match(lines[first]) and _BULLET.match(lines[first - 1]):
        first -= 1
    return "\n".join(lines[first:])
