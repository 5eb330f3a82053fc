"""What else than the agents differs between two runs, in words."""

from worktrial.results.comparison.runs import Comparison


def unfair_lines(found: Comparison) -> list[str]:
    """What else than the agents differs, a line each."""
    lines = [str(difference) for difference in found.differences]
    if keys := found.differing_faults:
        sample, _, condition = keys[0]
        lines.append(f"faults planned for {len(keys)} samples, such as {sample} under {condition}")
    return lines
