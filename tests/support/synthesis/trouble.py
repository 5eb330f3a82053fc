"""An endpoint that is overloaded or broken now and then."""

from dataclasses import dataclass

from tests.support.request import ScriptedRequest
from tests.support.script import Answer, Behaviour
from tests.support.wire import error_reply


@dataclass(frozen=True)
class NowAndThen(Behaviour):
    """Of every `n` requests of the role the third is answered 429 with `Retry-After`, the eleventh 500."""

    n: int

    def answer(self, request: ScriptedRequest) -> Answer:
        if self.n and request.number_in_role % self.n == 3:
            return error_reply(429, "Too many requests.", code="rate_limit_exceeded", headers={"Retry-After": "0"})
        if self.n and request.number_in_role % self.n == 11:
            return error_reply(500, "Something broke.", kind="server_error")
        return None
