"""Interface descriptions, and tools made of them."""

from pathlib import Path
from typing import Any

import yaml

from worktrial.synthesis.sources import InterfaceOperation, SourceLibrary, load

Json = dict[str, Any]


def api(paths: Json, components: Json | None = None, **root: Any) -> Json:
    return {
        "openapi": "3.1.0",
        "info": {"title": "Parcels", "version": "1"},
        "paths": paths,
        **({"components": components} if components else {}),
        **root,
    }


def posting(schema: Json, *, required: bool = True, **operation: Any) -> Json:
    """A description whose only operation is sent a body of this schema."""
    body = {"required": required, "content": {"application/json": {"schema": schema}}}
    return {"/x": {"post": {"operationId": "send", "requestBody": body, "responses": {}, **operation}}}


def answering(media: Json, **operation: Any) -> Json:
    """A description whose only operation answers with this."""
    responses = {"200": {"description": "ok", "content": {"application/json": media}}}
    return {"/x": {"get": {"operationId": "look", "responses": responses, **operation}}}


def load_api(folder: Path, description: Json) -> SourceLibrary:
    path = folder / "api.yaml"
    path.write_text(yaml.safe_dump(description, sort_keys=False), "utf-8")
    return load([path])


def only(folder: Path, description: Json) -> InterfaceOperation:
    (operation,) = load_api(folder, description).operations
    return operation
