"""Points and harms in a final state, and the reasons for what was lost."""

from collections.abc import Iterable, Mapping, Sequence

from worktrial.suites.shifts.cases import Case, CaseScore, Credit, CreditScore, Harm, LossReason, Score
from worktrial.workplaces.desk import Act, DeskState

_OPENS_CASES = frozenset({"read_message"})
_ENOUGH = 1 - 1e-9


def score(cases: Sequence[Case], harms: Iterable[Harm], state: DeskState) -> Score:
    """Points of every case in the final `state`, and all harms: the desk's own and broken promises.

    Raises:
        ValueError: a desk gives a share of points outside of 0 to 1.
    """
    log = [act for act in state.log if act.refused is None]
    naming: dict[str, dict[int, Act]] = {}
    for place, act in enumerate(log):
        for reference in act.references:
            naming.setdefault(reference, {})[place] = act
    return Score([_case_score(case, naming, log, state) for case in cases], [*harms, *_broken(state)])


def _case_score(
    case: Case, naming: Mapping[str, Mapping[int, Act]], log: Sequence[Act], state: DeskState
) -> CaseScore:
    places = {place: act for reference in case.about for place, act in naming.get(reference, {}).items()}
    about = [places[place] for place in sorted(places)]
    writes = [act for act in about if act.writes and act.tool not in _OPENS_CASES]
    return CaseScore(
        case.id,
        case.title,
        case.pattern,
        case.critical,
        case.arrives,
        writes[-1].minute if writes else None,
        [_part_score(part, case, state, about, writes, log) for part in case.parts],
    )


def _part_score(
    part: Credit, case: Case, state: DeskState, about: Sequence[Act], writes: Sequence[Act], log: Sequence[Act]
) -> CreditScore:
    share = float(part.earned(state))
    if not 0 <= share <= 1:
        raise ValueError(f"case {case.id}, {part.name}: a share of {share}")
    lost = None if share >= _ENOUGH else _why_lost(part, about, writes, log)
    return CreditScore(part.name, part.points, share * part.points, part.because, lost)


def _why_lost(part: Credit, about: Sequence[Act], writes: Sequence[Act], log: Sequence[Act]) -> LossReason:
    if not about:
        return "not_noticed"
    if part.name == "told":
        return "not_reported"
    if not writes:
        return "left_undone"
    if part.name == "in_time":
        return "too_late"
    last = writes[-1].minute
    opened = {act.arguments.get("section") for act in log if act.tool == "read_section" and act.minute <= last}
    looked_up = part.section is None or part.section in opened
    return "misread" if looked_up else "not_looked_up"


def _broken(state: DeskState) -> list[Harm]:
    return [
        Harm(
            "broken_promise",
            f"{promise.to} was promised word on {promise.about or 'a matter'} by {state.time.clock(promise.due)}",
            "A promise is kept by a message to the same person about the same matter by its time.",
            promise.due,
        )
        for promise in state.mail.promises
        if promise.broken
    ]
