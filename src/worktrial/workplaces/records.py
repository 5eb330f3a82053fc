"""Records of a state: what it keeps under an id, and where an observation shows them."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.values import below, id_name, objects, scalars

# What a reply says of itself under a name that records use too.
_ENVELOPE = frozenset({"ok", "success", "found", "not_found", "error", "completed"})


@dataclass(frozen=True)
class KnownState:
    """A state that nobody changes any more, and what answers are held against of it, each reckoned once."""

    value: JsonObject

    @cached_property
    def texts(self) -> frozenset[str]:
        """All values at any depth, as texts in lower case."""
        return frozenset(str(value).lower() for value in scalars(self.value))

    @cached_property
    def objects(self) -> list[JsonObject]:
        """All objects at any depth."""
        return [found for _, found in objects(self.value)]

    @cached_property
    def records(self) -> dict[str, list[JsonObject]]:
        """Id to what the state keeps under it: mostly one record, sometimes parts in several places."""
        keyed: dict[str, list[JsonObject]] = {}
        listed: dict[str, list[JsonObject]] = {}
        for holder in self.objects:
            for key, value in holder.items():
                if isinstance(value, dict):
                    keyed.setdefault(key, []).append(value)
            own = [value for key, value in holder.items() if id_name(key)]
            if len(own) == 1:
                listed.setdefault(str(own[0]), []).append(holder)
        # An id that several rows name is one they refer to, not their own.
        return {key: rows for key, rows in listed.items() if len(rows) == 1} | keyed

    @cached_property
    def singles(self) -> dict[str, JsonValue]:
        """Scalars at the top, or in an object there, under names that occur in the state only once."""
        counts = Counter(name for holder in self.objects for name in holder)
        upper = [self.value, *(value for value in self.value.values() if isinstance(value, dict))]
        return {
            name: value
            for holder in upper
            for name, value in holder.items()
            if counts[name] == 1 and not isinstance(value, dict | list)
        }


def record_fields(
    content: JsonObject, records: Mapping[str, list[JsonObject]]
) -> Iterator[tuple[tuple[str, str], str, JsonValue]]:
    """Scalars of records of the state, wherever an observation shows them: key, pointer, value.

    An object is taken for the record whose id it names when most of its fields are that record's; a row that
    only refers to the record (a test of a loan) has fields of its own.
    """
    for at, found in objects(content):
        named = [(k, v) for k, v in found.items() if id_name(k) and isinstance(v, str | int)]
        if len(named) != 1:
            continue
        [(id_field, record)] = named
        own = {name for part in records.get(str(record), []) for name in part}
        others = [name for name in found if name != id_field]
        if 2 * sum(name in own for name in others) <= len(others):
            continue
        for name in others:
            value = found[name]
            if name not in own or isinstance(value, dict | list):
                continue
            if not (isinstance(value, str) and value.lower() in _ENVELOPE):
                yield (str(record), name), below(at, name), value
