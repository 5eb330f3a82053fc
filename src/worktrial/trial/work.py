"""Settings of work with tools that can change a result, and the prompt of the user's own among them."""

from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from worktrial.agents.assignment import Limits
from worktrial.agents.candidates import Candidate
from worktrial.agents.context import ContextKeeping
from worktrial.agents.prompting import render_prompt, standard_prompt
from worktrial.errors import SettingError, option
from worktrial.language import JsonObject
from worktrial.trial.duties import Duties
from worktrial.workplaces.faults import Conditions, FaultUnit

_MOST_BYTES = 200_000
_CLOCK = "clock"
# On record with a fingerprint, or by their own `on_record`, and only where they are not the usual ones.
_APART = ("agent_prompt", "context", "duties")


@dataclass(frozen=True, kw_only=True)
class WorkSettings:
    """Settings that every suite with tools has; a suite adds its own as a subclass."""

    repeats: int = 1
    limits: Limits = field(default_factory=Limits)
    faults: Conditions = field(default_factory=Conditions)
    agent_prompt: str | None = None
    """Template of the user's own that the agent is told; None for the standard one."""
    context: ContextKeeping = field(default_factory=ContextKeeping)
    duties: Duties = field(default_factory=Duties)

    has_simulator: ClassVar[bool] = False
    """Whether a model plays the workplaces, and may be asked for faults."""

    def check(self, candidate: Candidate) -> None:
        """Refuse what the samples of `candidate` cannot meet.

        Raises:
            SettingError: faults that a model would have to play where none does, events longer than any trial, or
                turns of an agent that has none.
        """
        if self.faults.prompted and not self.has_simulator:
            raise SettingError(
                f"{option('faults')} prompted: asks the model that plays the workplace, and here none does. Use "
                f"{option('faults')} E1, E2, E3 or all"
            )
        self.faults.check(self.limits.turns)
        if not candidate.has_turns and any(s.unit is FaultUnit.TURN for s in self.faults.settings):
            flag = option("fault_unit")
            raise SettingError(f"{flag} turn: the turns of {candidate.spec} are not known. Use {flag} call")

    def on_record(self, candidate: Candidate) -> JsonObject:
        """Settings for the manifest.

        Args:
            candidate: Who works; only a model is told a prompt.
        """
        prompt = prompt_on_record(candidate, self.agent_prompt)
        return {**in_manifest(self), **self.context.on_record, **self.duties.on_record, **prompt}


def in_manifest(settings: Any) -> JsonObject:
    """Fields of a suite's settings for the manifest; without faults nothing is said of them."""
    # A policy is of a kind that only its own `on_record` can write, so it does not get that far.
    plain: JsonObject = msgspec.to_builtins(settings, enc_hook=lambda _: None)
    if settings.faults.is_clean:
        del plain["faults"]
    return {name: value for name, value in plain.items() if name not in _APART}


def own_prompt(path: Path | None, candidate: Candidate) -> str | None:
    """Template in the file that a user names; None where none is named.

    Raises:
        SettingError: the agent is no model; or the file cannot be read, is too long, or is no template that needs
            nothing but `clock`.
    """
    if path is None:
        return None
    flag = option("agent_prompt")
    if not candidate.needs_model:
        raise SettingError(f"{flag}: {candidate.spec} is no model and is told no prompt. Leave the option out")
    try:
        raw = path.read_bytes()
    except OSError as e:
        raise SettingError(f"{flag} {path}: cannot be read ({e.strerror})") from None
    if len(raw) > _MOST_BYTES:
        raise SettingError(f"{flag} {path}: has {len(raw):,} bytes, and a prompt may have {_MOST_BYTES:,}")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SettingError(f"{flag} {path}: is not UTF-8 text") from None
    if not text.strip():
        raise SettingError(f"{flag} {path}: is empty")
    _check(text, f"{flag} {path}")
    return text


def prompt_on_record(candidate: Candidate, own: str | None) -> JsonObject:
    """Settings for the manifest: the template that the agent is told, and its SHA-256; {} for who is told none."""
    if not candidate.needs_model:
        return {}
    text = standard_prompt() if own is None else own
    return {"agent_prompt": {"sha256": sha256(text.encode()).hexdigest(), "text": text}}


def _check(text: str, where: str) -> None:
    from jinja2 import TemplateError, TemplateSyntaxError, meta
    from jinja2.sandbox import SandboxedEnvironment

    try:
        unknown = meta.find_undeclared_variables(SandboxedEnvironment().parse(text)) - {_CLOCK}
        if unknown:
            raise SettingError(
                f"{where}: {{{{ {min(unknown)} }}}} is unknown; only {{{{ {_CLOCK} }}}} is filled in. Write other "
                "braces as they are between {% raw %} and {% endraw %}"
            )
        render_prompt(text, "2026-01-15T09:00")
    except TemplateSyntaxError as e:
        raise SettingError(f"{where}: line {e.lineno}: {e.message}") from None
    except (TemplateError, TypeError, ValueError, ArithmeticError) as e:
        raise SettingError(f"{where}: {e}") from None
