"""Descriptions of interfaces in OpenAPI 3: their operations become tools."""

from worktrial.synthesis.sources.openapi.operations import read_openapi

__all__ = ["read_openapi"]
