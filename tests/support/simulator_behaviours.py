"""Simulators that break the form of an observation, or the patch that goes with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.support.combinators import PerConversation
from tests.support.happy import HappySimulator, ledger_reply
from tests.support.request import ScriptedRequest
from tests.support.script import Behaviour
from tests.support.wire import Body, completion, json_text


def a_list(request: ScriptedRequest) -> Body:
    return completion('[{"status": "ok"}]')


def a_bare_string(request: ScriptedRequest) -> Body:
    """A JSON string instead of an object."""
    return completion('"done"')


def plain_prose(request: ScriptedRequest) -> Body:
    return completion("The order was found and is on its way.")


def nothing(request: ScriptedRequest) -> Body:
    return completion("")


def broken_object(request: ScriptedRequest) -> Body:
    """JSON that ends in the middle of a value."""
    return completion('{"status": "ok", "items": [1, 2')


def two_objects(request: ScriptedRequest) -> Body:
    """Two observations that differ."""
    return completion('{"status": "ok"}\n{"status": "failed"}')


@dataclass(frozen=True)
class Fenced(Behaviour):
    """The happy simulator's object in a Markdown fence, with a line of prose before it."""

    def answer(self, request: ScriptedRequest) -> Body:
        return completion(f"Here it is:\n```json\n{_happy_text(request)}\n```")


@dataclass(frozen=True)
class AfterMention(Behaviour):
    """The happy simulator's object in a tag, after prose that mentions the opening tag."""

    tag: str = "observation"

    def answer(self, request: ScriptedRequest) -> Body:
        tag = self.tag
        return completion(f"I will put it into <{tag}> as told.\n<{tag}>{_happy_text(request)}</{tag}>")


@dataclass(frozen=True)
class Observes(Behaviour):
    """This observation for every call, with a patch when one is asked for."""

    observation: Any
    patch: Any = ()

    def answer(self, request: ScriptedRequest) -> Body:
        simulator = HappySimulator()
        if simulator.is_ledger(request):
            patch = list(self.patch) if isinstance(self.patch, tuple) else self.patch
            return ledger_reply(request, self.observation, patch)
        return completion(json_text(self.observation))


@dataclass(frozen=True)
class Patches(Behaviour):
    """A plain observation with this patch; `Patches([{"op": "add", "path": "/seen", "value": true}])`."""

    patch: Any

    def answer(self, request: ScriptedRequest) -> Body:
        return ledger_reply(request, {"status": "ok"}, self.patch)


patch_fails_test = Patches([{"op": "test", "path": "", "value": "no state is ever this"}])
"""A patch that is well-formed and does not apply."""
patch_misses_path = Patches([{"op": "replace", "path": "/no_such_key/inside", "value": 1}])
patch_removes_missing = Patches([{"op": "remove", "path": "/no_such_key"}])
patch_not_a_list = Patches({"op": "add", "path": "/seen", "value": True})
"""One operation where a list of operations belongs."""
patch_unknown_op = Patches([{"op": "increment", "path": "/count", "value": 1}])
patch_without_path = Patches([{"op": "add", "value": 1}])
patch_bad_pointer = Patches([{"op": "add", "path": "no/leading/slash", "value": 1}])
patch_half_applies = Patches(
    [{"op": "add", "path": "/first_half", "value": 1}, {"op": "remove", "path": "/no_such_key"}]
)
"""The first operation applies and the second does not, so nothing may remain of the first."""
patch_replaces_state = Patches([{"op": "replace", "path": "", "value": []}])
"""Puts a list in the place of the whole state."""


def then(bad: Behaviour, good: Sequence[Behaviour] = (), *, bad_times: int = 1) -> PerConversation:
    """`bad` for the first `bad_times` requests of each conversation, `good` for the next, then the next step."""
    return PerConversation([*[bad] * bad_times, *good])


patch_applies_on_second_try = then(patch_fails_test)
"""Each conversation starts with a patch that does not apply; its repair is left to the next step."""


def observation_missing(request: ScriptedRequest) -> Body:
    """A ledger reply without its observation."""
    return completion('{"patch": [], "facts": {}}')


def observation_not_an_object(request: ScriptedRequest) -> Body:
    return completion('{"observation": ["a", "list"], "patch": [], "facts": {}}')


def patch_missing(request: ScriptedRequest) -> Body:
    """A ledger reply without its patch."""
    return completion('{"observation": {"status": "ok"}}')


def _happy_text(request: ScriptedRequest) -> str:
    return str(HappySimulator().answer(request)["choices"][0]["message"]["content"])
