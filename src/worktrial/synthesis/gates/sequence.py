"""Order of acts: clauses that fix one, and plans whose acts are done the other way round."""

import re
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise

from worktrial.agents.plan import needs_of
from worktrial.language import JsonObject, JsonValue
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.synthesis.clauses import Clause
from worktrial.synthesis.gates.acts import Variant, names_act
from worktrial.synthesis.gates.catalogue import records_of
from worktrial.synthesis.gates.facts import ids_named
from worktrial.synthesis.gates.names import GateName
from worktrial.synthesis.gates.work import Call, CarriedOut
from worktrial.workplaces.values import id_name, parts

_FIRST = re.compile(
    r"\b(?:first|only then|only when|until|(?:before|after(?:wards)?)(?! that\b)|once (?:the|a|an|it|this|that))\b"
    r"|먼저|[은한] [뒤후]에?|기 전에",
    re.IGNORECASE,
)
_TIME = re.compile(r"\d|\b(?:one|two|three|four|five|six|ten|days?|weeks?|months?|hours?)\b|개월", re.IGNORECASE)
_NEAR = 28
"""Characters beside a word such as `before` in which a length of time makes it a deadline."""
_NO_ORDER = frozenset({"deadline", "amount", "limit", "definition", "code"})


def fixes_order(clause: Clause) -> bool:
    """Whether a clause may say which of two acts comes first, and not merely until when something is possible."""
    if clause.kind in _NO_ORDER:
        return False
    return any(
        not _TIME.search(clause.quote[max(0, found.start() - _NEAR) : found.end() + _NEAR])
        for found in _FIRST.finditer(clause.quote)
    )


def ordering(clauses: Sequence[Clause], task: ExecutableTask, first: Call, second: Call) -> list[str]:
    """Ids of the clauses which a task cites and that fix which of two acts on related records comes first."""
    fixing = [clause for clause in clauses if clause.id in task.clauses and fixes_order(clause)]
    naming = [clause.id for clause in fixing if all(names_act(clause.quote, act) for act in (first, second))]
    return naming if naming and _are_related(task.initial_state, first, second) else []


def turned_round(task: ExecutableTask, work: CarriedOut, clauses: Sequence[Clause]) -> Iterator[Variant]:
    """The plan with two writes the other way round, where a clause fixes their order."""
    needs = needs_of(task.plan_alone)
    names = [step.name for step in task.plan_alone.steps]
    for first, second in pairwise(work.writes):
        between = {name for name in names[first:second] if name}
        fixed_by = ordering(clauses, task, work.calls[first], work.calls[second])
        if needs[second] & between or not fixed_by:
            continue
        calls = list(work.calls)
        calls.insert(first, calls.pop(second))
        said = (
            f"all checks pass when step {second} ({work.calls[second][0]}) comes before step {first} "
            f"({work.calls[first][0]}) [{', '.join(fixed_by)}]"
        )
        yield Variant(GateName.SEQUENCE, task, work, calls, f"plan.steps[{second}]", said)


def _are_related(state: JsonObject, first: Call, second: Call) -> bool:
    """Whether two calls name a record in common, or one names a record that a record of the other names."""
    ids = records_of(state).ids
    named = [ids_named(call[1], ids) for call in (first, second)]
    around = [own | _named_by(state, own, ids) for own in named]
    return not (around[0].isdisjoint(named[1]) and around[1].isdisjoint(named[0]))


def _named_by(value: JsonValue, records: set[str], ids: Set[str]) -> set[str]:
    """Ids that stand in some records."""
    found: set[str] = set()
    for key, item in parts(value):
        own = {item[name] for name in item if id_name(name) and item[name] in records} if _is_row(item) else set()
        if key in records or own:
            found |= ids_named(item, ids)
        else:
            found |= _named_by(item, records, ids)
    return found


def _is_row(item: JsonValue) -> bool:
    return isinstance(item, dict) and all(isinstance(value, str) for name, value in item.items() if id_name(name))
