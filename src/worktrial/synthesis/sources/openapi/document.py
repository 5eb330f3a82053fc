"""A description, and what its references stand for."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from worktrial.errors import DataError
from worktrial.language import JsonObject, JsonValue

_BUNDLE = "Bundle the description into one file first, for example with `redocly bundle`"


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed description."""

    path: Path
    root: JsonObject

    @property
    def version(self) -> str:
        """As `3.1`."""
        return ".".join(str(self.root.get("openapi", "")).split(".")[:2])

    def error(self, where: str, what: str, fix: str = "Correct the description") -> DataError:
        """An error that names a place in the description."""
        return DataError(self.path, f"{where}: {what}" if where else what, fix)

    def follow(self, reference: JsonValue, where: str) -> JsonValue:
        """What a `$ref` points to.

        Raises:
            DataError: it points out of the file, or to nothing.
        """
        if not isinstance(reference, str):
            raise self.error(where, "its $ref is not a text")
        if not reference.startswith("#"):
            raise self.error(where, f"refers to {reference!r}, outside this file, which is not fetched", _BUNDLE)
        found: JsonValue = self.root
        for part in unquote(reference[1:]).split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            if isinstance(found, list) and key.isdecimal() and int(key) < len(found):
                found = found[int(key)]
            elif isinstance(found, dict) and key in found:
                found = found[key]
            else:
                raise self.error(where, f"refers to {reference!r}, and there is nothing of that name")
        if found is self.root and reference not in ("#", "#/"):
            raise self.error(where, f"refers to {reference!r}, and only paths such as #/components/… are followed")
        return found

    def object_at(self, value: JsonValue, where: str) -> JsonObject:
        """`value`, or what it refers to, which must be an object.

        Raises:
            DataError: it is not, or refers to itself.
        """
        seen: set[str] = set()
        while isinstance(value, dict) and "$ref" in value:
            reference = str(value["$ref"])
            if reference in seen:
                raise self.error(where, f"refers to itself by {reference!r}")
            seen.add(reference)
            value = self.follow(value["$ref"], where)
        if not isinstance(value, dict):
            raise self.error(where, "is not an object")
        return value
