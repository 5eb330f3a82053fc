"""Every oddity of a data folder."""

from collections.abc import Iterator

from worktrial.suites.orchestration.planning.lint.cards import card_oddities
from worktrial.suites.orchestration.planning.lint.plans import plan_oddities
from worktrial.suites.orchestration.planning.lint.prompts import same_prompts
from worktrial.suites.orchestration.planning.lint.work import WorkCheck
from worktrial.suites.orchestration.planning.loading import Release
from worktrial.suites.orchestration.planning.scenario import Language, Oddity


def lint_release(release: Release) -> tuple[Oddity, ...]:
    """What loading found odd, and what holding plans, steps and cards against each other finds.

    By language, in the order of the release: first its cards, then its files, those that hold no scenario before
    the others; within a file by step.
    """
    return tuple(oddity for language in release.teams for oddity in _of_language(release, language))


def _of_language(release: Release, language: Language) -> Iterator[Oddity]:
    team = release.teams[language]
    yield from card_oddities(team, language)
    yield from (oddity for oddity in release.broken if oddity.file.startswith(f"{language}/"))
    work = WorkCheck(team)
    for scenario in release.scenarios:
        if scenario.language != language:
            continue
        found = [
            *scenario.oddities,
            *plan_oddities(scenario, team),
            *work.oddities(scenario),
            *same_prompts(scenario),
        ]
        yield from sorted(found, key=lambda oddity: oddity.step or 0)
