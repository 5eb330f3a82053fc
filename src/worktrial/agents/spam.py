"""Agents that do no work and know no solution: a task that one of them passes asks for none."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from types import MappingProxyType

import msgspec

from worktrial.agents.assignment import Assignment
from worktrial.agents.plan import call_once, end_with, json_of
from worktrial.grading.answer_checks import MOST_CHARACTERS
from worktrial.grading.written.filling import candidates, filled, ids_in, likest
from worktrial.language import JsonObject
from worktrial.workplaces.signals import is_error
from worktrial.workplaces.values import leaves

MOST_CALLS = 60
"""Calls of one kind that such an agent makes in a task."""
_VALUES = 12
"""Values that are tried for one argument."""


@dataclass(frozen=True, slots=True)
class Spam:
    """One of these agents: what it calls, and what it says."""

    acts: str = ""
    """Pattern of the names and choices that it calls for all that is named; "" where it does not act."""
    parrots: bool = False
    """Whether it makes the first call that the words of the instruction fill, and says what that shows."""
    dumps: bool = False
    """Whether it reads all that it can with all that it has seen, and says what it was shown."""
    says: str = ""
    repeats: bool = False
    """Whether it gives the instruction back."""
    reads: frozenset[str] = frozenset()
    """Names of the tools that change nothing."""

    async def __call__(self, assignment: Assignment) -> None:
        """Work on `assignment`."""
        told, trajectory = assignment.instruction, assignment.trajectory
        trajectory.messages.append({"role": "user", "content": told})
        tools = [spec["function"] for spec in assignment.tools]
        writers = [tool for tool in tools if tool["name"] not in self.reads]
        shown: list[str] = []

        async def call(name: str, given: JsonObject) -> None:
            content = await call_once(name, given, assignment)
            if not is_error(content):
                shown.append(", ".join(f"{_label(pointer)} {value}" for pointer, value in leaves(content)))

        if self.parrots and (literal := _literal(writers, told, assignment.clock)) is not None:
            await call(*literal)
        if self.dumps:
            made: set[str] = set()
            readers = [tool for tool in tools if tool["name"] in self.reads]
            while len(made) < MOST_CALLS and (fresh := _fresh(readers, "\n".join([told, *shown]), made)):
                for name, given in fresh:
                    await call(name, given)
            shown.sort(key=lambda text: (-sum(id in text for id in ids_in(told)), len(text)))
        if self.acts:
            every = (one for tool in writers for one in _every(tool, told, re.compile(self.acts)))
            for name, given in islice(every, MOST_CALLS):
                await call(name, given)
        said = [told if self.repeats else "", self.says, *(shown if self.parrots or self.dumps else ())]
        end_with("\n".join(filter(None, said))[:MOST_CHARACTERS], trajectory)


SPAM: Mapping[str, Spam] = MappingProxyType(
    {
        "acknowledge-all": Spam("acknowledg|confirm|note|notif|post|send|reply|tell|ask|refer|log", says="Noted."),
        "approve-all": Spam(
            "approv|accept|grant|allow|release|confirm|pay|settle|yes|full", says="Approved, done."
        ),
        "refuse-all": Spam(
            "refus|reject|den[iy]|declin|hold|block|cancel|no", says="Refused: this is not allowed."
        ),
        "refuse-and-guess": Spam(
            "refus|reject|den[iy]|declin|hold|block|cancel|no", says="Refused. 0.", repeats=True
        ),
        "act-on-all": Spam(".", says="All done."),
        "dump-all": Spam(dumps=True),
        "constant": Spam(says="Done. 0, 1, 2, 3, 5, 10, 100. Yes. No. None. OK. It cannot be done."),
        "parrot": Spam(parrots=True, repeats=True),
        "spam": Spam(parrots=True, dumps=True),
    }
)
"""The agents by name. `spam`, which does what most of the others do, stands for them all in a run."""


def _label(pointer: str) -> str:
    return next((part for part in reversed(pointer.split("/")) if not part.isdigit()), "").replace("_", " ")


def _literal(tools: Sequence[JsonObject], told: str, clock: str) -> tuple[str, JsonObject] | None:
    """The likeliest call that the instruction fills."""
    calls = [(tool, filled(tool["parameters"], told, f"date: {clock[:10]}")) for tool in tools]
    whole = [(tool, given) for tool, given in calls if given.keys() >= set(tool["parameters"].get("required", ()))]
    if not whole:
        return None
    tool, given = whole[likest(told, [f"{tool['name']} {tool['description']}" for tool, _ in whole])]
    return tool["name"], given


def _fresh(tools: Sequence[JsonObject], seen: str, made: set[str]) -> list[tuple[str, JsonObject]]:
    """Calls of which none has been made, up to the most in all; they are noted as made."""
    found = []
    for name, given in (one for tool in tools for one in _every(tool, seen)):
        key = f"{name} {json_of(given)}"
        if key not in made and len(made) < MOST_CALLS:
            made.add(key)
            found.append((name, given))
    return found


def _every(tool: JsonObject, seen: str, acts: re.Pattern[str] | None = None) -> Iterator[tuple[str, JsonObject]]:
    """Calls of a tool with every value that was seen for what it needs.

    Args:
        tool: The tool.
        seen: What was seen.
        acts: Pattern of which the tool's name or a choice has to be; None for any call.
    """
    schema, name = tool["parameters"], tool["name"]
    named = acts is None or acts.search(name)
    values = []
    for argument in schema.get("required", ()):
        known = list(
            dict.fromkeys(map(json_of, candidates(argument, schema.get("properties", {}).get(argument, {}), seen)))
        )
        wanted = known if named or acts is None else [one for one in known if acts.search(one)] or known
        values.append([msgspec.json.decode(one) for one in wanted[:_VALUES]])
    for chosen in islice(product(*values), _VALUES):
        given = dict(zip(schema.get("required", ()), chosen, strict=True))
        if named or (acts is not None and acts.search(json_of(given))):
            yield name, given
