"""Predicted calls beside gold calls: matched one to one, compared argument by argument."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from worktrial.language import JsonObject
from worktrial.language.untrusted import encodable
from worktrial.suites.orchestration.planning.turns import ValueCase, Verdicts
from worktrial.suites.orchestration.scoring.calls.calls import Call
from worktrial.suites.orchestration.scoring.calls.schema import ArgumentSchema
from worktrial.suites.orchestration.scoring.calls.values import ValueOutcome, canonical, compare

_SHOWN = 400
"""Characters of a value in a record."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of the gold call, of the predicted one, or of both."""

    key: str
    outcome: ValueOutcome
    gold: str | None = None
    """Its value as compact JSON; null where the call lacks it."""
    predicted: str | None = None
    reason: str = ""
    case: ValueCase | None = None
    """Case for a judge, exactly where the outcome is open."""

    def score(self, verdicts: Verdicts | None) -> float:
        """0-1: how right the value is; without judges an open value is not."""
        if self.case is not None and verdicts is not None:
            return verdicts[self.case]
        return float(self.outcome is ValueOutcome.EQUAL)

    def row(self, verdicts: Verdicts | None) -> JsonObject:
        """Row for a record; values are shown where they are not equal."""
        if self.outcome is ValueOutcome.EQUAL:
            return {"key": encodable(self.key), "outcome": self.outcome.value, "score": 1.0}
        judged = self.case is not None and verdicts is not None
        return {
            "key": encodable(self.key),
            "outcome": "judged" if judged else self.outcome.value,
            "score": self.score(verdicts),
            "reason": self.reason,
            "gold": _cut(self.gold),
            "predicted": _cut(self.predicted),
        }


@dataclass(frozen=True, slots=True)
class Pair:
    """A gold call and the predicted call of the same tool that it is matched with; null where one is missing."""

    gold: Call | None
    predicted: Call | None
    arguments: tuple[Argument, ...] = ()

    @property
    def is_match(self) -> bool:
        """Whether both are there."""
        return self.gold is not None and self.predicted is not None

    @property
    def keys(self) -> float:
        """F1 of the arguments' names, 0-1."""
        both = sum(a.gold is not None and a.predicted is not None for a in self.arguments)
        return self._f1(both)

    def values(self, verdicts: Verdicts | None) -> float:
        """F1 of the arguments with their values, 0-1; never above that of the names."""
        return self._f1(fsum(argument.score(verdicts) for argument in self.arguments))

    def row(self, verdicts: Verdicts | None) -> JsonObject:
        """Row for a record."""
        row: JsonObject = {
            "gold": None if self.gold is None else self.gold.tool,
            "predicted": None if self.predicted is None else encodable(self.predicted.tool),
        }
        if self.predicted is not None and self.predicted.problem:
            row["problem"] = self.predicted.problem
        if self.arguments:
            row["arguments"] = [argument.row(verdicts) for argument in self.arguments]
        return row

    def _f1(self, right: float) -> float:
        if not self.is_match or (self.predicted is not None and self.predicted.arguments is None):
            return 0.0
        there = sum((a.gold is not None) + (a.predicted is not None) for a in self.arguments)
        return 2 * right / there if there else 1.0


def pair(gold: Call, predicted: Call, tool: ArgumentSchema, context: str) -> Pair:
    """Compare two calls of one tool.

    An optional argument that is left out on one side and on the other has the schema's default counts as equal.
    """
    wanted, given = gold.arguments or {}, predicted.arguments
    if given is None:
        lost = (Argument(k, ValueOutcome.MISSING, canonical(wanted[k]), reason=predicted.problem) for k in wanted)
        return Pair(gold, predicted, tuple(lost))
    defaults = {k: v for k, v in tool.defaults.items() if (k in wanted) != (k in given)}
    # The gold order first, so that a record reads like the gold call.
    keys = dict.fromkeys((*wanted, *sorted(given)))
    arguments = (_argument(key, wanted, given, defaults, tool, gold.tool, context) for key in keys)
    return Pair(gold, predicted, tuple(arguments))


def _argument(
    key: str,
    wanted: Mapping[str, object],
    given: Mapping[str, object],
    defaults: Mapping[str, object],
    tool: ArgumentSchema,
    name: str,
    context: str,
) -> Argument:
    schema = tool.of(key)
    there = {side: values[key] for side, values in (("gold", wanted), ("predicted", given)) if key in values}
    text = {side: canonical(value, schema) for side, value in there.items()}
    if key in defaults and canonical(defaults[key], schema) in text.values():
        usual = canonical(defaults[key])
        gold, predicted = text.get("gold", usual), text.get("predicted", usual)
        return Argument(key, ValueOutcome.EQUAL, gold=gold, predicted=predicted)
    if "predicted" not in there:
        return Argument(key, ValueOutcome.MISSING, gold=text["gold"], reason="the call lacks it")
    if "gold" not in there:
        return Argument(
            key, ValueOutcome.EXTRA, predicted=text["predicted"], reason="the gold call has no such argument"
        )
    found = compare(there["gold"], there["predicted"], tool, schema)
    case = None
    if found.outcome is ValueOutcome.OPEN:
        case = ValueCase(name, key, (text["gold"],), (text["predicted"],), context)
    return Argument(key, found.outcome, text["gold"], text["predicted"], found.reason, case)


def _cut(text: str | None) -> str | None:
    return text if text is None or len(text) <= _SHOWN else text[:_SHOWN] + "…"


MOST_CALLS = 100
"""Predicted calls of one tool that are looked at; further ones stay without a match and cost what any extra call
costs."""


def match(
    gold: Sequence[Call], predicted: Sequence[Call], tool_of: Callable[[str], ArgumentSchema], context: str
) -> tuple[Pair, ...]:
    """Every gold call with its predicted call, in the order of the gold calls; then the extra predicted ones.

    Only calls of the same tool match: what an argument means depends on the tool. Among them the assignment with
    the greatest sum of likeness is taken, where an equal value counts 1 and one that a judge would have to look at
    by how many pairs of neighbouring characters it shares, at most 1/2. The order of calls has no influence.
    """
    partner: dict[int, tuple[int, Pair]] = {}
    for tool in dict.fromkeys(call.tool for call in gold):
        ours = _sorted(gold, tool)
        theirs = _sorted(predicted, tool)[:MOST_CALLS]
        table = [[pair(gold[g], predicted[p], tool_of(tool), context) for p in theirs] for g in ours]
        for row, column in _assignment([[_likeness(cell) for cell in cells] for cells in table]):
            partner[ours[row]] = theirs[column], table[row][column]
    taken = {p for p, _ in partner.values()}
    matched = [partner[g][1] if g in partner else Pair(call, None) for g, call in enumerate(gold)]
    return (*matched, *(Pair(None, call) for p, call in enumerate(predicted) if p not in taken))


def _sorted(calls: Sequence[Call], tool: str) -> list[int]:
    """Places of the calls of `tool`, in an order that follows from what they say."""
    mine = [n for n, call in enumerate(calls) if call.tool == tool]
    return sorted(mine, key=lambda n: (calls[n].arguments is None, canonical(calls[n].arguments)))


def _assignment(likeness: list[list[float]]) -> list[tuple[int, int]]:
    """Row and column of each match, with the greatest sum."""
    if not likeness or not likeness[0]:
        return []
    if len(likeness) == 1:
        return [(0, max(range(len(likeness[0])), key=likeness[0].__getitem__))]
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(likeness, maximize=True)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def _likeness(pair: Pair) -> float:
    there = sum((a.gold is not None) + (a.predicted is not None) for a in pair.arguments)
    shared = 2 * sum(map(_argument_likeness, pair.arguments)) / there if there else 1.0
    return pair.keys + shared


def _argument_likeness(argument: Argument) -> float:
    if argument.outcome is ValueOutcome.OPEN:
        return _dice(argument.gold or "", argument.predicted or "") / 2
    return float(argument.outcome is ValueOutcome.EQUAL)


def _dice(a: str, b: str) -> float:
    """The share of pairs of neighbouring characters that two texts have in common, 0-1."""
    first, second = ({text[n : n + 2] for n in range(min(len(text), 500) - 1)} for text in (a, b))
    both = len(first) + len(second)
    return 2 * len(first & second) / both if both else 1.0
