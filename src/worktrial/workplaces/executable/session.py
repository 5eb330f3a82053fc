"""One stay in an executable workplace."""

from typing import TYPE_CHECKING, Any

import msgspec

from worktrial.errors import InvalidReason, InvalidSample
from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.executable.declare import ToolError
from worktrial.workplaces.executable.wire import encode, to_json
from worktrial.workplaces.session import Observation, Origin, refusal

if TYPE_CHECKING:
    from worktrial.workplaces.executable.workplace import ExecutableWorkplace


class ExecutableSession:
    """Runs each call as a Python function on a private copy of the state.

    The copy replaces the state only after a write has succeeded. So a call that fails half-way leaves
    nothing behind, and a function declared as a read cannot change anything.
    """

    def __init__(self, workplace: "ExecutableWorkplace", decoder: "msgspec.json.Decoder[Any]") -> None:
        self._workplace = workplace
        self._decoder = decoder
        self._state = encode(decoder.decode(encode(workplace.artifact.initial_state)))

    @property
    def state(self) -> JsonObject:
        """The state as it is now, as a JSON copy of its own."""
        state: JsonObject = msgspec.json.decode(self._state)
        return state

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        """Run the tool's function; see `Session.call`.

        Raises:
            InvalidSample: the function failed in a way that the workplace's rules do not know.
        """
        refused = refusal(self._workplace.artifact, tool, arguments)
        if refused is not None:
            return refused
        function = self._workplace.functions[tool]
        try:
            given = msgspec.json.decode(encode(arguments), type=function.arguments)
        # What the schema lets through but the function's types do not: NaN, a lone surrogate, 5.0 for an integer.
        except (msgspec.ValidationError, UnicodeError) as e:
            error = {"type": "invalid_arguments", "message": f"{tool}: {e}"}
            return Observation({"error": error}, Origin.REFUSAL)
        try:
            draft = self._decoder.decode(self._state)
            result = to_json(function.run(draft, **msgspec.structs.asdict(given)))
            after = encode(draft) if function.writes else self._state
        except ToolError as e:
            return Observation(e.observation, Origin.EXECUTABLE)
        except Exception as e:
            where = f"{self._workplace.artifact.name}.{tool}({arguments})"
            raise InvalidSample(InvalidReason.INTERNAL, f"{where} raised {type(e).__name__}: {e}") from e
        self._state = after
        return Observation(result, Origin.EXECUTABLE)
