"""Prompt of the user's own that a model is told in place of the standard one."""

from hashlib import sha256
from pathlib import Path

from worktrial.agents.candidates import Candidate
from worktrial.agents.prompting import render_prompt, standard_prompt
from worktrial.errors import SettingError, option
from worktrial.language import JsonObject

_MOST_BYTES = 200_000
_CLOCK = "clock"


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
