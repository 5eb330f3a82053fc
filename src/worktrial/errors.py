"""The one family of errors that Worktrial raises on purpose.

A message says where (file, field, option), what is wrong, and how to mend it.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum

# Two characters of Unicode's private use, so that no text of a user's is taken for the name of an option.
_OPEN, _CLOSE = "\ue000", "\ue001"
_OPTION = re.compile(f"{_OPEN}(.*?){_CLOSE}")


def option(field: str) -> str:
    """Mark of `field`, one of a suite's `Options`, in a message; the face that shows the message spells it."""
    return f"{_OPEN}{field}{_CLOSE}"


def flag(field: str) -> str:
    """Option as the command line spells it: `--base-url` for `base_url`."""
    return f"--{field.replace('_', '-')}"


def spell_options(text: str, spell: Callable[[str], str]) -> str:
    """`text` with each option in it (see `option`) spelled by `spell`, which is given the field's name."""
    return _OPTION.sub(lambda found: spell(found[1]), text)


class WorktrialError(Exception):
    """Something the user can mend; the command line prints the message and exits with `exit_code`."""

    exit_code = 2

    def __str__(self) -> str:
        """Message with options spelled as in Python: `base_url`."""
        return self.spelled(str)

    def spelled(self, spell: Callable[[str], str]) -> str:
        """Message with each option spelled by `spell`; see `spell_options`."""
        return spell_options(super().__str__(), spell)


class DataError(WorktrialError):
    """A file or one of its fields cannot be used."""

    def __init__(self, where: object, what: str, fix: str = "") -> None:
        super().__init__(f"{where}: {what}" + (f". {fix}" if fix else ""))


class SettingError(WorktrialError):
    """An option or a combination of options makes no sense."""


class MissingExtra(SettingError):
    """A library is needed that a plain installation lacks; the message names the extra that brings it."""


@contextmanager
def extra(name: str, use: str) -> Iterator[None]:
    """Turn the failing import of an optional library into one clear error.

    Example:
        with extra("documents", "Reading PDFs"):
            import pypdfium2

    Args:
        name: The extra that brings the library.
        use: What the library is needed for, as the subject of a sentence.

    Raises:
        MissingExtra: A library is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        raise MissingExtra(f"{use} needs {missing.name}: pip install 'worktrial[{name}]'") from missing


class StopRun(WorktrialError):
    """The whole run must end now: going on would only repeat the same trouble for every sample."""


class InvalidReason(StrEnum):
    """Why a sample has no verdict. None of these is the agent's doing."""

    ENDPOINT_UNAVAILABLE = "endpoint_unavailable"  # retries exhausted: 429, 5xx, timeouts, dropped connections
    ENDPOINT_REFUSED = "endpoint_refused"  # the endpoint rejected this one request
    CONTENT_FILTER = "content_filter"  # the provider's filter took a model's answer away
    REFUSED = "refused"  # the provider sent a refusal in place of a model's answer
    BAD_REPLY = "bad_reply"  # the endpoint's answer is not a chat completion
    CONTEXT_OVERFLOW = "context_overflow"  # simulator or judge prompt longer than the model's context
    SIMULATOR_FORMAT = "simulator_format"  # no JSON object after the allowed repairs
    SIMULATOR_PATCH = "simulator_patch"  # the state patch does not apply after one repair
    WORKPLACE_CONTRADICTION = "workplace_contradiction"  # a judge cites values that cannot both be right
    NO_MAJORITY = "no_majority"  # too few real votes to decide
    UNDECIDED = "undecided"  # the answer's words do not tell a check what it says
    AGENT_CRASH = "agent_crash"  # a user's own agent raised an exception
    AGENT_NEVER_REACHED = "agent_never_reached"  # a program kept its model from the tools, or never asked for them
    ABANDONED = "abandoned"  # whoever drove an episode from outside gave it up, or went away
    TASK_DATA = "task_data"  # this one task cannot be set up
    INTERNAL = "internal"  # a defect of Worktrial; please report it


class InvalidSample(WorktrialError):
    """One sample cannot be judged; the others go on."""

    def __init__(self, reason: InvalidReason, detail: str) -> None:
        super().__init__(f"{reason.value}: {detail}")
        self.reason = reason
        self.detail = detail


class ContextOverflow(InvalidSample):
    """The prompt does not fit into the model's context. For the agent this is a stop reason, not an error."""

    def __init__(self, detail: str) -> None:
        super().__init__(InvalidReason.CONTEXT_OVERFLOW, detail)


class BadRow(ValueError):
    """A row lacks what is to be scored; the message names the fields, and the row is passed over."""
