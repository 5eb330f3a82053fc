"""Place of a program's answer in what it prints."""

import json
from dataclasses import dataclass
from typing import Any

from worktrial.errors import SettingError, option

_JSON = "json:"


@dataclass(frozen=True, slots=True)
class AnswerPlace:
    """Place of an answer in standard output: all of it, or a field of JSON."""

    field: str | None = None
    """Field with dots between the levels, such as `result` or `data.text`; None for everything that was printed."""

    @classmethod
    def read(cls, text: str) -> "AnswerPlace":
        """The place that a user named.

        Args:
            text: `text` or `json:FIELD`.

        Raises:
            SettingError: it is neither.
        """
        if text == "text":
            return cls()
        field = text.removeprefix(_JSON)
        if field == text or not all(field.split(".")):
            raise SettingError(f"{option('answer')} {text}: write text, or json:FIELD, such as json:result")
        return cls(field)

    def found_in(self, output: bytes) -> str:
        """The answer in `output`.

        Of output with a JSON object in each line the last line that has the field counts.

        Raises:
            ValueError: there is no such field, or it is no text.
        """
        text = output.decode(errors="replace")
        if self.field is None:
            return text.strip()
        for candidate in (text, *reversed(text.splitlines())):
            found = self._in(candidate)
            if isinstance(found, str):
                return found
        raise ValueError(f"printed no JSON with a text in the field {self.field}")

    def _in(self, text: str) -> Any:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            return None
        for name in str(self.field).split("."):
            found = found.get(name) if isinstance(found, dict) else None
        return found
