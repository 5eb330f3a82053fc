"""What makes a task easy or hard here."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """How large a workplace and a plan of one level are, and what the level demands."""

    tools: tuple[int, int]
    collections: str
    records: str
    steps: tuple[int, int]
    """Tool calls of a solution that wastes none."""
    demands: str


SCALES = {
    1: Scale(
        tools=(2, 5),
        collections="1 or 2",
        records="3 to 6",
        steps=(2, 4),
        demands="One straight line of work on one subject. What has to be known stands in the assignment or in the "
        "first thing that is looked up. No step depends on weighing one rule against another.",
    ),
    2: Scale(
        tools=(4, 7),
        collections="2 or 3",
        records="4 to 8",
        steps=(4, 7),
        demands="At least one fork: which step is right depends on what an earlier one brought to light. One "
        "exception of the trade applies, and the assignment does not point it out. Two records have to be brought "
        "together.",
    ),
    3: Scale(
        tools=(5, 10),
        collections="3 to 5",
        records="5 to 10",
        steps=(6, 12),
        demands="Several subjects with different outcomes. Two demands conflict, and the rules decide which one "
        "yields. The most obvious action is wrong because of something that only careful looking up reveals. The "
        "order of some steps matters.",
    ),
}
