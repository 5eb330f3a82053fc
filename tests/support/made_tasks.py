"""Tasks for made runs: ten industries, as many tasks in each as the published release has for a hundred."""

from dataclasses import dataclass
from functools import lru_cache
from random import Random

from tests.support.hostile import spoilt

INDUSTRIES: dict[str, tuple[int, tuple[str, ...]]] = {
    "Agriculture & Environment": (31, ("Agriculture", "Forestry")),
    "Business & Enterprise": (63, ("Finance", "Human Resources", "Legal")),
    "Commerce & Consumer": (36, ("E-commerce", "Retail")),
    "Education & Culture": (32, ("Education", "Library")),
    "Healthcare & Life Sciences": (21, ("Healthcare", "Pharmaceutical")),
    "Industrial & Engineering": (55, ("Manufacturing", "Energy", "Construction")),
    "Public Service & Governance": (25, ("Government", "Customs")),
    "Science & Research": (16, ("Research", "Astronomy")),
    "Technology & IT": (50, ("DevOps", "Database", "Cybersecurity")),
    "Transportation & Logistics": (53, ("Logistics", "Supply Chain", "Transportation")),
}
"""Industry to how many of the 382 published tasks are in it, and some of its domains."""

_WORK = ("Intake and Triage", "Scheduling", "Incident Handling", "Records Correction")
_OBJECTS = ("request", "order", "case", "shipment", "permit", "booking", "report", "claim")


@dataclass(frozen=True, slots=True)
class MadeTask:
    """What every agent is given alike."""

    id: str
    category: str
    """The industry."""
    domain: str
    scenario: str
    """Three or four tasks in a large run share one."""
    difficulty: int
    """1 to 3."""
    hardness: float
    """Standard normal; shared by all agents, which is what pairing gains from."""
    language: str
    instruction: str


@lru_cache(maxsize=8)
def made_tasks(count: int, seed: int, hostile: bool) -> tuple[MadeTask, ...]:
    """The first `count` tasks of the list of `seed`: a shorter list is the beginning of a longer one."""
    # Every industry comes once in each ten tasks; beyond that by its published share.
    names = list(INDUSTRIES)
    weights = [share for share, _ in INDUSTRIES.values()]
    return tuple(_task(n, Random(f"{seed}/task/{n}"), names, weights, hostile) for n in range(count))


def _task(number: int, random: Random, names: list[str], weights: list[int], hostile: bool) -> MadeTask:
    category = names[number] if number < len(names) else random.choices(names, weights)[0]
    domain = random.choice(INDUSTRIES[category][1])
    scenario = f"{domain}: {random.choice(_WORK)}"
    hardness = random.gauss(0, 1)
    difficulty = 1 if hardness < -0.5 else 2 if hardness < 0.6 else 3
    what = random.choice(_OBJECTS)
    instruction = (
        f"Please look into {what} {100 + number} ({domain.lower()}), settle what is open by our procedures and "
        f"tell me which {what}s you changed and why."
    )
    task = MadeTask(
        f"task-{number + 1}",
        category,
        domain,
        scenario,
        difficulty,
        hardness,
        "ko" if random.random() < 0.2 else "en",
        instruction,
    )
    if not hostile:
        return task
    # The same attack for the same name, so that groups stay groups.
    place = names.index(category)
    return MadeTask(
        spoilt(task.id, number),
        spoilt(category, place),
        spoilt(domain, place + 1),
        spoilt(scenario, place + 2),
        difficulty,
        hardness,
        spoilt(task.language, 2),
        spoilt(instruction, number),
    )
