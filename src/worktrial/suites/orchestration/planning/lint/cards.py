"""Cards held against their own tools."""

from collections.abc import Iterator

from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.oddities import OddityCode
from worktrial.suites.orchestration.planning.scenario import Language, Oddity


def card_oddities(team: Team, language: Language) -> Iterator[Oddity]:
    """Skills that an agent advertises and no tool of it has, where the release gives both one name."""
    for card in team.values():
        lost = [skill.id for skill in card.skills if skill.id not in card.tool_by_name]
        # A card whose skills are named on a principle of their own is not at fault.
        if lost and len(lost) < len(card.skills):
            what = f"{card.agent_id} advertises {', '.join(lost)}, and no tool of it is called so"
            yield Oddity(f"{language}/multiagent_cards", None, OddityCode.SKILL_WITHOUT_TOOL, what)
