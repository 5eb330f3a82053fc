"""Descriptions of interfaces in OpenAPI 3: their operations become tools."""

from worktrial.synthesis.sources.openapi.operations import ApiDescription, read_openapi

__all__ = ["ApiDescription", "read_openapi"]
