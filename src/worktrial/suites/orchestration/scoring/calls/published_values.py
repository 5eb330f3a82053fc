"""Argument values as the published program compares them, its defects included."""

import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from worktrial.language import JsonObject, JsonValue
from worktrial.language.nesting import nested_deeper_than
from worktrial.language.untrusted import encodable
from worktrial.suites.orchestration.planning.turns import ValueCase, Verdicts
from worktrial.suites.orchestration.scoring.calls.published_calls import Calls, NotJson, Undecidable, plainly_wrong


def set_f1(gold: Set[object], predicted: Set[object]) -> float:
    """F1 of two sets, 0-1: two empty ones are equal, an empty one and a full one have nothing in common."""
    if not gold and not predicted:
        return 1.0
    return Counts.of_sets(gold, predicted).f1


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of true and false positives and false negatives; not whole where judges are of several minds."""

    tp: float = 0
    fp: float = 0
    fn: float = 0

    @classmethod
    def of_sets(cls, gold: Set[object], predicted: Set[object]) -> "Counts":
        """Counts of what two sets have in common and what only one has."""
        return cls(len(gold & predicted), len(predicted - gold), len(gold - predicted))

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def precision(self) -> float:
        """0 where nothing was predicted."""
        return _share(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        """0 where nothing is gold."""
        return _share(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float:
        """The harmonic mean of both, 0 where both are 0."""
        return _share(2 * (self.precision * self.recall), self.precision + self.recall)


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0


_WRITTEN_DEPTH = 6
_COMPARABLE_DEPTH = 100
_TOO_DEEP = "a value nested too deep to be compared"


@dataclass(frozen=True, slots=True)
class KeyResult:
    """Outcome of one argument without a judge."""

    key: str
    counts: Counts
    reason: str


@dataclass(frozen=True, slots=True)
class OpenKey:
    """An argument whose values a judge has to look at."""

    case: ValueCase
    """The values that only one side has, each once."""
    confirmed: int
    """Number of values that both sides have; the published program forgets them as soon as a judge has to look."""

    def counts(self, share: float | None) -> Counts:
        """Counts that a judgement stands for.

        All judges for it pair as many values as both sides have; none for it, or none asked, pairs none, which
        is what the published program counts for the same verdict. A share in between counts in between.
        """
        predicted, gold = len(self.case.predicted), len(self.case.gold)
        paired = (share or 0.0) * min(predicted, gold)
        return Counts(paired, predicted - paired, gold - paired)


@dataclass(frozen=True, slots=True)
class ValueScore:
    """The values of one step's calls; keys in alphabetical order."""

    settled: tuple[KeyResult, ...]
    open: tuple[OpenKey, ...] = ()

    def counts(self, verdicts: Verdicts | None) -> Counts:
        """Counts over all arguments; a case without a verdict counts as one that no judge is for."""
        total = sum((result.counts for result in self.settled), Counts())
        return sum((key.counts((verdicts or {}).get(key.case)) for key in self.open), total)


def compare(gold: Calls, predicted: Calls, schemas: Mapping[str, JsonObject], *, context: str) -> ValueScore:
    """Compare the pooled arguments of a step.

    Args:
        gold: the gold calls.
        predicted: the predicted calls.
        schemas: `parameters` of the team's tools by name.
        context: what the domain agent was asked, for a judge.

    Raises:
        Undecidable: the published program raises; see `plainly_wrong`.
    """
    if any(isinstance(name, list | dict) for name in predicted.names):
        raise Undecidable("a tool's name is a list or an object")
    called = [schemas[name] for name in dict.fromkeys(predicted.names) if name in schemas]
    tool = ", ".join(sorted({name for name in gold.names if isinstance(name, str)}))
    settled: list[KeyResult] = []
    unsettled: list[OpenKey] = []
    for key in sorted(gold.arguments.keys() | predicted.arguments.keys()):
        wanted, given = gold.arguments.get(key), predicted.arguments.get(key)
        if given is None:
            settled.append(KeyResult(key, Counts(fn=len(wanted or ())), "key_missing_in_predicted"))
            continue
        if wanted is None:
            settled.append(KeyResult(key, Counts(fp=len(given)), "key_missing_in_actual"))
            continue
        wanted_by_text, given_by_text = _by_text(wanted), _by_text(given)
        counts = Counts.of_sets(wanted_by_text.keys(), given_by_text.keys())
        missed = sorted(wanted_by_text.keys() - given_by_text.keys())
        extra = sorted(given_by_text.keys() - wanted_by_text.keys())
        if not missed or not extra:
            settled.append(KeyResult(key, counts, "exact_comparison"))
        elif reason := plainly_wrong(key, extra, missed, called):
            settled.append(KeyResult(key, counts, reason))
        else:
            case = ValueCase(
                tool,
                key,
                tuple(_json(wanted_by_text[text]) for text in missed),
                tuple(_json(given_by_text[text]) for text in extra),
                context,
            )
            unsettled.append(OpenKey(case, int(counts.tp)))
    return ValueScore(tuple(settled), tuple(unsettled))


def _by_text(values: Sequence[JsonValue] | NotJson) -> dict[str, JsonValue]:
    if isinstance(values, NotJson):
        return {f"not JSON: {values.text}": values.text}
    # Of values that are equal as text the first one stands for all.
    return {as_text(value): _shown(value) for value in reversed(values)}


def as_text(value: JsonValue) -> str:
    """A value as the published program compares it: lists sorted, keys sorted, everything else as Python writes it.

    So 5 equals "5" and true equals "True", but 5 does not equal 5.0. In the published program the text of a nested
    list doubles with every level. From seven levels on ours is another text, which tells the same values apart.
    """
    if nested_deeper_than(value, _COMPARABLE_DEPTH):
        return _TOO_DEEP
    return _compact(value) if nested_deeper_than(value, _WRITTEN_DEPTH) else _written(value)


def _written(value: JsonValue) -> str:
    if isinstance(value, list):
        return str(sorted(_written(item) for item in value))
    if isinstance(value, dict):
        return str({key: _written(value[key]) for key in sorted(value)})
    return str(value)


def _compact(value: JsonValue) -> str:
    if isinstance(value, list):
        return f"[{','.join(sorted(_compact(item) for item in value))}]"
    if isinstance(value, dict):
        return f"{{{','.join(f'{json.dumps(key)}:{_compact(value[key])}' for key in sorted(value))}}}"
    return json.dumps(str(value))


def _shown(value: JsonValue) -> JsonValue:
    return _TOO_DEEP if nested_deeper_than(value, _COMPARABLE_DEPTH) else value


def _json(value: JsonValue) -> str:
    return encodable(json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")))
