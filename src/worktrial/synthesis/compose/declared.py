"""Constants that a workplace's rules declare for programs: the outcomes of its cases, and its words of paying."""

import ast
import re
from collections.abc import Mapping
from itertools import groupby

from worktrial.source_trees import parsed

OUTCOMES = "OUTCOMES"
"""Name of the constant that says in which codes a case may end or stand."""
PAYING = "PAYING"
"""Name of the constant that holds the words by which a letter says that a sum is paid."""
FEWEST, MOST = 2, 30
"""Outcomes that a workplace may have."""
_MISSING = (
    f'there is no constant {OUTCOMES} = {{"PAID": "paid in full", "WAITING": "waits for papers; `date`: last day'
    '"}, each code in which a case may end or stand with its meaning, as plain texts'
)
_CODE = re.compile(r"[A-Z][A-Z0-9_]*")


def outcomes(sources: Mapping[str, str]) -> dict[str, str]:
    """Meaning of each code in which a case may end or stand; {} where the rules declare none that can be used.

    Args:
        sources: Python by file or module name.
    """
    found = _constant(sources, OUTCOMES)
    return found if isinstance(found, dict) and not outcome_faults(found) else {}


def outcome_faults_in(source: str) -> list[str]:
    """Reasons why the outcomes that a module of rules declares cannot be used."""
    return outcome_faults(_constant({"rules": source}, OUTCOMES))


def outcome_faults(given: object) -> list[str]:
    """Reasons why a constant cannot be the outcomes of a workplace."""
    if not isinstance(given, dict):
        return [_MISSING]
    if not FEWEST <= len(given) <= MOST:
        return [f"{OUTCOMES} has {len(given)} codes; name {FEWEST} to {MOST}, each end and each wait of a case"]
    texts = all(isinstance(text, str) and text.strip() for item in given.items() for text in item)
    if not texts:
        return [f"{OUTCOMES} maps codes to a few words each, as plain texts"]
    faults = [f"{OUTCOMES}: {code!r} is no code in capitals" for code in given if not _CODE.fullmatch(code)]
    said = sorted((" ".join(meaning.casefold().split()), code) for code, meaning in given.items())
    alike = ([code for _, code in same] for _, same in groupby(said, key=lambda one: one[0]))
    faults += [f"{OUTCOMES}: {' and '.join(codes)} mean the same; keep one" for codes in alike if len(codes) > 1]
    return faults


def paying_words(sources: Mapping[str, str]) -> tuple[str, ...] | None:
    """Words of paying that a workplace's rules declare; None where none of its modules does.

    Args:
        sources: Python by file or module name.
    """
    given = _constant(sources, PAYING)
    is_words = isinstance(given, list | tuple) and all(isinstance(word, str) and word.strip() for word in given)
    return tuple(given) if isinstance(given, list | tuple) and is_words else None


def _constant(sources: Mapping[str, str], name: str) -> object:
    """Value of the last plain assignment to a name at the top of a module; None where there is none."""
    for source in sources.values():
        for node in reversed(parsed(source).body):
            if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
                continue
            (target, *more) = node.targets if isinstance(node, ast.Assign) else [node.target]
            if getattr(target, "id", "") == name and not more:
                try:
                    return ast.literal_eval(node.value)
                except ValueError:
                    return None
    return None
