"""Models of Inspect AI's providers for our engine: `inspect:PROVIDER/NAME`.

Inside a task of Inspect, `inspect:active` is the model that is evaluated, and `inspect:role/NAME` one of its roles.
"""

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from worktrial.engine.providers import shapes
from worktrial.engine.roles import RoleSettings, named
from worktrial.engine.wire import (
    Concession,
    Concessions,
    Endpoint,
    HttpAnswer,
    HttpRequest,
    NotACompletion,
    Request,
    Transport,
    count,
    decoded,
)
from worktrial.errors import StopRun, extra
from worktrial.language import Completion, JsonObject, Message, Usage

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, Model

NAME = "inspect"
ACTIVE = "active"
_ROLE = "role/"
_STOPS = {"max_tokens": "length", "model_length": "length", "unknown": "stop"}


def inspect(settings: RoleSettings) -> RoleSettings:
    """Settings of a role for a model of Inspect's, as in `inspect:anthropic/NAME`."""
    return dataclasses.replace(settings, speaks=InspectWire)


class InspectWire:
    """Requests and answers in the form of Inspect's own messages; its providers send them.

    Their retries are left to ours. Schemas of tools go through Inspect's class of schemas, which has no `oneOf`,
    `allOf`, `$ref`, `const` and `minItems`: those words do not reach the model.
    """

    def __init__(self, settings: RoleSettings, endpoint: Endpoint) -> None:
        with extra(NAME, f"{settings.role_name}: a model of Inspect's"):
            import inspect_ai.model  # noqa: F401 - what sends the requests
        self._settings = settings
        self._name = named(endpoint.model)[1]
        self._own: Model | None = None
        self.url = f"{NAME}:{self._name}"

    @property
    def transport(self) -> Transport:
        """This wire itself: Inspect's providers send."""
        return self

    def write(self, request: Request, without: Concessions = frozenset()) -> HttpRequest:
        """The request in Inspect's own form."""
        if request.top_logprobs:
            raise shapes.no_logprobs("a model of Inspect's")
        settings = self._settings
        body: JsonObject = {"messages": [*request.messages]}
        if request.tools:
            body["tools"] = [tool["function"] for tool in request.tools]
        config: JsonObject = {
            "temperature": settings.temperature,
            "reasoning_effort": settings.effort,
            "max_tokens": settings.output_limit(request.max_tokens),
        }
        if request.schema is not None and Concession.SCHEMA not in without:
            config["response_schema"] = {"name": "answer", "json_schema": request.schema}
        body["config"] = {name: value for name, value in config.items() if value is not None}
        shapes.with_extra(body, {"config": settings.extra} if settings.extra else {})
        return HttpRequest(self.url, msgspec.json.encode(body), {})

    def whole(self, events: bytes) -> bytes:
        """The answer as it is: none of them is streamed to us."""
        return events

    async def post(self, request: HttpRequest, name: str = "") -> HttpAnswer:
        """Send a request by way of the provider; nothing but the answer's form is ours."""
        from inspect_ai._util.error import PrerequisiteError
        from inspect_ai.model import GenerateConfig
        from inspect_ai.tool import ToolInfo
        from inspect_ai.util import LimitExceededError

        asked = msgspec.json.decode(request.body)
        try:
            output = await self._model().generate(
                await _conversation(asked["messages"]),
                tools=[ToolInfo.model_validate(tool) for tool in asked.get("tools", ())],
                config=GenerateConfig(max_retries=0, timeout=int(self._settings.timeout), **asked["config"]),
            )
        except PrerequisiteError as e:
            raise StopRun(f"{self.url}: {e}") from None
        except LimitExceededError:
            raise
        except Exception as e:  # noqa: BLE001 - each provider's library has errors of its own
            status = getattr(e, "status_code", None)
            said = {"error": {"message": f"{type(e).__name__}: {e}"}}
            return HttpAnswer(status if isinstance(status, int) else 502, msgspec.json.encode(said))
        return HttpAnswer(200, output.model_dump_json(exclude_none=True).encode())

    def _model(self) -> "Model":
        from inspect_ai.model import get_model

        if self._name == ACTIVE:
            return get_model()
        if self._name.startswith(_ROLE):
            return get_model(role=self._name.removeprefix(_ROLE), required=True)
        if self._own is None:
            # Those that Inspect remembers belong to the event loop on which they were first asked.
            self._own = get_model(self._name, memoize=False)
        return self._own

    def read(self, data: bytes) -> Completion:
        """The completion in an answer's data."""
        from inspect_ai.model import ModelOutput

        try:
            output = ModelOutput.model_validate(decoded(data))
        except ValueError as e:
            raise NotACompletion(str(e)) from None
        if not output.choices:
            raise NotACompletion(output.error or "no choice")
        message = output.choices[0].message
        thoughts = [part for part in message.content if not isinstance(part, str) and part.type == "reasoning"]
        stop = output.stop_reason
        return Completion(
            message=shapes.assistant(
                NAME,
                message.model_dump(mode="json", exclude_none=True),
                text=message.text,
                thoughts="".join(part.reasoning for part in thoughts),
                refusal=(message.text or "the answer was withheld") if stop == "content_filter" else "",
                calls=[
                    shapes.tool_call(call.id, call.function, msgspec.json.encode(call.arguments).decode())
                    for call in message.tool_calls or ()
                ],
            ),
            usage=_usage(output.usage),
            stop_reason=_STOPS.get(stop, stop),
        )


async def _conversation(messages: Sequence[Message]) -> "list[ChatMessage]":
    from inspect_ai.model import ChatMessageAssistant, messages_from_openai

    said: list[ChatMessage] = []
    for message in messages:
        kept = shapes.blocks_for(message, NAME)
        if kept is not None:
            said.append(ChatMessageAssistant.model_validate(kept))
        else:
            said += await messages_from_openai([message])
    return said


def _usage(used: Any) -> Usage:
    if used is None:
        return Usage(requests=1)
    # Tokens of the provider's cache are not in its count of the input.
    cached, stored = count(used.input_tokens_cache_read), count(used.input_tokens_cache_write)
    return Usage(1, count(used.input_tokens) + cached + stored, count(used.output_tokens), cached, stored)
