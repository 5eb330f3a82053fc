"""The published figures of OfficeQA."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class PublishedAnswers:
    """Share of questions that one model answered correctly in one setting."""

    model: str
    questions: str
    """The set: `full`, `pro` or `pro_v2`."""
    setting: str
    """`agent_pdf`, `agent_parsed`: an agent over the whole corpus. `pages_pdf`, `pages_parsed`: a model that is
    handed the right pages. `pages_pdf_web`: and may search the web."""
    shares: Mapping[float, float]
    """Relative tolerance of the answer to the share answered correctly, 0-1."""


@dataclass(frozen=True, slots=True)
class PublishedOfficeQA:
    """Published figures of OfficeQA."""

    source: str
    licence: str
    questions: Mapping[str, int]
    """Questions of each set."""
    rows: tuple[PublishedAnswers, ...]
    """Rows by set and setting; within these the best first."""


def published_officeqa() -> PublishedOfficeQA:
    """Read the published figures of OfficeQA."""
    # Imported here because few commands compare.
    import yaml

    text = files("worktrial.suites.documents").joinpath("officeqa.yaml").read_text(encoding="utf-8")
    table = yaml.safe_load(text)
    rows = []
    for row in table["rows"]:
        # Nothing is printed to more digits; a share should not have more either.
        shares = {key: round(value / 100, 4) for key, value in row.items() if isinstance(key, float)}
        rows.append(PublishedAnswers(row["model"], row["questions"], row["setting"], shares))
    return PublishedOfficeQA(table["source"], table["licence"], table["questions"], tuple(rows))
