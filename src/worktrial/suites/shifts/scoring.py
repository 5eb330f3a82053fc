"""Points and harms in a final state, and the reasons for what was lost."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from worktrial.suites.shifts.cases import AnswerDue, Case, CaseScore, Credit, CreditScore, Harm, LossReason, Score
from worktrial.workplaces.desk import Act, DeskState

_OPENS_CASES = frozenset({"read_message"})
_ENOUGH = 1 - 1e-9


def score(cases: Sequence[Case], harms: Iterable[Harm], state: DeskState) -> Score:
    """Points of every case in the final `state`, and all harms: the desk's own, and those that are said.

    Raises:
        ValueError: a desk gives a share of points outside of 0 to 1.
    """
    log = [act for act in state.log if act.refused is None]
    naming: dict[str, dict[int, Act]] = {}
    for place, act in enumerate(log):
        for reference in act.references:
            naming.setdefault(reference, {})[place] = act
    scored = [_case_score(case, naming, log, state) for case in cases]
    said = [harm for case, its in zip(cases, scored, strict=True) for harm in _said(case, its, state)]
    return Score(scored, [*harms, *said, *_broken(state)])


def _case_score(
    case: Case, naming: Mapping[str, Mapping[int, Act]], log: Sequence[Act], state: DeskState
) -> CaseScore:
    places = {place: act for reference in case.about for place, act in naming.get(reference, {}).items()}
    about = [places[place] for place in sorted(places)]
    writes = [act for act in about if act.writes and act.tool not in _OPENS_CASES]
    reports = [report.sent(state.mail) for report in case.reports]
    acted = [sent[-1].minute for sent in reports if sent] if reports else [act.minute for act in writes]
    settled = max(acted, default=None)
    wrong = "not_reported" if not all(reports) else _why_wrong(case, about, settled, log)
    shares = [_share(part, case, state) for part in case.parts]
    # What belongs to a wrong end is worth nothing, and time is of the whole.
    whole = min((s for s, part in zip(shares, case.parts, strict=True) if part.name == "outcome"), default=1.0)
    parts = []
    for share, part in zip(shares, case.parts, strict=True):
        void = part.name != "outcome" and (whole < _ENOUGH if part.name == "in_time" else not whole)
        earned = 0.0 if void else share
        lost = None
        if earned < _ENOUGH:
            lost = wrong if void or part.name == "outcome" else _LOST[part.name]
        decides = case.decides(part.name)
        parts.append(CreditScore(part.name, part.points, earned * part.points, part.because, decides, lost))
    return CaseScore(case.id, case.title, case.pattern, case.arrives, settled, parts)


_LOST: dict[str, LossReason] = {"in_time": "too_late", "told": "not_reported", "first_word": "no_first_word"}
"""Part of a case to the reason for which it is lost where the outcome is right."""


def _share(part: Credit, case: Case, state: DeskState) -> float:
    share = float(part.earned(state))
    if not 0 <= share <= 1:
        raise ValueError(f"case {case.id}, {part.name}: a share of {share}")
    return share


def _why_wrong(case: Case, about: Sequence[Act], settled: int | None, log: Sequence[Act]) -> LossReason:
    """Reason for a wrong outcome, if it is wrong."""
    if not about and settled is None:
        return "not_noticed"
    if settled is None:
        return "left_undone"
    section = next((part.section for part in case.parts if part.name == "outcome"), None)
    opened = {act.arguments.get("section") for act in log if act.tool == "read_section" and act.minute <= settled}
    return "misread" if section is None or section in opened else "not_looked_up"


def _said(case: Case, scored: CaseScore, state: DeskState) -> Iterator[Harm]:
    """Harms that lie in words: a false last answer, and reports that had to be corrected."""
    if case.answer is not None:
        yield from _false_word(
            case.answer, any(p.earned for p in scored.parts if p.name == "outcome"), case.id, state
        )
    for report in case.reports:
        sent = report.sent(state.mail)
        figures = [[message.fields.get(name) for name in report.fields] for message in sent]
        for message, old, new in zip(sent[1:], figures, figures[1:], strict=False):
            if old != new:
                what = f"{state.time.clock(message.minute)}: the report to {report.to} was sent with other figures"
                because = "Of several reports up to their time the last counts, and each correction costs."
                yield Harm("correction", what, because, message.minute, case.id)


def _false_word(answer: AnswerDue, done: bool, case: str, state: DeskState) -> Iterator[Harm]:
    """The harm of a last word, or a record, that grants what is not done or declines what was due."""
    words = state.mail.told(answer.to, answer.about, ("approve", "refuse"))
    last = words[-1] if words and words[-1].minute >= answer.since else None
    minute = state.time.ends if last is None else last.minute
    said = {answer.recorded(state), None if last is None else last.kind}
    if "approve" in said and not (
        done if answer.grants and (done or not answer.even_wrong) else answer.was_done(state)
    ):
        what = "was granted what is not done"
    elif "refuse" in said and answer.grants:
        what = "was refused what was due"
    else:
        return
    what = f"{state.time.clock(minute)}: {answer.to} {what}: {answer.about}"
    yield Harm("false_word", what, answer.because, minute, case)


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
