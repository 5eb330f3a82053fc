"""A predicted call beside a gold call of the same tool, argument by argument."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum

from worktrial.grading.characters import encodable
from worktrial.language import JsonObject
from worktrial.suites.orchestration.planning.answers import ValueCase, Verdicts
from worktrial.suites.orchestration.toolcalls.calls import Call
from worktrial.suites.orchestration.toolcalls.schema import ArgumentSchema
from worktrial.suites.orchestration.toolcalls.values import Outcome, canonical, compare

_SHOWN = 400
"""Characters of a value in a record."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of the gold call, of the predicted one, or of both."""

    key: str
    outcome: Outcome
    gold: str | None = None
    """Its value as compact JSON; null where the call lacks it."""
    predicted: str | None = None
    reason: str = ""
    case: ValueCase | None = None
    """What a judge has to look at, exactly where the outcome is open."""

    def score(self, verdicts: Verdicts | None) -> float:
        """0-1: how right the value is; without judges an open value is not."""
        if self.case is not None and verdicts is not None:
            return verdicts[self.case]
        return float(self.outcome is Outcome.EQUAL)

    def row(self, verdicts: Verdicts | None) -> JsonObject:
        """For a record; values are shown where they are not equal."""
        if self.outcome is Outcome.EQUAL:
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
        """For a record."""
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
        lost = (Argument(k, Outcome.MISSING, canonical(wanted[k]), reason=predicted.problem) for k in wanted)
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
        return Argument(key, Outcome.EQUAL, gold=gold, predicted=predicted)
    if "predicted" not in there:
        return Argument(key, Outcome.MISSING, gold=text["gold"], reason="the call lacks it")
    if "gold" not in there:
        return Argument(
            key, Outcome.EXTRA, predicted=text["predicted"], reason="the gold call has no such argument"
        )
    found = compare(there["gold"], there["predicted"], tool, schema)
    case = None
    if found.outcome is Outcome.OPEN:
        case = ValueCase(name, key, (text["gold"],), (text["predicted"],), context)
    return Argument(key, found.outcome, text["gold"], text["predicted"], found.reason, case)


def _cut(text: str | None) -> str | None:
    return text if text is None or len(text) <= _SHOWN else text[:_SHOWN] + "…"
