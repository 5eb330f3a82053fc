"""What becomes of each slot of a scripted job: where its author errs, and which of its runs pass."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum


class Slip(StrEnum):
    """What an author gets wrong."""

    NONE = ""
    CORRECTED = "corrected"
    """The first reply is of no use; the next is."""
    NEVER = "never"
    """Every reply is of no use."""
    ODD_EXAMPLE = "odd example"
    """A workplace: a tool's example shows a record with a field of another type. Mended when asked."""
    GHOST_TOOL = "ghost tool"
    """A task: the rubric names a tool that is not there. Mended when asked."""
    STUBBORN_GHOST = "stubborn ghost tool"
    """The first mended rubric names another such tool; the next none."""
    WRONG_PLAN = "wrong plan"
    """A task: the plan settles a record wrongly. Mended when asked."""
    HOPELESS_PLAN = "hopeless plan"
    """Every new plan does so, too."""
    WRONG_RUBRIC = "wrong rubric"
    """A task: the rubric asks for what the instruction forbids. Mended when asked."""
    DENIED = "denied"
    """A wrong plan; asked for the artifact at fault, the author finds none."""


@dataclass(frozen=True)
class Fate:
    """Of a slot."""

    workplace: Slip = Slip.NONE
    task: Slip = Slip.NONE
    free: str = "01"
    """Free runs by number, over and over: 1 passes, 0 fails, x meets a simulator that answers no JSON."""
    plan: str = "1"
    """Runs with the plan: 1 follows it, x as above."""


USUAL = ("0111", "01", "0010")
"""Free runs of levels 1 to 3 where nothing else is said; harder levels are passed less often."""


@dataclass(frozen=True)
class Fates:
    """Of a whole job."""

    slots: Mapping[str, Fate] = field(default_factory=dict)
    """Slot to fate, where it is not the usual one."""
    references: Mapping[str, Slip] = field(default_factory=dict)
    """Sub-topic to slip."""
    overlaps: bool = False
    """The first list of sub-topics names one twice in other words, and one where only a judge sees that."""
    troubled: int = 0
    """Of each so many requests two are answered with 429 or 500 first; 0 for none."""

    def of(self, slot: str) -> Fate:
        """A slot's."""
        return self.slots.get(slot) or Fate(free=USUAL[int(slot[-1]) - 1])


FULL_SIZE = Fates(
    overlaps=True,
    troubled=41,
    references={"low-value-courier-parcels": Slip.CORRECTED, "penalty-appeal-hearings": Slip.NEVER},
    slots={
        "tariff-code-rulings-1": Fate(free="1"),
        "tariff-code-rulings-3": Fate(free="0"),
        "dual-use-export-permits-2": Fate(workplace=Slip.CORRECTED),
        "comprehensive-guarantee-accounts-1": Fate(workplace=Slip.NEVER),
        "comprehensive-guarantee-accounts-2": Fate(workplace=Slip.ODD_EXAMPLE),
        "vessel-manifest-reconciliation-1": Fate(task=Slip.CORRECTED),
        "vessel-manifest-reconciliation-3": Fate(task=Slip.NEVER),
        "royalty-and-assist-valuation-2": Fate(task=Slip.GHOST_TOOL),
        "royalty-and-assist-valuation-3": Fate(task=Slip.STUBBORN_GHOST, free="0100"),
        "preferential-origin-proofs-3": Fate(task=Slip.WRONG_PLAN, free="0001"),
        "road-transit-discharge-1": Fate(task=Slip.HOPELESS_PLAN),
        "road-transit-discharge-2": Fate(task=Slip.DENIED),
        "laboratory-sample-orders-3": Fate(task=Slip.WRONG_RUBRIC, free="0001"),
        "overpaid-duty-refunds-1": Fate(free="x"),
        "overpaid-duty-refunds-2": Fate(free="01x0"),
        "overpaid-duty-refunds-3": Fate(plan="x1", free="1000"),
        "counterfeit-seizure-files-1": Fate(free="11111111110"),
        "seasonal-quota-drawing-1": Fate(free="1"),
        "seasonal-quota-drawing-2": Fate(free="1"),
        "seasonal-quota-drawing-3": Fate(free="1"),
    },
)
"""16 sub-topics at three levels, with each kind of failure at least once. Every filter has something to remove."""

SMALL = Fates(
    overlaps=True,
    troubled=23,
    references={"dual-use-export-permits": Slip.CORRECTED},
    slots={
        "tariff-code-rulings-1": Fate(task=Slip.GHOST_TOOL),
        "tariff-code-rulings-2": Fate(task=Slip.WRONG_PLAN),
        "dual-use-export-permits-1": Fate(free="1"),
        "dual-use-export-permits-2": Fate(free="01x0"),
    },
)
"""For jobs of three sub-topics at levels 1 and 2."""

PLAIN = Fates()
"""Nothing goes wrong."""

JOBS = {"full-size": FULL_SIZE, "calm": replace(FULL_SIZE, troubled=0), "small": SMALL, "plain": PLAIN}
"""By name. In the calm one the endpoint is never overloaded, so that nobody has to wait before a retry."""
