"""Description of the HTTP door, made of the shapes that it reads and writes."""

from functools import cache
from typing import Any

import msgspec

from worktrial.interop.serve import bodies
from worktrial.version import __version__

_KINDS = (
    bodies.OpenRequest,
    bodies.CallRequest,
    bodies.FinishRequest,
    bodies.EpisodeOpened,
    bodies.CallAnswer,
    bodies.EpisodeState,
    bodies.EpisodeList,
    bodies.Health,
    bodies.NotDone,
)
_REFUSED = {
    400: "the body broke off, or no name of this server was used",
    401: "the token is missing or wrong",
    403: "sent by a foreign web page",
    404: "nobody has an episode at that address, or the run has no such sample",
    405: "there is no such method here",
    408: "the body did not come",
    409: "the episode is over, or the idempotency key came with another request before",
    410: "no such sample is open any more",
    413: "the body is too long",
    422: "the request is not of the right shape",
    429: "too many episodes are open; finish one first",
    503: "the run has ended",
}
_EVERYWHERE = (400, 401, 403, 405)
_WITH_BODY = (408, 413, 422)


@cache
def described() -> dict[str, Any]:
    """OpenAPI 3.1 description of every path; shared, so not to be changed."""
    _, components = msgspec.json.schema_components(_KINDS, ref_template="#/components/schemas/{name}")
    episode = {
        "name": "episode",
        "in": "path",
        "required": True,
        "schema": {"type": "string", "minLength": 1},
        "description": "Address of an episode, as it was answered when it was opened.",
    }
    key = {
        "name": "Idempotency-Key",
        "in": "header",
        "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$"},
        "description": "Name of the request: sent again, it is answered as before, and nothing is done twice.",
    }
    with_token: dict[str, Any] = {"security": [{"token": []}]}
    paths = {
        "/health": {"get": _operation("Sign of life", 200, bodies.Health)},
        "/openapi.json": {"get": _operation("This description", 200, None)},
        "/episodes": {
            "get": _operation("Open episodes", 200, bodies.EpisodeList) | with_token,
            "post": _operation(
                "Open an episode: the run's next open sample, or one of a kind",
                201,
                bodies.EpisodeOpened,
                (404, 409, 410, 429, 503),
                bodies.OpenRequest,
                required=False,
                parameters=[key],
            )
            | with_token,
        },
        "/episodes/{episode}": {
            "get": _operation("State and verdict", 200, bodies.EpisodeState, (404,), parameters=[episode]),
            "delete": _operation(
                "Give an episode up", 200, bodies.EpisodeState, (404, 409, 503), parameters=[episode]
            ),
        },
        "/episodes/{episode}/calls": {
            "post": _operation(
                "Make one call",
                200,
                bodies.CallAnswer,
                (404, 409, 503),
                bodies.CallRequest,
                parameters=[episode, key],
            )
        },
        "/episodes/{episode}/finish": {
            "post": _operation(
                "Hand in the answer and wait for the verdict",
                200,
                bodies.EpisodeState,
                (404, 409, 503),
                bodies.FinishRequest,
                parameters=[episode, key],
            )
        },
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Worktrial: episodes of one run", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(
    summary: str,
    status: int,
    answer: type | None,
    refused: tuple[int, ...] = (),
    asked: type | None = None,
    *,
    required: bool = True,
    parameters: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    schema = {"type": "object"} if answer is None else _reference(answer)
    codes = sorted({*_EVERYWHERE, *refused, *(_WITH_BODY if asked is not None else ())})
    found: dict[str, Any] = {
        "summary": summary,
        "responses": {
            str(status): {"description": "Done", "content": {"application/json": {"schema": schema}}},
            **{
                str(code): {
                    "description": _REFUSED[code],
                    "content": {"application/json": {"schema": _reference(bodies.NotDone)}},
                }
                for code in codes
            },
        },
    }
    if parameters:
        found["parameters"] = parameters
    if asked is not None:
        content = {"application/json": {"schema": _reference(asked)}}
        found["requestBody"] = {"required": required, "content": content}
    return found


def _reference(kind: type) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{kind.__name__}"}
