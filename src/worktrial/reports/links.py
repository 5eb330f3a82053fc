"""Addresses within a report. Everything links by these, so that a link and its target cannot drift apart."""

import re
from collections.abc import Mapping
from urllib.parse import urlencode

from worktrial.engine.record import CLEAN, Key

HOME = "index.html"
SAMPLES = "samples.html"
TRAJECTORY = "trajectory.html"
TASKS = "tasks.html"
TASK = "task.html"


def section_page(section: str) -> str:
    """Page of a section by its id."""
    return f"section-{section}.html"


def slug_of(name: str, taken: set[str]) -> str:
    """A name for addresses made from `name`; it is added to `taken`."""
    base = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "run"
    slug, number = base, 1
    while slug in taken:
        number += 1
        slug = f"{base}-{number}"
    taken.add(slug)
    return slug


def samples_href(slug: str, filters: Mapping[str, str] | None = None) -> str:
    """The samples of a run that `filters` (`outcome`, `condition`, or a tag, to a value) let through."""
    return f"{SAMPLES}#{urlencode({'run': slug, **(filters or {})})}"


def trajectory_href(slug: str, key: Key) -> str:
    """The page of one sample of a run, as the viewer's scripts address it."""
    sample, repeat, condition = key
    asked: dict[str, str] = {"run": slug, "sample": sample}
    if repeat:
        asked["repeat"] = str(repeat)
    if condition != CLEAN:
        asked["condition"] = condition
    return f"{TRAJECTORY}#{urlencode(asked)}"
