"""Trouble that any endpoint may make, whatever the role."""

import email.utils
import time
from dataclasses import dataclass

from tests.support.request import ScriptedRequest
from tests.support.script import Answer, Behaviour
from tests.support.wire import Body, Delivery, Reply, completion, error_reply, json_reply


@dataclass(frozen=True)
class Says(Behaviour):
    """A completion with this content, whatever was asked."""

    content: object
    finish_reason: str = "stop"

    def answer(self, request: ScriptedRequest) -> Body:
        return completion(self.content, finish_reason=self.finish_reason)


@dataclass(frozen=True)
class Status(Behaviour):
    """An error status with an OpenAI-style body."""

    status: int
    retry_after: float | str | None = None
    """The `Retry-After` header: seconds, or a text sent as it stands."""
    retry_after_date: float | None = None
    """Seconds from now, sent as an HTTP date in `Retry-After`."""
    clock_ahead: float = 0.0
    """Seconds by which the endpoint's clock is ahead of the host's."""

    def answer(self, request: ScriptedRequest) -> Reply:
        headers = {}
        if self.retry_after is not None:
            headers["Retry-After"] = f"{self.retry_after}"
        if self.retry_after_date is not None:
            now = time.time() + self.clock_ahead
            headers["Date"] = email.utils.formatdate(now, usegmt=True)
            headers["Retry-After"] = email.utils.formatdate(now + self.retry_after_date, usegmt=True)
        kind = "server_error" if self.status >= 500 else "invalid_request_error"
        return error_reply(
            self.status, f"Scripted trouble {self.status}.", code=self.status, kind=kind, headers=headers
        )


@dataclass(frozen=True)
class RejectsParameter(Behaviour):
    """Status 400 naming a parameter, whether or not the request has it."""

    name: str

    def answer(self, request: ScriptedRequest) -> Reply:
        message = f"Unsupported parameter: '{self.name}' cannot be used with this model."
        return error_reply(400, message, code="unsupported_parameter", param=self.name)


@dataclass(frozen=True)
class RefusesKey(Behaviour):
    """Status 401 (or 403) with the whole key in the message, as some gateways answer."""

    status: int = 401

    def answer(self, request: ScriptedRequest) -> Reply:
        key = request.headers.get("Authorization", "").removeprefix("Bearer ")
        return error_reply(self.status, f"Incorrect API key provided: {key}.", code="invalid_api_key")


@dataclass(frozen=True)
class UnknownModel(Behaviour):
    """Status 404, as for a model that the endpoint does not serve."""

    def answer(self, request: ScriptedRequest) -> Reply:
        message = f"The model `{request.body.get('model')}` does not exist."
        return error_reply(404, message, code="model_not_found", param="model")


@dataclass(frozen=True)
class LlamaContextOverflow(Behaviour):
    """llama.cpp's answer to a prompt longer than `tokens` (0: to every prompt)."""

    tokens: int = 0

    def answer(self, request: ScriptedRequest) -> Answer:
        asked = request.characters // 4
        if asked < self.tokens:
            return None
        message = f"the request has {asked} tokens, the context holds {self.tokens}"
        kind = "exceed_context_size_error"
        error = {
            "code": 400,
            "type": kind,
            "message": message,
            "n_prompt_tokens": asked,
            "n_ctx": self.tokens,
        }
        return json_reply({"error": error}, 400)


@dataclass(frozen=True)
class OpenAIContextOverflow(Behaviour):
    """OpenAI's answer to a prompt longer than `tokens` (0: to every prompt)."""

    tokens: int = 0

    def answer(self, request: ScriptedRequest) -> Answer:
        asked = request.characters // 4
        if asked < self.tokens:
            return None
        message = f"The context holds {self.tokens} tokens; the messages have {asked}."
        return error_reply(400, message, code="context_length_exceeded", param="messages")


@dataclass(frozen=True)
class DropsConnection(Behaviour):
    """Closes the connection before any header."""

    reset: bool = False
    """Close with TCP RST instead of FIN."""

    def answer(self, request: ScriptedRequest) -> Reply:
        return Reply(delivery=Delivery.DROPPED, reset=self.reset)


@dataclass(frozen=True)
class CutsBody(Behaviour):
    """Sends the headers and half of the promised body, then closes the connection."""

    reset: bool = False

    def answer(self, request: ScriptedRequest) -> Reply:
        whole = json_reply(completion("This will be cut."))
        return Reply(whole.body, delivery=Delivery.CUT, reset=self.reset)


@dataclass(frozen=True)
class Trickles(Behaviour):
    """Sends headers and then a byte at a time, blanks or comments of a stream, without end."""

    def answer(self, request: ScriptedRequest) -> Reply:
        return Reply(delivery=Delivery.TRICKLED)


@dataclass(frozen=True)
class NeverAnswers(Behaviour):
    """Keeps the connection open and sends nothing."""

    def answer(self, request: ScriptedRequest) -> Reply:
        return Reply(delivery=Delivery.NEVER)


@dataclass(frozen=True)
class Html(Behaviour):
    """An HTML page, as a proxy or a wrong URL gives it."""

    status: int = 200

    def answer(self, request: ScriptedRequest) -> Reply:
        page = f"<!DOCTYPE html><html><body><h1>Page {self.status}</h1></body></html>"
        return Reply(page.encode(), self.status, "text/html; charset=utf-8")


@dataclass(frozen=True)
class RawBody(Behaviour):
    """Status 200 and these bytes as JSON."""

    body: bytes = b""

    def answer(self, request: ScriptedRequest) -> Reply:
        return Reply(self.body)


def broken_json(request: ScriptedRequest) -> Reply:
    """Status 200 with a body that ends in the middle of a value."""
    return Reply(b'{"choices": [{"index": 0, "message": {"role": "assistant", "con')


def not_utf8(request: ScriptedRequest) -> Reply:
    """Status 200 with a body in another encoding."""
    return Reply('{"choices": [{"message": {"role": "assistant", "content": "café"}}]}'.encode("latin-1"))


def json_list(request: ScriptedRequest) -> Reply:
    """Status 200 with a JSON list."""
    return json_reply([])


def error_with_200(request: ScriptedRequest) -> Reply:
    """Status 200 with an error object instead of a completion."""
    return error_reply(200, "The provider behind this gateway failed.", code=502)


def empty_choices(request: ScriptedRequest) -> Body:
    return {"object": "chat.completion", "choices": []}


def null_choices(request: ScriptedRequest) -> Body:
    return {"object": "chat.completion", "choices": None}


def no_message(request: ScriptedRequest) -> Body:
    return {"object": "chat.completion", "choices": [{}]}


def null_message(request: ScriptedRequest) -> Body:
    return {"object": "chat.completion", "choices": [{"index": 0, "message": None, "finish_reason": "stop"}]}


def null_content(request: ScriptedRequest) -> Body:
    """An assistant message with neither text nor a tool call."""
    return completion(None)


def empty_content(request: ScriptedRequest) -> Body:
    return completion("")


def cut_by_length(request: ScriptedRequest) -> Body:
    """Text that hit the model's output limit."""
    return completion("The first step of the work is", finish_reason="length")


def filtered(request: ScriptedRequest) -> Body:
    """An answer that a content filter withheld."""
    return completion(None, finish_reason="content_filter")
