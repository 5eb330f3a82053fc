"""Alignment of two ends of a task: records that both created go by the same ids, whatever order they came in."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from worktrial.language import JsonObject, JsonValue
from worktrial.synthesis.files import hash_of
from worktrial.workplaces.simulator.json_text import canonical_text
from worktrial.workplaces.values import below, id_name, is_keyed_by_id, parts

_ROUNDS = 3
"""Steps of reference over which created records are told apart."""
_WORD = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class _Created:
    """A record that an end holds and the beginning does not."""

    place: str
    """JSON Pointer to the collection that it stands in."""
    id: str
    record: JsonObject


def aligned(
    author: JsonObject, solver: JsonObject, known: Collection[str], mask: Callable[[str], str]
) -> JsonObject:
    """The solver's state, in which each created record has the id of the author's record that says the same.

    Records of one collection belong together where all but their own ids agree, references to other created records
    included; what is left over is paired by the number of fields that agree. Ids are renamed in whole words, and
    only those that nobody was given.

    Args:
        author: Final state of the plan.
        solver: Final state of the second worker.
        known: Ids and other values that were there before, or that the task names.
        mask: What stands for a text while records are compared, so that free wording tells none apart.
    """
    ours, theirs = list(_created(author, "", known)), list(_created(solver, "", known))
    # An id that stands for two records of an end tells neither.
    unclear = {id for end in (ours, theirs) for id, n in Counter(one.id for one in end).items() if n > 1}
    ours, theirs = [one for one in ours if one.id not in unclear], [one for one in theirs if one.id not in unclear]
    our_labels, their_labels = _labels(ours, mask), _labels(theirs, mask)
    names: dict[str, str] = {}
    for place in {one.place for one in theirs}:
        free = [one for one in ours if one.place == place]
        taken = {one.id for one in free}
        here = [one for one in theirs if one.place == place]
        left: list[_Created] = []
        for one in here:
            same = next((other for other in free if our_labels[other.id] == their_labels[one.id]), None)
            if same is None:
                left.append(one)
            else:
                free.remove(same)
                names[one.id] = same.id
        spare = [one.id for one in here if one.id not in taken]
        for one in left:
            fields = _fields(one, their_labels, mask)
            nearest = max(free, key=lambda other: len(fields & _fields(other, our_labels, mask)), default=None)
            if nearest is None:
                names[one.id] = spare.pop(0)
            else:
                free.remove(nearest)
                names[one.id] = nearest.id
    return {key: _renamed(value, names) for key, value in solver.items()}


def _created(value: JsonValue, place: str, known: Collection[str]) -> Iterator[_Created]:
    """Records with ids that are not known."""
    keyed = is_keyed_by_id(value)
    for key, item in parts(value):
        id = str(key) if keyed else _own_id(item) if isinstance(value, list) else None
        if isinstance(item, dict) and id is not None and id not in known:
            yield _Created(place, id, item)
        elif isinstance(item, dict | list):
            yield from _created(item, below(place, key), known)


def _own_id(item: JsonValue) -> str | None:
    """The id of an item of a list: its first field of ids, where that holds a text."""
    if not isinstance(item, dict):
        return None
    id = next((value for name, value in item.items() if id_name(name)), None)
    return id if isinstance(id, str) else None


def _labels(created: Sequence[_Created], mask: Callable[[str], str]) -> dict[str, str]:
    """Hash of what each record says, with those of the records that it refers to in place of their ids."""
    labels = {one.id: one.place for one in created}
    for _ in range(_ROUNDS):
        said = {one.id: canonical_text(_masked(one.record, labels, mask)) for one in created}
        labels = {one.id: hash_of([one.place, said[one.id]]) for one in created}
    return labels


def _fields(one: _Created, labels: Mapping[str, str], mask: Callable[[str], str]) -> frozenset[str]:
    return frozenset(canonical_text([name, _masked(value, labels, mask)]) for name, value in one.record.items())


def _masked(value: JsonValue, labels: Mapping[str, str], mask: Callable[[str], str]) -> JsonValue:
    if isinstance(value, dict):
        return {labels.get(key, key): _masked(item, labels, mask) for key, item in value.items()}
    if isinstance(value, list):
        return sorted((_masked(item, labels, mask) for item in value), key=canonical_text)
    return _in_words(mask(value), labels) if isinstance(value, str) else value


def _renamed(value: JsonValue, names: Mapping[str, str]) -> JsonValue:
    if isinstance(value, dict):
        return {names.get(key, key): _renamed(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    return _in_words(value, names) if isinstance(value, str) else value


def _in_words(text: str, names: Mapping[str, str]) -> str:
    return names[text] if text in names else _WORD.sub(lambda word: names.get(word[0], word[0]), text)
