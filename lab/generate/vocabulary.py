"""The words of the invented state, from a data file."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Names and sentences."""

    state: str
    office: str
    bulletin: str
    unit: str
    regions: dict[str, list[str]]
    """Provinces by region."""
    review: list[str]
    """Paragraphs, with places for figures."""
    definitions: dict[str, list[str]]
    """Paragraphs by when they are true."""
    subjects: list[list[dict[str, list[str | dict[str, list[str]]]]]]
    """Pairs of tables that every province has: title, then its headings."""

    @property
    def provinces(self) -> tuple[str, ...]:
        """Provinces in the order of their regions."""
        return tuple(province for provinces in self.regions.values() for province in provinces)


@cache
def vocabulary() -> Vocabulary:
    """Read once."""
    return Vocabulary(**yaml.safe_load(files(__package__).joinpath("vocabulary.yaml").read_text("utf-8")))
